//! Replay of traces: matching of steps, invalid steps, jumps, claims, lassos.

use super::support::{read, replayed};
use svlib::interp::{End, Event, Happening, Options, Replay, Task, run_observed};

/// Two procedures with all kinds of steps; the trace has these steps and claims this.
fn script(steps: &str, claim: &str) -> String {
    format!(
        "(declare-var g Int) (declare-const c Int) (assert (< 0 c))
         (define-proc q ((n Int)) ((r Int)) ((x Int))
           (! (sequence (havoc x) (assign (r (+ n x)))) :tag q :ensures (< r 50)))
         (define-proc p ((n Int)) ((r Int)) ((x Int) (y Bool))
           (! (sequence
                (assign (r 0))
                (! (while (< r n) (choice (assign (r (+ r 1))) (call q (r) (r)) (assume false))) :tag l)
                (! (sequence) :tag end :check-true (= r n))) :tag p))
         (annotate-tag l :invariant (<= 0 r))
         (select-trace (model (define-fun c () Int 3)) (init-global-vars (g 5)) (entry-proc p)
           (steps {steps}) {claim})
         (verify-call p (c))"
    )
}

const END: &str = "(incorrect-annotation end :check-true (= r n))";

#[track_caller]
fn check(steps: &str, claim: &str, expected: &str) {
    assert_eq!(replayed(&script(steps, claim)), expected, "{steps}");
}

#[test]
fn a_trace_that_fits() {
    check(
        "(init-proc-vars p) (choice 1) (init-proc-vars q) (havoc (x 7))",
        END,
        "violated end :check-true, Confirmed",
    );
    check(
        "(init-proc-vars p (x 1) (y true)) (choice 1) (init-proc-vars q (r 2) (x 3)) (havoc (x 7))",
        END,
        "violated end :check-true, Confirmed",
    );
    // Nothing is violated.
    check("(init-proc-vars p) (choice 0) (choice 0) (choice 0)", END, "returned (r 3), Refuted");
}

#[test]
fn steps_that_do_not_fit() {
    check("(init-proc-vars q)", END, "invalid step 0 Procedure(ProcId(1)), InvalidStep(0)");
    check("(choice 0)", END, "invalid step 0 Kind(\"init-proc-vars\"), InvalidStep(0)");
    check("(init-proc-vars p) (init-proc-vars q)", END, "invalid step 1 Kind(\"choice\"), InvalidStep(1)");
    check("(init-proc-vars p) (choice 3)", END, "invalid step 1 Alternatives(3), InvalidStep(1)");
    check(
        "(init-proc-vars p) (choice 1) (init-proc-vars p)",
        END,
        "invalid step 2 Procedure(ProcId(0)), InvalidStep(2)",
    );
    check(
        "(init-proc-vars p) (choice 1) (init-proc-vars q) (choice 0)",
        END,
        "invalid step 3 Kind(\"havoc\"), InvalidStep(3)",
    );
    check(
        "(init-proc-vars p) (choice 1) (init-proc-vars q) (leap l (r 3))",
        END,
        "invalid step 3 Kind(\"havoc\"), InvalidStep(3)",
    );
}

#[test]
fn variables_that_do_not_fit() {
    let starts = |steps: &str, expected: &str| {
        let found = replayed(&script(steps, END));
        assert!(found.starts_with(expected), "{steps}: {found}");
    };
    // An input, a global, and a variable twice.
    starts("(init-proc-vars p (n 1))", "invalid step 0 Variable");
    starts("(init-proc-vars p (g 1))", "invalid step 0 Variable");
    starts("(init-proc-vars p (x 1) (x 2))", "invalid step 0 Twice");
    starts("(init-proc-vars p) (choice 1) (init-proc-vars q) (havoc (r 7))", "invalid step 3 Variable");
    starts("(init-proc-vars p) (leap l (y true))", "invalid step 1 Variable");
    starts("(init-proc-vars p) (leap l (r 1) (r 2))", "invalid step 1 Twice");
}

