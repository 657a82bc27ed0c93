//! Questions to a solver: is there a state in which hypotheses hold and a goal does not?
//!
//! Many conditions are asked at once, because most proofs are right and most conditions easy. What is not answered so is
//! asked again one by one, a conjunct of the goal at a time, then with a solver that has no history (it may rewrite the
//! whole question first), and with those hypotheses only that have to do with the goal.

use base::budget::Budget;
use program::{Conditions, Obligation};
use rustc_hash::FxHashSet;
use smt::op::Op;
use smt::subst::constants;
use smt::term::{TermId, Terms};
use solver::{CheckResult, FullSolver, Limits, SolverError};
use std::time::Duration;

/// An attempt that others can follow gets so much of the time that is left.
const SHARE: u32 = 4;

/// So many ways before conditions are looked at first, and so many times more if they are not enough. What a long
/// program did at its beginning is seldom needed at its end, and questions that have all of it are hard.
const NEAR: usize = 4;
const FARTHER: usize = 4;

pub(crate) struct Questions<'q> {
    pub(crate) found: &'q Conditions,
    pub(crate) solver: &'q mut dyn FullSolver,
    pub(crate) budget: &'q Budget,
}

impl Questions<'_> {
    /// Whether one of the obligations fails. The model is not kept.
    pub(crate) fn all(
        &mut self,
        terms: &mut Terms,
        obligations: &[Obligation],
    ) -> Result<CheckResult, SolverError> {
        let mut cases = Vec::with_capacity(obligations.len());
        for obligation in obligations {
            let mut case: Vec<TermId> = obligation.assumed.to_vec();
            case.extend([obligation.guard, terms.not(obligation.goal)]);
            cases.push(terms.and(&case));
        }
        let Ok(failure) = terms.app(Op::Or, &cases) else { return Ok(CheckResult::Sat) };
        let mut many = NEAR;
        loop {
            let mut formulas = self.found.axioms.clone();
            let definitions = self.found.definitions_in(terms, &[failure], many);
            let complete = definitions.len() < many;
            formulas.extend(definitions);
            formulas.push(failure);
            self.limit(SHARE)?;
            let answer = ask(terms, self.solver, &formulas)?;
            if answer.is_sat() {
                self.solver.pop()?;
            }
            // What holds with some hypotheses holds with all.
            if answer.is_unsat() || complete || self.budget.is_over() {
                return Ok(answer);
            }
            many = many.saturating_mul(FARTHER);
        }
    }

    /// Whether an obligation fails. If it does, the level with its model is left open.
    pub(crate) fn one(
        &mut self,
        terms: &mut Terms,
        obligation: &Obligation,
    ) -> Result<CheckResult, SolverError> {
        let mut hypotheses = self.found.axioms.clone();
        for formula in self.found.hypotheses(terms, obligation) {
            hypotheses.extend(conjuncts(terms, formula));
        }
        let mut answer = CheckResult::Unsat;
        // One conjunct at a time: each is an easier question, and the answer names what fails.
        for goal in conjuncts(terms, obligation.goal) {
            let negated = terms.not(goal);
            match self.conjunct(terms, &hypotheses, negated)? {
                CheckResult::Unsat => {}
                CheckResult::Sat => return Ok(CheckResult::Sat),
                unknown => answer = unknown,
            }
        }
        Ok(answer)
    }

    fn conjunct(
        &mut self,
        terms: &Terms,
        hypotheses: &[TermId],
        negated: TermId,
    ) -> Result<CheckResult, SolverError> {
        let all = |some: &[TermId]| [some, &[negated]].concat();
        self.limit(SHARE)?;
        let first = ask(terms, self.solver, &all(hypotheses))?;
        if !matches!(first, CheckResult::Unknown(_)) {
            return Ok(first);
        }
        for steps in [usize::MAX, 1, 2, 4] {
            let some = connected(terms, hypotheses, negated, steps);
            if steps != usize::MAX && some.len() == hypotheses.len() {
                break;
            }
            // Only a proof counts here: what fails has no model in the solver that is asked for one.
            if self.afresh(terms, &all(&some)).is_ok_and(|answer| answer.is_unsat()) {
                return Ok(CheckResult::Unsat);
            }
        }
        Ok(first)
    }

    /// Asks a solver that has heard of nothing else.
    fn afresh(&mut self, terms: &Terms, formulas: &[TermId]) -> Result<CheckResult, SolverError> {
        let mut solver = solver::open(self.solver.name())?;
        solver.limits(self.limits(SHARE))?;
        for &formula in formulas {
            solver.assert(terms, formula)?;
        }
        solver.check(terms, &[])
    }

    fn limits(&self, share: u32) -> Limits {
        // A moment is left to those who come too late; the budget ends the work.
        self.budget
            .remaining()
            .map_or_else(Limits::default, |time| Limits::time((time / share).max(Duration::from_millis(1))))
    }

    fn limit(&mut self, share: u32) -> Result<(), SolverError> {
        let limits = self.limits(share);
        self.solver.limits(limits)
    }
}

fn ask(terms: &Terms, solver: &mut dyn FullSolver, formulas: &[TermId]) -> Result<CheckResult, SolverError> {
    // The level stays open while its model may be asked for.
    solver.push()?;
    for &formula in formulas {
        solver.assert(terms, formula)?;
    }
    let answer = solver.check(terms, &[])?;
    if !answer.is_sat() {
        solver.pop()?;
    }
    Ok(answer)
}

/// The hypotheses that share constants with the goal, or with those that do, and so on so many times.
fn connected(terms: &Terms, hypotheses: &[TermId], goal: TermId, steps: usize) -> Vec<TermId> {
    if steps == usize::MAX {
        return hypotheses.to_vec();
    }
    let mut known: FxHashSet<TermId> = constants(terms, goal).into_iter().collect();
    let read: Vec<Vec<TermId>> = hypotheses.iter().map(|&h| constants(terms, h)).collect();
    let mut taken = vec![false; hypotheses.len()];
    for _ in 0..steps {
        for (taken, read) in taken.iter_mut().zip(&read) {
            *taken |= read.is_empty() || read.iter().any(|constant| known.contains(constant));
        }
        known.extend(read.iter().zip(&taken).filter(|(_, taken)| **taken).flat_map(|(read, _)| read));
    }
    hypotheses.iter().zip(taken).filter(|(_, taken)| *taken).map(|(&h, _)| h).collect()
}

/// The conjuncts of a formula.
pub(crate) fn conjuncts(terms: &Terms, formula: TermId) -> Vec<TermId> {
    let (mut found, mut todo) = (Vec::new(), vec![formula]);
    while let Some(term) = todo.pop() {
        match terms.op(term) {
            Op::And => todo.extend(terms.args(term).iter().rev()),
            Op::True => {}
            _ => found.push(term),
        }
    }
    found
}
