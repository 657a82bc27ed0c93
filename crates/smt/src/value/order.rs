//! Equality, order, hash and debug output of values, without recursion.
//!
//! Values that hold values carry a digest, so hashing is constant and unequal ones are told apart at once.
//! Comparing equal ones walks both. A graph whose parts are shared can unfold to a tree of exponential size;
//! after many steps the pairs already compared are remembered, which bounds the work by the graph.

use super::map::{Iter, Link};
use super::{DataValue, Value};
use base::id::Id;
use rustc_hash::{FxHashSet, FxHasher};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Spreads the bits of a number over all of it (the finisher of MurmurHash3).
pub(super) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ (x >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}

/// A number that equal values share, independent of the process.
pub(super) trait Digest {
    fn digest(&self) -> u64;
}

impl Digest for Value {
    fn digest(&self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u8(rank(self));
        match self {
            Value::Bool(b) => hasher.write_u8(u8::from(*b)),
            Value::Int(i) => i.hash(&mut hasher),
            Value::Real(r) => r.hash(&mut hasher),
            Value::BitVec { width, value } => (width, value).hash(&mut hasher),
            Value::Float(float) => float.hash(&mut hasher),
            Value::Rounding(mode) => mode.hash(&mut hasher),
            Value::Array(array) => hasher.write_u64(array.digest()),
            Value::Data(data) => hasher.write_u64(data.digest()),
            Value::Abstract { sort, index } => (sort, index).hash(&mut hasher),
            Value::Str(text) => text.hash(&mut hasher),
        }
        mix(hasher.finish())
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.digest());
    }
}

/// The place of a kind of value in the order.
fn rank(value: &Value) -> u8 {
    match value {
        Value::Bool(_) => 0,
        Value::Int(_) => 1,
        Value::Real(_) => 2,
        Value::BitVec { .. } => 3,
        Value::Float(_) => 4,
        Value::Rounding(_) => 5,
        Value::Array(_) => 6,
        Value::Data(_) => 7,
        Value::Abstract { .. } => 8,
        Value::Str(_) => 9,
    }
}

/// Pairs of places that were compared, remembered only when there are many.
#[derive(Default)]
struct Seen {
    steps: u32,
    pairs: FxHashSet<(usize, usize)>,
}

impl Seen {
    const PATIENCE: u32 = 4096;

    /// True when these places were compared before.
    fn again(&mut self, a: usize, b: usize) -> bool {
        self.steps = self.steps.saturating_add(1);
        self.steps > Self::PATIENCE && !self.pairs.insert((a, b))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match same(self, other) {
            Some(answer) => answer,
            None => same_parts(self, other),
        }
    }
}

impl Eq for Value {}

/// Equality as far as it can be told without looking at parts.
fn same(a: &Value, b: &Value) -> Option<bool> {
    Some(match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Real(a), Value::Real(b)) => a == b,
        (Value::BitVec { width: v, value: a }, Value::BitVec { width: w, value: b }) => v == w && a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Rounding(a), Value::Rounding(b)) => a == b,
        (Value::Str(a), Value::Str(b)) => a == b,
        (Value::Abstract { sort: s, index: a }, Value::Abstract { sort: t, index: b }) => s == t && a == b,
        (Value::Array(a), Value::Array(b)) => {
            if Arc::ptr_eq(a, b) {
                true
            } else if a.sort() == b.sort() && a.len() == b.len() && a.digest() == b.digest() {
                return None;
            } else {
                false
            }
        }
        (Value::Data(a), Value::Data(b)) => {
            if !same_head(a, b) || a.digest() != b.digest() {
                false
            } else if a.address() == b.address() {
                true
            } else {
                return None;
            }
        }
        _ => false,
    })
}

fn same_head(a: &DataValue, b: &DataValue) -> bool {
    a.sort() == b.sort() && a.constructor() == b.constructor() && a.fields().len() == b.fields().len()
}

enum Pair<'a> {
    Values(&'a Value, &'a Value),
    Nodes(&'a Link, &'a Link),
}

fn same_parts(a: &Value, b: &Value) -> bool {
    let (mut todo, mut seen) = (vec![Pair::Values(a, b)], Seen::default());
    while let Some(pair) = todo.pop() {
        match pair {
            Pair::Values(a, b) => match (same(a, b), a, b) {
                (Some(true), ..) => {}
                (Some(false), ..) => return false,
                (None, Value::Data(a), Value::Data(b)) => {
                    if !seen.again(a.address(), b.address()) {
                        todo.extend(a.fields().iter().zip(b.fields()).map(|(a, b)| Pair::Values(a, b)));
                    }
                }
                (None, Value::Array(a), Value::Array(b)) => {
                    todo.push(Pair::Values(&a.default, &b.default));
                    todo.push(Pair::Nodes(&a.entries.root, &b.entries.root));
                }
                _ => return false,
            },
            Pair::Nodes(None, None) => {}
            Pair::Nodes(Some(a), Some(b)) => {
                if !Arc::ptr_eq(a, b) && !seen.again(Arc::as_ptr(a) as usize, Arc::as_ptr(b) as usize) {
                    todo.push(Pair::Values(&a.key, &b.key));
                    todo.push(Pair::Values(&a.value, &b.value));
                    todo.push(Pair::Nodes(&a.left, &b.left));
                    todo.push(Pair::Nodes(&a.right, &b.right));
                }
            }
            // Equal tables have equal shapes.
            Pair::Nodes(..) => return false,
        }
    }
    true
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

enum Work<'a> {
    Values(&'a Value, &'a Value),
    Fields(std::iter::Zip<std::slice::Iter<'a, Value>, std::slice::Iter<'a, Value>>),
    Entries(Iter<'a>, Iter<'a>),
}

impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        if !self.is_container() || !other.is_container() {
            return compare_heads(self, other);
        }
        let (mut todo, mut seen) = (vec![Work::Values(self, other)], Seen::default());
        while let Some(work) = todo.pop() {
            match work {
                Work::Values(a, b) => {
                    let order = compare_heads(a, b);
                    if order.is_ne() {
                        return order;
                    }
                    push_parts(a, b, &mut todo, &mut seen);
                }
                Work::Fields(mut pairs) => {
                    if let Some((a, b)) = pairs.next() {
                        todo.push(Work::Fields(pairs));
                        todo.push(Work::Values(a, b));
                    }
                }
                Work::Entries(mut left, mut right) => {
                    if let (Some(a), Some(b)) = (left.next(), right.next()) {
                        todo.push(Work::Entries(left, right));
                        todo.push(Work::Values(a.1, b.1));
                        todo.push(Work::Values(a.0, b.0));
                    }
                }
            }
        }
        Ordering::Equal
    }
}

/// The parts of values with equal heads that decide next, the first one on top.
fn push_parts<'a>(a: &'a Value, b: &'a Value, todo: &mut Vec<Work<'a>>, seen: &mut Seen) {
    match (a, b) {
        (Value::Data(a), Value::Data(b))
            if a.address() != b.address() && !seen.again(a.address(), b.address()) =>
        {
            todo.push(Work::Fields(a.fields().iter().zip(b.fields())));
        }
        (Value::Array(a), Value::Array(b))
            if !Arc::ptr_eq(a, b) && !seen.again(Arc::as_ptr(a) as usize, Arc::as_ptr(b) as usize) =>
        {
            todo.push(Work::Entries(a.entries.iter(), b.entries.iter()));
            todo.push(Work::Values(&a.default, &b.default));
        }
        _ => {}
    }
}

/// The order as far as it can be told without looking at parts.
fn compare_heads(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Real(a), Value::Real(b)) => a.cmp(b),
        (Value::BitVec { width: v, value: a }, Value::BitVec { width: w, value: b }) => (v, a).cmp(&(w, b)),
        (Value::Float(a), Value::Float(b)) => {
            a.format().cmp(&b.format()).then_with(|| a.to_bits().cmp(&b.to_bits()))
        }
        (Value::Rounding(a), Value::Rounding(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) => (a.sort(), a.len()).cmp(&(b.sort(), b.len())),
        (Value::Data(a), Value::Data(b)) => {
            let key = |d: &DataValue| (d.sort(), d.constructor(), d.fields().len());
            key(a).cmp(&key(b))
        }
        (Value::Abstract { sort: s, index: a }, Value::Abstract { sort: t, index: b }) => (s, a).cmp(&(t, b)),
        (Value::Str(a), Value::Str(b)) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)),
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Piece<'a> {
            Value(&'a Value),
            Text(&'static str),
        }
        const LIMIT: usize = 10_000;
        let (mut todo, mut written) = (vec![Piece::Value(self)], 0);
        while let Some(piece) = todo.pop() {
            written += 1;
            if written > LIMIT {
                return f.write_str("…");
            }
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Value(Value::Bool(b)) => write!(f, "{b}")?,
                Piece::Value(Value::Int(i)) => write!(f, "{i}")?,
                Piece::Value(Value::Real(r)) => write!(f, "{}/{}", r.numerator(), r.denominator())?,
                Piece::Value(Value::BitVec { width, value }) => write!(f, "bv{value}:{width}")?,
                Piece::Value(Value::Float(float)) => write!(f, "{float:?}")?,
                Piece::Value(Value::Rounding(mode)) => write!(f, "{mode:?}")?,
                Piece::Value(Value::Abstract { sort, index }) => write!(f, "@{}!{index}", sort.index())?,
                Piece::Value(Value::Str(text)) => write!(f, "{text:?}")?,
                Piece::Value(Value::Data(data)) => {
                    write!(f, "(data {} {}", data.sort().index(), data.constructor())?;
                    todo.push(Piece::Text(")"));
                    for field in data.fields().iter().rev() {
                        todo.extend([Piece::Value(field), Piece::Text(" ")]);
                    }
                }
                Piece::Value(Value::Array(array)) => {
                    write!(f, "(array {} ", array.sort().index())?;
                    todo.push(Piece::Text(")"));
                    let entries: Vec<_> = array.entries().take(LIMIT).collect();
                    for (key, value) in entries.into_iter().rev() {
                        todo.extend([
                            Piece::Value(value),
                            Piece::Text(" -> "),
                            Piece::Value(key),
                            Piece::Text(" "),
                        ]);
                    }
                    todo.push(Piece::Value(array.default()));
                }
            }
        }
        Ok(())
    }
}
