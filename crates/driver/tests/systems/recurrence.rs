//! Counterexamples of live properties that repeat no state: what the engine finds, and what the checker accepts.

use super::system;
use base::budget::Budget;
use certify::{Judged, check_recurrence};
use engines::systems::{SystemFound, SystemProblem};
use formats::Source;
use formats::vmt::evidence::{read_trace, write_trace};
use smt::term::{TermId, Terms};
use std::time::Duration;
use ts::{PropertyKind, System, Trace};

/// A system with one live property: its formulas are `live` and all hints.
fn live(terms: &mut Terms, text: &str) -> System {
    let mut system = system(terms, text);
    let hints = std::mem::take(&mut system.hints);
    let PropertyKind::Live(formulas) = &mut system.properties[0].kind else { panic!("a live property") };
    formulas.extend(hints);
    system
}

fn judge(terms: &mut Terms, system: &System, trace: &Trace) -> Judged {
    let mut solver = solver::open("z3").expect("a solver");
    check_recurrence(terms, system, &system.properties[0], trace, &mut *solver, &Budget::unlimited())
}

/// Whether the engine finds a counterexample; the checker has to accept it, and its text has to be read as it was written.
fn finds(text: &str, seconds: u64) -> Result<bool, String> {
    let mut terms = Terms::new();
    let system = live(&mut terms, text);
    let budget = Budget::of(Duration::from_secs(seconds));
    let property = &system.properties[0];
    let problem = SystemProblem { system: &system, property, seed: 0, budget, solver: "z3" };
    let info = engines::systems::find("recurrence").expect("an engine");
    match (info.run)(&mut terms, &problem) {
        SystemFound::Nothing(reason) => Err(reason),
        SystemFound::Proof(_) => panic!("it proves nothing: {text}"),
        SystemFound::Violation(trace) => {
            let mut errors = Vec::new();
            let evidence = write_trace(&mut terms, &system, 0, &trace).expect("names are good");
            let source = Source { bytes: evidence.as_bytes(), base: 0 };
            let read = read_trace(&mut terms, &system, source, &mut errors);
            let (_, mut again) = read.unwrap_or_else(|| panic!("{errors:?}\n{evidence}"));
            assert_eq!(again.recurrence, trace.recurrence, "{evidence}");
            again.complete(&mut terms, &system);
            assert_eq!(judge(&mut terms, &system, &again), Judged::Confirmed, "{text}\n{evidence}");
            Ok(true)
        }
    }
}

fn variables(sort: &str, names: &[&str]) -> String {
    let declare = |name: &&str| format!("(declare-const {name} {sort})(declare-const {name}.next {sort})");
    names.iter().map(declare).collect()
}

const UP: &str = "(define-fun init () Bool (= x 0)) (define-fun trans () Bool (= x.next (+ x 1)))";

#[test]
fn counters_that_go_up() {
    let x = variables("Int", &["x"]);
    assert_eq!(finds(&format!("{x}{UP}(define-fun live () Bool (< x 0))"), 60), Ok(true));
    assert_eq!(finds(&format!("{x}{UP}(define-fun live () Bool (< x 5))"), 60), Ok(true));
    // Every other step is a violation, and no state comes again.
    assert_eq!(finds(&format!("{x}{UP}(define-fun live () Bool (= (mod x 2) 0))"), 60), Ok(true));
    assert_eq!(finds(&format!("{x}{UP}(define-fun live () Bool (= (mod x 3) 1))"), 60), Ok(true));
}

#[test]
fn counters_apart() {
    let text = format!(
        "{}(define-fun init () Bool (and (= x 0) (= y 3)))
(define-fun trans () Bool (and (= x.next (+ x 1)) (= y.next (ite (< x y) (+ y 2) (- y 1)))))",
        variables("Int", &["x", "y"])
    );
    assert_eq!(finds(&format!("{text}(define-fun live () Bool (< y x))"), 60), Ok(true));
    // Each of two formulas is violated again and again, in different steps.
    let two = "(define-fun live () Bool (= (mod x 2) 0))(define-fun hint1 () Bool (not (= (mod x 2) 0)))";
    assert_eq!(finds(&format!("{text}{two}"), 60), Ok(true));
}

