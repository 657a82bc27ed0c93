//! Clauses have a solution exactly if the program is correct, also after being written and read, and a solution
//! becomes annotations.

use encode::horn::{Encoding, HornError, encode};
use program::Program;
use smt::parse::Command;
use smt::print::term_text;
use smt::scope::Scope;
use smt::sexpr::Text;
use smt::term::Terms;
use solver::z3::Spacer;
use solver::{Horn, HornProblem, HornResult, Limits};
use svlib::parse::{Builder, read_file};
use svlib::syntax::{CommandKind, Script};

fn script(terms: &mut Terms, text: &str) -> Script {
    let (mut builder, mut findings) = (Builder::new(terms), Vec::new());
    read_file(&mut builder, terms, Text::new(text, 0), &mut findings);
    let errors: Vec<_> = findings.iter().filter(|f| f.is_error()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    builder.state.script
}

fn encoded(terms: &mut Terms, script: &Script) -> Result<Encoding, HornError> {
    let query = script.commands.iter().position(|c| matches!(c.kind, CommandKind::Call(..)));
    let program = Program::new(script, query.expect("a query"), &[], false).expect("a program");
    encode(terms, &program)
}

fn solve(terms: &mut Terms, problem: &HornProblem) -> HornResult {
    Spacer::new().solve(terms, problem, Limits::default()).expect("an answer")
}

/// The clauses of a file, in a store of its own.
fn read(text: &str) -> (Terms, HornProblem) {
    let mut terms = Terms::new();
    let (mut scope, mut errors, mut problem) = (Scope::new(&mut terms), Vec::new(), HornProblem::default());
    let text = Text::new(text, 0);
    smt::script::read(&mut terms, &mut scope, text, &mut errors, |_, command, _, _| match command {
        Command::Assert(term) => problem.clauses.push(term),
        Command::DeclareFun(fun) => problem.predicates.push(fun),
        _ => {}
    });
    assert!(errors.is_empty(), "{errors:?}");
    (terms, problem)
}

/// The annotations that a solution gives, as text.
fn correct(text: &str) -> Vec<String> {
    let mut terms = Terms::new();
    let script = script(&mut terms, text);
    let encoding = encoded(&mut terms, &script).expect("clauses");
    assert!(encoding.coarse.is_empty(), "{:?}", encoding.coarse);
    let written = encoding.text(&terms, &script);
    let (mut others, problem) = read(&written);
    assert_eq!(problem.clauses.len(), encoding.problem.clauses.len());
    assert!(matches!(solve(&mut others, &problem), HornResult::Sat(_)), "{written}");
    let HornResult::Sat(found) = solve(&mut terms, &encoding.problem) else { panic!("{written}") };
    let mut lines = Vec::new();
    for annotation in encoding.annotations(&mut terms, &found).expect("annotations") {
        let tag = script.stmts[annotation.stmt].tags[0].0;
        for formula in annotation.formulas {
            let (tag, kind) = (terms.names.text(tag), annotation.kind.keyword());
            lines.push(format!("{tag} {kind} {}", term_text(&terms, formula)));
        }
    }
    lines
}

fn incorrect(text: &str) {
    let mut terms = Terms::new();
    let script = script(&mut terms, text);
    let encoding = encoded(&mut terms, &script).expect("clauses");
    assert!(encoding.coarse.is_empty(), "{:?}", encoding.coarse);
    let written = encoding.text(&terms, &script);
    let (mut others, problem) = read(&written);
    assert!(matches!(solve(&mut others, &problem), HornResult::Unsat(_)), "{written}");
    assert!(matches!(solve(&mut terms, &encoding.problem), HornResult::Unsat(_)), "{written}");
}

const COUNT: &str = "
(declare-const k Int)
(assert (<= 0 k))
(define-proc count ((n Int)) ((i Int)) ((unused Int))
  (! (sequence
       (assign (i 0) (unused 5))
       (! (while (< i n) (assign (i (+ i 1)))) :tag loop)
       (! (sequence) :tag end :check-true (= i n)))
   :tag count))
(verify-call count (k))";

#[test]
fn a_loop_becomes_an_invariant() {
    let lines = correct(COUNT);
    assert!(!lines.is_empty() && lines.iter().all(|line| line.starts_with("loop :invariant")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("unused")), "{lines:?}");
    incorrect(&COUNT.replace("(assert (<= 0 k))", ""));
    incorrect(&COUNT.replace("(+ i 1)", "(+ i 2)"));
}

#[test]
fn contradictory_asserts_leave_nothing_to_violate() {
    correct(&COUNT.replace("(= i n)", "false").replace("(<= 0 k)", "(and (<= 0 k) (< k 0))"));
}

#[test]
fn constants_have_one_value_in_all_steps() {
    let text = "
(declare-const k Int)
(define-proc p () ((x Int)) ((i Int))
  (! (sequence
       (assign (x k) (i 0))
       (! (while (< i 3) (assign (i (+ i 1)))) :tag loop)
       (! (sequence) :tag end :check-true (= x k)))
   :tag p))
(verify-call p ())";
    let lines = correct(text);
    assert!(lines.iter().any(|line| line.contains('k')), "{lines:?}");
    incorrect(&text.replace("(= x k)", "(= i k)"));
}

#[test]
fn procedures_become_contracts() {
    let text = "
(declare-var g Int)
(declare-var other Int)
(define-proc inc ((by Int)) ((old Int)) ()
  (! (sequence (assume (< 0 by)) (assign (old g) (g (+ g by)))) :tag inc))
(define-proc main () ((a Int)) ()
  (! (sequence
       (assign (g 1) (other 7))
       (call inc (2) (a))
       (call inc (a) (a))
       (! (sequence) :tag end :check-true (and (= g 2) (= a 3) (= other 7))))
   :tag main))
(verify-call main ())";
    incorrect(text);
    let right = text.replace("(= g 2)", "(= g 4)");
    let lines = correct(&right);
    assert!(lines.iter().any(|line| line.starts_with("inc :ensures")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("other") || line.starts_with("main")), "{lines:?}");
    // The second call never returns.
    correct(&right.replace("(call inc (a) (a))", "(call inc (0) (a))").replace("(= g 4)", "false"));
}

#[test]
fn a_procedure_that_must_not_be_called() {
    let text = "
(define-proc bad () () () (! (sequence) :tag bad :check-true false))
(define-proc main ((n Int)) () () (! (if (< n 0) (call bad () ())) :tag main))
(declare-const k Int)
(assert (< 5 k))
(verify-call main (k))";
    assert_eq!(correct(text).iter().filter(|line| line.starts_with("bad :requires")).count(), 1);
    incorrect(&text.replace("(< 5 k)", "(< k 5)"));
}

#[test]
fn recursion() {
    let text = "
(define-procs-rec (sum ((n Int)) ((r Int)) ((t Int)))
  (! (if (<= n 0) (assign (r 0)) (sequence (call sum ((- n 1)) (t)) (assign (r (+ t 1)))))
   :tag sum))
(define-proc main ((n Int)) ((r Int)) ()
  (! (sequence (call sum (n) (r)) (! (sequence) :tag end :check-true (<= n r))) :tag main))
(declare-const k Int)
(verify-call main (k))";
    correct(text);
    incorrect(&text.replace("(<= n r)", "(< n r)"));
}

#[test]
fn annotations_of_the_task_stay_what_they_are() {
    let invariant = "(annotate-tag loop :invariant (<= 0 i))";
    incorrect(&COUNT.replace("(verify-call", &format!("{invariant} (verify-call")));
    let invariant = "(annotate-tag loop :invariant (<= 0 i n))";
    let lines = correct(&COUNT.replace("(verify-call", &format!("{invariant} (verify-call")));
    assert!(lines.is_empty(), "{lines:?}");
}

#[test]
fn ranking_functions_look_back_through_inner_loops() {
    let text = "
(define-proc p ((n Int)) () ((i Int) (j Int))
  (! (sequence
       (assign (i n))
       (! (while (< 0 i)
            (sequence
              (assign (j i))
              (! (while (< 0 j) (assign (j (- j 1)))) :tag inner)
              (assign (i (- i 1)))))
        :tag outer :decreases i))
   :tag p))
(declare-const k Int)
(verify-call p (k))";
    let lines = correct(text);
    assert!(lines.iter().any(|line| line.contains("(at i outer)")), "{lines:?}");
    incorrect(&text.replace("(assign (i (- i 1)))", "(assign (i (+ i j)))"));
}

#[test]
fn jumps() {
    let text = "
(define-proc p () ((x Int)) ()
  (! (sequence
       (assign (x 0))
       (! (label again) :tag again)
       (assign (x (+ x 2)))
       (if (< x 10) (goto again))
       (! (sequence) :tag end :check-true (= x 10)))
   :tag p))
(verify-call p ())";
    assert!(correct(text).iter().all(|line| line.starts_with("again :invariant")));
    incorrect(&text.replace("(= x 10)", "(= x 11)"));
}

#[test]
fn a_loop_without_a_tag_is_solved_but_cannot_be_told() {
    let mut terms = Terms::new();
    let tagged = "(! (while (< i n) (assign (i (+ i 1)))) :tag loop)";
    let text = COUNT.replace(tagged, "(while (< i n) (assign (i (+ i 1))))");
    let script = script(&mut terms, &text);
    let encoding = encoded(&mut terms, &script).expect("clauses");
    let HornResult::Sat(found) = solve(&mut terms, &encoding.problem) else { panic!("no solution") };
    assert!(encoding.annotations(&mut terms, &found).is_err());
}

#[test]
fn functions_without_a_meaning_in_clauses_are_refused() {
    let text = "
(declare-fun f (Int) Int)
(define-proc p ((n Int)) ((r Int)) () (! (assign (r (f n))) :tag p :ensures (= r (f n))))
(verify-call p (3))";
    let mut terms = Terms::new();
    let free = script(&mut terms, text);
    assert!(matches!(encoded(&mut terms, &free), Err(HornError::Function(name)) if name == "f"));
    let recursive = "(define-fun-rec f ((n Int)) Int (ite (<= n 0) 0 (f (- n 1))))";
    let text = text.replace("(declare-fun f (Int) Int)", recursive);
    let mut terms = Terms::new();
    let recursive = script(&mut terms, &text);
    assert!(matches!(encoded(&mut terms, &recursive), Err(HornError::Recursive(name)) if name == "f"));
    correct(&text.replace("define-fun-rec", "define-fun").replace("(f (- n 1))", "1"));
}
