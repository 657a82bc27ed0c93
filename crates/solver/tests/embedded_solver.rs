//! What only the embedded Z3 promises: limits in its own units, errors that name what is missing, handles that
//! outlive the solver, and work in other threads.

mod support;

use std::thread;
use std::time::{Duration, Instant};

use smt::sort::SortId;
use smt::term::{Fun, Role, TermId, Terms};
use smt::value::Value;
use solver::z3::Z3;
use solver::{CheckResult, Interrupt, Limits, Model, Reason, Solver, SolverError};
use support::assertions;

fn z3() -> Z3 {
    Z3::new().expect("the library fits")
}

const HARD: &str = "(declare-const p (_ BitVec 64))(declare-const q (_ BitVec 64))
    (assert (and (= (bvmul ((_ zero_extend 64) p) ((_ zero_extend 64) q)) #x0000000000000000d8b4b3a1f3c5d2e7)
    (bvugt p #x0000000000000001) (bvugt q p) (bvult q #x00000000ffffffff)))";

#[test]
fn resource_units_are_a_limit() {
    let mut terms = Terms::new();
    let formula = assertions(&mut terms, HARD)[0];
    let mut solver = z3();
    solver.limits(Limits { resources: Some(100_000), ..Limits::default() }).unwrap();
    assert_eq!(solver.check(&terms, &[formula]), Ok(CheckResult::Unknown(Reason::Resources)));
    solver.limits(Limits::default()).unwrap();
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat), "the limit is gone");
}

#[test]
fn what_is_missing_is_named() {
    let mut terms = Terms::new();
    for (text, what) in [
        ("(declare-const s String)(assert (= (str.len s) 3))", "String"),
        ("(assert (= (str.to_code \"a\") 97))", "\"a\""),
        ("(declare-datatype L ((nil) (cons (tail L))))(declare-const l L)(assert (> (_size l) 3))", "_size"),
    ] {
        let formula = assertions(&mut terms, text)[0];
        let mut solver = z3();
        let error = solver.assert(&terms, formula).expect_err(text);
        assert_eq!(error, SolverError::Unsupported { what: what.to_owned() });
        assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat), "still usable");
    }
}

/// What was built before a refusal still fits what is built after it.
#[test]
fn a_refusal_leaves_sorts_as_they_are() {
    let mut terms = Terms::new();
    let text = "(declare-sort S 0)(declare-const a S)(declare-const b S)(declare-const c (Array S String))
        (assert (= a a))(assert (= (select c b) (select c a)))(assert (distinct a b))";
    let formulas = assertions(&mut terms, text);
    let mut solver = z3();
    solver.assert(&terms, formulas[0]).unwrap();
    assert!(solver.assert(&terms, formulas[1]).is_err());
    solver.assert(&terms, formulas[2]).unwrap();
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat));
}

/// A datatype that grows in its own field has infinitely many instances.
#[test]
fn endless_datatypes_are_refused() {
    let mut terms = Terms::new();
    let text = "(declare-datatypes ((B 1)) ((par (X) ((leaf) (branch (one X) (more (B (B X))))))))
        (declare-const t (B Int))(declare-const x Int)(assert (= t t))(assert (> x 0))";
    let formulas = assertions(&mut terms, text);
    let mut solver = z3();
    assert!(matches!(solver.assert(&terms, formulas[0]), Err(SolverError::Unsupported { .. })));
    assert!(matches!(solver.assert(&terms, formulas[0]), Err(SolverError::Unsupported { .. })), "again");
    solver.assert(&terms, formulas[1]).unwrap();
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat));
}

/// A function of a truth value comes as the bound variable, its negation, a constant or a case distinction.
#[test]
fn arrays_with_truth_values_as_indices_are_read() {
    for (at_true, at_false) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut terms = Terms::new();
        let text = format!(
            "(declare-const a (Array Bool Bool))(declare-const b (Array Bool Int))(declare-const c (Array Bool Bool))
            (assert (= (select a true) {at_true}))(assert (= (select a false) {at_false}))
            (assert (= (select b true) 7))(assert (= (select b false) 3))
            (assert (= c (lambda ((x Bool)) (ite x {at_true} {at_false}))))"
        );
        let formulas = assertions(&mut terms, &text);
        let mut solver = z3();
        for formula in formulas {
            solver.assert(&terms, formula).unwrap();
        }
        assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat));
        let truths = [(true, Value::Bool(at_true)), (false, Value::Bool(at_false))];
        let numbers = [(true, Value::int(7)), (false, Value::int(3))];
        for (name, expected) in [("a", &truths), ("b", &numbers), ("c", &truths)] {
            let array = support::fun(&terms, name);
            let array = terms.constant_term(array);
            let Ok(Some(Value::Array(array))) = solver.value(&mut terms, array) else { panic!("{name}") };
            for (index, value) in expected {
                assert_eq!(array.select(&Value::Bool(*index)), value, "{name}");
            }
        }
    }
}

