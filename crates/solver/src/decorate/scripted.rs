//! A solver for tests: it gives prepared answers and remembers what it was told.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use smt::eval::{Assignment, Evaluator};
use smt::term::{TermId, Terms};
use smt::value::Value;

use crate::api::{CheckResult, Interrupt, Interrupter, Limits, Model, Reason, Solver, Stop, UnsatCore};
use crate::error::{SolverError, StateError};
use crate::z3::formula;

/// A prepared answer.
#[derive(Debug, Clone)]
pub enum Prepared {
    /// Satisfiable, with this model.
    Sat(Assignment),
    /// Unsatisfiable; which of the assumptions are the core, by position.
    Unsat(Vec<usize>),
    /// Unknown.
    Unknown(Reason),
    /// The check fails.
    Error(SolverError),
}

/// A solver with prepared answers.
#[derive(Default)]
pub struct Scripted {
    answers: VecDeque<Prepared>,
    levels: Vec<usize>,
    asserted: Vec<TermId>,
    checks: Vec<Vec<TermId>>,
    last: Option<Prepared>,
    stop: Arc<Flag>,
}

#[derive(Default)]
struct Flag(AtomicBool);

impl Stop for Flag {
    fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn resume(&self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

impl Scripted {
    /// A solver that gives these answers in this order.
    pub fn new(answers: impl IntoIterator<Item = Prepared>) -> Self {
        Scripted { answers: answers.into_iter().collect(), ..Scripted::default() }
    }

    /// The formulas of the open levels.
    #[must_use]
    pub fn asserted(&self) -> &[TermId] {
        &self.asserted
    }

    /// The assumptions of each check so far.
    #[must_use]
    pub fn checks(&self) -> &[Vec<TermId>] {
        &self.checks
    }
}

impl Solver for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn assert(&mut self, terms: &Terms, term: TermId) -> Result<(), SolverError> {
        formula(terms, term)?;
        self.last = None;
        self.asserted.push(term);
        Ok(())
    }

    fn push(&mut self) -> Result<(), SolverError> {
        self.last = None;
        self.levels.push(self.asserted.len());
        Ok(())
    }

    fn pop(&mut self) -> Result<(), SolverError> {
        let length = self.levels.pop().ok_or(StateError::NoLevel)?;
        self.last = None;
        self.asserted.truncate(length);
        Ok(())
    }

    fn check(&mut self, _: &Terms, assumptions: &[TermId]) -> Result<CheckResult, SolverError> {
        self.last = None;
        if self.stop.0.load(Ordering::SeqCst) {
            return Ok(CheckResult::Unknown(Reason::Interrupted));
        }
        let answer = self.answers.pop_front().ok_or(StateError::NoAnswer)?;
        self.checks.push(assumptions.to_vec());
        let result = match &answer {
            Prepared::Sat(_) => CheckResult::Sat,
            Prepared::Unsat(_) => CheckResult::Unsat,
            Prepared::Unknown(reason) => CheckResult::Unknown(reason.clone()),
            Prepared::Error(error) => return Err(error.clone()),
        };
        self.last = Some(answer);
        Ok(result)
    }

    fn limits(&mut self, _: Limits) -> Result<(), SolverError> {
        Ok(())
    }
}

impl Model for Scripted {
    fn value(&mut self, terms: &mut Terms, term: TermId) -> Result<Option<Value>, SolverError> {
        let Some(Prepared::Sat(model)) = &self.last else { return Err(StateError::NoModel.into()) };
        Ok(Evaluator::new(terms).eval(term, &mut model.clone()).ok())
    }

    fn model(&mut self, _: &mut Terms) -> Result<Assignment, SolverError> {
        match &self.last {
            Some(Prepared::Sat(model)) => Ok(model.clone()),
            _ => Err(StateError::NoModel.into()),
        }
    }
}

impl UnsatCore for Scripted {
    fn unsat_core(&mut self) -> Result<Vec<TermId>, SolverError> {
        let (Some(Prepared::Unsat(core)), Some(assumptions)) = (&self.last, self.checks.last()) else {
            return Err(StateError::NoCore.into());
        };
        Ok(core.iter().filter_map(|&position| assumptions.get(position).copied()).collect())
    }
}

impl Interrupt for Scripted {
    fn interrupter(&self) -> Interrupter {
        Interrupter(self.stop.clone())
    }
}
