//! Random small systems.

use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};
use testkit::Rng;
use ts::{Property, PropertyKind, System};

/// Makes formulas over some terms.
pub(crate) struct Maker<'a> {
    pub terms: &'a mut Terms,
    pub rng: &'a mut Rng,
}

impl Maker<'_> {
    /// A term of a sort (Bool or a bit-vector) over leaves.
    pub(crate) fn term(&mut self, leaves: &[TermId], sort: SortId, depth: usize) -> TermId {
        let fitting: Vec<TermId> = leaves.iter().copied().filter(|&t| self.terms.sort(t) == sort).collect();
        if depth == 0 || self.rng.below(6) == 0 {
            if !fitting.is_empty() && self.rng.below(8) > 0 {
                return *self.rng.choose(&fitting);
            }
            return match self.terms.sorts.width(sort) {
                None => self.terms.bool(self.rng.below(2) == 0),
                Some(width) => self.terms.bits(width, (self.rng.below(1 << width) as u32).into()),
            };
        }
        let (ops, arity): (&[Op], usize) = match (self.terms.sorts.width(sort), self.rng.below(5)) {
            (None, 0) => (&[Op::Not], 1),
            (None, 1) => return self.comparison(leaves, depth),
            (None, _) => (&[Op::And, Op::Or, Op::Xor, Op::Eq, Op::Implies], 2),
            (Some(_), 0) => (&[Op::BvNot, Op::BvNeg], 1),
            (Some(_), 1) => return self.choice(leaves, sort, depth),
            (Some(_), _) => (BV_OPS, 2),
        };
        let op = *self.rng.choose(ops);
        let args: Vec<TermId> = (0..arity).map(|_| self.term(leaves, sort, depth - 1)).collect();
        self.terms.app(op, &args).expect("well-sorted")
    }

    fn choice(&mut self, leaves: &[TermId], sort: SortId, depth: usize) -> TermId {
        let test = self.term(leaves, SortId::BOOL, depth - 1);
        let (then, other) = (self.term(leaves, sort, depth - 1), self.term(leaves, sort, depth - 1));
        self.terms.app(Op::Ite, &[test, then, other]).expect("well-sorted")
    }

    fn comparison(&mut self, leaves: &[TermId], depth: usize) -> TermId {
        let sorts: Vec<SortId> = leaves.iter().map(|&t| self.terms.sort(t)).collect();
        let sort = *self.rng.choose(&sorts);
        if sort == SortId::BOOL {
            return self.term(leaves, sort, depth - 1);
        }
        let op = *self.rng.choose(&[Op::Eq, Op::BvUlt, Op::BvSle, Op::BvUge, Op::Distinct, Op::BvSgt]);
        let args = [self.term(leaves, sort, depth - 1), self.term(leaves, sort, depth - 1)];
        self.terms.app(op, &args).expect("well-sorted")
    }
}

const BV_OPS: &[Op] = &[
    Op::BvAnd,
    Op::BvOr,
    Op::BvXor,
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
    Op::BvNand,
    Op::BvXnor,
];

/// A random system with Boolean and two-bit variables, invariant properties and, if wanted, live ones.
pub(crate) fn system(terms: &mut Terms, rng: &mut Rng, live: bool) -> System {
    let mut system = System::default();
    let two = terms.sorts.bit_vec(2);
    for i in 0..rng.between(1, 2) {
        let sort = if rng.below(2) == 0 { SortId::BOOL } else { two };
        system.add_state(terms, &format!("s{i}"), sort);
    }
    if rng.below(3) > 0 {
        let sort = if rng.below(2) == 0 { SortId::BOOL } else { two };
        system.add_input(terms, "in", sort);
    }
    let now: Vec<TermId> = system.states.iter().map(|state| terms.constant_term(state.now)).collect();
    let inputs: Vec<TermId> = system.inputs.iter().map(|&input| terms.constant_term(input)).collect();
    let next: Vec<TermId> = system.states.iter().map(|state| terms.constant_term(state.next)).collect();
    let here = [now.clone(), inputs].concat();
    let everywhere = [here.clone(), next.clone()].concat();
    let mut maker = Maker { terms, rng };
    for (&now, &next) in now.iter().zip(&next) {
        let sort = maker.terms.sort(now);
        if maker.rng.below(4) > 0 {
            let value = maker.term(&[], sort, 0);
            system.init.push(maker.terms.app(Op::Eq, &[now, value]).expect("well-sorted"));
        }
        if maker.rng.below(4) > 0 {
            let value = maker.term(&here, sort, 3);
            system.trans.push(maker.terms.app(Op::Eq, &[next, value]).expect("well-sorted"));
        }
    }
    if maker.rng.below(3) == 0 {
        system.trans.push(maker.term(&everywhere, SortId::BOOL, 3));
    }
    if maker.rng.below(4) == 0 {
        system.invar.push(maker.term(&here, SortId::BOOL, 2));
    }
    for index in 0..maker.rng.between(1, 3) as u64 {
        let mut formula = || maker.term(&here, SortId::BOOL, 3);
        let kind = match live && index == 1 {
            true => PropertyKind::Live(vec![formula(), formula()]),
            false => PropertyKind::Invariant(formula()),
        };
        system.properties.push(Property { index, name: None, kind });
    }
    system
}
