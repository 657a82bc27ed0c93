//! What keeps its value: exactly what cannot be modified.

use crate::{accepted, rejected};

#[test]
fn a_loop_modifies_what_is_assigned_havocked_and_returned_in_it() {
    let task = |body: &str| {
        format!(
            "(declare-var g Int)
(declare-var h Int)
(define-proc deep () () () (! (assign (g 1)) :tag deep))
(define-proc set () ((r Int)) () (! (sequence (assign (r 1)) (call deep () ())) :tag set))
(define-proc p ((n Int)) () ((x Int) (y Int))
  (! (sequence
       (assign (x 1) (y 1) (g 1) (h 1))
       (! (while (< y n) (sequence (assign (y (+ y 1))) {body})) :tag w)
       (! (sequence) :tag end :check-true (= x g h 1)))
   :tag p))
(declare-const k Int)
(verify-call p (k))"
        )
    };
    accepted(&task(""), "");
    rejected(&task("(assign (x x))"), "");
    rejected(&task("(havoc x)"), "");
    rejected(&task("(call set () (x))"), "");
    rejected(&task("(call set () (y))"), "");
    accepted(&task("(assign (x x))"), "(annotate-tag w :invariant (= x 1))");
    accepted(
        &task("(call set () (x))"),
        "(annotate-tag w :invariant (= x g 1)) (annotate-tag set :ensures (= r g 1)) (annotate-tag deep :ensures (= g 1))",
    );
    // Even where control never comes.
    rejected(&task("(if false (assign (h 2)))"), "");
}

#[test]
fn results_may_be_globals_and_arguments() {
    let task = "
(declare-var g Int)
(define-proc f ((a Int)) ((r Int) (s Int)) ()
  (! (sequence (assign (g (+ g a))) (assign (r (+ g 1)) (s g)))
   :tag f :ensures (and (= g (+ (at g f) a)) (= r (+ g 1)) (= s g))))
(define-proc p () () ((x Int) (y Int))
  (! (sequence (assign (g 10) (x 5)) CALL (! (sequence) :tag end :check-true CHECK)) :tag p))
(verify-call p ())";
    let with = |call: &str, check: &str| task.replace("CALL", call).replace("CHECK", check);
    accepted(&with("(call f (x) (x y))", "(and (= x 16) (= y g 15))"), "");
    rejected(&with("(call f (x) (x y))", "(= x 5)"), "");
    // The result overwrites what the callee left in the global.
    accepted(&with("(call f (x) (g y))", "(and (= g 16) (= y 15))"), "");
    rejected(&with("(call f (x) (g y))", "(= g 15)"), "");
    accepted(&with("(call f (g) (g y))", "(and (= g 21) (= y 20))"), "");
    accepted(&with("(sequence (call f (g) (g y)) (call f (y) (x g)))", "(= g 41)"), "");
    rejected(&with("(sequence (call f (g) (g y)) (call f (y) (x g)))", "(= g 42)"), "");
}

#[test]
fn outputs_and_locals_are_new_in_each_call() {
    let task = "
(define-proc draw () ((r Int)) ((l Int)) (! (assign (r l)) :tag draw))
(define-proc p () ((a Int) (b Int)) ()
  (! (sequence (call draw () (a)) (call draw () (b)) (! (sequence) :tag end :check-true (= a b))) :tag p))
(verify-call p ())";
    rejected(task, "");
    rejected(task, "(annotate-tag draw :ensures (= r l))");
    rejected(task, "(annotate-tag draw :ensures (= r (at r draw)))");
    rejected(task, "(annotate-tag draw :requires (= l 0) :ensures (= r 0))");
}

#[test]
fn assignments_are_parallel() {
    let task = "
(define-proc p () ((x Int) (y Int)) ()
  (! (sequence (assign (x 1) (y 2)) (assign (x y) (y x)) (! (sequence) :tag end :check-true (and (= x 2) (= y 1))))
   :tag p))
(verify-call p ())";
    accepted(task, "");
    rejected(&task.replace("(= y 1)", "(= y 2)"), "");
}

#[test]
fn integers_become_reals_where_reals_are_wanted() {
    let task = "
(define-proc f ((a Real)) ((r Real)) () (! (assign (r (/ a 2))) :tag f :ensures (= (* r 2) a)))
(define-proc p ((n Int)) ((x Real)) ()
  (! (sequence (choice (assign (x 1)) (assign (x 0.5)) (sequence (call f (3) (x)))) (! (sequence) :tag end :check-true CHECK))
   :tag p))
(declare-const k Int)
(verify-call p (k))";
    accepted(&task.replace("CHECK", "(<= 0.5 x 1.5)"), "");
    rejected(&task.replace("CHECK", "(is_int x)"), "");
    rejected(&task.replace("CHECK", "(<= x 1)"), "");
}

#[test]
fn asserts_are_about_constants_and_hold_everywhere() {
    let task = "
(declare-const c Int)
(declare-fun f (Int) Int)
(assert AXIOM)
(assert (= c 3))
(define-proc p ((n Int)) ((x Int)) ()
  (! (sequence (assign (x (f n))) (! (sequence) :tag end :check-true (and (< n x) (= c 3)))) :tag p))
(declare-const k Int)
(verify-call p (k))";
    accepted(&task.replace("AXIOM", "(forall ((x Int)) (< x (f x)))"), "");
    let task =
        task.replace("AXIOM", "(< k (f k))").replace("(declare-fun", "(declare-const k Int) (declare-fun");
    let task = task.replace("(declare-const k Int)\n(verify", "(verify");
    accepted(&task, "");
    rejected(&task.replace("(assert (= c 3))", ""), "");
    // An assert after the query is too late.
    rejected(&format!("{} (assert (= c 3))", task.replace("(assert (= c 3))", "")), "");
}

#[test]
fn ways_that_meet_keep_apart() {
    let task = "
(define-proc p ((n Int)) ((x Int) (b Bool)) ()
  (! (sequence
       (if (< n 0) (assign (x (- n)) (b true)) (assign (x n) (b false)))
       (if b (! (sequence) :tag neg :check-true (< n 0)) (! (sequence) :tag pos :check-true (<= 0 n)))
       (choice (assign (x (+ x 1))) (assign (x (+ x 2))) (assume false))
       (! (sequence) :tag end :check-true (< 0 x)))
   :tag p))
(declare-const k Int)
(verify-call p (k))";
    accepted(task, "");
    rejected(&task.replace("(< 0 x)", "(< 1 x)"), "");
    rejected(&task.replace("(b true)", "(b false)"), "");
}
