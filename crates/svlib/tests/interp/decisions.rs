//! The decisions about the meaning of scripts, one test each. The tenth is about signals and belongs to sessions.

use super::support::{at_random, read, replayed, with_inputs};
use smt::value::Value;
use svlib::interp::{EntryRequires, Inputs, Options, Random};

const HALF: &str = "(define-proc half ((n Int)) ((h Int)) ()
      (! (assign (h (div n 2))) :tag proc-half :requires (<= 0 n) :ensures (<= h n)))
    (declare-const k Int)";

#[test]
fn decision_1_the_entrys_precondition_is_checked() {
    let script = format!("{HALF} (verify-call half (k))");
    assert_eq!(with_inputs(&script, &[-1]), "violated proc-half :requires");
    assert_eq!(with_inputs(&script, &[7]), "returned (h 3)");
    let asserted = format!("{HALF} (assert (<= 0 k)) (verify-call half (k))");
    assert_eq!(with_inputs(&asserted, &[-1]), "no model for 2");
    assert!(at_random(&asserted, 50).iter().all(|end| end.starts_with("returned")));
}

#[test]
fn decision_1_the_entrys_precondition_can_be_an_assumption() {
    let mut world = read(&format!("{HALF} (verify-call half (k))"));
    let options = Options { entry_requires: EntryRequires::Assume, ..Options::default() };
    let outcome = world.run(&mut Inputs::new(vec![Value::int(-1)]), &options);
    assert_eq!(world.end(&outcome.end), "blocked");
    // A random model is chosen so that it holds.
    for seed in 0..20 {
        let outcome = world.run(&mut Random::new(seed), &options);
        assert!(world.end(&outcome.end).starts_with("returned"));
    }
}

#[test]
fn decision_2_a_check_holds_before_its_statement_each_time() {
    let script = |check: &str| {
        format!(
            "(define-proc count () ((i Int)) ()
               (! (sequence (assign (i 0))
                  (! (while (< i 3) (assign (i (+ i 1)))) :tag count-loop :check-true {check})) :tag body))
             (verify-call count ())"
        )
    };
    assert_eq!(with_inputs(&script("(< i 3)"), &[]), "violated count-loop :check-true");
    assert_eq!(with_inputs(&script("(<= i 3)"), &[]), "returned (i 3)");
    // On a label it is checked when control jumps there, too; elsewhere before the statement only.
    let label = "(define-proc p () ((i Int)) ()
        (sequence (assign (i 0)) (! (label l) :tag l :check-true (< i 2)) (assign (i (+ i 1))) (goto l)))
      (verify-call p ())";
    assert_eq!(with_inputs(label, &[]), "violated l :check-true");
    let assign = "(define-proc p () ((i Int)) ()
        (sequence (assign (i 0)) (! (assign (i 1)) :tag t :check-true (= i 0))))
      (verify-call p ())";
    assert_eq!(with_inputs(assign, &[]), "returned (i 1)");
}

#[test]
fn decision_3_annotations_are_modular() {
    // The invariant is true but too weak; the jump goes to a state that it allows.
    let script = |values: &str| {
        format!(
            "(define-proc ten () ((i Int)) ((c Int))
               (! (sequence (assign (i 0) (c 1))
                    (! (while (< i 10) (assign (i (+ i 1)))) :tag ten-loop :invariant (<= 0 i))
                    (! (sequence) :tag ten-end :check-true (= i 10))) :tag proc-ten))
             (select-trace (model) (init-global-vars) (entry-proc ten)
               (steps (init-proc-vars ten) (leap ten-loop {values}))
               (incorrect-annotation ten-end :check-true (= i 10)))
             (verify-call ten ())"
        )
    };
    assert_eq!(replayed(&script("(i 11)")), "violated ten-end :check-true, Confirmed");
    assert!(replayed(&script("(i (- 1))")).starts_with("invalid step 1 State"));
    assert!(replayed(&script("(i 11) (c 2)")).starts_with("invalid step 1 Variable"));
    assert_eq!(replayed(&script("(i 10)")), "returned (i 10), Refuted");
}

#[test]
fn decision_4_a_postcondition_holds_afterwards_and_at_looks_back() {
    let script = |ensures: &str| {
        format!(
            "(declare-var calls Int)
             (define-proc clamp ((n Int)) ((r Int)) ()
               (! (sequence (assign (r n) (calls (+ calls 1))) (if (<= 0 n) (return)) (assign (r 0)))
                 :tag proc-clamp :ensures {ensures}))
             (declare-const k Int) (verify-call clamp (k))"
        )
    };
    assert_eq!(with_inputs(&script("(= calls (+ (at calls proc-clamp) 1))"), &[5, 2]), "returned (r 5)");
    assert_eq!(with_inputs(&script("(< r 5)"), &[5, 2]), "violated proc-clamp :ensures");
    assert_eq!(with_inputs(&script("(< r 0)"), &[-5, 2]), "violated proc-clamp :ensures");
    assert_eq!(with_inputs(&script("(= (at r proc-clamp) r)"), &[-5, 2]), "returned (r 0)");
}

