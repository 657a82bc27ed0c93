//! Bit-vectors of any width, as numbers below a power of two.
//!
//! Nothing is open here: SMT-LIB fixes division by zero. Signed division and remainder follow its definitions in
//! terms of the unsigned ones, which settle that case as well.

use super::operator::{Answer, Call, Fault};
use crate::op::Op;
use crate::value::Value;
use dashu_int::ops::BitTest;
use dashu_int::{IBig, Sign, UBig};

pub(super) fn apply(call: &mut Call<'_, '_>, args: &[Value]) -> Answer {
    match args {
        // There is no such sort; nothing below is prepared for it.
        [Value::BitVec { width: 0, .. }, ..] => Err(Fault::Sort),
        [Value::Int(a)] if call.op == Op::IntToBv => Ok(bits(call.width(), wrap(call.width(), a))),
        [Value::BitVec { width, value }] => unary(call, *width, value),
        [Value::BitVec { width, value: a }, Value::BitVec { width: other, value: b }]
            if width == other && call.op != Op::Concat =>
        {
            binary(call.op, *width, a, b)
        }
        [Value::BitVec { .. }, _, ..] => many(call.op, args),
        _ => Err(Fault::Sort),
    }
}

/// A bit-vector of a number that fits.
fn bits(width: u32, value: UBig) -> Value {
    Value::BitVec { width, value }
}

/// The bits of an integer in two's complement.
pub(super) fn wrap(width: u32, number: &IBig) -> UBig {
    let (sign, mut magnitude) = number.clone().into_parts();
    magnitude.clear_high_bits(width as usize);
    if sign == Sign::Negative { negated(width, &magnitude) } else { magnitude }
}

/// The integer that bits stand for in two's complement.
pub(super) fn signed(width: u32, value: &UBig) -> IBig {
    let number = IBig::from(value.clone());
    if is_negative(width, value) { number - IBig::from(power(width)) } else { number }
}

fn is_negative(width: u32, value: &UBig) -> bool {
    width > 0 && value.bit(width as usize - 1)
}

fn power(width: u32) -> UBig {
    UBig::ONE << width as usize
}

fn ones(width: u32) -> UBig {
    UBig::ones(width as usize)
}

fn negated(width: u32, value: &UBig) -> UBig {
    if value.is_zero() { UBig::ZERO } else { power(width) - value }
}

/// True when an integer is one of those that `width` bits can stand for with a sign.
fn fits(width: u32, number: &IBig) -> bool {
    let half = IBig::from(power(width - 1));
    -&half <= *number && *number < half
}

fn unary(call: &Call<'_, '_>, width: u32, value: &UBig) -> Answer {
    let result = call.width();
    Ok(match call.op {
        Op::BvNot => bits(width, ones(width) ^ value),
        Op::BvNeg => bits(width, negated(width, value)),
        Op::BvNegO => Value::Bool(*value == power(width - 1)),
        Op::BvRedAnd => bits(1, UBig::from(*value == ones(width))),
        Op::BvRedOr => bits(1, UBig::from(!value.is_zero())),
        Op::Extract => Value::bits(result, value >> call.index as usize),
        Op::SignExtend if is_negative(width, value) => {
            bits(result, (ones(result - width) << width as usize) | value)
        }
        Op::ZeroExtend | Op::SignExtend => bits(result, value.clone()),
        Op::RotateLeft => bits(width, rotated(width, value, call.index % width)),
        Op::RotateRight => bits(width, rotated(width, value, (width - call.index % width) % width)),
        Op::Repeat => bits(result, repeated(width, value, call.index)),
        Op::UbvToInt => Value::Int(value.clone().into()),
        Op::SbvToInt => Value::Int(signed(width, value)),
        _ => return Err(Fault::Sort),
    })
}

fn rotated(width: u32, value: &UBig, left: u32) -> UBig {
    let mut high = value << left as usize;
    high.clear_high_bits(width as usize);
    high | (value >> (width - left) as usize)
}

/// So many copies side by side, by doubling.
fn repeated(width: u32, value: &UBig, copies: u32) -> UBig {
    let (mut result, mut block, mut block_width) = (UBig::ZERO, value.clone(), width as usize);
    let mut rest = copies;
    while rest > 0 {
        if rest & 1 == 1 {
            result = (result << block_width) | &block;
        }
        rest >>= 1;
        if rest > 0 {
            block = (&block << block_width) | &block;
            block_width *= 2;
        }
    }
    result
}

