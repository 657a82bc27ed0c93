//! Floating-point operators: the bridge between terms and [`crate::value::ieee`].
//!
//! Open in SMT-LIB are the minimum and maximum of zeros with different signs, conversions of what does not fit to
//! bit-vectors and reals (here 0), and the bits of NaN.

use super::MAX_BITS;
use super::bitvec::{signed, wrap};
use super::operator::{Answer, Call, Fault};
use crate::op::Op;
use crate::sort::Sort;
use crate::value::Value;
use crate::value::ieee::{Float, Format, Rounding, Sign};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

pub(super) fn apply(call: &mut Call<'_, '_>, args: &[Value]) -> Answer {
    let mode = match call.op {
        Op::Rne => Rounding::Rne,
        Op::Rna => Rounding::Rna,
        Op::Rtp => Rounding::Rtp,
        Op::Rtn => Rounding::Rtn,
        Op::Rtz => Rounding::Rtz,
        Op::FpToUbv | Op::FpToSbv | Op::FpToReal | Op::FpToBits => return leave(call, args),
        _ => {
            return match *call.shape {
                Sort::Bool => predicate(call.op, args),
                Sort::Float(eb, sb) => enter(call, Format::new(eb, sb).ok_or(Fault::TooWide)?, args),
                _ => Err(Fault::Sort),
            };
        }
    };
    Ok(Value::Rounding(mode))
}

fn predicate(op: Op, args: &[Value]) -> Answer {
    if let [Value::Float(a)] = args {
        return Ok(Value::Bool(match op {
            Op::FpIsNormal => a.is_normal(),
            Op::FpIsSubnormal => a.is_subnormal(),
            Op::FpIsZero => a.is_zero(),
            Op::FpIsInfinite => a.is_infinite(),
            Op::FpIsNaN => a.is_nan(),
            Op::FpIsNegative => a.is_negative(),
            Op::FpIsPositive => a.is_positive(),
            _ => return Err(Fault::Sort),
        }));
    }
    let mut all = true;
    for pair in args.windows(2) {
        let [Value::Float(a), Value::Float(b)] = pair else { return Err(Fault::Sort) };
        all &= match op {
            Op::FpLeq => a.leq(b),
            Op::FpLt => a.lt(b),
            Op::FpGeq => a.geq(b),
            Op::FpGt => a.gt(b),
            Op::FpEq => a.ieee_eq(b),
            _ => return Err(Fault::Sort),
        };
    }
    Ok(Value::Bool(all))
}

/// Operators with a result of a floating-point sort.
fn enter(call: &mut Call<'_, '_>, format: Format, args: &[Value]) -> Answer {
    use Value::{BitVec as B, Float as F};
    Ok(F(match (call.op, args) {
        (Op::NaN, []) => Float::nan(format),
        (Op::PlusInf, []) => Float::infinity(format, Sign::Positive),
        (Op::MinusInf, []) => Float::infinity(format, Sign::Negative),
        (Op::PlusZero, []) => Float::zero(format, Sign::Positive),
        (Op::MinusZero, []) => Float::zero(format, Sign::Negative),
        (Op::Fp, [B { value: sign, .. }, B { value: exponent, .. }, B { value: significand, .. }]) => {
            Float::from_parts(format, Sign::from(sign.is_one()), exponent, significand)
        }
        (Op::ToFpBits, [B { value, .. }]) => Float::from_bits(format, value),
        (Op::FpAbs, [F(a)]) => a.abs(),
        (Op::FpNeg, [F(a)]) => a.neg(),
        (Op::FpRem, [F(a), F(b)]) => a.rem(b),
        (Op::FpMin | Op::FpMax, [F(a), F(b)]) => {
            call.open |= a.is_zero() && b.is_zero() && a.sign() != b.sign();
            if call.op == Op::FpMin { a.min(b) } else { a.max(b) }
        }
        (op, [Value::Rounding(mode), rest @ ..]) => rounded(op, format, *mode, rest)?,
        _ => return Err(Fault::Sort),
    }))
}

fn rounded(op: Op, format: Format, rm: Rounding, args: &[Value]) -> Result<Float, Fault> {
    use Value::{BitVec as B, Float as F};
    Ok(match (op, args) {
        (Op::FpAdd, [F(a), F(b)]) => a.add(rm, b),
        (Op::FpSub, [F(a), F(b)]) => a.sub(rm, b),
        (Op::FpMul, [F(a), F(b)]) => a.mul(rm, b),
        (Op::FpDiv, [F(a), F(b)]) => a.div(rm, b),
        (Op::FpFma, [F(a), F(b), F(c)]) => a.fma(rm, b, c),
        (Op::FpSqrt, [F(a)]) => a.sqrt(rm),
        (Op::FpRoundToIntegral, [F(a)]) => a.round_to_integral(rm),
        (Op::ToFp, [F(a)]) => Float::from_float(format, rm, a),
        (Op::ToFp, [Value::Real(a)]) => Float::from_rational(format, rm, a),
        (Op::ToFp, [Value::Int(a)]) => Float::from_int(format, rm, a),
        (Op::ToFp, [B { width, value }]) => Float::from_signed_bv(format, rm, &signed(*width, value)),
        (Op::ToFpUnsigned, [B { value, .. }]) => Float::from_unsigned_bv(format, rm, value),
        _ => return Err(Fault::Sort),
    })
}

/// Operators from floats to other sorts.
fn leave(call: &mut Call<'_, '_>, args: &[Value]) -> Answer {
    let width = call.width();
    let bits = |value: UBig| Value::BitVec { width, value };
    match (call.op, args) {
        (Op::FpToUbv, [Value::Rounding(mode), Value::Float(a)]) => match a.to_ubv(*mode, width) {
            Some(number) => Ok(bits(number)),
            None => call.open(bits(UBig::ZERO)),
        },
        (Op::FpToSbv, [Value::Rounding(mode), Value::Float(a)]) => match a.to_sbv(*mode, width) {
            Some(number) => Ok(bits(wrap(width, &number))),
            None => call.open(bits(UBig::ZERO)),
        },
        (Op::FpToReal, [Value::Float(a)]) => {
            if real_length(a) > IBig::from(MAX_BITS) {
                return Err(Fault::TooWide);
            }
            match a.to_real() {
                Some(number) => Ok(Value::Real(number)),
                None => call.open(RBig::ZERO),
            }
        }
        (Op::FpToBits, [Value::Float(a)]) => {
            call.open |= a.is_nan();
            Ok(bits(a.to_bits()))
        }
        _ => Err(Fault::Sort),
    }
}

/// A bound for the number of bits in the fraction that a float stands for.
fn real_length(float: &Float) -> IBig {
    if float.is_nan() || float.is_infinite() || float.is_zero() {
        return IBig::ZERO;
    }
    let format = float.format();
    let bias = (IBig::ONE << (format.eb - 1) as usize) - IBig::ONE;
    let distance = IBig::from(float.to_parts().1) - bias;
    let magnitude = if distance < IBig::ZERO { -distance } else { distance };
    magnitude + IBig::from(format.sb)
}
