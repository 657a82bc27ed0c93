//! Circuits compute what the evaluator computes: all operators, all values of three bits, and random ones of other widths.

use dashu_int::UBig;
use smt::eval::{Assignment, Evaluator};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use testkit::Rng;
use ts::aig::word;
use ts::passes::bitblast::{Blasted, Unsupported, bitblast};
use ts::passes::functional::{Initial, functional};
use ts::{Output, Property, PropertyKind, System};

const BINARY: &[Op] = &[
    Op::BvAnd,
    Op::BvOr,
    Op::BvXor,
    Op::BvNand,
    Op::BvNor,
    Op::BvXnor,
    Op::BvAdd,
    Op::BvSub,
    Op::BvMul,
    Op::BvUdiv,
    Op::BvUrem,
    Op::BvSdiv,
    Op::BvSrem,
    Op::BvSmod,
    Op::BvShl,
    Op::BvLshr,
    Op::BvAshr,
    Op::BvComp,
    Op::BvUlt,
    Op::BvUle,
    Op::BvUgt,
    Op::BvUge,
    Op::BvSlt,
    Op::BvSle,
    Op::BvSgt,
    Op::BvSge,
    Op::BvUaddO,
    Op::BvSaddO,
    Op::BvUsubO,
    Op::BvSsubO,
    Op::BvUmulO,
    Op::BvSmulO,
    Op::BvSdivO,
    Op::Concat,
    Op::Eq,
    Op::Distinct,
];
const UNARY: &[Op] = &[Op::BvNot, Op::BvNeg, Op::BvRedAnd, Op::BvRedOr, Op::BvNegO];
const INDEXED: &[Op] = &[Op::ZeroExtend, Op::SignExtend, Op::RotateLeft, Op::RotateRight, Op::Repeat];

/// A system that shows what all operators make of two inputs of a width and a Boolean one.
fn shows(terms: &mut Terms, width: u32) -> System {
    let mut system = System::default();
    let sort = terms.sorts.bit_vec(width);
    let inputs = [
        system.add_input(terms, "a", sort),
        system.add_input(terms, "b", sort),
        system.add_input(terms, "p", SortId::BOOL),
    ];
    let [a, b, p] = inputs.map(|fun| terms.constant_term(fun));
    let mut shown: Vec<TermId> = Vec::new();
    for &op in BINARY {
        shown.push(terms.app(op, &[a, b]).expect("sorts"));
    }
    for &op in UNARY {
        shown.push(terms.app(op, &[a]).expect("sorts"));
    }
    for &op in INDEXED {
        for index in 1..=width.min(4) {
            shown.push(terms.app_indexed(op, &[index], &[a]).expect("sorts"));
        }
    }
    for high in 0..width.min(4) {
        shown.push(terms.app_indexed(Op::Extract, &[high, high / 2], &[a]).expect("sorts"));
    }
    shown.push(terms.app(Op::Ite, &[p, a, b]).expect("sorts"));
    let less = terms.app(Op::BvUlt, &[a, b]).expect("sorts");
    for op in [Op::And, Op::Or, Op::Xor, Op::Implies, Op::Eq] {
        shown.push(terms.app(op, &[p, less]).expect("sorts"));
        if op != Op::Eq {
            shown.push(terms.app(op, &[p, less, p]).expect("sorts"));
        }
    }
    shown.push(terms.app(Op::BvAdd, &[a, b, a]).expect("sorts"));
    shown.push(terms.app(Op::Eq, &[a, b, a]).expect("sorts"));
    shown.push(terms.app(Op::Distinct, &[a, b, a]).expect("sorts"));
    shown.push(terms.not(less));
    system.outputs = shown.into_iter().map(|term| Output { name: String::new(), term }).collect();
    system
}

fn number(value: &Value) -> UBig {
    match value {
        Value::Bool(value) => UBig::from(*value),
        Value::BitVec { value, .. } => value.clone(),
        _ => panic!("no bits"),
    }
}

/// Compares the circuit's outputs with the evaluator's for some cases.
fn compare(terms: &Terms, system: &System, made: &Blasted, cases: &[Vec<(FunId, Value)>]) {
    let mut evaluator = Evaluator::new(terms);
    for case in cases {
        let mut values = Assignment::new();
        for (fun, value) in case {
            values.set(*fun, value.clone());
        }
        let trace = ts::Trace { steps: vec![values.clone()], ..ts::Trace::default() };
        let step = &made.steps(terms, &trace)[0];
        let words = |bits: &[bool]| bits.iter().map(|&bit| u64::from(bit)).collect::<Vec<_>>();
        let nodes = made.aig.eval(&words(&step.latches), &words(&step.inputs));
        let mut outputs = made.aig.outputs.iter();
        for output in &system.outputs {
            let wanted = evaluator.eval(output.term, &mut values).expect("a value");
            let width = match wanted {
                Value::BitVec { width, .. } => width,
                _ => 1,
            };
            let mut found = UBig::ZERO;
            for i in 0..width as usize {
                let lit = outputs.next().expect("an output");
                found |= UBig::from(word(&nodes, *lit) & 1) << i;
            }
            let text = smt::print::term_text(terms, output.term);
            assert_eq!(found, number(&wanted), "{text} {case:?}");
        }
    }
}

