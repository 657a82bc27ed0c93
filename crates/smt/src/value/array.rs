//! Array values: a default and the places where the array differs from it.
//!
//! For an infinite index sort this form is unique. For a finite one it is not: with indices of sort `Bool`,
//! "0 except 1 at true" is "1 except 0 at false". There the default is the value that occurs most often, the
//! least one among several. While fewer than half of the indices are listed the default surely is that value, so
//! only arrays that list half of their indices or more are counted through when they change.

use super::finite::Finite;
use super::map::{Iter, Map};
use super::order::{Digest, mix};
use super::{Value, data};
use crate::sort::SortId;
use base::id::Id;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The content of an array.
#[derive(Clone)]
pub struct ArrayValue {
    sort: SortId,
    /// The index sort, when it is finite and not too large to be filled.
    index: Option<Arc<Finite>>,
    pub(super) default: Value,
    pub(super) entries: Map,
}

impl ArrayValue {
    pub(super) fn new(sort: SortId, index: Option<Arc<Finite>>, default: Value) -> ArrayValue {
        ArrayValue { sort, index, default, entries: Map::default() }
    }

    /// The array with these values in the order of the index sort.
    pub(super) fn from_values(sort: SortId, index: Arc<Finite>, values: &[Value]) -> ArrayValue {
        let default = values.first().cloned().unwrap_or(Value::Bool(false));
        let mut array = ArrayValue::new(sort, Some(index.clone()), default);
        for (i, value) in (0..).zip(values) {
            if *value != array.default {
                array.entries.insert(index.nth(i), value.clone());
            }
        }
        array.normalise();
        array
    }

    /// The array sort.
    #[must_use]
    pub fn sort(&self) -> SortId {
        self.sort
    }

    /// The value at all indices that are not listed.
    #[must_use]
    pub fn default(&self) -> &Value {
        &self.default
    }

    /// The indices with another value than the default, in order.
    #[must_use]
    pub fn entries(&self) -> Entries<'_> {
        Entries(self.entries.iter())
    }

    /// The number of indices with another value than the default.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True when all values are the default.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.len() == 0
    }

    /// The value at an index.
    #[must_use]
    pub fn select(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// Changes the value at an index; logarithmic in the number of entries, whoever else holds the array.
    pub fn store(&mut self, index: Value, value: Value) {
        if value == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, value);
        }
        self.normalise();
    }

    /// Makes the most frequent value the default.
    fn normalise(&mut self) {
        let Some(index) = &self.index else { return };
        let listed = self.entries.len() as u64;
        if listed < index.count() - listed.min(index.count()) {
            return;
        }
        let mut counts: FxHashMap<&Value, u64> = FxHashMap::default();
        for (_, value) in self.entries.iter() {
            *counts.entry(value).or_default() += 1;
        }
        let unlisted = index.count().saturating_sub(listed);
        let (mut best, mut most) = (&self.default, unlisted);
        for (value, count) in counts {
            if count > most || (count == most && value < best) {
                (best, most) = (value, count);
            }
        }
        if *best == self.default {
            return;
        }
        let best = best.clone();
        let (index, mut entries) = (index.clone(), Map::default());
        for i in 0..index.count() {
            let place = index.nth(i);
            let value = self.select(&place);
            if *value != best {
                let value = value.clone();
                entries.insert(place, value);
            }
        }
        self.entries = entries;
        self.default = best;
    }

    pub(super) fn digest(&self) -> u64 {
        mix(self.entries.digest() ^ mix(self.default.digest() ^ self.sort.index() as u64))
    }

    /// Moves the values that hold values out, if nobody else looks at them.
    pub(super) fn take_apart(&mut self, parts: &mut Vec<Value>) {
        if self.default.is_container() {
            parts.push(data::take(&mut self.default));
        }
        self.entries.take_apart(parts);
    }
}

impl Drop for ArrayValue {
    fn drop(&mut self) {
        let mut parts = Vec::new();
        self.take_apart(&mut parts);
        data::drop_parts(parts);
    }
}

/// Indices with their values, in order.
#[derive(Clone)]
pub struct Entries<'a>(Iter<'a>);

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a Value, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}
