//! Ranking functions of live properties: what is proved with them, and what the checker makes of wrong ones.

use super::{ask, parsed, random};
use base::budget::Budget;
use certify::{Judged, check_certificate};
use smt::term::{TermId, Terms};
use testkit::Rng;
use ts::{Certificate, Reduction};

const NUMBERS: &str =
    "(declare-const x Int)(declare-const x.next Int)(declare-const y Int)(declare-const y.next Int)
(declare-const p Bool)(declare-const p.next Bool)(declare-const i Int)(declare-const b Bool)";

fn numbers(init: &str, trans: &str, live: &str) -> String {
    format!(
        "{NUMBERS}(define-fun init () Bool {init})(define-fun trans () Bool {trans})(define-fun live () Bool {live})"
    )
}

#[test]
fn a_number_decreases() {
    let down = "(and (= x.next (ite (> x 0) (- x 1) x)) (= y.next y) (= p.next p))";
    assert_eq!(ask("rank", &numbers("true", down, "(<= x 0)")), Ok(true));
    // Up to another one, which never changes.
    let up = "(and (= x.next (ite (< x y) (+ x 1) x)) (= y.next y) (= p.next p))";
    assert_eq!(ask("rank", &numbers("(= x (- 100))", up, "(>= x y)")), Ok(true));
    // Nothing says that it ends.
    let on = "(and (= x.next (- x 1)) (= y.next y) (= p.next p))";
    assert!(ask("rank", &numbers("true", on, "(< x 0)")).is_ok());
    assert!(ask("rank", &numbers("true", on, "(> x 0)")).is_err());
}

#[test]
fn numbers_decrease_one_after_the_other() {
    // Whenever the first one decreases, the second one may be anything.
    let nested = "(and (= p.next p) (ite (and b (> x 0)) (= x.next (- x 1))
  (and (= x.next x) (= y.next (ite (> y 0) (- y 1) y)))))";
    assert_eq!(ask("rank", &numbers("true", nested, "(<= y 0)")), Ok(true));
    let never = nested.replace("(- x 1)", "x");
    assert!(ask("rank", &numbers("true", &never, "(<= y 0)")).is_err());
}

/// Two numbers come together from either side, and which is the smaller one does not change.
#[test]
fn distances_decrease() {
    let step = "(and (= p.next p) (= x.next (ite (< x y) (+ x 1) x)) (= y.next (ite (< y x) (+ y 1) y)))";
    assert_eq!(ask("rank", &numbers("true", step, "(= x y)")), Ok(true));
}

/// Two phases: which one it is decreases, too.
#[test]
fn truth_values_decrease() {
    let phases = "(ite p (and p.next (= x.next x) (= y.next (ite (> y 3) (- y 2) y)))
  (and (= y.next y) (= x.next (+ x 1)) (= p.next (>= x 10))))";
    assert_eq!(ask("rank", &numbers("(not p)", phases, "(and p (<= y 3))")), Ok(true));
}

#[test]
fn words_and_reals_decrease() {
    let words = "(declare-const x (_ BitVec 32))(declare-const x.next (_ BitVec 32))
(define-fun init () Bool (= x #x00000000))
(define-fun trans () Bool (= x.next (ite (bvult x #xf0000000) (bvadd x #x00000001) x)))";
    assert_eq!(ask("rank", &format!("{words}(define-fun live () Bool (bvuge x #xf0000000))")), Ok(true));
    let reals = |by: &str| {
        format!(
            "(declare-const x Real)(declare-const x.next Real)
(define-fun init () Bool true)(define-fun trans () Bool (= x.next (ite (> x 0.0) {by} x)))
(define-fun live () Bool (<= x 0.0))"
        )
    };
    assert_eq!(ask("rank", &reals("(- x 2.5)")), Ok(true));
    // Less than one each time, so a multiple of it is the ranking function.
    assert_eq!(ask("rank", &reals("(- x 0.3)")), Ok(true));
    // A half of it is left each time.
    assert!(ask("rank", &reals("(/ x 2.0)")).is_err());
}

/// What the checker says of a ranking function and an invariant.
fn judge(text: &str, component: &str, invariant: &str) -> Judged {
    let mut terms = Terms::new();
    // Read as sides of equations: the symbols that the pass adds are declared like inputs, and are none of the system.
    let added = "(declare-const rank Int)(declare-const ranked Bool)";
    let hints =
        format!("(define-fun hint1 () Bool (= {component} 77))(define-fun hint2 () Bool {invariant})");
    let mut system = parsed(&mut terms, &format!("{text}{added}{hints}"));
    system.inputs.retain(|&fun| !["rank", "ranked"].contains(&terms.fun_name(fun)));
    let (hints, component) =
        (std::mem::take(&mut system.hints), |terms: &Terms, hint: TermId| terms.args(hint)[0]);
    let reduction = Reduction::Rank(vec![component(&terms, hints[0])]);
    let certificate = Certificate { reduction, invariant: hints[1], depth: 0 };
    let mut solver = solver::open("z3").expect("a solver");
    let budget = Budget::unlimited();
    check_certificate(&mut terms, &system, &system.properties[0], certificate, &mut *solver, &budget)
}

#[test]
fn wrong_ranking_functions_are_rejected() {
    let down = "(and (= x.next (ite (> x 0) (- x 1) x)) (= y.next (+ y 1)) (= p.next p))";
    let text = numbers("true", down, "(<= x 0)");
    let invariant = "(=> ranked (and (>= rank (+ x 1)) (>= rank 0)))";
    assert_eq!(judge(&text, "x", invariant), Judged::Confirmed);
    // It increases; it decreases without an end; it is what somebody chooses; it is what the next step has.
    for component in ["y", "(- y)", "i", "x.next"] {
        let judged = judge(&text, component, &invariant.replace('x', component));
        assert!(matches!(judged, Judged::Rejected(_)), "{component}: {judged:?}");
    }
    let judged = judge(&text, "x", "true");
    assert!(matches!(judged, Judged::Rejected(_)), "{judged:?}");
    // Where the property does not hold nothing helps.
    let judged = judge(&numbers("true", down, "(< x 0)"), "x", invariant);
    assert!(matches!(judged, Judged::Rejected(_)), "{judged:?}");
}

/// Whoever has a ranking function is right.
#[test]
fn random_systems_with_a_ranking_function() {
    let (mut rng, mut proofs) = (Rng::new(13), 0);
    for _ in 0..40 {
        let text = random::random(&mut rng).replace("(define-fun prop", "(define-fun live");
        let violated = random::graph(&text).violates_live();
        match ask("rank", &text) {
            Ok(holds) => {
                assert_eq!(holds, !violated, "{text}");
                proofs += 1;
            }
            Err(_) => assert!(violated || proofs > 0, "{text}"),
        }
    }
    assert!(proofs > 0);
}
