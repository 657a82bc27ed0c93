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
    /// The solver refused a script, a command or a term.
    Refused {
        /// The solver's own words.
        message: String,
    },
    /// An operator or sort that the solver does not have.
    Unsupported {
        /// Its name.
        what: String,
    },
    /// A call in the wrong state.
    State(StateError),
    /// The program of a solver was not found.
    NotInstalled {
        /// Its name.
        program: String,
    },
    /// Two solvers contradict each other.
    Disagreement {
        /// The first one's name and answer.
        first: String,
        /// The second one's name and answer.
        second: String,
    },
    /// What a solver said could not be understood.
    Unreadable {
        /// What was asked of it.
        command: String,
        /// The beginning of the answer.
        answer: String,
    },
}

/// A call that the state of the solver does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateError {
    /// A model was wanted, and the last check was not satisfiable or something changed since.
    NoModel,
    /// A core was wanted, and the last check was not unsatisfiable or something changed since.
    NoCore,
    /// A level was to be closed, and none is open.
    NoLevel,
    /// The solver ended or broke before.
    Broken,
    /// A formula was wanted, and the term is something else.
    NotAFormula,
    /// A scripted solver has no more answers.
    NoAnswer,
}

impl From<StateError> for SolverError {
    fn from(error: StateError) -> SolverError {
        SolverError::State(error)
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StateError::NoModel => "there is no model",
            StateError::NoCore => "there is no unsatisfiable core",
            StateError::NoLevel => "no level is open",
            StateError::Broken => "the solver is no longer usable",
            StateError::NotAFormula => "the term is not a formula",
            StateError::NoAnswer => "no answer is left",
        })
    }
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
            SolverError::Unsupported { what } => write!(f, "the solver does not support `{what}`"),
            SolverError::State(error) => error.fmt(f),
            SolverError::NotInstalled { program } => write!(f, "`{program}` is not installed"),
            SolverError::Disagreement { first, second } => {
                write!(f, "two solvers contradict each other: {first}, {second}")
            }
            SolverError::Unreadable { command, answer } => {
                write!(f, "the solver's answer to `{command}` cannot be understood: {answer}")
            }
        }
    }
}

impl std::error::Error for SolverError {}
