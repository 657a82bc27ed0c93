//! Reduced clauses have a solution exactly if the clauses have one, and a solution of them gives annotations that are valid
//! for the program as it is.

use encode::horn::{Encoding, encode};
use program::{Note, Origin, Program, Roots, conditions};
use smt::sexpr::Text;
use smt::term::{TermId, Terms};
use solver::z3::Spacer;
use solver::{CheckResult, Horn, HornResult, Limits, Solution};
use std::time::Duration;
use svlib::parse::{Builder, read_file};
use svlib::syntax::{CommandKind, Script};
use testkit::programs::generate;

/// What Spacer may spend on one question; what it does not answer is not compared.
const PATIENCE: Duration = Duration::from_millis(500);
/// The same for programs that it answers at once.
const LONG: Duration = Duration::from_secs(60);
/// What the solver may spend on a condition.
const EFFORT: u32 = 3_000_000;

fn script(terms: &mut Terms, text: &str) -> Script {
    let (mut builder, mut findings) = (Builder::new(terms), Vec::new());
    read_file(&mut builder, terms, Text::new(text, 0), &mut findings);
    assert!(!findings.iter().any(|finding| finding.is_error()), "{findings:?}\n{text}");
    builder.state.script
}

fn query(script: &Script) -> Program<'_> {
    let query = script.commands.iter().position(|c| matches!(c.kind, CommandKind::Call(..)));
    Program::new(script, query.expect("a query"), &[], false).expect("a program")
}

fn solve(terms: &mut Terms, encoding: &Encoding, patience: Duration) -> HornResult {
    Spacer::new().solve(terms, &encoding.problem, Limits::time(patience)).expect("an answer")
}

fn follows(terms: &mut Terms, mut formulas: Vec<TermId>, goal: TermId) -> CheckResult {
    let mut solver = solver::open("z3").expect("there is a solver");
    let limits = Limits { resources: Some(EFFORT), ..Limits::default() };
    solver.limits(limits).expect("limits are supported");
    formulas.push(terms.not(goal));
    for formula in formulas {
        solver.assert(terms, formula).expect("it is a formula");
    }
    solver.check(terms, &[]).expect("the solver works")
}

/// A condition that does not hold with the annotations of a solution; none when all hold, as far as the solver knows.
fn refuted(terms: &mut Terms, script: &Script, encoding: &Encoding, found: &[Solution]) -> Option<String> {
    let annotations = encoding.annotations(terms, found).ok()?;
    let mut program = query(script);
    for annotation in annotations {
        for formula in annotation.formulas {
            let (kind, terms, at) = (annotation.kind, vec![formula], Default::default());
            program.annotate(annotation.stmt, Note { kind, terms, origin: Origin::Added, at });
        }
    }
    let found = conditions(terms, &program, &Roots::default());
    for obligation in &found.obligations {
        let mut formulas = found.hypotheses(terms, obligation);
        formulas.extend(&found.axioms);
        if follows(terms, formulas, obligation.goal) == CheckResult::Sat {
            return Some(format!("{:?}", obligation.note.as_ref().map(|note| note.kind)));
        }
    }
    None
}

/// The sizes of the predicates, and whether there is a solution; both encodings agree, and annotations hold.
fn reduced(text: &str) -> (Vec<usize>, bool) {
    let mut terms = Terms::new();
    let script = script(&mut terms, text);
    let plain = encode(&mut terms, &query(&script)).expect("clauses");
    let reduced = plain.reduced(&mut terms);
    assert_eq!(plain.unknowns.len(), reduced.unknowns.len());
    let sizes = reduced.unknowns.iter().map(|unknown| unknown.params.len()).collect();
    match (solve(&mut terms, &plain, LONG), solve(&mut terms, &reduced, LONG)) {
        (HornResult::Sat(_), HornResult::Sat(found)) => {
            assert_eq!(refuted(&mut terms, &script, &reduced, &found), None);
            (sizes, true)
        }
        (HornResult::Unsat(_), HornResult::Unsat(_)) => (sizes, false),
        other => panic!("{other:?}"),
    }
}

