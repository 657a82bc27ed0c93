//! Systems as programs: where an execution is, is told by few variables with few values, and the rest is what a program does
//! at a place. Then the engines for programs look for invariants of its loops, and those are an invariant of the system.

mod back;
mod control;
mod edges;
mod eliminate;
mod script;

use super::session::{Session, Stopped};
use super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use crate::{EngineInfo, Found, Lonely, Problem, cells, houdini, kinduction, spacer};
use control::Control;
use script::Flow;
use smt::term::Terms;
use std::time::Duration;
use svlib::interp::Options;
use ts::{Certificate, PropertyKind};

/// So much of the time is for the way back from a program's annotations.
const BACK: u32 = 5;
/// When there is no limit.
const UNLIMITED: Duration = Duration::from_secs(60);

pub(super) const CELLS: SystemEngineInfo = SystemEngineInfo {
    name: "flow-cells",
    shows: "correct",
    summary: "invariants about all cells of arrays for the loops of the system as a program",
    rank: 2,
    least: Kind::Other,
    share: 2,
    hints: Hints::None,
    run: |terms, problem| run(terms, problem, &cells::INFO, false),
};

pub(super) const HOUDINI: SystemEngineInfo = SystemEngineInfo {
    name: "flow-houdini",
    shows: "correct",
    summary: "candidates for invariants of the loops of the system as a program",
    rank: 2,
    least: Kind::Words,
    share: 2,
    hints: Hints::None,
    run: |terms, problem| run(terms, problem, &houdini::INFO, true),
};

pub(super) const KINDUCTION: SystemEngineInfo = SystemEngineInfo {
    name: "flow-kinduction",
    shows: "correct",
    summary: "k-induction over the loops of the system as a program",
    rank: 2,
    least: Kind::Words,
    share: 1,
    hints: Hints::None,
    run: |terms, problem| run(terms, problem, &kinduction::INFO, false),
};

pub(super) const SPACER: SystemEngineInfo = SystemEngineInfo {
    name: "flow-spacer",
    shows: "correct",
    summary: "Horn clauses for the loops of the system as a program, solved by Spacer",
    rank: 1,
    least: Kind::Words,
    share: 3,
    hints: Hints::None,
    run: |terms, problem| run(terms, problem, &spacer::INFO, false),
};

/// Runs an engine for programs. One that guesses is of use even where there is but one loop; of the others there are engines
/// for systems that do the same without a detour.
fn run(terms: &mut Terms, problem: &SystemProblem<'_>, engine: &EngineInfo, guesses: bool) -> SystemFound {
    search(terms, problem, engine, guesses).unwrap_or_else(SystemFound::from)
}

fn search(
    terms: &mut Terms,
    problem: &SystemProblem<'_>,
    engine: &EngineInfo,
    guesses: bool,
) -> Result<SystemFound, Stopped> {
    let PropertyKind::Invariant(claim) = problem.property.kind else {
        return Err(Stopped("it is for invariant properties".into()));
    };
    if problem.system.rigid.iter().any(|&rigid| !terms.fun(rigid).params.is_empty()) {
        return Err(Stopped("a program has no functions without a definition".into()));
    }
    let control = Control::of(terms, problem, claim)?;
    if control.place.is_empty() && !guesses {
        return Err(Stopped("no variables say where an execution is".into()));
    }
    let flow = Flow::new(terms, problem.system, claim, control.clone(), true);
    if let Ok(found) = attempt(terms, problem, engine, &flow)? {
        return Ok(found);
    }
    // What the program remembered is hard to say in one formula: without it the engine has to find it.
    let flow = Flow::new(terms, problem.system, claim, control, false);
    attempt(terms, problem, engine, &flow)?
}

/// What an engine finds out about the program; if that is an invariant that does not come back, why.
fn attempt(
    terms: &mut Terms,
    problem: &SystemProblem<'_>,
    engine: &EngineInfo,
    flow: &Flow,
) -> Result<Result<SystemFound, Stopped>, Stopped> {
    let asked = Problem {
        script: &flow.script,
        command: flow.script.commands.len() - 1,
        options: Options::default(),
        seed: problem.seed,
        budget: problem.budget.clone(),
        solver: problem.solver,
        board: &Lonely,
    };
    let commands = match (engine.run)(terms, &asked) {
        Found::Proof(commands) => commands,
        Found::Violation(_) => return Err(Stopped("the program violates the property".into())),
        Found::Nothing(reason) => return Err(Stopped(reason)),
    };
    let budget = problem.budget.part(problem.budget.remaining().unwrap_or(UNLIMITED) / BACK);
    let mut session = Session::open(problem.solver, &budget)?;
    let back = back::annotated(terms, flow, &commands)
        .and_then(|known| back::invariant(terms, &mut session, flow, known));
    Ok(back.map(|invariant| SystemFound::Proof(Certificate::inductive(invariant))))
}
