//! What a witness may say, and what it may not change.

use crate::{accepted, open, rejected};

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
    open(ADD, invariant);
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

#[test]
fn what_a_task_says_can_be_strengthened_only_about_what_stays() {
    // `k` is not modified by the loop, `x` is.
    let task = "
(define-proc p ((k Int)) ((x Int)) ()
  (! (sequence
       (assume (< 0 k))
       (assign (x 0))
       (! (while (< x 10) (assign (x (+ x k)))) :tag w :invariant true)
       (! (sequence) :tag end :check-true (< 0 k)))
   :tag p))
(declare-const a Int)
(verify-call p (a))";
    accepted(task, "(annotate-tag w :invariant (< 0 k))");
    let task = task.replace(":check-true (< 0 k)", ":check-true (<= 0 x)");
    rejected(&task, "(annotate-tag w :invariant (and (< 0 k) (<= 0 x)))");
    accepted(&task.replace(":invariant true", ""), "(annotate-tag w :invariant (and (< 0 k) (<= 0 x)))");
}

#[test]
fn a_witness_must_not_change_the_task() {
    rejected(ADD, "(assert false)");
    open(ADD, "(define-fun-rec f ((x Int)) Int (+ (f x) 1))");
    rejected(ADD, "(verify-call add (a b))");
    rejected(ADD, "(get-witness)");
    rejected(ADD, "(declare-var g Int)");
    rejected(ADD, "(define-proc other () () () (! (sequence) :tag loop))");
    accepted(
        ADD,
        "(set-info :producer \"x\") (define-fun inv ((x Int) (y Int)) Bool (<= 0 y))
         (annotate-tag loop :invariant (and (inv x y) (= (+ x y) (+ x0 y0))) :decreases y)",
    );
    // What a new constant is, nobody knows.
    rejected(
        ADD,
        "(declare-const c Int)
         (annotate-tag loop :invariant (and (<= 0 y) (= x c) (= (+ x y) (+ x0 y0))) :decreases y)",
    );
}

#[test]
fn attributes_that_are_no_property_say_nothing() {
    let task = "
(define-proc p () ((x Int)) ()
  (! (sequence (assign (x 1)) (! (sequence) :tag end :check-true (= x 1) :mood false)) :tag p))
(verify-call p ())";
    accepted(task, "(annotate-tag end :colour false)");
    accepted(task, "(annotate-tag no-such-tag :invariant false)");
}

#[test]
fn annotations_after_the_query_do_not_count() {
    let task = "
(define-proc p () ((x Int)) ()
  (! (sequence (havoc x) (! (sequence) :tag end)) :tag p))
(verify-call p ())
(annotate-tag end :check-true (= x 1))
(verify-call p ())";
    accepted(task, "");
    let second = task.replacen("(verify-call p ())", "", 1);
    rejected(&second, "");
}

#[test]
fn a_tag_means_all_its_statements() {
    let task = "
(define-proc p ((n Int)) ((r Int)) ()
  (! (if (< n 0) (! (assign (r (- n 1))) :tag s) (! (assign (r (+ n 1))) :tag s))
   :tag p :ensures (distinct r n)))
(declare-const k Int)
(verify-call p (k))";
    accepted(task, "");
    accepted(task, "(annotate-tag s :ensures (distinct r n))");
    rejected(task, "(annotate-tag s :ensures (< n r))");
    rejected(task, "(annotate-tag s :ensures true)");
}

#[test]
fn definitions_over_program_variables_are_left_open() {
    let task = "
(declare-var g Int)
(define-fun next () Int (+ g 1))
(define-fun twice () Int (+ next next))
(define-proc p () () ()
  (! (sequence (assign (g 1)) (! (assign (g twice)) :tag s :check-true (= next 2)) (! (sequence) :tag e :check-true (= twice 4)))
   :tag p))
(verify-call p ())";
    open(task, "");
}
