//! Infinite executions that repeat no state: the finite part is evaluated, rounds are put to a solver.
//!
//! The execution ends in a state of the set. From every state of the set the round, whose steps are terms, has to be one of
//! the system, has to violate each formula of the live property, and has to end in the set. So there is an infinite execution
//! that violates each of them again and again.

use crate::replay::{Judged, Rejection};
use crate::system::Asked;
use base::budget::Budget;
use rustc_hash::FxHashMap;
use smt::subst::replace;
use smt::term::{TermId, Terms};
use solver::FullSolver;
use ts::trace::Fault;
use ts::{Property, PropertyKind, Recurrence, System, Trace};

type Map = FxHashMap<TermId, TermId>;

/// Judges a counterexample of a live property that goes on with rounds.
pub fn check_recurrence(
    terms: &mut Terms,
    system: &System,
    property: &Property,
    trace: &Trace,
    solver: &mut dyn FullSolver,
    budget: &Budget,
) -> Judged {
    let rejected = |reason: &str| Judged::Rejected(Rejection::Condition(reason.into()));
    let PropertyKind::Live(formulas) = &property.kind else {
        return rejected("rounds are about live properties, and the property is none");
    };
    let Some(recurrence) = trace.recurrence.as_ref().filter(|_| trace.back.is_none()) else {
        return rejected("either steps come again with the same values, or rounds go on for ever");
    };
    if let Some(flaw) = recurrence.flaw(terms, system) {
        return rejected(&flaw);
    }
    let begins =
        trace.is_execution(terms, system).and_then(|()| trace.ends_in(terms, system, recurrence.set));
    match begins {
        Ok(true) => {}
        Ok(false) => return rejected("the last state of the execution is not in the recurrent set"),
        Err(fault @ Fault::Unevaluated(..)) => return Judged::Open(fault.message(terms)),
        Err(fault) => return Judged::Rejected(Rejection::OtherEnd(fault.message(terms))),
    }
    let demands = demands(terms, system, formulas, recurrence);
    let known: Vec<TermId> = system.axioms.iter().copied().chain([recurrence.set]).collect();
    let mut asked = Asked::new(terms, system, solver, budget);
    for (goal, otherwise) in demands {
        let judged = asked.implied(&known, goal, &otherwise);
        if judged != Judged::Confirmed {
            return judged;
        }
    }
    Judged::Confirmed
}

/// What the set has to imply, and what is wrong otherwise.
fn demands(
    terms: &mut Terms,
    system: &System,
    formulas: &[TermId],
    recurrence: &Recurrence,
) -> Vec<(TermId, String)> {
    let steps = steps(terms, system, recurrence);
    let last = steps.len() - 1;
    let mut demands = Vec::new();
    for (number, step) in steps[..last].iter().enumerate() {
        let around = around(terms, system, step, &steps[number + 1]);
        for &invar in &system.invar {
            let goal = replace(terms, invar, step);
            demands.push((goal, format!("step {number} of the round breaks an invariant constraint")));
        }
        for &trans in &system.trans {
            let goal = replace(terms, trans, &around);
            demands.push((goal, format!("step {number} of the round does not lead to the next one")));
        }
    }
    for &formula in formulas {
        let mut violated = Vec::with_capacity(last);
        for step in &steps[..last] {
            let there = replace(terms, formula, step);
            violated.push(terms.not(there));
        }
        demands.push((terms.or(&violated), "the round may never violate a formula of the property".into()));
    }
    let again = replace(terms, recurrence.set, &steps[last]);
    demands.push((again, "the round may leave the recurrent set".into()));
    demands
}

/// State variables and inputs in each step of a round, as terms over the state variables in its first step.
fn steps(terms: &mut Terms, system: &System, recurrence: &Recurrence) -> Vec<Map> {
    let mut steps: Vec<Map> = Vec::with_capacity(recurrence.round.len());
    for given in &recurrence.round {
        let mut step = Map::default();
        for state in &system.states {
            let now = terms.constant_term(state.now);
            let before = steps.last().map_or(now, |before| before[&now]);
            step.insert(now, given.get(&state.now).copied().unwrap_or(before));
        }
        for &input in &system.inputs {
            let term = terms.constant_term(input);
            let value = given.get(&input).copied().unwrap_or_else(|| {
                // Whatever it is: a constant of which nothing is known.
                let (name, sort) = (terms.fun_name(input).to_owned(), terms.fun(input).result);
                let any = terms.fresh(&name, sort);
                terms.constant_term(any)
            });
            step.insert(term, value);
        }
        steps.push(step);
    }
    steps
}

/// A step and the state after it, under the names of next versions.
fn around(terms: &mut Terms, system: &System, step: &Map, next: &Map) -> Map {
    let mut around = step.clone();
    for state in &system.states {
        let (now, after) = (terms.constant_term(state.now), terms.constant_term(state.next));
        around.insert(after, next[&now]);
    }
    around
}
