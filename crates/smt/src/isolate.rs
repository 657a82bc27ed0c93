//! Equations between words, solved for symbols by taking back what is done to them.

use crate::op::Op;
use crate::term::{TermId, Terms};
use crate::value::Value;
use dashu_int::UBig;
use dashu_int::ops::BitTest;
use rustc_hash::FxHashSet;

/// So many operations are taken back at most.
const MANY: usize = 64;
/// Larger terms are not looked into.
const LARGE: usize = 500;

/// What an equation between words says of wanted symbols: each alone, by the others. Sums, differences, complements and
/// products with odd numbers can be taken back, without a condition.
pub fn isolated(
    terms: &mut Terms,
    equation: TermId,
    wanted: impl Fn(TermId) -> bool,
) -> Vec<(TermId, TermId)> {
    let (Op::Eq, &[left, right]) = (terms.op(equation), terms.args(equation)) else { return Vec::new() };
    if terms.sorts.width(terms.sort(left)).is_none() {
        return Vec::new();
    }
    let (mut todo, mut found) = (vec![(right, left), (left, right)], Vec::new());
    for _ in 0..MANY {
        let Some((term, value)) = todo.pop() else { break };
        if wanted(term) {
            if !occurs(terms, value, |part| part == term) {
                found.push((term, value));
            }
            continue;
        }
        let args = terms.args(term).to_vec();
        for at in (0..args.len()).rev() {
            if occurs(terms, args[at], &wanted)
                && let Some(value) = taken_back(terms, term, at, value)
            {
                todo.push((args[at], value));
            }
        }
    }
    found
}

/// What an argument is where the whole is a value.
fn taken_back(terms: &mut Terms, term: TermId, at: usize, value: TermId) -> Option<TermId> {
    let op = terms.op(term);
    let args = terms.args(term).to_vec();
    let others = args.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, &arg)| arg);
    match (op, at, &args[..]) {
        (Op::BvAdd, ..) => {
            others.into_iter().try_fold(value, |value, other| apply(terms, Op::BvSub, &[value, other]))
        }
        (Op::BvXor, ..) => {
            others.into_iter().try_fold(value, |value, other| apply(terms, Op::BvXor, &[value, other]))
        }
        (Op::BvSub, 0, &[_, right]) => apply(terms, Op::BvAdd, &[value, right]),
        (Op::BvSub, 1, &[left, _]) => apply(terms, Op::BvSub, &[left, value]),
        (Op::BvNot | Op::BvNeg, ..) => apply(terms, op, &[value]),
        (Op::BvMul, _, &[_, _]) => {
            let factor = Value::from_term(terms, args[1 - at])?;
            let Value::BitVec { width, value: factor } = factor else { return None };
            let inverse = Value::bits(width, inverse(&factor, width)?).to_term(terms);
            apply(terms, Op::BvMul, &[inverse, value])
        }
        _ => None,
    }
}

fn apply(terms: &mut Terms, op: Op, args: &[TermId]) -> Option<TermId> {
    terms.app(op, args).ok()
}

/// The number whose product with an odd one is one.
fn inverse(factor: &UBig, width: u32) -> Option<UBig> {
    if !factor.bit(0) {
        return None;
    }
    // Each round doubles the number of bits that are right.
    let modulus = UBig::ONE << width as usize;
    let (mut found, mut right) = (UBig::ONE, 1);
    while right < width {
        let error = (factor * &found) % &modulus;
        found = (found * ((&modulus + UBig::from(2u32)) - error)) % &modulus;
        right *= 2;
    }
    Some(found)
}

/// True when a part of a term is looked for; false if the term is too large to tell.
fn occurs(terms: &Terms, root: TermId, is_it: impl Fn(TermId) -> bool) -> bool {
    let (mut todo, mut seen) = (vec![root], FxHashSet::default());
    while let Some(term) = todo.pop() {
        if is_it(term) {
            return true;
        }
        if seen.insert(term) {
            if seen.len() > LARGE {
                return true;
            }
            todo.extend(terms.args(term));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Assignment, Evaluator};
    use crate::term::{Fun, FunId, Role};

    const WIDTH: u32 = 4;

    fn constant(terms: &mut Terms, name: &str) -> (FunId, TermId) {
        let (name, result) = (terms.names.intern(name), terms.sorts.bit_vec(WIDTH));
        let fun = terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free });
        (fun, terms.constant_term(fun))
    }

    /// For all values: the equation holds exactly where the symbol has the value.
    #[test]
    fn what_is_found_says_the_same() {
        let mut terms = Terms::new();
        let (x, tx) = constant(&mut terms, "x");
        let (y, ty) = constant(&mut terms, "y");
        let five = terms.bits(WIDTH, UBig::from(5u32));
        let app = |terms: &mut Terms, op, args: &[TermId]| terms.app(op, args).expect("words");
        let product = app(&mut terms, Op::BvMul, &[five, tx]);
        let sum = app(&mut terms, Op::BvAdd, &[ty, product, five]);
        let negated = app(&mut terms, Op::BvNeg, &[tx]);
        let difference = app(&mut terms, Op::BvSub, &[ty, negated]);
        let mixed = app(&mut terms, Op::BvXor, &[difference, five]);
        let opposite = app(&mut terms, Op::BvNot, &[mixed]);
        for (left, right) in [(sum, ty), (sum, five), (opposite, ty), (ty, opposite), (product, ty)] {
            let equation = app(&mut terms, Op::Eq, &[left, right]);
            let found = isolated(&mut terms, equation, |term| term == tx);
            let &[(symbol, value)] = &found[..] else { panic!("{found:?}") };
            assert_eq!(symbol, tx);
            for number in 0..1u32 << (2 * WIDTH) {
                let mut env = Assignment::new();
                env.set(x, Value::bits(WIDTH, number & 15));
                env.set(y, Value::bits(WIDTH, number >> 4));
                let mut evaluator = Evaluator::new(&terms);
                let is_value = evaluator.eval(value, &mut env).unwrap() == Value::bits(WIDTH, number & 15);
                assert_eq!(evaluator.holds(equation, &mut env).unwrap(), is_value);
            }
        }
    }

    #[test]
    fn what_cannot_be_taken_back_is_left() {
        let mut terms = Terms::new();
        let (_, x) = constant(&mut terms, "x");
        let (_, y) = constant(&mut terms, "y");
        let two = terms.bits(WIDTH, UBig::from(2u32));
        for (op, args) in [(Op::BvMul, [two, x]), (Op::BvAnd, [x, y]), (Op::BvMul, [x, y])] {
            let left = terms.app(op, &args).expect("words");
            let equation = terms.app(Op::Eq, &[left, y]).expect("words");
            assert!(isolated(&mut terms, equation, |term| term == x).is_empty());
        }
        let sum = terms.app(Op::BvAdd, &[x, y]).expect("words");
        let equation = terms.app(Op::Eq, &[sum, x]).expect("words");
        assert!(isolated(&mut terms, equation, |term| term == x).is_empty());
    }
}
