//! Concrete values of all sorts: what a model assigns, what an interpreter computes, what the evaluator returns.
//!
//! Equality is that of SMT-LIB `=`: floats compare as data (one NaN, two zeros), arrays compare as functions.
//! The order is total and only serves tables and canonical output. Values of datatypes may be lists of a
//! million elements, and arrays may hold datatypes that hold arrays, so nothing here recurses on the depth of a
//! value: not even dropping it. Equal parts are shared and may be shared many times over; comparison and
//! conversion therefore cost as much as the shared graph, not as its unfolding.

mod array;
mod data;
mod finite;
pub mod ieee;
mod map;
mod order;
mod sorts;
mod term;

pub use array::{ArrayValue, Entries};
pub use data::DataValue;
pub(crate) use finite::{Finite, combination, product};
pub(crate) use sorts::Catalog;
pub(crate) use term::named_element;

use crate::sort::{Sort, SortId, Sorts};
use crate::term::Terms;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use std::sync::Arc;

/// A value of some sort.
#[derive(Clone)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(IBig),
    /// A real number that is rational.
    Real(RBig),
    /// A bit-vector.
    BitVec {
        /// Its number of bits, positive.
        width: u32,
        /// Its bits as a number below `2^width`.
        value: UBig,
    },
    /// A floating-point number.
    Float(ieee::Float),
    /// A rounding mode.
    Rounding(ieee::Rounding),
    /// An array.
    Array(Arc<ArrayValue>),
    /// A value of a datatype.
    Data(DataValue),
    /// An element of an uninterpreted sort; different numbers are different elements.
    Abstract {
        /// The sort.
        sort: SortId,
        /// The element's number.
        index: u64,
    },
    /// A string literal.
    Str(Arc<str>),
}

impl Value {
    /// An integer.
    pub fn int(value: impl Into<IBig>) -> Value {
        Value::Int(value.into())
    }

    /// The bit-vector of the lowest `width` bits of `value`.
    pub fn bits(width: u32, value: impl Into<UBig>) -> Value {
        let mut value = value.into();
        value.clear_high_bits(width as usize);
        Value::BitVec { width, value }
    }

    /// A value of the datatype `sort`. The caller gives as many fields, of such sorts, as the constructor has.
    pub fn data(sort: SortId, constructor: u32, fields: impl Into<Arc<[Value]>>) -> Value {
        Value::Data(DataValue::new(sort, constructor, fields.into()))
    }

    /// The array of sort `sort` that holds `default` everywhere; none when `sort` is no array sort.
    pub fn const_array(terms: &mut Terms, sort: SortId, default: Value) -> Option<Value> {
        Catalog::with(terms, |catalog| catalog.const_array(sort, default).ok())
    }

    /// Some value of the sort, the same one every time: zero, `false`, the first well-founded constructor, and
    /// so on. None for sorts without concrete values here: sequences, regular expressions, sort parameters.
    pub fn default_of(terms: &mut Terms, sort: SortId) -> Option<Value> {
        Catalog::with(terms, |catalog| catalog.default_of(sort))
    }

    /// The Boolean, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer, if it is one.
    #[must_use]
    pub fn as_int(&self) -> Option<&IBig> {
        match self {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The sort. Bit-vector and float sorts are entered into the table when they are new.
    pub fn sort(&self, terms: &mut Terms) -> SortId {
        match self {
            Value::Bool(_) => SortId::BOOL,
            Value::Int(_) => SortId::INT,
            Value::Real(_) => SortId::REAL,
            Value::BitVec { width, .. } => terms.sorts.bit_vec(*width),
            Value::Float(float) => {
                let format = float.format();
                terms.sorts.mk(Sort::Float(format.eb, format.sb))
            }
            Value::Rounding(_) => SortId::ROUNDING_MODE,
            Value::Array(array) => array.sort(),
            Value::Data(data) => data.sort(),
            Value::Abstract { sort, .. } => *sort,
            Value::Str(_) => SortId::STRING,
        }
    }

    /// True when this is a value of `sort`.
    #[must_use]
    pub fn has_sort(&self, sorts: &Sorts, sort: SortId) -> bool {
        match self {
            Value::Bool(_) => sort == SortId::BOOL,
            Value::Int(_) => sort == SortId::INT,
            Value::Real(_) => sort == SortId::REAL,
            Value::BitVec { width, .. } => sorts.width(sort) == Some(*width),
            Value::Float(float) => {
                matches!(*sorts.get(sort), Sort::Float(eb, sb) if float.format() == ieee::Format { eb, sb })
            }
            Value::Rounding(_) => sort == SortId::ROUNDING_MODE,
            Value::Array(array) => array.sort() == sort,
            Value::Data(data) => data.sort() == sort,
            Value::Abstract { sort: own, .. } => *own == sort,
            Value::Str(_) => sort == SortId::STRING,
        }
    }

    /// True for values that hold values.
    fn is_container(&self) -> bool {
        matches!(self, Value::Array(_) | Value::Data(_))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<IBig> for Value {
    fn from(value: IBig) -> Value {
        Value::Int(value)
    }
}

impl From<RBig> for Value {
    fn from(value: RBig) -> Value {
        Value::Real(value)
    }
}

impl From<ieee::Float> for Value {
    fn from(value: ieee::Float) -> Value {
        Value::Float(value)
    }
}

impl From<ieee::Rounding> for Value {
    fn from(value: ieee::Rounding) -> Value {
        Value::Rounding(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_small() {
        assert!(size_of::<Value>() <= 56, "{}", size_of::<Value>());
    }
}
