//! What stays of a program for its properties, and arrays as variables.

use encode::prepare::{Prepared, prepare};
use smt::print::term_text;
use smt::sexpr::Text;
use smt::term::Terms;
use svlib::parse::{Builder, read_file};
use svlib::print::command_text;
use svlib::syntax::{CommandKind, Script};

fn read(terms: &mut Terms, text: &str) -> Script {
    let (mut builder, mut findings) = (Builder::new(terms), Vec::new());
    read_file(&mut builder, terms, Text::new(text, 0), &mut findings);
    let errors: Vec<&str> = findings.iter().filter(|f| f.is_error()).map(|f| f.message.as_str()).collect();
    assert_eq!(errors, [""; 0], "{text}");
    builder.state.script
}

fn prepared(terms: &mut Terms, text: &str) -> Option<Prepared> {
    let script = read(terms, text);
    prepare(terms, &script, script.commands.len() - 1)
}

/// The declarations, procedures and the query of the smaller program, on one line each.
fn smaller(text: &str) -> Vec<String> {
    let mut terms = Terms::new();
    let Some(found) = prepared(&mut terms, text) else { return Vec::new() };
    let shown = |kind: &CommandKind| !matches!(kind, CommandKind::Smt(_));
    let commands = found.script.commands.iter().map(|c| &c.kind).filter(|kind| shown(kind));
    commands
        .map(|kind| {
            let text = command_text(&terms, &found.script, kind);
            text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(" )", ")")
        })
        .collect()
}

const CHECK: &str = "(! (assume true) :tag check :check-true (< 0 x))";

/// The body of a procedure with the locals x, y, z, w and what stays of it.
fn body(text: &str) -> Option<String> {
    let task = format!(
        "(declare-const n Int)(define-proc p ((k Int)) () ((x Int) (y Int) (z Int) (w Int)) (sequence {text} {CHECK}))(verify-call p (n))"
    );
    let all = smaller(&task);
    let proc = all.iter().find(|line| line.starts_with("(define-proc p"))?;
    let end = format!("{CHECK}))");
    let begin = proc.find("(sequence").expect("a sequence") + "(sequence".len();
    Some(proc[begin..proc.len() - end.len()].trim().to_string())
}

#[test]
fn what_the_property_does_not_depend_on_goes() {
    for (whole, part) in [
        ("(assign (x 1) (y 2))", "(assign (x 1))"),
        ("(assign (x y)) (assign (z 1))", "(assign (x y))"),
        ("(havoc x y)", "(havoc x)"),
        ("(assign (x 1)) (while (< y k) (assign (y (+ y 1))))", "(assign (x 1))"),
        ("(assign (x 1)) (if (< y k) (assign (y 1)) (assign (z 1)))", "(assign (x 1))"),
        ("(if (< y k) (assign (x 1)) (assign (z 1)))", "(if (< y k) (assign (x 1)))"),
        ("(if (< y k) (assign (z 1)) (assign (x 1)))", "(if (< y k) (sequence) (assign (x 1)))"),
        ("(assume (< y 3)) (assume (< x 3))", "(assume (< x 3))"),
        ("(assume (< x y)) (assume (< y 3)) (assign (z 1))", "(assume (< x y)) (assume (< y 3))"),
        ("(choice (assign (x 1)) (assign (y 1)))", "(choice (assign (x 1)) (sequence))"),
        ("(choice (assign (z 1)) (assign (y 1)))", ""),
        ("(while (< y k) (sequence (assign (y 1)) (break)))", ""),
        (
            "(while (< x 5) (sequence (if (< y 1) (break)) (assign (z 1))))",
            "(while (< x 5) (sequence (if (< y 1) (break))))",
        ),
        ("(if (< y 3) (while true (assign (z 1))))", "(if (< y 3) (while true (sequence)))"),
        ("(if (< y 0) (return)) (assign (z 0))", "(if (< y 0) (return))"),
        ("(if (< y 0) (sequence (label l) (assign (z 1)) (goto l)))", ""),
        ("(label l) (assign (z 1)) (if (< y 0) (goto l))", "(label l) (if (< y 0) (goto l))"),
        ("(if false (assign (x 1)))", ""),
        (
            "(if false (sequence (assign (x 1)) (label l))) (if (< x y) (goto l))",
            "(if false (sequence (label l))) (if (< x y) (goto l))",
        ),
    ] {
        assert_eq!(body(whole).as_deref(), Some(part), "{whole}");
    }
}

