//! The variables of a procedure as positions: globals, its own, and what variables were at earlier visits.

use crate::program::{Procedure, Program};
use base::id::Id;
use base::intern::SymbolId;
use rustc_hash::FxHashMap;
use smt::sort::SortId;
use smt::subst::{functions, replace};
use smt::term::{Fun, FunId, Role, TermId, Terms};
use svlib::syntax::{PropertyKind, StmtId};

/// The variables of a procedure, each with its position.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Globals, inputs, outputs, locals, then snapshots.
    pub variables: Vec<FunId>,
    slots: FxHashMap<FunId, usize>,
    /// The snapshots that a visit of a statement takes: position and variable.
    taken: FxHashMap<StmtId, Vec<(usize, FunId)>>,
    /// For each statement with a ranking function: whether it was visited since its loop was entered.
    visited: FxHashMap<StmtId, usize>,
    /// The snapshot of a variable at a statement.
    at: FxHashMap<(StmtId, FunId), FunId>,
}

impl Layout {
    /// The layout of a procedure: with what its annotations look back at, and what `more` wants to know.
    #[must_use]
    pub fn of(
        terms: &mut Terms,
        program: &Program<'_>,
        proc: &Procedure,
        more: &[(StmtId, FunId)],
    ) -> Layout {
        let mut layout = Layout::default();
        for variable in program.globals.iter().copied().chain(program.own_variables(proc.id)) {
            layout.push(variable);
        }
        for stmt in proc.visited() {
            layout.looked_back(terms, program, proc, stmt);
        }
        for &(stmt, variable) in more {
            layout.snapshot(terms, program, stmt, variable);
        }
        layout
    }

    fn push(&mut self, variable: FunId) {
        if !self.slots.contains_key(&variable) {
            self.slots.insert(variable, self.variables.len());
            self.variables.push(variable);
        }
    }

    fn push_snapshot(&mut self, fun: FunId, variable: FunId, stmts: &[StmtId]) {
        self.push(fun);
        for &stmt in stmts {
            self.taken.entry(stmt).or_default().push((self.slots[&fun], variable));
        }
    }

    fn looked_back(&mut self, terms: &mut Terms, program: &Program<'_>, proc: &Procedure, stmt: StmtId) {
        let notes = program.notes(stmt).clone();
        for note in &notes.0 {
            for &term in &note.terms {
                for fun in functions(terms, term) {
                    if let Role::At(variable, tag) = terms.fun(fun).role {
                        self.at_tag(program, proc, fun, variable, tag);
                    }
                }
            }
            if matches!(note.kind, PropertyKind::Decreases | PropertyKind::DecreasesLex) {
                let visited = hidden(terms, &format!("#visited.{}", stmt.index()), SortId::BOOL);
                self.push(visited);
                self.visited.insert(stmt, self.slots[&visited]);
                let read: Vec<FunId> =
                    note.terms.iter().flat_map(|&term| variables_of(terms, term)).collect();
                for variable in read {
                    self.snapshot(terms, program, stmt, variable);
                }
            }
        }
    }

    /// An `at` term; if no statement of the procedure has the tag it stays unknown.
    fn at_tag(
        &mut self,
        program: &Program<'_>,
        proc: &Procedure,
        fun: FunId,
        variable: FunId,
        tag: SymbolId,
    ) {
        let own = |stmt: &StmtId| program.script.stmts[*stmt].proc == proc.id;
        let stmts: Vec<StmtId> = program.tagged(tag).iter().copied().filter(own).collect();
        if stmts.is_empty() || !self.slots.contains_key(&variable) {
            return;
        }
        if let [stmt] = stmts[..] {
            self.at.insert((stmt, variable), fun);
        }
        if !self.slots.contains_key(&fun) {
            self.push_snapshot(fun, variable, &stmts);
        }
    }

    /// What a variable was at the last visit of a statement, as a variable: an `at` term where one can say it.
    pub fn snapshot(
        &mut self,
        terms: &mut Terms,
        program: &Program<'_>,
        stmt: StmtId,
        variable: FunId,
    ) -> FunId {
        if let Some(&fun) = self.at.get(&(stmt, variable)) {
            return fun;
        }
        let Fun { name, result, .. } = *terms.fun(variable);
        let fun = match program.own_tag(stmt) {
            Some(tag) => at_term(terms, variable, tag),
            None => {
                let text = format!("#at.{}.{}", terms.names.text(name), stmt.index());
                hidden(terms, &text, result)
            }
        };
        self.at.insert((stmt, variable), fun);
        if !self.slots.contains_key(&fun) {
            self.push_snapshot(fun, variable, &[stmt]);
        }
        fun
    }

    /// Makes sure that these variables have positions, as far as they are the procedure's.
    pub(crate) fn include(
        &mut self,
        terms: &Terms,
        program: &Program<'_>,
        proc: &Procedure,
        variables: &[FunId],
    ) {
        for &fun in variables {
            if let Role::At(variable, tag) = terms.fun(fun).role {
                self.at_tag(program, proc, fun, variable, tag);
            }
        }
    }

    /// The snapshot of a variable at a statement, if there is one.
    #[must_use]
    pub fn snapshot_of(&self, stmt: StmtId, variable: FunId) -> Option<FunId> {
        self.at.get(&(stmt, variable)).copied()
    }

    /// The position of a variable.
    #[must_use]
    pub fn slot(&self, variable: FunId) -> Option<usize> {
        self.slots.get(&variable).copied()
    }

    /// A term with the values that its variables had at the last visit of a statement.
    pub(crate) fn at_visit(&self, terms: &mut Terms, stmt: StmtId, term: TermId) -> TermId {
        let mut map = FxHashMap::default();
        for variable in variables_of(terms, term) {
            if let Some(snapshot) = self.snapshot_of(stmt, variable) {
                map.insert(terms.constant_term(variable), terms.constant_term(snapshot));
            }
        }
        replace(terms, term, &map)
    }

    /// The position that says whether a statement with a ranking function was visited since its loop was entered.
    pub(crate) fn visited(&self, stmt: StmtId) -> Option<usize> {
        self.visited.get(&stmt).copied()
    }

    /// The snapshots that a visit of the statement takes: position and variable.
    pub fn taken_at(&self, stmt: StmtId) -> impl Iterator<Item = (usize, FunId)> + '_ {
        self.taken.get(&stmt).into_iter().flatten().copied()
    }
}

/// The `at` term of a variable and a tag as a symbol.
pub(crate) fn at_term(terms: &mut Terms, variable: FunId, tag: SymbolId) -> FunId {
    let Fun { name, result, .. } = *terms.fun(variable);
    terms.declare(Fun { name, params: Box::new([]), result, role: Role::At(variable, tag) })
}

/// A constant that no script can name.
pub(crate) fn hidden(terms: &mut Terms, text: &str, result: SortId) -> FunId {
    let name = terms.names.intern(text);
    terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free })
}

/// The program variables of a term.
pub(crate) fn variables_of(terms: &Terms, term: TermId) -> Vec<FunId> {
    let is_variable = |&fun: &FunId| matches!(terms.fun(fun).role, Role::Variable(..));
    functions(terms, term).into_iter().filter(is_variable).collect()
}
