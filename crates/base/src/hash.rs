//! Hash tables of 4-byte ids whose keys live elsewhere, with the hash beside each id.
//!
//! A table that stores only ids has to look at the keys again whenever it grows, and keys of a large store are
//! seldom in the cache. Four more bytes an entry make growing a walk over the table itself, and spare most of the
//! comparisons that would fail.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The hash of a value.
pub fn hash_of(value: &(impl Hash + ?Sized)) -> u32 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    fold(hasher.finish())
}

/// 64 bits made 32, with a share of each.
#[must_use]
pub fn fold(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

/// The table wants 64 bits: the lower ones choose the place, the upper ones tell entries of a place apart. The place
/// is left as it is, so that hashes near each other lie near each other in memory.
fn spread(hash: u32) -> u64 {
    const UPPER: u64 = 0xffff_ffff << 32;
    let mixed = u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed & UPPER) | u64::from(hash)
}

/// A table of ids with their hashes.
#[derive(Clone, Debug)]
pub struct IdTable<I> {
    entries: HashTable<(u32, I)>,
}

impl<I> Default for IdTable<I> {
    fn default() -> Self {
        Self { entries: HashTable::new() }
    }
}

impl<I: Copy> IdTable<I> {
    /// The id with this hash for which `same` holds.
    #[inline]
    pub fn find(&self, hash: u32, mut same: impl FnMut(I) -> bool) -> Option<I> {
        self.entries.find(spread(hash), |&(other, id)| other == hash && same(id)).map(|entry| entry.1)
    }

    /// Adds an id that is not in the table.
    #[inline]
    pub fn insert(&mut self, hash: u32, id: I) {
        self.entries.insert_unique(spread(hash), (hash, id), |entry| spread(entry.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_by_key() {
        let keys: Vec<String> = (0..1000).map(|i| format!("key {i}")).collect();
        let mut table = IdTable::default();
        for (id, key) in keys.iter().enumerate() {
            assert_eq!(table.find(hash_of(key), |id: usize| keys[id] == *key), None);
            table.insert(hash_of(key), id);
        }
        for (id, key) in keys.iter().enumerate() {
            assert_eq!(table.find(hash_of(key), |id: usize| keys[id] == *key), Some(id));
        }
    }
}
