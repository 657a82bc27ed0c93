//! The rules of bit-vectors, floats, strings and sequences.

use super::{Call, Checked, RankError};
use crate::op::{Op, Rule};
use crate::sort::{Sort, SortId};
use crate::term::{Const, Terms};
use base::id::Id;

impl Call<'_> {
    pub(super) fn bit_vec(&mut self, rule: Rule, indices: &[u32]) -> Checked {
        match rule {
            Rule::Bv(n) | Rule::BvPredicate(n) => {
                self.count_assoc(n.into())?;
                self.width(0)?;
                let sort = self.sort(0);
                self.all(0, sort)?;
                self.build(0, if matches!(rule, Rule::Bv(_)) { sort } else { SortId::BOOL }, None)
            }
            Rule::BvComp => {
                let n = if self.op == Op::BvComp { 2 } else { 1 };
                self.count(n, Some(n))?;
                self.width(0)?;
                let sort = self.sort(0);
                self.all(0, sort)?;
                let one = self.terms.sorts.bit_vec(1);
                self.build(0, one, None)
            }
            Rule::Concat => {
                self.count(2, None)?;
                let mut total = 0u32;
                for i in 0..self.args.len() {
                    total = widen(total, self.width(i)?)?;
                }
                let sort = self.terms.sorts.bit_vec(total);
                self.build(0, sort, None)
            }
            Rule::IntToBv => {
                self.count(1, Some(1))?;
                self.exact(0, SortId::INT)?;
                positive(indices[0], "the width")?;
                let sort = self.terms.sorts.bit_vec(indices[0]);
                self.build(0, sort, None)
            }
            _ => self.bit_vec_unary(rule, indices),
        }
    }

    fn bit_vec_unary(&mut self, rule: Rule, indices: &[u32]) -> Checked {
        self.count(1, Some(1))?;
        let width = self.width(0)?;
        let (payload, new) = match rule {
            Rule::Extract => {
                let (high, low) = (indices[0], indices[1]);
                if high >= width || low > high {
                    let message =
                        format!("bits {high} down to {low} do not lie in a bit-vector of width {width}");
                    return Err(RankError::Range(message));
                }
                (low, high - low + 1)
            }
            Rule::Extend => (indices[0], widen(width, indices[0])?),
            Rule::Rotate => (indices[0], width),
            Rule::Repeat => {
                positive(indices[0], "the number of copies")?;
                let total = width.checked_mul(indices[0]).ok_or_else(|| RankError::Range(TOO_WIDE.into()))?;
                (indices[0], total)
            }
            _ => return self.build(0, SortId::INT, None), // BvToInt
        };
        let sort = self.terms.sorts.bit_vec(new);
        self.build(payload, sort, None)
    }

    pub(super) fn floats(&mut self, rule: Rule, indices: &[u32]) -> Checked {
        match rule {
            Rule::Fp => {
                self.count(3, Some(3))?;
                let one = self.terms.sorts.bit_vec(1);
                self.exact(0, one)?;
                let (eb, sb) = (self.width(1)?, widen(self.width(2)?, 1)?);
                let sort = float_sort(self.terms, eb, sb)?;
                self.build(0, sort, None)
            }
            Rule::FpConst => {
                self.count(0, Some(0))?;
                let sort = float_sort(self.terms, indices[0], indices[1])?;
                self.build(0, sort, None)
            }
            Rule::Float(rounded, n) => {
                let first = usize::from(rounded);
                self.count(first + usize::from(n), Some(first + usize::from(n)))?;
                if rounded {
                    self.exact(0, SortId::ROUNDING_MODE)?;
                }
                self.float(first)?;
                let sort = self.sort(first);
                self.all(first, sort)?;
                self.build(0, sort, None)
            }
            Rule::FloatPredicate(n) => {
                self.count_assoc(n.into())?;
                self.float(0)?;
                let sort = self.sort(0);
                self.all(0, sort)?;
                self.build(0, SortId::BOOL, None)
            }
            Rule::ToFpBits | Rule::ToFpRounded => self.convert_to_fp(indices),
            Rule::FloatToBv => {
                self.count(2, Some(2))?;
                self.exact(0, SortId::ROUNDING_MODE)?;
                self.float(1)?;
                positive(indices[0], "the width")?;
                let sort = self.terms.sorts.bit_vec(indices[0]);
                self.build(0, sort, None)
            }
            _ => {
                self.count(1, Some(1))?;
                let (eb, sb) = self.float(0)?;
                let sort = match rule {
                    Rule::FloatToReal => SortId::REAL,
                    _ => self.terms.sorts.bit_vec(eb + sb),
                };
                self.build(0, sort, None)
            }
        }
    }

    /// `to_fp` is four functions of one name; the arguments tell which.
    fn convert_to_fp(&mut self, indices: &[u32]) -> Checked {
        let sort = float_sort(self.terms, indices[0], indices[1])?;
        if self.args.len() == 1 && self.op != Op::ToFpUnsigned {
            if self.width(0)? != indices[0] + indices[1] {
                let expected = self.terms.sorts.bit_vec(indices[0] + indices[1]);
                return Err(RankError::Sort { index: 0, expected });
            }
            self.op = Op::ToFpBits;
            return self.build(0, sort, None);
        }
        self.count(2, Some(2))?;
        self.exact(0, SortId::ROUNDING_MODE)?;
        let allowed = match self.terms.sorts.get(self.sort(1)) {
            Sort::BitVec(_) => true,
            Sort::Float(..) | Sort::Real | Sort::Int => self.op != Op::ToFpUnsigned,
            _ => false,
        };
        if !allowed {
            return Err(RankError::Kind { index: 1, expected: "a float, real or bit-vector" });
        }
        if self.op == Op::ToFpBits {
            self.op = Op::ToFp;
        }
        let fitted =
            (self.sort(1) == SortId::INT).then(|| vec![self.args[0], self.terms.to_real(self.args[1])]);
        self.build(0, sort, fitted)
    }

    pub(super) fn strings(&mut self, rule: Rule, indices: &[u32]) -> Checked {
        match rule {
            Rule::RePower | Rule::ReLoop => {
                self.count(1, Some(1))?;
                self.exact(0, SortId::REG_LAN)?;
                let payload = match rule {
                    Rule::RePower => indices[0],
                    _ => self.terms.intern_const(Const::Pair(indices[0], indices[1])).index() as u32,
                };
                self.build(payload, SortId::REG_LAN, None)
            }
            Rule::Char => {
                self.count(0, Some(0))?;
                self.build(indices[0], SortId::STRING, None)
            }
            Rule::SeqUnit => {
                self.count(1, Some(1))?;
                let sort = self.terms.sorts.mk(Sort::Seq(self.terms.sort(self.args[0])));
                self.build(0, sort, None)
            }
            _ => self.sequences(rule),
        }
    }

    fn sequences(&mut self, rule: Rule) -> Checked {
        self.count(1, None)?;
        let (element, sort) = (self.seq(0)?, self.sort(0));
        let int = SortId::INT;
        let (rest, result): (&[SortId], SortId) = match rule {
            Rule::SeqSame(n) | Rule::SeqPredicate(n) => {
                self.count_assoc(n.into())?;
                self.all(0, sort)?;
                return self.build(
                    0,
                    if matches!(rule, Rule::SeqSame(_)) { sort } else { SortId::BOOL },
                    None,
                );
            }
            Rule::SeqToInt => (&[], int),
            Rule::SeqIndexOf => (&[sort, int], int),
            Rule::SeqExtract(1) => (&[int], sort),
            Rule::SeqExtract(_) => (&[int, int], sort),
            Rule::SeqNth => (&[int], element),
            _ => (&[int, sort], sort), // SeqUpdate
        };
        self.count(rest.len() + 1, Some(rest.len() + 1))?;
        for (i, &expected) in rest.iter().enumerate() {
            self.exact(i + 1, expected)?;
        }
        self.build(0, result, None)
    }
}

const TOO_WIDE: &str = "the bit-vector would be wider than 2^32 - 1 bits";

fn widen(width: u32, by: u32) -> Result<u32, RankError> {
    width.checked_add(by).ok_or_else(|| RankError::Range(TOO_WIDE.into()))
}

pub(super) fn positive(index: u32, what: &str) -> Result<(), RankError> {
    if index == 0 { Err(RankError::Range(format!("{what} must be positive"))) } else { Ok(()) }
}

/// `(_ FloatingPoint eb sb)`, if there is such a sort.
pub(crate) fn float_sort(terms: &mut Terms, eb: u32, sb: u32) -> Result<SortId, RankError> {
    if crate::value::ieee::Format::new(eb, sb).is_none() {
        let message =
            format!("there is no floating-point format with {eb} exponent and {sb} significand bits");
        return Err(RankError::Range(message));
    }
    Ok(terms.sorts.mk(Sort::Float(eb, sb)))
}
