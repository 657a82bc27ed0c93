//! Printing a term and reading it again gives the same term: for every operator, for the forms that are easy to
//! get wrong (captured names, shared subterms, odd symbols), and for random terms of all theories.

mod common;
#[path = "roundtrip/random.rs"]
mod random;
#[path = "roundtrip/sharing.rs"]
mod sharing;
#[path = "roundtrip/table.rs"]
mod table;

use common::Kernel;
use smt::op::{ALIASES, OPS, Op};
use smt::print;
use smt::subst::postorder;

fn prepared() -> Kernel {
    let mut kernel = Kernel::vmt();
    kernel.script(&table::prelude());
    kernel
}

/// Each row of the table, with constants in its holes; and no operator may be without a row.
#[test]
fn every_operator() {
    let mut kernel = prepared();
    let mut seen = vec![false; OPS.len()];
    for (sort, row) in table::ROWS {
        let mut names = ["x", "y", "z"].iter().cycle();
        let text = table::fill(row, |letter| format!("{}{letter}", names.next().unwrap()));
        let name = table::SORTS.iter().find(|s| s.0 == *sort).expect("sort letters are in the table").1;
        let term = kernel.good(&format!("(= z{sort} {text})"));
        assert_eq!(kernel.terms.op(term), Op::Eq, "{text} should have sort {name}");
        kernel.law(term);
        for part in postorder(&kernel.terms, term) {
            seen[kernel.terms.op(part) as usize] = true;
        }
    }
    let missing: Vec<&str> = OPS
        .iter()
        .filter(|info| info.op != Op::Error && !seen[info.op as usize])
        .map(|info| info.name)
        .collect();
    assert!(missing.is_empty(), "operators without a row in the table: {missing:?}");
}

/// Literals may have more digits than the machinery of formatting can put zeros before.
#[test]
fn long_literals() {
    let mut kernel = prepared();
    for literal in [
        format!("#x{:0>9}{}", "1", "9".repeat(17_491)),
        format!("#b{:0>9}{}", "1", "01".repeat(35_000)),
        format!("{}.{:0>9}{}", "0", "1", "3".repeat(70_000)),
    ] {
        let term = kernel.good(&format!("(= {literal} {literal})"));
        for part in postorder(&kernel.terms, term) {
            kernel.law(part);
        }
        assert_eq!(print::term_text(&kernel.terms, kernel.terms.args(term)[0]), literal);
    }
}

/// Other names for operators mean the same operator.
#[test]
fn aliases() {
    let mut kernel = prepared();
    for &(alias, op) in ALIASES {
        let words = |row: &str| row.split(['(', ')', ' ']).any(|word| word == op.name());
        let row = table::ROWS.iter().map(|row| row.1).find(|row| words(row));
        let row = row.unwrap_or_else(|| panic!("{} has no row", op.name()));
        let row = table::fill(row, |letter| format!("x{letter}"));
        let long = kernel.good(&row.replacen(&format!("{} ", op.name()), &format!("{alias} "), 1));
        let long = if row == op.name() { kernel.good(alias) } else { long };
        assert_eq!(long, kernel.good(&row), "{alias} and {}", op.name());
    }
}

