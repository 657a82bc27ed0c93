//! IC3 on circuits.

use super::super::ic3::{self, Cube};
use super::super::session::Stopped;
use super::super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use super::Circuit;
use super::bits::{Bits, Outcome};
use super::equal::{Equal, merge};
use smt::op::Op;
use smt::term::{TermId, Terms};
use std::time::Duration;
use ts::Certificate;
use ts::passes::bitblast::Blasted;

pub(in super::super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "pdr",
    shows: "correct, incorrect",
    summary: "finds inductive invariants over the bits of systems with finitely many states",
    rank: 1,
    least: Kind::Bits,
    share: 6,
    hints: Hints::None,
    run,
};

/// So long equal latches are looked for.
const MERGE: Duration = Duration::from_secs(4);

fn run(terms: &mut Terms, problem: &SystemProblem<'_>) -> SystemFound {
    search(terms, problem).unwrap_or_else(SystemFound::from)
}

fn search(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let circuit = Circuit::of(terms, problem)?;
    let aig = &circuit.blasted.aig;
    // Without equalities if they are not found soon: they are a help, not the question.
    let merged = merge(aig, circuit.bad, &problem.budget.part(MERGE)).ok();
    let (smaller, bad) = merged.as_ref().map_or((aig, circuit.bad), |merged| (&merged.aig, merged.bad));
    match ic3::search(Bits::new(smaller, bad, &problem.budget))? {
        Outcome::Safe(cubes) => {
            let equal = merged.as_ref().map_or(&[][..], |merged| &merged.equal);
            let invariant = invariant(terms, &circuit.blasted, &cubes, equal)?;
            let invariant = circuit.functional.invariant(terms, invariant);
            Ok(SystemFound::Proof(Certificate::inductive(invariant)))
        }
        Outcome::Unsafe(steps) => {
            let inputs: Vec<Vec<bool>> = steps.iter().map(|step| step.inputs.clone()).collect();
            Ok(circuit.violation(terms, problem, &aig.run(&steps[0].latches, &inputs)))
        }
    }
}

/// The states outside of all cubes, in which the equalities hold.
fn invariant(
    terms: &mut Terms,
    blasted: &Blasted,
    cubes: &[Cube],
    equal: &[Equal],
) -> Result<TermId, Stopped> {
    let mut clauses = Vec::with_capacity(cubes.len() + equal.len());
    let formula = |terms: &mut Terms, latch: u32| {
        let latch = blasted.aig.latches()[latch as usize].now;
        blasted.formula(terms, latch).ok_or_else(|| Stopped("a latch is no bit of a variable".into()))
    };
    for equal in equal {
        let latch = formula(terms, equal.latch)?;
        let other = match equal.other {
            Some(other) => formula(terms, other)?,
            None => terms.bool(false),
        };
        let same = terms.app(Op::Eq, &[latch, other]).expect("two bits");
        clauses.push(if equal.opposite { terms.not(same) } else { same });
    }
    for cube in cubes {
        let mut clause = Vec::with_capacity(cube.len());
        for &(position, holds) in cube {
            let bit = formula(terms, position)?;
            clause.push(if holds { terms.not(bit) } else { bit });
        }
        clauses.push(terms.or(&clause));
    }
    Ok(terms.and(&clauses))
}
