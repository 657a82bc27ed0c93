//! Exact IEEE 754 arithmetic for every SMT-LIB sort `(_ FloatingPoint eb sb)`.
//!
//! # Why our own
//!
//! An SMT-LIB script chooses its formats at run time: `(_ FloatingPoint 3 5)` is as legal as `Float64`.
//! Hardware knows a handful of formats, and software libraries fix the format in a type parameter or have an
//! unbounded exponent, so that subnormal numbers, overflow and the five rounding modes would have to be built
//! around them anyway. An evaluator that judges the models of solvers must also be beyond doubt. Therefore
//! this module takes the shortest path from the standard to code: big integers of `dashu`, exact results,
//! one rounding.
//!
//! # Representation
//!
//! A [`Float`] is a [`Format`] and one of four kinds of value: the one NaN of SMT-LIB, a signed infinity, a
//! signed zero, or a nonzero dyadic number `±sig · 2^exp` with an integer significand. The dyadic number
//! inside a `Float` is canonical: `sig` has exactly `sb` bits (a normal number), or fewer, and then `exp` is
//! the least exponent of the format (a subnormal number). So the derived equality and hash are those of
//! SMT-LIB `=`: NaN equals itself, and the two zeros differ. IEEE equality is [`Float::ieee_eq`].
//!
//! # One rounding function
//!
//! Every operation first computes on values, without any format: the sum, product or quotient as a dyadic
//! number, which need not be canonical. Then `Dyadic::round` turns that number into a `Float`, and nothing
//! else decides about rounding, underflow or overflow. Fused multiply-add needs no code of its own beyond
//! "product, then sum, then round", and a conversion between formats is the rounding alone.
//!
//! Sums, products and remainders are dyadic. Quotients and square roots are not, and the sum of two numbers
//! with far apart exponents is too long to write down. There the operation computes at least `sb + 2` leading
//! bits and, if anything nonzero was cut off, sets the last bit. All the points where rounding changes its
//! mind (the numbers of the format and the midpoints between them) are even in that last place, so the
//! stand-in lies strictly on the same side of each of them as the true result and rounds alike.
//!
//! # Limits
//!
//! No operation builds an integer much longer than its operands and its result, however large the exponents;
//! only [`Float::to_real`] must write the power of two down. [`Format::new`] therefore bounds `eb` and `sb`
//! far above any format in use, and thereby every exponent stays far inside `i64`.
//!
//! Well-sorted terms never mix formats within one operation. If it happens all the same, the values are taken
//! as they are and the result has the format of the receiver.

mod arith;
mod convert;
mod round;

use std::cmp::Ordering;

pub use dashu_int::Sign;
use dashu_int::UBig;

use round::Dyadic;

/// A floating-point format: the indices of the sort `(_ FloatingPoint eb sb)`.
///
/// Build it with [`Format::new`], which checks the limits. A literal beyond the limits is harmless but
/// pointless: it computes like the nearest format within them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Format {
    /// Bits of the exponent field.
    pub eb: u32,
    /// Bits of the significand, the hidden one included.
    pub sb: u32,
}

impl Format {
    /// Least number of exponent bits, and of significand bits, in SMT-LIB.
    pub const MIN_BITS: u32 = 2;
    /// Greatest number of exponent bits; the greatest number then needs 64 MiB as an integer.
    pub const MAX_EB: u32 = 30;
    /// Greatest number of significand bits.
    pub const MAX_SB: u32 = 1 << 24;

    /// The sort `Float16`.
    pub const F16: Format = Format { eb: 5, sb: 11 };
    /// The sort `Float32`.
    pub const F32: Format = Format { eb: 8, sb: 24 };
    /// The sort `Float64`.
    pub const F64: Format = Format { eb: 11, sb: 53 };
    /// The sort `Float128`.
    pub const F128: Format = Format { eb: 15, sb: 113 };

    /// The format with these indices, unless one of them is out of bounds.
    pub fn new(eb: u32, sb: u32) -> Option<Format> {
        let fits =
            (Self::MIN_BITS..=Self::MAX_EB).contains(&eb) && (Self::MIN_BITS..=Self::MAX_SB).contains(&sb);
        fits.then_some(Format { eb, sb })
    }

