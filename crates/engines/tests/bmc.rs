//! Bounded model checking: each kind of violation has a program in which it is found, and a neighbour as close as
//! possible in which there is none. Whatever is found is replayed.

use base::budget::Budget;
use engines::{Found, Lonely, Problem};
use smt::sexpr::Text;
use smt::term::Terms;
use std::time::Duration;
use svlib::interp::{EntryRequires, Judgement, Options, Replay, Task, run};
use svlib::parse::{Builder, read_file};
use svlib::syntax::{CommandKind, Script, Violation};

/// The engine's answer to the last command, in words: the tag and kind of a violation, or the reason for none.
fn answer(text: &str, entry_requires: EntryRequires) -> String {
    let mut terms = Terms::new();
    let (mut builder, mut findings) = (Builder::new(&mut terms), Vec::new());
    read_file(&mut builder, &mut terms, Text::new(text, 0), &mut findings);
    assert!(!findings.iter().any(|finding| finding.is_error()), "{findings:?}");
    let script = builder.state.script;
    let is_call = |kind: &CommandKind| matches!(kind, CommandKind::Call(..));
    let Some(command) = script.commands.iter().rposition(|command| is_call(&command.kind)) else {
        panic!("no call in {text}")
    };
    let options = Options { entry_requires, ..Options::default() };
    let problem = Problem {
        script: &script,
        command,
        options,
        seed: 0,
        budget: Budget::of(Duration::from_secs(300)),
        solver: "z3",
        board: &Lonely,
    };
    let Some(engine) = engines::find("bmc") else { panic!("no such engine") };
    match (engine.run)(&mut terms, &problem) {
        Found::Violation(trace) => {
            confirm(&mut terms, &script, command, &trace, &options);
            let Violation::Annotation(claim) = &trace.violation else { panic!("an invalid step") };
            let leaps = trace.steps.iter().filter(|step| matches!(step, svlib::syntax::Step::Leap(..)));
            let leapt = if leaps.count() > 0 { " by leap" } else { "" };
            format!("{} {}{leapt}", terms.names.text(claim.tag), claim.properties[0].kind.keyword())
        }
        Found::Nothing(reason) => reason,
        Found::Proof(_) => "proof".into(),
    }
}

fn confirm(
    terms: &mut Terms,
    script: &Script,
    command: usize,
    trace: &svlib::syntax::Trace,
    options: &Options,
) {
    let Ok(task) = Task::new(terms, script, command) else { panic!("no task") };
    let mut replay = Replay::of_trace(terms, trace);
    let outcome = run(&task, terms, &mut replay, options);
    assert_eq!(replay.judge(&outcome), Judgement::Confirmed, "{}", outcome.end.message(terms, &task));
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(answer(text, EntryRequires::Check), expected, "{text}");
}

const CLEAN: &str = "the program is unrolled completely, and no execution violates a property";

/// A procedure `p` without inputs.
fn program(variables: &str, body: &str) -> String {
    format!("(define-proc p () () ({variables}) (! (sequence {body}) :tag p)) (verify-call p ())")
}

#[test]
fn a_check_after_a_loop() {
    let text = |check: &str| {
        program(
            "(i Int) (n Int)",
            &format!(
                "(assume (<= 0 n 5)) (assign (i 0)) (! (while (< i n) (assign (i (+ i 2)))) :tag l)
                 (! (sequence) :tag end :check-true {check})"
            ),
        )
    };
    check(&text("(distinct i 6)"), "end :check-true");
    check(&text("(distinct i 5)"), CLEAN);
}

#[test]
fn ways_meet_again() {
    let text = |check: &str| {
        program(
            "(a Int) (b Int) (x Int)",
            &format!(
                "(havoc a b)
                 (if (< a 0) (assign (x 1)) (choice (assign (x 2)) (assign (x 3)) (assume false)))
                 (if (< b 0) (assign (x (* 2 x))))
                 (! (sequence) :tag end :check-true {check})"
            ),
        )
    };
    check(&text("(distinct x 6)"), "end :check-true");
    check(&text("(=> (= x 3) (and (<= 0 a) (<= 0 b)))"), CLEAN);
    check(&text("(=> (= x 2) (<= 0 b))"), "end :check-true");
}

