//! Engines for systems with finitely many states, on circuits of bits and with a SAT solver.

mod bits;
pub(super) mod bmc;
mod cone;
mod deep;
mod equal;
pub(super) mod kinduction;
mod narrow;
pub(super) mod pdr;
mod sat;
mod unrolled;

use super::session::Stopped;
use super::{SystemFound, SystemProblem};
use smt::term::Terms;
use ts::aig::{Lit, Step};
use ts::passes::bitblast::{Blasted, Claim, bitblast};
use ts::passes::functional::{Functional, Initial, functional};
use ts::{PropertyKind, System};

/// A system as a circuit, with the way back.
struct Circuit {
    functional: Functional,
    blasted: Blasted,
    /// What must not happen.
    bad: Lit,
}

impl Circuit {
    /// The circuit of the system and the property in question.
    fn of(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<Circuit, Stopped> {
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
        let bad = blasted.aig.bads[bad];
        Ok(Circuit { functional, blasted, bad })
    }

    /// An execution of the system, given one of the circuit.
    fn violation(&self, terms: &mut Terms, problem: &SystemProblem<'_>, steps: &[Step]) -> SystemFound {
        let trace = self.blasted.trace(terms, steps, None);
        let mut trace = self.functional.trace(problem.system, &trace);
        trace.complete(terms, problem.system);
        SystemFound::Violation(Box::new(trace))
    }
}
