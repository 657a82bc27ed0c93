//! Z3's engine for Horn clauses, with several parameters: what one does not find another may.

use super::derive::derive;
use super::{HornEngineInfo, HornFound, HornTask};
use smt::term::Terms;
use solver::z3::{Setting, Spacer};
use solver::{Horn, HornResult, Limits};
use ts::passes::horn::Meaning;

pub(super) const USUAL: HornEngineInfo = HornEngineInfo {
    name: "spacer",
    shows: "correct, incorrect",
    summary: "solves Horn clauses, or derives a contradiction from them",
    rank: 1,
    run: |terms, task| run(terms, task, &[]),
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