#[test]
fn decision_5_a_ranking_function_is_not_negative_where_it_decreases() {
    let script = |rank: &str| {
        format!(
            "(define-proc drain ((n Int)) ((y Int)) ()
               (! (sequence (assign (y n)) (! (while (< 0 y) (assign (y (- y 2)))) :tag drain-loop {rank})) :tag b))
             (declare-const k Int) (verify-call drain (k))"
        )
    };
    assert_eq!(with_inputs(&script(":decreases y"), &[7]), "returned (y (- 1))");
    assert_eq!(with_inputs(&script(":decreases (- y 4)"), &[7]), "violated drain-loop :decreases");
    assert_eq!(with_inputs(&script(":decreases (- y 3)"), &[4]), "violated drain-loop :decreases");
    assert_eq!(with_inputs(&script(":decreases (- y 2)"), &[4]), "returned (y 0)");
    assert_eq!(with_inputs(&script(":decreases 5"), &[7]), "violated drain-loop :decreases");
    assert_eq!(with_inputs(&script(":decreases 5"), &[0]), "returned (y 0)");
    assert_eq!(with_inputs(&script(":decreases-lex (5 y)"), &[7]), "returned (y (- 1))");
    assert_eq!(with_inputs(&script(":decreases-lex ((- 5) y)"), &[7]), "returned (y (- 1))");
    assert_eq!(
        with_inputs(&script(":decreases-lex (5 (- 9 y))"), &[7]),
        "violated drain-loop :decreases-lex"
    );
}

#[test]
fn decision_6_finite_executions_satisfy_liveness() {
    let text = "(define-proc p () ((i Int)) ()
        (! (sequence (assign (i 0)) (! (while (< i 9) (assign (i (+ i 1)))) :tag l)) :tag b :recurring))
      (annotate-tag l :not-recurring) (verify-call p ())";
    assert_eq!(with_inputs(text, &[]), "returned (i 9)");
}

#[test]
fn decision_7_what_is_not_initialised_is_arbitrary() {
    let text = "(define-proc draw () ((r Int)) () (! (sequence) :tag proc-draw))
      (define-proc twice () ((a Int) (b Int)) ()
        (! (sequence (call draw () (a)) (call draw () (b)) (! (sequence) :tag twice-end :check-true (= a b))) :tag t))
      (verify-call twice ())";
    assert!(at_random(text, 30).contains(&"violated twice-end :check-true".to_string()));
    // Globals are arbitrary at the beginning; asserts are about constants.
    let text = "(declare-var g Int) (declare-const c Int) (assert (= c 4))
      (define-proc p () ((r Int)) () (assign (r g))) (verify-call p ())";
    assert!(at_random(text, 30).len() > 5);
    assert_eq!(with_inputs(text, &[4, 6]), "returned (r 6)");
    assert_eq!(with_inputs(text, &[5, 6]), "no model for 2");
}

#[test]
fn decision_8_annotations_add_up_and_a_tag_means_all_its_statements() {
    let text = |last: &str| {
        format!(
            "(define-proc move ((n Int)) ((r Int)) ()
               (! (if (< n 0) (! (assign (r (- n 1))) :tag step) (! (assign (r (+ n 1))) :tag step)) :tag m))
             (annotate-tag step :ensures (distinct r n))
             (annotate-tag step :ensures {last})
             (declare-const k Int) (verify-call move (k))"
        )
    };
    assert_eq!(with_inputs(&text("(distinct r 0)"), &[0]), "returned (r 1)");
    assert_eq!(with_inputs(&text("(distinct r 1)"), &[0]), "violated step :ensures");
    assert_eq!(with_inputs(&text("(distinct r (- 2))"), &[-1]), "violated step :ensures");
    // An annotation after a call does not count for it.
    let mut world = read(
        "(define-proc p () () () (! (sequence) :tag p)) (verify-call p ())
         (annotate-tag p :check-true false) (verify-call p ())",
    );
    let calls = world.calls();
    let first = world.run_call(calls[0], &mut Random::new(0), &Options::default());
    assert_eq!(world.end(&first.end), "returned");
    let second = world.run_call(calls[1], &mut Random::new(0), &Options::default());
    assert_eq!(world.end(&second.end), "violated p :check-true");
}

#[test]
fn decision_9_a_selected_trace_is_replayed() {
    let script = |choice: u32| {
        format!(
            "(define-proc toss () ((r Int)) ()
               (! (choice (assign (r 0)) (assign (r 1))) :tag proc-toss :ensures (= r 0)))
             (select-trace (model) (init-global-vars) (entry-proc toss)
               (steps (init-proc-vars toss) (choice {choice}))
               (incorrect-annotation proc-toss :ensures (= r 0)))
             (verify-call toss ())"
        )
    };
    assert_eq!(replayed(&script(0)), "returned (r 0), Refuted");
    assert_eq!(replayed(&script(1)), "violated proc-toss :ensures, Confirmed");
    assert_eq!(replayed(&script(2)), "invalid step 1 Alternatives(2), InvalidStep(1)");
}
