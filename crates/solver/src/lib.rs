//! SMT solvers behind one interface ([`Solver`] and the traits of further capabilities): the embedded Z3 in this
//! process ([`z3`]), any program that speaks SMT-LIB ([`process`]), and what can be put around a solver
//! ([`decorate`]): a recorder, a second opinion, statistics, a fake with prepared answers. The registry is the one
//! list of all solvers, from which help texts, `list solvers` and test matrices are derived.
//!
//! Unsafe code exists only in `z3::ffi`, the border to the C library. Processes and the search path are the
//! business of [`process`] alone.
//!
//! ```
//! use smt::term::TermId;
//! use solver::{CheckResult, Solver};
//!
//! let terms = smt::term::Terms::new();
//! let mut solver = solver::open("z3")?;
//! solver.assert(&terms, TermId::TRUE)?;
//! assert_eq!(solver.check(&terms, &[TermId::FALSE])?, CheckResult::Unsat);
//! # Ok::<(), solver::SolverError>(())
//! ```

mod api;
pub mod decorate;
mod error;
pub mod process;
mod registry;
mod script;
pub mod z3;

pub use api::{
    CheckResult, Fact, FullSolver, Horn, HornProblem, HornResult, Interrupt, Interrupter, Limits, Model,
    Reason, Solution, Solver, UnsatCore,
};
pub use error::{SolverError, StateError};
pub use registry::{SolverInfo, SolverKind, find, open, registry};
