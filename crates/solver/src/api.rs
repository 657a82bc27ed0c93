//! The interface of a solver: a small core and one trait for each further capability, so that code asks for
//! exactly what it needs and a solver offers exactly what it can.
//!
//! Terms belong to a store ([`Terms`]), and one solver speaks about one store: nothing is declared, the solver
//! looks at a symbol when it first meets it. Symbols are told apart by their id, not by their name.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use smt::eval::Assignment;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;

use crate::error::SolverError;

/// The answer to a question about satisfiability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckResult {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// The solver does not say.
    Unknown(Reason),
}

impl CheckResult {
    /// True for [`CheckResult::Sat`].
    #[must_use]
    pub fn is_sat(&self) -> bool {
        *self == CheckResult::Sat
    }

    /// True for [`CheckResult::Unsat`].
    #[must_use]
    pub fn is_unsat(&self) -> bool {
        *self == CheckResult::Unsat
    }

    /// True when the other answer cannot be right as well.
    #[must_use]
    pub fn contradicts(&self, other: &CheckResult) -> bool {
        use CheckResult::{Sat, Unsat};
        matches!((self, other), (Sat, Unsat) | (Unsat, Sat))
    }
}

impl fmt::Display for CheckResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckResult::Sat => f.write_str("sat"),
            CheckResult::Unsat => f.write_str("unsat"),
            CheckResult::Unknown(reason) => write!(f, "unknown ({reason})"),
        }
    }
}

/// Why an answer is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The time limit was reached.
    Timeout,
    /// The limit of memory or of the solver's own resource units was reached.
    Resources,
    /// Somebody interrupted the solver.
    Interrupted,
    /// The solver gave up; these are its words.
    Incomplete(String),
    /// The solver's process ended before it answered.
    Died(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Timeout => f.write_str("timeout"),
            Reason::Resources => f.write_str("out of resources"),
            Reason::Interrupted => f.write_str("interrupted"),
            Reason::Incomplete(words) if words.is_empty() => f.write_str("incomplete"),
            Reason::Incomplete(words) => write!(f, "incomplete: {words}"),
            Reason::Died(words) => write!(f, "the solver ended: {words}"),
        }
    }
}

/// What one check may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Wall-clock time of one check.
    pub time: Option<Duration>,
    /// Memory in megabytes.
    pub memory: Option<u32>,
    /// The solver's own resource units, which make limits reproducible.
    pub resources: Option<u32>,
}

impl Limits {
    /// Only a time limit.
    #[must_use]
    pub fn time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::default() }
    }
}

/// What every solver can do.
pub trait Solver {
    /// The name for messages and tables.
    fn name(&self) -> &str;

    /// Adds a formula to the innermost level.
    ///
    /// # Errors
    /// When the formula is not Boolean or uses something the solver does not have.
    fn assert(&mut self, terms: &Terms, formula: TermId) -> Result<(), SolverError>;

    /// Opens a level.
    ///
    /// # Errors
    /// When the solver is broken.
    fn push(&mut self) -> Result<(), SolverError>;

    /// Closes the innermost level and forgets its formulas.
    ///
    /// # Errors
    /// When no level is open.
    fn pop(&mut self) -> Result<(), SolverError>;

    /// Asks whether the formulas are satisfiable together with the assumptions, which may be any formulas.
    ///
    /// # Errors
    /// When an assumption uses something the solver does not have, or the solver is broken. A limit that is
    /// reached is no error but an unknown answer.
    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<CheckResult, SolverError>;

    /// Sets what each later check may use.
    ///
    /// # Errors
    /// When the solver is broken.
    fn limits(&mut self, limits: Limits) -> Result<(), SolverError>;
}

/// Solvers that give the model after [`CheckResult::Sat`].
pub trait Model: Solver {
    /// The value of a term in the model; none when it cannot be written as a value (an irrational number, a
    /// function that is no finite table).
    ///
    /// # Errors
    /// When the last check was not satisfiable or something changed since.
    fn value(&mut self, terms: &mut Terms, term: TermId) -> Result<Option<Value>, SolverError>;

    /// What the model says of every symbol without a definition that the solver has met. Symbols whose meaning
    /// cannot be written down are left out.
    ///
    /// # Errors
    /// When the last check was not satisfiable or something changed since.
    fn model(&mut self, terms: &mut Terms) -> Result<Assignment, SolverError>;
}

