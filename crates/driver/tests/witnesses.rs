//! What may be in a witness: commands that change the question are no evidence.

use driver::{Format, Input, Threads, Validation, VerifyOptions, validate};

const TASK: &str = "(set-logic LIA)
(define-proc p ((n Int)) ((r Int)) ()
  (! (sequence (assign (r n)) (! (sequence) :tag end :check-true (< r 5))) :tag proc))
(declare-const k Int)
(verify-call p (k))
(verify-call p (3))";

fn judge(witness: &str) -> Vec<Validation> {
    let input = |name: &str, text: &str| Input {
        name: name.into(),
        bytes: text.as_bytes().to_vec(),
        format: Format::SvLib,
    };
    let (task, witness) = (vec![input("task", TASK)], input("witness", witness));
    let mut results = Vec::new();
    let options = VerifyOptions::default();
    let (_, findings) = validate(task, witness, &options, &mut Threads::default(), |r| results.push(r));
    assert!(findings.iter().all(|f| !f.is_error()), "{findings:#?}");
    results
}

fn trace(value: u32, claimed: &str) -> String {
    format!(
        "(select-trace (model (define-fun k () Int {value})) (init-global-vars) (entry-proc p)
          (steps (init-proc-vars p (r 0))) (incorrect-annotation end :check-true {claimed}))"
    )
}

#[track_caller]
fn rejected(witness: &str, reason: &str) {
    let result = judge(witness).swap_remove(0);
    assert!(matches!(&result, Validation::Rejected(why) if why.contains(reason)), "{result:?}");
}

#[test]
fn traces_are_confirmed() {
    let right = trace(9, "(< r 5)");
    assert_eq!(judge(&format!("({right})"))[0], Validation::Confirmed);
    assert_eq!(judge(&format!("incorrect ({right})"))[0], Validation::Confirmed);
    // A helper of one's own is fine.
    let definition = "(define-fun nine () Int 9)";
    assert_eq!(judge(&format!("({definition} {right})"))[0], Validation::Confirmed);
    // Nothing is said about the second query, and the first one's witness says nothing about it.
    assert!(matches!(judge(&format!("({right})"))[1], Validation::Unknown(_)));
    let both = judge(&format!("({right}) ({})", trace(9, "(< r 5)")));
    assert!(matches!(both[1], Validation::Rejected(_)), "the second query has no such execution");
}

#[test]
fn all_traces_have_to_be_right() {
    rejected(&format!("({} {})", trace(9, "(< r 5)"), trace(4, "(< r 5)")), "");
    rejected(&format!("({} {})", trace(4, "(< r 5)"), trace(9, "(< r 5)")), "");
}

#[test]
fn a_violation_witness_must_not_bring_the_property_it_violates() {
    let trace = trace(4, "false");
    rejected(&format!("({trace})"), "");
    rejected(&format!("((annotate-tag end :check-true false) {trace})"), "must not add annotations");
}

#[test]
fn a_witness_must_not_leave_out_executions() {
    rejected("((assert (< k 5)))", "must not assert");
    rejected(&format!("((assert (< k 50)) {})", trace(9, "(< r 5)")), "must not assert");
}

#[test]
fn a_witness_must_not_change_the_program_or_ask() {
    rejected("((declare-var g Int))", "must not change the program");
    rejected("((define-proc q () () () (! (sequence) :tag q)))", "must not change the program");
    rejected("((get-witness))", "evidence only");
    rejected("((get-assertions))", "evidence only");
}

#[test]
fn recursive_definitions_are_not_judged() {
    let result = judge("((define-fun-rec f ((x Int)) Int (+ 1 (f x))))").swap_remove(0);
    assert!(matches!(result, Validation::Unknown(_)), "{result:?}");
}

#[test]
fn a_witness_shows_what_it_claims() {
    rejected(&format!("correct ({})", trace(9, "(< r 5)")), "it has a trace");
    rejected("incorrect ((annotate-tag end :invariant true))", "it has no trace");
}