#[test]
fn steps_that_are_left_over_or_missing() {
    // The trace goes on when the execution is over or cut off.
    let back = "(choice 0) (choice 0) (choice 0)";
    check(&format!("(init-proc-vars p) {back} (choice 0)"), END, "invalid step 4 Ended, InvalidStep(4)");
    let found = replayed(&script("(init-proc-vars p) (choice 2) (choice 0)", END));
    assert!(found.starts_with("invalid step 2 Blocked"), "{found}");
    check("(init-proc-vars p) (choice 2)", END, "blocked, Refuted");
    // The trace ends before a choice; other steps may be missing.
    check("(init-proc-vars p)", END, "invalid step 1 Missing, InvalidStep(1)");
    check("", END, "invalid step 0 Missing, InvalidStep(0)");
    check("(init-proc-vars p) (choice 1)", END, "invalid step 2 Missing, InvalidStep(2)");
    // Steps after the claimed violation are not used.
    let mut world =
        read(&script("(init-proc-vars p) (choice 1) (init-proc-vars q) (havoc (x 7)) (choice 0)", END));
    let outcome = world.run(&mut Replay::of_trace(&world.terms, &world.trace()), &Options::default());
    assert!(matches!(outcome.end, End::Violated(_)));
    assert_eq!(outcome.unused, 1);
}

#[test]
fn the_model_must_satisfy_the_asserts_and_the_entry_must_be_the_calls() {
    let text = script("(init-proc-vars p)", END);
    assert_eq!(replayed(&text.replace("Int 3", "Int 0")), "no model for 2, Refuted");
    assert_eq!(replayed(&text.replace("(entry-proc p)", "(entry-proc q)")), "WrongEntry(ProcId(0)), Refuted");
}

#[test]
fn a_claim_is_followed_past_other_violations() {
    let steps = "(init-proc-vars p) (choice 1) (init-proc-vars q) (havoc (x 70))";
    check(steps, END, "violated end :check-true, Confirmed");
    check(steps, "(incorrect-annotation q :ensures (< r 50))", "violated q :ensures, Confirmed");
    let mut world = read(&script(steps, END));
    let outcome = world.run(&mut Replay::of_trace(&world.terms, &world.trace()), &Options::default());
    assert_eq!(outcome.passed.len(), 1);
    let first = Replay::of_trace(&world.terms, &world.trace()).to_first_violation();
    let outcome = world.run(&mut { first }, &Options::default());
    assert_eq!(world.end(&outcome.end), "violated q :ensures");
    // What is claimed must be an annotation, exactly.
    check(steps, "(incorrect-annotation end :check-true (= n r))", "returned (r 70), Refuted");
    check(steps, "(incorrect-annotation q :ensures (< r 50) :check-true false)", "returned (r 70), Refuted");
}

#[test]
fn a_claim_of_several_properties_waits_for_all() {
    let text = "(define-proc p ((n Int)) ((r Int)) ()
        (! (assign (r n)) :tag p :requires (< n 0) :ensures (< r 0)))
      (select-trace (model) (init-global-vars) (entry-proc p) (steps)
        (incorrect-annotation p :requires (< n 0) :ensures (< r 0)))
      (verify-call p (5))";
    assert_eq!(replayed(text), "violated p :ensures, Confirmed");
}

#[test]
fn claims_of_invalid_steps() {
    check("(init-proc-vars p)", "(invalid-step (choice 3))", "invalid step 1 Alternatives(3), Confirmed");
    check(
        "(init-proc-vars p)",
        "(invalid-step (init-proc-vars q))",
        "invalid step 1 Kind(\"choice\"), Confirmed",
    );
    check(
        "(init-proc-vars p) (choice 5)",
        "(invalid-step (choice 3))",
        "invalid step 1 Alternatives(3), InvalidStep(1)",
    );
    check("(init-proc-vars p)", "(invalid-step (choice 0))", "invalid step 2 Missing, InvalidStep(2)");
    let blocked = replayed(&script("(init-proc-vars p) (choice 2)", "(invalid-step (choice 0))"));
    assert!(blocked.starts_with("invalid step 2 Blocked"), "{blocked}");
}

#[test]
fn a_leap_happens_at_the_first_visit_after_the_steps_before() {
    let steps = "(init-proc-vars p) (leap l (r 9))";
    check(steps, END, "violated end :check-true, Confirmed");
    check("(init-proc-vars p) (choice 0) (leap l (r 9))", END, "violated end :check-true, Confirmed");
    // Another step is due before the tag is visited again.
    check(
        "(init-proc-vars p) (leap l (r 0)) (leap l (r 9))",
        END,
        "invalid step 2 Kind(\"choice\"), InvalidStep(2)",
    );
    let found = replayed(&script("(init-proc-vars p) (leap l (r (- 1)))", END));
    assert!(found.starts_with("invalid step 1 State"), "{found}");
    // The tag is never visited.
    check(
        "(init-proc-vars p) (choice 0) (choice 0) (choice 0) (leap q (r 1))",
        END,
        "invalid step 4 Ended, InvalidStep(4)",
    );
}