#[test]
fn operators_on_all_values_of_few_bits() {
    for width in 1..=3 {
        let mut terms = Terms::new();
        let system = shows(&mut terms, width);
        let form = functional(&mut terms, &system, Initial::Literals);
        let made = bitblast(&terms, &form).expect("bits");
        let [a, b, p] = system.inputs[..] else { panic!("three inputs") };
        let mut cases = Vec::new();
        for x in 0..1u32 << width {
            for y in 0..1u32 << width {
                let truth = Value::Bool((x ^ y) & 1 == 1);
                cases.push(vec![(a, Value::bits(width, x)), (b, Value::bits(width, y)), (p, truth)]);
            }
        }
        compare(&terms, &system, &made, &cases);
    }
}

#[test]
fn operators_on_random_values() {
    let mut rng = Rng::new(3);
    for width in [4, 5, 8, 16, 17, 33, 65] {
        let mut terms = Terms::new();
        let system = shows(&mut terms, width);
        let form = functional(&mut terms, &system, Initial::Literals);
        let made = bitblast(&terms, &form).expect("bits");
        let [a, b, p] = system.inputs[..] else { panic!("three inputs") };
        let mut random = || match rng.below(5) {
            0 => UBig::ZERO,
            1 => UBig::ones(width as usize),
            2 => UBig::ONE << (width as usize - 1),
            3 => UBig::from(rng.below(3 + width as usize)),
            _ => (UBig::from(rng.next_u64()) << 64) | UBig::from(rng.next_u64()),
        };
        let cases: Vec<_> = (0..30)
            .map(|i| {
                let (x, y) = (Value::bits(width, random()), Value::bits(width, random()));
                vec![(a, x), (b, y), (p, Value::Bool(i % 2 == 0))]
            })
            .collect();
        compare(&terms, &system, &made, &cases);
    }
}

/// Arrays of three index bits, also with single bits as elements, and Booleans on both sides.
#[test]
fn small_arrays() {
    for (index_width, element_width) in [(3, 2), (2, 1), (1, 5)] {
        let mut terms = Terms::new();
        let mut system = System::default();
        let (index, element) = (terms.sorts.bit_vec(index_width), terms.sorts.bit_vec(element_width));
        let sort = terms.sorts.array(index, element);
        let funs = [
            system.add_input(&mut terms, "m", sort),
            system.add_input(&mut terms, "n", sort),
            system.add_input(&mut terms, "i", index),
            system.add_input(&mut terms, "e", element),
        ];
        let [m, n, i, e] = funs.map(|fun| terms.constant_term(fun));
        let stored = terms.app(Op::Store, &[m, i, e]).expect("sorts");
        let constant = terms.const_array(sort, e).expect("sorts");
        let less = terms.app(Op::BvUlt, &[i, i]).expect("sorts");
        let chosen = terms.app(Op::Ite, &[less, m, n]).expect("sorts");
        let mut shown = vec![terms.app(Op::Eq, &[m, n]).expect("sorts")];
        for array in [m, stored, constant, chosen] {
            shown.push(terms.app(Op::Select, &[array, i]).expect("sorts"));
            shown.push(terms.app(Op::Eq, &[array, stored]).expect("sorts"));
        }
        system.outputs = shown.into_iter().map(|term| Output { name: String::new(), term }).collect();
        let form = functional(&mut terms, &system, Initial::Literals);
        let made = bitblast(&terms, &form).expect("bits");
        let mut rng = Rng::new(9);
        let mut cases = Vec::new();
        for round in 0..60 {
            let mut array = || {
                let mut found =
                    Value::const_array(&mut terms, sort, Value::bits(element_width, 0u8)).expect("array");
                for place in 0..1usize << index_width {
                    let value = if round % 3 == 0 { 1 } else { rng.below(1 << element_width) };
                    if let Value::Array(array) = &mut found {
                        let place = Value::bits(index_width, UBig::from(place));
                        std::sync::Arc::make_mut(array)
                            .store(place, Value::bits(element_width, UBig::from(value)));
                    }
                }
                found
            };
            let (x, y) = (array(), array());
            let (at, held) = (rng.below(1 << index_width), rng.below(1 << element_width));
            cases.push(vec![
                (funs[0], x),
                (funs[1], y),
                (funs[2], Value::bits(index_width, UBig::from(at))),
                (funs[3], Value::bits(element_width, UBig::from(held))),
            ]);
        }
        compare(&terms, &system, &made, &cases);
        // Values of arrays go to bits and back.
        for case in &cases {
            let mut values = Assignment::new();
            case.iter().for_each(|(fun, value)| drop(values.set(*fun, value.clone())));
            let trace = ts::Trace { steps: vec![values], ..ts::Trace::default() };
            let steps = made.steps(&terms, &trace);
            let back = made.trace(&mut terms, &steps, None);
            for (fun, value) in case {
                assert!(back.steps[0].get(*fun) == Some(value));
            }
        }
    }
}

