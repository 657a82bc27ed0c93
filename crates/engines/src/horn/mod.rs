//! Engines for Horn clauses that are no transition system: one row each in [`HORN_ENGINES`].

mod cells;
mod derive;
mod short;
mod spacer;

use base::budget::Budget;
use smt::horn::HornProblem;
use smt::term::Terms;
use ts::passes::horn::{Deduction, Meaning};

/// A question: do the clauses have a solution?
pub struct HornTask<'a> {
    /// The clauses.
    pub problem: &'a HornProblem,
    /// When to stop.
    pub budget: Budget,
    /// The solver as users write it, for `solver::open`.
    pub solver: &'a str,
}

/// What an engine found.
#[derive(Debug)]
pub enum HornFound {
    /// A solution.
    Solution(Vec<Meaning>),
    /// A derivation of `false`.
    Derivation(Vec<Deduction>),
    /// Nothing, and why.
    Nothing(String),
}

/// A row of the registry.
#[derive(Clone, Copy)]
pub struct HornEngineInfo {
    /// Its name.
    pub name: &'static str,
    /// What it can show.
    pub shows: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// When it is started: the smaller, the earlier.
    pub rank: u8,
    /// Runs it.
    pub run: fn(&mut Terms, &HornTask<'_>) -> HornFound,
}

/// All engines.
pub static HORN_ENGINES: &[HornEngineInfo] = &[
    // tidy: sorted
    cells::INFO,
    short::INFO,
    spacer::GLOBAL,
    spacer::GPDR,
    spacer::USUAL,
    // tidy: end
];

/// The engine of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static HornEngineInfo> {
    HORN_ENGINES.iter().find(|info| info.name == name)
}
