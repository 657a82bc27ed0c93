//! Engines look for evidence; the checker decides whether it is any. One file per engine, one row in [`ENGINES`].

mod random;

use base::budget::Budget;
use smt::term::Terms;
use svlib::interp::Options;
use svlib::syntax::{Script, Trace};

/// A question: does the call that is command number `command` of the script satisfy its properties?
pub struct Problem<'a> {
    /// The script.
    pub script: &'a Script,
    /// The number of the call.
    pub command: usize,
    /// Limits of single executions, and how the entry's `:requires` is read.
    pub options: Options,
    /// The seed of random decisions.
    pub seed: u64,
    /// When to stop.
    pub budget: Budget,
}

/// What an engine found.
pub enum Found {
    /// An execution that violates a property, as a trace.
    Violation(Box<Trace>),
    /// Nothing, and why.
    Nothing(String),
}

/// A row of the registry.
#[derive(Clone, Copy)]
pub struct EngineInfo {
    /// Its name.
    pub name: &'static str,
    /// What it can show: `incorrect`, or `correct` as well.
    pub shows: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Runs it.
    pub run: fn(&mut Terms, &Problem<'_>) -> Found,
}

/// All engines, sorted by name.
pub static ENGINES: &[EngineInfo] = &[
    // tidy: sorted
    random::INFO,
    // tidy: end
];
