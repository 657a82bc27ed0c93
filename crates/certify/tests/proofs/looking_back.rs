//! `at` terms: the value at the last visit of a tag.

use crate::{accepted, rejected};

#[test]
fn in_a_loop_the_last_visit_counts() {
    let task = "
(define-proc p () ((x Int)) ()
  (! (sequence
       (assign (x 0))
       (! (while (< x 10) (sequence (assign (x (+ x 1))) (! (sequence) :tag mid :check-true CHECK))) :tag w))
   :tag p))
(verify-call p ())";
    accepted(&task.replace("CHECK", "(= x (+ (at x w) 1))"), "");
    rejected(&task.replace("CHECK", "(= (at x w) 0)"), "");
    // The tag of the body was visited before the first assignment.
    rejected(&task.replace("CHECK", "(<= (at x p) x)"), "(annotate-tag w :invariant (<= 0 x))");
}

#[test]
fn a_snapshot_inside_a_loop_is_forgotten_by_it() {
    let task = "
(define-proc p ((n Int)) ((x Int)) ()
  (! (sequence
       (assign (x 0))
       (! (sequence) :tag s)
       (! (while (< x n) (! (assign (x (+ x 1))) :tag in)) :tag w)
       (! (sequence) :tag end :check-true CHECK))
   :tag p))
(declare-const k Int)
(verify-call p (k))";
    accepted(&task.replace("CHECK", "(= (at x s) 0)"), "");
    rejected(&task.replace("CHECK", "(= (at x in) 0)"), "");
    accepted(
        &task.replace("CHECK", "(=> (< 0 n) (= x (+ (at x in) 1)))"),
        "(annotate-tag w :invariant (or (= x 0) (= x (+ (at x in) 1))))",
    );
    rejected(
        &task.replace("CHECK", "(=> (< 0 n) (= x (+ (at x in) 2)))"),
        "(annotate-tag w :invariant (or (= x 0) (= x (+ (at x in) 1))))",
    );
}

#[test]
fn a_tag_that_was_not_visited_yet_means_anything() {
    let task = "
(define-proc p ((n Int)) ((x Int)) ()
  (! (sequence
       (assign (x 0))
       (if (< n 0) (! (sequence) :tag s))
       (! (sequence) :tag end :check-true (= (at x s) 0)))
   :tag p))
(declare-const k Int)
(verify-call p (k))";
    rejected(task, "");
    accepted(&task.replace("(if (< n 0) (! (sequence) :tag s))", "(! (sequence) :tag s)"), "");
}

#[test]
fn a_tag_of_another_procedure_means_anything() {
    let task = "
(declare-var g Int)
(define-proc q () () () (! (sequence (! (sequence) :tag s)) :tag q :ensures (= g (at g q))))
(define-proc p () () ()
  (! (sequence (assign (g 0)) (call q () ()) (! (sequence) :tag end :check-true (= (at g s) CHECK))) :tag p))
(verify-call p ())";
    rejected(&task.replace("CHECK", "0"), "");
    rejected(&task.replace("CHECK", "1"), "");
    rejected(&task.replace("CHECK", "1"), "(annotate-tag q :ensures (= (at g s) (at g q)))");
}

#[test]
fn several_statements_with_one_tag() {
    let task = "
(define-proc p () ((x Int)) ()
  (! (sequence
       (assign (x 1))
       (! (assign (x 2)) :tag s)
       (! (assign (x 3)) :tag s)
       (! (sequence) :tag end :check-true (= (at x s) CHECK)))
   :tag p))
(verify-call p ())";
    accepted(&task.replace("CHECK", "2"), "");
    rejected(&task.replace("CHECK", "1"), "");
}

#[test]
fn the_tag_of_a_body_that_is_visited_again_is_not_the_call() {
    // The body is a loop: its tag is visited in each round.
    let task = "
(declare-var g Int)
(define-proc up () () () (! (while (< g 10) (assign (g (+ g 1)))) :tag up :ensures (= g (at g up))))
(define-proc p () () ()
  (! (sequence (assign (g 0)) (call up () ()) (! (sequence) :tag end :check-true (= g 0))) :tag p))
(verify-call p ())";
    rejected(task, "");
    // Another statement inside has the tag of the body.
    let task = "
(declare-var g Int)
(define-proc up () () ()
  (! (sequence (assign (g (+ g 1))) (! (sequence) :tag up)) :tag up))
(define-proc p () () ()
  (! (sequence (assign (g 0)) (call up () ()) (! (sequence) :tag end :check-true (= g 0))) :tag p))
(verify-call p ())";
    rejected(task, "(annotate-tag up :ensures (= g (at g up)))");
    rejected(&task.replace("(! (sequence) :tag up)", ""), "(annotate-tag up :ensures (= g (at g up)))");
}

#[test]
fn the_tag_of_a_loop_with_a_contract_is_not_its_beginning() {
    let task = "
(define-proc p () ((x Int)) ()
  (! (sequence
       (assign (x 0))
       (! (while (< x 10) (assign (x (+ x 1)))) :tag w :ensures (= x (at x w)))
       (! (sequence) :tag end :check-true (= x 0)))
   :tag p))
(verify-call p ())";
    rejected(task, "");
    // The same for a statement with a namesake inside.
    let task = "
(define-proc p () ((x Int)) ()
  (! (sequence
       (assign (x 0))
       (! (sequence (assign (x 1)) (! (sequence) :tag s)) :tag s)
       (! (sequence) :tag end :check-true (= x 0)))
   :tag p))
(annotate-tag s :ensures (= x (at x s)))
(verify-call p ())";
    rejected(task, "");
}

#[test]
fn recursive_calls_keep_the_snapshots_of_the_caller() {
    let task = "
(declare-var g Int)
(define-procs-rec (p ((n Int)) () ())
  ((! (sequence
       (assign (g (+ g 1)))
       (if (< 0 n) (call p ((- n 1)) ()))
       (! (sequence) :tag end :check-true (< (at g p) g)))
   :tag p :ensures (< (at g p) g))))
(declare-const k Int)
(verify-call p (k))";
    accepted(task, "");
    rejected(&task.replace(":ensures (< (at g p) g)", ":ensures (= (+ (at g p) 1) g)"), "");
}

#[test]
fn a_precondition_looks_back_to_the_visit_before() {
    let task = "
(define-proc p () ((x Int)) ()
  (! (sequence
       (assign (x 0))
       (! (while (< x 10) (! (assign (x (+ x 1))) :tag s :requires (= x (at x s)) :ensures true)) :tag w))
   :tag p))
(verify-call p ())";
    rejected(task, "");
}
