//! The operators of Core and ArraysEx, except the lazy ones, and the size of datatypes.

use super::operator::{Answer, Call, Fault};
use crate::op::Op;
use crate::value::Value;
use std::sync::Arc;

pub(super) fn apply(call: &mut Call<'_, '_>, args: &mut [Value]) -> Answer {
    match (call.op, &mut *args) {
        (Op::True, []) => Ok(Value::Bool(true)),
        (Op::False, []) => Ok(Value::Bool(false)),
        (Op::Not, [Value::Bool(a)]) => Ok(Value::Bool(!*a)),
        (Op::Xor, args) => {
            let odd = args.iter().try_fold(false, |odd, arg| Some(odd ^ arg.as_bool()?));
            odd.map(Value::Bool).ok_or(Fault::Sort)
        }
        (Op::Eq, args) => Ok(Value::Bool(args.windows(2).all(|pair| pair[0] == pair[1]))),
        (Op::Distinct, args) => {
            let mut sorted: Vec<&Value> = args.iter().collect();
            sorted.sort_unstable();
            Ok(Value::Bool(sorted.windows(2).all(|pair| pair[0] != pair[1])))
        }
        (Op::ConstArray, [value]) => {
            call.catalog.const_array(call.sort, take(value)).map_err(|bad| Fault::NoValue(bad.0))
        }
        (Op::Select, [Value::Array(array), index]) => Ok(array.select(index).clone()),
        (Op::Store, [array, index, value]) => match take(array) {
            Value::Array(mut array) => {
                Arc::make_mut(&mut array).store(take(index), take(value));
                Ok(Value::Array(array))
            }
            _ => Err(Fault::Sort),
        },
        (Op::DataSize, [Value::Data(data)]) => {
            let (size, mixed) = data.size().ok_or(Fault::TooWide)?;
            // Tools differ on whether datatypes inside of others count.
            call.open |= mixed;
            Ok(Value::Int(size.into()))
        }
        _ => Err(Fault::Sort),
    }
}

/// An argument for good: an array that nobody else holds is changed in place.
fn take(value: &mut Value) -> Value {
    std::mem::replace(value, Value::Bool(false))
}
