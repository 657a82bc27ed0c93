//! Counts what a solver is asked and how long it takes.

use std::time::{Duration, Instant};

use smt::eval::Assignment;
use smt::term::{TermId, Terms};
use smt::value::Value;

use crate::api::{CheckResult, Interrupt, Interrupter, Limits, Model, Solver, UnsatCore};
use crate::error::SolverError;

/// What was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Formulas asserted.
    pub assertions: u64,
    /// Checks that found a model.
    pub sat: u64,
    /// Checks that found none.
    pub unsat: u64,
    /// Checks without an answer.
    pub unknown: u64,
    /// Checks that failed.
    pub errors: u64,
    /// Time in assertions and checks.
    pub time: Duration,
    /// Time of the longest check.
    pub longest: Duration,
}

impl Stats {
    /// The number of checks.
    #[must_use]
    pub fn checks(&self) -> u64 {
        self.sat + self.unsat + self.unknown + self.errors
    }
}

/// A solver with statistics.
pub struct Timed<S> {
    inner: S,
    stats: Stats,
}

impl<S> Timed<S> {
    /// Counts from now on.
    pub fn new(inner: S) -> Self {
        Timed { inner, stats: Stats::default() }
    }

    /// What was counted so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// The solver without its statistics.
    pub fn into_inner(self) -> S {
        self.inner
    }
}

impl<S: Solver> Solver for Timed<S> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn assert(&mut self, terms: &Terms, formula: TermId) -> Result<(), SolverError> {
        let start = Instant::now();
        let result = self.inner.assert(terms, formula);
        self.stats.time += start.elapsed();
        self.stats.assertions += 1;
        result
    }

    fn push(&mut self) -> Result<(), SolverError> {
        self.inner.push()
    }

    fn pop(&mut self) -> Result<(), SolverError> {
        self.inner.pop()
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<CheckResult, SolverError> {
        let start = Instant::now();
        let answer = self.inner.check(terms, assumptions);
        let took = start.elapsed();
        self.stats.time += took;
        self.stats.longest = self.stats.longest.max(took);
        match &answer {
            Ok(CheckResult::Sat) => self.stats.sat += 1,
            Ok(CheckResult::Unsat) => self.stats.unsat += 1,
            Ok(CheckResult::Unknown(_)) => self.stats.unknown += 1,
            Err(_) => self.stats.errors += 1,
        }
        answer
    }

    fn limits(&mut self, limits: Limits) -> Result<(), SolverError> {
        self.inner.limits(limits)
    }
}

impl<S: Model> Model for Timed<S> {
    fn value(&mut self, terms: &mut Terms, term: TermId) -> Result<Option<Value>, SolverError> {
        self.inner.value(terms, term)
    }

    fn model(&mut self, terms: &mut Terms) -> Result<Assignment, SolverError> {
        self.inner.model(terms)
    }
}

impl<S: UnsatCore> UnsatCore for Timed<S> {
    fn unsat_core(&mut self) -> Result<Vec<TermId>, SolverError> {
        self.inner.unsat_core()
    }
}

impl<S: Interrupt> Interrupt for Timed<S> {
    fn interrupter(&self) -> Interrupter {
        self.inner.interrupter()
    }
}
