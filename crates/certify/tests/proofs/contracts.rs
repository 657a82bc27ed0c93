//! Contracts of procedures and of statements.

use crate::{accepted, rejected};

const INC: &str = "
(declare-var g Int)
(define-proc inc () () () (! (assign (g (+ g 1))) :tag inc :ensures (= g (+ (at g inc) 1))))
(define-proc two () () ()
  (! (sequence (assign (g 0)) (call inc () ()) (call inc () ()) (! (sequence) :tag end :check-true (= g 2)))
   :tag two))
(verify-call two ())";

#[test]
fn a_call_is_what_its_contract_says() {
    accepted(INC, "");
    rejected(&INC.replace(":ensures (= g (+ (at g inc) 1))", ":ensures (< (at g inc) g)"), "");
    rejected(&INC.replace(":ensures (= g (+ (at g inc) 1))", ""), "");
    accepted(
        &INC.replace(":ensures (= g (+ (at g inc) 1))", ""),
        "(annotate-tag inc :ensures (= g (+ (at g inc) 1)))",
    );
    rejected(&INC.replace("(+ g 1)", "(+ g 2)"), "");
    rejected(&INC.replace(":check-true (= g 2)", ":check-true (= g 3)"), "");
}

#[test]
fn a_weak_contract_of_the_task_stays_weak() {
    let task = INC.replace(":ensures (= g (+ (at g inc) 1))", ":ensures (< (at g inc) g)");
    rejected(&task, "(annotate-tag inc :ensures (= g (+ (at g inc) 1)))");
}

#[test]
fn a_precondition_is_shown_at_each_call() {
    let task = "
(define-proc half ((n Int)) ((h Int)) ()
  (! (assign (h (div n 2))) :tag half :requires (<= 0 n) :ensures (<= 0 h n)))
(define-proc p ((n Int)) ((h Int)) ()
  (! (sequence (if (< 3 n) (call half (n) (h)) (assign (h 0)))) :tag p :ensures (<= 0 h)))
(declare-const k Int)
(verify-call p (k))";
    accepted(task, "");
    rejected(&task.replace("(< 3 n)", "(< (- 3) n)"), "");
    // A promise on one way says nothing about the other.
    rejected(&task.replace("(assign (h 0))", "(assign (h (- 1)))"), "");
    // The precondition of a witness is one, too.
    let task = task.replace(":requires (<= 0 n) :ensures (<= 0 h n)", "");
    accepted(&task, "(annotate-tag half :requires (<= 0 n) :ensures (<= 0 h n))");
    rejected(&task, "(annotate-tag half :requires (<= 5 n) :ensures (<= 0 h n))");
    rejected(&task, "(annotate-tag half :ensures (<= 0 h n))");
}

#[test]
fn a_contract_without_precondition_is_about_all_states() {
    let task = "
(declare-var g Int)
(define-proc dec () () () (! (assign (g (- g 1))) :tag dec :ensures (<= 0 g)))
(define-proc p () () () (! (sequence (assign (g 5)) (call dec () ())) :tag p))
(verify-call p ())";
    rejected(task, "");
    // What the task leaves out must not be put in where the state is modified ...
    rejected(task, "(annotate-tag dec :requires (< 0 g))");
    // ... but may be about what stays as it is.
    let task = "
(declare-var g Int)
(declare-var c Int)
(define-proc sub () () () (! (assign (g c)) :tag sub :ensures (< 3 g)))
(define-proc p () () () (! (sequence (assign (c 5)) (call sub () ())) :tag p))
(verify-call p ())";
    accepted(task, "(annotate-tag sub :requires (= c 5))");
    rejected(task, "(annotate-tag sub :requires (= c 6))");
}

const FACT: &str = "
(define-procs-rec (sum ((n Int)) ((s Int)) ())
  ((! (if (<= n 0) (assign (s 0)) (sequence (call sum ((- n 1)) (s)) (assign (s (+ s n))))) :tag sum)))
(declare-const k Int)
(assert (<= 0 k))
(verify-call sum (k))";

#[test]
fn recursion_may_use_its_own_contract() {
    accepted(FACT, "(annotate-tag sum :ensures (<= n (* 2 s)) :requires (<= 0 n))");
    accepted(FACT, "(annotate-tag sum :ensures (<= 0 s))");
    rejected(FACT, "(annotate-tag sum :ensures (<= 1 s))");
    rejected(FACT, "(annotate-tag sum :ensures (<= 0 s) :requires (<= 1 n))");
    // Partial correctness: a procedure that never returns may promise anything ...
    let forever = "
(define-procs-rec (p () ((x Int)) ()) ((! (call p () (x)) :tag p :ensures false)))
(verify-call p ())";
    accepted(forever, "");
    // ... but not if there is a way out.
    rejected(&forever.replace("(call p () (x))", "(choice (call p () (x)) (assign (x 1)))"), "");
}