#[test]
fn a_leap_may_set_what_the_statement_can_modify() {
    let text = |values: &str| {
        format!(
            "(declare-var g Int) (declare-var h Int) (declare-var i Int)
             (define-proc deep () () () (assign (g 1)))
             (define-proc callee () ((r Int)) ((x Int)) (sequence (call deep () ()) (assign (x 0) (r 0))))
             (define-proc p () ((a Int) (b Int) (z Int)) ((c Int))
               (sequence (assign (a 0) (b 0) (c 0) (z 0))
                 (! (while (< a 0) (sequence (call callee () (b)) (havoc c))) :tag l :invariant true)
                 (assign (i 1))
                 (! (label k) :tag k :invariant true)
                 (if (< a 0) (sequence (assign (h 1)) (goto k)))
                 (! (sequence) :tag end :check-true false)))
             (select-trace (model) (init-global-vars) (entry-proc p) (steps (init-proc-vars p) {values})
               (incorrect-annotation end :check-true false))
             (verify-call p ())"
        )
    };
    for values in ["(leap l (b 1))", "(leap l (c 1) (g 1))", "(leap k (h 1))", "(leap l) (leap k)"] {
        assert_eq!(replayed(&text(values)), "violated end :check-true, Confirmed", "{values}");
    }
    for values in ["(leap l (a 1))", "(leap l (h 1))", "(leap k (g 1))", "(leap k (z 1))", "(leap l (i 1))"] {
        assert!(replayed(&text(values)).starts_with("invalid step 1 Variable"), "{values}");
    }
}

#[test]
fn a_leap_at_a_recursive_procedure_stands_for_any_number_of_calls() {
    let text = "(define-procs-rec (f ((n Int)) ((r Int)) ())
        ((! (if (< 0 n) (call f ((- n 1)) (r)) (assign (r n))) :tag f :requires (<= n 10) :ensures (= r 0))))
      (select-trace (model) (init-global-vars) (entry-proc f) (steps (init-proc-vars f) (leap f (n (- 1)) (r 0)))
        (incorrect-annotation f :ensures (= r 0)))
      (verify-call f (3))";
    assert_eq!(replayed(text), "violated f :ensures, Confirmed");
    let found = replayed(&text.replace("(n (- 1))", "(n 11)"));
    assert!(found.starts_with("invalid step 1 State"), "{found}");
}

