//! Typed 4-byte ids and the tables they index.
//!
//! An id is a position in one owning [`IdVec`]. Ids are `Copy`, ordered by creation and cheap to hash, so
//! analyses keep side tables keyed by id instead of fields inside nodes.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index. Implemented by [`define_id!`](crate::define_id).
pub trait Id: Copy + Eq + Ord + std::hash::Hash {
    /// The id at position `index`.
    fn from_index(index: usize) -> Self;
    /// The position that this id names.
    fn index(self) -> usize;
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

    /// Adds `item` and returns its id.
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
    pub fn set(&mut self, id: I, item: T) -> T {
        if self.items.len() <= id.index() {
            self.items.resize(id.index() + 1, self.default.clone());
        }
        std::mem::replace(&mut self.items[id.index()], item)
    }
}

impl<I: Id, T> Index<I> for IdMap<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        self.items.get(id.index()).unwrap_or(&self.default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::intern::SymbolId as T;

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