#[test]
fn random_programs_have_the_same_answers() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..40 {
        let text = generate(seed).to_string();
        let mut terms = Terms::new();
        let script = script(&mut terms, &text);
        let Ok(plain) = encode(&mut terms, &query(&script)) else { continue };
        let reduced = plain.reduced(&mut terms);
        match (solve(&mut terms, &plain, PATIENCE), solve(&mut terms, &reduced, PATIENCE)) {
            (HornResult::Sat(_), HornResult::Sat(found)) => {
                sat += 1;
                assert_eq!(refuted(&mut terms, &script, &reduced, &found), None, "seed {seed}\n{text}");
            }
            (HornResult::Unsat(_), HornResult::Unsat(_)) => unsat += 1,
            (HornResult::Unknown(_), _) | (_, HornResult::Unknown(_)) => {}
            other => panic!("seed {seed}: {other:?}\n{text}"),
        }
    }
    assert!(sat >= 3 && unsat >= 3, "{sat} with and {unsat} without a solution: the test shows little");
}

/// A procedure with integer locals and a loop.
fn program(locals: &str, body: &str, property: &str) -> String {
    let locals: Vec<String> = locals.split(' ').map(|name| format!("({name} Int)")).collect();
    format!(
        "(define-proc main () () ({}) (! (sequence {body} (! (sequence) :tag end)) :tag main))
         (annotate-tag end :check-true {property})
         (verify-call main ())",
        locals.join(" ")
    )
}

#[test]
fn constants_are_put_in_place() {
    let body = "(assign (n 10) (x 0)) (assign (z (+ n 1))) (! (while (< x n) (assign (x (+ x 1)) (z 11))) :tag loop)";
    assert_eq!(reduced(&program("n x z", body, "(= (+ x z) 21)")), (vec![1], true));
    assert_eq!(reduced(&program("n x z", body, "(= (+ x z) 22)")), (vec![1], false));
    // Not a constant: it is another one after the first round.
    let changing = "(assign (n 10) (x 0)) (! (while (< x n) (assign (x (+ x 1)) (n 9))) :tag loop)";
    assert_eq!(reduced(&program("n x", changing, "(<= 9 x)")), (vec![2], true));
}

#[test]
fn what_is_not_specified_is_no_constant() {
    let body = "(assign (x (div 1 0)) (y 0)) (! (while (< y 3) (assign (y (+ y 1)))) :tag loop)";
    let mut terms = Terms::new();
    let script = script(&mut terms, &program("x y", body, "(= x 0)"));
    let plain = encode(&mut terms, &query(&script)).expect("clauses");
    assert_eq!(plain.reduced(&mut terms).unknowns[0].params.len(), 2);
}

#[test]
fn code_that_is_never_reached_is_left_out() {
    let body = "(assign (debug 0) (x 0)) (if (= debug 1) (! (while (< x 5) (assign (x (- x 1)))) :tag dead))
        (! (while (< x 5) (assign (x (+ x 1)))) :tag loop)";
    assert_eq!(reduced(&program("debug x", body, "(= x 5)")), (vec![0, 1], true));
}

#[test]
fn what_decides_nothing_is_left_out() {
    let text = |property: &str| {
        format!(
            "(define-proc step ((p Int) (q Int)) ((r Int) (s Int)) ()
               (! (sequence (assign (r (+ p 1)) (s p)) (if (< p q) (assign (s (* 5 p))))) :tag step))
             (define-proc main () () ((x Int) (y Int))
               (! (sequence (assign (x 0))
                    (! (while (< x 10) (call step (x 7) (x y))) :tag loop) (! (sequence) :tag end)) :tag main))
             (annotate-tag end :check-true {property})
             (verify-call main ())"
        )
    };
    // Of the contract nothing but p and r is left, and the number 7 is in place.
    assert_eq!(reduced(&text("(= x 10)")), (vec![2, 1, 1, 1], true));
    assert!(!reduced(&text("(= y 0)")).1);
}
