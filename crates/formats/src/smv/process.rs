//! Processes: in each step one of them assigns, and what only others assign stays as it is.

use rustc_hash::FxHashMap;
use smt::check::RankError;
use smt::op::Op;
use smt::term::{TermId, Terms};
use ts::System;

/// What processes assign.
#[derive(Default, Debug)]
pub(super) struct Turns {
    assigned: Vec<Assigned>,
    positions: FxHashMap<TermId, usize>,
}

/// What says which process takes its step: an input chooses one, and the main module's takes what is left.
pub(super) fn running(
    terms: &mut Terms,
    system: &mut System,
    processes: usize,
) -> Result<Vec<TermId>, RankError> {
    let bits = usize::BITS - processes.leading_zeros();
    let sort = terms.sorts.bit_vec(bits);
    let selector = system.add_input(terms, "_process_selector_", sort);
    let selector = terms.constant_term(selector);
    let mut all = Vec::new();
    for number in 1..=processes {
        let number = terms.bits(bits, (number as u64).into());
        all.push(terms.app(Op::Eq, &[selector, number])?);
    }
    let any = terms.or(&all);
    all.insert(0, terms.not(any));
    Ok(all)
}

/// What is said about a next value.
#[derive(Debug)]
struct Assigned {
    next: TermId,
    now: TermId,
    /// By whom, and what.
    parts: Vec<(usize, TermId)>,
}

impl Turns {
    /// A process says this about a next value.
    pub(super) fn assign(&mut self, process: usize, (next, now): (TermId, TermId), formula: TermId) {
        let position = *self.positions.entry(next).or_insert(self.assigned.len());
        if position == self.assigned.len() {
            self.assigned.push(Assigned { next, now, parts: Vec::new() });
        }
        self.assigned[position].parts.push((process, formula));
    }

    /// What all assignments say about a step.
    pub(super) fn formulas(self, terms: &mut Terms, running: &[TermId]) -> Result<Vec<TermId>, RankError> {
        let mut found = Vec::new();
        for Assigned { next, now, parts } in self.assigned {
            let mut turns = Vec::new();
            for (process, formula) in parts {
                let turn = running[process];
                turns.push(turn);
                let not = terms.not(turn);
                found.push(terms.or(&[not, formula]));
            }
            turns.push(terms.app(Op::Eq, &[next, now])?);
            found.push(terms.or(&turns));
        }
        Ok(found)
    }
}
