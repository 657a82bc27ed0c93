//! Shared subterms are printed once: where the `let` stands, and that the text is as large as the graph.

use crate::common::Kernel;
use smt::op::Op;
use smt::term::TermId;

/// `(text, what it is printed as)`.
const SHARED: &[(&str, &str)] = &[
    ("(and (> (+ x 1) 0) (< (+ x 1) 9))", "(let ((?1 (+ x 1))) (and (> ?1 0) (< ?1 9)))"),
    // One `let` binds all that depends on nothing before.
    (
        "(= (+ (* x x) (* y y)) (- (* x x) (* y y)))",
        "(let ((?1 (* x x)) (?2 (* y y))) (= (+ ?1 ?2) (- ?1 ?2)))",
    ),
    (
        "(= (* (+ x 1) (+ x 1)) (- (* (+ x 1) (+ x 1)) y))",
        "(let ((?1 (+ x 1))) (let ((?2 (* ?1 ?1))) (= ?2 (- ?2 y))))",
    ),
    // Under a binder only what depends on its variable.
    (
        "(forall ((n Int)) (= (+ n x 1) (* (+ n x 1) (- x) (- x))))",
        "(let ((?2 (- x))) (forall ((n Int)) (let ((?1 (+ n x 1))) (= ?1 (* ?1 ?2 ?2)))))",
    ),
    (
        "(forall ((n Int)) (exists ((m Int)) (and (= (+ n 1) (* (+ n 1) m)) (< (+ m 1) (- (+ m 1))))))",
        "(forall ((n Int)) (let ((?1 (+ n 1))) (exists ((m Int)) (let ((?2 (+ m 1))) (and (= ?1 (* ?1 m)) (< ?2 (- ?2)))))))",
    ),
    // A whole quantifier can be shared.
    (
        "(=> (forall ((n Int)) (> n x)) (or b (forall ((n Int)) (> n x))))",
        "(let ((?1 (forall ((n Int)) (> n x)))) (=> ?1 (or b ?1)))",
    ),
    // The same body under two binders of one name is two terms.
    (
        "(and (forall ((n Int)) (> (+ n 1) n)) (exists ((n Int)) (> (+ n 1) n)))",
        "(and (forall ((n Int)) (> (+ n 1) n)) (exists ((n Int)) (> (+ n 1) n)))",
    ),
    // A shared closed quantifier inside another one of the same name.
    (
        "(forall ((x Int)) (and (forall ((x Int)) (p x)) (= x 1) (not (forall ((x Int)) (p x)))))",
        "(let ((?1 (forall ((x Int)) (p x)))) (forall ((x Int)) (and ?1 (= x 1) (not ?1))))",
    ),
    (
        "(and c (forall ((m Int)) (forall ((m Int)) (= (+ m 1) (- (+ m 1)) (ite c 1 0)))))",
        "(and c (forall ((m Int)) (forall ((m Int)) (let ((?1 (+ m 1))) (= ?1 (- ?1) (ite c 1 0))))))",
    ),
    (
        "(and (not c) (forall ((m Int)) (forall ((m Int)) (= (+ m 1) (- (+ m 1)) (ite (not c) 1 0)))))",
        "(let ((?1 (not c))) (and ?1 (forall ((m Int)) (forall ((m Int)) (let ((?2 (+ m 1))) (= ?2 (- ?2) (ite ?1 1 0)))))))",
    ),
    // Names beginning with `?` are avoided.
    ("(= (+ ?1 1) (- (+ ?1 1)))", "(let ((??1 (+ ?1 1))) (= ??1 (- ??1)))"),
    // Long literals are shared, short ones are not.
    ("(= (- 5 x) (- y 5))", "(= (- 5 x) (- y 5))"),
];

fn prepared() -> Kernel {
    let mut kernel = Kernel::new();
    kernel.script(
        "(declare-const x Int) (declare-const y Int) (declare-const ?1 Int) (declare-const b Bool) (declare-const c Bool)
         (declare-fun p (Int) Bool)",
    );
    kernel
}

