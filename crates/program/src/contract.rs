//! Contracts of statements that are no bodies.

use crate::merge::State;
use crate::vc::{CONTRACT, Place};
use crate::walk::{Walk, usable};
use smt::term::FunId;
use std::collections::BTreeSet;
use svlib::code::{Op, Pc};
use svlib::syntax::{PropertyKind, StmtId, StmtKind};

impl Walk<'_, '_> {
    /// A statement with a contract: what is inside begins anywhere its precondition allows, what comes after anywhere
    /// its postcondition does.
    pub(crate) fn begin(&mut self, pc: Pc, stmt: StmtId, mut state: State) {
        let notes = self.program.notes(stmt);
        if stmt == self.proc.body || !notes.has_contract() {
            return self.go(Some(pc), pc + 1, state);
        }
        let place = Place { proc: self.proc.id, pc: Some(pc), stmt, back: false };
        self.check(place, PropertyKind::Requires, &mut state);
        let nodes = self.program.extent(self.proc, stmt);
        let mut inside = state.clone();
        let modified = self.forget(&mut inside, &nodes);
        for note in usable(self.terms, notes, PropertyKind::Requires, &CONTRACT, &|| modified.clone()) {
            self.assume_all(&note.terms, &mut inside);
        }
        self.go(Some(pc), pc + 1, inside);
        let Some(end) = self.graph.replaced[pc] else { return };
        let mut after = state.clone();
        self.forget(&mut after, &nodes);
        for slot in self.taken_at_begin(stmt, &nodes) {
            after.set(slot.0, state.env[slot.1]);
        }
        self.assume_promises(stmt, &modified, &mut after);
        self.go(Some(pc), end + 1, after);
    }

    /// The snapshots that a statement takes when it begins and that nothing inside takes again, each with the position
    /// of its variable. A `while` takes them in each round.
    fn taken_at_begin(&self, stmt: StmtId, nodes: &[Pc]) -> Vec<(usize, usize)> {
        if let StmtKind::While(..) = self.program.script.stmts[stmt].kind {
            return Vec::new();
        }
        let inner: Vec<Pc> =
            nodes.iter().copied().filter(|&pc| self.proc.code.instrs[pc].stmt != stmt).collect();
        let again = self.snapshots_in(&inner);
        let taken = self.layout.taken_at(stmt).filter(|(slot, _)| !again.contains(slot));
        taken.filter_map(|(slot, variable)| Some((slot, self.layout.slot(variable)?))).collect()
    }

    fn assume_promises(&mut self, stmt: StmtId, modified: &BTreeSet<FunId>, state: &mut State) {
        let kind = PropertyKind::Ensures;
        for note in usable(self.terms, self.program.notes(stmt), kind, &[kind], &|| modified.clone()) {
            self.assume_all(&note.terms, state);
        }
    }

    /// Behind a statement with a contract of the task that is not replaced (control may come into it from the side)
    /// nothing but the contract is known about what it modifies, either.
    pub(crate) fn keep_promise_only(&mut self, stmt: StmtId, state: &mut State) {
        if stmt == self.proc.body || !self.program.notes(stmt).task_has(PropertyKind::Ensures) {
            return;
        }
        let mut nodes = self.program.extent(self.proc, stmt);
        nodes.retain(|&pc| {
            self.proc.code.instrs[pc].op != Op::Visit || self.proc.code.instrs[pc].stmt != stmt
        });
        let modified = self.forget(state, &nodes);
        self.assume_promises(stmt, &modified, state);
    }
}
