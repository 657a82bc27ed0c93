//! Z3's engine for Horn clauses, on the clauses whose solution is an inductive invariant.

use super::session::{Execution, Stopped};
use super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use crate::ways;
use smt::term::{TermId, Terms};
use solver::{Fact, HornResult};
use ts::passes::horn::{Encoded, Inexpressible, Meaning, encode};
use ts::{Certificate, PropertyKind, System};

pub(super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "spacer",
    shows: "correct, incorrect",
    summary: "finds inductive invariants as solutions of Horn clauses",
    rank: 1,
    least: Kind::Words,
    share: 2,
    hints: Hints::None,
    run,
};

fn run(terms: &mut Terms, problem: &SystemProblem<'_>) -> SystemFound {
    search(terms, problem).unwrap_or_else(SystemFound::from)
}

fn search(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let PropertyKind::Invariant(property) = problem.property.kind else {
        return Err(Stopped("it is for invariant properties".into()));
    };
    let encoded = clauses(terms, problem)?;
    match ways::solve(terms, &encoded.problem, &problem.budget)? {
        HornResult::Unknown(reason) => Err(Stopped(format!("no solution was found ({reason})"))),
        HornResult::Unsat(facts) => violation(terms, problem, property, &facts),
        HornResult::Sat(solutions) => {
            let solution = solutions.into_iter().next();
            let solution = solution.ok_or_else(|| Stopped("the solution is not told".into()))?;
            let meaning =
                Meaning { predicate: solution.predicate, params: solution.params, body: solution.body };
            Ok(SystemFound::Proof(Certificate::inductive(encoded.invariant(terms, &meaning))))
        }
    }
}

/// The clauses whose solution is an inductive invariant.
pub(super) fn clauses(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<Encoded, Stopped> {
    let alone = System { properties: vec![problem.property.clone()], ..problem.system.clone() };
    encode(terms, &alone, &[0]).map_err(|why| Stopped(words(terms, &why)))
}

/// An execution as long as the derivation of the contradiction: one fact for each of its steps, and the contradiction.
fn violation(
    terms: &mut Terms,
    problem: &SystemProblem<'_>,
    property: TermId,
    facts: &[Fact],
) -> Result<SystemFound, Stopped> {
    let length = facts.len().saturating_sub(1);
    let mut execution = Execution::begin(terms, problem.system, true, problem.solver, &problem.budget)?;
    loop {
        let last = execution.length - 1;
        let holds = execution.at(terms, property, last);
        let violated = terms.not(holds);
        if (execution.length >= length) && execution.session.is_sat(terms, &[violated])? {
            return execution.violation(terms);
        }
        execution.extend(terms)?;
    }
}

fn words(terms: &Terms, why: &Inexpressible) -> String {
    match why {
        Inexpressible::Property(_) => "Horn clauses are about invariants".into(),
        Inexpressible::Rigid(fun) => {
            format!("Horn clauses cannot express the rigid function {}", terms.fun_name(*fun))
        }
        Inexpressible::Rank(error) => error.message(terms, "a clause", &[]),
    }
}
