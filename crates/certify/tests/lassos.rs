//! Lassos are confirmed when they close, and only then.

use base::budget::Budget;
use certify::{Judged, replay_trace};
use smt::sexpr::Text;
use smt::term::Terms;
use std::time::Duration;
use svlib::interp::Options;
use svlib::parse::Builder;
use svlib::syntax::CommandKind;

/// Judges the trace that ends the script.
fn judge(script: &str) -> Judged {
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
    replay_trace(&mut terms, script, command, trace, &Options::default(), &mut *solver, &budget)
}

fn confirmed(script: &str) {
    assert_eq!(judge(script), Judged::Confirmed);
}

fn rejected(script: &str) -> String {
    match judge(script) {
        Judged::Rejected(reason) => format!("{reason:?}"),
        other => panic!("{other:?}"),
    }
}

fn open(script: &str) {
    let judged = judge(script);
    assert!(matches!(judged, Judged::Open(_)), "{judged:?}");
}

/// A procedure `p` of a constant `k`, whose loop `l` must not recur, with a lasso.
fn task(variables: &str, body: &str, model: &str, steps: &str, claim: &str) -> String {
    format!(
        "(declare-const k Int) (declare-var g Int)
         (define-proc p ((n Int)) ((x Int)) ({variables}) (! (sequence {body}) :tag p))
         (annotate-tag l :not-recurring)
         (select-trace (model (define-fun k () Int {model})) (init-global-vars) (entry-proc p)
           (steps (init-proc-vars p) {steps}) {claim})
         (verify-call p (k))"
    )
}

fn not_recurring(variables: &str, body: &str, model: &str, using: &str) -> String {
    task(variables, body, model, "", &format!("(incorrect-annotation l :not-recurring) {using}"))
}

#[test]
fn figure_6a_has_a_lasso_at_1() {
    let lasso = |invariant: &str| {
        let body = "(assign (x 0) (y n))
            (! (while (< 0 y) (sequence (assign (x (+ x 1))) (if (< 1 y) (assign (y (- y 1)))))) :tag l)";
        not_recurring("(y Int)", body, "1", &format!("(using-annotation l :invariant {invariant})"))
    };
    confirmed(&lasso("(= y 1)"));
    confirmed(&lasso("(< 0 y)"));
    // The stem does not lead there.
    rejected(&lasso("(= y 0)"));
    rejected(&lasso("(= y 2)"));
    // From 0 the loop is left.
    assert!(rejected(&lasso("(<= 0 y)")).contains("a way ends"));
    // What the annotations say of x is true at first only.
    assert!(rejected(&lasso("(and (= y 1) (= x 0))")).contains("after a round"));
    // Not even true is enough: not every state comes back.
    rejected(&lasso("true"));
}

#[test]
fn what_is_not_changed_keeps_its_value() {
    let body = "(assign (x 0)) (! (while (< 0 n) (assign (x (+ x 1)))) :tag l)";
    confirmed(&not_recurring("", body, "1", ""));
    let body = "(assign (x 0)) (! (while (< 0 k) (assign (x (+ x 1)))) :tag l)";
    confirmed(&not_recurring("", body, "1", ""));
    assert!(matches!(judge(&not_recurring("", body, "0", "")), Judged::Rejected(_)));
}

#[test]
fn assumptions_and_decisions() {
    // Whoever decides can stay: some way comes back.
    let guess = "(assign (x 1)) (! (while (< 0 x) (havoc x)) :tag l)";
    let at = |formula: &str| format!("(using-annotation l :invariant {formula})");
    confirmed(&not_recurring("", guess, "1", &at("(< 0 x)")));
    confirmed(&not_recurring("", guess, "1", &at("(= x 1)")));
    let cut = "(assign (x 1)) (! (while (< 0 x) (sequence (havoc x) (assume (< x 0)))) :tag l)";
    rejected(&not_recurring("", cut, "1", &at("(< 0 x)")));
    rejected(&not_recurring("", cut, "1", &at("(= x 1)")));
    let choice = "(assign (x 1)) (! (while (< 0 x) (choice (assign (x 0)) (assign (x (+ x 1))))) :tag l)";
    confirmed(&not_recurring("", choice, "1", &at("(< 0 x)")));
    // An assumption that holds cuts nothing off.
    let fine = "(assign (x 1)) (! (while (< 0 x) (assume (< 0 x))) :tag l)";
    confirmed(&not_recurring("", fine, "1", &at("(= x 1)")));
}

#[test]
fn loops_inside_need_ranking_functions() {
    let body = "(assign (x 1))
        (! (while (< 0 x) (sequence (havoc i) (! (while (< 0 i) (assign (i (- i 1)))) :tag inner))) :tag l)";
    let using = |inner: &str| format!("(using-annotation l :invariant (= x 1)) {inner}");
    let judged = |inner: &str| judge(&not_recurring("(i Int)", body, "1", &using(inner)));
    assert_eq!(judged("(using-annotation inner :decreases i)"), Judged::Confirmed);
    assert_eq!(judged("(using-annotation inner :decreases i :invariant true)"), Judged::Confirmed);
    // Without one, some way comes back all the same: the one with i = 0.
    assert_eq!(judged(""), Judged::Confirmed);
    // Here, nobody decides.
    let body = body.replace("(havoc i)", "(assign (i n))");
    let judged = |inner: &str, n: &str| judge(&not_recurring("(i Int)", &body, n, &using(inner)));
    assert_eq!(judged("(using-annotation inner :decreases i)", "1000"), Judged::Confirmed);
    assert!(matches!(
        judged("(using-annotation inner :decreases (- 5 i))", "1000"),
        Judged::Rejected(_) | Judged::Open(_)
    ));
    assert!(matches!(judged("", "1000"), Judged::Open(_)));
    // A single state, to which the execution itself comes back.
    let pinned = "(using-annotation l :invariant (and (= x 1) (= i 0)))";
    open(&not_recurring("(i Int)", &body, "1000", pinned));
    let body = body.replace("(assign (x 1))", "(assign (x 1) (i 0) (g 0))");
    confirmed(&not_recurring("(i Int)", &body, "1000", pinned));
}

