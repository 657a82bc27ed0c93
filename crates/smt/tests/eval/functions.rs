//! Definitions, recursion, datatypes, quantifiers, uninterpreted symbols and their environments.

use super::{check, eval, eval_in, read};
use smt::eval::{Assignment, Env, EvalError, Evaluator, Interpretation, Meaning};
use smt::term::{FunId, Terms};
use smt::value::Value;
use std::collections::BTreeMap;

const LISTS: &str = "(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
    (define-fun-rec len ((l (List Int))) Int (ite ((_ is nil) l) 0 (+ 1 (len (tail l)))))
    (define-fun-rec upto ((n Int)) (List Int) (ite (<= n 0) (as nil (List Int)) (cons n (upto (- n 1)))))
    (define-fun-rec append ((a (List Int)) (b (List Int))) (List Int)
      (ite ((_ is nil) a) b (cons (head a) (append (tail a) b))))
    (declare-datatype Tree ((node (left Tree) (right Tree)) (leaf (label (List Bool)))))
    (declare-datatype Shape ((circle (radius Real)) (square (side Real))))";

#[test]
fn datatypes() {
    check(
        LISTS,
        &[
            ("(as nil (List Int))", "(as nil (List Int))"),
            ("(cons 1 (as nil (List Int)))", "((as cons (List Int)) 1 (as nil (List Int)))"),
            ("(head (cons 1 (as nil (List Int))))", "1"),
            ("(tail (cons 1 (as nil (List Int))))", "(as nil (List Int))"),
            ("((_ is cons) (upto 1))", "true"),
            ("((_ is nil) (upto 1))", "false"),
            ("(head (as nil (List Int)))", "0 ?"),
            ("(tail (as nil (List Int)))", "(as nil (List Int)) ?"),
            ("(left (leaf (as nil (List Bool))))", "(leaf (as nil (List Bool))) ?"),
            ("(side (circle 1.0))", "0.0 ?"),
            ("(radius (circle 1.0))", "1.0"),
            ("(= (circle 1.0) (square 1.0))", "false"),
            ("(= (circle 1.0) (circle (/ 2.0 2.0)))", "true"),
            ("(_size (as nil (List Int)))", "1"),
            ("(_size (upto 3))", "4"),
            ("(_size (leaf (as nil (List Bool))))", "2 ?"),
            ("(match (upto 2) ((nil 0) ((cons h t) (+ h (len t)))))", "3"),
            ("(match (upto 0) ((nil 0) ((cons h t) (+ h (len t)))))", "0"),
        ],
    );
}

#[test]
fn recursion() {
    check(
        LISTS,
        &[
            ("(len (upto 1000))", "1000"),
            ("(= (append (upto 3) (upto 0)) (upto 3))", "true"),
            ("(len (append (upto 30) (upto 12)))", "42"),
        ],
    );
    check(
        "(define-fun-rec ack ((m Int) (n Int)) Int
           (ite (= m 0) (+ n 1) (ite (= n 0) (ack (- m 1) 1) (ack (- m 1) (ack m (- n 1))))))
         (define-funs-rec ((even ((n Int)) Bool) (odd ((n Int)) Bool))
           ((or (= n 0) (odd (- n 1))) (and (not (= n 0)) (even (- n 1)))))
         (define-fun-rec fact ((n Int)) Int (ite (<= n 1) 1 (* n (fact (- n 1)))))
         (define-fun-rec down ((n Int)) Bool (=> (> n 0) (down (- n 1))))",
        &[
            ("(ack 2 3)", "9"),
            ("(even 101)", "false"),
            ("(odd 101)", "true"),
            ("(fact 25)", "15511210043330985984000000"),
            ("(down 50)", "true"),
        ],
    );
}

#[test]
fn endless_recursion_runs_out_of_fuel() {
    let loops = "(define-fun-rec loop ((n Int)) Int (loop (+ n 1)))
                 (define-fun-rec grow ((n Int)) Int (+ 1 (grow n)))
                 (define-fun-rec ack ((m Int) (n Int)) Int
                   (ite (= m 0) (+ n 1) (ite (= n 0) (ack (- m 1) 1) (ack (- m 1) (ack m (- n 1))))))";
    let out = "error: the evaluation takes too many steps";
    for term in ["(loop 0)", "(grow 0)", "(ack 4 4)"] {
        assert_eq!(eval_in(loops, term, 100_000, &mut ()), out);
    }
    assert_eq!(eval_in(loops, "(ack 2 2)", 100_000, &mut ()), "7");
    assert_eq!(eval_in("", "(+ 1 2)", 2, &mut ()), out);
    assert_eq!(eval_in("", "(+ 1 2)", 3, &mut ()), "3");
}

