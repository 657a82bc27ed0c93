//! Bound variables and remembered values.
//!
//! Scopes are nested like the calls and instances they belong to, so the variables of all of them lie in one
//! list. A function's body sees its parameters only; the body of a quantifier also sees what is around it.

use crate::term::TermId;
use crate::value::Value;
use rustc_hash::FxHashMap;

struct Scope {
    /// Where its own variables begin.
    start: usize,
    /// Where the variables that it sees begin.
    visible: usize,
    /// The innermost scope around it, or itself, that is no instance of a binder.
    home: usize,
    values: FxHashMap<TermId, Value>,
}

/// The scopes that are open.
#[derive(Default)]
pub(super) struct Scopes {
    vars: Vec<(TermId, Value)>,
    scopes: Vec<Scope>,
}

impl Scopes {
    pub(super) fn clear(&mut self) {
        self.vars.clear();
        self.scopes.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.scopes.len()
    }

    /// Opens the scope of a function's body.
    pub(super) fn open_call(&mut self, vars: impl Iterator<Item = (TermId, Value)>) {
        let start = self.vars.len();
        self.vars.extend(vars);
        let home = self.scopes.len();
        self.scopes.push(Scope { start, visible: start, home, values: FxHashMap::default() });
    }

    /// Opens the scope of an instance of a binder.
    pub(super) fn open_instance(&mut self, vars: impl Iterator<Item = (TermId, Value)>) {
        let (visible, home) = self.scopes.last().map_or((0, 0), |scope| (scope.visible, scope.home));
        let start = self.vars.len();
        self.vars.extend(vars);
        self.scopes.push(Scope { start, visible, home, values: FxHashMap::default() });
    }

    pub(super) fn close(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            self.vars.truncate(scope.start);
        }
    }

    /// The value of a bound variable.
    pub(super) fn variable(&self, var: TermId) -> Option<&Value> {
        let visible = self.scopes.last().map_or(0, |scope| scope.visible);
        self.vars[visible..].iter().rev().find(|(bound, _)| *bound == var).map(|(_, value)| value)
    }

    /// The scope in which the value of a term is remembered, if it is. What does not depend on an instance is
    /// remembered outside of it and thus evaluated once for all instances.
    pub(super) fn place(&self, shared: bool, open: bool) -> Option<usize> {
        let top = self.scopes.len().checked_sub(1)?;
        let home = self.scopes[top].home;
        match (open, shared) {
            (false, _) if home != top => Some(home),
            (_, true) => Some(top),
            _ => None,
        }
    }

    pub(super) fn remembered(&self, place: usize, term: TermId) -> Option<&Value> {
        self.scopes.get(place)?.values.get(&term)
    }

    pub(super) fn remember(&mut self, place: usize, term: TermId, value: Value) {
        if let Some(scope) = self.scopes.get_mut(place) {
            scope.values.insert(term, value);
        }
    }
}
