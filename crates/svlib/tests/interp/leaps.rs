//! Where a trace may leap and what it shows. Each rule comes with a correct program that a leap would "refute" without
//! it, and with a violation that stays one.

use super::support::{read, replayed};
use svlib::interp::{Judged, Options, Replay};

/// A script with one trace: commands, the entry, steps behind its `init-proc-vars`, the claim.
fn with_trace(commands: &str, entry: &str, steps: &str, claim: &str) -> String {
    format!(
        "{commands}
         (select-trace (model) (init-global-vars) (entry-proc {entry}) (steps (init-proc-vars {entry}) {steps})
           (incorrect-annotation {claim}))
         (verify-call {entry} ())"
    )
}

#[track_caller]
fn check(commands: &str, steps: &str, claim: &str, expected: &str) {
    let found = replayed(&with_trace(commands, "p", steps, claim));
    assert!(found.starts_with(expected), "{steps}: {found}\n{commands}");
}

const UNABSTRACTED: &str = "invalid step 1 Unabstracted, InvalidStep(1)";

#[test]
fn only_annotated_statements_can_be_leapt_at() {
    let program = |annotation: &str| {
        format!(
            "(define-proc p () ((i Int)) ()
               (! (sequence (assign (i 0))
                    (! (while (< i 10) (! (assign (i (+ i 1))) :tag step)) :tag l {annotation})
                    (! (sequence) :tag end :check-true (= i 10))) :tag body))"
        )
    };
    let (leap, claim) = ("(leap l (i 11))", "end :check-true (= i 10)");
    check(&program(":invariant (<= 0 i)"), leap, claim, "violated end :check-true, Confirmed");
    // The program is correct: there is nothing that allows the state.
    for annotation in ["", ":check-true (<= 0 i)", ":decreases (- 20 i)", ":not-recurring"] {
        check(&program(annotation), leap, claim, UNABSTRACTED);
    }
    check(&program(":invariant (<= 0 i)"), "(leap step (i 11))", claim, UNABSTRACTED);
    check(&program(":invariant (<= 0 i)"), "(leap body (i 11))", claim, UNABSTRACTED);
    // The annotation may come from a tag.
    let annotated = format!("{} (annotate-tag l :invariant (<= 0 i))", program(""));
    check(&annotated, leap, claim, "violated end :check-true, Confirmed");
}

#[test]
fn labels_are_loop_heads_too() {
    let program = |annotation: &str| {
        format!(
            "(define-proc p () ((i Int)) ()
               (! (sequence (assign (i 0)) (! (label l) :tag l {annotation})
                    (if (< i 10) (sequence (assign (i (+ i 1))) (goto l)))
                    (! (sequence) :tag end :check-true (= i 10))) :tag body))"
        )
    };
    let (leap, claim) = ("(leap l (i 11))", "end :check-true (= i 10)");
    check(&program(":invariant (<= 0 i)"), leap, claim, "violated end :check-true, Confirmed");
    check(&program(""), leap, claim, UNABSTRACTED);
    // A label modifies nothing, so its contract allows no other state.
    let contract = program(":ensures (<= 0 i)");
    check(&contract, "(leap l (i (- 1)))", "l :ensures (<= 0 i)", "invalid step 1 Variable");
    check(&contract, "(leap l)", claim, "abstracted l, Refuted");
}

#[test]
fn an_invariant_of_another_statement_allows_nothing() {
    let program = "(define-proc p () ((i Int)) ()
        (! (sequence (assign (i 0)) (! (assign (i (+ i 1))) :tag s :invariant (<= 0 i))
             (! (sequence) :tag end :check-true (= i 1))) :tag body))";
    check(program, "(leap s (i 4))", "end :check-true (= i 1)", UNABSTRACTED);
}

