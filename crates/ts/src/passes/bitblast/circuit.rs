//! The circuits of arithmetic: words are slices of literals, the lowest bit first.

use crate::aig::{Aig, Lit};

/// A word.
pub(super) type Word = Vec<Lit>;

/// All bits inverted.
pub(super) fn not(a: &[Lit]) -> Word {
    a.iter().map(|&bit| !bit).collect()
}

/// A word of so many zeros.
pub(super) fn zeros(width: usize) -> Word {
    vec![Lit::FALSE; width]
}

/// Bit by bit.
pub(super) fn zip(aig: &mut Aig, a: &[Lit], b: &[Lit], gate: fn(&mut Aig, Lit, Lit) -> Lit) -> Word {
    a.iter().zip(b).map(|(&a, &b)| gate(aig, a, b)).collect()
}

/// A choice of words.
pub(super) fn ite(aig: &mut Aig, condition: Lit, then: &[Lit], other: &[Lit]) -> Word {
    then.iter().zip(other).map(|(&then, &other)| aig.ite(condition, then, other)).collect()
}

/// The sum with a carry, and the carry out.
pub(super) fn add(aig: &mut Aig, a: &[Lit], b: &[Lit], carry: Lit) -> (Word, Lit) {
    let (mut sum, mut carry) = (Vec::with_capacity(a.len()), carry);
    for (&a, &b) in a.iter().zip(b) {
        let half = aig.xor(a, b);
        sum.push(aig.xor(half, carry));
        let (both, passed) = (aig.and(a, b), aig.and(half, carry));
        carry = aig.or(both, passed);
    }
    (sum, carry)
}

pub(super) fn sub(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    add(aig, a, &not(b), Lit::TRUE).0
}

pub(super) fn neg(aig: &mut Aig, a: &[Lit]) -> Word {
    sub(aig, &zeros(a.len()), a)
}

/// The lowest bits of the product, as many as the factors have.
pub(super) fn mul(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    let width = a.len();
    let mut sum = zeros(width);
    for (i, &bit) in b.iter().enumerate() {
        if bit == Lit::FALSE {
            continue;
        }
        let row: Word = a[..width - i].iter().map(|&a| aig.and(a, bit)).collect();
        let high = add(aig, &sum[i..], &row, Lit::FALSE).0;
        sum.truncate(i);
        sum.extend(high);
    }
    sum
}

/// Quotient and remainder without a sign, bit by bit. Division by zero comes out as SMT-LIB has it: all ones, and the dividend.
pub(super) fn divide(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> (Word, Word) {
    let width = a.len();
    let (mut quotient, mut rest) = (zeros(width), zeros(width));
    let mut divisor = b.to_vec();
    divisor.push(Lit::FALSE);
    for i in (0..width).rev() {
        // The rest is smaller than the divisor, or the divisor is zero and nothing is lost: so one more bit is enough.
        let mut shifted = vec![a[i]];
        shifted.extend_from_slice(&rest);
        let (less, fits) = add(aig, &shifted, &not(&divisor), Lit::TRUE);
        quotient[i] = fits;
        rest = ite(aig, fits, &less[..width], &shifted[..width]);
    }
    (quotient, rest)
}

/// The magnitude of a number with a sign.
fn magnitude(aig: &mut Aig, a: &[Lit]) -> Word {
    let negative = neg(aig, a);
    ite(aig, a[a.len() - 1], &negative, a)
}

pub(super) fn sdiv(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    let (x, y) = (magnitude(aig, a), magnitude(aig, b));
    let quotient = divide(aig, &x, &y).0;
    let negative = neg(aig, &quotient);
    let differ = aig.xor(a[a.len() - 1], b[b.len() - 1]);
    ite(aig, differ, &negative, &quotient)
}

pub(super) fn srem(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    let (x, y) = (magnitude(aig, a), magnitude(aig, b));
    let rest = divide(aig, &x, &y).1;
    let negative = neg(aig, &rest);
    ite(aig, a[a.len() - 1], &negative, &rest)
}

/// The remainder with the sign of the divisor.
pub(super) fn smod(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    let rest = srem(aig, a, b);
    let differ = aig.xor(a[a.len() - 1], b[b.len() - 1]);
    let some = aig.any(&rest);
    let moved = add(aig, &rest, b, Lit::FALSE).0;
    let condition = aig.and(differ, some);
    ite(aig, condition, &moved, &rest)
}

/// Which way a shift goes, and what comes in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    Left,
    Right(Lit),
}

