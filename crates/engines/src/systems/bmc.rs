//! Bounded model checking: is there an execution of one step, of two, of three … whose last step violates the property?

use super::session::{Execution, Stopped};
use super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use smt::term::Terms;
use ts::PropertyKind;

pub(super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "bmc",
    shows: "incorrect",
    summary: "looks for ever longer executions that violate an invariant property",
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
    let mut execution = Execution::begin(terms, problem.system, true, problem.solver, &problem.budget)?;
    loop {
        let last = execution.length - 1;
        let holds = execution.at(terms, property, last);
        let violated = terms.not(holds);
        if execution.session.is_sat(terms, &[violated])? {
            return execution.violation(terms);
        }
        execution.session.assert(terms, holds)?;
        execution.extend(terms)?;
    }
}