#[test]
fn known_values_are_put_in() {
    for (whole, part) in [
        ("(assign (y 2)) (assign (x (+ y y 1)))", "(assign (x 5))"),
        ("(assign (y 2)) (assign (y 3) (z y)) (assign (x (- z y)))", "(assign (x (- 1)))"),
        ("(assign (y 2)) (assume (< 1 y)) (assign (x k))", "(assign (x k))"),
        ("(assign (y 2)) (if (< y 3) (assign (x k)) (assign (x z)))", "(if true (assign (x k)))"),
        ("(assign (y 2)) (if (< y k) (assign (z 1)) (assign (z 1))) (assign (x (+ y z)))", "(assign (x 3))"),
        ("(choice (assign (y 2)) (assign (y 2))) (assign (x y))", "(assign (x 2))"),
        // The loop leaves the variable alone.
        ("(assign (y 2)) (while (< x k) (assign (x (+ x y))))", "(while (< x k) (assign (x (+ x 2))))"),
        (
            "(assign (y 2)) (label l) (assign (x (+ x y))) (if (< x k) (goto l))",
            "(label l) (assign (x (+ x 2))) (if (< x k) (goto l))",
        ),
        // The other way into the sequence brings the same value.
        (
            "(assign (y 2)) (if (< x k) (goto l)) (assign (y 2)) (label l) (assign (x y))",
            "(if (< x k) (goto l)) (label l) (assign (x 2))",
        ),
    ] {
        assert_eq!(body(whole).as_deref(), Some(part), "{whole}");
    }
    // The property after the loop is not reached.
    let endless = "(define-proc p () () ((x Int)) (sequence (assign (x 2)) (while (< x 3) (sequence))
        (! (assume true) :tag c :check-true (< x 0))))(verify-call p ())";
    assert!(smaller(endless)[0].ends_with("(sequence (while true (sequence))))"), "{:?}", smaller(endless));
}

#[test]
fn values_that_may_be_others_are_not_put_in() {
    for text in [
        "(assign (y 2)) (havoc y) (assign (x y))",
        "(if (< k 0) (assign (y 1)) (assign (y 2))) (assign (x y))",
        "(if (< k 0) (assign (y 1))) (assign (x y))",
        "(choice (assign (y 1)) (assign (y 2))) (assign (x y))",
        "(assign (y 2)) (while (< x k) (sequence (assign (x (+ x y))) (assign (y 3))))",
        // Written on the way out of the loop only, which is a part of its text.
        "(assign (y 2)) (while (< x k) (sequence (assign (x y)) (if (< x 9) (sequence (assign (y 3)) (break)))))",
        "(assign (y 2)) (label l) (assign (x y)) (assign (y 3)) (if (< x k) (goto l))",
        // Two ways into one loop.
        "(assign (y 2)) (if (< x k) (goto l)) (assign (y 3)) (label m) (assign (x y)) (label l) (if (< x k) (goto m))",
        "(assume (= y 2)) (assign (x y))",
        "(assign (y (div 1 0))) (assign (x y))",
    ] {
        assert_eq!(body(text).as_deref(), Some(text));
    }
}

#[test]
fn calls_forget_what_they_write() {
    let task = |callee: &str| {
        format!(
            "(declare-var g Int)(declare-var h Int)(declare-const n Int)
             (define-proc inner () () () {callee})
             (define-proc f () ((r Int)) () (sequence (call inner () ()) (assign (r 1))))
             (define-proc p () () ((x Int) (y Int) (z Int))
               (sequence (assign (g 1) (y 2) (z 3)) (call f () (z)) (assign (x (+ g y z)))
                 (! (assume true) :tag c :check-true (< 0 x h))))(verify-call p ())"
        )
    };
    let has = |callee: &str, text: &str| smaller(&task(callee)).iter().any(|line| line.contains(text));
    assert!(has("(assign (h 2))", "(assign (x (+ 1 2 z)))"));
    assert!(has("(assign (g 2))", "(assign (x (+ g 2 z)))"));
    assert!(has("(havoc g)", "(assign (x (+ g 2 z)))"));
}

