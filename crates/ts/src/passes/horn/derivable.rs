//! Horn clauses without the predicates that nothing derives.
//!
//! A predicate has facts only if it is the head of a clause whose body is about predicates that have facts, whatever the
//! constraints say. All others are `false` in the least solution, and clauses with one of them in the body hold then. They
//! are left out: solvers leave them out as well, but do not say what became of them.

use super::{Clause, Deduction, Meaning};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::horn::HornProblem;
use smt::term::{FunId, TermId, Terms};

/// Clauses about predicates that may have facts, and the way back.
#[derive(Clone, Debug)]
pub struct Derivable {
    /// The clauses that are left.
    pub problem: HornProblem,
    /// Where they were.
    places: Vec<usize>,
    /// All predicates.
    predicates: Vec<FunId>,
}

/// The clauses that may be applied at all; none when a clause is not understood.
#[must_use]
pub fn derivable(terms: &mut Terms, problem: &HornProblem) -> Option<Derivable> {
    let predicates: FxHashSet<FunId> = problem.predicates.iter().copied().collect();
    let mut rules = Vec::new();
    for &clause in &problem.clauses {
        let clause = Clause::of(terms, &predicates, clause)?;
        let body = clause.atoms.iter().filter_map(|&atom| terms.applied(atom)).collect();
        rules.push(Rule { body, head: clause.head.and_then(|head| terms.applied(head)) });
    }
    let facts = with_facts(&rules);
    let applies = |rule: &Rule| rule.body.iter().all(|predicate| facts.contains(predicate));
    let places: Vec<usize> = (0..rules.len()).filter(|&at| applies(&rules[at])).collect();
    let clauses = places.iter().map(|&at| problem.clauses[at]).collect();
    let left = problem.predicates.iter().copied().filter(|predicate| facts.contains(predicate)).collect();
    let left = HornProblem { predicates: left, clauses };
    Some(Derivable { problem: left, places, predicates: problem.predicates.clone() })
}

/// The predicates of a clause.
struct Rule {
    body: Vec<FunId>,
    head: Option<FunId>,
}

/// The least set of predicates that has the head of each rule whose body is in it.
fn with_facts(rules: &[Rule]) -> FxHashSet<FunId> {
    let mut missing: Vec<usize> = rules.iter().map(|rule| rule.body.len()).collect();
    let mut users: FxHashMap<FunId, Vec<usize>> = FxHashMap::default();
    for (at, rule) in rules.iter().enumerate() {
        for &predicate in &rule.body {
            users.entry(predicate).or_default().push(at);
        }
    }
    let mut found = FxHashSet::default();
    let mut ready: Vec<usize> = (0..rules.len()).filter(|&at| missing[at] == 0).collect();
    while let Some(at) = ready.pop() {
        let Some(head) = rules[at].head.filter(|&head| found.insert(head)) else { continue };
        for &user in users.get(&head).into_iter().flatten() {
            missing[user] -= 1;
            if missing[user] == 0 {
                ready.push(user);
            }
        }
    }
    found
}

impl Derivable {
    /// The solution of all clauses that a solution of those that are left is.
    #[must_use]
    pub fn solution(&self, terms: &mut Terms, solution: Vec<Meaning>) -> Vec<Meaning> {
        let left: FxHashSet<FunId> = self.problem.predicates.iter().copied().collect();
        let mut given: FxHashMap<FunId, Meaning> =
            solution.into_iter().map(|meaning| (meaning.predicate, meaning)).collect();
        let mut found = Vec::new();
        for &predicate in &self.predicates {
            if left.contains(&predicate) {
                found.extend(given.remove(&predicate));
            } else {
                found.push(nothing(terms, predicate));
            }
        }
        found
    }

    /// The derivation from all clauses that a derivation from those that are left is.
    #[must_use]
    pub fn derivation(&self, mut derivation: Vec<Deduction>) -> Vec<Deduction> {
        for deduction in &mut derivation {
            deduction.applied.clause = self.places[deduction.applied.clause];
        }
        derivation
    }
}

/// A predicate without facts.
fn nothing(terms: &mut Terms, predicate: FunId) -> Meaning {
    let sorts = terms.fun(predicate).params.clone();
    let params = sorts.iter().enumerate().map(|(i, &sort)| {
        let name = terms.names.intern(&format!("x!{i}"));
        terms.var(name, sort)
    });
    Meaning { predicate, params: params.collect(), body: TermId::FALSE }
}