#[test]
fn choices_and_guards() {
    let x = variables("Int", &["x"]);
    // The right input, and one that has to be another one in each step.
    let chosen = "(declare-const b Bool)(define-fun init () Bool (= x 0))
(define-fun trans () Bool (= x.next (ite b (+ x 1) (ite (> x 0) (- x 1) 0))))";
    assert_eq!(finds(&format!("{x}{chosen}(define-fun live () Bool (< x 3))"), 60), Ok(true));
    let follows = "(declare-const i Int)(define-fun init () Bool (= x 0))
(define-fun trans () Bool (and (> i x) (= x.next i)))";
    assert_eq!(finds(&format!("{x}{follows}(define-fun live () Bool (< x 3))"), 60), Ok(true));
    // It stands still, where no state but one comes again, or goes on.
    let guard = "(define-fun init () Bool (= x 0))
(define-fun trans () Bool (= x.next (ite (>= x 4) (+ x 2) (+ x 1))))";
    assert_eq!(finds(&format!("{x}{guard}(define-fun live () Bool (<= x 4))"), 60), Ok(true));
    // Only some value after this one, and more than twice this one.
    let relation = "(define-fun init () Bool (= x 1)) (define-fun trans () Bool (> x.next x))";
    assert_eq!(finds(&format!("{x}{relation}(define-fun live () Bool (< x 0))"), 60), Ok(true));
    let twice = relation.replace("(> x.next x)", "(> x.next (* 2 x))");
    assert_eq!(finds(&format!("{x}{twice}(define-fun live () Bool (< x 0))"), 60), Ok(true));
}

/// A program that begins anew with a larger number when it has counted down.
#[test]
fn programs() {
    let text = format!(
        "{}(define-fun init () Bool (and (= pc 0) (= x 1) (= y 1)))
(define-fun trans () Bool (or
  (and (= pc 0) (= pc.next 1) (= x.next (+ x y)) (= y.next y))
  (and (= pc 1) (> x y) (= pc.next 0) (= y.next (+ y 1)) (= x.next x))
  (and (= pc 1) (<= x y) (= pc.next 2) (= x.next x) (= y.next y))
  (and (= pc 2) (= pc.next 2) (= x.next x) (= y.next y))))",
        variables("Int", &["pc", "x", "y"])
    );
    assert_eq!(finds(&format!("{text}(define-fun live () Bool (= pc 2))"), 60), Ok(true));
    assert_eq!(finds(&format!("{text}(define-fun live () Bool (not (= pc 1)))"), 60), Ok(true));
    let reals = format!(
        "{}(define-fun init () Bool (= x 1.0)) (define-fun trans () Bool (= x.next (/ x 2.0)))",
        variables("Real", &["x"])
    );
    assert_eq!(finds(&format!("{reals}(define-fun live () Bool (<= x 0.0))"), 60), Ok(true));
    let array = format!(
        "{}{}(define-fun init () Bool (and (= i 0) (= (select a 0) 7)))
(define-fun trans () Bool (and (= i.next (+ i 1)) (= a.next (store a i.next (select a i)))))",
        variables("(Array Int Int)", &["a"]),
        variables("Int", &["i"])
    );
    assert_eq!(finds(&format!("{array}(define-fun live () Bool (not (= (select a i) 7)))"), 60), Ok(true));
}

/// Squares, numbers that change their sign, and sums of the last two.
#[test]
fn numbers_that_grow_fast() {
    let x = variables("Int", &["x"]);
    let text = |next: &str| {
        format!("{x}(define-fun init () Bool (= x 2))(define-fun trans () Bool (= x.next {next}))")
    };
    assert_eq!(finds(&format!("{}(define-fun live () Bool (< x 100))", text("(* x x)")), 60), Ok(true));
    let sign = text("(* (- 2) x)");
    assert_eq!(finds(&format!("{sign}(define-fun live () Bool (< x 0))"), 60), Ok(true));
    assert_eq!(finds(&format!("{sign}(define-fun live () Bool (> x 0))"), 60), Ok(true));
    let sums = format!(
        "{}(define-fun init () Bool (and (= x 1) (= y 1)))
(define-fun trans () Bool (and (= x.next (+ x y)) (= y.next x)))(define-fun live () Bool (< x 20))",
        variables("Int", &["x", "y"])
    );
    assert_eq!(finds(&sums, 60), Ok(true));
}

/// What is added depends on a function that never changes and on what was chosen in the step before.
#[test]
fn functions_and_choices() {
    let text = format!(
        "(declare-sort E 0)(declare-fun f (E) Int)(declare-const i E){}{}
(define-fun init () Bool (= x 0))
(define-fun trans () Bool (and (= e.next i) (= x.next (+ x (f e)))))
(define-fun live () Bool (< x 10))",
        variables("Int", &["x"]),
        variables("E", &["e"])
    );
    assert_eq!(finds(&text, 60), Ok(true));
}