#[test]
fn the_entry_may_be_recursive() {
    // The inputs of the entry are the arguments of any call.
    let task = "
(define-procs-rec (p ((n Int)) () ())
  ((! (sequence (! (sequence) :tag here :check-true (<= n 3)) (if (< n 3) (call p ((+ n 1)) ()))) :tag p)))
(verify-call p (0))";
    accepted(task, "(annotate-tag p :requires (<= n 3))");
    rejected(task, "");
    rejected(task, "(annotate-tag p :requires (= n 0))");
    rejected(&task.replace("(< n 3)", "(<= n 3)"), "(annotate-tag p :requires (<= n 3))");
}

#[test]
fn an_entry_that_is_called_once_knows_its_arguments() {
    let task = "
(define-proc p ((n Int)) () () (! (sequence (! (sequence) :tag here :check-true (= n 4))) :tag p))
(declare-const k Int)
(assert (= k 4))
(verify-call p (k))";
    accepted(task, "");
    rejected(&task.replace("(assert (= k 4))", ""), "");
}

#[test]
fn globals_are_arbitrary_at_the_beginning() {
    let task = "
(declare-var g Int)
(define-proc p () () () (! (sequence) :tag p :requires (or (= g 1) (distinct g 1)) :ensures (= g (at g p))))
(verify-call p ())";
    accepted(task, "");
    rejected(&task.replace("(or (= g 1) (distinct g 1))", "(= g 1)"), "");
}

/// A statement with a contract between an assignment and a check.
fn between(stmt: &str, check: &str) -> String {
    format!(
        "(define-proc p ((n Int)) ((x Int)) ((y Int) (z Int))
  (! (sequence (assign (x 1) (y 2) (z 3)) {stmt} (! (sequence) :tag end :check-true {check})) :tag p))
(declare-const k Int)
(verify-call p (k))"
    )
}

#[test]
fn a_statement_is_what_its_contract_says() {
    let task = between("(! (assign (x (+ x y))) :tag s)", "(= x 3)");
    accepted(&task, "");
    accepted(&task, "(annotate-tag s :requires (= x 1) :ensures (= x 3))");
    accepted(&task, "(annotate-tag s :ensures (= x (+ (at x s) y)))");
    // Begun in any state that the precondition allows, of what it modifies.
    rejected(&task, "(annotate-tag s :ensures (= x 3))");
    rejected(&task, "(annotate-tag s :requires (< 0 x) :ensures (= x 3))");
    rejected(&task, "(annotate-tag s :requires (= x 1) :ensures (< 0 x))");
    rejected(&task, "(annotate-tag s :requires (= x 2) :ensures (= x 3))");
    // What it does not modify stays, inside and behind.
    accepted(&task, "(annotate-tag s :ensures (= x (+ (at x s) 2)))");
    accepted(&between("(! (assign (x 7)) :tag s :ensures true)", "(= y 2)"), "");
    rejected(&between("(! (assign (x 7)) :tag s :ensures true)", "(= x 7)"), "");
}

#[test]
fn contracts_may_be_nested() {
    let inner = "(! (assign (x (+ x 1))) :tag in :ensures (= x (+ (at x in) 1)))";
    let stmt = format!(
        "(! (sequence {inner} {inner2}) :tag out :ensures (= x (+ (at x out) 2)))",
        inner2 = inner.replace("in", "jn")
    );
    accepted(&between(&stmt, "(= x 3)"), "");
    rejected(&between(&stmt.replace("(= x (+ (at x in) 1))", "(< (at x in) x)"), "(= x 3)"), "");
    rejected(&between(&stmt, "(= x 4)"), "");
}

#[test]
fn a_statement_left_by_a_jump_promises_nothing() {
    let task = "
(define-proc p ((n Int)) ((x Int)) ()
  (! (sequence
       (assign (x 0))
       (! (sequence (assign (x 1)) (if (< n 0) (goto out)) (if (= n 7) (return)) (assign (x 2))) :tag s :ensures (= x 2))
       (! (sequence) :tag behind :check-true (= x 2))
       (label out)
       (! (sequence) :tag end :check-true (<= 1 x 2)))
   :tag p))
(declare-const k Int)
(verify-call p (k))";
    accepted(task, "");
    rejected(&task.replace("(<= 1 x 2)", "(= x 2)"), "");
    rejected(
        &task
            .replace("(if (= n 7) (return))", "(if (= n 7) (return) (assign (x 5)))")
            .replace("(assign (x 2))", ""),
        "",
    );
}

#[test]
fn a_statement_entered_by_a_jump_is_walked_through() {
    let task = "
(define-proc p ((n Int)) ((x Int)) ()
  (! (sequence
       (assign (x 0))
       (if (< n 0) (goto in))
       (! (sequence (assign (x 1)) (label in) (assign (x (+ x 1)))) :tag s :ensures (<= 1 x 2))
       (! (sequence) :tag end :check-true (<= 1 x 2)))
   :tag p))
(declare-const k Int)
(verify-call p (k))";
    accepted(task, "");
    rejected(&task.replacen("(assign (x 0))", "(assign (x 5))", 1), "");
    rejected(&task.replace(":ensures (<= 1 x 2)", ":ensures (< 0 x)"), "");
}

