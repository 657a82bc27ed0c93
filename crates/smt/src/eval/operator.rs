//! One application of an operator to values: what the theories' functions get and may answer.

use super::{arith, bitvec, core, float};
use crate::op::{Op, Theory};
use crate::sort::{Sort, SortId};
use crate::value::{Catalog, Value};

/// Why an operator has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// The arguments do not have the sorts they should.
    Sort,
    /// The result is too long.
    TooWide,
    /// The operator is not evaluated.
    Unsupported,
    /// There is no value of this sort.
    NoValue(SortId),
}

pub(super) type Answer = Result<Value, Fault>;

/// An application.
pub(super) struct Call<'a, 'b> {
    pub(super) op: Op,
    /// The operator's index, if it has one.
    pub(super) index: u32,
    /// The sort of the result.
    pub(super) sort: SortId,
    /// The same sort, looked up.
    pub(super) shape: &'a Sort,
    pub(super) catalog: &'b mut Catalog<'a>,
    /// Set when SMT-LIB leaves the result open.
    pub(super) open: bool,
}

impl Call<'_, '_> {
    /// Applies the operator. It may take arguments away that it needs.
    pub(super) fn apply(&mut self, args: &mut [Value]) -> Answer {
        if matches!(*self.shape, Sort::BitVec(width) if width as usize > super::MAX_BITS) {
            return Err(Fault::TooWide);
        }
        match self.op.info().theory {
            Theory::Core | Theory::Array | Theory::Data => core::apply(self, args),
            Theory::Arith => arith::apply(self, args),
            Theory::BitVec => bitvec::apply(self, args),
            Theory::Float => float::apply(self, args),
            _ => Err(Fault::Unsupported),
        }
    }

    /// The result where SMT-LIB leaves it open.
    pub(super) fn open(&mut self, value: impl Into<Value>) -> Answer {
        self.open = true;
        Ok(value.into())
    }

    /// The width of a result that is a bit-vector.
    pub(super) fn width(&self) -> u32 {
        match *self.shape {
            Sort::BitVec(width) => width,
            _ => 0,
        }
    }
}
