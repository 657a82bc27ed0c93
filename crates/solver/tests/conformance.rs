//! Every solver keeps the same promises. Each promise is a function over any solver; the matrix at the end names
//! the solvers.
#![expect(clippy::print_stderr, reason = "tests report numbers")]

mod support;

use std::thread;
use std::time::{Duration, Instant};

use smt::term::{TermId, Terms};
use smt::value::Value;
use solver::decorate::{Crosschecked, Recorded, Timed};
use solver::process::Process;
use solver::{CheckResult, FullSolver, Limits, Reason, SolverError, StateError};
use support::cases::CASES;
use support::{Verdict, assertions, fun, recheck};

/// How the matrix makes a solver, and the theories it lacks.
struct Row {
    name: &'static str,
    make: fn() -> Option<Box<dyn FullSolver>>,
    lacks: &'static [&'static str],
    /// Whether a version that is installed may lack more: then it has to say so.
    may_refuse: bool,
}

fn answers(row: &Row, solver: &mut dyn FullSolver) -> (usize, usize, usize) {
    let (mut asked, mut rechecked, mut open) = (0, 0, 0);
    let mut terms = Terms::new();
    if row.may_refuse {
        solver.limits(Limits::time(Duration::from_secs(5))).expect("limits");
    }
    for case in CASES.iter().filter(|case| !case.needs.iter().any(|need| row.lacks.contains(need))) {
        let formulas = assertions(&mut terms, case.text);
        solver.push().expect("push");
        for &formula in &formulas {
            solver.assert(&terms, formula).unwrap_or_else(|e| panic!("{} on {}: {e}", row.name, case.name));
        }
        let answer = match solver.check(&terms, &[]) {
            Err(SolverError::Refused { message }) if row.may_refuse => {
                eprintln!("{} refuses {}: {message}", row.name, case.name);
                solver.pop().expect("pop");
                continue;
            }
            answer => answer.unwrap_or_else(|e| panic!("{} on {}: {e}", row.name, case.name)),
        };
        if let (CheckResult::Unknown(reason), true) = (&answer, row.may_refuse) {
            eprintln!("{} does not know {}: {reason}", row.name, case.name);
            solver.pop().expect("pop");
            continue;
        }
        let expected = if case.sat { CheckResult::Sat } else { CheckResult::Unsat };
        assert_eq!(answer, expected, "{} on {}", row.name, case.name);
        asked += 1;
        if case.sat {
            let model =
                solver.model(&mut terms).unwrap_or_else(|e| panic!("{} on {}: {e}", row.name, case.name));
            for &formula in &formulas {
                let verdict = recheck(&terms, &model, formula);
                assert_ne!(verdict, Verdict::Fails, "{} on {}: {model:?}", row.name, case.name);
                rechecked += usize::from(verdict == Verdict::Holds);
                open += usize::from(verdict == Verdict::Open);
            }
        }
        solver.pop().expect("pop");
    }
    (asked, rechecked, open)
}

fn levels(solver: &mut dyn FullSolver) {
    let mut terms = Terms::new();
    let f = assertions(
        &mut terms,
        "(declare-const p Bool)(declare-const q Bool)(assert p)(assert (=> p q))(assert (not q))",
    );
    assert_eq!(solver.pop(), Err(SolverError::State(StateError::NoLevel)));
    solver.assert(&terms, f[0]).unwrap();
    solver.push().unwrap();
    solver.assert(&terms, f[1]).unwrap();
    solver.push().unwrap();
    solver.assert(&terms, f[2]).unwrap();
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Unsat));
    solver.pop().unwrap();
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat));
    solver.pop().unwrap();
    assert_eq!(solver.check(&terms, &[f[2]]), Ok(CheckResult::Sat));
    assert_eq!(solver.pop(), Err(SolverError::State(StateError::NoLevel)));
}

fn states(solver: &mut dyn FullSolver) {
    let mut terms = Terms::new();
    let f = assertions(&mut terms, "(declare-const p Bool)(assert p)(assert (not p))");
    assert_eq!(solver.value(&mut terms, f[0]).unwrap_err(), SolverError::State(StateError::NoModel));
    assert_eq!(solver.unsat_core().unwrap_err(), SolverError::State(StateError::NoCore));
    solver.assert(&terms, f[0]).unwrap();
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat));
    assert_eq!(solver.unsat_core().unwrap_err(), SolverError::State(StateError::NoCore));
    assert_eq!(solver.value(&mut terms, f[0]).unwrap(), Some(Value::Bool(true)));
    solver.push().unwrap();
    assert!(solver.model(&mut terms).is_err(), "something changed");
    assert_eq!(solver.check(&terms, &[f[1]]), Ok(CheckResult::Unsat));
    assert!(solver.model(&mut terms).is_err());
    assert_eq!(solver.unsat_core(), Ok(vec![f[1]]));
    let number = terms.bits(2, 3u8.into());
    assert_eq!(solver.assert(&terms, number), Err(SolverError::State(StateError::NotAFormula)));
    assert_eq!(solver.assert(&terms, TermId::ERROR), Err(SolverError::State(StateError::NotAFormula)));
    solver.pop().unwrap();
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat), "still usable");
}