/// A counter with a state of each kind: with both values, without an initial one, without a next one, without any.
#[test]
fn states_of_all_kinds_run_alike() {
    let mut terms = Terms::new();
    let mut system = System::default();
    let sort = terms.sorts.bit_vec(3);
    let states =
        ["both", "uninitialised", "free", "any"].map(|name| system.add_state(&mut terms, name, sort));
    let five = terms.bits(3, UBig::from(5u8));
    let now = states.map(|state| terms.constant_term(state.now));
    let next = states.map(|state| terms.constant_term(state.next));
    for variable in [now[0], now[2]] {
        system.init.push(terms.app(Op::Eq, &[variable, five]).expect("sorts"));
    }
    let sum = terms.app(Op::BvAdd, &[now[0], now[3]]).expect("sorts");
    let product = terms.app(Op::BvMul, &[now[1], now[2]]).expect("sorts");
    system.trans.push(terms.app(Op::Eq, &[next[0], sum]).expect("sorts"));
    system.trans.push(terms.app(Op::Eq, &[product, next[1]]).expect("sorts"));
    let never = terms.app(Op::Distinct, &[now[0], now[1], now[2], now[3]]).expect("sorts");
    let negated = terms.not(never);
    for kind in [PropertyKind::Invariant(negated), PropertyKind::Live(vec![never, negated])] {
        let index = system.properties.len() as u64;
        system.properties.push(Property { index, name: None, kind });
    }
    let form = functional(&mut terms, &system, Initial::Literals);
    let made = bitblast(&terms, &form).expect("bits");
    assert_eq!((made.aig.latches().len(), made.aig.inputs().len()), (9, 6));
    let mut rng = Rng::new(1);
    for _ in 0..20 {
        let first: Vec<bool> = (0..9).map(|_| rng.below(2) == 1).collect();
        let inputs: Vec<Vec<bool>> = (0..8).map(|_| (0..6).map(|_| rng.below(2) == 1).collect()).collect();
        let steps = made.aig.run(&first, &inputs);
        let trace = made.trace(&mut terms, &steps, None);
        let trace = form.trace(&mut terms, &system, &trace);
        assert_eq!(trace.is_execution(&terms, &system), Ok(()));
        // The last step's choice of a next value is nobody's.
        let again = made.steps(&terms, &trace);
        assert!(again[..7] == steps[..7]);
        for (step, values) in steps.iter().zip(&trace.steps) {
            let mut values = values.clone();
            let mut evaluator = Evaluator::new(&terms);
            let bad = !evaluator.holds(negated, &mut values).expect("a truth");
            let words = |bits: &[bool]| bits.iter().map(|&bit| u64::from(bit)).collect::<Vec<_>>();
            let nodes = made.aig.eval(&words(&step.latches), &words(&step.inputs));
            assert_eq!(word(&nodes, made.aig.bads[0]) & 1 == 1, bad);
            assert_eq!(word(&nodes, made.aig.justice[0][1]) & 1 == 1, bad);
        }
    }
    // A literal as a formula says what its bit is.
    let mut trace = made.trace(&mut terms, &made.aig.run(&[true; 9], &[vec![true; 6]]), None);
    for latch in made.aig.latches() {
        let formula = made.formula(&mut terms, latch.now).expect("a bit of a variable");
        let (variable, bit) = made.owner(latch.now).expect("a variable");
        let fun = made.variables[variable].fun;
        let held = number(trace.steps[0].get(fun).expect("a value")) >> bit & UBig::ONE == UBig::ONE;
        let mut evaluator = Evaluator::new(&terms);
        assert_eq!(evaluator.holds(formula, &mut trace.steps[0]), Ok(held));
    }
}

#[test]
fn what_has_no_bits_is_named() {
    let mut terms = Terms::new();
    let mut system = System::default();
    system.add_state(&mut terms, "x", SortId::INT);
    let form = functional(&mut terms, &system, Initial::Literals);
    let error = bitblast(&terms, &form).expect_err("no bits");
    assert_eq!(error.message(&terms), "the sort Int in `x`");
    assert!(error.is_about_integers());
    let mut system = System::default();
    let index = terms.sorts.bit_vec(32);
    let sort = terms.sorts.array(index, index);
    system.add_state(&mut terms, "m", sort);
    let form = functional(&mut terms, &system, Initial::Literals);
    assert_eq!(bitblast(&terms, &form).expect_err("large").what, Unsupported::Large(sort));
    let mut system = System::default();
    let wide = terms.sorts.bit_vec(50_000);
    let x = system.add_input(&mut terms, "w", wide);
    let x = terms.constant_term(x);
    let term = terms.app(Op::BvMul, &[x, x]).expect("sorts");
    system.outputs.push(Output { name: "square".into(), term });
    let form = functional(&mut terms, &system, Initial::Literals);
    assert_eq!(bitblast(&terms, &form).expect_err("large").what, Unsupported::Size);
}
