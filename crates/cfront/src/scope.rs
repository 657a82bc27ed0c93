//! Names in scope: for each symbol what it stands for now, and how to undo that at the end of a block.

use crate::ast::EntityId;
use crate::types::{EnumId, RecordId};
use base::id::Id;
use base::intern::SymbolId;

/// What a tag stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

#[derive(Clone, Copy)]
struct Bound<V> {
    value: V,
    depth: u32,
}

/// One name space.
pub(crate) struct Space<V> {
    bound: Vec<Option<Bound<V>>>,
    undo: Vec<(SymbolId, Option<Bound<V>>)>,
    marks: Vec<usize>,
}

impl<V: Copy> Space<V> {
    pub(crate) fn new(symbols: usize) -> Self {
        Self { bound: vec![None; symbols], undo: Vec::new(), marks: Vec::new() }
    }

    pub(crate) fn get(&self, name: SymbolId) -> Option<V> {
        self.bound.get(name.index()).copied().flatten().map(|bound| bound.value)
    }

    /// What the name stands for if it was declared in the innermost scope.
    pub(crate) fn get_here(&self, name: SymbolId) -> Option<V> {
        let bound = self.bound.get(name.index()).copied().flatten()?;
        (bound.depth == self.marks.len() as u32).then_some(bound.value)
    }

    pub(crate) fn set(&mut self, name: SymbolId, value: V) {
        self.set_at(name, value, self.marks.len() as u32);
    }

    fn set_at(&mut self, name: SymbolId, value: V, depth: u32) {
        if self.bound.len() <= name.index() {
            self.bound.resize(name.index() + 1, None);
        }
        let old = self.bound[name.index()].replace(Bound { value, depth });
        if !self.marks.is_empty() {
            self.undo.push((name, old));
        }
    }

    pub(crate) fn enter(&mut self) {
        self.marks.push(self.undo.len());
    }

    pub(crate) fn leave(&mut self) {
        let Some(mark) = self.marks.pop() else { return };
        for (name, old) in self.undo.drain(mark..).rev() {
            self.bound[name.index()] = old;
        }
    }

    /// How many scopes are open inside the file's.
    pub(crate) fn depth(&self) -> usize {
        self.marks.len()
    }
}

/// The name spaces of C, except members.
pub(crate) struct Scopes {
    pub(crate) ordinary: Space<EntityId>,
    pub(crate) tags: Space<Tag>,
}

impl Scopes {
    pub(crate) fn new(symbols: usize) -> Self {
        Self { ordinary: Space::new(symbols), tags: Space::new(symbols) }
    }

    pub(crate) fn enter(&mut self) {
        self.ordinary.enter();
        self.tags.enter();
    }

    pub(crate) fn leave(&mut self) {
        self.ordinary.leave();
        self.tags.leave();
    }
}
