//! Engines look for evidence; the checker decides whether it is any. One file per engine, one row in [`ENGINES`].
//!
//! An engine gets a [`Problem`] and returns what it [`Found`]: the commands of a witness, or a reason why there are
//! none. It may publish facts on the way that other engines can use, and may ask for theirs ([`Board`]). Whatever it
//! uses has to be in its evidence: a hint is somebody's claim, not a truth.

mod bmc;
mod board;
mod cells;
mod evidence;
mod given;
pub mod horn;
mod houdini;
mod kinduction;
mod lasso;
mod random;
mod ranking;
mod readable;
mod spacer;
pub mod systems;
mod ways;

pub use bmc::UNROLLED;
pub use board::{Board, Fact, Lonely};
pub use evidence::annotation;

use base::budget::Budget;
use smt::term::Terms;
use svlib::interp::Options;
use svlib::syntax::{CommandKind, Script, Trace};

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
    /// The solver as users write it, for `solver::open`.
    pub solver: &'a str,
    /// What engines tell each other.
    pub board: &'a dyn Board,
}

/// What an engine found.
pub enum Found {
    /// The program is correct: the definitions and annotations (`annotate-tag`) that show it, in the order of a
    /// witness. Empty when the annotations of the task itself are enough.
    Proof(Vec<CommandKind>),
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
    /// When it is started: the smaller, the earlier. An engine with 0 runs alone for a moment, so that what is
    /// found at once is found by the same engine each time, and again after all others.
    pub rank: u8,
    /// Runs it.
    pub run: fn(&mut Terms, &Problem<'_>) -> Found,
}

/// All engines, sorted by name.
pub static ENGINES: &[EngineInfo] = &[
    // tidy: sorted
    bmc::INFO,
    cells::INFO,
    given::INFO,
    houdini::INFO,
    kinduction::INFO,
    lasso::INFO,
    random::INFO,
    ranking::INFO,
    spacer::INFO,
    // tidy: end
];

/// The engine of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static EngineInfo> {
    ENGINES.iter().find(|info| info.name == name)
}