/// `(text, what it is printed as)` in the scope of the table's prelude.
const PRINTED: &[(&str, &str)] = &[
    // A name bound by `let` never ends up under a binder that means something else by it.
    ("(let ((y xI)) (forall ((xI Int)) (= xI y)))", "(forall ((xI!1 Int)) (= xI!1 xI))"),
    (
        "(forall ((n Int)) (let ((y n)) (forall ((n Int)) (= n y))))",
        "(forall ((n Int)) (forall ((n!1 Int)) (= n!1 n)))",
    ),
    (
        "(forall ((n Int)) (let ((y n)) (exists ((n Bool)) (= n (> y 0)))))",
        "(forall ((n Int)) (exists ((n!1 Bool)) (= n!1 (> n 0))))",
    ),
    // The new name is new.
    (
        "(let ((y x!1) (x!2 zI)) (forall ((x!1 Int)) (= x!1 y x!2)))",
        "(forall ((x!1!1 Int)) (= x!1!1 x!1 zI))",
    ),
    (
        "(let ((y xI)) (forall ((xI!1 Int)) (exists ((xI Int)) (= xI xI!1 y))))",
        "(forall ((xI!1 Int)) (exists ((xI!2 Int)) (= xI!2 xI!1 xI)))",
    ),
    // Functions with arguments, operators and constructors can be hidden as well.
    (
        "(let ((y (double 1))) (forall ((double Int)) (= double y)))",
        "(forall ((double!1 Int)) (= double!1 (double 1)))",
    ),
    ("(let ((y (+ xI 1))) (forall ((+ Int)) (= + y)))", "(forall ((+!1 Int)) (= +!1 (+ xI 1)))"),
    (
        "(let ((y (and xB yB))) (forall ((and Int)) (or y (= and 1))))",
        "(forall ((and!1 Int)) (or (and xB yB) (= and!1 1)))",
    ),
    (
        "(let ((y (as nil (List Int)))) (forall ((nil Int)) (= y xL)))",
        "(forall ((nil!1 Int)) (= (as nil (List Int)) xL))",
    ),
    ("(let ((y red)) (forall ((red Color)) (= red y)))", "(forall ((red!1 Color)) (= red!1 red))"),
    ("(let ((y -7)) (forall ((- Int)) (= - y)))", "(forall ((-!1 Int)) (= -!1 (- 7)))"),
    (
        "(let ((y ((_ extract 2 0) xV))) (forall ((extract Int)) (= y xN)))",
        "(forall ((extract!1 Int)) (= ((_ extract 2 0) xV) xN))",
    ),
    // The names of `match` are bound like those of `let`.
    ("(match xP (((pair a b) (forall ((xP Int)) (= xP a)))))", "(forall ((xP!1 Int)) (= xP!1 (first xP)))"),
    (
        "(match xC ((red true) (c (forall ((xC Int)) (= c green)))))",
        "(ite ((_ is red) xC) true (forall ((xC!1 Int)) (= xC green)))",
    ),
    // What is not captured keeps its name.
    ("(let ((y zI)) (forall ((xI Int)) (= xI y)))", "(forall ((xI Int)) (= xI zI))"),
    ("(forall ((xI Int)) (exists ((xI Int)) (= xI 0)))", "(forall ((xI Int)) (exists ((xI Int)) (= xI 0)))"),
    (
        "(forall ((n Int)) (and (> n 0) (forall ((n Bool)) n) (< n 9)))",
        "(forall ((n Int)) (and (> n 0) (forall ((n Bool)) n) (< n 9)))",
    ),
    // `let` binds in parallel, and inner meanings hide outer ones.
    ("(let ((a xI) (b yI)) (let ((a b) (b a)) (- a b)))", "(- yI xI)"),
    ("(let ((xI yI)) (let ((yI xI)) (let ((xI 1)) (+ xI yI))))", "(+ 1 yI)"),
    // What is shared is written once, in the outermost place that binds its variables.
    ("(and (> (+ xI 1) 0) (< (+ xI 1) 9))", "(let ((?1 (+ xI 1))) (and (> ?1 0) (< ?1 9)))"),
];

#[test]
fn printed_forms() {
    for (text, expected) in PRINTED {
        let mut kernel = prepared();
        let term = kernel.good(text);
        let printed = kernel.law(term);
        assert_eq!(printed, *expected, "for {text}");
    }
}

#[test]
fn random_terms() {
    let mut kernel = prepared();
    for seed in 0..3_000 {
        if seed % 500 == 0 {
            kernel = prepared();
        }
        random::check(&mut kernel, seed);
    }
}

#[test]
fn random_replacements() {
    let mut kernel = prepared();
    for seed in 0..2_000 {
        random::check_replace(&mut kernel, seed);
    }
}

/// Each function of a long chain calls the one before it: what is unfolded is as long as the chain, not its square.
#[test]
fn a_chain_of_definitions() {
    const LENGTH: usize = 50_000;
    let mut kernel = prepared();
    let mut script = String::from("(define-fun chain0 ((n Int)) Int (abs n))\n");
    for i in 1..LENGTH {
        script.push_str(&format!("(define-fun chain{i} ((n Int)) Int (abs (chain{} n)))\n", i - 1));
    }
    kernel.script(&script);
    let mut term = kernel.good(&format!("(chain{} 7)", LENGTH - 1));
    term = smt::subst::unfold(&mut kernel.terms, term);
    for _ in 0..LENGTH {
        assert_eq!(kernel.terms.op(term), smt::op::Op::Abs);
        term = kernel.terms.args(term)[0];
    }
    assert_eq!(term, kernel.good("7"));
}

#[test]
fn random_unfoldings() {
    let mut kernel = prepared();
    for seed in 0..1_000 {
        random::check_unfold(&mut kernel, seed);
    }
}
