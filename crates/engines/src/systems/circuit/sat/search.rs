//! Decisions, restarts, and what is kept of what was learnt.

use super::super::super::session::Stopped;
use super::Sat;
use super::clauses::Clause;
use ts::aig::Lit;

/// So many conflicts come before the first restart.
const RESTART: u64 = 100;
/// So many learnt clauses are kept at first, and so many more after each reduction.
pub(super) const KEEP: usize = 2000;
const KEEP_MORE: usize = 300;
/// So many decisions come between two looks at the clock.
const LOOK: u32 = 1 << 12;

impl Sat {
    pub(super) fn search(&mut self, assumptions: &[Lit]) -> Result<bool, Stopped> {
        for round in 1.. {
            if let Some(answer) = self.round(assumptions, RESTART * luby(round))? {
                return Ok(answer);
            }
            self.backtrack(0);
        }
        Err(Stopped("the time is over".into()))
    }

    /// Searches until so many conflicts were met.
    pub(super) fn round(&mut self, assumptions: &[Lit], most: u64) -> Result<Option<bool>, Stopped> {
        let mut conflicts = 0;
        loop {
            if let Some(clause) = self.propagate() {
                conflicts += 1;
                self.conflicts = self.conflicts.wrapping_add(1);
                if self.marks.is_empty() {
                    self.contradiction = true;
                    return Ok(Some(false));
                }
                self.learn(clause);
                self.order.decay();
                continue;
            }
            if conflicts >= most {
                return Ok(None);
            }
            if self.learnt.len() >= self.most_learnt {
                self.reduce();
            }
            self.look()?;
            match self.decide(assumptions) {
                Decision::Lit(lit) => {
                    self.marks.push(self.trail.len());
                    self.enqueue(lit, Clause::NONE);
                }
                Decision::Known => self.marks.push(self.trail.len()),
                Decision::Wrong(lit) => {
                    self.explain(lit);
                    return Ok(Some(false));
                }
                Decision::Done => return Ok(Some(true)),
            }
        }
    }

    fn look(&mut self) -> Result<(), Stopped> {
        self.looked = self.looked.wrapping_add(1);
        match self.looked.is_multiple_of(LOOK) && self.budget.is_over() {
            true => Err(Stopped("the time is over".into())),
            false => Ok(()),
        }
    }

    /// Assumptions come first, one level each.
    fn decide(&mut self, assumptions: &[Lit]) -> Decision {
        if let Some(&lit) = assumptions.get(self.marks.len()) {
            return match self.value(lit) {
                1 => Decision::Known,
                0 => Decision::Lit(lit),
                _ => Decision::Wrong(lit),
            };
        }
        while let Some(var) = self.order.pop() {
            if self.values[var as usize] == 0 && self.domain[var as usize] == self.question {
                return Decision::Lit(Lit::new(var, !self.phases[var as usize]));
            }
        }
        Decision::Done
    }

    /// Deletes the less useful half of what was learnt.
    fn reduce(&mut self) {
        self.is_reduced = true;
        let clauses = &self.clauses;
        self.learnt.sort_by_key(|&clause| {
            let levels = clauses.levels(clause);
            (levels > 2, if levels > 2 { u32::MAX - clauses.used(clause) } else { 0 })
        });
        let half = self.learnt.len() / 2;
        let mut kept = half;
        for at in half..self.learnt.len() {
            let clause = self.learnt[at];
            let first = self.clauses.lit(clause, 0);
            let is_reason = self.value(first) > 0 && self.reasons[first.node() as usize] == clause;
            if is_reason || self.clauses.levels(clause) <= 2 {
                self.learnt[kept] = clause;
                kept += 1;
            } else {
                self.clauses.delete(clause);
            }
        }
        self.learnt.truncate(kept);
        self.most_learnt = self.learnt.len() + KEEP / 2 + KEEP_MORE;
    }

    /// Frees the memory of deleted clauses, at level 0.
    pub(super) fn collect(&mut self) {
        if !self.clauses.is_wasteful() {
            return;
        }
        let moved = self.clauses.collect();
        for watches in &mut self.watches {
            watches.retain_mut(|watch| moved.of(watch.clause).map(|to| watch.clause = to).is_some());
        }
        self.learnt.retain_mut(|clause| moved.of(*clause).map(|to| *clause = to).is_some());
        for handle in self.handles.iter_mut().filter(|handle| **handle != Clause::NONE) {
            *handle = moved.of(*handle).unwrap_or(Clause::NONE);
        }
        // What holds at level 0 is never explained.
        self.trail.iter().for_each(|lit| self.reasons[lit.node() as usize] = Clause::NONE);
    }
}

enum Decision {
    Lit(Lit),
    /// An assumption that holds already.
    Known,
    /// An assumption that does not hold.
    Wrong(Lit),
    /// Everything in the domain has a value.
    Done,
}

/// The sequence 1, 1, 2, 1, 1, 2, 4, … by its position from 1.
fn luby(mut position: u64) -> u64 {
    loop {
        let size = (position + 1).next_power_of_two();
        if size == position + 1 {
            return size / 2;
        }
        position -= size / 2 - 1;
    }
}