/// Properties that hold: the engine ends, or looks for ever.
#[test]
fn what_holds_is_not_refuted() {
    let x = variables("Int", &["x"]);
    for formula in ["(> x 5)", "(or (= (mod x 2) 0) (> x 10))"] {
        assert!(finds(&format!("{x}{UP}(define-fun live () Bool {formula})"), 5).is_err(), "{formula}");
    }
    // The second formula is violated only a few times.
    let two = "(define-fun live () Bool (< x 0))(define-fun hint1 () Bool (> x 5))";
    assert!(finds(&format!("{x}{UP}{two}"), 5).is_err());
    let down = "(define-fun init () Bool (= x 100))
(define-fun trans () Bool (= x.next (ite (> x 0) (- x 1) 0)))";
    assert!(finds(&format!("{x}{down}(define-fun live () Bool (<= x 2))"), 5).is_err());
    // No infinite execution, and finitely many states.
    let end = UP.replace("(= x.next", "(< x 3) (= x.next").replace("Bool (< x", "Bool (and (< x") + ")";
    let found = finds(&format!("{x}{end}(define-fun live () Bool (< x 0))"), 20);
    assert_eq!(found, Err("no execution has 4 steps".into()));
    let bits = variables("Bool", &["p"]) + "(define-fun live () Bool p)";
    assert_eq!(finds(&bits, 20), Err("an infinite execution repeats one of finitely many states".into()));
}

/// A counter that an input may stop, with one that says how often that was; it may not go on for ever.
const SYSTEM: &str =
    "(declare-const x Int)(declare-const x.next Int)(declare-const n Int)(declare-const n.next Int)
(declare-const b Bool)
(define-fun init () Bool (and (= x 0) (= n 0)))
(define-fun trans () Bool (and (= x.next (ite b (+ x 1) x)) (= n.next (ite b n (+ n 1)))))
(define-fun invar () Bool (=> b (<= 0 n 5)))
(define-fun live () Bool (or b (< x 1)))(define-fun hint1 () Bool (not b))";

const EVIDENCE: &str = "(set-info :vmt-evidence trace)(set-info :vmt-property 0)(rigid)
(step 0 (define-fun x () Int 0) (define-fun n () Int 0) (define-fun b () Bool true))
(step 1 (define-fun x () Int 1) (define-fun n () Int 0) (define-fun b () Bool false))
(recurrent (and (>= x 1) (<= 0 n 4)))
(round 0 (define-fun b () Bool true))
(round 1 (define-fun x () Int (+ x 1)) (define-fun b () Bool false))
(round 2 (define-fun n () Int n))";

fn judge_text(text: &str, evidence: &str) -> Judged {
    let (mut terms, mut errors) = (Terms::new(), Vec::new());
    let system = live(&mut terms, text);
    let source = Source { bytes: evidence.as_bytes(), base: 0 };
    let (_, mut trace) = read_trace(&mut terms, &system, source, &mut errors).expect("a trace");
    trace.complete(&mut terms, &system);
    judge(&mut terms, &system, &trace)
}

