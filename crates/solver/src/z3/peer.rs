//! Z3 as it is, for comparison: benchmarks measure our reader against its reader and our verdicts against its, and tests
//! may ask it for a second opinion on a script. Nothing that verifies goes through here.

use std::ffi::CStr;

use super::ffi::Context;
use super::ready;
use crate::error::SolverError;

/// A script that Z3 has read. What Z3 built for it is freed when this is dropped, which for a large script
/// takes a quarter of the time of reading: a benchmark of reading stops its clock before that.
pub struct Parsed {
    assertions: usize,
    _context: Context,
}

impl Parsed {
    /// The number of assertions in the script.
    pub fn assertions(&self) -> usize {
        self.assertions
    }
}

/// Lets Z3 read a whole SMT-LIB script in a fresh context. `check-sat` is read and not executed, a command that
/// Z3 does not know is noted on standard error and skipped.
///
/// Options set by the script take effect, those that name output files too, so this is for scripts of ours.
///
/// The text ends with a NUL because the library wants it so, and making that copy is not what a benchmark
/// should measure.
pub fn parse_smtlib2_text(script: &CStr) -> Result<Parsed, SolverError> {
    ready()?;
    let refused = |message| SolverError::Refused { message };
    let context = Context::new().ok_or_else(|| refused("out of memory".to_owned()))?;
    let assertions = context.count_assertions(script).map_err(refused)?;
    Ok(Parsed { assertions, _context: context })
}

/// Lets Z3 execute a whole SMT-LIB script in a fresh context, as its own program would; what it prints, the answers of
/// `check-sat` and complaints about commands. There is no time limit: this is for a process that can be killed.
///
/// Options set by the script take effect, those that name output files too, so this is for scripts of ours.
pub fn execute_smtlib2_text(script: &CStr) -> Result<String, SolverError> {
    ready()?;
    let refused = |message| SolverError::Refused { message };
    let context = Context::new().ok_or_else(|| refused("out of memory".to_owned()))?;
    context.execute(script).map_err(refused)
}
