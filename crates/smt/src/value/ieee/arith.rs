//! The arithmetic operations of the theory. Each one settles the special values, computes the result on exact
//! numbers and leaves the rest to the rounding function.

use dashu_int::ops::{BitTest, DivRem, SquareRootRem};
use dashu_int::{Sign, UBig};

use super::round::{Dyadic, distance, guarded_bits};
use super::{Float, Format, Rounding, Value};

impl Float {
    /// `fp.add`.
    pub fn add(&self, rm: Rounding, other: &Float) -> Float {
        sum(self.format, rm, &self.value, &other.value)
    }

    /// `fp.sub`.
    pub fn sub(&self, rm: Rounding, other: &Float) -> Float {
        sum(self.format, rm, &self.value, &other.value.negated())
    }

    /// `fp.mul`.
    pub fn mul(&self, rm: Rounding, other: &Float) -> Float {
        product(&self.value, &other.value).round(self.format, rm)
    }

    /// `fp.fma`: `self · factor + addend` with a single rounding.
    pub fn fma(&self, rm: Rounding, factor: &Float, addend: &Float) -> Float {
        sum(self.format, rm, &product(&self.value, &factor.value), &addend.value)
    }

    /// `fp.div`.
    pub fn div(&self, rm: Rounding, other: &Float) -> Float {
        let format = self.format;
        let (Some(a), Some(b)) = (self.sign(), other.sign()) else { return Float::nan(format) };
        match (&self.value, &other.value) {
            (Value::Infinite(_), Value::Infinite(_)) | (Value::Zero(_), Value::Zero(_)) => Float::nan(format),
            (Value::Infinite(_), _) | (_, Value::Zero(_)) => Float::infinity(format, a * b),
            (Value::Zero(_), _) | (_, Value::Infinite(_)) => Float::zero(format, a * b),
            (Value::Finite(x), Value::Finite(y)) => {
                let (sig, exp) = quotient(&x.sig, &y.sig, format);
                Dyadic { sign: a * b, sig, exp: exp + x.exp - y.exp }.round(format, rm)
            }
            (Value::Nan, _) | (_, Value::Nan) => Float::nan(format),
        }
    }

    /// `fp.sqrt`. The root of negative zero is negative zero; other negative values have none.
    pub fn sqrt(&self, rm: Rounding) -> Float {
        match &self.value {
            Value::Zero(_) | Value::Infinite(Sign::Positive) => self.clone(),
            Value::Finite(x) if x.sign == Sign::Positive => {
                square_root(x, self.format).round(self.format, rm)
            }
            _ => Float::nan(self.format),
        }
    }

    /// `fp.rem`: `self - other · n` where `n` is the integer nearest to `self / other`, ties to even.
    ///
    /// The result is always a number of the format, so there is no rounding mode. A zero has the sign of
    /// `self`.
    pub fn rem(&self, other: &Float) -> Float {
        match (&self.value, &other.value) {
            (Value::Nan | Value::Infinite(_), _) | (_, Value::Nan | Value::Zero(_)) => {
                Float::nan(self.format)
            }
            (Value::Zero(_), _) | (_, Value::Infinite(_)) => self.clone(),
            (Value::Finite(x), Value::Finite(y)) => match remainder(x, y) {
                Some(rest) => rest.round(self.format, Rounding::Rne),
                None => Float::zero(self.format, x.sign),
            },
        }
    }

    /// `fp.roundToIntegral`. A zero result has the sign of the operand.
    ///
    /// With very few exponent bits the integer may lie beyond the greatest number; it then overflows as the
    /// mode says.
    pub fn round_to_integral(&self, rm: Rounding) -> Float {
        match &self.value {
            Value::Finite(x) if x.exp < 0 => {
                let number = Dyadic { sign: x.sign, sig: x.round_to_integer(rm), exp: 0 };
                number.round(self.format, rm)
            }
            _ => self.clone(),
        }
    }
}

