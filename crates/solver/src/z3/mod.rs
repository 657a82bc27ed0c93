//! Z3 inside this process: no pipes, no printing and reading of terms, and Horn solving, models and cores
//! through one library. One Z3 context belongs to one thread.

mod back;
mod ffi;
mod horn;
pub mod peer;
mod solver;
mod sorts;
mod translate;
mod values;
mod version;

use smt::op::Op;
use smt::sort::SortId;
use smt::term::{Fun, Role, TermId, Terms};

use crate::api::Solver;
use crate::error::SolverError;
use crate::registry::{SolverInfo, SolverKind};

pub use horn::{Setting, Spacer};
pub use solver::Z3;
pub(crate) use solver::formula;
pub use version::Z3Version;

/// The row of the registry.
pub(crate) const INFO: SolverInfo = SolverInfo {
    name: "z3",
    kind: SolverKind::Embedded,
    summary: "Z3, linked into the program; the default",
    version: || ready().map(|version| version.to_string()),
    open: || Ok(Box::new(Z3::new()?)),
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
    let (mut terms, mut solver) = (Terms::new(), Z3::new()?);
    let name = terms.names.intern("x");
    let x = Fun { name, params: Box::new([]), result: SortId::INT, role: Role::Free };
    let x = terms.declare(x);
    let (x, zero) = (terms.constant_term(x), terms.int(0));
    let mut ask = |op, question, expected: &'static str| {
        let formula = terms.app(op, &[x, zero]).unwrap_or(TermId::ERROR);
        solver.assert(&terms, formula)?;
        match solver.check(&terms, &[])?.to_string() {
            found if found == expected => Ok(()),
            found => Err(SolverError::WrongAnswer { question, expected, found }),
        }
    };
    ask(Op::Gt, "x > 0", "sat")?;
    ask(Op::Lt, "x > 0 and x < 0", "unsat")
}
