//! Values of constant expressions. Arithmetic wraps around, as compilers compute constants.

use crate::ast::{BinaryOp, UnaryOp, Value};
use crate::types::{IntKind, Ty, TypeKind, Types};

/// A value in the range of an integer type.
pub(crate) fn wrap(types: &Types, value: i128, kind: IntKind) -> i128 {
    if kind == IntKind::Bool {
        return i128::from(value != 0);
    }
    let bits = types.model.bits(kind);
    if bits == 128 {
        return value;
    }
    let shift = 128 - bits;
    if kind.is_unsigned() { ((value as u128) << shift >> shift) as i128 } else { value << shift >> shift }
}

/// A value converted to a type.
pub(crate) fn convert(types: &Types, value: Value, from: Ty, to: Ty) -> Option<Value> {
    let Some(kind) = types.int_kind(to) else {
        return match (types.kind(to), value) {
            (TypeKind::Pointer(_), Value::Int(value)) => {
                Some(Value::Int(wrap(types, value, types.model.size_kind())))
            }
            (TypeKind::Float(kind), _) => {
                let value = match value {
                    Value::Int(value) if types.int_kind(from) == Some(IntKind::UInt128) => {
                        value as u128 as f64
                    }
                    Value::Int(value) => value as f64,
                    Value::Float(value) => value,
                    Value::Place(_) => return None,
                };
                let is_single =
                    matches!(kind, crate::types::FloatKind::Float | crate::types::FloatKind::Float32);
                Some(Value::Float(if is_single { f64::from(value as f32) } else { value }))
            }
            _ => None,
        };
    };
    match value {
        Value::Int(value) => Some(Value::Int(wrap(types, value, kind))),
        Value::Float(value) if kind == IntKind::Bool => Some(Value::Int(i128::from(value != 0.0))),
        Value::Float(value) => {
            let whole = value.trunc();
            let is_small = whole.abs() < 1e30;
            is_small.then_some(Value::Int(wrap(types, whole as i128, kind)))
        }
        Value::Place(_) => None,
    }
}

/// A truth value.
pub(crate) fn truth(value: Value) -> Option<bool> {
    match value {
        Value::Int(value) => Some(value != 0),
        Value::Float(value) => Some(value != 0.0),
        Value::Place(_) => None,
    }
}

pub(crate) fn unary(types: &Types, op: UnaryOp, value: Value, ty: Ty) -> Option<Value> {
    match (op, value) {
        (UnaryOp::Not, value) => truth(value).map(|truth| Value::Int(i128::from(!truth))),
        (UnaryOp::Plus, Value::Int(_) | Value::Float(_)) => Some(value),
        (UnaryOp::Neg, Value::Float(value)) => Some(Value::Float(-value)),
        (UnaryOp::Neg, Value::Int(value)) => {
            Some(Value::Int(wrap(types, value.wrapping_neg(), types.int_kind(ty)?)))
        }
        (UnaryOp::BitNot, Value::Int(value)) => Some(Value::Int(wrap(types, !value, types.int_kind(ty)?))),
        _ => None,
    }
}

/// Two operands of one type; shifts have a right operand of its own type.
pub(crate) fn binary(types: &Types, op: BinaryOp, a: Value, b: Value, ty: Ty) -> Option<Value> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => {
            // Addresses are compared as unsigned numbers.
            let kind = types.int_kind(ty).unwrap_or(types.model.size_kind());
            int_binary(types, op, a, b, kind).map(Value::Int)
        }
        (Value::Float(a), Value::Float(b)) => float_binary(types, op, a, b, ty),
        _ => None,
    }
}

fn int_binary(types: &Types, op: BinaryOp, a: i128, b: i128, kind: IntKind) -> Option<i128> {
    use BinaryOp::*;
    let wide = kind == IntKind::UInt128;
    let bits = types.model.bits(kind);
    let less = if wide { (a as u128) < (b as u128) } else { a < b };
    let value = match op {
        Mul => a.wrapping_mul(b),
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Div if wide => (a as u128).checked_div(b as u128)? as i128,
        Rem if wide => (a as u128).checked_rem(b as u128)? as i128,
        Div => a.checked_div(b)?,
        Rem => a.checked_rem(b)?,
        Shl if (0..i128::from(bits)).contains(&b) => a << b,
        Shr if (0..i128::from(bits)).contains(&b) && wide => (a as u128 >> b) as i128,
        Shr if (0..i128::from(bits)).contains(&b) => a >> b,
        BitAnd => a & b,
        BitXor => a ^ b,
        BitOr => a | b,
        Lt => return Some(i128::from(less)),
        Ge => return Some(i128::from(!less)),
        Gt => return Some(i128::from(!less && a != b)),
        Le => return Some(i128::from(less || a == b)),
        Eq => return Some(i128::from(a == b)),
        Ne => return Some(i128::from(a != b)),
        _ => return None,
    };
    Some(wrap(types, value, kind))
}

fn float_binary(types: &Types, op: BinaryOp, a: f64, b: f64, ty: Ty) -> Option<Value> {
    use BinaryOp::*;
    let value = match op {
        Mul => a * b,
        Div => a / b,
        Add => a + b,
        Sub => a - b,
        Lt => return Some(Value::Int(i128::from(a < b))),
        Gt => return Some(Value::Int(i128::from(a > b))),
        Le => return Some(Value::Int(i128::from(a <= b))),
        Ge => return Some(Value::Int(i128::from(a >= b))),
        Eq => return Some(Value::Int(i128::from(a == b))),
        Ne => return Some(Value::Int(i128::from(a != b))),
        _ => return None,
    };
    // Rounding twice, from double to float, is exact for these operators.
    convert(types, Value::Float(value), ty, ty)
}
