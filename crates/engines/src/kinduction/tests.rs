//! Programs in which nothing is inductive over one step, but over two or three, and programs for which nothing may be found.
//! A proof is judged by the conditions alone: put into the program as annotations, all of them follow.

use super::INFO;
use crate::houdini::tests::{holds, program, read};
use crate::{Board, Fact, Found, Lonely, Problem};
use base::budget::Budget;
use program::Program;
use smt::term::Terms;
use std::cell::RefCell;
use std::time::Duration;
use svlib::interp::Options;
use svlib::syntax::{PropertyKind, Script};

fn search(terms: &mut Terms, script: &Script, board: &dyn Board, budget: Budget) -> Found {
    let problem = Problem {
        script,
        command: script.commands.len() - 1,
        options: Options::default(),
        seed: 1,
        budget,
        solver: "z3",
        board,
    };
    (INFO.run)(terms, &problem)
}

fn proved(text: &str) {
    let mut terms = Terms::new();
    let script = read(&mut terms, text);
    match search(&mut terms, &script, &Lonely, Budget::of(Duration::from_secs(120))) {
        Found::Proof(proof) => assert!(holds(&mut terms, &script, &proof)),
        Found::Nothing(reason) => panic!("{reason}"),
        Found::Violation(_) => panic!("this engine finds none"),
    }
}

/// The reason why there is no proof.
fn not_proved(text: &str) -> String {
    let mut terms = Terms::new();
    let script = read(&mut terms, text);
    match search(&mut terms, &script, &Lonely, Budget::of(Duration::from_secs(120))) {
        Found::Nothing(reason) => reason,
        _ => panic!("nothing should be found"),
    }
}

/// A board with facts on it. Who asks once more is told that the time is over.
struct Full(RefCell<Vec<Fact>>, Budget);

impl Board for Full {
    fn publish(&self, _: &mut Terms, _: &Fact) {}

    fn news(&self, _: &mut Terms) -> Vec<Fact> {
        let facts = self.0.take();
        if facts.is_empty() {
            self.1.cancel();
        }
        facts
    }
}

/// Searches with an auxiliary invariant of the loop.
fn search_with(terms: &mut Terms, text: &str, invariant: &str) -> (Script, Found) {
    // Read once more with the annotation: symbols with the same name are the same.
    let annotated =
        text.replace("(verify-call", &format!("(annotate-tag loop :invariant {invariant}) (verify-call"));
    let annotated = read(terms, &annotated);
    let query = Program::new(&annotated, annotated.commands.len() - 1, &[], false).expect("there is a query");
    let mut facts = Vec::new();
    for stmt in query.annotated() {
        for note in query.notes(stmt).of(PropertyKind::Invariant) {
            facts.push(Fact { stmt, kind: note.kind, terms: note.terms.clone() });
        }
    }
    assert_eq!(facts.len(), 1);
    let script = read(terms, text);
    let budget = Budget::of(Duration::from_secs(120));
    let board = Full(RefCell::new(facts), budget.clone());
    let found = search(terms, &script, &board, budget);
    (script, found)
}

/// Three values that change places: the property says what one of them never is, in two steps it is that of the third.
const ROTATION: &str = "(assign (a 1) (b 2) (c 3))
    (! (while (< t n) (sequence (havoc t) (assign (a b) (b c) (c a)))) :tag loop)";

#[test]
fn values_that_change_places() {
    proved(&program("a b c t n", ROTATION, "(distinct a 0)"));
    proved(&program(
        "a b t n",
        "(assign (a 1) (b 7)) (! (while (< t n) (sequence (havoc t) (assign (a b) (b a)))) :tag loop)",
        "(< 0 a)",
    ));
}

#[test]
fn what_is_decided_on_the_way() {
    let body = "(assign (a 1) (b 1) (c 1))
        (! (while (< t n) (sequence (havoc t u) (if (= u 5) (assign (a b) (b c)) (assign (a c))))) :tag loop)";
    proved(&program("a b c t u n", body, "(= a 1)"));
}

#[test]
fn decisions_that_matter_are_quantified() {
    let body = "(assign (a 1) (b 1))
        (! (while (< t n) (sequence (havoc t u) (assume (< 3 u)) (assign (a b) (b u)))) :tag loop)";
    proved(&program("a b t u n", body, "(< 0 a)"));
}

#[test]
fn loops_one_after_the_other_and_inside_each_other() {
    let body = "(assign (a 1) (b 2) (i 0))
        (! (while (< i n) (sequence
             (! (while (< t n) (sequence (havoc t) (assign (a b) (b a)))) :tag inner)
             (assign (i (+ i 1)) (a b) (b a)))) :tag outer)
        (! (while (< t n) (sequence (havoc t) (assign (a b) (b a)))) :tag last)";
    proved(&program("a b t i n", body, "(< 0 a)"));
}

#[test]
fn calls_are_what_the_procedure_does() {
    proved(
        "(define-proc swap ((p Int) (q Int)) ((r Int) (s Int)) () (! (assign (r q) (s p)) :tag swap))
         (define-proc pick ((p Int)) ((r Int)) ()
           (! (sequence (havoc r) (assume (< p r)) (if (< r 5) (assign (r 5)))) :tag pick))
         (define-proc main () () ((a Int) (b Int) (t Int))
           (! (sequence
                (assign (a 1) (b 2))
                (! (while (< t 9) (sequence (call pick (3) (t)) (call swap (a b) (a b)))) :tag loop)
                (! (sequence) :tag end))
            :tag main))
         (annotate-tag end :check-true (< 0 a))
         (verify-call main ())",
    );
}

#[test]
fn bit_vectors_and_arrays() {
    proved(
        "(define-proc main () () ((a (_ BitVec 8)) (b (_ BitVec 8)) (m (Array Int Int)) (t Bool))
           (! (sequence
                (assign (a #x01) (b #x10) (m (store (store m 0 1) 1 2)))
                (! (while t (sequence (havoc t) (assign (a b) (b a)
                     (m (store (store m 0 (select m 1)) 1 (select m 0)))))) :tag loop)
                (! (sequence) :tag end))
            :tag main))
         (annotate-tag end :check-true (and (distinct a #x00) (< 0 (select m 0))))
         (verify-call main ())",
    );
}

#[test]
fn violations_are_not_proved() {
    let reason = not_proved(&program("a b c t n", ROTATION, "(distinct a 3)"));
    assert_eq!(reason, "a violation after 4 ways from cut point to cut point");
    let straight = not_proved(&program("x", "(assign (x 1))", "(= x 2)"));
    assert_eq!(straight, "a violation after 1 ways from cut point to cut point");
}

#[test]
fn auxiliary_invariants_are_used_and_shown() {
    let body = "(assign (x 0) (y 0)) (! (while (< t n) (sequence (havoc t) (assign (x (+ x y)) (y (+ y 1))))) :tag loop)";
    let text = program("x y t n", body, "(<= 0 x)");
    let mut terms = Terms::new();
    let (script, found) = search_with(&mut terms, &text, "(<= 0 y)");
    assert!(matches!(found, Found::Proof(proof) if holds(&mut terms, &script, &proof)));
    // Nobody believes what is not so, and without help it is inductive over no number of steps.
    for wrong in ["(= y 0)", "(<= 0 y 3)"] {
        let (_, found) = search_with(&mut Terms::new(), &text, wrong);
        assert!(matches!(found, Found::Nothing(_)), "{wrong}");
    }
}
