//! Time and cancellation, passed to everything that may run long.
//!
//! The whole ends when somebody waits for its result no longer, so it counts the time on the wall. A part of it is a limit for
//! some work, so it counts the [time of work](crate::clock).

use crate::clock::{self, Awake};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A deadline, and a flag by which somebody else can end the work. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    part: Option<Awake>,
    cancelled: Arc<AtomicBool>,
}

impl Budget {
    /// No limit; it can still be cancelled.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// So much time from now on.
    #[must_use]
    pub fn of(time: Duration) -> Self {
        Self { deadline: Instant::now().checked_add(time), ..Self::default() }
    }

    /// Ends the work of everybody who shares this budget.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The time that is left; none when there is no deadline.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        let whole = self.deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let part = self.part.map(|end| end.since(clock::now()));
        sooner(whole, part)
    }

    /// A part of the budget: it ends with this one at the latest, and shares its cancellation.
    #[must_use]
    pub fn part(&self, time: Duration) -> Self {
        let end = clock::now().after(time);
        Self { deadline: self.deadline, part: sooner(self.part, end), cancelled: self.cancelled.clone() }
    }

    /// True when the work should end now.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|at| Instant::now() >= at)
            || self.part.is_some_and(|end| clock::now() >= end)
    }
}

/// The smaller one of what there is.
fn sooner<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_by_time_and_by_hand() {
        assert!(Budget::of(Duration::ZERO).is_over());
        let budget = Budget::unlimited();
        let shared = budget.clone();
        assert!(!shared.is_over());
        assert!(shared.part(Duration::ZERO).is_over());
        let part = shared.part(Duration::from_secs(1000)).part(Duration::from_secs(2000));
        assert!(!part.is_over() && part.remaining().is_some_and(|left| left <= Duration::from_secs(1000)));
        budget.cancel();
        assert!(shared.is_over() && part.is_over());
    }
}
