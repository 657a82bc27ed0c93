//! Terms and their simpler forms have equal values, under random values of their constants.

use smt::eval::{Assignment, Evaluator};
use smt::linear::{Linear, solutions};
use smt::op::Op;
use smt::simplify::{Simplifier, simplify};
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use testkit::Rng;

/// Random terms over a few constants.
struct World {
    terms: Terms,
    /// Truth values, integers, bit-vectors.
    constants: [Vec<FunId>; 3],
    made: [Vec<TermId>; 3],
}

impl World {
    fn new(rng: &mut Rng, size: usize) -> World {
        let mut terms = Terms::new();
        let bits = terms.sorts.bit_vec(3);
        let constants =
            [SortId::BOOL, SortId::INT, bits].map(|sort| (0..3).map(|_| terms.fresh("c", sort)).collect());
        let mut world = World { terms, constants, made: Default::default() };
        for kind in 0..3 {
            let constants = world.constants[kind].clone();
            world.made[kind] = constants.iter().map(|&fun| world.terms.constant_term(fun)).collect();
        }
        world.made[0].extend([TermId::TRUE, TermId::FALSE]);
        for number in -2..3 {
            let term = world.terms.int(number);
            world.made[1].push(term);
        }
        for number in 0..3u8 {
            let term = world.terms.bits(3, number.into());
            world.made[2].push(term);
        }
        for _ in 0..size {
            world.grow(rng);
        }
        world
    }

    fn grow(&mut self, rng: &mut Rng) {
        let kind = rng.below(3);
        let (op, from, count) = *rng.choose(match kind {
            0 => &[
                (Op::And, 0, 3),
                (Op::Or, 0, 3),
                (Op::Not, 0, 1),
                (Op::Implies, 0, 2),
                (Op::Xor, 0, 2),
                (Op::Eq, 0, 2),
                (Op::Eq, 1, 2),
                (Op::Eq, 2, 2),
                (Op::Distinct, 1, 2),
                (Op::Le, 1, 2),
                (Op::BvUlt, 2, 2),
                (Op::Ite, 0, 3),
            ][..],
            1 => &[(Op::Add, 1, 2), (Op::Sub, 1, 2), (Op::Mul, 1, 2), (Op::Neg, 1, 1), (Op::Ite, 1, 3)],
            _ => &[(Op::BvAdd, 2, 2), (Op::BvAnd, 2, 2), (Op::BvNot, 2, 1), (Op::Ite, 2, 3)],
        });
        let mut args: Vec<TermId> = (0..count).map(|_| *rng.choose(&self.made[from])).collect();
        if op == Op::Ite {
            args[0] = *rng.choose(&self.made[0]);
        }
        let term = self.terms.app(op, &args).expect("a term of the right sorts");
        self.made[kind].push(term);
    }

    fn values(&self, rng: &mut Rng) -> Assignment {
        let mut values = Assignment::new();
        for (kind, constants) in self.constants.iter().enumerate() {
            for &fun in constants {
                let value = match kind {
                    0 => Value::Bool(rng.bool()),
                    1 => Value::Int((rng.below(7) as i64 - 3).into()),
                    _ => Value::bits(3, rng.below(8) as u32),
                };
                values.set(fun, value);
            }
        }
        values
    }

    fn value(&self, term: TermId, values: &Assignment) -> Value {
        Evaluator::new(&self.terms).eval(term, &mut values.clone()).expect("a value")
    }
}

#[test]
fn simpler_terms_have_the_same_values() {
    let mut rng = Rng::new(41);
    for _ in 0..300 {
        let mut world = World::new(&mut rng, 60);
        let samples: Vec<Assignment> = (0..12).map(|_| world.values(&mut rng)).collect();
        for term in world.made.concat() {
            let simple = simplify(&mut world.terms, term);
            for values in &samples {
                assert_eq!(world.value(term, values), world.value(simple, values));
            }
        }
    }
}

#[test]
fn values_are_put_in() {
    let mut rng = Rng::new(42);
    for _ in 0..300 {
        let mut world = World::new(&mut rng, 60);
        let values = world.values(&mut rng);
        let mut map = rustc_hash::FxHashMap::default();
        for fun in world.constants.concat() {
            let value = values.get(fun).expect("a value").clone().to_term(&mut world.terms);
            map.insert(world.terms.constant_term(fun), value);
        }
        let mut simplifier = Simplifier::with(map);
        for term in world.made.concat() {
            let simple = simplifier.apply(&mut world.terms, term);
            assert_eq!(Some(world.value(term, &values)), Value::from_term(&world.terms, simple));
        }
    }
}

#[test]
fn sums_keep_their_values_and_solutions_solve() {
    let mut rng = Rng::new(43);
    let mut solved = 0;
    for _ in 0..200 {
        let mut world = World::new(&mut rng, 60);
        let integers = world.made[1].clone();
        for &term in &integers {
            let sum = Linear::of(&world.terms, term).expect("a sum").to_term(&mut world.terms);
            let values = world.values(&mut rng);
            assert_eq!(world.value(term, &values), world.value(sum, &values));
        }
        for _ in 0..20 {
            let sides = [*rng.choose(&integers), *rng.choose(&integers)];
            let equation = world.terms.app(Op::Eq, &sides).expect("an equation");
            let constants = world.constants[1].clone();
            let constants: Vec<TermId> =
                constants.iter().map(|&fun| world.terms.constant_term(fun)).collect();
            for (constant, value) in solutions(&mut world.terms, equation, |term| constants.contains(term)) {
                solved += 1;
                let solution = world.terms.app(Op::Eq, &[constant, value]).expect("an equation");
                let values = world.values(&mut rng);
                assert_eq!(world.value(equation, &values), world.value(solution, &values));
            }
        }
    }
    assert!(solved > 100, "{solved}");
}
