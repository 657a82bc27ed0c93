//! Predicates that are `true` in a solution although they have no facts.
//!
//! A solver takes predicates away for which it sees that constraints exclude all facts, and says `true` of them afterwards,
//! as if it had not met them. That is no solution where a clause uses them. So all predicates that are `true` are taken for
//! `false`, until a clause gives one of them a fact; then that one is `true` again. What was a solution stays one: bodies
//! only hold more seldom, and the clauses whose heads become `false` are asked about.

use super::HornTask;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::subst::replace;
use smt::term::{FunId, TermId, Terms};
use solver::{FullSolver, Limits, SolverError};
use std::collections::VecDeque;
use ts::passes::horn::{Clause, Ground, Meaning};

/// What may be spent on the question whether a clause gives a fact.
const EFFORT: u32 = 1_000_000;

/// Makes predicates `false` that are `true` and have no facts. If that is not found out they stay `true`.
pub(super) fn settle(terms: &mut Terms, task: &HornTask<'_>, solution: &mut [Meaning]) {
    let mut empty: FxHashSet<FunId> = FxHashSet::default();
    empty.extend(solution.iter().filter(|m| m.body == TermId::TRUE).map(|meaning| meaning.predicate));
    if empty.is_empty() || without_facts(terms, task, solution, &mut empty).is_none() {
        return;
    }
    for meaning in solution.iter_mut().filter(|meaning| empty.contains(&meaning.predicate)) {
        meaning.body = TermId::FALSE;
    }
}

/// Takes the predicates out that a clause may give a fact; none if there is no telling.
fn without_facts(
    terms: &mut Terms,
    task: &HornTask<'_>,
    solution: &[Meaning],
    empty: &mut FxHashSet<FunId>,
) -> Option<()> {
    let predicates: FxHashSet<FunId> = task.problem.predicates.iter().copied().collect();
    let mut clauses = Vec::new();
    for &clause in &task.problem.clauses {
        clauses.push(Clause::of(terms, &predicates, clause)?);
    }
    let head = |terms: &Terms, clause: &Clause| clause.head.and_then(|head| terms.applied(head));
    let mut users: FxHashMap<FunId, Vec<usize>> = FxHashMap::default();
    let mut todo = VecDeque::new();
    for (at, clause) in clauses.iter().enumerate() {
        if head(terms, clause).is_some_and(|head| empty.contains(&head)) {
            todo.push_back(at);
            for predicate in clause.atoms.iter().filter_map(|&atom| terms.applied(atom)) {
                users.entry(predicate).or_default().push(at);
            }
        }
    }
    let meanings: FxHashMap<FunId, &Meaning> = solution.iter().map(|m| (m.predicate, m)).collect();
    let mut solver = solver::open(task.solver).ok()?;
    while let Some(at) = todo.pop_front() {
        let Some(head) = head(terms, &clauses[at]).filter(|head| empty.contains(head)) else { continue };
        if task.budget.is_over() {
            return None;
        }
        if gives(terms, task, &mut *solver, &clauses[at], &meanings, empty).ok()? {
            empty.remove(&head);
            todo.extend(users.get(&head).into_iter().flatten());
        }
    }
    Some(())
}

/// True unless it is known that a clause gives no fact.
fn gives(
    terms: &mut Terms,
    task: &HornTask<'_>,
    solver: &mut dyn FullSolver,
    clause: &Clause,
    meanings: &FxHashMap<FunId, &Meaning>,
    empty: &FxHashSet<FunId>,
) -> Result<bool, SolverError> {
    let is_empty = |&atom: &TermId| terms.applied(atom).is_some_and(|fun| empty.contains(&fun));
    if clause.atoms.iter().any(is_empty) {
        return Ok(false);
    }
    let clause = Ground::of(terms, clause);
    let mut formulas = clause.constraints;
    for atom in clause.atoms {
        let Some(meaning) = terms.applied(atom).and_then(|fun| meanings.get(&fun)) else { return Ok(true) };
        let map = meaning.params.iter().copied().zip(terms.args(atom).iter().copied()).collect();
        formulas.push(replace(terms, meaning.body, &map));
    }
    let mut limits = task.budget.remaining().map_or_else(Limits::default, Limits::time);
    limits.resources = Some(EFFORT);
    solver.limits(limits)?;
    solver.push()?;
    for formula in formulas {
        solver.assert(terms, formula)?;
    }
    let answer = solver.check(terms, &[])?;
    solver.pop()?;
    Ok(!answer.is_unsat())
}