/// A shift by a word: one stage for each of its lower bits; the higher ones shift everything out.
pub(super) fn shift(aig: &mut Aig, a: &[Lit], by: &[Lit], way: Shift) -> Word {
    let width = a.len();
    let stages = (usize::BITS - (width - 1).leading_zeros()) as usize;
    let fill = match way {
        Shift::Left => Lit::FALSE,
        Shift::Right(fill) => fill,
    };
    let mut word = a.to_vec();
    for (stage, &bit) in by.iter().enumerate().take(stages) {
        let distance = 1 << stage;
        let moved: Word = (0..width)
            .map(|i| match way {
                Shift::Left => i.checked_sub(distance).map_or(fill, |from| word[from]),
                Shift::Right(_) => word.get(i + distance).copied().unwrap_or(fill),
            })
            .collect();
        word = ite(aig, bit, &moved, &word);
    }
    let far = aig.any(by.get(stages..).unwrap_or_default());
    ite(aig, far, &vec![fill; width], &word)
}

pub(super) fn equal(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    let same: Word = a.iter().zip(b).map(|(&a, &b)| !aig.xor(a, b)).collect();
    aig.all(&same)
}

/// Less, without a sign.
pub(super) fn ult(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    !add(aig, a, &not(b), Lit::TRUE).1
}

/// Less, with a sign.
pub(super) fn slt(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    ult(aig, &flipped(a), &flipped(b))
}

/// The highest bit inverted, which turns the order with a sign into the one without.
fn flipped(a: &[Lit]) -> Word {
    let mut word = a.to_vec();
    if let Some(sign) = word.last_mut() {
        *sign = !*sign;
    }
    word
}

/// A word with its highest bit repeated, or with zeros, so that it has that width.
pub(super) fn extended(a: &[Lit], width: usize, signed: bool) -> Word {
    let mut word = a.to_vec();
    let fill = if signed { a[a.len() - 1] } else { Lit::FALSE };
    word.resize(width, fill);
    word
}

/// Whether the sum or difference of two numbers with signs does not fit: one more bit than needed tells.
pub(super) fn sum_overflows(aig: &mut Aig, a: &[Lit], b: &[Lit], difference: bool) -> Lit {
    let width = a.len() + 1;
    let (a, b) = (extended(a, width, true), extended(b, width, true));
    let sum = if difference { sub(aig, &a, &b) } else { add(aig, &a, &b, Lit::FALSE).0 };
    aig.xor(sum[width - 1], sum[width - 2])
}

/// Whether the product does not fit.
pub(super) fn product_overflows(aig: &mut Aig, a: &[Lit], b: &[Lit], signed: bool) -> Lit {
    let width = a.len();
    let (a, b) = (extended(a, 2 * width, signed), extended(b, 2 * width, signed));
    let product = mul(aig, &a, &b);
    if !signed {
        return aig.any(&product[width..]);
    }
    let sign = product[width - 1];
    let differ: Word = product[width..].iter().map(|&bit| aig.xor(bit, sign)).collect();
    aig.any(&differ)
}

/// Whether a word is the least number with a sign.
pub(super) fn is_least(aig: &mut Aig, a: &[Lit]) -> Lit {
    let mut word = not(a);
    if let Some(sign) = word.last_mut() {
        *sign = !*sign;
    }
    aig.all(&word)
}
