//! The source of everything that a program leaves open.

use super::outcome::{InvalidStep, Violation};
use super::task::Task;
use crate::syntax::{ProcId, StmtId};
use base::intern::SymbolId;
use rustc_hash::FxHashMap;
use smt::eval::Interpretation;
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;

/// What an oracle may look at.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// The call that runs.
    pub task: &'c Task<'c>,
    /// The store of its terms.
    pub terms: &'c Terms,
    /// The statement that is executed; none before the first one.
    pub stmt: Option<StmtId>,
}

impl Context<'_> {
    /// The sort of a variable or constant, or of a function's result.
    #[must_use]
    pub fn sort(&self, fun: FunId) -> SortId {
        self.terms.fun(fun).result
    }
}

/// Interpretations of declared constants and functions.
pub type Model = FxHashMap<FunId, Interpretation>;

/// Values for variables, in their order; none leaves a variable as arbitrary as it is.
pub type Values = Vec<Option<Value>>;

/// A jump into a hypothetical state.
#[derive(Clone, Debug)]
pub struct Leap {
    /// The number of the step.
    pub index: usize,
    /// The tag.
    pub tag: SymbolId,
    /// The new values.
    pub values: Vec<(FunId, Value)>,
}

/// Why an oracle has no answer.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// A step of a trace cannot be taken.
    Step(InvalidStep),
    /// The trace starts another procedure.
    Entry(ProcId),
    /// The trace has no value for this constant of its model or for this global variable, though it says so.
    Symbol(FunId),
    /// The input with that number is missing or does not have the sort that is needed (for a choice: is no number
    /// of an alternative).
    Input(usize, SortId),
}

/// Answers what a program leaves open. Variables are always asked for in the same order: globals as declared, outputs
/// and then locals of a procedure as declared, variables of a `havoc` as written.
pub trait Oracle {
    /// Interpretations of the declared symbols, asked for first. A symbol that is left out gets its meaning from
    /// [`Oracle::application`] when it is needed.
    ///
    /// # Errors
    /// When the oracle does not fit the task.
    fn model(&mut self, ctx: Context<'_>) -> Result<Model, Refusal>;

    /// Another try after an assertion about these symbols was false; false to give up.
    fn repair(&mut self, _ctx: Context<'_>, _model: &mut Model, _symbols: &[FunId]) -> bool {
        false
    }

    /// The value of a declared symbol that the model does not give; none for the default of its sort. The answer is
    /// remembered.
    fn application(&mut self, _ctx: Context<'_>, _fun: FunId) -> Option<Value> {
        None
    }

    /// Initial values of the global variables.
    ///
    /// # Errors
    /// When there are none.
    fn globals(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal>;

    /// Initial values of outputs and locals, right after a call.
    ///
    /// # Errors
    /// When there are none.
    fn call(&mut self, ctx: Context<'_>, proc: ProcId, variables: &[FunId]) -> Result<Values, Refusal>;

    /// New values of variables.
    ///
    /// # Errors
    /// When there are none.
    fn havoc(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal>;

    /// True when it wants to choose only among alternatives that do not begin with an assumption that is false, as long as
    /// there are any.
    fn looks_ahead(&self) -> bool {
        false
    }

    /// One of so many alternatives, from 0.
    ///
    /// # Errors
    /// When there is none.
    fn choice(&mut self, ctx: Context<'_>, alternatives: usize) -> Result<usize, Refusal>;

    /// The jump to take at this visit of a statement.
    ///
    /// # Errors
    /// When it is not possible.
    fn leap(&mut self, _ctx: Context<'_>, _stmt: StmtId) -> Result<Option<Leap>, Refusal> {
        Ok(None)
    }

    /// True when the execution shall end with this violation.
    fn stops(&mut self, _ctx: Context<'_>, _violation: &Violation) -> bool {
        true
    }

    /// If this visit may be the end of a lasso's stem: the formulas that have to hold for it.
    fn stem(&mut self, _ctx: Context<'_>, _stmt: StmtId) -> Option<Vec<TermId>> {
        None
    }

    /// False when nothing but decisions is asked of it for now, so that visits need not be told.
    fn watches(&self) -> bool {
        true
    }

    /// How many prescribed steps there are and how many of them are taken.
    fn progress(&self) -> (usize, usize) {
        (0, 0)
    }
}
