//! From solutions of clauses to annotations.

use super::clauses::conjuncts;
use super::{Encoding, Meaning, Unknown};
use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::subst::{functions, is_closed, replace};
use smt::term::{TermId, Terms};
use solver::Solution;
use svlib::syntax::{PropertyKind, StmtId};

/// An annotation that a solution gives: conjuncts of one property at a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// The statement.
    pub stmt: StmtId,
    /// Which property.
    pub kind: PropertyKind,
    /// The formulas; all of them hold there.
    pub formulas: Vec<TermId>,
}

impl Encoding {
    /// The annotations that a solution means. A predicate that is true everywhere gives none.
    ///
    /// # Errors
    /// When something that a witness cannot say is needed, in words.
    pub fn annotations(&self, terms: &mut Terms, solutions: &[Solution]) -> Result<Vec<Annotation>, String> {
        let mut found = Vec::new();
        for unknown in &self.unknowns {
            let solution = solutions.iter().find(|s| s.predicate == unknown.predicate);
            let mut formulas: Vec<TermId> = Vec::new();
            for formula in solution.into_iter().flat_map(|solution| told(terms, unknown, solution)) {
                if !formulas.contains(&formula) {
                    formulas.push(formula);
                }
            }
            if unknown.meaning != Meaning::Untold {
                formulas.splice(0..0, unknown.known.iter().copied());
            }
            if formulas.is_empty() {
                continue;
            }
            match unknown.meaning {
                Meaning::Annotation(stmt, kind) => {
                    if formulas.iter().any(|&formula| !can_be_told(terms, formula)) {
                        return Err("what was found speaks of a statement without a tag".into());
                    }
                    found.push(Annotation { stmt, kind, formulas });
                }
                Meaning::Untold => return Err("an invariant was found for a loop without a tag".into()),
                Meaning::Inner => {}
            }
        }
        Ok(found)
    }
}

/// The conjuncts of a solution, about the program's variables.
fn told(terms: &mut Terms, unknown: &Unknown, solution: &Solution) -> Vec<TermId> {
    let mut map = FxHashMap::default();
    for (&param, &fun) in solution.params.iter().zip(&unknown.params) {
        map.insert(param, terms.constant_term(fun));
    }
    let body = replace(terms, solution.body, &map);
    conjuncts(terms, body)
}

/// True when a script can say it: names of our own making cannot be written.
fn can_be_told(terms: &Terms, formula: TermId) -> bool {
    is_closed(terms, formula)
        && terms.op(formula) != Op::Error
        && !functions(terms, formula).into_iter().any(|fun| terms.fun_name(fun).starts_with('#'))
}
