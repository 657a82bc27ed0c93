//! Horn clauses about arrays, by way of clauses about their cells.

use super::{HornEngineInfo, HornFound, HornTask};
use crate::cells;
use smt::term::Terms;

pub(super) const INFO: HornEngineInfo = HornEngineInfo {
    name: "cells",
    shows: "correct",
    summary: "solves Horn clauses about single cells of arrays in the place of clauses about arrays",
    rank: 2,
    run,
};

fn run(terms: &mut Terms, task: &HornTask<'_>) -> HornFound {
    match cells::solve(terms, task.problem, &task.budget) {
        Ok(solution) => HornFound::Solution(solution),
        Err(reason) => HornFound::Nothing(reason),
    }
}
