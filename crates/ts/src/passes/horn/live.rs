//! Which arguments of predicates matter: the others may be anything, so a system does not remember them.
//!
//! Files that come from programs give every predicate all variables of a procedure, also those that have no value yet and
//! those that are not used any more. An argument matters if a clause asks something about it, or puts it into one that matters.

use super::Clause;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::term::{FunId, TermId, Terms};

/// An argument: the predicate, and its place.
type Argument = (FunId, usize);

/// The arguments that matter.
pub(super) struct Live {
    found: FxHashSet<Argument>,
}

impl Live {
    /// What matters in linear clauses.
    pub(super) fn of(terms: &Terms, clauses: &[Clause]) -> Live {
        let mut live = Live { found: FxHashSet::default() };
        // What matters once an argument of a head does.
        let mut rests: FxHashMap<Argument, Vec<Argument>> = FxHashMap::default();
        let mut todo = Vec::new();
        for clause in clauses {
            let Some(&atom) = clause.atoms.first() else { continue };
            let asked = asked(terms, clause);
            let mut places: FxHashMap<TermId, Vec<Argument>> = FxHashMap::default();
            for (i, &arg) in terms.args(atom).iter().enumerate() {
                let Some(predicate) = terms.applied(atom) else { continue };
                if terms.variable(arg).is_none() {
                    todo.push((predicate, i));
                }
                for var in below(terms, [arg]) {
                    places.entry(var).or_default().push((predicate, i));
                }
            }
            for (var, places) in &places {
                // A variable that stands twice asks whether both are equal.
                if asked.contains(var) || places.len() > 1 {
                    todo.extend(places);
                }
            }
            for (i, &arg) in clause.head.iter().flat_map(|&head| terms.args(head).iter().enumerate()) {
                let Some(predicate) = clause.head.and_then(|head| terms.applied(head)) else { continue };
                let rest = rests.entry((predicate, i)).or_default();
                rest.extend(below(terms, [arg]).iter().filter_map(|var| places.get(var)).flatten());
            }
        }
        while let Some(argument) = todo.pop() {
            if live.found.insert(argument) {
                todo.extend(rests.get(&argument).into_iter().flatten());
            }
        }
        live
    }

    pub(super) fn matters(&self, predicate: FunId, place: usize) -> bool {
        self.found.contains(&(predicate, place))
    }

    /// The variables of a clause that its constraints or arguments that matter speak of.
    pub(super) fn variables(&self, terms: &Terms, clause: &Clause) -> FxHashSet<TermId> {
        let mut found = asked(terms, clause);
        for &atom in clause.atoms.iter().chain(&clause.head) {
            let Some(predicate) = terms.applied(atom) else { continue };
            let args = terms.args(atom).iter().enumerate();
            let args = args.filter(|(i, _)| self.matters(predicate, *i)).map(|(_, &arg)| arg);
            found.extend(below(terms, args));
        }
        found
    }
}

/// The variables that the constraints of a clause speak of.
fn asked(terms: &Terms, clause: &Clause) -> FxHashSet<TermId> {
    below(terms, clause.constraints.iter().copied())
}

/// The variables below some terms, bound ones included.
fn below(terms: &Terms, roots: impl IntoIterator<Item = TermId>) -> FxHashSet<TermId> {
    let (mut todo, mut seen): (Vec<TermId>, FxHashSet<TermId>) =
        (roots.into_iter().collect(), FxHashSet::default());
    let mut found = FxHashSet::default();
    while let Some(term) = todo.pop() {
        if !terms.has_vars(term) || !seen.insert(term) {
            continue;
        }
        if terms.variable(term).is_some() {
            found.insert(term);
        }
        todo.extend(terms.args(term));
    }
    found
}
