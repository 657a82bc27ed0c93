//! Invariants: initial, kept, and enough for what comes after.

use crate::{accepted, rejected};

/// A loop to ten with a check behind it.
fn ten(tail: &str) -> String {
    format!(
        "(define-proc p () ((i Int)) ()
  (! (sequence (assign (i 0)) {tail} (! (sequence) :tag end :check-true (= i 10))) :tag p))
(verify-call p ())"
    )
}

#[test]
fn an_invariant_is_initial_kept_and_enough() {
    let task = ten("(! (while (< i 10) (assign (i (+ i 1)))) :tag w)");
    accepted(&task, "(annotate-tag w :invariant (<= 0 i 10))");
    rejected(&task, "");
    rejected(&task, "(annotate-tag w :invariant (<= 0 i))");
    rejected(&task, "(annotate-tag w :invariant (<= 1 i 10))");
    rejected(&task, "(annotate-tag w :invariant (<= i 9))");
}

#[test]
fn a_check_at_a_loop_is_about_each_visit() {
    let task = "
(define-proc p () ((i Int)) ()
  (! (sequence (assign (i 0)) (! (while (< i 3) (assign (i (+ i 1)))) :tag w :check-true (< i 3)))
   :tag p))
(verify-call p ())";
    rejected(task, "(annotate-tag w :invariant (<= i 3))");
    accepted(
        &task.replace(":check-true (< i 3)", ":check-true (< i 4)"),
        "(annotate-tag w :invariant (<= i 3))",
    );
}

#[test]
fn break_leaves_without_the_invariant_and_continue_needs_it() {
    let task = ten(
        "(! (while true (sequence (assign (i (+ i 1))) (if (= i 10) (break)) (if (< i 5) (continue)))) :tag w)",
    );
    accepted(&task, "(annotate-tag w :invariant (< i 10))");
    rejected(
        &task.replace("(continue)", "(sequence (assign (i 20)) (continue))"),
        "(annotate-tag w :invariant (< i 10))",
    );
    rejected(
        &task.replace("(break)", "(sequence (assign (i 11)) (break))"),
        "(annotate-tag w :invariant (< i 10))",
    );
    accepted(
        &task.replace("(= i 10) (break)", "(= i 10) (break) (return)"),
        "(annotate-tag w :invariant (< i 10))",
    );
}

#[test]
fn return_and_goto_leave_a_loop() {
    let task = "
(define-proc p ((n Int)) ((i Int)) ()
  (! (sequence
       (assign (i 0))
       (! (while true (sequence (assign (i (+ i 1))) (if (= i 7) (return)) (if (= i n) (goto out)))) :tag w)
       (assign (i 0))
       (label out)
       (! (sequence) :tag end :check-true (= i n)))
   :tag p :ensures (or (= i 7) (= i n))))
(declare-const k Int)
(verify-call p (k))";
    accepted(task, "");
    rejected(&task.replace("(or (= i 7) (= i n))", "(= i n)"), "");
    rejected(&task.replace("(or (= i 7) (= i n))", "(= i 7)"), "");
}

/// A loop of gotos with a label at its beginning and one in the middle.
const GOTO: &str = "
(define-proc p () ((i Int)) ((j Int))
  (! (sequence
       (assign (i 0) (j 0))
       (! (label a) :tag a)
       (assign (i (+ i 1)))
       (! (label b) :tag b)
       (assign (j (+ j 1)))
       (if (< i 10) (goto a))
       (! (sequence) :tag end :check-true (= i j 10)))
   :tag p))
(verify-call p ())";

#[test]
fn a_label_is_a_loop_head_wherever_it_is() {
    accepted(GOTO, "(annotate-tag a :invariant (and (= i j) (< i 10)))");
    accepted(GOTO, "(annotate-tag b :invariant (and (= i (+ j 1)) (<= i 10)))");
    rejected(GOTO, "(annotate-tag a :invariant (and (= i j) (<= i 10)))");
    rejected(GOTO, "(annotate-tag b :invariant (= i (+ j 1)))");
    // Both: each must be enough for the way to the other.
    accepted(
        GOTO,
        "(annotate-tag a :invariant (and (= i j) (< i 10))) (annotate-tag b :invariant (and (= i (+ j 1)) (<= i 10)))",
    );
    rejected(
        GOTO,
        "(annotate-tag a :invariant (and (= i j) (< i 10))) (annotate-tag b :invariant (<= i 10))",
    );
    rejected(
        GOTO,
        "(annotate-tag a :invariant (< i 10)) (annotate-tag b :invariant (and (= i (+ j 1)) (<= i 10)))",
    );
}

