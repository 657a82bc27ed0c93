//! Depth: terms, recursion and values that would overflow any call stack.

use super::{eval, eval_in, read};
use dashu_int::IBig;
use smt::eval::{EvalError, Evaluator};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};
use smt::value::Value;
use std::sync::Arc;

const DEEP: usize = 1_000_000;

#[test]
fn terms() {
    let mut terms = Terms::new();
    let one = terms.int(1);
    let (mut sum, mut not) = (one, TermId::TRUE);
    for _ in 0..DEEP {
        sum = terms.app(Op::Add, &[one, sum]).expect("a sum");
        not = terms.app(Op::Not, &[not]).expect("a negation");
    }
    let mut choice = sum;
    for _ in 0..DEEP / 10 {
        let flag = terms.bool(choice.eq(&sum));
        choice = terms.app(Op::Ite, &[flag, choice, one]).expect("a choice");
    }
    assert_eq!(Value::from_term(&terms, sum), Some(Value::Int(IBig::from(DEEP + 1))));
    assert_eq!(Value::from_term(&terms, not), Some(Value::Bool(true)));
    assert_eq!(Value::from_term(&terms, choice), Some(Value::int(1)));
    let wide = terms.app(Op::Add, &vec![sum; 100_000]).expect("a sum");
    assert_eq!(Value::from_term(&terms, wide), Some(Value::Int(IBig::from((DEEP + 1) * 100_000))));
}

/// Each part of a term beside the term itself: none is evaluated twice, whichever comes first.
#[test]
fn parts() {
    let mut terms = Terms::new();
    let one = terms.int(1);
    let mut parts = vec![one];
    for _ in 0..DEEP / 10 {
        let last = parts[parts.len() - 1];
        parts.push(terms.app(Op::Add, &[one, last]).expect("a sum"));
    }
    let expected: Vec<Value> = (1..=parts.len()).map(|value| Value::Int(IBig::from(value))).collect();
    let mut evaluator = Evaluator::new(&terms);
    assert_eq!(evaluator.all(&parts, &mut ()), Ok(expected.clone()));
    assert!(evaluator.steps() < 10 * parts.len() as u64, "{} steps", evaluator.steps());
    parts.reverse();
    let back: Vec<Value> = expected.into_iter().rev().collect();
    assert_eq!(evaluator.all(&parts, &mut ()), Ok(back));
    assert!(evaluator.steps() < 10 * parts.len() as u64, "{} steps", evaluator.steps());
    assert_eq!(evaluator.all(&[], &mut ()), Ok(Vec::new()));
}

#[test]
fn stores() {
    let mut terms = Terms::new();
    let sort = terms.sorts.array(SortId::INT, SortId::INT);
    let zero = terms.int(0);
    let mut array = terms.const_array(sort, zero).expect("an array");
    let count = 100_000;
    for i in 0..count {
        let (index, value) = (terms.int(i % 50_000), terms.int(i));
        array = terms.app(Op::Store, &[array, index, value]).expect("a store");
    }
    let index = terms.int(7);
    let read = terms.app(Op::Select, &[array, index]).expect("a select");
    assert_eq!(Value::from_term(&terms, read), Some(Value::int(50_007)));
    let value = Value::from_term(&terms, array).expect("a value");
    let Value::Array(content) = &value else { panic!("an array") };
    assert_eq!(content.len(), 50_000);
    let term = value.to_term(&mut terms);
    assert_eq!(Value::from_term(&terms, term), Some(value));
}

#[test]
fn lambdas() {
    let mut terms = Terms::new();
    let name = terms.names.intern("x");
    let var = terms.var(name, SortId::INT);
    let mut array = terms.bind(Op::Lambda, &[var], var).expect("a lambda");
    let (index, one) = (terms.int(-5), terms.int(1));
    for i in 0..DEEP / 10 {
        let place = terms.int(i);
        array = terms.app(Op::Store, &[array, place, one]).expect("a store");
    }
    let read = terms.app(Op::Select, &[array, index]).expect("a select");
    assert_eq!(Value::from_term(&terms, read), Some(Value::int(-5)));
    // A function of many arguments, one at a time.
    let (mut nested, mut applied) = (var, Vec::new());
    for _ in 0..2000 {
        nested = terms.bind(Op::Lambda, &[var], nested).expect("a lambda");
        applied.push(one);
    }
    applied.push(index);
    let result =
        applied[1..].iter().fold(nested, |f, &arg| terms.app(Op::Select, &[f, arg]).expect("a select"));
    assert_eq!(Value::from_term(&terms, result), Some(Value::int(-5)));
}

