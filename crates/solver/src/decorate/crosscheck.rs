//! Two solvers for one question. They may know less than each other, but a contradiction is an error and never a
//! verdict.

use std::sync::Arc;

use smt::eval::Assignment;
use smt::term::{TermId, Terms};
use smt::value::Value;

use crate::api::{CheckResult, Interrupt, Interrupter, Limits, Model, Solver, Stop, UnsatCore};
use crate::error::SolverError;

/// Two solvers that are told and asked the same.
pub struct Crosschecked<A, B> {
    first: A,
    second: B,
    name: String,
    /// The second one gave the answer that the first one did not know.
    by_second: bool,
}

impl<A: Solver, B: Solver> Crosschecked<A, B> {
    /// Both must have been told the same so far.
    pub fn new(first: A, second: B) -> Self {
        let name = format!("{} and {}", first.name(), second.name());
        Crosschecked { first, second, name, by_second: false }
    }
}

impl<A: Solver, B: Solver> Solver for Crosschecked<A, B> {
    fn name(&self) -> &str {
        &self.name
    }

    fn assert(&mut self, terms: &Terms, formula: TermId) -> Result<(), SolverError> {
        self.first.assert(terms, formula)?;
        self.second.assert(terms, formula)
    }

    fn push(&mut self) -> Result<(), SolverError> {
        self.first.push()?;
        self.second.push()
    }

    fn pop(&mut self) -> Result<(), SolverError> {
        self.first.pop()?;
        self.second.pop()
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<CheckResult, SolverError> {
        let first = self.first.check(terms, assumptions)?;
        let second = self.second.check(terms, assumptions)?;
        if first.contradicts(&second) {
            return Err(SolverError::Disagreement {
                first: format!("{} says {first}", self.first.name()),
                second: format!("{} says {second}", self.second.name()),
            });
        }
        self.by_second = matches!(first, CheckResult::Unknown(_));
        Ok(if self.by_second { second } else { first })
    }

    fn limits(&mut self, limits: Limits) -> Result<(), SolverError> {
        self.first.limits(limits)?;
        self.second.limits(limits)
    }
}

impl<A: Model, B: Model> Model for Crosschecked<A, B> {
    fn value(&mut self, terms: &mut Terms, term: TermId) -> Result<Option<Value>, SolverError> {
        if self.by_second { self.second.value(terms, term) } else { self.first.value(terms, term) }
    }

    fn model(&mut self, terms: &mut Terms) -> Result<Assignment, SolverError> {
        if self.by_second { self.second.model(terms) } else { self.first.model(terms) }
    }
}

impl<A: UnsatCore, B: UnsatCore> UnsatCore for Crosschecked<A, B> {
    fn unsat_core(&mut self) -> Result<Vec<TermId>, SolverError> {
        if self.by_second { self.second.unsat_core() } else { self.first.unsat_core() }
    }
}

struct Both(Interrupter, Interrupter);

impl Stop for Both {
    fn stop(&self) {
        self.0.interrupt();
        self.1.interrupt();
    }

    fn resume(&self) {
        self.0.resume();
        self.1.resume();
    }
}

impl<A: Interrupt, B: Interrupt> Interrupt for Crosschecked<A, B> {
    fn interrupter(&self) -> Interrupter {
        Interrupter(Arc::new(Both(self.first.interrupter(), self.second.interrupter())))
    }
}