#[test]
fn definitions() {
    check(
        "(define-fun f ((x Int) (y Int)) Int (- x y))
         (define-fun g ((y Int) (x Int)) Int (f (f x y) x))
         (define-fun c () Int (f 10 3))
         (define-fun up ((x Real)) Real (* x 2.0))",
        &[
            ("(f 5 3)", "2"),
            ("(g 1 10)", "(- 1)"),
            ("(+ c c)", "14"),
            ("(up 3)", "6.0"),
            ("(let ((x (f 1 2)) (y (f 2 1))) (let ((x y) (y x)) (f x y)))", "2"),
        ],
    );
}

#[test]
fn quantifiers() {
    let refused = "error: a quantifier over a large or infinite sort is not evaluated";
    check(
        "(declare-datatype Color ((red) (green) (blue)))
         (declare-sort U 0)
         (define-fun between ((lo (_ BitVec 8)) (hi (_ BitVec 8))) Bool
           (exists ((x (_ BitVec 8))) (and (bvult lo x) (bvult x hi))))",
        &[
            ("(forall ((b Bool)) (or b (not b)))", "true"),
            ("(exists ((b Bool)) (and b (not b)))", "false"),
            ("(forall ((x (_ BitVec 8)) (y (_ BitVec 8))) (= (bvadd x y) (bvadd y x)))", "true"),
            ("(exists ((x (_ BitVec 8))) (= (bvmul x #x03) #x01))", "true"),
            ("(forall ((x (_ BitVec 8))) (=> (bvult x #xff) (between x (bvadd x #x02))))", "false"),
            ("(forall ((x (_ BitVec 8))) (=> (bvult x #xfe) (between x (bvadd x #x02))))", "true"),
            ("(forall ((c Color)) (or (= c red) (= c green) (= c blue)))", "true"),
            ("(exists ((c Color) (d Color) (e Color) (f Color)) (distinct c d e f))", "false"),
            ("(forall ((m RoundingMode)) (fp.eq ((_ to_fp 5 11) m 1.5) ((_ to_fp 5 11) RNE 1.5)))", "true"),
            (
                "(forall ((x (_ FloatingPoint 3 4))) (=> (not (fp.isNaN x)) (= (fp.neg (fp.neg x)) x)))",
                "true",
            ),
            ("(exists ((x (_ FloatingPoint 3 4))) (not (fp.eq x x)))", "true"),
            ("(exists ((a (Array Bool Bool))) (and (select a true) (not (select a false))))", "true"),
            (
                "(forall ((a (Array Bool Bool)) (b (Array Bool Bool)))
                (=> (forall ((i Bool)) (= (select a i) (select b i))) (= a b)))",
                "true",
            ),
            ("(forall ((x Bool)) (exists ((y Bool)) (forall ((x Bool)) (or x (not x) y))))", "true"),
            ("(forall ((x Bool)) (exists ((y Bool)) (and (xor x y) (exists ((x Bool)) (xor x y)))))", "true"),
            ("(exists ((x Bool)) (and x (forall ((x Bool)) (exists ((y Bool)) (= x y))) x))", "true"),
            ("(exists ((x Int)) (= x 1))", refused),
            ("(exists ((x (_ BitVec 17))) true)", refused),
            ("(forall ((x U)) (= x x))", refused),
            ("(or true (exists ((x Int)) (= x 1)))", "true"),
        ],
    );
}

fn fun(terms: &Terms, name: &str) -> FunId {
    terms.funs().find(|&fun| terms.fun_name(fun) == name).expect("a function")
}