const LIST: &str = "(declare-datatype List ((nil) (cons (head Int) (tail List))))
    (define-fun-rec len ((l List)) Int (ite ((_ is nil) l) 0 (+ 1 (len (tail l)))))
    (define-fun-rec upto ((n Int)) List (ite (<= n 0) nil (cons n (upto (- n 1)))))
    (define-fun-rec count ((n Int) (sum Int)) Int (ite (= n 0) sum (count (- n 1) (+ sum n))))
    (define-fun-rec endless ((n Int)) Int (+ 1 (endless n)))
    (declare-datatype Tree ((leaf) (node (left Tree) (right Tree))))
    (define-fun-rec full ((n Int)) Tree (ite (= n 0) leaf (let ((t (full (- n 1)))) (node t t))))";

fn list(sort: SortId, length: usize, end: i64) -> Value {
    let mut list = Value::data(sort, 0, []);
    for i in 0..length {
        list = Value::data(sort, 1, [Value::int(if i == 0 { end } else { i as i64 }), list]);
    }
    list
}

#[test]
fn lists() {
    let (mut terms, nil) = read(LIST, "nil");
    let sort = terms.sort(nil);
    let (a, c) = (list(sort, DEEP, 0), list(sort, DEEP, 1));
    assert!(a != c);
    assert!(a.cmp(&c).is_lt());
    assert!(c.cmp(&a).is_gt());
    drop(c);
    let b = list(sort, DEEP, 0);
    assert!(a == b && a.cmp(&b).is_eq());
    assert!(format!("{a:?}").ends_with('…'));
    let term = a.to_term(&mut terms);
    drop(a);
    assert_eq!(b.to_term(&mut terms), term);
    assert!(Value::from_term(&terms, term) == Some(b));
}

#[test]
fn recursion() {
    let length = 300_000;
    assert_eq!(eval(LIST, &format!("(len (upto {length}))")), format!("{length}"));
    assert_eq!(eval(LIST, "(count 300000 0)"), "45000150000");
    assert_eq!(eval(LIST, "(_size (upto 100000))"), "100001");
}

#[test]
fn endless_recursion_is_stopped_without_fuel() {
    let (terms, term) = read(LIST, "(endless 0)");
    assert_eq!(Evaluator::new(&terms).eval(term, &mut ()), Err(EvalError::Fuel));
}

#[test]
fn shared_trees_are_not_unfolded() {
    // 2^200 leaves, 200 nodes, built twice.
    assert_eq!(eval_in(LIST, "(= (full 200) (full (+ 100 100)))", 100_000, &mut ()), "true");
    assert_eq!(eval_in(LIST, "(distinct (full 200) (full (+ 100 100)) leaf)", 100_000, &mut ()), "false");
    assert_eq!(
        eval(LIST, "(= (_size (full 200)) (- (* 2 (ubv_to_int (bvshl (_ bv1 300) (_ bv200 300)))) 1))"),
        "true"
    );
    assert_eq!(eval(LIST, "(_size (full 5000))"), "error: a value is too long");
    let (mut terms, term) = read(LIST, "(full 200)");
    let value = Value::from_term(&terms, term).expect("a value");
    let again = value.to_term(&mut terms);
    assert!(Value::from_term(&terms, again) == Some(value));
}

#[test]
fn arrays_inside_data_inside_arrays() {
    let script = "(declare-datatype Rose ((rose (children (Array Int Rose))) (bud)))";
    let (mut terms, bud) = read(script, "bud");
    let rose = terms.sort(bud);
    let array = terms.sorts.array(SortId::INT, rose);
    let none = Value::const_array(&mut terms, array, Value::data(rose, 1, [])).expect("an array");
    let build = |depth: usize| {
        let mut value = Value::data(rose, 1, []);
        for i in 0..depth {
            let Value::Array(mut content) = none.clone() else { panic!("an array") };
            Arc::make_mut(&mut content).store(Value::int(i % 3), value);
            value = Value::data(rose, 0, [Value::Array(content)]);
        }
        value
    };
    let (a, b) = (build(200_000), build(200_000));
    assert!(a == b && a.cmp(&b).is_eq());
    let term = a.to_term(&mut terms);
    assert!(Value::from_term(&terms, term) == Some(b));
}
