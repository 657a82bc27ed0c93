//! What can go wrong with a solver apart from the question put to it.

use std::fmt;

use crate::z3::Z3Version;

/// Why a solver cannot be used, or why its work is worthless.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolverError {
    /// The library found at run time is a release that the bindings do not fit: their numbering of operators
    /// would be wrong, so not a single call is made.
    UnsupportedZ3 {
        /// The release of the library.
        found: Z3Version,
    },
    /// A question with a known answer was answered differently.
    WrongAnswer {
        /// The question, in words.
        question: &'static str,
        /// The known answer.
        expected: &'static str,
        /// What the solver said.
        found: String,
    },
    /// The solver refused a script.
    Refused {
        /// The solver's own words.
        message: String,
    },
}

impl fmt::Display for SolverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverError::UnsupportedZ3 { found } => {
                let (first, last) = (Z3Version::OLDEST, Z3Version::NEWEST);
                write!(
                    f,
                    "the Z3 library is release {found}; only {}.{} to {}.{} are supported",
                    first.major, first.minor, last.major, last.minor
                )
            }
            SolverError::WrongAnswer { question, expected, found } => {
                write!(f, "the solver answered {found} instead of {expected} to: {question}")
            }
            SolverError::Refused { message } => write!(f, "the solver refused the script: {message}"),
        }
    }
}

impl std::error::Error for SolverError {}