/// Solvers that say which assumptions were needed after [`CheckResult::Unsat`].
pub trait UnsatCore: Solver {
    /// Assumptions of the last check that are unsatisfiable together with the formulas, in the order given.
    ///
    /// # Errors
    /// When the last check was not unsatisfiable or something changed since.
    fn unsat_core(&mut self) -> Result<Vec<TermId>, SolverError>;
}

/// Solvers that can be stopped from another thread.
pub trait Interrupt: Solver {
    /// A handle for other threads.
    fn interrupter(&self) -> Interrupter;
}

/// What a handle for interrupting calls.
pub(crate) trait Stop: Send + Sync {
    fn stop(&self);
    fn resume(&self);
}

/// Stops a solver from another thread. A stopped solver answers unknown, at once and to everything, until it is
/// told to resume: a request that comes between two checks is not lost.
#[derive(Clone)]
pub struct Interrupter(pub(crate) Arc<dyn Stop>);

impl Interrupter {
    /// Ends the running check and refuses later ones.
    pub fn interrupt(&self) {
        self.0.stop();
    }

    /// Lets the solver work again.
    pub fn resume(&self) {
        self.0.resume();
    }
}

impl fmt::Debug for Interrupter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupter")
    }
}

/// All that the general-purpose solvers here can do; what engines hold as `Box<dyn FullSolver>`.
pub trait FullSolver: Model + UnsatCore + Interrupt {}

impl<S: Model + UnsatCore + Interrupt + ?Sized> FullSolver for S {}

pub use smt::horn::HornProblem;

/// A predicate's interpretation: parameters (bound variables) and a formula over them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// The predicate.
    pub predicate: FunId,
    /// The parameters.
    pub params: Vec<TermId>,
    /// The formula.
    pub body: TermId,
}

/// A ground fact in the derivation of a contradiction.
#[derive(Debug, Clone)]
pub struct Fact {
    /// The predicate; none for the contradiction itself.
    pub predicate: Option<FunId>,
    /// Its arguments; none for a value that cannot be written down.
    pub args: Vec<Option<Value>>,
    /// The facts it follows from, as positions in the list, all smaller than its own.
    pub premises: Vec<usize>,
}

/// The answer to a Horn problem.
#[derive(Debug, Clone)]
pub enum HornResult {
    /// The clauses are satisfiable, by these predicates.
    Sat(Vec<Solution>),
    /// They are not; the facts lead to a contradiction, which is the last one. Empty when the solver gave no
    /// derivation.
    Unsat(Vec<Fact>),
    /// The solver does not say.
    Unknown(Reason),
}

/// Solvers of Horn clauses.
pub trait Horn {
    /// Looks for predicates that satisfy all clauses.
    ///
    /// # Errors
    /// When a clause is no Horn clause or uses something the solver does not have.
    fn solve(
        &mut self,
        terms: &mut Terms,
        problem: &HornProblem,
        limits: Limits,
    ) -> Result<HornResult, SolverError>;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn assert(&mut self, terms: &Terms, formula: TermId) -> Result<(), SolverError> {
        (**self).assert(terms, formula)
    }

    fn push(&mut self) -> Result<(), SolverError> {
        (**self).push()
    }

    fn pop(&mut self) -> Result<(), SolverError> {
        (**self).pop()
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<CheckResult, SolverError> {
        (**self).check(terms, assumptions)
    }

    fn limits(&mut self, limits: Limits) -> Result<(), SolverError> {
        (**self).limits(limits)
    }
}

impl<S: Model + ?Sized> Model for Box<S> {
    fn value(&mut self, terms: &mut Terms, term: TermId) -> Result<Option<Value>, SolverError> {
        (**self).value(terms, term)
    }

    fn model(&mut self, terms: &mut Terms) -> Result<Assignment, SolverError> {
        (**self).model(terms)
    }
}

impl<S: UnsatCore + ?Sized> UnsatCore for Box<S> {
    fn unsat_core(&mut self) -> Result<Vec<TermId>, SolverError> {
        (**self).unsat_core()
    }
}

impl<S: Interrupt + ?Sized> Interrupt for Box<S> {
    fn interrupter(&self) -> Interrupter {
        (**self).interrupter()
    }
}