#[test]
fn a_contract_says_nothing_about_what_follows() {
    let program = |ensures: &str| {
        format!(
            "(declare-var g Int)
             (define-proc inc () () () (! (assign (g (+ g 1))) :tag inc :ensures {ensures}))
             (define-proc p () () ()
               (! (sequence (assign (g 0)) (call inc () ())
                    (! (sequence) :tag end :check-true (= g 1))) :tag body))"
        )
    };
    // The program is correct.
    let relates = "(= g (+ (at g inc) 1))";
    let (leap, claim) = ("(init-proc-vars inc) (leap inc (g 5))", "end :check-true (= g 1)");
    check(&program(relates), leap, claim, "abstracted inc, Refuted");
    // Steps that would come after it cannot be taken.
    check(&program(relates), &format!("{leap} (leap end)"), claim, "invalid step 3 Ended");
    // What the contract says about the inside is judged.
    let wrong = "(= g 1)";
    check(&program(wrong), leap, &format!("inc :ensures {wrong}"), "violated inc :ensures, Confirmed");
    check(&program(relates), leap, &format!("inc :ensures {relates}"), "abstracted inc, Refuted");
}

#[test]
fn a_leap_counts_for_its_call_only() {
    // The second call of `inc` leaps; the first one is over, and the others are inside it.
    let program = "(declare-var g Int)
        (define-proc inc () () () (! (assign (g (+ g 1))) :tag inc :requires (< g 9)))
        (define-proc twice () () ()
          (! (sequence (call inc () ()) (call inc () ()) (! (sequence) :tag mid :check-true (< g 9))) :tag twice
            :requires (< g 8)))
        (define-proc p () () () (! (sequence (assign (g 0)) (call twice () ())) :tag body))";
    let calls = "(init-proc-vars inc) (init-proc-vars inc)";
    let leap = format!("(init-proc-vars twice) (leap twice (g 7)) {calls}");
    check(program, &leap, "mid :check-true (< g 9)", "violated mid :check-true, Confirmed");
    let inner = "(init-proc-vars twice) (init-proc-vars inc) (leap inc (g 8))";
    check(program, inner, "mid :check-true (< g 9)", "abstracted inc, Refuted");
}

#[test]
fn a_statement_that_is_left_by_a_jump_goes_on() {
    let program = |leave: &str| {
        format!(
            "(define-proc p () ((i Int)) ()
               (! (sequence (assign (i 0))
                    (! (while (< i 3)
                      (! (sequence (assign (i (+ i 1))) {leave}) :tag s :requires (<= 0 i) :ensures (<= 0 i)))
                     :tag l)
                    (label out)
                    (! (sequence) :tag end :check-true (<= i 3))) :tag body :ensures (<= i 3)))"
        )
    };
    for leave in ["(break)", "(goto out)", "(continue)"] {
        let (leap, claim) = ("(leap s (i 7))", "end :check-true (<= i 3)");
        check(&program(leave), leap, claim, "violated end :check-true, Confirmed");
    }
    check(
        &program("(return)"),
        "(leap s (i 7))",
        "body :ensures (<= i 3)",
        "violated body :ensures, Confirmed",
    );
    check(&program("(sequence)"), "(leap s (i 7))", "end :check-true (<= i 3)", "abstracted s, Refuted");
    // `return` in a body does not leave it by a jump: its `:ensures` is judged there.
    let body = "(declare-var g Int)
        (define-proc q () () () (! (sequence (assign (g (+ g 1))) (return)) :tag q :ensures (< (at g q) g)))
        (define-proc p () () ()
          (! (sequence (assign (g 0)) (call q () ()) (! (sequence) :tag end :check-true (= g 1))) :tag body))";
    let leap = "(init-proc-vars q) (leap q (g 5))";
    check(body, leap, "end :check-true (= g 1)", "abstracted q, Refuted");
}

