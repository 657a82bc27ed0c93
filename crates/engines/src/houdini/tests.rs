//! Programs that need a candidate of each source, and programs for which nothing may be found. A proof is judged here by
//! the conditions alone: put into the program as annotations, all of them follow.

mod arrays;
mod cases;

use super::INFO;
use crate::{Found, Lonely, Problem};
use base::budget::Budget;
use program::{Note, Origin, Program, Roots, conditions};
use smt::sexpr::Text;
use smt::term::{TermId, Terms};
use solver::CheckResult;
use std::time::Duration;
use svlib::interp::Options;
use svlib::parse::Builder;
use svlib::syntax::{CommandKind, Script};

pub(crate) fn read(terms: &mut Terms, text: &str) -> Script {
    let (mut builder, mut findings) = (Builder::new(terms), Vec::new());
    svlib::parse::read_file(&mut builder, terms, Text::new(text, 0), &mut findings);
    let messages: Vec<_> = findings.iter().filter(|f| f.is_error()).map(|f| f.message.clone()).collect();
    assert!(messages.is_empty(), "{messages:?}");
    builder.state.script.clone()
}

fn search(terms: &mut Terms, script: &Script) -> Found {
    let problem = Problem {
        script,
        command: script.commands.len() - 1,
        options: Options::default(),
        seed: 1,
        budget: Budget::of(Duration::from_secs(120)),
        solver: "z3",
        board: &Lonely,
    };
    (INFO.run)(terms, &problem)
}

/// True when every condition holds with the annotations of a proof.
pub(crate) fn holds(terms: &mut Terms, script: &Script, proof: &[CommandKind]) -> bool {
    let mut program = Program::new(script, script.commands.len() - 1, &[], false).expect("there is a query");
    for command in proof {
        let CommandKind::AnnotateTag(annotation) = command else { panic!("{command:?}") };
        for (stmt, property) in annotation.properties.iter().flat_map(|property| &property.meanings) {
            let (kind, at) = (property.kind, property.at.0);
            let note = Note { kind, terms: property.terms.clone(), origin: Origin::Added, at };
            program.annotate(*stmt, note);
        }
    }
    let found = conditions(terms, &program, &Roots::default());
    assert!(found.open.is_empty(), "{:?}", found.open);
    found.obligations.iter().all(|obligation| {
        let mut solver = solver::open("z3").expect("there is a solver");
        let mut formulas: Vec<TermId> = found.hypotheses(terms, obligation);
        formulas.push(terms.not(obligation.goal));
        for formula in formulas.into_iter().chain(found.axioms.clone()) {
            solver.assert(terms, formula).expect("it is a formula");
        }
        solver.check(terms, &[]).expect("the solver works") == CheckResult::Unsat
    })
}

fn proved(text: &str) {
    let mut terms = Terms::new();
    let script = read(&mut terms, text);
    match search(&mut terms, &script) {
        Found::Proof(proof) => assert!(holds(&mut terms, &script, &proof)),
        Found::Nothing(reason) => panic!("{reason}"),
        Found::Violation(_) => panic!("there is no violation"),
    }
}

/// A local variable: an array if it has a large letter.
fn declared(name: &str) -> String {
    let is_array = name.chars().all(char::is_uppercase);
    format!("({name} {})", if is_array { "(Array Int Int)" } else { "Int" })
}

/// A procedure with locals, a body, and a property at the end.
pub(crate) fn program(locals: &str, body: &str, property: &str) -> String {
    let locals: Vec<String> = locals.split(' ').map(declared).collect();
    format!(
        "(define-proc main () () ({}) (! (sequence {body} (! (sequence) :tag end)) :tag main))
         (annotate-tag end :check-true {property})
         (verify-call main ())",
        locals.join(" ")
    )
}

fn proved_program(locals: &str, body: &str, property: &str) {
    proved(&program(locals, body, property));
}