#[test]
fn what_is_known_is_run() {
    let text = |limit: u32, sum: u32| {
        program(
            "(i Int) (s Int)",
            &format!(
                "(assign (i 0) (s 0))
                 (! (while (< i {limit}) (assign (i (+ i 1)) (s (+ s (mod i 2))))) :tag l)
                 (! (sequence) :tag end :check-true (distinct s {sum}))"
            ),
        )
    };
    check(&text(20_000, 10_000), "end :check-true");
    check(&text(2_000, 999), CLEAN);
}

#[test]
fn any_use_of_goto() {
    let text = |check: &str| {
        program(
            "(x Int) (n Int)",
            &format!(
                "(assign (n 0)) (if (< x 0) (goto l))
                 (! (label k) :tag k) (assign (n (+ n 1))) (if (< 3 n) (goto out))
                 (! (label l) :tag l) (assign (x (+ x n))) (goto k)
                 (! (label out) :tag out :check-true {check})"
            ),
        )
    };
    check(&text("(<= n 3)"), "out :check-true");
    check(&text("(= n 4)"), CLEAN);
}

#[test]
fn calls_globals_and_results() {
    let text = |check: &str| {
        format!(
            "(declare-var g Int) (declare-const c Int) (declare-fun f (Int) Int) (assert (< (f 1) c 10))
             (define-proc add ((x Int)) ((r Int)) ()
               (! (sequence (assign (r (+ x g)) (g (+ g 1))) (if (< r 0) (return)) (assign (r (f x)))) :tag add))
             (define-proc p () () ((a Int) (b Int))
               (! (sequence (call add (1) (a)) (call add (2) (b)) (! (sequence) :tag end :check-true {check}))
                  :tag p))
             (verify-call p ())"
        )
    };
    check(&text("(or (< b 0) (= b (f 2)))"), CLEAN);
    check(&text("(< a 9)"), CLEAN);
    check(&text("(< a 8)"), "end :check-true");
    check(&text("(< g c)"), "end :check-true");
}

#[test]
fn recursion_and_its_ranking_function() {
    let text = |step: &str, requires: &str| {
        format!(
            "(define-procs-rec (down ((n Int)) ((r Int)) ())
               ((! (sequence (assign (r 0)) (if (< 0 n) (sequence (call down ({step}) (r)) (assign (r (+ r 1))))))
                  :tag down {requires} :ensures (or (< n 0) (= r n)) :decreases n)))
             (declare-const k Int) (assert (<= k 3)) (verify-call down (k))"
        )
    };
    check(&text("(- n 1)", ":requires (<= n 3)"), CLEAN);
    check(&text("n", ":requires (<= n 3)"), "down :decreases");
    check(&text("(- n 2)", ":requires (<= n 3)"), "down :ensures");
    check(&text("(- n 1)", ":requires (<= n 2)"), "down :requires");
}

#[test]
fn ranking_functions_of_loops() {
    let text = |update: &str, rank: &str| {
        program(
            "(x Int) (y Int)",
            &format!(
                "(havoc x y) (assume (<= x 2))
                 (! (while (< 0 x) (sequence (havoc y) (assume (<= 0 y 3)) {update}))
                    :tag l :invariant (<= x 2) {rank})"
            ),
        )
    };
    check(&text("(assign (x (- x 1)))", ":decreases x"), CLEAN);
    check(&text("(assign (x (- x y)))", ":decreases x"), "l :decreases");
    check(&text("(assign (x (- x 1)))", ":decreases (- x 2)"), "l :decreases");
    check(&text("(assign (x (- x 1)))", ":decreases-lex (x y)"), CLEAN);
    check(&text("(assign (x (- x 1)))", ":decreases-lex (y x)"), "l :decreases-lex");
}

