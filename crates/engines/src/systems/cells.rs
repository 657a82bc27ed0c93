//! Inductive invariants about all cells of arrays, as solutions of Horn clauses about single ones.

use super::session::Stopped;
use super::spacer::clauses;
use super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use crate::cells;
use smt::term::Terms;
use ts::Certificate;

pub(super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "cells",
    shows: "correct",
    summary: "finds invariants about all cells of arrays as solutions of Horn clauses about single ones",
    rank: 2,
    least: Kind::Other,
    share: 1,
    hints: Hints::None,
    run,
};

fn run(terms: &mut Terms, problem: &SystemProblem<'_>) -> SystemFound {
    search(terms, problem).unwrap_or_else(SystemFound::from)
}

fn search(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let encoded = clauses(terms, problem)?;
    let solution = cells::solve(terms, &encoded.problem, &problem.budget).map_err(Stopped)?;
    let meaning = solution.first().ok_or_else(|| Stopped("the solution is not told".into()))?;
    Ok(SystemFound::Proof(Certificate::inductive(encoded.invariant(terms, meaning))))
}