#[test]
fn dead_code_stays_where_a_loop_would_write_less_without_it() {
    // Without the assignment to z a proof of the loop would not say that z is 1.
    let text = "(assign (y 2)) (if (< k 0) (assign (z 1)) (assign (z 2))) \
                (while (< x k) (sequence (if (< y 2) (assign (z k))) (assign (x (+ x z)))))";
    assert_eq!(body(text).as_deref(), Some(text));
    // Nothing that stays reads z.
    let (whole, part) = (
        "(assign (y 2)) (while (< x k) (sequence (if (< y 2) (sequence (assign (z k)) (assign (x z)))) (assign (x (+ x 1)))))",
        "(while (< x k) (sequence (assign (x (+ x 1)))))",
    );
    assert_eq!(body(whole).as_deref(), Some(part));
}

#[test]
fn known_indices_take_arrays_apart() {
    let text = "(declare-var a (Array Int Int))(declare-const n Int)
        (define-proc p ((k Int)) () ((i Int) (x Int) (y Int))
          (sequence (assign (i 0)) (assign (a (store (store a i 7) (+ i 1) k))) (assign (x (select a (+ i 1))))
            (assign (y (select a i)))
            (while (< x k) (sequence (assign (a (store a (+ i 1) x))) (assign (x (+ x (select a i))))))
            (! (assume true) :tag c :check-true (< y x))))(verify-call p (n))";
    let all = smaller(text);
    let proc = all.iter().find(|line| line.starts_with("(define-proc p")).expect("a procedure");
    assert!(proc.contains("(assign (|a[0]| 7)") && proc.contains("(assign (y 7))"), "{proc}");
    // The program's loop writes the array, so that a proof has to say what is in the other cell.
    assert!(proc.contains("(+ x |a[0]|)"), "{proc}");
}

#[test]
fn what_all_depends_on_stays() {
    // The inputs and locals that are not used go in any case, so all are used here.
    let text = "(declare-const n Int)(define-proc p ((k Int)) () ((x Int) (y Int)) \
                (sequence (assign (x (+ y k))) (! (assume true) :tag c :check-true (< 0 x))))(verify-call p (n))";
    assert!(prepared(&mut Terms::new(), text).is_none());
}

#[test]
fn unneeded_calls_parameters_and_globals_go() {
    let text = "(declare-var g Int)(declare-var h Int)(declare-const n Int)
        (define-proc idle ((a Int)) () () (assign (h a)))
        (define-proc f ((a Int) (b Int)) ((r Int) (s Int)) () (assign (r a) (s b)))
        (define-proc p ((k Int) (l Int)) () ((x Int) (y Int))
          (sequence (call idle (k) ()) (call f (k l) (x y)) (! (assume true) :tag c :check-true (< g x))))
        (verify-call p (n n))";
    assert_eq!(
        smaller(text),
        [
            "(declare-var g Int)",
            "(define-proc idle () () () (sequence))",
            "(define-proc f ((a Int)) ((r Int)) () (assign (r a)))",
            "(define-proc p ((k Int)) () ((x Int)) (sequence (call f (k) (x)) (! (assume true) :tag c :check-true \
             (< g x))))",
            "(verify-call p (n))",
        ]
    );
}

#[test]
fn arguments_of_the_query_stay() {
    let text = "(declare-var g Int)(declare-var h Int)
        (define-proc p ((k Int) (l Int)) () () (! (assume true) :tag c :check-true (< 0 k)))(verify-call p (g h))";
    assert_eq!(
        smaller(text),
        [
            "(declare-var g Int)",
            "(define-proc p ((k Int)) () () (! (assume true) :tag c :check-true (< 0 k)))",
            "(verify-call p (g))",
        ]
    );
}

#[test]
fn loops_stay_where_executions_without_end_matter() {
    let task = |property: &str| {
        format!(
            "(declare-const n Int)(define-proc p ((k Int)) () ((x Int) (y Int)) (sequence (while (< y k) (assign (y (+ y 1)))) \
             (! (while (< x k) (assign (x (+ x 1)))) :tag l {property})))(verify-call p (n))"
        )
    };
    let has_both = |property: &str| smaller(&task(property)).iter().any(|line| line.contains("(< y k)"));
    assert!(!has_both(":not-recurring"), "only the loop of the tag must end");
    assert!(!has_both(":check-true (< x n)"));
    let recurring = prepared(&mut Terms::new(), &task(":recurring"));
    assert!(recurring.is_none(), "an execution without end in the other loop violates it");
}

