//! Conversions between floats and everything else: bit patterns, integers, rationals, other formats.

use dashu_int::ops::{BitTest, PowerOfTwo};
use dashu_int::{IBig, Sign, UBig};
use dashu_ratio::RBig;

use super::arith::quotient;
use super::round::{Dyadic, distance};
use super::{Float, Format, Rounding, Value};

impl Float {
    /// The float with that interchange form, the sign bit being the highest. Bits beyond the width do not
    /// count.
    pub fn from_bits(format: Format, bits: &UBig) -> Float {
        let stored = format.precision() - 1;
        let sign = Sign::from(bits.bit(stored + format.exponent_bits()));
        Self::from_parts(format, sign, &(bits >> stored), bits)
    }

    /// The float `(fp sign exponent significand)` of SMT-LIB; the hidden bit is not given. Bits beyond the
    /// width of a field are ignored.
    pub fn from_parts(format: Format, sign: Sign, exponent: &UBig, significand: &UBig) -> Float {
        let stored = format.precision() - 1;
        let field = exponent & UBig::ones(format.exponent_bits());
        let mut sig = significand & UBig::ones(stored);
        let field = match i64::try_from(&field) {
            Ok(field) if field <= 2 * format.max_exponent() => field,
            _ if sig.is_zero() => return Float::infinity(format, sign),
            _ => return Float::nan(format),
        };
        if field > 0 {
            sig.set_bit(stored);
        } else if sig.is_zero() {
            return Float::zero(format, sign);
        }
        // The fields zero and one stand for the same exponent and differ in the hidden bit.
        Self::finite(format, Dyadic { sign, sig, exp: format.least_exponent() + (field - 1).max(0) })
    }

    /// The interchange form; NaN is the positive quiet one without payload.
    pub fn to_bits(&self) -> UBig {
        let (sign, exponent, significand) = self.to_parts();
        let stored = self.format.precision() - 1;
        let mut bits = (exponent << stored) | significand;
        if sign == Sign::Negative {
            bits.set_bit(stored + self.format.exponent_bits());
        }
        bits
    }

    /// Sign, exponent field and significand without the hidden bit; NaN as in [`Float::to_bits`].
    pub fn to_parts(&self) -> (Sign, UBig, UBig) {
        let stored = self.format.precision() - 1;
        let all_ones = UBig::ones(self.format.exponent_bits());
        match &self.value {
            Value::Nan => (Sign::Positive, all_ones, UBig::ONE << (stored - 1)),
            Value::Infinite(sign) => (*sign, all_ones, UBig::ZERO),
            Value::Zero(sign) => (*sign, UBig::ZERO, UBig::ZERO),
            Value::Finite(number) => {
                let normal = number.sig.bit(stored);
                let field = distance(number.exp - self.format.least_exponent()) + usize::from(normal);
                let mut sig = number.sig.clone();
                sig.clear_bit(stored);
                (number.sign, UBig::from(field), sig)
            }
        }
    }

    /// `to_fp` of a real number. Zero becomes positive zero.
    pub fn from_rational(format: Format, rm: Rounding, number: &RBig) -> Float {
        let (sign, numerator) = number.numerator().clone().into_parts();
        if numerator.is_zero() {
            return Float::zero(format, Sign::Positive);
        }
        let (sig, exp) =
            if number.is_int() { (numerator, 0) } else { quotient(&numerator, number.denominator(), format) };
        Dyadic { sign, sig, exp }.round(format, rm)
    }

    /// The float for an integer. Zero becomes positive zero.
    pub fn from_int(format: Format, rm: Rounding, number: &IBig) -> Float {
        let (sign, sig) = number.clone().into_parts();
        Dyadic { sign, sig, exp: 0 }.round(format, rm)
    }

    /// `to_fp` of a bit-vector in two's complement, given as the integer it stands for.
    pub fn from_signed_bv(format: Format, rm: Rounding, number: &IBig) -> Float {
        Self::from_int(format, rm, number)
    }

    /// `to_fp_unsigned` of a bit-vector.
    pub fn from_unsigned_bv(format: Format, rm: Rounding, number: &UBig) -> Float {
        Dyadic { sign: Sign::Positive, sig: number.clone(), exp: 0 }.round(format, rm)
    }

    /// `to_fp` of a float of another format.
    pub fn from_float(format: Format, rm: Rounding, number: &Float) -> Float {
        number.value.round(format, rm)
    }

    /// `fp.to_real`; none for infinities and NaN, where SMT-LIB leaves the value open.
    pub fn to_real(&self) -> Option<RBig> {
        match &self.value {
            Value::Nan | Value::Infinite(_) => None,
            Value::Zero(_) => Some(RBig::ZERO),
            Value::Finite(number) => {
                // Trailing zeros first, so that the fraction is as short as it can be from the start.
                let zeros = number.sig.trailing_zeros().unwrap_or(0);
                let (sig, exp) = (&number.sig >> zeros, number.exp + zeros as i64);
                let numerator = IBig::from_parts(number.sign, sig << distance(exp));
                Some(RBig::from_parts(numerator, UBig::ONE << distance(-exp)))
            }
        }
    }

    /// `fp.to_ubv`: the integer nearest in the sense of the mode. None where SMT-LIB leaves the value open:
    /// for NaN, infinities, and integers that do not fit.
    pub fn to_ubv(&self, rm: Rounding, width: u32) -> Option<UBig> {
        let (sign, magnitude) = self.to_integer(rm, width)?;
        let fits = magnitude.is_zero() || (sign == Sign::Positive && magnitude.bit_len() <= width as usize);
        fits.then_some(magnitude)
    }

    /// `fp.to_sbv`: the integer nearest in the sense of the mode. None where SMT-LIB leaves the value open:
    /// for NaN, infinities, and integers that do not fit.
    pub fn to_sbv(&self, rm: Rounding, width: u32) -> Option<IBig> {
        let (sign, magnitude) = self.to_integer(rm, width)?;
        let (bits, width) = (magnitude.bit_len(), width as usize);
        // There is one more negative number than positive ones: the power of two itself.
        let least = sign == Sign::Negative && magnitude.is_power_of_two() && bits == width;
        let fits = bits < width || magnitude.is_zero() || least;
        fits.then(|| IBig::from_parts(sign, magnitude))
    }

    /// Sign and magnitude of the rounded integer, unless it surely has more than `width` bits.
    fn to_integer(&self, rm: Rounding, width: u32) -> Option<(Sign, UBig)> {
        match &self.value {
            Value::Nan | Value::Infinite(_) => None,
            Value::Zero(_) => Some((Sign::Positive, UBig::ZERO)),
            Value::Finite(number) if number.top() > i64::from(width) => None,
            Value::Finite(number) => Some((number.sign, number.round_to_integer(rm))),
        }
    }
}
