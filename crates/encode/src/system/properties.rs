//! What a query claims, by statement.

use super::Unsupported;
use program::{Program, recurring_groups};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::subst::functions;
use smt::term::{FunId, Role, TermId, Terms};
use svlib::syntax::{PropertyKind, StmtId};

/// The properties of a query.
#[derive(Debug, Default)]
pub(super) struct Claims {
    /// True when something is to be checked on the way.
    pub(super) checks: bool,
    /// True when something must not be visited again and again.
    pub(super) not_recurring: bool,
    /// What must be visited again and again: for each property its statements.
    pub(super) recurring: Vec<FxHashSet<StmtId>>,
    /// The `at` terms, with their variables and the statements whose visits give them their values.
    pub(super) remembered: Vec<(FunId, FunId, Vec<StmtId>)>,
    /// What is checked when the entry begins, when it is over, and at each visit of a statement.
    pub(super) begin: Vec<TermId>,
    pub(super) end: Vec<TermId>,
    pub(super) visit: FxHashMap<StmtId, Vec<TermId>>,
    pub(super) shunned: FxHashSet<StmtId>,
}

impl Claims {
    pub(super) fn of(terms: &Terms, program: &Program<'_>) -> Result<Claims, Unsupported> {
        let mut claims = Claims::default();
        let entry = program.proc(program.entry.proc).filter(|_| program.entry.only).map(|proc| proc.body);
        for stmt in program.annotated() {
            for note in &program.notes(stmt).0 {
                let place = match note.kind {
                    PropertyKind::CheckTrue => claims.visit.entry(stmt).or_default(),
                    // Nothing else comes to the entry, so its contract replaces nothing.
                    PropertyKind::Requires if entry == Some(stmt) => &mut claims.begin,
                    PropertyKind::Ensures if entry == Some(stmt) => &mut claims.end,
                    PropertyKind::NotRecurring => {
                        claims.not_recurring = true;
                        claims.shunned.insert(stmt);
                        continue;
                    }
                    PropertyKind::Recurring => continue,
                    kind => return Err(Unsupported::Modular(kind.keyword())),
                };
                place.extend(&note.terms);
                claims.checks = true;
                for &term in &note.terms {
                    claims.remember(terms, program, stmt, term)?;
                }
            }
        }
        claims.recurring = recurring_groups(program);
        Ok(claims)
    }

    fn remember(
        &mut self,
        terms: &Terms,
        program: &Program<'_>,
        stmt: StmtId,
        term: TermId,
    ) -> Result<(), Unsupported> {
        let proc = program.script.stmts[stmt].proc;
        for fun in functions(terms, term) {
            let Role::At(variable, tag) = terms.fun(fun).role else { continue };
            let stmts = program.tagged(tag).to_vec();
            if stmts.iter().any(|&other| program.script.stmts[other].proc != proc) {
                return Err(Unsupported::LooksBack(terms.names.text(tag).into()));
            }
            if !self.remembered.iter().any(|(known, ..)| *known == fun) {
                self.remembered.push((fun, variable, stmts));
            }
        }
        Ok(())
    }
}