#[test]
fn arrays_become_variables() {
    let text = "(declare-var a (Array Int Int))(declare-const n Int)
        (define-proc f ((b (Array Int Int))) ((c (Array Int Int))) () (assign (c (store b (- 1) 7))))
        (define-proc p ((k Int)) () ()
          (sequence (assign (a (store (store ((as const (Array Int Int)) 5) 2 k) 3 4)))
                    (call f (a) (a))
                    (! (assume true) :tag t :check-true (= (+ (select a 2) (select (ite (< k 0) a (store a 2 1)) (- 1))) (at (select a 2) t)))))
        (verify-call p (n))";
    let text = text.replace("(at (select a 2) t)", "(select (at a t) 2)");
    assert_eq!(
        smaller(&text),
        [
            "(declare-var |a[(- 1)]| Int)",
            "(declare-var |a[2]| Int)",
            "(define-proc f ((|b[2]| Int)) ((|c[(- 1)]| Int) (|c[2]| Int)) () (assign (|c[(- 1)]| 7) (|c[2]| |b[2]|)))",
            "(define-proc p ((k Int)) () () (sequence (assign (|a[(- 1)]| 5) (|a[2]| k)) (call f (|a[2]|) (|a[(- 1)]| |a[2]|)) \
             (! (assume true) :tag t :check-true (= (+ |a[2]| (ite (< k 0) |a[(- 1)]| |a[(- 1)]|)) (at |a[2]| t)))))",
            "(verify-call p (n))",
        ]
    );
}

#[test]
fn arrays_that_are_used_as_a_whole_stay() {
    let with = |check: &str| {
        format!(
            "(declare-var a (Array Int Int))(declare-var b (Array Int Int))(declare-const n Int)
             (define-fun first ((c (Array Int Int))) Int (select c 0))
             (define-proc p ((k Int)) () () (sequence (assign (a (store b 1 k)))
               (! (assume true) :tag t :check-true {check})))(verify-call p (n))"
        )
    };
    for check in [
        "(= a b)",
        "(= (select a k) 0)",
        "(= (select a (div 1 0)) 0)",
        "(forall ((i Int)) (= (select a i) 0))",
        "(= (first a) 0)",
        "(= (select (store a k 1) 1) 0)",
    ] {
        let is_split = smaller(&with(check)).iter().any(|line| line.contains('['));
        assert!(!is_split, "{check}");
    }
    assert!(smaller(&with("(= (select a 1) (select b 1))")).iter().any(|line| line.contains("a[1]")));
}

#[test]
fn terms_go_back_and_forth() {
    let text = "(declare-var a (Array Int (Array Bool Int)))(declare-var x Int)(declare-var y Int)(declare-const n Int)
        (define-proc p () () () (! (sequence (assign (y 1)) (assign (x (select (select a 1) true)))) :tag t
          :check-true (and (< 0 (select (select a 1) true)) (< x (select (select (at a t) 1) true)) (< n 3)) :check-true (< y 1)))
        (verify-call p ())";
    let mut terms = Terms::new();
    let script = read(&mut terms, text);
    let found = prepare(&mut terms, &script, script.commands.len() - 1).expect("an array to take apart");
    let of = |script: &Script| {
        let stmts = script.stmts.iter().flat_map(|s| &s.properties).flat_map(|p| p.terms.clone());
        stmts.collect::<Vec<_>>()
    };
    let (whole, part) = (of(&script), of(&found.script));
    assert!(whole.len() == 2 && term_text(&terms, part[0]).contains("|a[1][true]|"));
    for (&whole, &part) in whole.iter().zip(&part) {
        assert_eq!(found.back(&mut terms, part), whole);
        assert_eq!(found.forth(&mut terms, whole), Some(part));
    }
    // Something about a cell that nothing else speaks of.
    let other = read(&mut terms, &text.replace("(select a 1)", "(select a 2)"));
    assert_eq!(found.forth(&mut terms, of(&other)[0]), None);
}
