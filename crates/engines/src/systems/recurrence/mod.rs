//! Counterexamples of live properties that repeat no state: an execution ends in a state from which one *round* of steps leads
//! back into a set of states, from which the same round leads back again, and so on.
//!
//! A concrete execution shows what a round may be: its first and its last state agree in what the system asks about states,
//! and each formula of the property is violated in between. How the values of its steps depend on those at the beginning is
//! read off the formulas that hold there, or guessed; what holds there is also what the set is made of, and what a round does
//! not keep is left out. The checker is asked the same questions at the end, so every step on the way may be a guess.

mod implicant;
mod round;
mod set;

use super::session::{Execution, Stopped};
use super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use implicant::{Values, is_connective};
use round::Path;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::{constants, is_closed, postorder_of, replace};
use smt::term::{TermId, Terms};
use std::time::Duration;
use ts::passes::lasso::is_complete;
use ts::{PropertyKind, Recurrence, System, Trace};

pub(super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "recurrence",
    shows: "incorrect",
    summary: "looks for rounds of steps that violate a live property again and again without repeating a state",
    rank: 1,
    least: Kind::Other,
    share: 1,
    hints: Hints::None,
    run,
};

/// So many of the formulas about states have to be as they were.
const PREDICATES: usize = 200;
/// So many executions are looked at for each place and length of a loop.
const TRIES: usize = 4;
/// The time of one question about executions.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time for making a round of one execution.
const ROUND: Duration = Duration::from_secs(10);

fn run(terms: &mut Terms, problem: &SystemProblem<'_>) -> SystemFound {
    search(terms, problem).unwrap_or_else(SystemFound::from)
}

fn search(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let PropertyKind::Live(formulas) = &problem.property.kind else {
        return Err(Stopped("it is for live properties".into()));
    };
    let system = problem.system;
    if is_complete(terms, system) {
        return Err(Stopped("an infinite execution repeats one of finitely many states".into()));
    }
    let predicates = predicates(terms, system, formulas);
    let mut execution = Execution::begin(terms, system, true, problem.solver, &problem.budget)?;
    loop {
        execution.extend(terms)?;
        let last = execution.length - 1;
        if execution.session.is_sat_within(terms, &[], PATIENCE)? == Some(false) {
            return Err(Stopped(format!("no execution has {last} steps")));
        }
        for first in (0..last).rev() {
            let mut search = Search { problem, formulas, predicates: &predicates, execution: &mut execution };
            if let Some(trace) = search.loops(terms, first, last)? {
                return Ok(SystemFound::Violation(Box::new(trace)));
            }
        }
    }
}

/// Formulas without connectives over state variables and rigid symbols, of the steps and the property; what is asked of next
/// states alone is asked of states.
fn predicates(terms: &mut Terms, system: &System, formulas: &[TermId]) -> Vec<TermId> {
    let (mut states, mut back) = (FxHashSet::default(), FxHashMap::default());
    for state in &system.states {
        let now = terms.constant_term(state.now);
        states.insert(now);
        back.insert(terms.constant_term(state.next), now);
    }
    let rigid: FxHashSet<TermId> = system.rigid.iter().map(|&fun| terms.constant_term(fun)).collect();
    let roots = system.trans.iter().chain(&system.invar).chain(formulas).copied();
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    for term in postorder_of(terms, roots) {
        if found.len() >= PREDICATES {
            break;
        }
        let is_literal = matches!(terms.op(term), Op::True | Op::False);
        if terms.sort(term) != SortId::BOOL || is_connective(terms, term) || is_literal {
            continue;
        }
        if !is_closed(terms, term) {
            continue;
        }
        let used = constants(terms, term);
        let only = |known: &dyn Fn(&TermId) -> bool| used.iter().all(|fun| known(fun) || rigid.contains(fun));
        let predicate = if only(&|fun| states.contains(fun)) {
            term
        } else if only(&|fun| back.contains_key(fun)) {
            replace(terms, term, &back)
        } else {
            continue;
        };
        if seen.insert(predicate) {
            found.push(predicate);
        }
    }
    found
}

struct Search<'s, 'p, 'e> {
    problem: &'s SystemProblem<'p>,
    formulas: &'s [TermId],
    predicates: &'s [TermId],
    execution: &'s mut Execution<'e>,
}

impl Search<'_, '_, '_> {
    /// Looks for executions whose steps from the first to the last could be a round.
    fn loops(&mut self, terms: &mut Terms, first: usize, last: usize) -> Result<Option<Trace>, Stopped> {
        let mut question = Vec::new();
        for &predicate in self.predicates {
            let [a, b] = [first, last].map(|step| self.execution.at(terms, predicate, step));
            question.extend(terms.app(Op::Eq, &[a, b]));
        }
        for &formula in self.formulas {
            let mut violated = Vec::new();
            for step in first..last {
                let holds = self.execution.at(terms, formula, step);
                violated.push(terms.not(holds));
            }
            question.push(terms.or(&violated));
        }
        for _ in 0..TRIES {
            let asked = terms.and(&question);
            if self.execution.session.is_sat_within(terms, &[asked], PATIENCE)? != Some(true) {
                return Ok(None);
            }
            let model = self.execution.session.model(terms)?;
            let system = self.problem.system;
            let mut trace = self.execution.unrolling.trace(system, &model, last + 1);
            trace.complete(terms, system);
            if let Some(recurrence) = self.round(terms, &trace, first, last)? {
                trace.steps.truncate(first + 1);
                return Ok(Some(Trace { recurrence: Some(recurrence), ..trace }));
            }
            let other = self.other(terms, &trace, first, last);
            question.push(other);
        }
        Ok(None)
    }

    /// The set and the round that the steps of an execution are an example of.
    fn round(
        &mut self,
        terms: &mut Terms,
        trace: &Trace,
        first: usize,
        last: usize,
    ) -> Result<Option<Recurrence>, Stopped> {
        let system = self.problem.system;
        let Some(mut path) = Path::new(terms, system, self.formulas, trace, first, last) else {
            return Ok(None);
        };
        let budget = self.problem.budget.part(ROUND);
        for round in path.rounds(terms) {
            let asker = set::Asker { system, solver: self.problem.solver, budget: &budget };
            let found = match asker.set(terms, &mut path, &round, self.formulas, self.predicates) {
                // It is the time for this one that is over.
                Err(_) if budget.is_over() && !self.problem.budget.is_over() => return Ok(None),
                found => found?,
            };
            if let Some(set) = found {
                return Ok(Some(Recurrence { set, round: round.given(terms, system) }));
            }
        }
        Ok(None)
    }

    /// That an execution goes another way, as far as predicates tell.
    fn other(&mut self, terms: &mut Terms, trace: &Trace, first: usize, last: usize) -> TermId {
        let mut different = Vec::new();
        for step in first..=last {
            let mut values = Values::of(self.problem.system, trace, step);
            for &predicate in self.predicates {
                let Some(truth) = values.truth(terms, predicate) else { continue };
                let there = self.execution.at(terms, predicate, step);
                different.push(if truth { terms.not(there) } else { there });
            }
        }
        terms.or(&different)
    }
}