fn binary(op: Op, width: u32, a: &UBig, b: &UBig) -> Answer {
    Ok(match op {
        Op::BvAnd => bits(width, a & b),
        Op::BvOr => bits(width, a | b),
        Op::BvXor => bits(width, a ^ b),
        Op::BvNand => bits(width, ones(width) ^ (a & b)),
        Op::BvNor => bits(width, ones(width) ^ (a | b)),
        Op::BvXnor => bits(width, ones(width) ^ a ^ b),
        Op::BvAdd => Value::bits(width, a + b),
        Op::BvSub => Value::bits(width, a + negated(width, b)),
        Op::BvMul => Value::bits(width, a * b),
        Op::BvUdiv => bits(width, udiv(width, a, b)),
        Op::BvUrem => bits(width, urem(a, b)),
        Op::BvSdiv => {
            let quotient = udiv(width, &magnitude(width, a), &magnitude(width, b));
            let differ = is_negative(width, a) != is_negative(width, b);
            bits(width, if differ { negated(width, &quotient) } else { quotient })
        }
        Op::BvSrem => {
            let rest = urem(&magnitude(width, a), &magnitude(width, b));
            bits(width, if is_negative(width, a) { negated(width, &rest) } else { rest })
        }
        Op::BvSmod => bits(width, smod(width, a, b)),
        Op::BvShl | Op::BvLshr | Op::BvAshr => shift(op, width, a, b),
        Op::BvComp => bits(1, UBig::from(a == b)),
        Op::BvUlt | Op::BvUsubO => Value::Bool(a < b),
        Op::BvUle => Value::Bool(a <= b),
        Op::BvUgt => Value::Bool(a > b),
        Op::BvUge => Value::Bool(a >= b),
        Op::BvUaddO => Value::Bool((a + b).bit_len() > width as usize),
        Op::BvUmulO => Value::Bool((a * b).bit_len() > width as usize),
        _ => return signed_predicate(op, width, &signed(width, a), &signed(width, b)),
    })
}

fn signed_predicate(op: Op, width: u32, a: &IBig, b: &IBig) -> Answer {
    Ok(Value::Bool(match op {
        Op::BvSlt => a < b,
        Op::BvSle => a <= b,
        Op::BvSgt => a > b,
        Op::BvSge => a >= b,
        Op::BvSaddO => !fits(width, &(a + b)),
        Op::BvSsubO => !fits(width, &(a - b)),
        Op::BvSmulO => !fits(width, &(a * b)),
        // Only the least number has a quotient that does not fit: the one by -1.
        Op::BvSdivO => *b == IBig::NEG_ONE && !fits(width, &-a),
        _ => return Err(Fault::Sort),
    }))
}

fn udiv(width: u32, a: &UBig, b: &UBig) -> UBig {
    if b.is_zero() { ones(width) } else { a / b }
}

fn urem(a: &UBig, b: &UBig) -> UBig {
    if b.is_zero() { a.clone() } else { a % b }
}

fn magnitude(width: u32, value: &UBig) -> UBig {
    if is_negative(width, value) { negated(width, value) } else { value.clone() }
}

/// The remainder with the sign of the divisor.
fn smod(width: u32, a: &UBig, b: &UBig) -> UBig {
    let rest = IBig::from(urem(&magnitude(width, a), &magnitude(width, b)));
    if rest.is_zero() {
        return UBig::ZERO;
    }
    let divisor = signed(width, b);
    let number = match (is_negative(width, a), is_negative(width, b)) {
        (false, false) => rest,
        (true, false) => divisor - rest,
        (false, true) => rest + divisor,
        (true, true) => -rest,
    };
    wrap(width, &number)
}

fn shift(op: Op, width: u32, a: &UBig, by: &UBig) -> Value {
    let by = usize::try_from(by).unwrap_or(usize::MAX).min(width as usize);
    match op {
        Op::BvShl => {
            let mut kept = a.clone();
            kept.clear_high_bits(width as usize - by);
            bits(width, kept << by)
        }
        Op::BvAshr if is_negative(width, a) => {
            bits(width, (a >> by) | (UBig::ones(by) << (width as usize - by)))
        }
        _ => bits(width, a >> by),
    }
}

/// Left-associative operators of more than two arguments, and `concat`.
fn many(op: Op, args: &[Value]) -> Answer {
    let [Value::BitVec { width, value }, rest @ ..] = args else { return Err(Fault::Sort) };
    let (mut width, mut value) = (*width, value.clone());
    for arg in rest {
        let Value::BitVec { width: other, value: next } = arg else { return Err(Fault::Sort) };
        if op == Op::Concat {
            value = (value << *other as usize) | next;
            width = width.checked_add(*other).ok_or(Fault::TooWide)?;
        } else if width == *other
            && let Value::BitVec { value: both, .. } = binary(op, width, &value, next)?
        {
            value = both;
        } else {
            return Err(Fault::Sort);
        }
    }
    Ok(bits(width, value))
}
