//! Correctness witnesses are accepted when they prove the task, and only then.

use base::budget::Budget;
use certify::{Judged, check_proof};
use diag::SourceMap;
use smt::term::Terms;
use std::time::Duration;
use svlib::interp::Options;
use svlib::syntax::CommandKind;

/// Judges a task with a witness, which may be empty.
fn judge(task: &str, witness: &str) -> Judged {
    let mut sources = SourceMap::default();
    let files = [
        sources.add("task", task.to_string()).expect("fits"),
        sources.add("witness", format!("({witness})")).expect("fits"),
    ];
    let mut terms = Terms::new();
    let (read, findings) = svlib::witness::read_validation_task(&mut terms, &sources, &files[..1], files[1]);
    assert!(!findings.iter().any(diag::Diagnostic::is_error), "{findings:?}");
    let script = &read.builder.state.script;
    let base = sources.base(files[1]);
    let added: Vec<usize> =
        (0..script.commands.len()).filter(|&i| script.commands[i].at.0.start >= base).collect();
    let is_query =
        |c: &svlib::syntax::Command| matches!(&c.kind, CommandKind::Call(name, ..) if name == "verify-call");
    let command = script.commands.iter().position(is_query).expect("there is a query");
    let mut solver = solver::open("z3").expect("there is a solver");
    let budget = Budget::of(Duration::from_secs(60));
    check_proof(&mut terms, script, command, &added, &Options::default(), &mut *solver, &budget)
}

fn accepted(task: &str, witness: &str) {
    assert_eq!(judge(task, witness), Judged::Confirmed);
}

fn rejected(task: &str, witness: &str) {
    let judged = judge(task, witness);
    assert!(matches!(judged, Judged::Rejected(_)), "{judged:?}");
}

const ADD: &str = "
(define-proc add ((x0 Int) (y0 Int)) ((x Int)) ((y Int))
  (! (sequence
       (assign (x x0) (y y0))
       (! (while (< 0 y) (assign (x (+ x 1)) (y (- y 1)))) :tag loop))
   :tag add :requires (<= 0 y0) :ensures (= x (+ x0 y0))))
(annotate-tag loop :not-recurring)
(declare-const a Int)
(declare-const b Int)
(assert (<= 0 b))
(verify-call add (a b))";

#[test]
fn a_loop_needs_an_invariant_and_a_ranking_function() {
    let invariant = "(annotate-tag loop :invariant (and (<= 0 y) (= (+ x y) (+ x0 y0))))";
    accepted(ADD, &format!("{invariant} (annotate-tag loop :decreases y)"));
    assert!(matches!(judge(ADD, invariant), Judged::Open(_)));
    rejected(ADD, "(annotate-tag loop :invariant (= (+ x y) (+ x0 y0)) :decreases y)");
    rejected(ADD, "(annotate-tag loop :invariant (and (<= 0 y) (= (+ x y) (+ x0 y0))) :decreases x)");
    rejected(ADD, "(annotate-tag loop :invariant (and (<= 1 y) (= (+ x y) (+ x0 y0))) :decreases y)");
}

#[test]
fn without_the_assert_the_precondition_fails() {
    let task = ADD.replace("(assert (<= 0 b))", "");
    rejected(&task, "(annotate-tag loop :invariant (and (<= 0 y) (= (+ x y) (+ x0 y0))) :decreases y)");
}

#[test]
fn an_invariant_of_the_task_is_not_strengthened() {
    let task = ADD.replace(":tag loop)", ":tag loop :invariant (= (+ x y) (+ x0 y0)))");
    rejected(&task, "(annotate-tag loop :invariant (<= 0 y) :decreases y)");
    let task = ADD.replace(":tag loop)", ":tag loop :invariant (and (<= 0 y) (= (+ x y) (+ x0 y0))))");
    accepted(&task, "(annotate-tag loop :decreases y)");
}

/// A place that recurs is avoided from some time on, also by what can only be reached by way of it.
#[test]
fn an_endless_loop_inside_a_recurring_one_needs_a_ranking_function() {
    let task = "
(define-proc main ((n Int)) () ((i Int))
  (! (sequence
       (! (while true
            (sequence
              (assign (i n))
              (! (while (< 0 i) (assign (i (- i 1)))) :tag inner)))
        :tag outer :recurring))
   :tag main))
(declare-const n Int)
(verify-call main (n))";
    assert!(matches!(judge(task, ""), Judged::Open(_)));
    accepted(task, "(annotate-tag inner :decreases i)");
    let endless = task.replace("(- i 1)", "(+ i 0)");
    assert!(matches!(judge(&endless, ""), Judged::Open(_)));
    rejected(&endless, "(annotate-tag inner :decreases i)");
}

/// Infinite executions do not visit what is never called.
#[test]
fn a_recurring_place_that_is_never_called_forbids_infinite_executions() {
    let task = "
(define-proc never () () () (! (sequence) :tag never :recurring))
(define-proc main ((n Int)) () ((i Int))
  (! (sequence
       (assign (i n))
       (! (while (< 0 i) (assign (i (- i 1)))) :tag loop))
   :tag main))
(declare-const n Int)
(verify-call main (n))";
    assert!(matches!(judge(task, ""), Judged::Open(_)));
    accepted(task, "(annotate-tag loop :decreases i)");
}
