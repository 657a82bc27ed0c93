//! Evidence that engines find in smaller programs is evidence for the programs, as the checker sees it.

use base::budget::Budget;
use certify::{Judged, check_proof, replay_trace};
use encode::prepare::{Prepared, prepare};
use engines::{Found, Lonely, Problem, find};
use smt::sexpr::Text;
use smt::term::Terms;
use std::time::Duration;
use svlib::interp::Options;
use svlib::parse::{Builder, read_file};
use svlib::syntax::{At, Command, Script};
use testkit::programs::{Judgement, Limits, generate, judge};

/// What engine and checker may spend on a random program, and on one that they solve at once.
const SHORT: Duration = Duration::from_millis(1_500);
const LONG: Duration = Duration::from_secs(60);

fn options() -> Options {
    Options { steps: 20_000, depth: 200, ..Options::default() }
}

fn read(terms: &mut Terms, text: &str) -> Script {
    let (mut builder, mut findings) = (Builder::new(terms), Vec::new());
    read_file(&mut builder, terms, Text::new(text, 0), &mut findings);
    assert!(!findings.iter().any(|finding| finding.is_error()), "{findings:?}\n{text}");
    let mut script = builder.state.script;
    let is_query = |c: &Command| matches!(c.kind, svlib::syntax::CommandKind::Call(..));
    let query = script.commands.iter().position(is_query).expect("a query");
    script.commands.truncate(query + 1);
    script
}

/// What the checker says about what an engine finds in the smaller program.
fn search(
    terms: &mut Terms,
    script: &Script,
    smaller: &Prepared,
    engine: &str,
    time: Duration,
) -> Option<Judged> {
    let budget = Budget::of(time);
    let problem = Problem {
        script: &smaller.script,
        command: smaller.command,
        options: options(),
        seed: 1,
        budget: budget.clone(),
        solver: "z3",
        board: &Lonely,
    };
    let engine = find(engine).expect("an engine");
    let query = script.commands.len() - 1;
    let mut solver = solver::open("z3").expect("a solver");
    match (engine.run)(terms, &problem) {
        Found::Nothing(_) => None,
        Found::Violation(trace) => {
            let budget = Budget::of(time);
            let trace = smaller.complete(terms, script, query, &trace, &options(), &budget)?;
            Some(replay_trace(terms, script, query, &trace, &options(), &mut *solver, &budget))
        }
        Found::Proof(commands) => {
            let commands = smaller.proof(terms, commands);
            let mut script = script.clone();
            let added: Vec<usize> = (query..query + commands.len()).collect();
            let own = commands.into_iter().map(|kind| Command { kind, at: At::default() });
            script.commands.splice(query..query, own);
            let command = script.commands.len() - 1;
            let budget = Budget::of(time);
            Some(check_proof(terms, &script, command, &added, &options(), &mut *solver, &budget))
        }
    }
}

#[test]
fn evidence_about_random_programs_comes_back() {
    let (mut smaller_ones, mut proofs, mut violations) = (0, 0, 0);
    for seed in 0..90 {
        let program = generate(seed);
        let expected = judge(&program, Limits { nodes: 20_000 });
        let mut terms = Terms::new();
        let script = read(&mut terms, &program.to_string());
        let Some(smaller) = prepare(&mut terms, &script, script.commands.len() - 1) else { continue };
        smaller_ones += 1;
        let engines = if expected == Judgement::Fine { ["given", "houdini"] } else { ["random", "bmc"] };
        for engine in engines {
            match search(&mut terms, &script, &smaller, engine, SHORT) {
                Some(Judged::Confirmed) if expected == Judgement::Fine => proofs += 1,
                Some(Judged::Confirmed) => violations += 1,
                Some(Judged::Rejected(reason)) if engine != "given" => {
                    panic!("seed {seed}, {engine}: {reason}\n{program}")
                }
                _ => {}
            }
        }
    }
    let counts = (smaller_ones, proofs, violations);
    assert!(smaller_ones > 40 && proofs > 15 && violations > 15, "{counts:?}");
}

/// A program with something left out that matters for lassos, leaps and assumptions.
fn comes_back(text: &str, engine: &str) {
    let mut terms = Terms::new();
    let script = read(&mut terms, text);
    let smaller = prepare(&mut terms, &script, script.commands.len() - 1).expect("a smaller program");
    assert_eq!(
        search(&mut terms, &script, &smaller, engine, LONG),
        Some(Judged::Confirmed),
        "{engine}\n{text}"
    );
}

