//! IC3 on circuits of bits, with a SAT solver: for systems with finitely many states.

mod bits;
mod sat;

use super::ic3::{self, Cube};
use super::session::Stopped;
use super::{SystemEngineInfo, SystemFound, SystemProblem};
use bits::{Bits, Outcome};
use smt::term::{TermId, Terms};
use ts::passes::bitblast::{Blasted, Claim, bitblast};
use ts::passes::functional::{Initial, functional};
use ts::{Certificate, PropertyKind, System};

pub(super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "pdr",
    shows: "correct, incorrect",
    summary: "finds inductive invariants over the bits of systems with finitely many states",
    rank: 1,
    run,
};

fn run(terms: &mut Terms, problem: &SystemProblem<'_>) -> SystemFound {
    search(terms, problem).unwrap_or_else(SystemFound::from)
}

fn search(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let PropertyKind::Invariant(_) = problem.property.kind else {
        return Err(Stopped("it is for invariant properties".into()));
    };
    let alone = System { properties: vec![problem.property.clone()], ..problem.system.clone() };
    let functional = functional(terms, &alone, Initial::Literals);
    let blasted = bitblast(terms, &functional)
        .map_err(|refusal| Stopped(format!("no circuit: {}", refusal.message(terms))))?;
    let Some(&Claim::Bad(bad)) = blasted.claims.first() else {
        return Err(Stopped("the circuit has no bad states".into()));
    };
    let bits = Bits::new(&blasted.aig, blasted.aig.bads[bad], &problem.budget);
    match ic3::search(bits)? {
        Outcome::Safe(cubes) => {
            let invariant = invariant(terms, &blasted, &cubes)?;
            let invariant = functional.invariant(terms, invariant);
            Ok(SystemFound::Proof(Certificate::inductive(invariant)))
        }
        Outcome::Unsafe(steps) => {
            let trace = blasted.trace(terms, &steps, None);
            let mut trace = functional.trace(problem.system, &trace);
            trace.complete(terms, problem.system);
            Ok(SystemFound::Violation(Box::new(trace)))
        }
    }
}

/// The states outside of all cubes.
fn invariant(terms: &mut Terms, blasted: &Blasted, cubes: &[Cube]) -> Result<TermId, Stopped> {
    let mut clauses = Vec::with_capacity(cubes.len());
    for cube in cubes {
        let mut clause = Vec::with_capacity(cube.len());
        for &(position, holds) in cube {
            let latch = blasted.aig.latches()[position as usize].now;
            let formula = blasted.formula(terms, latch.negated_if(holds));
            clause.push(formula.ok_or_else(|| Stopped("a latch is no bit of a variable".into()))?);
        }
        clauses.push(terms.or(&clause));
    }
    Ok(terms.and(&clauses))
}
