//! Time as a measurement counts it: on a machine that others use, too, the time of the processor says more than that of the wall.

use std::time::{Duration, Instant};

/// A point in time.
pub(crate) struct Clock {
    wall: Instant,
    processor: Option<Duration>,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock { wall: Instant::now(), processor: processor() }
    }

    /// How long this thread has had a processor since; where the system does not tell, how long ago it was.
    pub(crate) fn elapsed(&self) -> Duration {
        match (self.processor, processor()) {
            (Some(start), Some(now)) => now.saturating_sub(start),
            _ => self.wall.elapsed(),
        }
    }
}

/// The time that this thread has had a processor, as Linux tells it: exactly when it has just given the processor away.
fn processor() -> Option<Duration> {
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