#[test]
fn calls_on_the_way() {
    let task = |callee: &str, using: &str| {
        format!(
            "(declare-var g Int)
             (define-proc step ((a Int)) ((b Int)) () (! {callee} :tag step))
             (define-proc p () () ((x Int))
               (! (sequence (assign (x 1) (g 1)) (! (while (< 0 x) (call step (x) (x))) :tag l)) :tag p))
             (annotate-tag l :not-recurring)
             (select-trace (model) (init-global-vars) (entry-proc p) (steps (init-proc-vars p))
               (incorrect-annotation l :not-recurring) {using})
             (verify-call p ())"
        )
    };
    let positive = "(using-annotation l :invariant (< 0 x))";
    confirmed(&task("(assign (b (+ a 1)))", positive));
    rejected(&task("(assign (b (- a 1)))", positive));
    confirmed(&task("(assign (b (+ a g)))", "(using-annotation l :invariant (< 0 x))"));
    rejected(&task("(assign (g (- g 1)) (b (+ a g)))", positive));
    rejected(&task("(sequence (assume (< a 100)) (assign (b (+ a 1))))", positive));
    confirmed(&task("(if (< a 5) (return) (assign (b 3)))", "(using-annotation l :invariant (= x 1))"));
}

#[test]
fn recursion_without_end() {
    let task = |body: &str, invariant: &str| {
        format!(
            "(define-procs-rec (f ((n Int)) ((r Int)) ()) ((! (sequence {body}) :tag f)))
             (annotate-tag f :not-recurring)
             (select-trace (model) (init-global-vars) (entry-proc f) (steps (init-proc-vars f))
               (incorrect-annotation f :not-recurring) (using-annotation f :invariant {invariant}))
             (verify-call f (7))"
        )
    };
    confirmed(&task("(if (distinct n 0) (call f ((- n 2)) (r)))", "(= (mod n 2) 1)"));
    rejected(&task("(if (distinct n 0) (call f ((- n 2)) (r)))", "true"));
    rejected(&task("(if (distinct n 0) (call f ((- n 1)) (r)))", "(< 0 n)"));
    confirmed(&task("(call f (n) (r))", "(= n 7)"));
}

#[test]
fn recurring_tags_are_avoided() {
    let task = |body: &str, claim: &str| {
        format!(
            "(define-proc p () () ((x Int)) (! (sequence (assign (x 1)) {body}) :tag p))
             (annotate-tag t :recurring)
             (select-trace (model) (init-global-vars) (entry-proc p) (steps (init-proc-vars p)) {claim})
             (verify-call p ())"
        )
    };
    let claim = "(incorrect-annotation t :recurring) (using-annotation l :invariant (= x 1))";
    let avoiding = "(! (while true (if (< x 1) (! (assign (x 1)) :tag t))) :tag l)";
    confirmed(&task(avoiding, claim));
    let visiting = "(! (while true (if (< 0 x) (! (assign (x 1)) :tag t))) :tag l)";
    rejected(&task(visiting, claim));
    let head = "(! (while true (sequence)) :tag t)";
    rejected(&task(head, "(incorrect-annotation t :recurring) (using-annotation t :invariant (= x 1))"));
    // The task does not demand it.
    let other = task(avoiding, claim).replace("(annotate-tag t :recurring)", "");
    rejected(&other);
}

#[test]
fn labels_and_outer_loops() {
    // The head is in an inner loop, and the way back leads through the outer one.
    let body = "(assign (x 0))
        (! (while true (sequence (assign (x 0)) (! (while (< x 1) (assign (x (+ x 1)))) :tag l))) :tag outer)";
    confirmed(&not_recurring("", body, "1", "(using-annotation l :invariant (<= x 1))"));
    let body = "(assign (x 3)) (! (label l) :tag l) (assign (x (+ x 1))) (if (< 0 x) (goto l))";
    confirmed(&not_recurring("", body, "1", "(using-annotation l :invariant (< 0 x))"));
    rejected(&not_recurring("", body, "1", "(using-annotation l :invariant (< (- 2) x))"));
}

#[test]
fn the_claim_has_to_be_the_tasks() {
    let body = "(assign (x 1)) (! (while true (sequence)) :tag l)";
    let script = not_recurring("", body, "1", "").replace("(annotate-tag l :not-recurring)", "");
    rejected(&script);
}

#[test]
fn the_rounds_of_the_stem_may_show_the_choices() {
    // Which way comes back depends on a product, which no solver has to look at: the stem goes round once.
    let body =
        "(assign (x 2)) (! (while (< 0 x) (sequence (havoc x) (assume (= (* x x x n) 8000000)))) :tag l)";
    let claim = "(incorrect-annotation l :not-recurring) (using-annotation l :invariant (= x 200))";
    let steps = "(havoc (x 200)) (havoc (x 200))";
    confirmed(&task("", body, "1", steps, claim));
}
