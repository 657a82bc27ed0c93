//! A solver within a budget, and the parts of a system over the steps of an execution.

use super::SystemFound;
use base::budget::Budget;
use smt::eval::Assignment;
use smt::term::{TermId, Terms};
use smt::value::Value;
use solver::{CheckResult, FullSolver, Limits, SolverError};
use std::time::Duration;
use ts::System;
use ts::unroll::Unrolling;

/// Why a search ends without a result.
#[derive(Debug)]
pub(super) struct Stopped(pub(super) String);

impl From<SolverError> for Stopped {
    fn from(error: SolverError) -> Stopped {
        Stopped(error.to_string())
    }
}

impl From<Stopped> for String {
    fn from(stopped: Stopped) -> String {
        stopped.0
    }
}

impl From<Stopped> for SystemFound {
    fn from(stopped: Stopped) -> SystemFound {
        SystemFound::Nothing(stopped.0)
    }
}

/// A solver that stops with the budget. It answers yes or no, or the search is over.
pub(super) struct Session<'a> {
    solver: Box<dyn FullSolver>,
    budget: &'a Budget,
}

impl<'a> Session<'a> {
    pub(super) fn open(name: &str, budget: &'a Budget) -> Result<Session<'a>, Stopped> {
        Ok(Session { solver: solver::open(name)?, budget })
    }

    pub(super) fn assert(&mut self, terms: &Terms, formula: TermId) -> Result<(), Stopped> {
        Ok(self.solver.assert(terms, formula)?)
    }

    pub(super) fn assert_all(&mut self, terms: &Terms, formulas: &[TermId]) -> Result<(), Stopped> {
        formulas.iter().try_for_each(|&formula| self.assert(terms, formula))
    }

    /// What is asserted from now on is there until [`Session::pop`].
    pub(super) fn push(&mut self) -> Result<(), Stopped> {
        Ok(self.solver.push()?)
    }

    pub(super) fn pop(&mut self) -> Result<(), Stopped> {
        Ok(self.solver.pop()?)
    }

    /// True when what was asserted is satisfiable together with the assumptions.
    pub(super) fn is_sat(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<bool, Stopped> {
        if self.budget.is_over() {
            return Err(Stopped("the time is over".into()));
        }
        if let Some(time) = self.budget.remaining() {
            self.solver.limits(Limits::time(time.max(Duration::from_millis(1))))?;
        }
        match self.solver.check(terms, assumptions)? {
            CheckResult::Sat => Ok(true),
            CheckResult::Unsat => Ok(false),
            CheckResult::Unknown(reason) => Err(Stopped(format!("the solver does not know ({reason})"))),
        }
    }

    /// Whether what was asserted is satisfiable together with the assumptions, if the solver finds that out in so much time.
    pub(super) fn is_sat_within(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        time: Duration,
    ) -> Result<Option<bool>, Stopped> {
        if self.budget.is_over() {
            return Err(Stopped("the time is over".into()));
        }
        let time = self.budget.remaining().map_or(time, |left| left.min(time));
        self.solver.limits(Limits::time(time.max(Duration::from_millis(1))))?;
        Ok(match self.solver.check(terms, assumptions)? {
            CheckResult::Sat => Some(true),
            CheckResult::Unsat => Some(false),
            CheckResult::Unknown(_) => None,
        })
    }

    /// True when the solver finds out in a short time that what was asserted contradicts the assumptions.
    pub(super) fn refutes(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        time: Duration,
    ) -> Result<bool, Stopped> {
        if self.budget.is_over() {
            return Err(Stopped("the time is over".into()));
        }
        self.solver.limits(Limits::time(time.max(Duration::from_millis(1))))?;
        Ok(self.solver.check(terms, assumptions)? == CheckResult::Unsat)
    }

    /// The assumptions that the last answer, which was no, needs.
    pub(super) fn core(&mut self) -> Result<Vec<TermId>, Stopped> {
        Ok(self.solver.unsat_core()?)
    }

    /// Whether a Boolean constant holds in the last answer, which was yes.
    pub(super) fn holds(&mut self, terms: &mut Terms, constant: TermId) -> Result<Option<bool>, Stopped> {
        Ok(self.solver.value(terms, constant)?.and_then(|value| value.as_bool()))
    }

    /// What a constant is in the last answer, which was yes.
    pub(super) fn value(&mut self, terms: &mut Terms, constant: TermId) -> Result<Option<Value>, Stopped> {
        Ok(self.solver.value(terms, constant)?)
    }

    pub(super) fn model(&mut self, terms: &mut Terms) -> Result<Assignment, Stopped> {
        Ok(self.solver.model(terms)?)
    }
}

/// An execution of a system in a solver, one more step at a time.
pub(super) struct Execution<'a> {
    pub(super) system: &'a System,
    pub(super) session: Session<'a>,
    pub(super) unrolling: Unrolling,
    /// How many steps there are.
    pub(super) length: usize,
}

impl<'a> Execution<'a> {
    /// One step of which nothing is said yet.
    pub(super) fn open(
        system: &'a System,
        solver: &str,
        budget: &'a Budget,
    ) -> Result<Execution<'a>, Stopped> {
        let session = Session::open(solver, budget)?;
        Ok(Execution { system, session, unrolling: Unrolling::new(), length: 1 })
    }

    /// One step; of the first one only that it is a step of some execution, or that it is an initial one.
    pub(super) fn begin(
        terms: &mut Terms,
        system: &'a System,
        initial: bool,
        solver: &str,
        budget: &'a Budget,
    ) -> Result<Execution<'a>, Stopped> {
        let mut execution = Execution::open(system, solver, budget)?;
        execution.session.assert_all(terms, &system.axioms)?;
        if initial {
            execution.assert_at(terms, &system.init, 0)?;
        }
        execution.assert_at(terms, &system.invar, 0)?;
        Ok(execution)
    }

    /// One more step.
    pub(super) fn extend(&mut self, terms: &mut Terms) -> Result<(), Stopped> {
        for &formula in &self.system.trans {
            let formula = self.unrolling.between(terms, self.system, formula, self.length - 1);
            self.session.assert(terms, formula)?;
        }
        self.assert_at(terms, &self.system.invar, self.length)?;
        self.length += 1;
        Ok(())
    }

    pub(super) fn at(&mut self, terms: &mut Terms, formula: TermId, step: usize) -> TermId {
        self.unrolling.at(terms, self.system, formula, step)
    }

    pub(super) fn assert_at(
        &mut self,
        terms: &mut Terms,
        formulas: &[TermId],
        step: usize,
    ) -> Result<(), Stopped> {
        for &formula in formulas {
            let formula = self.at(terms, formula, step);
            self.session.assert(terms, formula)?;
        }
        Ok(())
    }

    /// The execution that the last answer, which was yes, is about.
    pub(super) fn violation(&mut self, terms: &mut Terms) -> Result<SystemFound, Stopped> {
        let model = self.session.model(terms)?;
        let mut trace = self.unrolling.trace(self.system, &model, self.length);
        trace.complete(terms, self.system);
        Ok(SystemFound::Violation(Box::new(trace)))
    }
}
