//! Z3's engine for Horn clauses, with several parameters: what one does not find another may.

use super::derive::derive;
use super::settle::settle;
use super::{HornEngineInfo, HornFound, HornTask};
use smt::subst::postorder_of;
use smt::term::Terms;
use solver::z3::{Setting, Spacer};
use solver::{Horn, HornResult, Limits};
use std::time::Duration;
use ts::passes::horn::{Meaning, Where, unfold};

/// So long a solution without quantifiers is looked for when there is one with them.
const PLAIN: Duration = Duration::from_secs(3);

pub(super) const USUAL: HornEngineInfo = HornEngineInfo {
    name: "spacer",
    shows: "correct, incorrect",
    summary: "solves Horn clauses, or derives a contradiction from them",
    rank: 1,
    run: |terms, task| in_place(terms, task, &[]),
};

/// Generalises from all lemmas of a predicate together.
pub(super) const GLOBAL: HornEngineInfo = HornEngineInfo {
    name: "spacer-global",
    shows: "correct, incorrect",
    summary: "solves Horn clauses, generalising from all lemmas of a predicate together",
    rank: 2,
    run: |terms, task| run(terms, task, &[Setting::Switch("spacer.global", true)]),
};

/// Takes smaller steps back from what is to be excluded.
pub(super) const GPDR: HornEngineInfo = HornEngineInfo {
    name: "spacer-gpdr",
    shows: "correct, incorrect",
    summary: "solves Horn clauses, with smaller steps back from what is to be excluded",
    rank: 3,
    run: |terms, task| run(terms, task, &[Setting::Switch("spacer.gpdr", true)]),
};

/// Solves clauses about predicates that come back to themselves only. Where that would be too many clauses, those of the task.
fn in_place(terms: &mut Terms, task: &HornTask<'_>, settings: &[Setting]) -> HornFound {
    let Some(unfolded) = unfold(terms, task.problem, Where::Everywhere) else {
        return run(terms, task, settings);
    };
    let small = HornTask { problem: &unfolded.problem, budget: task.budget.clone(), solver: task.solver };
    match run(terms, &small, settings) {
        HornFound::Solution(mut solution) => {
            settle(terms, &small, &mut solution);
            match unfolded.solution(terms, solution) {
                Ok(solution) if is_plain(terms, &solution) => HornFound::Solution(solution),
                Ok(solution) => plain(terms, task, settings, solution),
                Err(_) => HornFound::Nothing("the solution is no formula".into()),
            }
        }
        HornFound::Derivation(derivation) => match unfolded.derivation(terms, &derivation) {
            Ok(derivation) => HornFound::Derivation(derivation),
            Err(_) => HornFound::Nothing("a value cannot be computed".into()),
        },
        nothing @ HornFound::Nothing(_) => nothing,
    }
}

/// True for a solution without quantifiers.
fn is_plain(terms: &Terms, solution: &[Meaning]) -> bool {
    let parts = postorder_of(terms, solution.iter().map(|meaning| meaning.body));
    !parts.into_iter().any(|term| terms.op(term).is_binder())
}

/// A solution without quantifiers, which are hard to check, if it is found in a part of the time; otherwise the one that there is.
fn plain(terms: &mut Terms, task: &HornTask<'_>, settings: &[Setting], solution: Vec<Meaning>) -> HornFound {
    let time = task.budget.remaining().map_or(PLAIN, |left| PLAIN.min(left / 2));
    let again = HornTask { problem: task.problem, budget: task.budget.part(time), solver: task.solver };
    match run(terms, &again, settings) {
        HornFound::Solution(found) if is_plain(terms, &found) => HornFound::Solution(found),
        _ => HornFound::Solution(solution),
    }
}

fn run(terms: &mut Terms, task: &HornTask<'_>, settings: &[Setting]) -> HornFound {
    let limits = task.budget.remaining().map_or_else(Limits::default, Limits::time);
    match Spacer::with(settings).solve(terms, task.problem, limits) {
        Err(error) => HornFound::Nothing(error.to_string()),
        Ok(HornResult::Unknown(reason)) => HornFound::Nothing(format!("no solution was found ({reason})")),
        Ok(HornResult::Sat(solutions)) => {
            let meaning =
                |s: solver::Solution| Meaning { predicate: s.predicate, params: s.params, body: s.body };
            HornFound::Solution(solutions.into_iter().map(meaning).collect())
        }
        Ok(HornResult::Unsat(facts)) => match derive(terms, task, &facts) {
            Ok(derivation) => HornFound::Derivation(derivation),
            Err(reason) => HornFound::Nothing(format!("there is no solution, but {reason}")),
        },
    }
}
