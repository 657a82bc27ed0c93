//! Live properties: as invariants of systems that look for loops, or that count.

use super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use super::{bmc, circuit, ic3ia};
use base::budget::Budget;
use smt::term::Terms;
use std::time::Duration;
use ts::passes::count::count;
use ts::passes::lasso::{is_complete, lasso};
use ts::{Certificate, PropertyKind, Reduction};

pub(super) const LASSO: SystemEngineInfo = SystemEngineInfo {
    name: "lasso",
    shows: "incorrect",
    summary: "looks for ever longer executions that repeat a state and violate a live property",
    rank: 1,
    least: Kind::Bits,
    share: 1,
    hints: Hints::None,
    run: run_lasso,
};

pub(super) const LIVENESS: SystemEngineInfo = SystemEngineInfo {
    name: "liveness",
    shows: "correct, incorrect",
    summary: "proves live properties: no loop violates them, or they are violated boundedly often",
    rank: 1,
    least: Kind::Bits,
    share: 1,
    hints: Hints::None,
    run: run_liveness,
};

/// The first bound of a count gets so much time, each further one more.
const FIRST: Duration = Duration::from_secs(2);

fn run_lasso(terms: &mut Terms, problem: &SystemProblem<'_>) -> SystemFound {
    by_lasso(terms, problem, |terms, problem| match (circuit::bmc::INFO.run)(terms, problem) {
        SystemFound::Nothing(_) => (bmc::INFO.run)(terms, problem),
        found => found,
    })
}

/// On bits if there are finitely many states that fit into a circuit, otherwise over predicates.
fn by_ic3(terms: &mut Terms, problem: &SystemProblem<'_>) -> SystemFound {
    match (circuit::pdr::INFO.run)(terms, problem) {
        SystemFound::Nothing(_) => (ic3ia::INFO.run)(terms, problem),
        found => found,
    }
}

fn run_liveness(terms: &mut Terms, problem: &SystemProblem<'_>) -> SystemFound {
    if !matches!(problem.property.kind, PropertyKind::Live(_)) {
        return SystemFound::Nothing("it is for live properties".into());
    }
    if is_complete(terms, problem.system) {
        return by_lasso(terms, problem, by_ic3);
    }
    let mut time = FIRST;
    for bound in 0.. {
        match by_counting(terms, problem, bound, time) {
            SystemFound::Nothing(_) if !problem.budget.is_over() => time = time * 3 / 2,
            found => return found,
        }
    }
    SystemFound::Nothing("there are no more bounds".into())
}

/// Asks about loops.
fn by_lasso(
    terms: &mut Terms,
    problem: &SystemProblem<'_>,
    run: fn(&mut Terms, &SystemProblem<'_>) -> SystemFound,
) -> SystemFound {
    let reduced = match lasso(terms, problem.system, problem.property) {
        Ok(reduced) => reduced,
        Err(reason) => return SystemFound::Nothing(reason.into()),
    };
    match run(terms, &asked(problem, &reduced.system, problem.budget.clone())) {
        SystemFound::Proof(certificate) => {
            SystemFound::Proof(Certificate { reduction: Reduction::Lasso, ..certificate })
        }
        SystemFound::Violation(trace) => match reduced.trace(&trace) {
            Some(trace) => SystemFound::Violation(Box::new(trace)),
            None => SystemFound::Nothing("a loop was found that begins nowhere".into()),
        },
        nothing => nothing,
    }
}

/// Asks whether the formulas are violated not more often than so many times.
fn by_counting(terms: &mut Terms, problem: &SystemProblem<'_>, bound: usize, time: Duration) -> SystemFound {
    let system = match count(terms, problem.system, problem.property, bound) {
        Ok(system) => system,
        Err(reason) => return SystemFound::Nothing(reason.into()),
    };
    match by_ic3(terms, &asked(problem, &system, problem.budget.part(time))) {
        SystemFound::Proof(certificate) => {
            SystemFound::Proof(Certificate { reduction: Reduction::Count(bound), ..certificate })
        }
        SystemFound::Violation(_) => SystemFound::Nothing("the bound is too small".into()),
        nothing => nothing,
    }
}

/// The question about a reduced system, which has one property.
fn asked<'a>(problem: &SystemProblem<'a>, system: &'a ts::System, budget: Budget) -> SystemProblem<'a> {
    SystemProblem {
        system,
        property: &system.properties[0],
        seed: problem.seed,
        budget,
        solver: problem.solver,
    }
}
