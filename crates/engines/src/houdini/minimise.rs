//! Which of the candidates that hold are needed for the task: what the solver used for the task's conditions, what it used
//! for those, and so on; then one after the other is left out if the rest is enough.

use super::fixpoint::{Fixpoint, Stopped};
use rustc_hash::FxHashMap;
use smt::term::{TermId, Terms};

/// With more candidates than this nothing is left out by trying.
const MANY: usize = 40;

impl Fixpoint {
    /// Drops what the task does not need. All conditions hold before and after.
    pub(crate) fn minimise(&mut self, terms: &mut Terms) {
        // After an error the solver has levels open that should be closed: nothing is asked any more.
        let Ok(needed) = self.closure(terms) else { return };
        self.alive = needed;
        if self.alive.iter().filter(|&&alive| alive).count() > MANY {
            return;
        }
        for number in (0..self.alive.len()).rev() {
            if !std::mem::replace(&mut self.alive[number], false) {
                continue;
            }
            match self.is_proof(terms) {
                Ok(true) => {}
                Ok(false) => self.alive[number] = true,
                Err(_) => {
                    self.alive[number] = true;
                    return;
                }
            }
        }
    }

    /// Everything that the proofs of the task's conditions lead to.
    fn closure(&mut self, terms: &mut Terms) -> Result<Vec<bool>, Stopped> {
        let numbers: FxHashMap<TermId, usize> =
            self.selectors.iter().enumerate().map(|(number, &selector)| (selector, number)).collect();
        let mut needed = vec![false; self.alive.len()];
        let mut proved: Vec<Vec<bool>> =
            self.groups.iter().map(|group| vec![false; group.goals.len()]).collect();
        loop {
            let before = needed.clone();
            for (number, proved) in proved.iter_mut().enumerate() {
                let goals = self.groups[number].goals.clone();
                let wanted = |position: &usize| {
                    !proved[*position] && goals[*position].candidate.is_none_or(|c| needed[c])
                };
                let wanted: Vec<usize> = (0..goals.len()).filter(wanted).collect();
                if wanted.is_empty() {
                    continue;
                }
                self.open(terms, number, false)?;
                for position in wanted {
                    for selector in self.core(terms, number, goals[position].formula)? {
                        needed[numbers[&selector]] = true;
                    }
                    proved[position] = true;
                }
                self.solver.pop()?;
            }
            if needed == before {
                return Ok(needed);
            }
        }
    }

    /// The selectors of what may be assumed in a group.
    fn assumptions(&self, number: usize) -> Vec<TermId> {
        let left = self.groups[number].used.iter().filter(|&&used| self.alive[used]);
        left.map(|&used| self.selectors[used]).collect()
    }

    /// The selectors that the proof of a goal uses.
    fn core(&mut self, terms: &mut Terms, number: usize, goal: TermId) -> Result<Vec<TermId>, Stopped> {
        self.time(self.patience * 2)?;
        self.solver.push()?;
        let negated = terms.not(goal);
        self.solver.assert(terms, negated)?;
        let assumptions = self.assumptions(number);
        let answer = self.solver.check(terms, &assumptions)?;
        let core = if answer.is_unsat() { self.solver.unsat_core()? } else { assumptions };
        self.solver.pop()?;
        Ok(core)
    }

    /// True when the candidates that are left hold and are enough.
    fn is_proof(&mut self, terms: &mut Terms) -> Result<bool, Stopped> {
        for number in 0..self.groups.len() {
            let goals = self.groups[number].goals.clone();
            let wanted: Vec<_> =
                goals.iter().filter(|goal| goal.candidate.is_none_or(|c| self.alive[c])).collect();
            if wanted.is_empty() {
                continue;
            }
            self.open(terms, number, true)?;
            let mut holds = true;
            for goal in wanted {
                holds = holds && self.ask(terms, goal)?.is_unsat();
            }
            self.solver.pop()?;
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