#[test]
fn evidence_is_judged() {
    // Whoever stops does not count here.
    let free = SYSTEM.replace("(ite b n (+ n 1))", "n");
    assert_eq!(judge_text(&free, EVIDENCE), Judged::Confirmed);
    let cases = [
        ("(round 2 (define-fun n () Int n))", "(round 2)", ""),
        ("(and (>= x 1) (<= 0 n 4))", "(and (<= 1 x 5) (<= 0 n 4))", "may leave the recurrent set"),
        ("(and (>= x 1) (<= 0 n 4))", "(and (= x 1) (<= 0 n 4))", "may leave the recurrent set"),
        ("(and (>= x 1) (<= 0 n 4))", "(>= x 1)", "breaks an invariant constraint"),
        ("(and (>= x 1) (<= 0 n 4))", "(<= 0 n 4)", "never violate a formula"),
        ("(and (>= x 1) (<= 0 n 4))", "(and (>= x 2) (<= 0 n 4))", "not in the recurrent set"),
        ("(+ x 1)", "(+ x 2)", "does not lead to the next one"),
        ("(+ x 1)", "x", "does not lead to the next one"),
        ("(define-fun n () Int n)", "(define-fun n () Int (+ n 1))", "does not lead to the next one"),
        // An input that is not given may be any.
        ("(round 0 (define-fun b () Bool true))", "(round 0)", "does not lead to the next one"),
        (" (define-fun b () Bool false))\n(round 2", ")\n(round 2", "does not lead to the next one"),
        // A formula is violated nowhere.
        (
            "(define-fun b () Bool true))\n(round 1",
            "(define-fun b () Bool false))\n(round 1",
            "does not lead",
        ),
        ("(define-fun x () Int 1)", "(define-fun x () Int 2)", "step 0 does not lead to the next one"),
        ("(define-fun x () Int 0)", "(define-fun x () Int 1)", "step 0 is no initial state"),
    ];
    for (old, new, expected) in cases {
        assert!(EVIDENCE.contains(old), "{old}");
        let judged = judge_text(&free, &EVIDENCE.replacen(old, new, 1));
        match judged {
            Judged::Confirmed => assert!(expected.is_empty(), "{new}"),
            Judged::Rejected(reason) => {
                let text = reason.to_string();
                assert!(!expected.is_empty() && text.contains(expected), "{new}: {text}");
            }
            Judged::Open(reason) => panic!("{new}: {reason}"),
        }
    }
    // Where it counts, no round of this kind is one.
    assert!(matches!(judge_text(SYSTEM, EVIDENCE), Judged::Rejected(_)));
    // Each formula has to be violated.
    let more = format!("{free}(define-fun hint2 () Bool (> x 0))");
    assert!(matches!(judge_text(&more, EVIDENCE), Judged::Rejected(_)));
    let invariant = free.replace("live ()", "prop ()").replace("(define-fun hint1 () Bool (not b))", "");
    let (mut terms, mut errors) = (Terms::new(), Vec::new());
    let system = system(&mut terms, &invariant);
    let source = Source { bytes: EVIDENCE.as_bytes(), base: 0 };
    let (_, trace) = read_trace(&mut terms, &system, source, &mut errors).expect("a trace");
    assert!(matches!(judge(&mut terms, &system, &trace), Judged::Rejected(_)));
}

/// What a reader would not let through is not accepted either.
#[test]
fn terms_speak_of_the_beginning_only() {
    let (mut terms, mut errors) = (Terms::new(), Vec::new());
    let system = live(&mut terms, &SYSTEM.replace("(ite b n (+ n 1))", "n"));
    let source = Source { bytes: EVIDENCE.as_bytes(), base: 0 };
    let (_, trace) = read_trace(&mut terms, &system, source, &mut errors).expect("a trace");
    let (x, n, b) = (system.states[0], system.states[1], system.inputs[0]);
    let term = |terms: &mut Terms, fun| terms.constant_term(fun);
    let (input, next, now) = (term(&mut terms, b), term(&mut terms, x.next), term(&mut terms, n.now));
    let stranger = terms.fresh("z", terms.sort(now));
    let stranger = terms.constant_term(stranger);
    let mut rejected = |change: &dyn Fn(&mut Trace)| {
        let mut changed = trace.clone();
        change(&mut changed);
        let judged = judge(&mut terms, &system, &changed);
        assert!(matches!(judged, Judged::Rejected(_)), "{judged:?} {changed:?}");
    };
    let recurrence = |trace: &mut Trace| trace.recurrence.take().expect("a round");
    let with = |trace: &mut Trace, step: usize, fun, value: TermId| {
        let mut changed = recurrence(trace);
        changed.round[step].insert(fun, value);
        trace.recurrence = Some(changed);
    };
    rejected(&|trace| with(trace, 1, n.now, next));
    rejected(&|trace| with(trace, 1, n.now, stranger));
    rejected(&|trace| with(trace, 1, b, input));
    rejected(&|trace| with(trace, 1, n.now, input));
    rejected(&|trace| with(trace, 0, n.now, now));
    rejected(&|trace| with(trace, 2, b, TermId::FALSE));
    rejected(&|trace| with(trace, 1, n.next, now));
    rejected(&|trace| trace.back = Some(1));
    rejected(&|trace| trace.steps.clear());
    rejected(&|trace| trace.recurrence = None);
    for set in [input, now] {
        rejected(&|trace| {
            let changed = recurrence(trace);
            trace.recurrence = Some(ts::Recurrence { set, ..changed });
        });
    }
    rejected(&|trace| {
        let changed = recurrence(trace);
        trace.recurrence = Some(ts::Recurrence { round: changed.round[..1].to_vec(), ..changed });
    });
}