#[test]
fn what_needs_no_annotation_gets_none() {
    let mut terms = Terms::new();
    let script = read(&mut terms, &program("x", "(assign (x 1))", "(= x 1)"));
    assert!(matches!(search(&mut terms, &script), Found::Proof(proof) if proof.is_empty()));
}

#[test]
fn formulas_of_the_text() {
    let body = "(assign (x 0)) (! (while (< x 10) (assign (x (+ x 1)))) :tag loop)";
    proved_program("x", body, "(= x 10)");
}

#[test]
fn linear_equalities() {
    let body = "(assume (<= 0 n)) (assign (i 0) (s 7))
                (! (while (< i n) (assign (i (+ i 1)) (s (+ s 3)))) :tag loop)";
    proved_program("n i s", body, "(= s (+ 7 (* 3 n)))");
}

#[test]
fn polynomial_equalities() {
    let body = "(assume (<= 0 n)) (assign (i 0) (s 0))
                (! (while (< i n) (assign (i (+ i 1)) (s (+ s (* 2 i) 1)))) :tag loop)";
    proved_program("n i s", body, "(= s (* n n))");
}

#[test]
fn remainders() {
    let body = "(assign (x 1)) (! (while (< x n) (assign (x (+ x 6)))) :tag loop)";
    proved_program("n x", body, "(= (mod x 3) 1)");
}

#[test]
fn phases_behind_a_large_number() {
    let body = "(assign (x 0) (y 500000))
                (! (while (< x 1000000)
                     (sequence (if (>= x 500000) (assign (y (+ y 1)))) (assign (x (+ x 1))))) :tag loop)";
    proved_program("x y", body, "(= y 1000000)");
}

#[test]
fn cells_of_an_array() {
    proved(
        "(define-proc main ((n Int)) () ((a (Array Int Int)) (i Int))
           (! (sequence
                (assign (i 0))
                (! (while (< i n) (assign (a (store a i 5)) (i (+ i 1)))) :tag fill)
                (assign (i 0))
                (! (while (< i n) (sequence (! (sequence) :tag look) (assign (i (+ i 1))))) :tag read))
            :tag main))
         (annotate-tag look :check-true (= (select a i) 5))
         (declare-const k Int)
         (verify-call main (k))",
    );
}

#[test]
fn bit_vectors() {
    proved(
        "(define-proc main () () ((x (_ BitVec 8)) (y (_ BitVec 8)))
           (! (sequence
                (assign (x #x00) (y #x00))
                (! (while (bvult x #x64) (assign (x (bvadd x #x02)) (y (bvadd y #x02)))) :tag loop)
                (! (sequence) :tag end))
            :tag main))
         (annotate-tag end :check-true (and (= x y) (bvule x #x65)))
         (verify-call main ())",
    );
}

#[test]
fn contracts_of_procedures() {
    proved(
        "(define-proc double ((n Int)) ((r Int)) () (! (assign (r (+ n n))) :tag double))
         (define-proc main () () ((x Int))
           (! (sequence (call double (21) (x)) (! (sequence) :tag end)) :tag main))
         (annotate-tag end :check-true (= x 42))
         (verify-call main ())",
    );
}

#[test]
fn what_is_wrong_is_not_proved() {
    let body = "(assign (x 0)) (! (while (< x 10) (assign (x (+ x 3)))) :tag loop)";
    let mut terms = Terms::new();
    let script = read(&mut terms, &program("x", body, "(= x 10)"));
    assert!(matches!(search(&mut terms, &script), Found::Nothing(_)));
}

#[test]
fn an_invariant_of_the_task_is_left_alone() {
    let body = "(assign (x 0)) (! (while (< x 10) (assign (x (+ x 1)))) :tag loop :invariant (<= 0 x))";
    let mut terms = Terms::new();
    let script = read(&mut terms, &program("x", body, "(= x 10)"));
    assert!(matches!(search(&mut terms, &script), Found::Nothing(_)));
}
