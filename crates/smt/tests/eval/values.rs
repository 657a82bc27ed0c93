//! Values by themselves: equality, order, hash, defaults, conversion to terms.

use super::read;
use smt::sort::{Sort, SortId};
use smt::term::Terms;
use smt::value::Value;
use smt::value::ieee::{Float, Format, Rounding, Sign};
use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::Arc;
use testkit::Rng;

fn hash(value: &Value) -> u64 {
    BuildHasherDefault::<rustc_hash::FxHasher>::default().hash_one(value)
}

#[test]
fn arrays_are_functions() {
    // All arrays over two bits with three values, built by random stores: equal exactly when equal everywhere.
    let mut terms = Terms::new();
    let index = terms.sorts.bit_vec(2);
    let sort = terms.sorts.array(index, SortId::INT);
    let mut random = Rng::new(3);
    let mut seen: Vec<(Vec<Value>, Value)> = Vec::new();
    for _ in 0..600 {
        let mut array = Value::const_array(&mut terms, sort, Value::int(random.below(3))).expect("an array");
        let Value::Array(content) = &mut array else { panic!("an array") };
        for _ in 0..random.below(9) {
            Arc::make_mut(content).store(Value::bits(2, random.below(4)), Value::int(random.below(3)));
        }
        let table = (0..4u8).map(|i| content.select(&Value::bits(2, i)).clone()).collect();
        seen.push((table, array));
    }
    for (left, a) in &seen {
        for (right, b) in &seen {
            assert_eq!(left == right, a == b, "{a:?} {b:?}");
            assert_eq!(a.cmp(b).is_eq(), a == b);
            assert_eq!(a.cmp(b), b.cmp(a).reverse());
            assert!(a != b || hash(a) == hash(b));
        }
    }
    let mut tables: Vec<&Vec<Value>> = seen.iter().map(|s| &s.0).collect();
    tables.sort();
    tables.dedup();
    let mut arrays: Vec<&Value> = seen.iter().map(|s| &s.1).collect();
    arrays.sort();
    arrays.dedup();
    assert_eq!(tables.len(), arrays.len());
}

#[test]
fn versions_of_an_array_are_independent() {
    let mut terms = Terms::new();
    let sort = terms.sorts.array(SortId::INT, SortId::INT);
    let mut array = Value::const_array(&mut terms, sort, Value::int(0)).expect("an array");
    let mut versions = Vec::new();
    for i in 0..2000 {
        versions.push(array.clone());
        let Value::Array(content) = &mut array else { panic!("an array") };
        Arc::make_mut(content).store(Value::int(i), Value::int(i + 1));
    }
    for (i, version) in versions.iter().enumerate() {
        let Value::Array(content) = version else { panic!("an array") };
        assert_eq!(content.len(), i);
        assert_eq!(content.entries().count(), i);
        assert_eq!(*content.select(&Value::int(i)), Value::int(0));
    }
}

#[test]
fn the_order_is_total() {
    let mut terms = Terms::new();
    let sort = terms.sorts.array(SortId::INT, SortId::INT);
    let float = Format::F16;
    let values = vec![
        Value::Bool(false),
        Value::Bool(true),
        Value::int(-3),
        Value::int(5),
        Value::Real(dashu_ratio::RBig::from_parts(1.into(), 3u8.into())),
        Value::bits(4, 3u8),
        Value::bits(8, 3u8),
        Value::Float(Float::zero(float, Sign::Positive)),
        Value::Float(Float::zero(float, Sign::Negative)),
        Value::Float(Float::nan(float)),
        Value::Float(Float::nan(Format::F32)),
        Value::Rounding(Rounding::Rtz),
        Value::const_array(&mut terms, sort, Value::int(1)).expect("an array"),
        Value::const_array(&mut terms, sort, Value::int(2)).expect("an array"),
        Value::data(SortId::INT, 0, []),
        Value::data(SortId::INT, 1, [Value::int(1), Value::int(2)]),
        Value::data(SortId::INT, 1, [Value::int(1), Value::int(3)]),
        Value::Abstract { sort: SortId::INT, index: 3 },
        Value::Str("abc".into()),
    ];
    for (i, a) in values.iter().enumerate() {
        for (j, b) in values.iter().enumerate() {
            assert_eq!(a == b, i == j, "{a:?} {b:?}");
            assert_eq!(a.cmp(b), b.cmp(a).reverse());
            assert_eq!(a.cmp(b).is_eq(), i == j);
            assert_eq!(hash(a) == hash(b), i == j);
        }
    }
    let mut sorted = values.clone();
    sorted.sort();
    sorted.reverse();
    sorted.sort();
    assert!(sorted.is_sorted());
    assert_eq!(format!("{:?}", values[15]), "(data 2 1 1 2)");
    assert_eq!(format!("{:?}", values[12]), "(array 7 1)");
}

