//! Ranking functions of loops and procedures.

use crate::{accepted, open, rejected};

fn looping(body: &str, rank: &str) -> String {
    format!(
        "(define-proc p ((n Int)) () ((x Int) (y Int) (z Int))
  (! (sequence (assign (x n)) (havoc y z) (! (while (< 0 x) {body}) :tag w {rank})) :tag p))
(declare-const k Int)
(verify-call p (k))"
    )
}

#[test]
fn a_ranking_function_decreases_and_was_not_negative() {
    accepted(&looping("(assign (x (- x 2)))", ":decreases x"), "");
    rejected(&looping("(assign (x (- x 2)))", ":decreases (- x 2)"), "");
    rejected(&looping("(assign (x (+ x 2)))", ":decreases x"), "");
    rejected(&looping("(assign (y (- y 1)))", ":decreases y"), "");
    rejected(&looping("(choice (assign (x (- x 1))) (sequence))", ":decreases x"), "");
    // The last round needs no ranking function.
    accepted(&looping("(choice (assign (x (- x 1))) (break))", ":decreases x"), "");
    rejected(&looping("(choice (assign (x (- x 1))) (continue))", ":decreases x"), "");
}

#[test]
fn lexicographic_ranking_functions() {
    let body = "(if (< 0 y) (assign (y (- y 1))) (assign (x (- x 1)) (y z)))";
    accepted(&looping(body, ":decreases-lex (x y)"), "");
    rejected(&looping(body, ":decreases-lex (y x)"), "");
    rejected(&looping(body, ":decreases-lex (x)"), "");
    rejected(&looping(body, ":decreases x"), "");
}

#[test]
fn a_ranking_function_may_need_an_invariant() {
    let body = "(assign (x (- x y)))";
    let task = looping(body, ":decreases x").replace("(havoc y z)", "(assign (y 1) (z 1))");
    accepted(&task, "");
    let task = task.replace("(assign (x (- x y)))", "(assign (x (- x y)) (y (+ y 1)))");
    rejected(&task, "");
    accepted(&task, "(annotate-tag w :invariant (< 0 y))");
    rejected(
        &task.replace(":decreases x", ":decreases x :invariant true"),
        "(annotate-tag w :invariant (< 0 y))",
    );
}

#[test]
fn nested_loops_have_ranking_functions_of_their_own() {
    let task = "
(define-proc p () () ((x Int) (y Int))
  (! (sequence
       (assign (x 10))
       (! (while (< 0 x)
            (sequence (assign (x (- x 1)) (y 10)) (! (while (< 0 y) (assign (y (- y 1)))) :tag inner :decreases y)))
        :tag outer :decreases x))
   :tag p))
(verify-call p ())";
    accepted(task, "");
    rejected(&task.replace(":tag outer :decreases x", ":tag outer :decreases y"), "");
    rejected(&task.replace("(assign (y (- y 1)))", "(assign (y (- y 1)) (x x))"), "");
}

#[test]
fn a_ranking_function_at_a_label() {
    let task = "
(define-proc p () () ((x Int))
  (! (sequence (assign (x 10)) (! (label l) :tag l :decreases x) (assign (x (- x 1))) (if (< 0 x) (goto l))) :tag p))
(verify-call p ())";
    accepted(task, "");
    rejected(&task.replace("(< 0 x)", "(< 0 (* x x))"), "");
    rejected(&task.replace("(- x 1)", "(+ x 1)"), "(annotate-tag l :invariant (<= 0 x))");
    // Inside a loop with another head.
    let task = "
(define-proc p () () ((x Int))
  (! (sequence (havoc x) (! (while (< 0 x) (sequence (! (label l) :tag l :decreases x) (assign (x BODY)))) :tag w)) :tag p))
(verify-call p ())";
    accepted(&task.replace("BODY", "(- x 1)"), "(annotate-tag l :invariant (<= 0 x))");
    rejected(&task.replace("BODY", "x"), "");
    let judged = crate::judge(&task.replace("BODY", "x"), "(annotate-tag w :invariant true)");
    assert_ne!(judged, certify::Judged::Confirmed);
}

#[test]
fn ranking_functions_elsewhere_are_left_open() {
    let task = "
(define-proc p () () ((x Int))
  (! (sequence (havoc x) (! (while (< 0 x) (! (assign (x (+ x 1))) :tag s :decreases x)) :tag w)) :tag p))
(verify-call p ())";
    open(task, "");
    open(&looping("(assign (x (- x 1)))", ":decreases (at x w)"), "");
}

#[test]
fn recursion_decreases_at_each_call() {
    let task = "
(define-procs-rec (p ((n Int)) () ()) ((! (if (< 0 n) (call p (ARG) ())) :tag p :decreases n)))
(declare-const k Int)
(verify-call p (k))";
    accepted(&task.replace("ARG", "(- n 1)"), "");
    rejected(&task.replace("ARG", "n"), "");
    rejected(&task.replace("ARG", "(+ n 1)"), "");
    rejected(&task.replace("ARG", "(- n 1)").replace("(< 0 n)", "(< n 100)"), "");
}

#[test]
fn mutual_recursion_decreases_from_one_to_the_other() {
    let task = "
(define-procs-rec ((p ((n Int)) () ()) (q ((m Int)) () ()))
  ((! (if (< 0 n) (call q ((- n 1)) ())) :tag p)
   (! (if (< 0 m) (call p (m) ())) :tag q)))
(declare-const k Int)
(verify-call p (k))";
    accepted(task, "(annotate-tag p :decreases-lex (n 1)) (annotate-tag q :decreases-lex (m 2))");
    rejected(task, "(annotate-tag p :decreases n) (annotate-tag q :decreases m)");
    open(task, "(annotate-tag p :decreases n)");
}

#[test]
fn the_ranking_function_of_a_caller_is_that_of_its_entry() {
    let task = "
(declare-var g Int)
(define-procs-rec (p () () ())
  ((! (sequence (assign (g (+ g 1))) (if (< 0 g) (sequence (assign (g (- g BY))) (call p () ())))) :tag p :decreases g)))
(verify-call p ())";
    accepted(&task.replace("BY", "2").replace("(< 0 g)", "(< 1 g)"), "");
    rejected(&task.replace("BY", "1"), "");
}
