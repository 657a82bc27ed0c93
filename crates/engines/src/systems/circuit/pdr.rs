//! IC3 on circuits.

use super::super::ic3::{self, Cube};
use super::super::session::Stopped;
use super::super::{SystemEngineInfo, SystemFound, SystemProblem};
use super::Circuit;
use super::bits::{Bits, Outcome};
use smt::term::{TermId, Terms};
use ts::Certificate;
use ts::passes::bitblast::Blasted;

pub(in super::super) const INFO: SystemEngineInfo = SystemEngineInfo {
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
    let circuit = Circuit::of(terms, problem)?;
    let bits = Bits::new(&circuit.blasted.aig, circuit.bad, &problem.budget);
    match ic3::search(bits)? {
        Outcome::Safe(cubes) => {
            let invariant = invariant(terms, &circuit.blasted, &cubes)?;
            let invariant = circuit.functional.invariant(terms, invariant);
            Ok(SystemFound::Proof(Certificate::inductive(invariant)))
        }
        Outcome::Unsafe(steps) => Ok(circuit.violation(terms, problem, &steps)),
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
