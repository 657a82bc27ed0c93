//! Conflicts, and what follows from them.

use super::clauses::Clause;
use super::{Sat, Watch};
use ts::aig::Lit;

impl Sat {
    /// Learns a clause from one that does not hold, and goes back to where it says something new.
    pub(super) fn learn(&mut self, conflict: Clause) {
        let (lits, back) = self.resolve(conflict);
        let levels = self.count_levels(&lits);
        self.backtrack(back);
        let first = lits[0];
        if lits.len() == 1 {
            self.enqueue(first, Clause::NONE);
            return;
        }
        let clause = self.clauses.add(&lits, Some(levels));
        self.clauses.set_used(clause, self.conflicts);
        self.learnt.push(clause);
        self.watches[lits[0].code() as usize].push(Watch { clause, other: lits[1] });
        self.watches[lits[1].code() as usize].push(Watch { clause, other: lits[0] });
        self.enqueue(first, clause);
    }

    /// The clause of the first unique implication point, and the level to go back to. Its first literal is the new one, its
    /// second has that level.
    fn resolve(&mut self, conflict: Clause) -> (Vec<Lit>, usize) {
        let top = self.marks.len() as u32;
        let mut lits = vec![Lit::FALSE];
        let (mut open, mut reason, mut at) = (0, conflict, self.trail.len());
        let mut resolved: Option<Lit> = None;
        loop {
            if self.clauses.is_learnt(reason) {
                self.clauses.set_used(reason, self.conflicts);
            }
            for position in 0..self.clauses.len(reason) {
                let lit = self.clauses.lit(reason, position);
                let var = lit.node() as usize;
                if Some(lit) == resolved || self.seen[var] || self.levels[var] == 0 {
                    continue;
                }
                self.seen[var] = true;
                self.order.bump(lit.node());
                if self.levels[var] == top {
                    open += 1;
                } else {
                    lits.push(lit);
                }
            }
            let lit = loop {
                at -= 1;
                if self.seen[self.trail[at].node() as usize] {
                    break self.trail[at];
                }
            };
            self.seen[lit.node() as usize] = false;
            open -= 1;
            if open == 0 {
                lits[0] = !lit;
                break;
            }
            resolved = Some(lit);
            reason = self.reasons[lit.node() as usize];
        }
        let all = lits.clone();
        self.shorten(&mut lits);
        all.iter().for_each(|lit| self.seen[lit.node() as usize] = false);
        let back = self.second(&mut lits);
        (lits, back)
    }

    /// Leaves out literals that follow from the others.
    fn shorten(&self, lits: &mut Vec<Lit>) {
        let follows = |lit: Lit| {
            let reason = self.reasons[lit.node() as usize];
            reason != Clause::NONE
                && self.clauses.lits(reason).all(|other| {
                    let var = other.node() as usize;
                    other == !lit || self.seen[var] || self.levels[var] == 0
                })
        };
        let first = lits[0];
        lits.retain(|&lit| lit == first || !follows(lit));
    }

    /// Puts a literal of the highest level but the first one's in second place; its level.
    fn second(&self, lits: &mut [Lit]) -> usize {
        let level = |lit: &Lit| self.levels[lit.node() as usize];
        let Some(best) = (1..lits.len()).max_by_key(|&at| level(&lits[at])) else { return 0 };
        lits.swap(1, best);
        level(&lits[1]) as usize
    }

    fn count_levels(&self, lits: &[Lit]) -> u32 {
        let mut levels: Vec<u32> = lits.iter().map(|lit| self.levels[lit.node() as usize]).collect();
        levels.sort_unstable();
        levels.dedup();
        levels.len() as u32
    }

    /// The assumptions from which it follows that one of them does not hold.
    pub(super) fn explain(&mut self, wrong: Lit) {
        self.core = vec![wrong];
        let start = self.marks.first().copied().unwrap_or(self.trail.len());
        let mut open = vec![wrong.node()];
        self.seen[wrong.node() as usize] = true;
        for at in (start..self.trail.len()).rev() {
            let lit = self.trail[at];
            let var = lit.node() as usize;
            if !self.seen[var] {
                continue;
            }
            let reason = self.reasons[var];
            if reason == Clause::NONE {
                // A decision is an assumption here.
                self.core.push(lit);
                continue;
            }
            for other in self.clauses.lits(reason) {
                let var = other.node() as usize;
                if self.levels[var] > 0 && !self.seen[var] {
                    self.seen[var] = true;
                    open.push(other.node());
                }
            }
        }
        open.into_iter().for_each(|var| self.seen[var as usize] = false);
        self.core.sort_unstable();
    }
}
