//! Who runs when there are more engines than jobs.
//!
//! Each engine has a short turn, then rests, and its next turn is twice as long: what one engine solves at once does not
//! wait long, and what takes long loses little by the rests. The longer turns of an engine that most often solves what takes
//! long are longer than those of others. A check that has just begun takes the place of an engine.

use super::{Active, Role, Search};
use std::time::Instant;

impl Search<'_> {
    /// Lets the engines run whose turn it is.
    pub(super) fn take_turns(&mut self) {
        let now = Instant::now();
        let alone = |a: &Active| matches!(a.role, Role::Search { head_start: true, .. });
        let too_long = |a: &Active| alone(a) && a.turn_ends.is_some_and(|end| end <= now);
        while let Some(at) = self.active.iter().position(too_long) {
            let active = self.active.remove(at);
            self.workers.kill(active.worker);
        }
        if self.active.iter().any(alone) {
            return;
        }
        loop {
            let running = self.active.iter().filter(|a| a.is_search() && a.turn_ends.is_some()).count();
            let free = self.jobs.saturating_sub(self.fresh_checks(now).count());
            if running < free {
                if let Some((order, info)) = self.waiting.pop_front() {
                    self.search(order, info, false);
                } else if let Some(at) = self.resting() {
                    let active = &mut self.active[at];
                    active.since = now;
                    active.turn_ends = Some(now + active.next_turn());
                    self.workers.pause(active.worker, false);
                } else {
                    return;
                }
                continue;
            }
            let waits = !self.waiting.is_empty() || self.resting().is_some();
            let over = |a: &Active| {
                a.is_search() && (running > free || waits) && a.turn_ends.is_some_and(|t| t <= now)
            };
            let runs = |a: &Active| a.is_search() && a.turn_ends.is_some();
            let late = self.active.iter().position(over);
            let surplus = || self.active.iter().rposition(runs).filter(|_| running > free);
            let Some(at) = late.or_else(surplus) else { return };
            // To the end of the line.
            let mut active = self.active.remove(at);
            active.ran = active.spent();
            active.turn_ends = None;
            self.workers.pause(active.worker, true);
            self.active.push(active);
        }
    }

    /// The ends of the checks that have not taken long yet.
    fn fresh_checks(&self, now: Instant) -> impl Iterator<Item = Instant> {
        let checks = self.active.iter().filter(|active| !active.is_search());
        checks.filter_map(|active| active.turn_ends).filter(move |end| *end > now)
    }

    /// The engine that has rested longest.
    fn resting(&self) -> Option<usize> {
        let rests = |a: &Active| a.is_search() && a.turn_ends.is_none();
        self.active.iter().position(rests)
    }

    /// When to look around again if nothing happens.
    pub(super) fn wake_up(&self) -> Instant {
        if self.waiting.is_empty() && self.resting().is_none() {
            return self.deadline;
        }
        let turns = self.active.iter().filter(|a| a.is_search()).filter_map(|a| a.turn_ends);
        let next = turns.chain(self.fresh_checks(Instant::now())).min();
        next.map_or(self.deadline, |turn| turn.min(self.deadline))
    }
}
