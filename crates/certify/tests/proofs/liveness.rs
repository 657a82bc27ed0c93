//! `:not-recurring` and `:recurring`.

use crate::{accepted, open, rejected};

fn task(body: &str, rest: &str) -> String {
    format!(
        "(declare-var g Int)
(define-proc leaf () () () (! (sequence) :tag leaf))
(define-proc mid () () () (! (call leaf () ()) :tag mid))
(define-proc p ((n Int)) () ((x Int) (y Int)) (! (sequence {body}) :tag p))
{rest}
(declare-const k Int)
(verify-call p (k))"
    )
}

#[test]
fn what_is_in_no_loop_is_not_recurring() {
    accepted(&task("(! (sequence) :tag s)", "(annotate-tag s :not-recurring)"), "");
    accepted(&task("(call mid () ())", "(annotate-tag leaf :not-recurring)"), "");
    // A loop elsewhere does not matter.
    accepted(&task("(! (sequence) :tag s) (while true (sequence))", "(annotate-tag s :not-recurring)"), "");
}

#[test]
fn every_loop_around_needs_a_ranking_function() {
    let nested = "(assign (x n))
(! (while (< 0 x) (sequence (assign (x (- x 1)) (y n)) (! (while (< 0 y) (! (assign (y (- y 1))) :tag s)) :tag in))) :tag out)";
    let nested = task(nested, "(annotate-tag s :not-recurring)");
    open(&nested, "");
    open(&nested, "(annotate-tag in :decreases y)");
    open(&nested, "(annotate-tag out :decreases x)");
    accepted(&nested, "(annotate-tag in :decreases y) (annotate-tag out :decreases x)");
    rejected(&nested, "(annotate-tag in :decreases x) (annotate-tag out :decreases x)");
    // The inner loop may run for ever if only the outer head matters: it does not come back then.
    let outer = nested.replace("annotate-tag s", "annotate-tag out");
    accepted(&outer, "(annotate-tag out :decreases x)");
}

#[test]
fn a_place_left_for_ever_is_not_recurring() {
    let body = "(! (while true (sequence (havoc x) (if (< x 0) (break)) (! (sequence) :tag s))) :tag w)";
    open(&task(body, "(annotate-tag s :not-recurring)"), "");
    let body = "(! (while true (sequence (! (sequence) :tag s) (break))) :tag w)";
    accepted(&task(body, "(annotate-tag s :not-recurring)"), "");
    let body = "(! (while true (if (< n 0) (sequence (! (sequence) :tag s) (return)))) :tag w)";
    accepted(&task(body, "(annotate-tag s :not-recurring)"), "");
}

#[test]
fn what_is_never_visited_is_not_recurring() {
    let body = "(assign (x 0)) (! (while true (sequence (if (< x 0) (! (sequence) :tag s)) (havoc x) \
                (assume (<= 0 x)))) :tag w)";
    let task = task(body, "(annotate-tag s :not-recurring)");
    open(&task, "");
    open(&task, "(annotate-tag w :invariant (<= 0 x))");
    accepted(&task, "(annotate-tag w :invariant (<= 0 x)) (annotate-tag s :check-true false)");
    // It has to be shown, and it has to be said.
    rejected(&task, "(annotate-tag s :check-true false)");
    open(&task, "(annotate-tag w :invariant (<= 0 x)) (annotate-tag s :check-true (< x 0))");
    rejected(&task.replace("(<= 0 x)", "true"), "(annotate-tag s :check-true false)");
}

#[test]
fn calls_count() {
    let body = "(assign (x n)) (! (while (< 0 x) (sequence (call mid () ()) (assign (x (- x 1))))) :tag w)";
    open(&task(body, "(annotate-tag leaf :not-recurring)"), "");
    accepted(&task(body, "(annotate-tag leaf :not-recurring)"), "(annotate-tag w :decreases x)");
}

