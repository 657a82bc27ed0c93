//! Integers and reals.
//!
//! `div` and `mod` are those of SMT-LIB: the remainder is never negative. Division by zero is open; it gives 0,
//! and `mod` gives the dividend, so that the law `x = y * (div x y) + (mod x y)` holds everywhere.

use super::MAX_BITS;
use super::operator::{Answer, Call, Fault};
use crate::op::Op;
use crate::value::Value;
use dashu_int::IBig;
use dashu_int::ops::{Abs, BitTest, DivEuclid, RemEuclid};
use dashu_ratio::RBig;

pub(super) fn apply(call: &mut Call<'_, '_>, args: &[Value]) -> Answer {
    match (call.op, args) {
        (Op::Le | Op::Lt | Op::Ge | Op::Gt, _) => compare(call.op, args),
        (Op::ToReal, [Value::Int(a)]) => Ok(Value::Real(a.clone().into())),
        (Op::ToInt, [Value::Real(a)]) => Ok(Value::Int(a.floor())),
        (Op::IsInt, [Value::Real(a)]) => Ok(Value::Bool(a.is_int())),
        (Op::Divisible, [Value::Int(a)]) if call.index > 0 => {
            Ok(Value::Bool(a.rem_euclid(IBig::from(call.index)).is_zero()))
        }
        (Op::Neg, [Value::Int(a)]) => Ok(Value::Int(-a)),
        (Op::Neg, [Value::Real(a)]) => Ok(Value::Real(-a)),
        (Op::Abs, [Value::Int(a)]) => Ok(Value::Int(a.abs())),
        (Op::Abs, [Value::Real(a)]) => Ok(Value::Real(a.clone().abs())),
        (_, [Value::Int(first), rest @ ..]) => ints(call, first.clone(), rest),
        (_, [Value::Real(first), rest @ ..]) => reals(call, first.clone(), rest),
        _ => Err(Fault::Sort),
    }
}

fn compare(op: Op, args: &[Value]) -> Answer {
    let mut all = true;
    for pair in args.windows(2) {
        let order = match pair {
            [Value::Int(a), Value::Int(b)] => a.cmp(b),
            [Value::Real(a), Value::Real(b)] => a.cmp(b),
            _ => return Err(Fault::Sort),
        };
        all &= match op {
            Op::Le => order.is_le(),
            Op::Lt => order.is_lt(),
            Op::Ge => order.is_ge(),
            _ => order.is_gt(),
        };
    }
    Ok(Value::Bool(all))
}

fn ints(call: &mut Call<'_, '_>, first: IBig, rest: &[Value]) -> Answer {
    let mut result = first;
    for arg in rest {
        let Value::Int(arg) = arg else { return Err(Fault::Sort) };
        result = match call.op {
            Op::Add => result + arg,
            Op::Sub => result - arg,
            Op::Mul if result.bit_len() + arg.bit_len() > MAX_BITS => return Err(Fault::TooWide),
            Op::Mul => result * arg,
            Op::IntDiv | Op::Mod if arg.is_zero() => {
                call.open = true;
                if call.op == Op::Mod { result } else { IBig::ZERO }
            }
            Op::IntDiv => result.div_euclid(arg),
            Op::Mod => result.rem_euclid(arg).into(),
            _ => return Err(Fault::Sort),
        };
    }
    Ok(Value::Int(result))
}

fn reals(call: &mut Call<'_, '_>, first: RBig, rest: &[Value]) -> Answer {
    let mut result = first;
    for arg in rest {
        let Value::Real(arg) = arg else { return Err(Fault::Sort) };
        if length(&result) + length(arg) > MAX_BITS {
            return Err(Fault::TooWide);
        }
        result = match call.op {
            Op::Add => result + arg,
            Op::Sub => result - arg,
            Op::Mul => result * arg,
            Op::Div if arg.is_zero() => {
                call.open = true;
                RBig::ZERO
            }
            Op::Div => result / arg,
            _ => return Err(Fault::Sort),
        };
    }
    Ok(Value::Real(result))
}

fn length(number: &RBig) -> usize {
    number.numerator().bit_len() + number.denominator().bit_len()
}
