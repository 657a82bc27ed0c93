//! The naive judge: it lists every number of a small format as a fraction, sorts them, and rounds by looking
//! for the neighbours of the exact result. It shares no code and no idea with the module under test.
//!
//! All numbers of the formats used here are exact in `f64`, too. So the processor says what the special
//! values give and which sign an exact zero has under rounding to nearest.

use std::cmp::Ordering;

use smt::value::ieee::Rounding;

/// A fraction with positive denominator. For the formats used here nothing overflows 128 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fraction(pub(crate) i128, pub(crate) i128);

impl Fraction {
    pub(crate) fn cmp(self, other: Fraction) -> Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }

    pub(crate) fn add(self, other: Fraction) -> Fraction {
        // One denominator divides the other wherever this is called.
        let common = self.1.max(other.1);
        Fraction(self.0 * (common / self.1) + other.0 * (common / other.1), common)
    }

    pub(crate) fn mul(self, other: Fraction) -> Fraction {
        Fraction(self.0 * other.0, self.1 * other.1)
    }

    pub(crate) fn div(self, other: Fraction) -> Fraction {
        let sign = other.0.signum();
        // Numbers of one table have the same denominator, which thus cancels.
        if self.1 == other.1 {
            return Fraction(self.0 * sign, other.0 * sign);
        }
        Fraction(self.0 * other.1 * sign, self.1 * other.0 * sign)
    }
}

/// Rounds a fraction to an integer.
pub(crate) fn integer(value: Fraction, rm: Rounding) -> i128 {
    let floor = value.0.div_euclid(value.1);
    let rest = value.0.rem_euclid(value.1);
    let up = match rm {
        Rounding::Rne => 2 * rest > value.1 || (2 * rest == value.1 && floor % 2 != 0),
        Rounding::Rna => 2 * rest > value.1 || (2 * rest == value.1 && floor >= 0),
        Rounding::Rtp => rest > 0,
        Rounding::Rtn => false,
        Rounding::Rtz => rest > 0 && floor < 0,
    };
    floor + i128::from(up)
}

/// All numbers of a format.
pub(crate) struct Table {
    pub(crate) eb: u32,
    pub(crate) sb: u32,
    /// Every finite number once, ascending, with its bits; the two ends stand for the infinities: they are
    /// the first numbers beyond the range.
    numbers: Vec<(Fraction, u64)>,
    denominator: i128,
}

impl Table {
    pub(crate) fn new(eb: u32, sb: u32) -> Table {
        let bias = (1i64 << (eb - 1)) - 1;
        let mut table =
            Table { eb, sb, numbers: Vec::new(), denominator: 1 << (bias - 1 + i64::from(sb) - 1) };
        let infinity = table.infinity(false);
        for bits in (0..=infinity).rev() {
            table.numbers.push((table.magnitude(bits, true), bits | table.sign_bit()));
        }
        for bits in 1..=infinity {
            table.numbers.push((table.magnitude(bits, false), bits));
        }
        table
    }

    /// How many bit patterns there are.
    pub(crate) fn patterns(&self) -> u64 {
        1 << (self.eb + self.sb)
    }

    fn sign_bit(&self) -> u64 {
        1 << (self.eb + self.sb - 1)
    }

    fn infinity(&self, negative: bool) -> u64 {
        (((1 << self.eb) - 1) << (self.sb - 1)) | if negative { self.sign_bit() } else { 0 }
    }

    pub(crate) fn nan(&self) -> u64 {
        self.infinity(false) | 1 << (self.sb - 2)
    }

    /// The number behind the bits without sign, as if infinity were one.
    fn magnitude(&self, bits: u64, negative: bool) -> Fraction {
        let (exponent, fraction) = (bits >> (self.sb - 1), bits & ((1 << (self.sb - 1)) - 1));
        let number = match exponent {
            0 => i128::from(fraction),
            _ => i128::from(fraction | 1 << (self.sb - 1)) << (exponent - 1),
        };
        Fraction(if negative { -number } else { number }, self.denominator)
    }

    /// The number behind the bits, if it is one.
    pub(crate) fn number(&self, bits: u64) -> Option<Fraction> {
        let magnitude = bits & (self.sign_bit() - 1);
        (magnitude < self.infinity(false)).then(|| self.magnitude(magnitude, bits & self.sign_bit() != 0))
    }

    /// The same value in the processor's format.
    pub(crate) fn native(&self, bits: u64) -> f64 {
        let negative = bits & self.sign_bit() != 0;
        let magnitude = match self.number(bits) {
            Some(Fraction(number, denominator)) => (number as f64 / denominator as f64).abs(),
            None if bits & (self.sign_bit() - 1) == self.infinity(false) => f64::INFINITY,
            None => f64::NAN,
        };
        if negative { -magnitude } else { magnitude }
    }

    /// The bits of NaN, an infinity or a zero.
    pub(crate) fn special(&self, value: f64) -> u64 {
        let negative = value.is_sign_negative();
        match value {
            _ if value.is_nan() => self.nan(),
            _ if value.is_infinite() => self.infinity(negative),
            _ => self.zero(negative),
        }
    }

    pub(crate) fn zero(&self, negative: bool) -> u64 {
        if negative { self.sign_bit() } else { 0 }
    }

    /// Rounds the number that `compare` compares with candidates; `negative_zero` is the sign of an exact
    /// zero.
    pub(crate) fn round(
        &self,
        rm: Rounding,
        negative_zero: bool,
        compare: impl Fn(Fraction) -> Ordering,
    ) -> u64 {
        let sign = compare(Fraction(0, 1));
        if sign == Ordering::Equal {
            return self.zero(negative_zero);
        }
        let last = self.numbers.len() - 1;
        let chosen = if compare(self.numbers[last].0) != Ordering::Less {
            self.numbers[last - usize::from(matches!(rm, Rounding::Rtz | Rounding::Rtn))]
        } else if compare(self.numbers[0].0) != Ordering::Greater {
            self.numbers[usize::from(matches!(rm, Rounding::Rtz | Rounding::Rtp))]
        } else {
            let next = self.numbers.partition_point(|&(number, _)| compare(number) != Ordering::Less);
            choose(rm, sign, self.numbers[next - 1], self.numbers[next], &compare)
        };
        // Only the sign of the exact result tells which zero it is.
        if chosen.1 & (self.sign_bit() - 1) == 0 { self.zero(sign == Ordering::Less) } else { chosen.1 }
    }
}

/// Decides between two neighbours; the number is at least the lower and less than the higher one.
fn choose(
    rm: Rounding,
    sign: Ordering,
    below: (Fraction, u64),
    above: (Fraction, u64),
    compare: impl Fn(Fraction) -> Ordering,
) -> (Fraction, u64) {
    if compare(below.0) == Ordering::Equal {
        return below;
    }
    let up = match rm {
        Rounding::Rtp => true,
        Rounding::Rtn => false,
        Rounding::Rtz => sign == Ordering::Less,
        Rounding::Rne | Rounding::Rna => {
            let Fraction(sum, denominator) = below.0.add(above.0);
            match compare(Fraction(sum, 2 * denominator)) {
                Ordering::Less => false,
                Ordering::Greater => true,
                Ordering::Equal if rm == Rounding::Rne => above.1 & 1 == 0,
                Ordering::Equal => sign == Ordering::Greater,
            }
        }
    };
    if up { above } else { below }
}
