//! What can be put around a solver without the code that uses it noticing.

mod crosscheck;
mod record;
mod scripted;
mod stats;

pub use crosscheck::Crosschecked;
pub use record::Recorded;
pub use scripted::{Prepared, Scripted};
pub use stats::{Stats, Timed};