#[test]
fn an_irreducible_loop_has_an_invariant_at_any_of_its_entries() {
    let task = "
(define-proc p ((n Int)) ((x Int)) ()
  (! (sequence
       (assign (x 0))
       (if (< n 0) (goto l))
       (! (label k) :tag k)
       (assign (x (+ x 2)))
       (! (label l) :tag l)
       (assign (x (+ x 1)))
       (if (< x 100) (goto k))
       (! (sequence) :tag end :check-true (<= 100 x 102)))
   :tag p))
(declare-const c Int)
(verify-call p (c))";
    accepted(task, "(annotate-tag k :invariant (< x 100))");
    accepted(task, "(annotate-tag l :invariant (< x 102))");
    rejected(task, "(annotate-tag k :invariant (< x 101))");
    rejected(task, "(annotate-tag l :invariant (< 1 x 102))");
    rejected(&task.replace("102", "101"), "(annotate-tag k :invariant (< x 100))");
}

#[test]
fn a_jump_into_a_loop_is_followed() {
    let task = "
(define-proc p ((n Int)) ((x Int)) ()
  (! (sequence
       (assign (x 5))
       (if (< n 0) (goto in))
       (assign (x 0))
       (! (while (< x 10) (sequence (assign (x (+ x 1))) (label in) (! (sequence) :tag mid :check-true (<= 1 x)))) :tag w)
       (! (sequence) :tag end :check-true (= x 10)))
   :tag p))
(declare-const c Int)
(verify-call p (c))";
    accepted(task, "(annotate-tag w :invariant (<= 0 x 10))");
    rejected(&task.replace("(assign (x 5))", "(assign (x 0))"), "(annotate-tag w :invariant (<= 0 x 10))");
    rejected(&task.replace("(assign (x 5))", "(assign (x 50))"), "(annotate-tag w :invariant (<= 0 x 10))");
    // What the loop does not modify is known at the head, however control came.
    let same = task
        .replace(":check-true (= x 10)", ":check-true (< 0 (* n n))")
        .replace("(assign (x 5))", "(assume (distinct n 0))")
        .replace(":check-true (<= 1 x)", "");
    accepted(&same, "");
}

#[test]
fn a_label_outside_of_loops_keeps_everything() {
    let task = "
(define-proc p () ((x Int)) ()
  (! (sequence (assign (x 5)) (! (label l) :tag l) (! (sequence) :tag end :check-true (= x 5))) :tag p))
(verify-call p ())";
    accepted(task, "(annotate-tag l :invariant (< 0 x))");
    rejected(task, "(annotate-tag l :invariant (< 5 x))");
}

#[test]
fn an_invariant_elsewhere_is_a_check() {
    let task = "
(define-proc p () ((x Int)) ()
  (! (sequence (assign (x 5)) (! (assign (x (+ x 1))) :tag s) (! (sequence) :tag end :check-true (= x 6)))
   :tag p))
(verify-call p ())";
    accepted(task, "(annotate-tag s :invariant (< 0 x))");
    rejected(task, "(annotate-tag s :invariant (< 5 x))");
}

#[test]
fn quantified_invariants_are_proved() {
    let task = "
(define-proc fill ((n Int)) ((a (Array Int Int))) ((i Int))
  (! (sequence
       (assign (i 0))
       (! (while (< i n) (assign (a (store a i i)) (i (+ i 1)))) :tag w)
       (! (sequence) :tag end :check-true (forall ((k Int)) (=> (and (<= 0 k) (< k n)) (= (select a k) k)))))
   :tag fill))
(declare-const n Int)
(verify-call fill (n))";
    let invariant = "(forall ((k Int)) (=> (and (<= 0 k) (< k i)) (= (select a k) k)))";
    accepted(task, &format!("(annotate-tag w :invariant {invariant})"));
    rejected(task, "(annotate-tag w :invariant (<= 0 i))");
    // A variable of the program with the name of a bound one.
    let task = task.replace("(i Int)", "(i Int) (k Int)").replace("(i (+ i 1))", "(i (+ i 1)) (k i)");
    accepted(&task, &format!("(annotate-tag w :invariant {invariant})"));
}

#[test]
fn an_invariant_of_the_task_inside_another_loop_stays_an_abstraction() {
    // The loop is cut at the witness' invariant, the label still says no more than its own.
    let task = "
(define-proc p () ((x Int)) ()
  (! (sequence
       (assign (x 0))
       (! (while (< x 10)
            (sequence (! (label l) :tag l :invariant (<= 0 x)) (! (assign (x (+ x 1))) :tag s :check-true (< x 10))))
        :tag w))
   :tag p))
(verify-call p ())";
    rejected(task, "(annotate-tag w :invariant (<= 0 x 10))");
    accepted(&task.replace("(<= 0 x)", "(<= 0 x 9)"), "(annotate-tag w :invariant (<= 0 x 10))");
}
