//! Engines for transition systems: one file or folder each, one row in [`SYSTEM_ENGINES`].

mod bmc;
mod circuit;
mod flow;
mod ic3;
mod ic3ia;
mod kinduction;
mod live;
mod session;
mod spacer;

use base::budget::Budget;
use smt::sort::SortId;
use smt::term::Terms;
use ts::{Certificate, Property, System, Trace};

/// A question: does the system satisfy the property?
pub struct SystemProblem<'a> {
    /// The system.
    pub system: &'a System,
    /// One of its properties.
    pub property: &'a Property,
    /// The seed of random decisions.
    pub seed: u64,
    /// When to stop.
    pub budget: Budget,
    /// The solver as users write it, for `solver::open`.
    pub solver: &'a str,
}

/// What an engine found.
#[derive(Debug)]
pub enum SystemFound {
    /// The property holds, and why.
    Proof(Certificate),
    /// An execution that violates it.
    Violation(Box<Trace>),
    /// Nothing, and why.
    Nothing(String),
}

/// A row of the registry.
#[derive(Clone, Copy)]
pub struct SystemEngineInfo {
    /// Its name.
    pub name: &'static str,
    /// What it can show: `incorrect`, or `correct` as well.
    pub shows: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// When it is started: the smaller, the earlier.
    pub rank: u8,
    /// How much of the time it gets when engines take turns, compared with the others.
    pub share: u32,
    /// Runs it.
    pub run: fn(&mut Terms, &SystemProblem<'_>) -> SystemFound,
}

/// All engines, sorted by name.
pub static SYSTEM_ENGINES: &[SystemEngineInfo] = &[
    // tidy: sorted
    bmc::INFO,
    circuit::bmc::INFO,
    circuit::bmc::NARROW,
    circuit::kinduction::INFO,
    circuit::pdr::INFO,
    flow::HOUDINI,
    flow::KINDUCTION,
    flow::SPACER,
    ic3ia::INFO,
    kinduction::INFO,
    live::LASSO,
    live::LIVENESS,
    spacer::INFO,
    // tidy: end
];

/// Stops an engine that looks for words and numbers at a circuit, where engines for bits do the same faster.
fn not_for_circuits(terms: &Terms, system: &System) -> Result<(), session::Stopped> {
    let states = system.states.iter().map(|state| state.now);
    let mut symbols =
        states.chain(system.inputs.iter().copied()).chain(system.rigid.iter().copied()).peekable();
    // What is nothing but constants is easy for everybody.
    let is_empty = symbols.peek().is_none();
    match symbols.all(|fun| terms.fun(fun).result == SortId::BOOL && terms.fun(fun).params.is_empty()) {
        true if !is_empty => Err(session::Stopped("it is for systems with more than truth values".into())),
        _ => Ok(()),
    }
}

/// The engine of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static SystemEngineInfo> {
    SYSTEM_ENGINES.iter().find(|info| info.name == name)
}
