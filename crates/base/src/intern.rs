//! Strings to 4-byte ids and back. All text lies in one buffer, so a million symbols are a handful of allocations.

use crate::hash::{IdTable, fold};
use crate::id::{Id, IdVec};
use rustc_hash::FxHasher;
use std::hash::Hasher;

crate::define_id!(
    /// An interned string. Equal ids mean equal text.
    pub struct SymbolId;
);

/// The table of interned strings.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    text: String,
    /// Where each string ends in `text`; it begins where the one before ends.
    ends: IdVec<SymbolId, u32>,
    table: IdTable<SymbolId>,
}

/// Generated names are numbered, and what follows each other in numbers follows each other in use. Names that
/// differ in the last character only get neighbouring places in the table, which is then mostly in the cache.
fn hash(text: &str) -> u32 {
    let (rest, last) = match text.as_bytes().split_last() {
        Some((last, rest)) => (rest, *last),
        None => (&[][..], 0),
    };
    let mut hasher = FxHasher::default();
    hasher.write(rest);
    fold(hasher.finish()).wrapping_add(u32::from(last))
}

#[inline]
fn slice<'a>(text: &'a str, ends: &IdVec<SymbolId, u32>, id: SymbolId) -> &'a str {
    let start = if id.index() == 0 { 0 } else { ends[SymbolId::from_index(id.index() - 1)] };
    &text[start as usize..ends[id] as usize]
}

impl Interner {
    /// The id of `text`, new or old.
    pub fn intern(&mut self, text: &str) -> SymbolId {
        let hash = hash(text);
        if let Some(id) = self.table.find(hash, |id| slice(&self.text, &self.ends, id) == text) {
            return id;
        }
        self.add(hash, text)
    }

    /// The id of `text`, new or old; none if it is not known and must not be added.
    #[inline]
    pub fn intern_if(&mut self, text: &str, may_be_added: impl FnOnce() -> bool) -> Option<SymbolId> {
        let hash = hash(text);
        match self.table.find(hash, |id| slice(&self.text, &self.ends, id) == text) {
            None => may_be_added().then(|| self.add(hash, text)),
            found => found,
        }
    }

    /// Makes room for so many more strings of some length.
    pub fn reserve(&mut self, strings: usize, length: usize) {
        self.text.reserve(strings * length);
        self.ends.reserve(strings);
        self.table.reserve(strings);
    }

    /// Apart from [`Interner::intern`], which is mostly about what is known.
    #[inline(never)]
    fn add(&mut self, hash: u32, text: &str) -> SymbolId {
        self.text.push_str(text);
        let id = self.ends.push(self.text.len() as u32);
        self.table.insert(hash, id);
        id
    }

    /// The id of `text` if it was interned before.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<SymbolId> {
        self.table.find(hash(text), |id| slice(&self.text, &self.ends, id) == text)
    }

    /// The text of `id`.
    #[must_use]
    #[inline]
    pub fn text(&self, id: SymbolId) -> &str {
        slice(&self.text, &self.ends, id)
    }

    /// The number of strings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True when nothing was interned yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All ids in order of creation.
    pub fn ids(&self) -> impl Iterator<Item = SymbolId> + use<> {
        self.ends.ids()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_text_same_id() {
        let mut names = Interner::default();
        let a = names.intern("alpha");
        let empty = names.intern("");
        let b = names.intern("beta");
        assert_eq!(names.intern("alpha"), a);
        assert_eq!((names.text(a), names.text(empty), names.text(b)), ("alpha", "", "beta"));
        assert_eq!(names.find("beta"), Some(b));
        assert_eq!(names.find("gamma"), None);
    }
}