#[test]
fn a_contract_on_a_loop() {
    let stmt = "(! (while (< x n) (assign (x (+ x 1)))) :tag w)";
    let task = between(stmt, "(or (< n 1) (= x n))");
    accepted(
        &task,
        "(annotate-tag w :requires (= x 1) :invariant (<= 1 x) :invariant (or (< n 1) (<= x n)) :ensures (or (< n 1) (= x n)))",
    );
    rejected(&task, "(annotate-tag w :requires (= x 1) :invariant (or (< n 1) (<= x n)) :ensures (<= n x))");
    rejected(
        &task,
        "(annotate-tag w :requires (= x 2) :invariant (or (< n 1) (<= x n)) :ensures (or (< n 1) (= x n)))",
    );
}

#[test]
fn a_contract_of_a_statement_that_never_ends_normally() {
    // Nothing comes behind `s`: what is there is reached by `k` only, and is looked at.
    let task = "
(define-proc p ((n Int)) ((x Int)) ()
  (! (sequence
       (assign (x 0))
       (goto k)
       (label l)
       (! (sequence (assign (x 1)) (goto m)) :tag s :ensures false)
       (label k)
       (! (sequence) :tag mid :check-true (= x 0))
       (if (< n 0) (goto l))
       (label m)
       (! (sequence) :tag end :check-true (<= 0 x 1)))
   :tag p))
(declare-const c Int)
(verify-call p (c))";
    accepted(task, "");
    rejected(&task.replace("(<= 0 x 1)", "(= x 0)"), "");
    rejected(&task.replace(":check-true (= x 0)", ":check-true (= x 1)"), "");
}

#[test]
fn a_loop_around_a_contract_with_the_invariant_inside() {
    let task = "
(define-proc p () ((x Int)) ()
  (! (sequence
       (assign (x 0))
       (while (< x 10)
         (sequence
           (! (sequence (! (label l) :tag l :invariant (<= 0 x 9)) (assign (x (+ x 1)))) :tag s :requires (<= 0 x 9) :ensures (<= 1 x 10))
           (! (sequence) :tag mid :check-true (<= 1 x 10))))
       (! (sequence) :tag end :check-true (= x 10)))
   :tag p))
(verify-call p ())";
    accepted(task, "");
    rejected(&task.replace("(= x 10)", "(= x 11)"), "");
    rejected(&task.replace(":check-true (<= 1 x 10)", ":check-true (<= 1 x 9)"), "");
    rejected(&task.replace(":ensures (<= 1 x 10)", ":ensures (<= 1 x 11)"), "");
}

#[test]
fn a_precondition_alone_is_checked_and_opens_the_inside() {
    let task = between("(! (assign (x (+ x 1))) :tag s :requires (< 0 x))", "(< 1 x)");
    accepted(&task, "");
    rejected(&task.replace("(< 0 x)", "(< 1 x)"), "");
    let inside = between(
        "(! (sequence (! (assign (x (+ x 1))) :tag a :check-true (= x 1))) :tag s :requires (< 0 x))",
        "true",
    );
    rejected(&inside, "");
    // What the task does not say, a witness may.
    let task = between("(! (assign (x (+ x 1))) :tag s :requires (< 0 x))", "(= x 2)");
    accepted(&task, "(annotate-tag s :ensures (= x (+ (at x s) 1)))");
}

#[test]
fn code_that_nothing_reaches_needs_no_proof() {
    let task = "
(define-proc p () ((x Int)) ()
  (! (sequence (assign (x 1)) (return) (! (assign (x 2)) :tag dead :check-true false :requires false :ensures (= x 7)))
   :tag p :ensures (= x 1)))
(verify-call p ())";
    accepted(task, "");
}

#[test]
fn the_entry_is_assumed_to_be_called_rightly_on_demand() {
    let task = "
(declare-var g Int)
(define-proc p ((n Int)) () () (! (sequence (! (sequence) :tag here :check-true (< 0 n)))
  :tag p :requires (< 0 n) :requires (= g n)))
(declare-const k Int)
(verify-call p (k))";
    rejected(task, "");
    let assume = |task: &str, witness: &str| crate::judge_with(task, witness, true);
    assert_eq!(assume(task, ""), certify::Judged::Confirmed);
    // What a witness requires is shown, from what the task does.
    assert_eq!(assume(task, "(annotate-tag p :requires (< 0 g))"), certify::Judged::Confirmed);
    assert!(matches!(assume(task, "(annotate-tag p :requires (< 1 g))"), certify::Judged::Rejected(_)));
}
