//! Recorders write scripts that can be replayed, second opinions notice contradictions, counters count.

mod support;

use std::ffi::CString;

use smt::eval::Assignment;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{Fun, Role, TermId, Terms, VarKind};
use smt::value::Value;
use solver::decorate::{Crosschecked, Prepared, Recorded, Scripted, Timed};
use solver::z3::Z3;
use solver::z3::peer::parse_smtlib2_text;
use solver::{CheckResult, Interrupt, Model, Reason, Solver, SolverError, StateError, UnsatCore};
use support::assertions;
use support::cases::CASES;

fn z3() -> Z3 {
    Z3::new().expect("the library fits")
}

/// Records a case and returns the script.
fn record(text: &str) -> (String, usize) {
    let mut terms = Terms::new();
    let formulas = assertions(&mut terms, text);
    let mut solver = Recorded::new(z3(), Vec::new());
    for &formula in &formulas {
        solver.assert(&terms, formula).expect("asserted");
    }
    solver.check(&terms, &[]).expect("an answer");
    let (_, script) = solver.finish().expect("memory takes everything");
    (String::from_utf8(script).expect("text"), formulas.len())
}

#[test]
fn recorded_scripts_are_read_by_us_and_by_z3() {
    let mut read = 0;
    for case in CASES {
        let (script, count) = record(case.text);
        let again = assertions(&mut Terms::new(), &script);
        assert_eq!(again.len(), count, "{}: {script}", case.name);
        let c_script = CString::new(script.clone()).expect("no NUL");
        let parsed =
            parse_smtlib2_text(&c_script).unwrap_or_else(|error| panic!("{}: {error}\n{script}", case.name));
        // Recursive definitions count as assertions there.
        assert!(parsed.assertions() >= count, "{}", case.name);
        // Recording what was recorded changes nothing: all names are free.
        assert_eq!(record(&script).0, script, "{}", case.name);
        let answer = if case.sat { "(check-sat) ; sat" } else { "(check-sat) ; unsat" };
        assert!(script.contains(answer), "{script}");
        read += 1;
    }
    assert_eq!(read, CASES.len());
}

#[test]
fn levels_assumptions_and_names_are_recorded() {
    let mut terms = Terms::new();
    let (name, tag) = (terms.names.intern("x"), terms.names.intern("loop"));
    let mut variable = |role| {
        let fun = Fun { name, params: Box::new([]), result: SortId::BOOL, role };
        terms.declare(fun)
    };
    let main = variable(Role::Variable(VarKind::Local, None));
    let other = variable(Role::Variable(VarKind::Global, None));
    let at = variable(Role::At(main, tag));
    let [main, other, at] = [main, other, at].map(|fun| terms.constant_term(fun));
    let different = terms.app(Op::Distinct, &[main, other]).expect("a formula");
    let same = terms.app(Op::Eq, &[main, at]).expect("a formula");
    let mut solver = Recorded::new(z3(), Vec::new());
    solver.assert(&terms, different).unwrap();
    solver.push().unwrap();
    assert_eq!(solver.check(&terms, &[same, other]), Ok(CheckResult::Sat));
    solver.pop().unwrap();
    assert_eq!(solver.check(&terms, &[same]), Ok(CheckResult::Sat));
    let script = String::from_utf8(solver.finish().unwrap().1).unwrap();
    let expected = "(set-logic ALL)
(declare-fun x () Bool)
(declare-fun x!1 () Bool)
(assert (distinct x x!1))
(push 1)
(declare-fun x@loop () Bool)
(declare-fun assume!!1 () Bool)
(assert (=> assume!!1 (= x x@loop)))
(declare-fun assume!!2 () Bool)
(assert (=> assume!!2 x!1))
(check-sat-assuming (assume!!1 assume!!2)) ; sat
(pop 1)
(declare-fun x@loop () Bool)
(declare-fun assume!!3 () Bool)
(assert (=> assume!!3 (= x x@loop)))
(check-sat-assuming (assume!!3)) ; sat
";
    assert_eq!(script, expected);
}

#[test]
fn a_contradiction_is_an_error() {
    let terms = Terms::new();
    let wrong = Scripted::new([Prepared::Sat(Assignment::new()), Prepared::Unknown(Reason::Timeout)]);
    let mut both = Crosschecked::new(z3(), wrong);
    both.assert(&terms, TermId::FALSE).unwrap();
    match both.check(&terms, &[]) {
        Err(SolverError::Disagreement { first, second }) => {
            assert_eq!((first.as_str(), second.as_str()), ("z3 says unsat", "scripted says sat"));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(both.check(&terms, &[]), Ok(CheckResult::Unsat), "one that does not know does not matter");
}

#[test]
fn the_one_that_knows_gives_the_model() {
    let mut terms = Terms::new();
    let formula = assertions(&mut terms, "(declare-const x Int)(assert (> x 5))")[0];
    let unknown = Scripted::new([Prepared::Unknown(Reason::Timeout)]);
    let mut both = Crosschecked::new(unknown, z3());
    assert_eq!(both.check(&terms, &[formula]), Ok(CheckResult::Sat));
    assert_eq!(both.value(&mut terms, formula), Ok(Some(Value::Bool(true))));
}

#[test]
fn statistics() {
    let terms = Terms::new();
    let answers = [
        Prepared::Sat(Assignment::new()),
        Prepared::Unsat(vec![0]),
        Prepared::Unsat(vec![]),
        Prepared::Unknown(Reason::Resources),
        Prepared::Error(SolverError::State(StateError::Broken)),
    ];
    let mut timed = Timed::new(Scripted::new(answers));
    timed.assert(&terms, TermId::TRUE).unwrap();
    for _ in 0..5 {
        let _ = timed.check(&terms, &[TermId::TRUE]);
    }
    let stats = timed.stats();
    assert_eq!((stats.assertions, stats.sat, stats.unsat, stats.unknown, stats.errors), (1, 1, 2, 1, 1));
    assert_eq!(stats.checks(), 5);
    assert!(stats.longest <= stats.time);
}

#[test]
fn scripted_answers() {
    let mut terms = Terms::new();
    let mut solver = Scripted::new([Prepared::Unsat(vec![1]), Prepared::Sat(Assignment::new())]);
    let assumptions = [TermId::TRUE, TermId::FALSE];
    assert_eq!(solver.check(&terms, &assumptions), Ok(CheckResult::Unsat));
    assert_eq!(solver.unsat_core(), Ok(vec![TermId::FALSE]));
    assert!(solver.model(&mut terms).is_err());
    let handle = solver.interrupter();
    handle.interrupt();
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Unknown(Reason::Interrupted)));
    handle.resume();
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat));
    assert_eq!(solver.value(&mut terms, TermId::FALSE), Ok(Some(Value::Bool(false))));
    assert_eq!(solver.check(&terms, &[]), Err(SolverError::State(StateError::NoAnswer)));
    assert_eq!(solver.checks().len(), 2);
    solver.push().unwrap();
    solver.assert(&terms, TermId::TRUE).unwrap();
    assert_eq!(solver.asserted(), [TermId::TRUE]);
    solver.pop().unwrap();
    assert_eq!(solver.asserted(), []);
}
