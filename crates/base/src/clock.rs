//! Time in which this process runs.
//!
//! Engines that take turns are stopped while others run. A limit of half a second is meant as half a second of work: by the
//! clock on the wall it would be over after the first rest, and whatever was asked would be lost for nothing. So this clock
//! stands while the process rests. That a process rested it cannot be told, but it notices: a thread looks at the clock all the
//! time, and where nobody looked for long, nobody could.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// So often the thread looks.
const TICK: Duration = Duration::from_millis(50);
/// A longer time between two looks is a rest.
const REST: Duration = Duration::from_millis(250);

/// The time that a process ran since it first looked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Awake(Duration);

impl Awake {
    /// That much later; nothing if nobody will live to see it.
    #[must_use]
    pub fn after(self, time: Duration) -> Option<Awake> {
        self.0.checked_add(time).map(Awake)
    }

    /// The time from an earlier moment to this one; none if it was later.
    #[must_use]
    pub fn since(self, earlier: Awake) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// What is known of rests.
#[derive(Debug, Default)]
struct Looks {
    /// When somebody looked last, and how long the rests were until then.
    last: Duration,
    rested: Duration,
    /// Somebody looks all the time.
    watched: bool,
}

impl Looks {
    /// The time of work at a moment that is not before the last look.
    fn look(&mut self, at: Duration) -> Awake {
        let gap = at.saturating_sub(self.last);
        if self.watched && gap > REST {
            self.rested += gap - TICK;
        }
        self.last = self.last.max(at);
        Awake(at.saturating_sub(self.rested))
    }
}

static BEGIN: OnceLock<Instant> = OnceLock::new();
static LOOKS: Mutex<Looks> =
    Mutex::new(Looks { last: Duration::ZERO, rested: Duration::ZERO, watched: false });

/// The time of work until now. Without [`watch`] it is the time on the wall.
#[must_use]
pub fn now() -> Awake {
    let begin = *BEGIN.get_or_init(Instant::now);
    let mut looks = LOOKS.lock().unwrap_or_else(PoisonError::into_inner);
    // The clock is read under the lock, so that moments come in their order.
    looks.look(begin.elapsed())
}

/// Begins to notice rests. Without a thread for it the clock goes on while the process rests.
pub fn watch() {
    let look_always = || {
        loop {
            thread::sleep(TICK);
            let _ = now();
        }
    };
    let _ = now();
    if thread::Builder::new().name("clock".to_owned()).spawn(look_always).is_ok() {
        LOOKS.lock().unwrap_or_else(PoisonError::into_inner).watched = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_do_not_count() {
        let ms = Duration::from_millis;
        let mut looks = Looks { watched: true, ..Looks::default() };
        assert_eq!(looks.look(ms(50)), Awake(ms(50)));
        assert_eq!(looks.look(ms(100)), Awake(ms(100)));
        // Three seconds of rest, and what may have been work at their end.
        assert_eq!(looks.look(ms(3100)), Awake(ms(150)));
        assert_eq!(looks.look(ms(3150)), Awake(ms(200)));
        assert_eq!(Awake(ms(200)).since(Awake(ms(150))), ms(50));
        let mut looks = Looks::default();
        looks.look(ms(50));
        assert_eq!(looks.look(ms(3000)), Awake(ms(3000)), "nobody watches");
    }
}