#[test]
fn models() {
    let script = "(declare-const x Int) (declare-fun f (Int Int) Int) (declare-fun p (Int) Bool)
                  (define-fun body ((a Int)) Bool (> a x))";
    let (terms, term) = read(script, "(ite (p (f x 2)) (f x 3) (f 3 x))");
    let mut model = Assignment::new();
    model.set(fun(&terms, "x"), Value::int(5));
    let entry = |a: i32, b: i32, v: i32| (vec![Value::int(a), Value::int(b)].into(), Value::int(v));
    let table = BTreeMap::from([entry(5, 2, 6), entry(5, 3, 7)]);
    model.interpret(fun(&terms, "f"), Interpretation::Table(table.clone(), None));
    let (params, body) = terms.definition(fun(&terms, "body")).expect("defined");
    model.interpret(fun(&terms, "p"), Interpretation::Body(params.into(), body));
    let mut evaluator = Evaluator::new(&terms);
    assert_eq!(evaluator.eval(term, &mut model), Ok(Value::int(7)));
    model.set(fun(&terms, "x"), Value::int(4));
    assert_eq!(evaluator.eval(term, &mut model), Err(EvalError::Missing(fun(&terms, "f"))));
    model.interpret(fun(&terms, "f"), Interpretation::Table(table, Some(Value::int(0))));
    assert_eq!(evaluator.eval(term, &mut model), Ok(Value::int(0)));
    assert_eq!(model.funs().len(), 3);
}

/// Counts how often it is asked.
struct Counting(u32);

impl Env for Counting {
    fn meaning(&mut self, _: FunId, _: &[Value]) -> Option<Meaning> {
        self.0 += 1;
        Some(Value::int(2).into())
    }
}

#[test]
fn shared_terms_are_evaluated_once() {
    // 2^40 paths, 40 terms.
    let term =
        (0..40).fold("(f x)".to_string(), |t, i| format!("(let ((t{i} {t})) (mod (* t{i} t{i}) 1000))"));
    let mut env = Counting(0);
    assert_eq!(eval_in("(declare-const x Int)(declare-fun f (Int) Int)", &term, 10_000, &mut env), "136");
    assert_eq!(env.0, 2);
    let mut env = Counting(0);
    let term = "(forall ((b (_ BitVec 8))) (or (= b b) (= (f x) (f x))))";
    assert_eq!(eval_in("(declare-const x Int)(declare-fun f (Int) Int)", term, 10_000, &mut env), "true");
    assert_eq!(env.0, 0);
    let term = "(forall ((b (_ BitVec 8))) (or (= (f x) (f (f x))) (= b (bvnot b))))";
    assert_eq!(eval_in("(declare-const x Int)(declare-fun f (Int) Int)", term, 10_000, &mut env), "true");
    assert_eq!(env.0, 3);
}

#[test]
fn uninterpreted_sorts() {
    let script = "(declare-sort U 0) (declare-const a U) (declare-const b U) (declare-fun f (U) U)";
    let (mut terms, term) = read(script, "(distinct a b (f a))");
    let sort = terms.fun(fun(&terms, "a")).result;
    let element = |index| Value::Abstract { sort, index };
    let mut model = Assignment::new();
    model.set(fun(&terms, "a"), element(0));
    model.set(fun(&terms, "b"), element(1));
    model.interpret(fun(&terms, "f"), Interpretation::Table(BTreeMap::new(), Some(element(2))));
    assert_eq!(Evaluator::new(&terms).holds(term, &mut model), Ok(true));
    let shown = element(2).to_term(&mut terms);
    assert_eq!(smt::print::term_text(&terms, shown), "(as @U!2 U)");
    assert_eq!(Value::from_term(&terms, shown), Some(element(2)));
}

#[test]
fn values_of_wrong_sorts_are_noticed() {
    let (terms, term) = read("(declare-const x (_ BitVec 8))", "(bvadd x #x01)");
    let mut model = Assignment::new();
    for value in [Value::int(1), Value::bits(9, 1u8), Value::Bool(true)] {
        model.set(fun(&terms, "x"), value);
        let error = Evaluator::new(&terms).eval(term, &mut model).expect_err("another sort");
        assert_eq!(error.message(&terms), "`x` does not fit its sort");
    }
}

#[test]
fn errors_have_names() {
    assert_eq!(eval("(declare-const |a b| Int)", "|a b|"), "error: `|a b|` has no value");
    let (mut terms, term) =
        read("(declare-datatypes ((Box 1)) ((par (T) ((box (in (Seq T)) (out T))))))", "true");
    let name = terms.names.intern("v");
    let var = terms.var(name, smt::sort::SortId::INT);
    let unbound = Evaluator::new(&terms).eval(var, &mut ()).expect_err("unbound");
    assert_eq!(
        (unbound.message(&terms).as_str(), unbound.to_string().as_str()),
        ("the variable `v` is not bound", "a variable is not bound")
    );
    assert_eq!(EvalError::Sort(smt::term::TermId::ERROR).message(&terms), "the term has an error");
    assert_eq!(EvalError::NoValue(terms.sort(term)).message(&terms), "no value of sort Bool can be given");
}
