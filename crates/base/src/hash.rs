//! Hash tables of 4-byte ids whose keys live elsewhere, with the hash beside each id.
//!
//! A table that stores only ids has to look at the keys again whenever it grows, and keys of a large store are
//! seldom in the cache. Four more bytes an entry make growing a walk over the table itself, and spare most of the
//! comparisons that would fail.

use crate::id::Id;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

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

/// A table of ids with their hashes, which lie in lines of eight. A hash says which line and where in it, and what does not
/// find its place free takes the next one that is. Hashes near each other lie near each other in memory, but only
/// within a line: so a long run of neighbours does not become a long search.
#[derive(Clone, Debug)]
pub struct IdTable<I> {
    /// The hash in the upper half, the number of the id plus one in the lower; 0 where there is nothing.
    slots: Vec<u64>,
    used: usize,
    ids: PhantomData<fn() -> I>,
}

/// So many lines are the least, and so many slots are in each.
const LINES: usize = 8;
const LINE: usize = 8;

impl<I> Default for IdTable<I> {
    fn default() -> Self {
        Self { slots: Vec::new(), used: 0, ids: PhantomData }
    }
}

impl<I: Id> IdTable<I> {
    /// Where the search for a hash begins in a table of so many slots.
    #[inline]
    fn place(hash: u32, slots: usize) -> usize {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        let lines = slots / LINE;
        let line = (u64::from(hash) / LINE as u64).wrapping_mul(GOLDEN) >> 32;
        (line as usize & (lines.wrapping_sub(1))) * LINE + hash as usize % LINE
    }

    /// The id with this hash for which `same` holds.
    #[inline]
    pub fn find(&self, hash: u32, mut same: impl FnMut(I) -> bool) -> Option<I> {
        let mut at = Self::place(hash, self.slots.len());
        // There is always a free slot, and none at all in an empty table.
        while let Some(&slot) = self.slots.get(at)
            && slot != 0
        {
            if (slot >> 32) as u32 == hash {
                let id = I::from_index((slot as u32 - 1) as usize);
                if same(id) {
                    return Some(id);
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        None
    }

    /// Adds an id that is not in the table.
    #[inline]
    pub fn insert(&mut self, hash: u32, id: I) {
        if self.used * 2 >= self.slots.len() {
            self.grow(self.slots.len() * 2);
        }
        self.used += 1;
        self.put(u64::from(hash) << 32 | (id.index() as u64 + 1));
    }

    #[inline]
    fn put(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut at = Self::place((slot >> 32) as u32, self.slots.len());
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    /// Makes room for so many more ids.
    pub fn reserve(&mut self, ids: usize) {
        let slots = ((self.used + ids) * 2).next_power_of_two();
        if slots > self.slots.len() {
            self.grow(slots);
        }
    }

    #[cold]
    fn grow(&mut self, slots: usize) {
        let length = slots.max(LINES * LINE);
        let old = std::mem::replace(&mut self.slots, vec![0; length]);
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            self.put(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_by_key() {
        let keys: Vec<String> = (0..1000).map(|i| format!("key {i}")).collect();
        // Hashes with long runs of neighbours, and such that many keys share.
        for hash in [|key: &String, _| hash_of(key), |_: &String, id| id, |_: &String, id| id / 10] {
            let mut table: IdTable<u32> = IdTable::default();
            for (id, key) in keys.iter().enumerate() {
                let hash = hash(key, id as u32);
                assert_eq!(table.find(hash, |id| keys[id as usize] == *key), None);
                table.insert(hash, id as u32);
            }
            for (id, key) in keys.iter().enumerate() {
                let found = table.find(hash(key, id as u32), |id| keys[id as usize] == *key);
                assert_eq!(found, Some(id as u32));
            }
        }
    }
}
