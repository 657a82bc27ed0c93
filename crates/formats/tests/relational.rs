//! Systems that are no circuits, written as circuits: relations between steps, formulas for the first step, integers, arrays
//! that are constant inside formulas; and what stays impossible.

mod common;

use common::{read_bytes, written};
use dashu_int::UBig;
use formats::{Format, Model, Options};
use smt::eval::{Assignment, Evaluator};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{Fun, Role, TermId, Terms};
use smt::value::Value;
use ts::{Property, PropertyKind, System};

fn app(terms: &mut Terms, op: Op, args: &[TermId]) -> TermId {
    terms.app(op, args).expect("sorts")
}

/// `x` grows by any amount, begins below 3, a rigid constant is its limit; 7 without successor is bad.
fn growing(terms: &mut Terms) -> System {
    let mut system = System::default();
    let sort = terms.sorts.bit_vec(3);
    let x = system.add_state(terms, "x", sort);
    let limit = system.add_rigid(terms, "limit", sort);
    let (now, next, limit) =
        (terms.constant_term(x.now), terms.constant_term(x.next), terms.constant_term(limit));
    let (three, seven) = (terms.bits(3, UBig::from(3u8)), terms.bits(3, UBig::from(7u8)));
    system.init.push(app(terms, Op::BvUlt, &[now, three]));
    system.trans.push(app(terms, Op::BvUlt, &[now, next]));
    system.axioms.push(app(terms, Op::BvUlt, &[three, limit]));
    system.invar.push(app(terms, Op::BvUle, &[now, limit]));
    let bad = app(terms, Op::Eq, &[now, seven]);
    let kind = PropertyKind::Invariant(terms.not(bad));
    system.properties.push(Property { index: 4, name: Some("small enough".into()), kind });
    system
}

/// The first step in which a property can be violated, by trying all values.
fn shortest(terms: &Terms, system: &System, bound: usize) -> Option<usize> {
    let variables: Vec<_> =
        system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied()).collect();
    let mut rows = vec![Assignment::new()];
    for &fun in variables.iter().chain(&system.rigid) {
        let width = terms.sorts.width(terms.fun(fun).result).unwrap_or(0);
        let values: Vec<Value> = match width {
            0 => vec![Value::Bool(false), Value::Bool(true)],
            _ => (0..1u32 << width).map(|value| Value::bits(width, value)).collect(),
        };
        rows = rows
            .into_iter()
            .flat_map(|row| {
                values.iter().map(move |value| {
                    let mut row = row.clone();
                    row.set(fun, value.clone());
                    row
                })
            })
            .collect();
    }
    let mut evaluator = Evaluator::new(terms);
    let mut holds = |formulas: &[TermId], values: &mut Assignment| {
        formulas.iter().all(|&formula| evaluator.holds(formula, values).expect("a truth"))
    };
    rows.retain_mut(|row| holds(&system.invar, row) && holds(&system.axioms, row));
    let mut reached: Vec<bool> = rows.iter_mut().map(|row| holds(&system.init, row)).collect();
    for step in 0..bound {
        let property = system.properties[0].formulas();
        if rows.iter_mut().zip(&reached).any(|(row, &reached)| reached && !holds(property, row)) {
            return Some(step);
        }
        let mut next = vec![false; rows.len()];
        for (i, row) in rows.iter().enumerate().filter(|(i, _)| reached[*i]) {
            for (j, after) in rows.iter().enumerate() {
                let same = system.rigid.iter().all(|&fun| rows[i].get(fun) == after.get(fun));
                if next[j] || !same {
                    continue;
                }
                let mut values = row.clone();
                for state in &system.states {
                    values.set(state.next, after.get(state.now).expect("a value").clone());
                }
                next[j] = holds(&system.trans, &mut values);
            }
        }
        reached = next;
    }
    None
}

#[test]
fn relations_become_circuits_of_the_same_length() {
    let mut terms = Terms::new();
    let mut system = growing(&mut terms);
    for extra in [false, true] {
        if extra {
            // Even numbers only: seven cannot be reached any more.
            let (now, next) = (system.states[0].now, system.states[0].next);
            let low = |terms: &mut Terms, fun| {
                let term = terms.constant_term(fun);
                terms.app_indexed(Op::Extract, &[0, 0], &[term]).expect("sorts")
            };
            let (a, b) = (low(&mut terms, now), low(&mut terms, next));
            let zero = terms.bits(1, UBig::ZERO);
            let equal = app(&mut terms, Op::Eq, &[a, b]);
            system.trans.push(equal);
            let even = app(&mut terms, Op::Eq, &[a, zero]);
            system.init.push(even);
        }
        let before = shortest(&terms, &system, 5);
        assert_eq!(before, if extra { None } else { Some(1) });
        let bytes = written("btor2", &mut terms, &system).expect("expressible");
        let mut others = Terms::new();
        let again = read_bytes("btor2", &mut others, &bytes).expect("what we wrote");
        assert_eq!(shortest(&others, &again, 5), before, "{}", String::from_utf8_lossy(&bytes));
        let bytes = written("aag", &mut terms, &system).expect("expressible");
        let mut others = Terms::new();
        let again = read_bytes("aag", &mut others, &bytes).expect("what we wrote");
        assert_eq!(shortest(&others, &again, 5), before);
    }
}

