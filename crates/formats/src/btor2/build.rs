//! Operators of BTOR2 as terms.
//!
//! A value of one bit is a bit-vector in BTOR2 and a truth value wherever its bit means one. Both forms exist here: states,
//! inputs, slices and reads are bit-vectors; comparisons and connectives are `Bool`; [`Build::bits`] and [`Build::truth`] go
//! from one to the other and undo each other, so that formulas keep the shape that solvers like.

use dashu_int::UBig;
use smt::check::RankError;
use smt::op::Op;
use smt::sort::{Sort, SortId};
use smt::term::{TermId, Terms};

pub(super) type Built = Result<TermId, RankError>;

/// Builds terms from operands whose sorts were checked.
pub(super) struct Build<'t> {
    pub(super) terms: &'t mut Terms,
    /// The two literals of one bit once they were needed, as they are for nearly every line.
    literals: [Option<TermId>; 2],
}

impl<'t> Build<'t> {
    pub(super) fn new(terms: &'t mut Terms) -> Build<'t> {
        Build { terms, literals: [None; 2] }
    }

    /// The sort that a value has in BTOR2.
    pub(super) fn sort(&mut self, term: TermId) -> SortId {
        match self.terms.sort(term) {
            SortId::BOOL => self.terms.sorts.bit_vec(1),
            sort => sort,
        }
    }

    /// The width of a bit-vector, zero for an array.
    pub(super) fn width(&mut self, term: TermId) -> u32 {
        let sort = self.sort(term);
        self.terms.sorts.width(sort).unwrap_or(0)
    }

    fn bit(&mut self, value: bool) -> TermId {
        let slot = &mut self.literals[usize::from(value)];
        *slot.get_or_insert_with(|| self.terms.bits(1, UBig::from(value)))
    }

    fn number(&mut self, width: u32, value: u64) -> TermId {
        self.terms.bits(width, UBig::from(value))
    }

    /// A value as bit-vector.
    pub(super) fn bits(&mut self, term: TermId) -> Built {
        if self.terms.sort(term) != SortId::BOOL {
            return Ok(term);
        }
        let (zero, one) = (self.bit(false), self.bit(true));
        match (self.terms.op(term), self.terms.args(term)) {
            (Op::True, _) => Ok(one),
            (Op::False, _) => Ok(zero),
            (Op::Eq, &[bits, literal]) if literal == one => Ok(bits),
            _ => self.terms.app(Op::Ite, &[term, one, zero]),
        }
    }

    /// A value of one bit as truth value.
    pub(super) fn truth(&mut self, term: TermId) -> Built {
        if self.terms.sort(term) == SortId::BOOL {
            return Ok(term);
        }
        let (zero, one) = (self.bit(false), self.bit(true));
        if term == one || term == zero {
            return Ok(self.terms.bool(term == one));
        }
        match (self.terms.op(term), self.terms.args(term)) {
            (Op::Ite, &[truth, then, other]) if then == one && other == zero => Ok(truth),
            _ => self.terms.app(Op::Eq, &[term, one]),
        }
    }

    /// The shorter one of the two forms, which is what a line is remembered as.
    pub(super) fn plain(&mut self, term: TermId) -> Built {
        let one = self.bit(true);
        match (self.terms.op(term), self.terms.args(term)) {
            (Op::True | Op::False, _) => self.bits(term),
            (Op::Eq, &[_, literal]) if literal == one => self.bits(term),
            (Op::Ite, &[_, then, _]) if then == one => match self.truth(term)? {
                truth if self.terms.op(truth) == Op::Eq && self.terms.args(truth)[0] == term => Ok(term),
                truth => Ok(truth),
            },
            _ => Ok(term),
        }
    }

    fn all_bits(&mut self, args: &[TermId]) -> Result<Vec<TermId>, RankError> {
        args.iter().map(|&arg| self.bits(arg)).collect()
    }

    fn all_truths(&mut self, args: &[TermId]) -> Result<Vec<TermId>, RankError> {
        args.iter().map(|&arg| self.truth(arg)).collect()
    }

    /// True when one of several values is a truth value already.
    fn some_truth(&self, args: &[TermId]) -> bool {
        args.iter().any(|&arg| self.terms.sort(arg) == SortId::BOOL)
    }

    /// Application to bit-vectors.
    pub(super) fn apply(&mut self, op: Op, args: &[TermId]) -> Built {
        let args = self.all_bits(args)?;
        self.terms.app(op, &args)
    }

    /// Application of an indexed operator to a bit-vector.
    pub(super) fn indexed(&mut self, op: Op, indices: &[u32], arg: TermId) -> Built {
        let arg = self.bits(arg)?;
        self.terms.app_indexed(op, indices, &[arg])
    }

    /// All bits inverted.
    pub(super) fn not(&mut self, arg: TermId) -> Built {
        if self.width(arg) == 1 {
            let truth = self.truth(arg)?;
            return Ok(self.terms.not(truth));
        }
        if self.terms.op(arg) == Op::BvNot {
            return Ok(self.terms.args(arg)[0]);
        }
        self.terms.app(Op::BvNot, &[arg])
    }

    /// A connective, on bits or on truth values.
    pub(super) fn logic(&mut self, bits: Op, truths: Op, negated: bool, args: &[TermId]) -> Built {
        if self.width(args[0]) > 1 {
            return self.terms.app(bits, args);
        }
        let args = self.all_truths(args)?;
        let term = self.terms.app(truths, &args)?;
        Ok(if negated { self.terms.not(term) } else { term })
    }

    /// A connective of single bits.
    pub(super) fn connect(&mut self, op: Op, args: &[TermId]) -> Built {
        let args = self.all_truths(args)?;
        self.terms.app(op, &args)
    }

    /// Equality or its negation.
    pub(super) fn equal(&mut self, negated: bool, args: &[TermId]) -> Built {
        let (zero, one) = (self.bit(false), self.bit(true));
        let literal = |arg| arg == zero || arg == one;
        let term = match *args {
            [arg, bit] | [bit, arg] if literal(bit) => {
                let truth = self.truth(arg)?;
                if bit == one { truth } else { self.terms.not(truth) }
            }
            _ => {
                let args = if self.some_truth(args) { self.all_truths(args)? } else { args.to_vec() };
                self.terms.app(Op::Eq, &args)?
            }
        };
        Ok(if negated { self.terms.not(term) } else { term })
    }

    /// One more or one less.
    pub(super) fn step(&mut self, op: Op, arg: TermId) -> Built {
        let width = self.width(arg);
        let one = self.number(width, 1);
        self.apply(op, &[arg, one])
    }

    /// Whether all bits, or some bit, are one.
    pub(super) fn reduce(&mut self, op: Op, arg: TermId) -> Built {
        let width = self.width(arg);
        if width == 1 {
            return self.truth(arg);
        }
        let zero = self.number(width, 0);
        if op == Op::BvRedAnd {
            // The literal of all ones may be long, and `bvredand` is no operator of the standard.
            let inverted = self.not(arg)?;
            return self.terms.app(Op::Eq, &[inverted, zero]);
        }
        let none = self.terms.app(Op::Eq, &[arg, zero])?;
        Ok(self.terms.not(none))
    }

    /// The parity, by halving: as many gates as bits, and few terms.
    pub(super) fn parity(&mut self, arg: TermId) -> Built {
        let mut rest = self.bits(arg)?;
        let mut width = self.width(rest);
        while width > 1 {
            let half = width.div_ceil(2);
            let low = self.terms.app_indexed(Op::Extract, &[half - 1, 0], &[rest])?;
            let mut high = self.terms.app_indexed(Op::Extract, &[width - 1, half], &[rest])?;
            if width - half < half {
                high = self.terms.app_indexed(Op::ZeroExtend, &[1], &[high])?;
            }
            rest = if half == 1 {
                self.logic(Op::BvXor, Op::Xor, false, &[low, high])?
            } else {
                self.terms.app(Op::BvXor, &[low, high])?
            };
            width = half;
        }
        Ok(rest)
    }

    /// Rotation by as many bits as the second operand says; more than the width goes around several times.
    pub(super) fn rotate(&mut self, left: bool, arg: TermId, by: TermId) -> Built {
        let (arg, by) = (self.bits(arg)?, self.bits(by)?);
        let width = self.width(arg);
        if width == 1 {
            return Ok(arg);
        }
        let modulus = self.number(width, u64::from(width));
        let by = if width.is_power_of_two() {
            let mask = self.number(width, u64::from(width) - 1);
            self.terms.app(Op::BvAnd, &[by, mask])?
        } else {
            self.terms.app(Op::BvUrem, &[by, modulus])?
        };
        let rest = self.terms.app(Op::BvSub, &[modulus, by])?;
        let (up, down) = if left { (by, rest) } else { (rest, by) };
        // Of a shift by the whole width nothing is left, which is right: then the other one keeps everything.
        let (high, low) = (self.terms.app(Op::BvShl, &[arg, up])?, self.terms.app(Op::BvLshr, &[arg, down])?);
        self.terms.app(Op::BvOr, &[high, low])
    }

    /// A choice; of truth values if one of them is one.
    pub(super) fn ite(&mut self, condition: TermId, then: TermId, other: TermId) -> Built {
        let condition = self.truth(condition)?;
        let (zero, one) = (self.bit(false), self.bit(true));
        if (then, other) == (one, zero) {
            return Ok(condition);
        }
        if (then, other) == (zero, one) {
            return Ok(self.terms.not(condition));
        }
        let cases = [then, other];
        let cases = if self.some_truth(&cases) { self.all_truths(&cases)? } else { cases.to_vec() };
        self.terms.app(Op::Ite, &[condition, cases[0], cases[1]])
    }

    /// The array with the same value everywhere.
    pub(super) fn constant_array(&mut self, sort: SortId, value: TermId) -> Built {
        let value = self.bits(value)?;
        self.terms.const_array(sort, value)
    }

    /// Index and element sort of an array sort.
    pub(super) fn array(&self, sort: SortId) -> Option<(SortId, SortId)> {
        match *self.terms.sorts.get(sort) {
            Sort::Array(index, element) => Some((index, element)),
            _ => None,
        }
    }
}