#[test]
fn a_statement_that_is_entered_anew_is_no_longer_hypothetical() {
    // The leap leaves `s` by `continue`; the next round goes through it.
    let program = "(define-proc p () ((i Int)) ()
        (! (sequence (assign (i 0))
             (! (while (< i 9)
                  (! (sequence (assign (i (+ i 1))) (if (= i 8) (continue))) :tag s :ensures (<= i 9))) :tag l)
             (! (sequence) :tag end :check-true (= i 0))) :tag body))";
    check(program, "(leap s (i 7))", "end :check-true (= i 0)", "violated end :check-true, Confirmed");
}

#[test]
fn a_contract_of_a_loop_speaks_of_its_beginning() {
    let program = "(define-proc p () ((i Int) (k Int)) ()
        (! (sequence (assign (i 0) (k 0))
             (! (while (< i 3) (choice (sequence (assign (i (+ i 1))) (assign (k (+ k 1)))) (assign (k 0)))) :tag l
               :requires (<= 0 i) :ensures (<= i 4))) :tag body))";
    check(program, "(leap l (i 5))", "l :ensures (<= i 4)", "violated l :ensures, Confirmed");
    check(program, "(leap l (i (- 1)))", "l :ensures (<= i 4)", "invalid step 1 State");
    let found = replayed(&with_trace(program, "p", "(choice 0) (leap l (i 5))", "l :ensures (<= i 4)"));
    assert_eq!(found, "invalid step 2 Unabstracted, InvalidStep(2)");
}

#[test]
fn a_contract_allows_what_the_statement_modifies_itself() {
    // `j` is modified between two visits of the loop, but not by the loop.
    let program = |annotation: &str| {
        format!(
            "(define-proc p () ((i Int) (j Int)) ()
               (! (sequence (assign (i 0) (j 0)) (label again)
                    (! (while (< i 2) (sequence (assign (i (+ i 1))) (if (= i 1) (goto out)))) :tag l {annotation})
                    (! (sequence) :tag end :check-true (= j 1)) (return)
                    (label out) (assign (j (+ j 1))) (goto again)) :tag body))"
        )
    };
    check(
        &program(":ensures (<= i 2)"),
        "(leap l (j 7))",
        "end :check-true (= j 1)",
        "invalid step 1 Variable",
    );
    check(
        &program(":ensures (<= i 2)"),
        "(leap l (i 7))",
        "l :ensures (<= i 2)",
        "violated l :ensures, Confirmed",
    );
}

#[test]
fn the_inputs_of_a_recursive_procedure_are_no_matter_of_its_loop() {
    let program = |kind: &str| {
        format!(
            "(define-procs-rec (f ((n Int)) ((r Int)) ())
               ((! (while (< 0 n) (sequence (call f ((- n 1)) (r)) (break))) :tag f {kind})))
             (define-proc p () ((r Int)) () (! (call f (2) (r)) :tag body))"
        )
    };
    let steps = "(init-proc-vars f) (leap f (n 7))";
    check(&program(":invariant (<= n 2)"), steps, "f :invariant (<= n 2)", "invalid step 2 Variable");
    check(
        &program(":ensures (<= n 2)"),
        "(init-proc-vars f) (leap f (n 0))",
        "f :ensures (= r 0)",
        "abstracted f",
    );
    let ensures = "(init-proc-vars f) (leap f (n (- 4)))";
    check(&program(":ensures (<= 0 n)"), ensures, "f :ensures (<= 0 n)", "violated f :ensures, Confirmed");
}

