//! Engines for Horn clauses that are no transition system: one row each in [`HORN_ENGINES`].

mod cells;
mod derive;
mod settle;
mod short;
mod spacer;
mod unfolded;

use base::budget::Budget;
use settle::settle;
use smt::horn::HornProblem;
use smt::term::Terms;
use ts::passes::horn::{Deduction, Meaning, derivable};

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
    /// What it does with clauses about predicates each of which may have facts.
    run: fn(&mut Terms, &HornTask<'_>) -> HornFound,
}

impl HornEngineInfo {
    /// Runs it.
    pub fn run(&self, terms: &mut Terms, task: &HornTask<'_>) -> HornFound {
        let Some(left) = derivable(terms, task.problem) else {
            return HornFound::Nothing("a clause is not understood".into());
        };
        let task = HornTask { problem: &left.problem, budget: task.budget.clone(), solver: task.solver };
        match (self.run)(terms, &task) {
            HornFound::Solution(mut solution) => {
                settle(terms, &task, &mut solution);
                HornFound::Solution(left.solution(terms, solution))
            }
            HornFound::Derivation(derivation) => HornFound::Derivation(left.derivation(derivation)),
            HornFound::Nothing(reason) => HornFound::Nothing(reason),
        }
    }
}

/// All engines.
pub static HORN_ENGINES: &[HornEngineInfo] = &[
    // tidy: sorted
    cells::INFO,
    short::INFO,
    spacer::GLOBAL,
    spacer::GPDR,
    spacer::USUAL,
    unfolded::BMC,
    unfolded::HOUDINI,
    unfolded::IC3IA,
    // tidy: end
];

/// The engine of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static HornEngineInfo> {
    HORN_ENGINES.iter().find(|info| info.name == name)
}
