//! Keeping the meaning of names when `let` and `match` are put in place.
//!
//! In `(let ((y x)) (forall ((x Int)) (= x y)))` the outer `x` would move under a binder of `x`, and the term,
//! when printed, would mean something else. So a name bound by `let` remembers which binders were open, and when
//! it is used below further binders that hide something, its value is looked through for what they hide. If
//! there is any, the whole term is read once more with other names for all variables that hide something. That is
//! rare, and what is not captured keeps its name, on which printing and reading back to the same term relies.

use super::Parser;
use crate::op::{OPS, Op};
use crate::scope::Binding;
use crate::term::{Role, TermId, Terms};
use base::intern::SymbolId;
use rustc_hash::FxHashMap;

/// What open binders hide, and whether something was caught.
#[derive(Default)]
pub(super) struct Capture {
    /// True in the second pass.
    pub(super) rename: bool,
    /// Some value changed its meaning.
    pub(super) caught: bool,
    /// Names of variables of open binders that mean something outside, with the position of the same name before.
    hidden: Vec<(SymbolId, Option<u32>)>,
    /// The last position of a name in `hidden`.
    last: FxHashMap<SymbolId, Option<u32>>,
    /// Operators whose names were hidden at any time.
    ops: Vec<(Op, SymbolId)>,
    /// The names free in a term that were hidden at any time.
    free: FxHashMap<TermId, Vec<SymbolId>>,
    /// The last number used for a new name.
    numbers: FxHashMap<SymbolId, u32>,
}

impl Capture {
    pub(super) fn clear(&mut self) {
        // A large table is dropped, because clearing it for each small term that follows would cost its size.
        let rename = self.rename;
        if self.last.capacity() + self.free.capacity() + self.numbers.capacity() > 0 {
            *self = Capture { rename, ..Capture::default() };
        }
        self.hidden.clear();
        self.ops.clear();
        self.caught = false;
    }

    /// How many variables of open binders hide something.
    pub(super) fn depth(&self) -> u32 {
        self.hidden.len() as u32
    }

    fn hide(&mut self, terms: &Terms, name: SymbolId) {
        let position = self.hidden.len() as u32;
        let before = match self.last.get(&name) {
            Some(&before) => before,
            None => {
                // A name that was not looked for until now: nothing is known about it.
                self.free.clear();
                let text = terms.names.text(name);
                self.ops.extend(OPS.iter().filter(|info| info.name == text).map(|info| (info.op, name)));
                None
            }
        };
        self.hidden.push((name, before));
        self.last.insert(name, Some(position));
    }

    /// Closes binders until `depth` hidden names are left.
    pub(super) fn unhide(&mut self, depth: u32) {
        while self.hidden.len() > depth as usize {
            if let Some((name, before)) = self.hidden.pop() {
                self.last.insert(name, before);
            }
        }
    }

    /// True when a binder younger than `depth` hides something of `value`.
    fn catches(&mut self, terms: &Terms, value: TermId, depth: u32) -> bool {
        let mut todo = vec![(value, false)];
        while let Some((term, ready)) = todo.pop() {
            if self.free.contains_key(&term) {
                continue;
            }
            let args = terms.args(term);
            if ready || args.is_empty() {
                let names = self.free_names(terms, term);
                self.free.insert(term, names);
            } else {
                todo.push((term, true));
                todo.extend(args.iter().map(|&arg| (arg, false)));
            }
        }
        let hidden = |name: &SymbolId| self.last.get(name).copied().flatten().is_some_and(|at| at >= depth);
        self.free.get(&value).is_some_and(|names| names.iter().any(hidden))
    }

    /// The looked-for names that are free in a term, whose arguments are done.
    fn free_names(&self, terms: &Terms, term: TermId) -> Vec<SymbolId> {
        let (op, args) = (terms.op(term), terms.args(term));
        let mut names: Vec<SymbolId> = Vec::new();
        for &name in args.iter().filter_map(|arg| self.free.get(arg)).flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if op.is_binder() {
            names
                .retain(|&name| !args[..args.len() - 1].iter().any(|&var| terms.variable(var) == Some(name)));
        }
        let written = match terms.applied(term).map(|fun| terms.fun(fun)) {
            Some(fun) if matches!(fun.role, Role::Tester(_)) => None,
            Some(fun) => Some(fun.name),
            None => terms.variable(term),
        };
        names.extend(written.filter(|name| self.last.contains_key(name)));
        names.extend(self.ops.iter().filter(|(hidden, _)| *hidden == op).map(|(_, name)| *name));
        names
    }
}

/// Operators that the parser puts into terms by itself, under whatever binder it happens to be.
const IMPLICIT: &[Op] = &[Op::Sub, Op::ToReal, Op::Select, Op::Ite];

impl Parser<'_> {
    /// A binder is about to use `name`: the name to write instead.
    pub(super) fn hide(&mut self, name: SymbolId) -> SymbolId {
        let outer = self.scope.get(name);
        if outer == Binding::None {
            return name;
        }
        let text = self.terms.names.text(name);
        if self.stack.capture.rename || IMPLICIT.iter().any(|op| op.name() == text) {
            return self.fresh(name);
        }
        self.stack.capture.hide(self.terms, name);
        name
    }

    fn fresh(&mut self, name: SymbolId) -> SymbolId {
        let text = self.terms.names.text(name).to_string();
        let number = self.stack.capture.numbers.entry(name).or_insert(0);
        loop {
            *number += 1;
            let fresh = self.terms.names.intern(&format!("{text}!{number}"));
            if self.scope.get(fresh) == Binding::None {
                return fresh;
            }
        }
    }

    /// Called for each use of a name bound by `let` or `match` when `depth` names were hidden.
    pub(super) fn watch(&mut self, value: TermId, depth: u32) {
        let capture = &mut self.stack.capture;
        if depth < capture.depth() && !capture.caught {
            capture.caught = capture.catches(self.terms, value, depth);
        }
    }

    /// Called when the parser applies a function that the text does not name.
    pub(super) fn watch_implicit(&mut self, name: SymbolId) {
        let capture = &mut self.stack.capture;
        capture.caught |= capture.last.get(&name).is_some_and(Option::is_some);
    }
}
