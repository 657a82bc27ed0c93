//! k-induction: if the first k steps of every execution satisfy the property, and every step after k steps that do, then
//! all steps do.

use super::session::{Execution, Stopped};
use super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use smt::term::{TermId, Terms};
use ts::{Certificate, PropertyKind, Reduction};

pub(super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "kinduction",
    shows: "correct, incorrect",
    summary: "proves invariant properties by induction over ever more steps",
    rank: 1,
    least: Kind::Other,
    share: 1,
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
    let (system, solver, budget) = (problem.system, problem.solver, &problem.budget);
    let mut first = Execution::begin(terms, system, true, solver, budget)?;
    let mut any = Execution::begin(terms, system, false, solver, budget)?;
    for depth in 0.. {
        let holds = any.at(terms, property, depth);
        let violated = terms.not(holds);
        if !any.session.is_sat(terms, &[violated])? {
            return Ok(SystemFound::Proof(Certificate {
                reduction: Reduction::None,
                invariant: TermId::TRUE,
                depth,
            }));
        }
        any.session.assert(terms, holds)?;
        any.extend(terms)?;
        let holds = first.at(terms, property, depth);
        let violated = terms.not(holds);
        if first.session.is_sat(terms, &[violated])? {
            return first.violation(terms);
        }
        first.session.assert(terms, holds)?;
        first.extend(terms)?;
    }
    Err(Stopped("there are no more depths".into()))
}