#[test]
fn a_leap_may_violate_a_check_and_a_ranking_function_later() {
    let text = |claim: &str| {
        format!(
            "(define-proc p () ((i Int)) ()
               (sequence (assign (i 0))
                 (! (while (< i 10) (assign (i (+ i 1)))) :tag l :invariant (<= 0 i) :check-true (<= i 10)
                   :decreases (- 5 i))))
             (select-trace (model) (init-global-vars) (entry-proc p) (steps (init-proc-vars p) (leap l (i {claim}
             (verify-call p ())"
        )
    };
    let check = "11))) (incorrect-annotation l :check-true (<= i 10)))";
    assert_eq!(replayed(&text(check)), "violated l :check-true, Confirmed");
    let rank = "7))) (incorrect-annotation l :decreases (- 5 i)))";
    assert_eq!(replayed(&text(rank)), "violated l :decreases, Confirmed");
}

#[test]
fn stems_of_lassos() {
    let text = |start: i64, using: &str| {
        format!(
            "(define-proc cool ((t0 Int)) ((t Int)) ()
               (! (sequence (assign (t t0))
                 (! (while (< 20 t) (if (< 25 t) (assign (t (- t 1))))) :tag l)) :tag cool :ensures false))
             (annotate-tag l :not-recurring)
             (select-trace (model) (init-global-vars) (entry-proc cool) (steps (init-proc-vars cool))
               (incorrect-annotation l :not-recurring) {using})
             (verify-call cool ({start}))"
        )
    };
    let at = |t: i64| format!("(using-annotation l :invariant (= t {t}))");
    assert_eq!(replayed(&text(25, &at(25))), "stem true, Stem");
    // Rounds that no step decides may come before.
    assert_eq!(replayed(&text(40, &at(25))), "stem true, Stem");
    assert_eq!(replayed(&text(25, "")), "stem true, Stem");
    assert_eq!(replayed(&text(25, &at(20))), "stem false, Refuted");
    assert_eq!(replayed(&text(3, &at(25))), "returned (t 3), Refuted");
}

#[test]
fn values_of_traces_in_every_spelling() {
    let text = "(declare-datatype L ((nil) (cons (h Int) (t L))))
      (define-proc p () ((r Bool)) ((i Int) (q Real) (v (_ BitVec 8)) (a (Array Int Int)) (l L))
        (! (sequence (havoc i q v a l)
          (assign (r (and (= i (- 1)) (= q 2.0) (= v #x05) (= (select a 3) 4) (= l (cons 1 nil)))))) :tag p :ensures (not r)))
      (select-trace (model) (init-global-vars) (entry-proc p)
        (steps (init-proc-vars p)
          (havoc (i -1) (q 2) (v (_ bv5 8)) (a (store ((as const (Array Int Int)) 0) 3 4)) (l (cons 1 nil))))
        (incorrect-annotation p :ensures (not r)))
      (verify-call p ())";
    assert_eq!(replayed(text), "violated p :ensures, Confirmed");
}

#[test]
fn variables_without_values_are_arbitrary() {
    let text = "(declare-var g Int)
      (define-proc p () ((r Int)) ((x Int)) (! (assign (r (+ g x))) :tag p :ensures (= r 1)))
      (select-trace (model) (init-global-vars) (entry-proc p) (steps (init-proc-vars p (r 4)))
        (incorrect-annotation p :ensures (= r 1)))
      (verify-call p ())";
    let mut world = read(text);
    let outcome = world.run(&mut Replay::of_trace(&world.terms, &world.trace()), &Options::default());
    assert!(matches!(outcome.end, End::Violated(_)));
    assert_eq!(outcome.arbitrary.map(|fun| world.terms.fun_name(fun)), Some("g"));
    let given = text.replace("(init-global-vars)", "(init-global-vars (g 1))").replace("(r 4)", "(x 1)");
    let mut world = read(&given);
    let outcome = world.run(&mut Replay::of_trace(&world.terms, &world.trace()), &Options::default());
    assert_eq!(outcome.arbitrary, None);
}

#[test]
fn events_tell_what_happened() {
    let mut world = read(&script("(init-proc-vars p) (choice 1) (init-proc-vars q) (havoc (x 7))", END));
    let mut events = Vec::new();
    let mut replay = Replay::of_trace(&world.terms, &world.trace());
    let call = world.calls()[0];
    let task = Task::new(&mut world.terms, &world.script, call).expect("a call");
    let mut observer = |event: &Event| {
        let text = match &event.what {
            Happening::Call(_, values) => format!("call {}", values.len()),
            Happening::Return(_, values) => format!("return {}", values.len()),
            Happening::Assign(values) => format!("assign {}", values.len()),
            Happening::Havoc(_) => "havoc".into(),
            Happening::Choice(index) => format!("choice {index}"),
            Happening::Test(holds) => format!("test {holds}"),
            Happening::Visit => "visit".into(),
            Happening::Violated(_) => "violated".into(),
            other => format!("{other:?}"),
        };
        events.push(format!("{}{text}", " ".repeat(event.depth)));
    };
    let outcome = run_observed(&task, &world.terms, &mut replay, &Options::default(), &mut observer);
    let expected = [
        "call 4",
        " visit",
        " assign 1",
        " visit",
        " test true",
        " choice 1",
        " call 3",
        "  visit",
        "  havoc",
        "  assign 1",
        " return 1",
        " visit",
        " test false",
        " visit",
        " violated",
    ];
    assert_eq!(events, expected);
    assert_eq!(outcome.end.message(&world.terms, &task), ":check-true of `end` is violated");
}

#[test]
fn values_that_a_trace_does_not_really_give() {
    let text = |model: &str, globals: &str| {
        format!(
            "(declare-var g Int) (declare-const c Int)
             (define-proc p ((n Int)) () () (! (sequence) :tag p :check-true false))
             (select-trace (model {model}) (init-global-vars {globals}) (entry-proc p) (steps (init-proc-vars p))
               (incorrect-annotation p :check-true false))
             (verify-call p (c))"
        )
    };
    assert_eq!(replayed(&text("(define-fun c () Int 1)", "(g 2)")), "violated p :check-true, Confirmed");
    // A value may use the model.
    let helper = "(define-fun h ((x Int)) Int (+ x 1)) (define-fun c () Int (h 4))";
    assert_eq!(replayed(&text(helper, "(g (h 1))")), "violated p :check-true, Confirmed");
    let bad = ["(define-fun c () Int c)", "(define-fun c () Int 1) (define-fun c () Int 2)"];
    for model in bad {
        assert!(replayed(&text(model, "")).starts_with("BadSymbol"), "{model}");
    }
    assert!(replayed(&text("", "(g 1) (g 2)")).starts_with("BadSymbol"));
    assert!(replayed(&text("", "(g g)")).starts_with("BadSymbol"));
}
