//! Long programs: hypotheses are looked at in portions, the near ones first, and none is forgotten.

use crate::{accepted, rejected};
use std::fmt::Write;

/// So many rounds of branches and havocs with a check in each, and a last check.
fn program(rounds: usize, last: &str) -> String {
    let mut body = String::from("(assign (x 0) (y 0) (first a))");
    let mut checks = String::new();
    for i in 0..rounds {
        // Writing to a string does not fail.
        let _ = write!(
            body,
            "(if (< a {i}) (assign (x (+ x 2))) (assign (x (+ x 1)))) (havoc y) (assume (<= x y)) (! (sequence) :tag c{i})"
        );
        let _ = write!(checks, "(annotate-tag c{i} :check-true (< 0 x))");
    }
    format!(
        "(define-proc main ((a Int)) () ((x Int) (y Int) (first Int))
           (! (sequence {body} (! (sequence) :tag last)) :tag main))
         {checks} (annotate-tag last :check-true {last})
         (declare-const k Int) (verify-call main (k))"
    )
}

#[test]
fn each_check_follows_from_the_one_before() {
    accepted(&program(250, "(< 0 y)"), "");
}

#[test]
fn what_the_beginning_says_is_still_known_at_the_end() {
    accepted(&program(40, "(and (= first a) (<= 40 x 80))"), "");
}

#[test]
fn what_fails_at_the_end_is_found() {
    rejected(&program(40, "(< 40 x)"), "");
    rejected(&program(120, "(< x y)"), "");
}