#[test]
fn lets_stand_in_the_outermost_place() {
    for (text, expected) in SHARED {
        let mut kernel = prepared();
        let term = kernel.good(text);
        let printed = kernel.law(term);
        assert_eq!(printed, *expected, "for {text}");
    }
}

#[test]
fn long_literals_are_shared() {
    let mut kernel = prepared();
    let number = "7".repeat(100);
    let term = kernel.good(&format!("(= x {number} (- {number}))"));
    assert_eq!(kernel.law(term).matches(&number).count(), 1);
    let term = kernel.good("(= ((_ extract 0 0) (_ bv5 4294967295)) #b1)");
    assert_eq!(kernel.law(term), "(= ((_ extract 0 0) (_ bv5 4294967295)) #b1)");
}

/// A chain of `n` terms, each with its predecessor twice: the tree has 2^n leaves.
fn chain(kernel: &mut Kernel, n: usize) -> TermId {
    let mut term = kernel.good("(+ x 1)");
    for _ in 0..n {
        term = kernel.terms.app(Op::Mul, &[term, term]).unwrap();
    }
    kernel.terms.app(Op::Eq, &[term, term]).unwrap()
}

#[test]
fn a_graph_is_printed_in_linear_size() {
    let mut kernel = prepared();
    for n in [200, 2_000, 20_000] {
        let term = chain(&mut kernel, n);
        let printed = kernel.law(term);
        assert!(printed.len() < 40 * n, "{n} terms became {} bytes", printed.len());
    }
}

#[test]
fn the_same_under_a_binder() {
    let mut kernel = prepared();
    let var = kernel.terms.names.intern("n");
    let var = kernel.terms.var(var, smt::sort::SortId::INT);
    let mut term = var;
    for _ in 0..5_000 {
        term = kernel.terms.app(Op::Add, &[term, term]).unwrap();
    }
    let body = kernel.terms.app(Op::Eq, &[term, var]).unwrap();
    let term = kernel.terms.bind(Op::Forall, &[var], body).unwrap();
    let printed = kernel.law(term);
    assert!(printed.len() < 200_000);
}

/// Deep nesting in the printed term: neither recursion nor more than linear time.
#[test]
fn deep_terms_are_printed() {
    let mut kernel = prepared();
    let n = 20_000;
    let forms = [
        ("(not ".to_string(), "b", ")"),
        ("(forall ((n Int)) ".to_string(), "(= n n)", ")"),
        ("(exists ((x Int)) (or (p x) ".to_string(), "(p x)", "))"),
        ("(or (p (+ x y)) (exists ((x Int)) ".to_string(), "(p x)", "))"),
        ("(let ((n (+ x 1))) (or (p n) ".to_string(), "(p n)", "))"),
    ];
    for (open, middle, close) in forms {
        let term = kernel.good(&format!("{}{middle}{}", open.repeat(n), close.repeat(n)));
        kernel.law(term);
    }
}

/// A term with very many arguments.
#[test]
fn wide_terms_are_printed() {
    let mut kernel = prepared();
    let parts: Vec<String> = (0..70_000).map(|i| format!("(< x {i})")).collect();
    let term = kernel.good(&format!("(and {})", parts.join(" ")));
    assert_eq!(kernel.terms.args(term).len(), 70_000);
    kernel.law(term);
}

/// A quantifier over many variables with a deep body in which all of them stay free.
#[test]
fn many_variables_are_cheap() {
    let mut kernel = prepared();
    let n = 3_000;
    let vars: Vec<String> = (0..n).map(|i| format!("(v{i} Bool)")).collect();
    let body: String = (0..n).map(|i| format!("(or v{i} (not ")).collect();
    let term = kernel.good(&format!("(forall ({}) {body}b{})", vars.join(" "), "))".repeat(n)));
    kernel.law(term);
}
