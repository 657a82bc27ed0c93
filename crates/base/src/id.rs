//! Typed 4-byte ids and the tables they index.
//!
//! An id is a position in one owning [`IdVec`]. Ids are `Copy`, ordered by creation and cheap to hash, so
//! analyses keep side tables keyed by id instead of fields inside nodes.

use rustc_hash::FxHashSet;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index. Implemented by [`define_id!`](crate::define_id).
pub trait Id: Copy + Eq + Ord + std::hash::Hash {
    /// The id at position `index`.
    fn from_index(index: usize) -> Self;
    /// The position that this id names.
    fn index(self) -> usize;
}

impl Id for u32 {
    #[inline]
    fn from_index(index: usize) -> Self {
        debug_assert!(u32::try_from(index).is_ok());
        index as u32
    }
    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

/// Defines a 4-byte id type.
///
/// ```
/// base::define_id!(
///     /// Names a cat.
///     pub struct CatId;
/// );
/// use base::id::Id;
/// assert_eq!(CatId::from_index(3).index(), 3);
/// assert_eq!(size_of::<CatId>(), 4);
/// ```
#[macro_export]
macro_rules! define_id {
    ($(#[$meta:meta])* pub struct $name:ident;) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u32);

        impl $crate::id::Id for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                debug_assert!(u32::try_from(index).is_ok());
                Self(index as u32)
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

/// A growing table that owns the things its ids name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    ids: PhantomData<fn() -> I>,
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self { items: Vec::new(), ids: PhantomData }
    }

    /// Makes room for so many more items.
    pub fn reserve(&mut self, items: usize) {
        self.items.reserve(items);
    }

    /// Adds `item` and returns its id.
    #[inline]
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True when nothing was added yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item at `id`, or none when the id is of another table.
    #[must_use]
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// All ids, in order of creation.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// All items, in order of creation.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// Ids with their items, in order of creation.
    pub fn iter_enumerated(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(i, t)| (I::from_index(i), t))
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a, I: Id, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

/// A sparse side table: a default everywhere, grown on demand.
#[derive(Clone, Debug)]
pub struct IdMap<I, T> {
    items: Vec<T>,
    default: T,
    ids: PhantomData<fn() -> I>,
}

impl<I: Id, T: Clone> IdMap<I, T> {
    /// A table that holds `default` at every id.
    pub fn new(default: T) -> Self {
        Self { items: Vec::new(), default, ids: PhantomData }
    }

    /// Sets the entry of `id` and returns the old one.
    #[inline]
    pub fn set(&mut self, id: I, item: T) -> T {
        std::mem::replace(self.entry(id), item)
    }

    /// The entry of `id`.
    #[inline]
    pub fn entry(&mut self, id: I) -> &mut T {
        if self.items.len() <= id.index() {
            self.grow(id.index() + 1);
        }
        &mut self.items[id.index()]
    }

    #[cold]
    fn grow(&mut self, length: usize) {
        // Ids rise one by one where things are made, so there is room for the next ones at once.
        let length = length.max(self.items.len() + self.items.len() / 4).next_multiple_of(64);
        self.items.resize(length, self.default.clone());
    }
}

impl<I: Id, T> Index<I> for IdMap<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        self.items.get(id.index()).unwrap_or(&self.default)
    }
}

/// A side table that is cheap for a few ids of a large table, and for most ids of any: it has entries in pages.
#[derive(Clone, Debug)]
pub struct IdPages<I, T> {
    pages: Vec<Option<Box<[T; PAGE]>>>,
    default: T,
    ids: PhantomData<fn() -> I>,
}

/// So many entries are a page.
const PAGE: usize = 128;

impl<I: Id, T: Copy> IdPages<I, T> {
    /// A table that holds `default` at every id.
    pub fn new(default: T) -> Self {
        Self { pages: Vec::new(), default, ids: PhantomData }
    }

    /// The entry of `id`, to be changed.
    #[inline]
    pub fn entry(&mut self, id: I) -> &mut T {
        let (page, at) = (id.index() / PAGE, id.index() % PAGE);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        &mut self.pages[page].get_or_insert_with(|| Box::new([self.default; PAGE]))[at]
    }
}

impl<I: Id, T> Index<I> for IdPages<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        match self.pages.get(id.index() / PAGE) {
            Some(Some(page)) => &page[id.index() % PAGE],
            _ => &self.default,
        }
    }
}

/// A set of ids that is cheap for a few ids of a large table, and for most ids of any: a few are hashed, many are bits.
#[derive(Clone, Debug)]
pub struct IdSet<I> {
    few: FxHashSet<I>,
    bits: Vec<u64>,
}

/// So many ids are few.
const FEW: usize = 64;

/// Below this, ids are as bits from the first one on.
const SMALL: usize = 1 << 13;

impl<I: Id> IdSet<I> {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self { few: FxHashSet::default(), bits: Vec::new() }
    }

    /// Adds an id; false if it was there already.
    #[inline]
    pub fn insert(&mut self, id: I) -> bool {
        // The table of a small id is small.
        if !self.bits.is_empty() || id.index() < SMALL && self.few.is_empty() {
            return self.set(id);
        }
        self.insert_few(id)
    }

    fn insert_few(&mut self, id: I) -> bool {
        let is_new = self.few.insert(id);
        if self.few.len() > FEW {
            for id in std::mem::take(&mut self.few) {
                self.set(id);
            }
        }
        is_new
    }

    #[inline]
    fn set(&mut self, id: I) -> bool {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        let is_new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        is_new
    }
}

impl<I: Id> Default for IdSet<I> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_any_size() {
        let mut set = IdSet::new();
        for round in [true, false] {
            for i in (0..3 * FEW).rev() {
                assert_eq!(set.insert(T::from_index(i * 7)), round, "{i}");
            }
        }
        assert!(set.insert(T::from_index(1)) && set.insert(T::from_index(100_000)));
    }

    use crate::intern::SymbolId as T;

    #[test]
    fn pages() {
        let mut pages = IdPages::new(0);
        for i in [3, PAGE * 1000 + 1, PAGE - 1, PAGE] {
            *pages.entry(T::from_index(i)) += i;
            assert_eq!((pages[T::from_index(i)], pages[T::from_index(i + 1)]), (i, 0), "{i}");
        }
    }

    #[test]
    fn vec_and_map() {
        let mut v: IdVec<T, &str> = IdVec::new();
        let a = v.push("a");
        let b = v.push("b");
        assert_eq!((v[a], v[b], v.len()), ("a", "b", 2));
        let mut m = IdMap::new(0);
        assert_eq!(m.set(b, 7), 0);
        assert_eq!((m[a], m[b], m[T::from_index(99)]), (0, 7, 0));
    }
}
