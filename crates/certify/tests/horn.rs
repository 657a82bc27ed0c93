//! Evidence about Horn clauses: solutions and derivations, right and wrong ones.

mod support;

use base::budget::Budget;
use certify::{Judged, check_derivation, check_model};
use smt::parse::Command;
use smt::scope::Scope;
use smt::sexpr::Text;
use smt::term::Terms;
use smt::value::Value;
use support::problem;
use ts::passes::horn::{Application, Deduction, Meaning};

/// Fibonacci numbers: two atoms in one body.
const FIB: &str = "(declare-fun fib (Int Int) Bool)
(assert (forall ((n Int)) (=> (<= n 1) (fib n 1))))
(assert (forall ((n Int) (a Int) (b Int)) (=> (and (> n 1) (fib (- n 1) a) (fib (- n 2) b)) (fib n (+ a b)))))";

/// The judgement about `(define-fun fib ((x Int) (y Int)) Bool body)` as a solution of [`FIB`] and one more clause.
fn judged(goal: &str, body: &str) -> Judged {
    let mut terms = Terms::new();
    let problem = problem(&mut terms, &format!("{FIB}{goal}"));
    let (mut scope, mut errors, mut found) = (Scope::new(&mut terms), Vec::new(), Vec::new());
    let text = format!("(declare-const k Int)(define-fun m ((x Int) (y Int)) Bool {body})");
    smt::script::read(&mut terms, &mut scope, Text::new(&text, 0), &mut errors, |terms, command, _, _| {
        if let Command::DefineFun(fun) = command {
            let (params, body) = terms.definition(fun).expect("a definition");
            found.push(Meaning { predicate: problem.predicates[0], params: params.to_vec(), body });
        }
    });
    assert!(errors.is_empty(), "{errors:?}");
    let mut solver = solver::open("z3").expect("a solver");
    check_model(&mut terms, &problem, &found, &mut *solver, &Budget::unlimited())
}

#[test]
fn solutions() {
    let goal = "(assert (forall ((n Int) (a Int)) (=> (and (fib n a) (< a 1)) false)))";
    assert_eq!(judged(goal, "(>= y 1)"), Judged::Confirmed);
    assert!(matches!(judged(goal, "(>= y 0)"), Judged::Rejected(_)), "a goal fails");
    assert!(matches!(judged(goal, "(= y 1)"), Judged::Rejected(_)), "a step fails");
    assert!(matches!(judged(goal, "(and (>= y 1) (> x 0))"), Judged::Rejected(_)), "a fact fails");
    assert!(
        matches!(judged(goal, "(and (>= y 1) (= k k))"), Judged::Rejected(_)),
        "it speaks of something open"
    );
}

fn derivation(steps: &[(usize, &[i64], &[usize])]) -> Judged {
    let mut terms = Terms::new();
    let goal = "(assert (forall ((n Int) (a Int)) (=> (and (fib n a) (= a 3)) false)))";
    let problem = problem(&mut terms, &format!("{FIB}{goal}"));
    let deductions: Vec<Deduction> = steps
        .iter()
        .map(|(clause, values, premises)| Deduction {
            applied: Application {
                clause: *clause,
                values: values.iter().map(|&value| Value::int(value)).collect(),
            },
            premises: premises.to_vec(),
        })
        .collect();
    check_derivation(&mut terms, &problem, &deductions)
}

#[test]
fn derivations() {
    let right: &[(usize, &[i64], &[usize])] = &[
        (0, &[1], &[]),
        (0, &[0], &[]),
        (1, &[2, 1, 1], &[0, 1]),
        (1, &[3, 2, 1], &[2, 0]),
        (2, &[3, 3], &[3]),
    ];
    assert_eq!(derivation(right), Judged::Confirmed);
    let refused = |at: usize, step: (usize, &'static [i64], &'static [usize]), why: &str| {
        let mut wrong = right.to_vec();
        wrong[at] = step;
        assert!(matches!(derivation(&wrong), Judged::Rejected(_)), "{why}");
    };
    refused(0, (0, &[2], &[]), "the constraint fails");
    refused(2, (1, &[2, 1, 1], &[1, 0]), "the premises are in another order");
    refused(2, (1, &[2, 1, 1], &[0, 3]), "a premise comes later");
    refused(3, (1, &[3, 2], &[2, 0]), "a value is missing");
    refused(3, (1, &[3, 2, 1], &[2]), "a premise is missing");
    refused(4, (2, &[3, 4], &[3]), "the fact is another one");
    refused(4, (7, &[3, 3], &[3]), "there is no such clause");
    assert!(matches!(derivation(&right[..4]), Judged::Rejected(_)), "nothing contradictory is derived");
    assert!(matches!(derivation(&[]), Judged::Rejected(_)));
}

/// Whoever looks for a solution may choose what a division by zero is, so no derivation may.
#[test]
fn a_derivation_chooses_nothing() {
    let mut terms = Terms::new();
    let text = "(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> (= x (div 1 0)) (p x))))
(assert (forall ((x Int)) (=> (and (p x) (= x 0)) false)))";
    let problem = problem(&mut terms, text);
    let step = |clause, premises| Deduction {
        applied: Application { clause, values: vec![Value::int(0)] },
        premises,
    };
    let judged = check_derivation(&mut terms, &problem, &[step(0, vec![]), step(1, vec![0])]);
    assert_ne!(judged, Judged::Confirmed);
}
