//! Proofs that do not need what a product is, only that equal operands have equal ones. Two designs that multiply the same numbers
//! at different times are compared so; their multipliers alone would be out of reach.

use super::super::session::Stopped;
use super::super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use super::{kinduction, pdr};
use rustc_hash::FxHashSet;
use smt::subst::functions;
use smt::term::Terms;
use ts::passes::products::without_products;

pub(in super::super) const KINDUCTION: SystemEngineInfo = SystemEngineInfo {
    name: "kinduction-products",
    shows: "correct",
    summary: "does the same without saying what products of words are",
    rank: 2,
    least: Kind::Words,
    share: 2,
    hints: Hints::None,
    run: |terms, problem| search(terms, problem, &kinduction::BITS).unwrap_or_else(SystemFound::from),
};

pub(in super::super) const PDR: SystemEngineInfo = SystemEngineInfo {
    name: "pdr-products",
    summary: "finds inductive invariants over bits without saying what products of words are",
    run: |terms, problem| search(terms, problem, &pdr::INFO).unwrap_or_else(SystemFound::from),
    ..KINDUCTION
};

fn search(
    terms: &mut Terms,
    problem: &SystemProblem<'_>,
    engine: &SystemEngineInfo,
) -> Result<SystemFound, Stopped> {
    let system = without_products(terms, problem.system, problem.property)
        .ok_or_else(|| Stopped("there are no products of words in its steps, or too many".into()))?;
    let (seed, budget, solver) = (problem.seed, problem.budget.clone(), problem.solver);
    let other = SystemProblem { system: &system, property: &system.properties[0], seed, budget, solver };
    match (engine.run)(terms, &other) {
        SystemFound::Proof(certificate) => {
            let known: FxHashSet<_> = problem.system.inputs.iter().collect();
            let speaks_of = functions(terms, certificate.invariant);
            let is_new = |fun: &&_| system.inputs.contains(fun) && !known.contains(fun);
            match speaks_of.iter().find(is_new) {
                Some(_) => Err(Stopped("the invariant speaks of other products".into())),
                None => Ok(SystemFound::Proof(certificate)),
            }
        }
        SystemFound::Violation(_) => Err(Stopped("other products violate the property".into())),
        SystemFound::Nothing(reason) => Err(Stopped(reason)),
    }
}
