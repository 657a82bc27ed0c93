//! Time and cancellation, passed to everything that may run long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A deadline, and a flag by which somebody else can end the work. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
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
        Self { deadline: Instant::now().checked_add(time), cancelled: Arc::default() }
    }

    /// Ends the work of everybody who shares this budget.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The time that is left; none when there is no deadline.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// A part of the budget: it ends with this one at the latest, and shares its cancellation.
    #[must_use]
    pub fn part(&self, time: Duration) -> Self {
        let end = Instant::now().checked_add(time);
        let deadline = match (self.deadline, end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { deadline, cancelled: self.cancelled.clone() }
    }

    /// True when the work should end now.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.deadline.is_some_and(|at| Instant::now() >= at)
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
        budget.cancel();
        assert!(shared.is_over());
    }
}