/// The rounded sum of two values, which need not be of any format.
fn sum(format: Format, rm: Rounding, a: &Value, b: &Value) -> Float {
    match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => Float::nan(format),
        (Value::Infinite(x), Value::Infinite(y)) if x != y => Float::nan(format),
        (Value::Infinite(x), _) | (_, Value::Infinite(x)) => Float::infinity(format, *x),
        (Value::Zero(x), Value::Zero(y)) if x == y => Float::zero(format, *x),
        (Value::Zero(_), Value::Zero(_)) => cancelled(format, rm),
        (Value::Zero(_), Value::Finite(x)) | (Value::Finite(x), Value::Zero(_)) => x.round(format, rm),
        (Value::Finite(x), Value::Finite(y)) => match x.sum(y, format) {
            Some(number) => number.round(format, rm),
            None => cancelled(format, rm),
        },
    }
}

/// The zero that results if two summands of different sign cancel out.
fn cancelled(format: Format, rm: Rounding) -> Float {
    Float::zero(format, if rm == Rounding::Rtn { Sign::Negative } else { Sign::Positive })
}

/// The exact product of two values.
fn product(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => Value::Nan,
        (Value::Infinite(_), Value::Zero(_)) | (Value::Zero(_), Value::Infinite(_)) => Value::Nan,
        (Value::Infinite(x), Value::Infinite(y)) => Value::Infinite(*x * *y),
        (Value::Zero(x), Value::Zero(y)) => Value::Zero(*x * *y),
        (Value::Infinite(x), Value::Finite(y)) | (Value::Finite(y), Value::Infinite(x)) => {
            Value::Infinite(*x * y.sign)
        }
        (Value::Zero(x), Value::Finite(y)) | (Value::Finite(y), Value::Zero(x)) => Value::Zero(*x * y.sign),
        (Value::Finite(x), Value::Finite(y)) => Value::Finite(x.product(y)),
    }
}

/// Significand and exponent of a number that rounds to `format` as a quotient of positive integers does.
pub(super) fn quotient(numerator: &UBig, denominator: &UBig, format: Format) -> (UBig, i64) {
    let missing = guarded_bits(format) + denominator.bit_len() as i64 - numerator.bit_len() as i64;
    let shift = missing.max(0);
    let (quotient, rest) = (numerator << distance(shift)).div_rem(denominator);
    (mark_inexact(quotient, &rest), -shift)
}

/// A number that rounds to `format` as the square root of a positive one does.
fn square_root(x: &Dyadic, format: Format) -> Dyadic {
    let missing = (2 * guarded_bits(format) - x.bits()).max(0);
    // The exponent must be even to be halved.
    let shift = missing + (x.exp - missing).rem_euclid(2);
    let (root, rest) = (&x.sig << distance(shift)).sqrt_rem();
    Dyadic { sign: Sign::Positive, sig: mark_inexact(root, &rest), exp: (x.exp - shift) / 2 }
}

/// Sets the last bit if there is a rest. The number must have the guarded bits.
fn mark_inexact(mut sig: UBig, rest: &UBig) -> UBig {
    if !rest.is_zero() {
        sig.set_bit(0);
    }
    sig
}

/// The exact IEEE remainder; none if it is zero.
fn remainder(x: &Dyadic, y: &Dyadic) -> Option<Dyadic> {
    if x.top() < y.top() - 1 {
        // Less than half of y: the quotient rounds to zero. This also keeps the shift below short.
        return Some(x.clone());
    }
    // Bring both to the lower exponent, but x, which may be astronomical, only modulo 2y: that tells the rest
    // modulo y and the parity of the quotient, and no more is needed.
    let exp = x.exp.min(y.exp);
    let divisor = &y.sig << distance(y.exp - exp);
    let modulus = &divisor << 1;
    let mut rest = &x.sig % &modulus;
    if x.exp > exp {
        rest = rest * power_of_two(x.exp - exp, &modulus) % &modulus;
    }
    let odd = rest >= divisor;
    if odd {
        rest -= &divisor;
    }
    let twice = &rest << 1;
    let (sign, sig) =
        if twice > divisor || (twice == divisor && odd) { (-x.sign, divisor - rest) } else { (x.sign, rest) };
    (!sig.is_zero()).then_some(Dyadic { sign, sig, exp })
}

/// `2^exponent mod modulus` by repeated squaring, for an exponent too large to write the power down.
fn power_of_two(exponent: i64, modulus: &UBig) -> UBig {
    let mut power = UBig::ONE % modulus;
    for place in (0..i64::BITS - exponent.leading_zeros()).rev() {
        power = (&power * &power) % modulus;
        if exponent >> place & 1 == 1 {
            power = (power << 1) % modulus;
        }
    }
    power
}