#[test]
fn lassos_come_back() {
    comes_back(
        "(declare-var a (Array Int Int)) (declare-var noise Int)
         (define-proc p () () () (sequence (assign (a (store a 3 0)) (noise 7))
           (! (while (< (select a 3) 5) (sequence (assign (noise 1)) (assign (a (store a 3 (mod (+ 1 (select a 3)) 3))))))
              :tag head :not-recurring)))
         (verify-call p ())",
        "lasso",
    );
    comes_back(
        "(declare-var noise Int) (declare-var x Int)
         (define-proc p () () () (sequence (! (while (< 0 x) (assign (noise x) (x (+ 1 x)))) :tag head)
           (! (label end) :tag end :recurring) (goto end)))
         (verify-call p ())",
        "lasso",
    );
}

#[test]
fn rankings_come_back() {
    comes_back(
        "(declare-var a (Array Int Int)) (declare-var noise Int) (declare-const n Int)
         (define-proc p ((k Int)) () ((i Int)) (sequence (assign (a (store a 0 0)))
           (! (while (< (select a 0) k) (sequence (assign (i 0)) (while (< i 10) (assign (i (+ i 1)) (noise i)))
              (assign (a (store a 0 (+ 1 (select a 0)))))))
              :tag head :not-recurring)))
         (verify-call p (n))",
        "ranking",
    );
}

#[test]
fn proofs_with_known_values_come_back() {
    // The loop leaves y alone, the dead assignment to z is all that writes z there, and f writes g.
    comes_back(
        "(declare-var g Int) (declare-var h Int) (declare-const n Int)
         (define-proc f ((d Int)) () () (! (sequence (assign (h 4)) (if (< h 3) (assign (g d)))) :tag f))
         (define-proc p ((k Int)) () ((x Int) (y Int) (z Int) (w Int) (noise Int)) (sequence (assign (noise 1)) (assign (y 2) (z 1) (g 5) (x 0) (w k))
           (! (while (< x k) (sequence (if (< y 2) (assign (z k))) (assign (x (+ x y z))))) :tag head)
           (call f (w) ())
           (! (assume true) :tag check :check-true (and (<= 0 x) (= z 1) (= g 5)))))
         (verify-call p (n))",
        "spacer",
    );
    // The array is written in the loop, but not where it is known.
    comes_back(
        "(declare-var a (Array Int Int)) (declare-const n Int)
         (define-proc p ((k Int)) () ((i Int) (x Int)) (sequence (assign (i 0) (x 0)) (assign (a (store a i 7)))
           (! (while (< x k) (sequence (assign (a (store a (+ i 1) x))) (assign (x (+ x (select a i)))))) :tag head)
           (! (assume true) :tag check :check-true (<= 0 x))))
         (verify-call p (n))",
        "spacer",
    );
}

#[test]
fn leaps_come_back() {
    comes_back(
        "(declare-var a (Array Int Int)) (declare-var noise Int) (declare-const n Int)
         (define-proc p ((k Int)) () () (sequence (assign (a (store a 0 0)))
           (! (while (< (select a 0) 100000000) (assign (a (store a 0 (+ 1 (select a 0)))) (noise k)))
              :tag head :invariant (<= 0 (select a 0)))
           (! (assume true) :tag check :check-true (= (select a 0) 100000000))))
         (verify-call p (n))",
        "bmc",
    );
}

#[test]
fn what_was_left_out_is_decided_anew() {
    // The simplest value, zero, does not pass the assumption.
    comes_back(
        "(declare-const n Int)
         (define-proc p ((k Int)) () ((x Int) (y Int)) (sequence (havoc x y) (assume (and (< 1 y) (< y 9)))
           (! (assume true) :tag check :check-true (< x 3))))
         (verify-call p (n))",
        "random",
    );
}

#[test]
fn what_only_the_smaller_program_can_do_is_not_evidence() {
    let text = "(declare-const n Int)
        (define-proc p ((k Int)) () ((x Int) (y Int)) (sequence (assign (y 1))
          (while (< 0 y) (assign (y (+ y 1)))) (assign (x 1)) (! (assume true) :tag check :check-true (< x 0))))
        (verify-call p (n))";
    let mut terms = Terms::new();
    let script = read(&mut terms, text);
    let smaller = prepare(&mut terms, &script, script.commands.len() - 1).expect("a smaller program");
    assert_eq!(search(&mut terms, &script, &smaller, "random", LONG), None);
}