#[test]
fn defaults() {
    let script = "(declare-datatypes ((List 1)) ((par (T) ((cons (head T) (tail (List T))) (nil)))))
        (declare-datatypes ((Box 1)) ((par (T) ((box (inside (List T)) (extra (Array Int T)))))))
        (declare-datatypes ((Even 0) (Odd 0)) (((even (before Odd)) (zero)) ((odd (previous Even)))))
        (declare-datatypes ((Nest 1)) ((par (T) ((deep (below (Nest (List T)))) (flat (it T))))))
        (declare-datatype Loop ((loop (into (Array Int Loop)))))
        (declare-sort U 0)";
    let cases = [
        ("Bool", "false"),
        ("Int", "0"),
        ("Real", "0.0"),
        ("String", "\"\""),
        ("(_ BitVec 8)", "#x00"),
        ("Float16", "(_ +zero 5 11)"),
        ("RoundingMode", "RNE"),
        (
            "(Array Int (Array Int Bool))",
            "((as const (Array Int (Array Int Bool))) ((as const (Array Int Bool)) false))",
        ),
        ("(List Int)", "(as nil (List Int))"),
        ("Odd", "(odd zero)"),
        ("(Nest Int)", "((as flat (Nest Int)) 0)"),
        ("U", "(as @U!0 U)"),
        ("(Box Bool)", "((as box (Box Bool)) (as nil (List Bool)) ((as const (Array Int Bool)) false))"),
    ];
    for (sort, expected) in cases {
        let (mut terms, term) = read(&format!("{script}(declare-const c {sort})"), "c");
        let sort = terms.sort(term);
        let value = Value::default_of(&mut terms, sort).expect("a value");
        assert!(value.has_sort(&terms.sorts, sort));
        let term = value.to_term(&mut terms);
        assert_eq!(smt::print::term_text(&terms, term), expected);
        assert_eq!(Value::from_term(&terms, term), Some(value));
    }
    for sort in ["(Seq Int)", "RegLan", "Loop"] {
        let (mut terms, term) = read(&format!("{script}(declare-fun f ({sort}) Bool)"), "true");
        let sort = terms.funs().find(|&f| terms.fun_name(f) == "f").map(|f| terms.fun(f).params[0]);
        assert_eq!(Value::default_of(&mut terms, sort.expect("a sort")), None);
        assert_eq!(Value::from_term(&terms, term), Some(Value::Bool(true)));
    }
}

#[test]
fn sorts_that_no_term_mentions() {
    // The evaluator may not enter (Array Int Bool) into the table, so it must not answer with a value of it.
    let script =
        "(declare-datatypes ((Box 1)) ((par (T) ((box (content (Array Int T))) (twin (one T) (two T))))))
        (declare-datatype Holder ((empty) (holder (held (Box Bool)))))";
    let (mut terms, term) = read(script, "(held empty)");
    let sort = terms.sort(term);
    let error = smt::eval::Evaluator::new(&terms).eval(term, &mut ());
    assert_eq!(error, Err(smt::eval::EvalError::NoValue(sort)));
    let value = Value::default_of(&mut terms, sort).expect("a value");
    assert_eq!(Value::from_term(&terms, term), Some(value));
}

#[test]
fn sorts_of_values() {
    let mut terms = Terms::new();
    let float = Value::Float(Float::nan(Format::F32));
    let sort = float.sort(&mut terms);
    assert_eq!(*terms.sorts.get(sort), Sort::Float(8, 24));
    assert!(float.has_sort(&terms.sorts, sort));
    assert!(!Value::bits(8, 1u8).has_sort(&terms.sorts, sort));
    assert_eq!(Value::bits(8, 257u16), Value::bits(8, 1u8));
    assert_eq!(Value::int(3).as_int(), Some(&3.into()));
    assert_eq!(Value::int(3).as_bool(), None);
}
