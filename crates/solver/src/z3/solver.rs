//! The embedded Z3 as a solver.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smt::eval::{Assignment, Evaluator};
use smt::sort::SortId;
use smt::term::{TermId, Terms};
use smt::value::Value;

use super::ffi::{Context, Handle};
use super::ready;
use super::translate::Translator;
use super::values::Reader;
use crate::api::{CheckResult, Interrupt, Interrupter, Limits, Model, Solver, UnsatCore};
use crate::error::{SolverError, StateError};

/// A Z3 context with one solver in it. It may move between threads; one thread at a time uses it.
pub struct Z3 {
    context: Context,
    translator: Translator,
    limits: Limits,
    levels: u32,
    last: Last,
}

/// What the last check left behind.
enum Last {
    /// Nothing that can be asked for.
    Nothing,
    /// A model.
    Sat,
    /// The assumptions it was made with.
    Unsat(Vec<TermId>),
}

impl Z3 {
    /// A solver without formulas.
    ///
    /// # Errors
    /// When the library is of a release that the bindings do not fit, or out of memory.
    pub fn new() -> Result<Z3, SolverError> {
        ready()?;
        let context =
            Context::new().ok_or_else(|| SolverError::Refused { message: "out of memory".to_owned() })?;
        Ok(Z3 {
            context,
            translator: Translator::default(),
            limits: Limits::default(),
            levels: 0,
            last: Last::Nothing,
        })
    }

    /// The value of a term by the evaluator, where the library leaves a term that it does not simplify. A value
    /// that the standard leaves open is not guessed.
    fn computed(&mut self, terms: &mut Terms, term: TermId) -> Result<Option<Value>, SolverError> {
        let mut model = self.model(terms)?;
        let mut evaluator = Evaluator::new(terms);
        let value = evaluator.eval(term, &mut model).ok();
        Ok(value.filter(|_| evaluator.unspecified().is_none()))
    }

    fn changed(&mut self) {
        self.context.drop_model();
        self.last = Last::Nothing;
    }
}

/// Only formulas can be asserted and assumed.
pub(crate) fn formula(terms: &Terms, term: TermId) -> Result<(), SolverError> {
    if terms.sort(term) == SortId::BOOL { Ok(()) } else { Err(StateError::NotAFormula.into()) }
}

impl Solver for Z3 {
    fn name(&self) -> &str {
        "z3"
    }

    fn assert(&mut self, terms: &Terms, term: TermId) -> Result<(), SolverError> {
        formula(terms, term)?;
        let ast = self.translator.term(&mut self.context, terms, term)?;
        self.changed();
        self.context.assert(ast)
    }

    fn push(&mut self) -> Result<(), SolverError> {
        self.changed();
        self.context.push()?;
        self.levels += 1;
        Ok(())
    }

    fn pop(&mut self) -> Result<(), SolverError> {
        if self.levels == 0 {
            return Err(StateError::NoLevel.into());
        }
        self.changed();
        self.context.pop()?;
        self.levels -= 1;
        Ok(())
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<CheckResult, SolverError> {
        let mut asts = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            formula(terms, assumption)?;
            asts.push(self.translator.term(&mut self.context, terms, assumption)?);
        }
        self.changed();
        let answer = self.context.check(&asts, self.limits)?;
        self.last = match answer {
            CheckResult::Sat => Last::Sat,
            CheckResult::Unsat => Last::Unsat(assumptions.to_vec()),
            CheckResult::Unknown(_) => Last::Nothing,
        };
        Ok(answer)
    }

    fn limits(&mut self, limits: Limits) -> Result<(), SolverError> {
        self.limits = limits;
        self.context.set_limits(limits)
    }
}

impl Model for Z3 {
    fn value(&mut self, terms: &mut Terms, term: TermId) -> Result<Option<Value>, SolverError> {
        if !matches!(self.last, Last::Sat) {
            return Err(StateError::NoModel.into());
        }
        let ast = self.translator.term(&mut self.context, terms, term)?;
        let mark = self.context.mark();
        let value = match self.context.eval(ast)? {
            Some(value) => {
                let sort = terms.sort(term);
                Reader::new(&mut self.context, &self.translator, terms).value(value, sort)
            }
            None => Ok(None),
        };
        self.context.release(mark);
        match value? {
            Some(value) => Ok(Some(value)),
            None => self.computed(terms, term),
        }
    }

    fn model(&mut self, terms: &mut Terms) -> Result<Assignment, SolverError> {
        if !matches!(self.last, Last::Sat) {
            return Err(StateError::NoModel.into());
        }
        let mark = self.context.mark();
        let model = Reader::new(&mut self.context, &self.translator, terms).model();
        self.context.release(mark);
        model
    }
}

impl UnsatCore for Z3 {
    fn unsat_core(&mut self) -> Result<Vec<TermId>, SolverError> {
        let Last::Unsat(assumptions) = &self.last else { return Err(StateError::NoCore.into()) };
        let mark = self.context.mark();
        let core = self.context.core()?;
        let mut needed: FxHashMap<u32, ()> = FxHashMap::default();
        for ast in core {
            needed.insert(self.context.identity(ast), ());
        }
        self.context.release(mark);
        let is_needed = |term: &TermId| {
            self.translator.built(*term).is_some_and(|ast| needed.contains_key(&self.context.identity(ast)))
        };
        Ok(assumptions.iter().copied().filter(is_needed).collect())
    }
}

impl Interrupt for Z3 {
    fn interrupter(&self) -> Interrupter {
        Interrupter(Arc::new(Handle(Arc::clone(self.context.gate()))))
    }
}
