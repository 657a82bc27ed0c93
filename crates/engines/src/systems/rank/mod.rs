//! Ranking functions for live properties, whatever the sorts of a system are.
//!
//! With a ranking function a live property is an invariant ([`ts::passes::rank`]): something decreases between any two rounds in which
//! all its formulas are violated. The engine begins with none and looks for two rounds; what is between them is a pair of
//! states between which a ranking function has to decrease. It chooses the next one so that it decreases between all pairs
//! that are known ([`choice`]), among what the text of the system offers ([`candidates`]), until there is no further pair and
//! the invariant is proved.
//!
//! Components are chosen greedily, which loses nothing: a component that increases between none of the pairs that are left can always come
//! first. Where a proof takes too long the first component may be the wrong one, and others are tried before it gets more time.

mod candidates;
mod choice;

use super::session::Stopped;
use super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use super::{bmc, circuit, ic3ia, kinduction, spacer};
use choice::{Pair, choose};
use dashu_ratio::RBig;
use smt::eval::Evaluator;
use smt::op::Op;
use smt::term::{TermId, Terms};
use std::time::Duration;
use ts::passes::rank::{Ranked, rank};
use ts::{Certificate, PropertyKind, Reduction, System, Trace};

pub(super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "rank",
    shows: "correct",
    summary: "proves live properties by ranking functions: something decreases whenever their formulas are violated",
    rank: 1,
    least: Kind::Words,
    share: 1,
    hints: Hints::None,
    run,
};

/// The time for the first question about a ranking function; when all have had theirs, there is more of it.
const FIRST: Duration = Duration::from_millis(1500);
/// The part of it in which executions are unrolled.
const UNROLLED: u32 = 4;

fn run(terms: &mut Terms, problem: &SystemProblem<'_>) -> SystemFound {
    search(terms, problem).unwrap_or_else(SystemFound::from)
}

fn search(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let PropertyKind::Live(formulas) = &problem.property.kind else {
        return Err(Stopped("it is for live properties".into()));
    };
    let candidates = candidates::candidates(terms, problem.system, formulas);
    let (mut pairs, mut avoided) = (Vec::new(), Vec::new());
    let mut time = FIRST;
    while !problem.budget.is_over() {
        let Some(chosen) = choose(&pairs, candidates.len(), &avoided) else {
            if avoided.is_empty() {
                return Err(Stopped("no ranking function decreases as it would have to".into()));
            }
            avoided.clear();
            time *= 2;
            continue;
        };
        let components: Option<Vec<TermId>> =
            chosen.iter().map(|&(at, times)| doubled(terms, candidates[at], times)).collect();
        let components = components.ok_or_else(|| Stopped("a candidate has no multiples".into()))?;
        let ranked = rank(terms, problem.system, problem.property, &components)
            .map_err(|reason| Stopped(reason.into()))?;
        match decided(terms, problem, &ranked.system, time) {
            SystemFound::Proof(certificate) => {
                return Ok(SystemFound::Proof(Certificate {
                    reduction: Reduction::Rank(components),
                    ..certificate
                }));
            }
            SystemFound::Violation(mut trace) => {
                trace.complete(terms, &ranked.system);
                let pair = between(terms, &ranked, &trace, &candidates)
                    .ok_or_else(|| Stopped("the values of two rounds are not known".into()))?;
                pairs.push(pair);
            }
            SystemFound::Nothing(reason) => match chosen.first() {
                Some(&(first, _)) => avoided.push(first),
                // There are no two rounds, but that is not proved.
                None if time > problem.budget.remaining().unwrap_or(time) => return Err(Stopped(reason)),
                None => time *= 2,
            },
        }
    }
    Err(Stopped("the time is over".into()))
}

/// A number, as it is or multiplied by a power of two.
fn doubled(terms: &mut Terms, number: TermId, times: u32) -> Option<TermId> {
    if times == 0 {
        return Some(number);
    }
    let factor = terms.real(&RBig::from(1_u64 << times));
    terms.app(Op::Mul, &[factor, number]).ok()
}

/// What can be said about a system with an invariant in some time.
fn decided(terms: &mut Terms, problem: &SystemProblem<'_>, system: &System, time: Duration) -> SystemFound {
    let mut said = String::new();
    let short = time / UNROLLED;
    let ways = [
        (&kinduction::INFO, short),
        (&circuit::pdr::INFO, time),
        (&ic3ia::INFO, time),
        (&spacer::INFO, time),
        (&bmc::INFO, short),
    ];
    for (engine, time) in ways {
        let asked = SystemProblem {
            system,
            property: &system.properties[0],
            seed: problem.seed,
            budget: problem.budget.part(time),
            solver: problem.solver,
        };
        match (engine.run)(terms, &asked) {
            SystemFound::Nothing(reason) => said = reason,
            found => return found,
        }
    }
    SystemFound::Nothing(said)
}

/// What the candidates are in the last round of an execution and in the one before it.
fn between(terms: &Terms, ranked: &Ranked, trace: &Trace, candidates: &[TermId]) -> Option<Pair> {
    let mut rounds = Vec::new();
    for step in &trace.steps {
        let mut values = step.clone();
        for fun in trace.rigid.funs() {
            match (trace.rigid.get(fun), trace.rigid.interpretation(fun)) {
                (Some(value), _) => {
                    values.set(fun, value.clone());
                }
                (None, Some(meaning)) => values.interpret(fun, meaning.clone()),
                (None, None) => {}
            }
        }
        if Evaluator::new(terms).holds(ranked.round, &mut values).ok()? {
            rounds.push(values);
        }
    }
    let (mut now, mut before) = (rounds.pop()?, rounds.pop()?);
    let mut pair = Pair::default();
    for &candidate in candidates {
        let value = |values| Evaluator::new(terms).eval(candidate, values).ok();
        pair.add(value(&mut before), value(&mut now));
    }
    Some(pair)
}