#[test]
fn invariants_are_initial_inductive_and_sufficient() {
    let text = |invariant: &str| {
        program(
            "(i Int) (n Int)",
            &format!(
                "(assign (i 0)) (assume (<= 0 n))
                 (! (while (< i n) (assign (i (+ i 1)))) :tag l :invariant {invariant})
                 (! (sequence) :tag end :check-true (= i n))"
            ),
        )
    };
    check(&text("(<= 0 i n)"), CLEAN);
    check(&text("(< 0 i)"), "l :invariant");
    check(&text("(and (<= i n) (< i 100))"), "l :invariant by leap");
    check(&text("(<= 0 i)"), "end :check-true by leap");
}

#[test]
fn contracts_are_judged_from_all_states_that_they_allow() {
    let text = |contract: &str, before: i32| {
        format!(
            "(declare-var g Int)
             (define-proc inc () () () (! (assign (g (+ g 1))) :tag inc {contract}))
             (define-proc p () () ()
               (! (sequence (assign (g {before})) (call inc () ()) (! (sequence) :tag end :check-true (= g {})))
                  :tag p))
             (verify-call p ())",
            before + 1
        )
    };
    check(&text(":ensures (= g (+ (at g inc) 1))", 0), CLEAN);
    check(&text(":ensures (= g 1)", 0), "inc :ensures by leap");
    check(&text(":requires (= g 0) :ensures (= g 1)", 0), CLEAN);
    check(&text(":requires (<= 0 g) :ensures (<= 1 g)", -1), "inc :requires");
}

#[test]
fn the_requires_of_the_entry() {
    let text = "(define-proc half ((n Int)) ((h Int)) ()
          (! (assign (h (div n 2))) :tag half :requires (<= 0 n) :ensures (<= h n)))
        (declare-const k Int) (verify-call half (k))";
    check(text, "half :requires");
    assert_eq!(answer(text, EntryRequires::Assume), CLEAN);
}

#[test]
fn what_variables_were() {
    let text = |check: &str| {
        program(
            "(x Int)",
            &format!(
                "(assume (< 0 x 3))
                 (! (while (< x 10) (! (assign (x (* 2 x))) :tag step)) :tag l)
                 (! (sequence) :tag end :check-true {check})"
            ),
        )
    };
    check(&text("(< (at x p) 3)"), CLEAN);
    check(&text("(= x (* 2 (at x step)))"), CLEAN);
    check(&text("(= (at x step) 8)"), CLEAN);
    check(&text("(= (at x p) 2)"), "end :check-true");
}

#[test]
fn arrays_bit_vectors_and_reals() {
    let text = |check: &str| {
        program(
            "(a (Array Int Int)) (i Int) (b (_ BitVec 8)) (r Real)",
            &format!(
                "(havoc a) (assume (and (<= 0 i 1) (= (bvmul b b) #x04) (= (* 2.0 r) 3.0)))
                 (assign (a (store a i 7)))
                 (! (sequence) :tag end :check-true {check})"
            ),
        )
    };
    check(&text("(or (= (select a 0) 7) (= (select a 1) 7))"), CLEAN);
    check(&text("(= (select a 0) 7)"), "end :check-true");
    check(&text("(bvult b #x80)"), "end :check-true");
    check(&text("(= r 1.5)"), CLEAN);
}

#[test]
fn what_no_trace_can_show() {
    check(
        &program("(x Int)", "(! (sequence) :check-true (= x 0))"),
        "a violated statement has no tag, so no trace can name it",
    );
    check(
        "(declare-fun f (Int) Int) (assert (forall ((x Int)) (< (f x) x)))
         (define-proc p () () ((x Int)) (! (sequence) :tag p :check-true (< 0 (f x)))) (verify-call p ())",
        "an assertion cannot be evaluated, so no trace can be confirmed",
    );
    let quantified = program("(x Int)", "(! (sequence) :tag end :check-true (forall ((y Int)) (< x y)))");
    check(&quantified, &format!("{CLEAN} that can be evaluated"));
}
