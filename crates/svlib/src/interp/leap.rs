//! Where a trace may leap: at statements that annotations of the task abstract (section 7.3). Anywhere else a leap would
//! show violations of correct programs.

use super::calls;
use super::modified::{inside, modified};
use super::task::Task;
use crate::syntax::{PropertyKind, StmtId, StmtKind};
use smt::term::FunId;
use std::collections::BTreeSet;

/// The annotations that stand for a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Abstraction {
    /// An `:invariant` of a loop head: each visit may happen in any state that it allows.
    Invariant,
    /// `:requires` or `:ensures`: the statement may begin in any state that `:requires` allows.
    Contract,
}

impl Task<'_> {
    pub(super) fn is_invariant(&self, number: usize) -> bool {
        self.property(number).property.kind == PropertyKind::Invariant
    }

    /// What stands for a statement; an invariant if there are both.
    pub(super) fn abstraction(&self, stmt: StmtId) -> Option<Abstraction> {
        let point = self.point(stmt)?;
        let is_head = matches!(self.script.stmts[stmt].kind, StmtKind::While(..) | StmtKind::Label(_));
        if is_head && point.visit.iter().any(|&number| self.is_invariant(number)) {
            return Some(Abstraction::Invariant);
        }
        let contract = !point.requires.is_empty() || !point.ensures.is_empty();
        contract.then_some(Abstraction::Contract)
    }

    /// The variables that a leap at a statement may set.
    #[must_use]
    pub fn leap_variables(&self, stmt: StmtId) -> BTreeSet<FunId> {
        match self.abstraction(stmt) {
            Some(Abstraction::Contract) => self.modified_inside(stmt),
            _ => {
                // Other calls of a recursive procedure, with other inputs, are no rounds of its loop.
                let inputs = &self.script.procs[self.script.stmts[stmt].proc].inputs;
                let mut found = modified(self.script, stmt);
                found.retain(|variable| !inputs.contains(variable));
                found
            }
        }
    }

    /// The variables that a statement modifies itself: what happens on a way from a loop head back to it by way of
    /// other statements is no business of its contract.
    fn modified_inside(&self, stmt: StmtId) -> BTreeSet<FunId> {
        let script = self.script;
        let is_loop =
            |stmt: &StmtId| matches!(script.stmts[*stmt].kind, StmtKind::While(..) | StmtKind::Label(_));
        let inner = inside(script, stmt)
            .into_iter()
            .filter(|inner| !is_loop(inner) && script.children(*inner).is_empty());
        let mut found: BTreeSet<FunId> = inner.flat_map(|inner| modified(script, inner)).collect();
        let proc = script.stmts[stmt].proc;
        if script.procs[proc].body == Some(stmt) && calls::is_recursive(script, proc) {
            found.extend(&script.procs[proc].inputs);
        }
        found
    }
}
