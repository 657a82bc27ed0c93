//! Values and what terms mean, for numbers small enough for a machine word.

use super::syntax::{Op, Sort, Tag, Term, Var};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Numbers beyond this are too big.
const MOST: i64 = 200;

/// A value. Equal values are represented equally.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Value {
    /// Nothing gave the variable a value.
    Open,
    Bool(bool),
    Int(i64),
    Bits(u32, u64),
    Array(Rc<Array>),
}

/// An array. Over numbers: all cells that differ from the default; over bit-vectors: all cells, no default.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Array {
    pub(super) default: Value,
    pub(super) cells: BTreeMap<Value, Value>,
}

/// Why a term has no value: a number is too big, or a variable is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoValue;

/// What the variables are: those of the frame, then values at tags and the like, then globals.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    pub(super) values: &'s [Value],
    /// Where the globals begin.
    pub(super) globals: usize,
    pub(super) at: &'s BTreeMap<(Var, Tag), usize>,
}

impl Scope<'_> {
    pub(super) fn truth(self, term: &Term) -> Result<bool, NoValue> {
        match self.eval(term)? {
            Value::Bool(value) => Ok(value),
            other => unreachable!("{other:?} is no truth value"),
        }
    }

    pub(super) fn eval(self, term: &Term) -> Result<Value, NoValue> {
        let value = match term {
            Term::Var(Var::Local(number)) => self.values[*number].clone(),
            Term::Var(Var::Global(number)) => self.values[self.globals + number].clone(),
            Term::At(var, tag) => self.values[self.at[&(*var, *tag)]].clone(),
            Term::Bool(value) => Value::Bool(*value),
            Term::Int(value) => Value::Int(*value),
            Term::Bits(width, value) => Value::Bits(*width, *value),
            Term::App(op, args) => {
                let args: Result<Vec<Value>, NoValue> = args.iter().map(|arg| self.eval(arg)).collect();
                apply(*op, &args?)
            }
        };
        match value {
            Value::Open => Err(NoValue),
            Value::Int(number) if number.abs() > MOST => Err(NoValue),
            value => Ok(value),
        }
    }
}

fn apply(op: Op, args: &[Value]) -> Value {
    use Value::{Bits, Bool, Int};
    match (op, args) {
        (Op::Not, [Bool(a)]) => Bool(!a),
        (Op::And, _) => Bool(args.iter().all(|arg| *arg == Bool(true))),
        (Op::Or, _) => Bool(args.contains(&Bool(true))),
        (Op::Implies, [Bool(a), Bool(b)]) => Bool(!a || *b),
        (Op::Xor, [Bool(a), Bool(b)]) => Bool(a ^ b),
        (Op::Eq, [a, b]) => Bool(a == b),
        (Op::Distinct, [a, b]) => Bool(a != b),
        (Op::Ite, [Bool(c), a, b]) => if *c { a } else { b }.clone(),
        (Op::Le, [Int(a), Int(b)]) => Bool(a <= b),
        (Op::Lt, [Int(a), Int(b)]) => Bool(a < b),
        (Op::Add, [Int(a), Int(b)]) => Int(a + b),
        (Op::Sub, [Int(a), Int(b)]) => Int(a - b),
        (Op::Mul, [Int(a), Int(b)]) => Int(a * b),
        (Op::Mod, [Int(a), Int(b)]) if *b > 0 => Int(a.rem_euclid(*b)),
        (Op::BvNot, [Bits(w, a)]) => Bits(*w, !a & mask(*w)),
        (Op::BvNeg, [Bits(w, a)]) => Bits(*w, a.wrapping_neg() & mask(*w)),
        (Op::BvUlt, [Bits(_, a), Bits(_, b)]) => Bool(a < b),
        (Op::BvUle, [Bits(_, a), Bits(_, b)]) => Bool(a <= b),
        (Op::BvSlt, [Bits(w, a), Bits(_, b)]) => Bool(signed(*w, *a) < signed(*w, *b)),
        (Op::BvSle, [Bits(w, a), Bits(_, b)]) => Bool(signed(*w, *a) <= signed(*w, *b)),
        (_, [Bits(w, a), Bits(_, b)]) => Bits(*w, bits(op, *w, *a, *b) & mask(*w)),
        (Op::Const(sort), [value]) => constant(sort, value),
        (Op::Select, [Value::Array(array), index]) => {
            array.cells.get(index).unwrap_or(&array.default).clone()
        }
        (Op::Store, [Value::Array(array), index, value]) => {
            let mut array = (**array).clone();
            array.cells.insert(index.clone(), value.clone());
            if array.default == *value {
                array.cells.remove(index);
            }
            Value::Array(Rc::new(array))
        }
        _ => unreachable!("{op:?} of {args:?}"),
    }
}

fn mask(width: u32) -> u64 {
    (1 << width) - 1
}

fn signed(width: u32, value: u64) -> i64 {
    let value = value as i64;
    if value >> (width - 1) == 0 { value } else { value - (1 << width) }
}

fn bits(op: Op, width: u32, a: u64, b: u64) -> u64 {
    match op {
        Op::BvAnd => a & b,
        Op::BvOr => a | b,
        Op::BvXor => a ^ b,
        Op::BvAdd => a + b,
        Op::BvSub => a.wrapping_sub(b),
        Op::BvMul => a * b,
        Op::BvUdiv => a.checked_div(b).unwrap_or(u64::MAX),
        Op::BvUrem => a.checked_rem(b).unwrap_or(a),
        Op::BvShl => {
            if b < u64::from(width) {
                a << b
            } else {
                0
            }
        }
        Op::BvLshr => {
            if b < u64::from(width) {
                a >> b
            } else {
                0
            }
        }
        _ => unreachable!("{op:?} of bit-vectors"),
    }
}

fn constant(sort: Sort, value: &Value) -> Value {
    let array = match sort {
        Sort::Table(width, _) => {
            let cells = (0..1 << width).map(|index| (Value::Bits(width, index), value.clone())).collect();
            Array { default: Value::Open, cells }
        }
        _ => Array { default: value.clone(), cells: BTreeMap::new() },
    };
    Value::Array(Rc::new(array))
}

/// All values of a sort; numbers in `low..high` only. None for arrays.
pub(super) fn all(sort: Sort, low: i64, high: i64) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Int => (low..high).map(Value::Int).collect(),
        Sort::Bits(width) => (0..1 << width).map(|value| Value::Bits(width, value)).collect(),
        Sort::Ints | Sort::Table(..) => unreachable!("arrays are never drawn"),
    }
}

/// The value as a term, which needs the sort for arrays.
pub(super) fn to_term(value: &Value, sort: Sort) -> Term {
    match value {
        Value::Bool(value) => Term::Bool(*value),
        Value::Int(value) => Term::Int(*value),
        Value::Bits(width, value) => Term::Bits(*width, *value),
        Value::Open => unreachable!("an open value is no term"),
        Value::Array(array) => {
            let element = match sort {
                Sort::Table(_, width) => Sort::Bits(width),
                _ => Sort::Int,
            };
            let index = match sort {
                Sort::Table(width, _) => Sort::Bits(width),
                _ => Sort::Int,
            };
            let mut cells = array.cells.iter();
            let default = match &array.default {
                Value::Open => cells.next().map_or(Value::Open, |cell| cell.1.clone()),
                default => default.clone(),
            };
            let start = Term::App(Op::Const(sort), vec![to_term(&default, element)]);
            cells.fold(start, |array, (i, value)| {
                Term::App(Op::Store, vec![array, to_term(i, index), to_term(value, element)])
            })
        }
    }
}
