//! Engines for systems with finitely many states, on circuits of bits and with a SAT solver.

mod bits;
pub(super) mod bmc;
mod chance;
mod cone;
mod deep;
mod equal;
pub(super) mod explicit;
pub(super) mod kinduction;
mod lanes;
mod narrow;
pub(super) mod pdr;
pub(super) mod products;
mod sat;
mod unrolled;
pub(super) mod walk;
mod words;

use super::session::Stopped;
use super::{SystemFound, SystemProblem};
use smt::term::{TermId, Terms};
use ts::aig::{Lit, Step};
use ts::passes::bitblast::{Blasted, Claim, bitblast};
use ts::passes::functional::{Functional, Initial, functional};
use ts::{Property, PropertyKind, System};

/// A system as a circuit, with the way back.
struct Circuit {
    functional: Functional,
    blasted: Blasted,
    /// What must not happen.
    bad: Lit,
}

/// A formula that may hold in every step.
#[derive(Clone, Copy)]
struct Candidate {
    formula: TermId,
    /// What holds in a step in which the formula does not.
    bad: Lit,
}

impl Circuit {
    /// The circuit of the system and the property in question.
    fn of(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<Circuit, Stopped> {
        Circuit::about(terms, problem, vec![problem.property.clone()])
    }

    /// The same, with the system's hints and their negations as far as circuits can say them.
    fn with_hints(
        terms: &mut Terms,
        problem: &SystemProblem<'_>,
    ) -> Result<(Circuit, Vec<Candidate>), Stopped> {
        let hints = &problem.system.hints;
        let claim = |(at, &hint): (usize, &TermId)| Property {
            index: at as u64,
            name: None,
            kind: PropertyKind::Invariant(hint),
        };
        let own = [problem.property.clone()].into_iter();
        let claims: Vec<Property> = own.chain(hints.iter().enumerate().map(claim)).collect();
        let Ok(circuit) = Circuit::about(terms, problem, claims) else {
            return Ok((Circuit::of(terms, problem)?, Vec::new()));
        };
        let mut candidates = Vec::with_capacity(2 * hints.len());
        for (&hint, &bad) in hints.iter().zip(&circuit.blasted.aig.bads[1..]) {
            candidates.push(Candidate { formula: hint, bad });
            candidates.push(Candidate { formula: terms.not(hint), bad: !bad });
        }
        candidates.retain(|candidate| !candidate.bad.is_constant());
        Ok((circuit, candidates))
    }

    /// The circuit of the system with some claims, of which the first one is the property in question.
    fn about(
        terms: &mut Terms,
        problem: &SystemProblem<'_>,
        claims: Vec<Property>,
    ) -> Result<Circuit, Stopped> {
        let PropertyKind::Invariant(_) = problem.property.kind else {
            return Err(Stopped("it is for invariant properties".into()));
        };
        let alone = System { properties: claims, ..problem.system.clone() };
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
        let mut trace = self.functional.trace(terms, problem.system, &trace);
        trace.complete(terms, problem.system);
        SystemFound::Violation(Box::new(trace))
    }
}