fn cores(solver: &mut dyn FullSolver) {
    let mut terms = Terms::new();
    let text = "(declare-const a Bool)(declare-const b Bool)(declare-const c Bool)(declare-const d Bool)
        (assert (or (not a) (not b)))(assert a)(assert (and b (or c d)))(assert c)(assert (not d))";
    let f = assertions(&mut terms, text);
    solver.assert(&terms, f[0]).unwrap();
    assert_eq!(solver.check(&terms, &[f[3], f[1], f[4], f[2]]), Ok(CheckResult::Unsat));
    let core = solver.unsat_core().unwrap();
    assert!(core.iter().all(|t| f[1..].contains(t)), "a core is a part of the assumptions");
    assert!(core.contains(&f[1]) && core.contains(&f[2]), "{core:?}");
    assert_eq!(solver.check(&terms, &core), Ok(CheckResult::Unsat), "and enough");
    assert_eq!(solver.check(&terms, &[f[3], f[1], f[4]]), Ok(CheckResult::Sat));
}

fn values(solver: &mut dyn FullSolver) {
    let mut terms = Terms::new();
    let text = "(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))(assert (= x #x05))(assert (= (bvadd x y) #x00))";
    for formula in assertions(&mut terms, text) {
        solver.assert(&terms, formula).unwrap();
    }
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat));
    let y = fun(&terms, "y");
    let term = terms.constant_term(y);
    assert_eq!(solver.value(&mut terms, term).unwrap(), Some(Value::bits(8, 0xfbu8)));
    let sum = terms.app(smt::op::Op::BvMul, &[term, term]).unwrap();
    assert_eq!(solver.value(&mut terms, sum).unwrap(), Some(Value::bits(8, 25u8)));
    let model = solver.model(&mut terms).unwrap();
    assert_eq!(model.get(y), Some(&Value::bits(8, 0xfbu8)));
    // A function that the solver has not met before.
    let text = "(declare-const y (_ BitVec 8))(define-fun inc ((x (_ BitVec 8))) (_ BitVec 8) (bvadd x #x01))(assert (= (inc y) #xfc))";
    let formula = assertions(&mut terms, text)[0];
    assert_eq!(solver.value(&mut terms, formula).unwrap(), Some(Value::Bool(true)));
    assert_eq!(solver.check(&terms, &[formula]), Ok(CheckResult::Sat));
}

/// Two functions of one name and different ranks are two functions, and awkward names are names.
fn names(solver: &mut dyn FullSolver) {
    let mut terms = Terms::new();
    let f = assertions(&mut terms, "(declare-const x Bool)(assert x)");
    let g = assertions(
        &mut terms,
        "(declare-const x (_ BitVec 4))(declare-const |a b;| (_ BitVec 4))(assert (= x #x3))(assert (= |a b;| (bvneg x)))",
    );
    let h = assertions(
        &mut terms,
        "(declare-const |x!0| Bool)(declare-const |let| Bool)(assert (not |x!0|))(assert |let|)",
    );
    for &formula in f.iter().chain(&g).chain(&h) {
        solver.assert(&terms, formula).unwrap();
    }
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat));
    let model = solver.model(&mut terms).unwrap();
    for &formula in f.iter().chain(&g).chain(&h) {
        assert_eq!(recheck(&terms, &model, formula), Verdict::Holds);
    }
}