    /// Number of bits of the interchange form: sign, exponent field and significand without the hidden bit.
    pub fn width(self) -> u32 {
        self.exponent_bits() as u32 + self.precision() as u32
    }

    /// Bits of the exponent field, within the limits.
    fn exponent_bits(self) -> usize {
        self.eb.clamp(Self::MIN_BITS, Self::MAX_EB) as usize
    }

    /// Bits of the significand with the hidden one, within the limits.
    fn precision(self) -> usize {
        self.sb.clamp(Self::MIN_BITS, Self::MAX_SB) as usize
    }

    /// Exponent of the leading bit of the greatest numbers; also the bias of the exponent field.
    fn max_exponent(self) -> i64 {
        (1 << (self.exponent_bits() - 1)) - 1
    }

    /// Exponent of the last bit of the least numbers: every number is a multiple of two to this power.
    fn least_exponent(self) -> i64 {
        1 - self.max_exponent() - (self.precision() as i64 - 1)
    }
}

/// The five rounding modes of SMT-LIB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rounding {
    /// `RNE`: to nearest, ties to even.
    Rne,
    /// `RNA`: to nearest, ties away from zero.
    Rna,
    /// `RTP`: toward positive infinity.
    Rtp,
    /// `RTN`: toward negative infinity.
    Rtn,
    /// `RTZ`: toward zero.
    Rtz,
}

impl Rounding {
    /// All modes, in the order of the declaration.
    pub const ALL: [Rounding; 5] =
        [Rounding::Rne, Rounding::Rna, Rounding::Rtp, Rounding::Rtn, Rounding::Rtz];
}

/// A value of a floating-point sort. `==` is SMT-LIB `=`, not IEEE equality.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Float {
    format: Format,
    value: Value,
}

/// What a float denotes. Within [`Float`] the dyadic number is canonical for the format; intermediate results
/// use the same type without that promise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Value {
    Nan,
    Infinite(Sign),
    Zero(Sign),
    Finite(Dyadic),
}

impl Float {
    /// The only NaN of the format.
    pub fn nan(format: Format) -> Float {
        Float { format, value: Value::Nan }
    }

    /// The infinity of that sign.
    pub fn infinity(format: Format, sign: Sign) -> Float {
        Float { format, value: Value::Infinite(sign) }
    }

    /// The zero of that sign.
    pub fn zero(format: Format, sign: Sign) -> Float {
        Float { format, value: Value::Zero(sign) }
    }

    /// The finite number of that sign with the greatest magnitude.
    pub fn max_finite(format: Format, sign: Sign) -> Float {
        let exp = format.max_exponent() - (format.precision() as i64 - 1);
        Self::finite(format, Dyadic { sign, sig: UBig::ones(format.precision()), exp })
    }

    /// The normal number of that sign with the least magnitude.
    pub fn min_normal(format: Format, sign: Sign) -> Float {
        let sig = UBig::ONE << (format.precision() - 1);
        Self::finite(format, Dyadic { sign, sig, exp: format.least_exponent() })
    }

    /// The nonzero number of that sign with the least magnitude.
    pub fn min_subnormal(format: Format, sign: Sign) -> Float {
        Self::finite(format, Dyadic { sign, sig: UBig::ONE, exp: format.least_exponent() })
    }

