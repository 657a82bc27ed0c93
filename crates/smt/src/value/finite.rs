//! Finite sorts as numbered lists of values.
//!
//! Quantifiers over finite sorts are decided by trying all values, and arrays over finite sorts need to know
//! when their entries cover every index.

use super::ieee::{Float, Format, Rounding};
use super::{ArrayValue, Value};
use crate::sort::SortId;
use dashu_int::UBig;
use std::sync::Arc;

/// A sort with finitely many values, numbered from zero.
#[derive(Debug)]
pub(crate) struct Finite {
    count: u64,
    /// How deep sorts are nested; bounded, because [`Finite::nth`] recurses on it.
    depth: u32,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Bool,
    Rounding,
    BitVec(u32),
    Float(Format),
    /// The constructors with the sorts of their fields.
    Data(SortId, Vec<Vec<Arc<Finite>>>),
    /// Index and element sort.
    Array(SortId, Arc<Finite>, Arc<Finite>),
    /// An array sort with a single value: its elements have one.
    ConstArray(SortId, Option<Arc<Finite>>, Arc<Finite>),
}

/// Larger sorts count as infinite: their values can be neither tried nor held in memory.
const MAX_COUNT: u64 = 1 << 48;
const MAX_DEPTH: u32 = 64;

impl Finite {
    /// A sort of so many values whose parts are nested so deep; none when it is too large.
    fn new(count: u64, parts: u32, kind: Kind) -> Option<Finite> {
        (count <= MAX_COUNT && parts < MAX_DEPTH).then_some(Finite { count, depth: parts + 1, kind })
    }

    pub(super) fn bool() -> Option<Finite> {
        Finite::new(2, 0, Kind::Bool)
    }

    pub(super) fn rounding() -> Option<Finite> {
        Finite::new(Rounding::ALL.len() as u64, 0, Kind::Rounding)
    }

    pub(super) fn bit_vec(width: u32) -> Option<Finite> {
        Finite::new(1u64.checked_shl(width)?, 0, Kind::BitVec(width))
    }

    pub(super) fn float(eb: u32, sb: u32) -> Option<Finite> {
        let format = Format::new(eb, sb)?;
        Finite::new(positive_floats(format)?.checked_mul(2)?.checked_add(1)?, 0, Kind::Float(format))
    }

    pub(super) fn data(sort: SortId, constructors: Vec<Vec<Arc<Finite>>>) -> Option<Finite> {
        let mut count = 0u64;
        for fields in &constructors {
            count = count.checked_add(product(fields)?)?;
        }
        let depth = constructors.iter().flatten().map(|field| field.depth).max().unwrap_or(0);
        Finite::new(count, depth, Kind::Data(sort, constructors))
    }

    pub(super) fn array(sort: SortId, index: Option<Arc<Finite>>, element: Arc<Finite>) -> Option<Finite> {
        let depth = element.depth.max(index.as_ref().map_or(0, |index| index.depth));
        match index {
            index if element.count == 1 => Finite::new(1, depth, Kind::ConstArray(sort, index, element)),
            Some(index) => {
                let count = element.count.checked_pow(u32::try_from(index.count).ok()?)?;
                Finite::new(count, depth, Kind::Array(sort, index, element))
            }
            None => None,
        }
    }

    /// The number of values.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The value of that number; numbers beyond the last one give some value.
    pub(crate) fn nth(&self, number: u64) -> Value {
        match &self.kind {
            Kind::Bool => Value::Bool(number == 1),
            Kind::Rounding => Value::Rounding(Rounding::ALL[number as usize % Rounding::ALL.len()]),
            Kind::BitVec(width) => Value::BitVec { width: *width, value: UBig::from(number) },
            Kind::Float(format) => Value::Float(nth_float(*format, number)),
            Kind::Data(sort, constructors) => nth_data(*sort, constructors, number),
            Kind::Array(sort, index, element) => {
                let values = digits(number, (0..index.count).map(|_| &**element));
                Value::Array(Arc::new(ArrayValue::from_values(*sort, index.clone(), &values)))
            }
            Kind::ConstArray(sort, index, element) => {
                Value::Array(Arc::new(ArrayValue::new(*sort, index.clone(), element.nth(0))))
            }
        }
    }
}

/// The number of combinations of values of these sorts.
pub(crate) fn product(sorts: &[Arc<Finite>]) -> Option<u64> {
    sorts.iter().try_fold(1u64, |count, sort| count.checked_mul(sort.count))
}

/// The combination of that number, the last sort varying fastest.
pub(crate) fn combination(sorts: &[Arc<Finite>], number: u64) -> Vec<Value> {
    let mut values = digits(number, sorts.iter().rev().map(|sort| &**sort));
    values.reverse();
    values
}

/// The values whose numbers are the digits of a number, the lowest one first.
fn digits<'a>(mut number: u64, sorts: impl Iterator<Item = &'a Finite>) -> Vec<Value> {
    sorts
        .map(|sort| {
            let digit = number % sort.count;
            number /= sort.count;
            sort.nth(digit)
        })
        .collect()
}

fn nth_data(sort: SortId, constructors: &[Vec<Arc<Finite>>], mut number: u64) -> Value {
    for (position, fields) in (0..).zip(constructors) {
        let count = product(fields).unwrap_or(u64::MAX);
        if number < count {
            return Value::data(sort, position, combination(fields, number));
        }
        number -= count;
    }
    Value::data(sort, 0, [])
}

/// The number of floats from positive zero to positive infinity; their bits are the numbers below it.
fn positive_floats(format: Format) -> Option<u64> {
    let fields = 1u64.checked_shl(format.eb)?.checked_sub(1)?;
    fields.checked_mul(1u64.checked_shl(format.sb - 1)?)?.checked_add(1)
}

fn nth_float(format: Format, number: u64) -> Float {
    let positive = positive_floats(format).unwrap_or(u64::MAX);
    if number < positive {
        return Float::from_bits(format, &UBig::from(number));
    }
    match number - positive {
        number if number < positive => Float::from_bits(format, &UBig::from(number)).neg(),
        _ => Float::nan(format),
    }
}
