//! The independent checker. A verdict is printed only after the evidence for it was accepted here.
//!
//! It knows terms and programs, never an engine: whoever found a trace, it is replayed step by step from its text.

mod replay;

pub use replay::{Judged, Rejection, replay_trace};
