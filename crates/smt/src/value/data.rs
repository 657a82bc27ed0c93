//! Values of datatypes, and how deep values are dropped.

use super::Value;
use super::order::{Digest, mix};
use crate::sort::SortId;
use base::id::Id;
use dashu_int::UBig;
use dashu_int::ops::BitTest;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A constructor applied to values.
#[derive(Clone)]
pub struct DataValue {
    sort: SortId,
    constructor: u32,
    /// Computed once from those of the fields: hashing a deep value must not walk it.
    digest: u64,
    fields: Arc<[Value]>,
}

impl DataValue {
    pub(super) fn new(sort: SortId, constructor: u32, fields: Arc<[Value]>) -> DataValue {
        let mut digest = mix(sort.index() as u64 ^ (u64::from(constructor) << 32));
        for field in &*fields {
            digest = mix(digest.rotate_left(5) ^ field.digest());
        }
        DataValue { sort, constructor, digest, fields }
    }

    /// The datatype.
    #[must_use]
    pub fn sort(&self) -> SortId {
        self.sort
    }

    /// The constructor's position in the datatype.
    #[must_use]
    pub fn constructor(&self) -> u32 {
        self.constructor
    }

    /// The fields in order.
    #[must_use]
    pub fn fields(&self) -> &[Value] {
        &self.fields
    }

    pub(super) fn digest(&self) -> u64 {
        self.digest
    }

    /// Where the fields lie; equal places mean equal fields.
    pub(super) fn address(&self) -> usize {
        Arc::as_ptr(&self.fields).cast::<()>() as usize
    }

    /// The number of constructors in the value, those in arrays left out, and whether another datatype occurs in
    /// it. None when the number is astronomical, which a value with shared parts can reach.
    pub(crate) fn size(&self) -> Option<(UBig, bool)> {
        const MAX_BITS: usize = 4096;
        let mut sizes: FxHashMap<usize, UBig> = FxHashMap::default();
        let (mut todo, mut mixed) = (vec![(self, false)], false);
        while let Some((data, ready)) = todo.pop() {
            if sizes.contains_key(&data.address()) {
                continue;
            }
            mixed |= data.sort != self.sort;
            let parts = data.fields().iter().filter_map(|field| match field {
                Value::Data(part) => Some(part),
                _ => None,
            });
            if ready {
                let size = parts.fold(UBig::ONE, |sum, part| sum + &sizes[&part.address()]);
                if size.bit_len() > MAX_BITS {
                    return None;
                }
                sizes.insert(data.address(), size);
            } else {
                todo.push((data, true));
                todo.extend(parts.map(|part| (part, false)));
            }
        }
        sizes.remove(&self.address()).map(|size| (size, mixed))
    }

    /// Moves the values that hold values out of the fields, if nobody else looks at them.
    pub(super) fn take_apart(&mut self, parts: &mut Vec<Value>) {
        if let Some(fields) = Arc::get_mut(&mut self.fields) {
            parts.extend(fields.iter_mut().filter(|f| f.is_container()).map(take));
        }
    }
}

impl Drop for DataValue {
    fn drop(&mut self) {
        let mut parts = Vec::new();
        self.take_apart(&mut parts);
        drop_parts(parts);
    }
}

/// Leaves something small in the place of a value.
pub(super) fn take(value: &mut Value) -> Value {
    std::mem::replace(value, Value::Bool(false))
}

/// Drops values with a list in place of the call stack. Whatever is dropped inside the loop has been emptied of
/// values that hold values before, so its own `drop` ends at once.
pub(super) fn drop_parts(mut parts: Vec<Value>) {
    while let Some(mut value) = parts.pop() {
        match &mut value {
            Value::Data(data) => data.take_apart(&mut parts),
            Value::Array(array) => {
                if let Some(array) = Arc::get_mut(array) {
                    array.take_apart(&mut parts);
                }
            }
            _ => {}
        }
    }
}
