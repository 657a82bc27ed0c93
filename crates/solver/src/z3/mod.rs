//! Z3 inside this process: no pipes, no printing and reading of terms, and Horn solving, models and cores
//! through one library. One Z3 context belongs to one thread.

mod ffi;
pub mod peer;
mod version;

use ::z3::ast::Int;
use ::z3::{SatResult, Solver};

use crate::error::SolverError;
use crate::registry::{SolverInfo, SolverKind};

pub use version::Z3Version;

/// The row of the registry.
pub(crate) const INFO: SolverInfo = SolverInfo {
    name: "z3",
    kind: SolverKind::Embedded,
    summary: "Z3, linked into the program; the default",
    version: || ready().map(|version| version.to_string()),
};

/// Finds out which release of the library the program runs with, and refuses those that the bindings do not
/// fit. Everything that uses the library goes through here first.
pub fn ready() -> Result<Z3Version, SolverError> {
    let found = ffi::version();
    if !found.is_supported() {
        return Err(SolverError::UnsupportedZ3 { found });
    }
    ffi::silence();
    Ok(found)
}

/// Asks two questions with known answers, which shows that the library is loaded, fits the bindings and
/// solves: `x > 0` has a solution, together with `x < 0` it has none.
pub fn smoke() -> Result<(), SolverError> {
    ready()?;
    let x = Int::fresh_const("x");
    let solver = Solver::new();
    solver.assert(x.gt(0));
    expect(&solver, "x > 0", SatResult::Sat)?;
    solver.assert(x.lt(0));
    expect(&solver, "x > 0 and x < 0", SatResult::Unsat)
}

fn expect(solver: &Solver, question: &'static str, expected: SatResult) -> Result<(), SolverError> {
    match solver.check() {
        found if found == expected => Ok(()),
        found => Err(SolverError::WrongAnswer {
            question,
            expected: spelled(expected),
            found: spelled(found).to_owned(),
        }),
    }
}

fn spelled(result: SatResult) -> &'static str {
    match result {
        SatResult::Sat => "sat",
        SatResult::Unsat => "unsat",
        SatResult::Unknown => "unknown",
    }
}
