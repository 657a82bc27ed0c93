//! The checker confirms what is right, rejects what is wrong, and leaves open what it cannot judge.

use base::budget::Budget;
use certify::{Judged, Rejection, replay_trace};
use smt::sexpr::Text;
use smt::term::Terms;
use std::time::Duration;
use svlib::interp::{EntryRequires, Options};
use svlib::parse::Builder;
use svlib::syntax::CommandKind;

/// A procedure whose check fails for inputs from 5 on, after a havoc, a choice and an assumption.
const PROGRAM: &str = "
    (declare-const k Int)
    (define-proc p ((n Int)) ((r Int)) ((b Bool))
      (! (sequence
           (havoc b)
           (assume b)
           (choice (assign (r n)) (assign (r (- n))))
           (! (sequence) :tag end :check-true (< r 5)))
        :tag proc-p))
    (annotate-tag proc-p :requires (<= 0 n))";

const RIGHT: &str = "(init-global-vars) (entry-proc p)
    (steps (init-proc-vars p) (havoc (b true)) (choice 0)) (incorrect-annotation end :check-true (< r 5))";

/// Judges the trace that ends the script.
fn judge(script: &str, options: &Options) -> Judged {
    let mut terms = Terms::new();
    let (mut builder, mut findings) = (Builder::new(&mut terms), Vec::new());
    svlib::parse::read_file(&mut builder, &mut terms, Text::new(script, 0), &mut findings);
    assert!(!findings.iter().any(|f| f.is_error()), "{findings:?}");
    let script = &builder.state.script;
    let command = script.commands.len() - 1;
    let CommandKind::SelectTrace(trace) = &script.commands[command - 1].kind else {
        panic!("a trace is expected")
    };
    let mut solver = solver::open("z3").expect("there is a solver");
    let budget = Budget::of(Duration::from_secs(60));
    replay_trace(&mut terms, script, command, trace, options, &mut *solver, &budget)
}

fn with_trace(before: &str, model: &str, rest: &str) -> String {
    format!("{PROGRAM} {before} (select-trace (model {model}) {rest}) (verify-call p (k))")
}

fn check(before: &str, value: &str, rest: &str) -> Judged {
    judge(&with_trace(before, &format!("(define-fun k () Int {value})"), rest), &Options::default())
}

#[test]
fn what_is_right_is_confirmed() {
    assert_eq!(check("", "5", RIGHT), Judged::Confirmed);
    assert_eq!(check("(assert (< 4 k))", "5", RIGHT), Judged::Confirmed);
}

#[test]
fn another_end_is_rejected() {
    for (before, value, rest) in [
        ("", "4", RIGHT.to_string()),
        // The other alternative violates nothing.
        ("", "5", RIGHT.replace("(choice 0)", "(choice 1)")),
        // The model breaks an assertion.
        ("(assert (< k 5))", "5", RIGHT.to_string()),
    ] {
        let judged = check(before, value, &rest);
        assert!(matches!(judged, Judged::Rejected(Rejection::OtherEnd(_))), "{judged:?}");
    }
}

#[test]
fn steps_that_cannot_be_taken_are_rejected() {
    for (rest, index) in [
        (RIGHT.replace("(choice 0)", "(choice 2)"), 2),
        (RIGHT.replace("(havoc (b true))", "(choice 0)"), 1),
        (RIGHT.replace("(b true)", "(r 1)"), 1),
        // The assumption after the havoc is false, so the choice is never reached.
        (RIGHT.replace("true", "false"), 2),
    ] {
        let judged = check("", "5", &rest);
        assert!(matches!(judged, Judged::Rejected(Rejection::InvalidStep(i, _)) if i == index), "{judged:?}");
    }
}

#[test]
fn a_claimed_invalid_step_is_confirmed_only_if_it_is_one() {
    let claim = |step: &str| {
        format!(
            "(init-global-vars) (entry-proc p) (steps (init-proc-vars p) (havoc (b true))) (invalid-step {step})"
        )
    };
    assert_eq!(check("", "5", &claim("(choice 2)")), Judged::Confirmed);
    assert!(matches!(check("", "5", &claim("(choice 1)")), Judged::Rejected(_)));
}

#[test]
fn an_assertion_that_nobody_evaluates_leaves_the_question_open() {
    let judged =
        check("(declare-fun f (Int) Int) (assert (forall ((i Int)) (< (f i) (f (+ i 1)))))", "5", RIGHT);
    assert!(matches!(judged, Judged::Open(_)), "{judged:?}");
}

#[test]
fn long_executions_are_left_open() {
    let long =
        "(define-proc q () () () (! (sequence (while true (sequence)) (! (sequence) :tag end)) :tag t))
        (annotate-tag end :check-true false)
        (select-trace (model) (init-global-vars) (entry-proc q) (steps (init-proc-vars q))
          (incorrect-annotation end :check-true false))
        (verify-call q ())";
    assert!(matches!(judge(long, &Options { steps: 1000, ..Options::default() }), Judged::Open(_)));
}

#[test]
fn the_entry_contract_is_checked_or_assumed() {
    let claim = "(init-global-vars) (entry-proc p) (steps) (incorrect-annotation proc-p :requires (<= 0 n))";
    let script = with_trace("", "(define-fun k () Int (- 1))", claim);
    assert_eq!(judge(&script, &Options::default()), Judged::Confirmed);
    let assumed = Options { entry_requires: EntryRequires::Assume, ..Options::default() };
    assert!(matches!(judge(&script, &assumed), Judged::Rejected(_)));
}

#[test]
fn a_leap_is_open_if_its_state_cannot_be_judged() {
    let leap = |invariant: &str| {
        format!(
            "(define-proc q () ((i Int)) ()
               (! (sequence (assign (i 0)) (! (while (< i 3) (assign (i (+ i 1)))) :tag l {invariant}))
                 :tag t :ensures (< i 5)))
             (select-trace (model) (init-global-vars) (entry-proc q) (steps (init-proc-vars q) (leap l (i 7)))
               (incorrect-annotation t :ensures (< i 5)))
             (verify-call q ())"
        )
    };
    let judged = |invariant: &str| judge(&leap(invariant), &Options::default());
    assert_eq!(judged(":invariant (<= 0 i)"), Judged::Confirmed);
    assert!(matches!(judged(""), Judged::Rejected(Rejection::InvalidStep(1, _))));
    assert!(matches!(judged(":invariant (forall ((x Int)) (or (< x 9) (< i x)))"), Judged::Open(_)));
}