#[test]
fn handles_outlive_the_solver() {
    let solver = z3();
    let handle = solver.interrupter();
    drop(solver);
    handle.interrupt();
    handle.resume();
}

#[test]
fn interrupts_of_an_idle_solver_are_kept() {
    let terms = Terms::new();
    let mut solver = z3();
    solver.interrupter().interrupt();
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Unknown(Reason::Interrupted)));
    solver.interrupter().resume();
    for _ in 0..100 {
        assert_eq!(solver.check(&terms, &[TermId::FALSE]), Ok(CheckResult::Unsat));
    }
}

#[test]
fn a_solver_moves_between_threads() {
    let mut terms = Terms::new();
    let formulas = assertions(&mut terms, "(declare-const x Int)(assert (> x 3))(assert (< x 5))");
    let mut solver = z3();
    solver.assert(&terms, formulas[0]).unwrap();
    let (mut terms, mut solver) = thread::spawn(move || {
        solver.assert(&terms, formulas[1]).unwrap();
        assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat));
        (terms, solver)
    })
    .join()
    .unwrap();
    let x = support::fun(&terms, "x");
    let x = terms.constant_term(x);
    assert_eq!(solver.value(&mut terms, x), Ok(Some(Value::int(4))));
}

/// Many solvers at once, each in its own thread, all stopped in time.
#[test]
fn time_limits_hold_in_parallel() {
    let start = Instant::now();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            thread::spawn(|| {
                let mut terms = Terms::new();
                let formula = assertions(&mut terms, HARD)[0];
                let mut solver = z3();
                solver.limits(Limits::time(Duration::from_millis(500))).unwrap();
                solver.check(&terms, &[formula])
            })
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), Ok(CheckResult::Unknown(Reason::Timeout)));
    }
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
}

/// Irrational numbers are no values, and the rest of the model is there all the same.
#[test]
fn irrational_numbers_are_left_out() {
    let mut terms = Terms::new();
    let text = "(declare-const r Real)(declare-const k Real)(assert (= (* r r) 2.0))(assert (= k 0.75))";
    let mut solver = z3();
    for formula in assertions(&mut terms, text) {
        solver.assert(&terms, formula).unwrap();
    }
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Sat));
    let (r, k) = (support::fun(&terms, "r"), support::fun(&terms, "k"));
    let model = solver.model(&mut terms).unwrap();
    assert!(model.get(r).is_none() && model.get(k).is_some());
    let r = terms.constant_term(r);
    assert_eq!(solver.value(&mut terms, r), Ok(None));
}

/// A term with an exponential tree and a small graph costs what the graph costs.
#[test]
fn shared_terms_are_built_once() {
    let mut terms = Terms::new();
    let name = terms.names.intern("x");
    let fun = terms.declare(Fun { name, params: Box::new([]), result: SortId::INT, role: Role::Free });
    let x = terms.constant_term(fun);
    let mut term = x;
    for _ in 0..60 {
        term = terms.app(smt::op::Op::Add, &[term, term]).unwrap();
    }
    let one = terms.int(1);
    let formula = terms.app(smt::op::Op::Eq, &[term, one]).unwrap();
    assert_eq!(z3().check(&terms, &[formula]), Ok(CheckResult::Unsat));
}

/// Limits that end close to the check itself: an interrupt that comes too late must not hurt what follows.
#[test]
fn late_interrupts_do_no_harm() {
    let mut terms = Terms::new();
    let text = "(declare-const p (_ BitVec 24))(declare-const q (_ BitVec 24))
        (assert (= (bvmul p q) #x0a3f2d))(assert (bvugt p #x000001))(assert (bvugt q p))";
    let formulas = assertions(&mut terms, text);
    let mut solver = z3();
    for &formula in &formulas {
        solver.assert(&terms, formula).unwrap();
    }
    let mut answers = [0; 2];
    for micros in (0..200).map(|i| 100 + 37 * (i % 40) * (1 + i / 40)) {
        solver.limits(Limits::time(Duration::from_micros(micros))).unwrap();
        solver.push().unwrap();
        match solver.check(&terms, &[]).unwrap() {
            CheckResult::Sat => {
                let model = solver.model(&mut terms).unwrap();
                for &formula in &formulas {
                    assert_eq!(support::recheck(&terms, &model, formula), support::Verdict::Holds);
                }
                answers[0] += 1;
            }
            CheckResult::Unknown(Reason::Timeout) => answers[1] += 1,
            other => panic!("{other:?}"),
        }
        solver.pop().unwrap();
    }
    solver.limits(Limits::default()).unwrap();
    assert_eq!(solver.check(&terms, &[TermId::FALSE]), Ok(CheckResult::Unsat), "{answers:?}");
}
