//! Dyadic numbers and the rounding of them: the only place that knows what rounding, underflow and overflow
//! mean. The module comment of the parent says how the other files rely on it.

use std::cmp::Ordering;

use dashu_int::ops::BitTest;
use dashu_int::{IBig, Sign, UBig};

use super::{Float, Format, Rounding, Value};

/// The number `±sig · 2^exp`. It is nonzero, except on its way into [`Dyadic::round`], which makes the zero
/// of that sign.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Dyadic {
    pub(super) sign: Sign,
    pub(super) sig: UBig,
    pub(super) exp: i64,
}

/// How many leading bits an inexact result needs so that its last bit may stand for all that was cut off.
pub(super) fn guarded_bits(format: Format) -> i64 {
    format.precision() as i64 + 2
}

/// A shift distance; negative ones mean no shift.
pub(super) fn distance(bits: i64) -> usize {
    usize::try_from(bits.max(0)).unwrap_or(usize::MAX)
}

impl Dyadic {
    /// Length of the significand.
    pub(super) fn bits(&self) -> i64 {
        self.sig.bit_len() as i64
    }

    /// The least exponent `t` such that the magnitude is below `2^t`.
    pub(super) fn top(&self) -> i64 {
        self.exp + self.bits()
    }

    /// Compares absolute values. Only numbers of the same order of magnitude are brought to one exponent.
    pub(super) fn cmp_magnitude(&self, other: &Dyadic) -> Ordering {
        self.top().cmp(&other.top()).then_with(|| match self.exp - other.exp {
            0 => self.sig.cmp(&other.sig),
            gap if gap > 0 => (&self.sig << distance(gap)).cmp(&other.sig),
            gap => self.sig.cmp(&(&other.sig << distance(-gap))),
        })
    }

    /// The exact product.
    pub(super) fn product(&self, other: &Dyadic) -> Dyadic {
        Dyadic { sign: self.sign * other.sign, sig: &self.sig * &other.sig, exp: self.exp + other.exp }
    }

    /// A number that rounds to `format` as the sum does; none if the sum is zero.
    ///
    /// If one operand is far below the last bit of the other, only its sign matters, and a single bit at a
    /// safe distance replaces it. Otherwise the exponents are close enough for the exact sum.
    pub(super) fn sum(&self, other: &Dyadic, format: Format) -> Option<Dyadic> {
        let (high, low) = if self.exp >= other.exp { (self, other) } else { (other, self) };
        let floor = high.exp - guarded_bits(format);
        let (low_sig, exp) = if low.top() <= floor { (UBig::ONE, floor) } else { (low.sig.clone(), low.exp) };
        let high_sig = &high.sig << distance(high.exp - exp);
        let (sign, sig) =
            (IBig::from_parts(high.sign, high_sig) + IBig::from_parts(low.sign, low_sig)).into_parts();
        (!sig.is_zero()).then_some(Dyadic { sign, sig, exp })
    }

    /// The magnitude rounded to an integer.
    pub(super) fn round_to_integer(&self, rm: Rounding) -> UBig {
        if self.exp >= 0 {
            &self.sig << distance(self.exp)
        } else {
            drop_bits(&self.sig, distance(-self.exp), self.sign, rm)
        }
    }

    /// The rounding function: the float of that format and mode for this number.
    pub(super) fn round(&self, format: Format, rm: Rounding) -> Float {
        let precision = format.precision() as i64;
        // Drop what exceeds the precision, or more if the last bit would still be below the least one.
        let excess = (self.bits() - precision).max(format.least_exponent() - self.exp);
        let mut exp = self.exp + excess;
        let mut sig = if excess > 0 {
            drop_bits(&self.sig, distance(excess), self.sign, rm)
        } else {
            &self.sig << distance(-excess)
        };
        if sig.bit_len() as i64 > precision {
            // The increment carried into a new bit; the significand is now a power of two.
            sig >>= 1;
            exp += 1;
        }
        if sig.is_zero() {
            Float::zero(format, self.sign)
        } else if exp + precision - 1 > format.max_exponent() {
            overflow(format, rm, self.sign)
        } else {
            Float::finite(format, Dyadic { sign: self.sign, sig, exp })
        }
    }
}

impl Value {
    /// The float for this value; only a number can lose anything.
    pub(super) fn round(&self, format: Format, rm: Rounding) -> Float {
        match self {
            Value::Finite(number) => number.round(format, rm),
            other => Float { format, value: other.clone() },
        }
    }
}

/// Divides a magnitude by `2^count`, rounding to an integer as the mode asks for a number of that sign.
fn drop_bits(sig: &UBig, count: usize, sign: Sign, rm: Rounding) -> UBig {
    let kept = sig >> count;
    let half = count > 0 && sig.bit(count - 1);
    let rest = sig.trailing_zeros().is_some_and(|zeros| zeros + 1 < count);
    let up = match rm {
        Rounding::Rne => half && (rest || kept.bit(0)),
        Rounding::Rna => half,
        Rounding::Rtp => sign == Sign::Positive && (half || rest),
        Rounding::Rtn => sign == Sign::Negative && (half || rest),
        Rounding::Rtz => false,
    };
    if up { kept + UBig::ONE } else { kept }
}

/// What stands for a number beyond the greatest one: infinity, unless the mode points back toward zero.
fn overflow(format: Format, rm: Rounding, sign: Sign) -> Float {
    let away = match rm {
        Rounding::Rne | Rounding::Rna => true,
        Rounding::Rtp => sign == Sign::Positive,
        Rounding::Rtn => sign == Sign::Negative,
        Rounding::Rtz => false,
    };
    if away { Float::infinity(format, sign) } else { Float::max_finite(format, sign) }
}
