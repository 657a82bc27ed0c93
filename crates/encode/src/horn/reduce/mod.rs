//! Smaller clauses with the same answer, and the way back to annotations of the program as it is.
//!
//! Arguments that are the same constant wherever a predicate can be derived are put in place ([`constants`]); with them
//! conditions that can be computed, and predicates that nothing derives any more: code that is never reached.
//! Arguments and meeting ways' values that decide nothing are left out ([`relevance`]). Engines find small predicates
//! sooner, and solvers' own reductions do not say what the predicates were that they took away.

mod clause;
mod constants;
mod relevance;

use super::{Encoding, Unknown};
use clause::Clause;
use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use solver::HornProblem;

impl Encoding {
    /// The encoding with smaller predicates and fewer clauses. It has a solution exactly if this one has, and its
    /// annotations are valid for the same program.
    #[must_use]
    pub fn reduced(&self, terms: &mut Terms) -> Encoding {
        let numbers: FxHashMap<FunId, usize> =
            self.unknowns.iter().enumerate().map(|(number, unknown)| (unknown.predicate, number)).collect();
        let mut clauses = Vec::new();
        for &clause in &self.problem.clauses {
            match Clause::read(terms, clause, &numbers) {
                Some(clause) => clauses.push(clause),
                // A form that is not known here stays as it is, and so does everything else.
                None => return self.clone(),
            }
        }
        let arities: Vec<usize> = self.unknowns.iter().map(|unknown| unknown.params.len()).collect();
        let values = constants::propagate(terms, &mut clauses, &arities);
        let relevant = relevance::slice(terms, &mut clauses, &values, &arities);
        let mut reduced = Encoding { coarse: self.coarse.clone(), ..Encoding::default() };
        for (number, unknown) in self.unknowns.iter().enumerate() {
            let kept = |&i: &usize| relevant[number][i];
            let params: Vec<FunId> =
                (0..unknown.params.len()).filter(kept).map(|i| unknown.params[i]).collect();
            let known = match &values[number] {
                None => vec![TermId::FALSE],
                Some(values) => known(terms, &unknown.params, values),
            };
            let Fun { name, .. } = *terms.fun(unknown.predicate);
            let sorts = params.iter().map(|&param| terms.fun(param).result).collect();
            let predicate =
                terms.declare(Fun { name, params: sorts, result: SortId::BOOL, role: Role::Free });
            reduced.problem.predicates.push(predicate);
            reduced.unknowns.push(Unknown { predicate, params, known, meaning: unknown.meaning });
        }
        reduced.problem.clauses = self.written(terms, &clauses, &reduced.problem, &relevant);
        reduced
    }

    fn written(
        &self,
        terms: &mut Terms,
        clauses: &[Clause],
        problem: &HornProblem,
        relevant: &[Vec<bool>],
    ) -> Vec<TermId> {
        let mut found: Vec<TermId> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        for clause in clauses {
            let written = clause.write(terms, &problem.predicates, relevant);
            if written != TermId::TRUE && seen.insert(written) {
                found.push(written);
            }
        }
        found
    }
}

/// What constant arguments mean: formulas about the variables.
fn known(terms: &mut Terms, params: &[FunId], values: &[Option<TermId>]) -> Vec<TermId> {
    let mut found = Vec::new();
    for (&param, value) in params.iter().zip(values) {
        let param = terms.constant_term(param);
        match *value {
            None => {}
            Some(TermId::TRUE) => found.push(param),
            Some(TermId::FALSE) => found.push(terms.not(param)),
            Some(value) => found.extend(terms.app(Op::Eq, &[param, value]).ok()),
        }
    }
    found
}