    /// Wraps a number that is canonical for the format.
    fn finite(format: Format, number: Dyadic) -> Float {
        Float { format, value: Value::Finite(number) }
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The sign; NaN has none.
    pub fn sign(&self) -> Option<Sign> {
        match &self.value {
            Value::Nan => None,
            Value::Infinite(sign) | Value::Zero(sign) => Some(*sign),
            Value::Finite(number) => Some(number.sign),
        }
    }

    /// `fp.isNormal`.
    pub fn is_normal(&self) -> bool {
        matches!(&self.value, Value::Finite(number) if number.bits() == self.format.precision() as i64)
    }

    /// `fp.isSubnormal`.
    pub fn is_subnormal(&self) -> bool {
        matches!(&self.value, Value::Finite(number) if number.bits() < self.format.precision() as i64)
    }

    /// `fp.isZero`.
    pub fn is_zero(&self) -> bool {
        matches!(self.value, Value::Zero(_))
    }

    /// `fp.isInfinite`.
    pub fn is_infinite(&self) -> bool {
        matches!(self.value, Value::Infinite(_))
    }

    /// `fp.isNaN`.
    pub fn is_nan(&self) -> bool {
        matches!(self.value, Value::Nan)
    }

    /// `fp.isNegative`: true for negative zero, false for NaN.
    pub fn is_negative(&self) -> bool {
        self.sign() == Some(Sign::Negative)
    }

    /// `fp.isPositive`: true for positive zero, false for NaN.
    pub fn is_positive(&self) -> bool {
        self.sign() == Some(Sign::Positive)
    }

    /// `fp.abs`.
    pub fn abs(&self) -> Float {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// `fp.neg`.
    pub fn neg(&self) -> Float {
        Float { format: self.format, value: self.value.negated() }
    }

    /// The order of IEEE 754: the zeros are equal, and NaN is not comparable, not even with itself.
    pub fn compare(&self, other: &Float) -> Option<Ordering> {
        let (rank, other_rank) = (self.value.rank()?, other.value.rank()?);
        Some(match (&self.value, &other.value) {
            (Value::Finite(a), Value::Finite(b)) if a.sign == b.sign => match a.sign {
                Sign::Positive => a.cmp_magnitude(b),
                Sign::Negative => b.cmp_magnitude(a),
            },
            _ => rank.cmp(&other_rank),
        })
    }

    /// `fp.leq`.
    pub fn leq(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_le)
    }

    /// `fp.lt`.
    pub fn lt(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_lt)
    }

    /// `fp.geq`.
    pub fn geq(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_ge)
    }

    /// `fp.gt`.
    pub fn gt(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_gt)
    }

    /// `fp.eq`. Not called `eq`, which would hide the `eq` behind `==`.
    pub fn ieee_eq(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_eq)
    }

    /// `fp.min`. A NaN gives way to the other operand.
    ///
    /// SMT-LIB leaves open which zero is the minimum of zeros with different signs; here it is the negative
    /// one, as for `minimumNumber` of IEEE 754-2019.
    pub fn min(&self, other: &Float) -> Float {
        self.pick(other, Ordering::Less, Sign::Negative)
    }

    /// `fp.max`. A NaN gives way to the other operand.
    ///
    /// SMT-LIB leaves open which zero is the maximum of zeros with different signs; here it is the positive
    /// one, as for `maximumNumber` of IEEE 754-2019.
    pub fn max(&self, other: &Float) -> Float {
        self.pick(other, Ordering::Greater, Sign::Positive)
    }

    /// The operand that is `wanted` compared with the other one, and among equals the one of that sign.
    fn pick(&self, other: &Float, wanted: Ordering, sign: Sign) -> Float {
        let first = match self.compare(other) {
            None => other.is_nan(),
            Some(Ordering::Equal) => self.sign() == Some(sign),
            Some(order) => order == wanted,
        };
        if first { self.clone() } else { other.clone() }
    }
}

impl Value {
    /// The value with the other sign.
    fn negated(&self) -> Value {
        match self {
            Value::Nan => Value::Nan,
            Value::Infinite(sign) => Value::Infinite(-*sign),
            Value::Zero(sign) => Value::Zero(-*sign),
            Value::Finite(number) => Value::Finite(Dyadic { sign: -number.sign, ..number.clone() }),
        }
    }

    /// Position among infinities, zeros and the numbers between them, which decides most comparisons.
    fn rank(&self) -> Option<i8> {
        match self {
            Value::Nan => None,
            Value::Infinite(Sign::Negative) => Some(-2),
            Value::Finite(Dyadic { sign: Sign::Negative, .. }) => Some(-1),
            Value::Zero(_) => Some(0),
            Value::Finite(Dyadic { sign: Sign::Positive, .. }) => Some(1),
            Value::Infinite(Sign::Positive) => Some(2),
        }
    }
}