#[test]
fn at_means_the_state_after_the_leap() {
    let program = |property: &str| {
        format!(
            "(define-proc p () ((i Int)) ()
               (! (sequence (assign (i 0))
                    (! (while (< i 3) (assign (i (+ i 1)))) :tag l {property})
                    (! (sequence) :tag end :check-true (= (at i l) 5))) :tag body))"
        )
    };
    // The invariant is true at every visit by what `at` means; it allows any state.
    let own = ":invariant (= i (at i l))";
    check(
        &program(own),
        "(leap l (i 6))",
        "end :check-true (= (at i l) 5)",
        "violated end :check-true, Confirmed",
    );
    check(&program(own), "(leap l (i 5))", "end :check-true (= (at i l) 5)", "returned (i 5), Refuted");
    // A contract relates its end to the state after the leap.
    let contract = "(declare-var g Int)
        (define-proc p () () ()
          (! (sequence (assign (g 1)) (! (assign (g (* 2 g))) :tag s :ensures (= g (* 2 (at g s))))) :tag body))";
    check(contract, "(leap s (g 4))", "s :ensures (= g (* 2 (at g s)))", "abstracted s, Refuted");
}

#[test]
fn a_ranking_function_is_compared_from_the_leap_on() {
    let program = |rank: &str| {
        format!(
            "(define-proc p () ((i Int)) ()
               (! (sequence (assign (i 0))
                    (! (while (< i 9) (choice (assign (i (+ i 1))) (assume false))) :tag l :invariant true
                      :decreases {rank})) :tag body))"
        )
    };
    // The leap goes up; the round after it goes down.
    let steps = "(choice 0) (leap l (i (- 5))) (choice 0) (choice 1)";
    check(&program("(- 9 i)"), steps, "l :decreases (- 9 i)", "blocked, Refuted");
    check(&program("(- i)"), "(leap l (i (- 9))) (choice 0)", "l :decreases (- i)", "invalid step 3 Missing");
    check(
        &program("i"),
        "(choice 0) (leap l (i 7)) (choice 0)",
        "l :decreases i",
        "violated l :decreases, Confirmed",
    );
}

#[test]
fn a_leap_into_a_recursive_call_is_not_compared_with_its_caller() {
    let program = |argument: &str| {
        format!(
            "(define-procs-rec (f ((n Int)) () ())
               ((! (if (< 0 n) (call f ({argument}) ())) :tag f :requires (<= n 50) :decreases n)))
             (define-proc p () () () (! (call f (3) ()) :tag body))"
        )
    };
    // Correct: a call with 40 has other callers than one with 3.
    let steps = "(init-proc-vars f) (init-proc-vars f) (leap f (n 40)) (init-proc-vars f)";
    check(&program("(- n 1)"), steps, "f :decreases n", "abstracted f, Refuted");
    let argument = "(ite (= n 40) 41 (- n 1))";
    check(&program(argument), steps, "f :decreases n", "violated f :decreases, Confirmed");
}

#[test]
fn the_state_after_a_leap_satisfies_all_invariants_and_preconditions() {
    let program = "(define-proc p () ((i Int)) ()
        (! (sequence (assign (i 0))
             (! (while (< i 3) (assign (i (+ i 1)))) :tag l :tag m :invariant (<= 0 i) :requires (< i 9)))
          :tag body :ensures (< i 5)))
      (annotate-tag m :invariant (<= i 7))";
    check(program, "(leap l (i 7))", "body :ensures (< i 5)", "violated body :ensures, Confirmed");
    for value in ["(- 1)", "8", "9"] {
        check(program, &format!("(leap l (i {value}))"), "body :ensures (< i 5)", "invalid step 1 State");
    }
}

#[test]
fn an_annotation_without_a_value_leaves_the_leap_open() {
    let program = "(define-proc p () ((i Int)) ()
        (! (sequence (assign (i 0))
             (! (while (< i 3) (assign (i (+ i 1)))) :tag l :invariant (forall ((x Int)) (or (< x 9) (< i x)))))
          :tag body :ensures (< i 5)))";
    let mut world = read(&with_trace(program, "p", "(leap l (i 77))", "body :ensures (< i 5)"));
    let outcome = world.run(&mut Replay::of_trace(&world.terms, &world.trace()), &Options::default());
    assert!(outcome.unchecked.iter().any(|u| matches!(u.what, Judged::Leap(..))), "{:?}", outcome.unchecked);
}