/// A counter of integers up to a number.
fn integers(terms: &mut Terms) -> System {
    let mut system = System::default();
    let x = system.add_state(terms, "x", SortId::INT);
    let (now, next) = (terms.constant_term(x.now), terms.constant_term(x.next));
    let (zero, one, two) = (terms.int(0), terms.int(1), terms.int(2));
    let sum = app(terms, Op::Add, &[now, one]);
    system.init.push(app(terms, Op::Eq, &[now, zero]));
    system.trans.push(app(terms, Op::Eq, &[next, sum]));
    let less = app(terms, Op::Lt, &[now, two]);
    system.properties.push(Property { index: 0, name: None, kind: PropertyKind::Invariant(less) });
    system
}

#[test]
fn integers_need_a_width() {
    let mut terms = Terms::new();
    let system = integers(&mut terms);
    let help = "(`--int-width N` takes bit-vectors of N bits, which wrap around, in the place of integers)";
    let error = written("btor2", &mut terms, &system).expect_err("integers");
    assert_eq!(error, format!("the sort Int in the declaration of `x`, which BTOR2 cannot express {help}"));
    let error = written("aig", &mut terms, &system).expect_err("integers");
    assert_eq!(error, format!("the sort Int in `x`, which AIGER cannot express {help}"));
    for name in ["btor2", "aag", "aig"] {
        let format = Format::named(name).expect("a language");
        let model = Model::Systems(vec![system.clone()]);
        let options = Options { int_width: Some(3) };
        let bytes = (format.write)(&mut terms, &model, &options).expect("narrow");
        let mut others = Terms::new();
        let again = read_bytes(name, &mut others, &bytes).expect("what we wrote");
        assert_eq!(shortest(&others, &again, 5), Some(2));
        let error = (format.write)(&mut terms, &model, &Options { int_width: Some(2) })
            .expect_err("two does not fit");
        assert_eq!(error.message, "the number 2 does not fit into 2 bits with a sign");
    }
}

/// A constant array inside a formula becomes a state of its own.
#[test]
fn constant_arrays() {
    let mut terms = Terms::new();
    let mut system = System::default();
    let two = terms.sorts.bit_vec(2);
    let sort = terms.sorts.array(two, SortId::BOOL);
    let m = system.add_state(&mut terms, "m", sort);
    let reset = system.add_input(&mut terms, "reset", SortId::BOOL);
    let [now, next] = [m.now, m.next].map(|fun| terms.constant_term(fun));
    let reset = terms.constant_term(reset);
    let [all, none] =
        [TermId::TRUE, TermId::FALSE].map(|value| terms.const_array(sort, value).expect("sorts"));
    let chosen = app(&mut terms, Op::Ite, &[reset, all, now]);
    system.init.push(app(&mut terms, Op::Eq, &[now, none]));
    system.trans.push(app(&mut terms, Op::Eq, &[chosen, next]));
    let full = app(&mut terms, Op::Eq, &[now, all]);
    let kind = PropertyKind::Invariant(terms.not(full));
    system.properties.push(Property { index: 0, name: None, kind });
    let bytes = written("btor2", &mut terms, &system).expect("expressible");
    let mut others = Terms::new();
    let again = read_bytes("btor2", &mut others, &bytes).expect("what we wrote");
    assert_eq!((again.states.len(), again.init.len()), (2, 2));
    let bits = written("aag", &mut others, &again).expect("expressible");
    let mut others = Terms::new();
    let bits = read_bytes("aag", &mut others, &bits).expect("what we wrote");
    assert_eq!((bits.states.len(), shortest(&others, &bits, 3)), (8, Some(1)));
}

#[test]
fn what_stays_impossible_is_named() {
    let mut terms = Terms::new();
    let two = terms.sorts.bit_vec(2);
    let mut system = System::default();
    let flat = terms.sorts.array(two, two);
    let nested = terms.sorts.array(two, flat);
    system.add_input(&mut terms, "memories", nested);
    let error = written("btor2", &mut terms, &system).expect_err("nested");
    assert_eq!(
        error,
        "the sort (Array (_ BitVec 2) (Array (_ BitVec 2) (_ BitVec 2))) in the declaration of `memories`, which BTOR2 cannot express"
    );
    let mut system = System::default();
    system.add_input(&mut terms, "r", SortId::REAL);
    let error = written("btor2", &mut terms, &system).expect_err("real");
    assert_eq!(error, "the sort Real in the declaration of `r`, which BTOR2 cannot express");
    let name = terms.names.intern("f");
    let fun = terms.declare(Fun { name, params: Box::new([two]), result: two, role: Role::Free });
    let system = System { rigid: vec![fun], ..System::default() };
    for language in ["btor2", "aig"] {
        let error = written(language, &mut terms, &system).expect_err("a function");
        assert!(error.contains("uninterpreted function"), "{error}");
    }
}

/// A temporal formula is watched by a monitor of its own, and arrives as a live property.
#[test]
fn temporal_formulas_become_live_properties() {
    let mut terms = Terms::new();
    let mut system = System::default();
    let p = system.add_input(&mut terms, "p", SortId::BOOL);
    let p = terms.constant_term(p);
    let formula = app(&mut terms, Op::LtlGlobally, &[p]);
    system.properties.push(Property { index: 9, name: None, kind: PropertyKind::Ltl(formula) });
    for language in ["btor2", "aag", "aig"] {
        let bytes = written(language, &mut terms, &system).expect("expressible");
        let mut others = Terms::new();
        let again = read_bytes(language, &mut others, &bytes).expect("what we wrote");
        let [property] = &again.properties[..] else { panic!("{language}: one property") };
        assert!(matches!(property.kind, PropertyKind::Live(_)), "{language}");
        assert!(!again.states.is_empty(), "{language}: the monitor has a state");
    }
}