/// A question that takes long: multiplication of wide bit-vectors.
fn hard(terms: &mut Terms) -> TermId {
    let text = "(declare-const p (_ BitVec 64))(declare-const q (_ BitVec 64))
        (assert (and (= (bvmul ((_ zero_extend 64) p) ((_ zero_extend 64) q)) #x0000000000000000d8b4b3a1f3c5d2e7)
        (bvugt p #x0000000000000001) (bvugt q p) (bvult q #x00000000ffffffff)))";
    assertions(terms, text)[0]
}

fn timeouts(solver: &mut dyn FullSolver) {
    let mut terms = Terms::new();
    let formula = hard(&mut terms);
    solver.push().unwrap();
    solver.assert(&terms, formula).unwrap();
    solver.limits(Limits::time(Duration::from_millis(300))).unwrap();
    let start = Instant::now();
    let answer = solver.check(&terms, &[]);
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert!(matches!(answer, Ok(CheckResult::Unknown(Reason::Timeout))), "{answer:?}");
    assert!(solver.model(&mut terms).is_err());
    solver.limits(Limits::default()).unwrap();
    solver.pop().unwrap();
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat), "usable after a timeout");
}

fn interrupts(solver: &mut dyn FullSolver) {
    let mut terms = Terms::new();
    let formula = hard(&mut terms);
    solver.push().unwrap();
    solver.assert(&terms, formula).unwrap();
    let handle = solver.interrupter();
    let start = Instant::now();
    let other = {
        let handle = handle.clone();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(200));
            handle.interrupt();
        })
    };
    let answer = solver.check(&terms, &[]);
    other.join().unwrap();
    assert_eq!(answer, Ok(CheckResult::Unknown(Reason::Interrupted)));
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Unknown(Reason::Interrupted)), "it stays so");
    handle.resume();
    solver.pop().unwrap();
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat), "usable after an interrupt");
}

fn deep(solver: &mut dyn FullSolver, may_die: bool) {
    let mut terms = Terms::new();
    let p = assertions(&mut terms, "(declare-const p Bool)(declare-const q Bool)(assert p)(assert q)");
    let mut term = p[0];
    for _ in 0..50_000 {
        term = terms.app(smt::op::Op::Xor, &[term, p[1]]).unwrap();
        term = terms.app(smt::op::Op::Or, &[term, p[0]]).unwrap();
    }
    let negated = terms.not(term);
    solver.assert(&terms, p[0]).unwrap();
    match solver.check(&terms, &[negated]) {
        // A program may run out of stack. That costs the answer, not more.
        Ok(CheckResult::Unknown(Reason::Died(_))) if may_die => {
            assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat), "usable after its end");
        }
        answer => assert_eq!(answer, Ok(CheckResult::Unsat)),
    }
}

fn conforms(row: &Row) {
    let fresh = || (row.make)().expect("the solver can be made again");
    let Some(mut solver) = (row.make)() else {
        eprintln!("{}: not installed, skipped", row.name);
        return;
    };
    let (asked, rechecked, open) = answers(row, &mut *solver);
    eprintln!("{}: {asked} scripts answered, {rechecked} formulas hold in models, {open} open", row.name);
    let promises: &[fn(&mut dyn FullSolver)] = &[levels, states, cores, values, names, timeouts, interrupts];
    for promise in promises {
        promise(&mut *fresh());
    }
    deep(&mut *fresh(), row.may_refuse);
}

fn embedded() -> Option<Box<dyn FullSolver>> {
    Some(Box::new(solver::z3::Z3::new().expect("the library fits")))
}

#[test]
fn embedded_z3() {
    conforms(&Row { name: "z3", make: embedded, lacks: &[], may_refuse: false });
}

/// The program of the matrix: one from the search path, or the one that `SVAROG_TEST_Z3` names.
fn z3_program() -> Option<Box<dyn FullSolver>> {
    let mut profile = solver::process::known("z3-process").expect("a known program").profile();
    if let Ok(path) = std::env::var("SVAROG_TEST_Z3") {
        profile.program = path;
    }
    Some(Box::new(Process::new(profile).ok()?))
}

#[test]
fn z3_process() {
    conforms(&Row { name: "z3-process", make: z3_program, lacks: &[], may_refuse: true });
}

/// A known program, if it is installed.
fn program(name: &str) -> Option<Box<dyn FullSolver>> {
    let profile = solver::process::known(name).expect("a known program").profile();
    Some(Box::new(Process::new(profile).ok()?))
}

#[test]
fn cvc4() {
    conforms(&Row { name: "cvc4", make: || program("cvc4"), lacks: &[], may_refuse: true });
}

#[test]
fn cvc5() {
    conforms(&Row { name: "cvc5", make: || program("cvc5"), lacks: &[], may_refuse: true });
}

#[test]
fn yices() {
    conforms(&Row { name: "yices", make: || program("yices"), lacks: &[], may_refuse: true });
}

/// Decorators around decorators: nothing of the promises is lost.
fn decorated() -> Option<Box<dyn FullSolver>> {
    let z3 = || solver::z3::Z3::new().expect("the library fits");
    let recorded = Recorded::new(z3(), Vec::new());
    Some(Box::new(Timed::new(Crosschecked::new(recorded, solver::open("z3").expect("embedded")))))
}

#[test]
fn decorated_z3() {
    conforms(&Row { name: "decorated z3", make: decorated, lacks: &[], may_refuse: false });
}