#[test]
fn recursion_counts() {
    let task = "
(define-procs-rec (p ((n Int)) () ()) ((! (sequence (! (sequence) :tag s) (if (< 0 n) (call p ((- n 1)) ()))) :tag p)))
(annotate-tag s :not-recurring)
(declare-const k Int)
(verify-call p (k))";
    open(task, "");
    accepted(task, "(annotate-tag p :decreases n)");
    rejected(&task.replace("(- n 1)", "n"), "(annotate-tag p :decreases n)");
}

#[test]
fn a_loop_in_a_recursive_procedure() {
    let task = "
(define-procs-rec (p ((n Int)) () ((x Int)))
  ((! (sequence (assign (x n)) (! (while (< 0 x) (sequence (assign (x (- x 1))) (call p (x) ()))) :tag w)) :tag p)))
(annotate-tag w :not-recurring)
(declare-const k Int)
(verify-call p (k))";
    open(task, "(annotate-tag w :decreases x)");
    open(task, "(annotate-tag p :decreases n)");
    rejected(task, "(annotate-tag p :decreases n) (annotate-tag w :decreases x)");
    accepted(task, "(annotate-tag p :decreases n) (annotate-tag w :decreases x :invariant (<= x n))");
}

#[test]
fn recurring_needs_that_everything_else_ends() {
    let server =
        "(! (while true (sequence (havoc x) (! (while (< 0 x) (assign (x (- x 1)))) :tag work))) :tag serve)";
    let server = task(server, "(annotate-tag serve :recurring)");
    open(&server, "");
    accepted(&server, "(annotate-tag work :decreases x)");
    rejected(&server, "(annotate-tag work :decreases (- x))");
    // A program that ends satisfies it.
    accepted(&task("(! (sequence) :tag s)", "(annotate-tag s :recurring)"), "");
}

#[test]
fn recurring_is_not_about_the_past() {
    // The tag is visited once, then never again.
    open(&task("(! (sequence) :tag s) (while true (sequence))", "(annotate-tag s :recurring)"), "");
    open(
        &task("(! (sequence) :tag s) (! (while true (sequence)) :tag w)", "(annotate-tag s :recurring)"),
        "",
    );
    let body = "(! (while true (sequence (! (sequence) :tag s) (! (while true (sequence)) :tag in))) :tag w)";
    open(&task(body, "(annotate-tag s :recurring)"), "");
    open(&task("(while true (if (< n 0) (! (sequence) :tag s)))", "(annotate-tag s :recurring)"), "");
}

#[test]
fn several_statements_may_take_turns() {
    let body = "(while true (if (< n 0) (! (sequence) :tag s) (! (sequence) :tag s)))";
    accepted(&task(body, "(annotate-tag s :recurring)"), "");
    // Properties of different tags are different properties.
    let body = "(while true (if (< n 0) (! (sequence) :tag a :tag b) (! (sequence) :tag b)))";
    accepted(&task(body, "(annotate-tag b :recurring)"), "");
    open(&task(body, "(annotate-tag a :recurring)"), "");
    open(&task(body, "(annotate-tag a :recurring) (annotate-tag b :recurring)"), "");
    // A witness cannot help out.
    let body = "(while true (if (< n 0) (! (sequence) :tag a :recurring) (! (sequence) :tag a)))";
    open(&task(body, ""), "(annotate-tag a :recurring)");
}

#[test]
fn recurring_in_code_that_is_not_called() {
    let rest = "(define-proc other () () () (! (while true (sequence)) :tag other))
(annotate-tag other :recurring)";
    accepted(&task("", rest), "");
    open(&task("(while true (sequence))", rest), "");
}

#[test]
fn recursion_without_the_tag_ends() {
    let task = "
(define-procs-rec (p ((n Int)) () ()) ((! (sequence BODY (call p ((- n 1)) ())) :tag p)))
(annotate-tag s :recurring)
(declare-const k Int)
(verify-call p (k))";
    accepted(&task.replace("BODY", "(! (sequence) :tag s)"), "");
    open(&task.replace("BODY", "(if (< 0 n) (! (sequence) :tag s))"), "");
}
