//! Engines for systems, for clauses of several atoms that become linear when predicates are put in place.

use super::{HornEngineInfo, HornFound, HornTask};
use crate::systems::{SystemFound, SystemProblem, find};
use smt::term::Terms;
use ts::passes::horn::{Where, chain, linear, unfold};
use ts::{Certificate, Reduction};

pub(super) const BMC: HornEngineInfo = HornEngineInfo {
    name: "linear-bmc",
    shows: "incorrect",
    summary: "puts predicates in place until clauses are linear, and looks for ever longer executions",
    rank: 2,
    run: |terms, task| run(terms, task, "bmc"),
};

pub(super) const HOUDINI: HornEngineInfo = HornEngineInfo {
    name: "linear-houdini",
    shows: "correct",
    summary: "puts predicates in place until clauses are linear, and guesses invariants",
    rank: 2,
    run: |terms, task| run(terms, task, "flow-houdini"),
};

pub(super) const IC3IA: HornEngineInfo = HornEngineInfo {
    name: "linear-ic3ia",
    shows: "correct, incorrect",
    summary: "puts predicates in place until clauses are linear, and finds invariants over predicates",
    rank: 2,
    run: |terms, task| run(terms, task, "ic3ia"),
};

fn run(terms: &mut Terms, task: &HornTask<'_>, engine: &str) -> HornFound {
    search(terms, task, engine).unwrap_or_else(HornFound::Nothing)
}

fn search(terms: &mut Terms, task: &HornTask<'_>, engine: &str) -> Result<HornFound, String> {
    let engine = find(engine).ok_or("there is no such engine")?;
    let unfolded =
        unfold(terms, task.problem, Where::Beside).ok_or("predicates come back through several atoms")?;
    let linear = linear(terms, &unfolded.problem).map_err(|_| "the clauses are no system")?;
    let Some(property) = linear.system.properties.first() else {
        return Err("nothing is asked".into());
    };
    let budget = task.budget.clone();
    let problem = SystemProblem { system: &linear.system, property, seed: 0, budget, solver: task.solver };
    match (engine.run)(terms, &problem) {
        SystemFound::Proof(Certificate { reduction: Reduction::None, invariant, depth: 0 }) => {
            let solution = linear.solution(terms, invariant);
            let solution = solution.and_then(|solution| unfolded.solution(terms, solution));
            solution.map(HornFound::Solution).map_err(|_| "the invariant is none".into())
        }
        SystemFound::Proof(_) => Err("a solution of clauses cannot say what several steps show".into()),
        SystemFound::Violation(mut trace) => {
            trace.complete(terms, &linear.system);
            let applied = linear.derivation(terms, &trace).map_err(|fault| fault.message(terms))?;
            let derivation = unfolded.derivation(terms, &chain(applied));
            derivation.map(HornFound::Derivation).map_err(|_| "a value cannot be computed".into())
        }
        SystemFound::Nothing(reason) => Err(reason),
    }
}
