//! The one list of solvers. A solver is added by one file of its own and one row here.

use crate::api::FullSolver;
use crate::error::SolverError;
use crate::process::{self, Process, Profile};
use crate::z3;

/// One row of the registry: what can be said of a solver without asking it a question.
#[derive(Debug, Clone, Copy)]
pub struct SolverInfo {
    /// The name by which users select it.
    pub name: &'static str,
    /// Where it runs.
    pub kind: SolverKind,
    /// One line for lists and help texts.
    pub summary: &'static str,
    /// The version of what is really there, found out when called; the error says why it cannot be used.
    pub version: fn() -> Result<String, SolverError>,
    /// Makes a solver without formulas.
    pub open: fn() -> Result<Box<dyn FullSolver + Send>, SolverError>,
}

/// Where a solver runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolverKind {
    /// In this process, as a library.
    Embedded,
    /// In a process of its own that is spoken to in SMT-LIB.
    Process,
}

impl SolverKind {
    /// The word that lists show.
    pub fn as_str(self) -> &'static str {
        match self {
            SolverKind::Embedded => "embedded",
            SolverKind::Process => "process",
        }
    }
}

/// The row of a program in the table of [`process::KNOWN`].
macro_rules! program {
    ($position:literal) => {
        SolverInfo {
            name: process::KNOWN[$position].name,
            kind: SolverKind::Process,
            summary: process::KNOWN[$position].summary,
            version: || process::KNOWN[$position].version(),
            open: || Ok(Box::new(Process::new(process::KNOWN[$position].profile())?)),
        }
    };
}

static REGISTRY: &[SolverInfo] = &[
    program!(0),
    program!(1),
    program!(2),
    program!(3),
    program!(4),
    program!(5),
    program!(6),
    z3::INFO,
    program!(7),
];

/// All solvers, sorted by name.
pub fn registry() -> &'static [SolverInfo] {
    REGISTRY
}

/// The solver of a name.
pub fn find(name: &str) -> Option<&'static SolverInfo> {
    REGISTRY.iter().find(|info| info.name == name)
}

/// A solver as users write it: a name of the registry, or a program with its arguments.
///
/// # Errors
/// When there is no such solver, or it cannot be used.
pub fn open(text: &str) -> Result<Box<dyn FullSolver + Send>, SolverError> {
    if let Some(info) = find(text) {
        return (info.open)();
    }
    let profile = Profile::from_command(text);
    let profile = profile.ok_or_else(|| SolverError::NotInstalled { program: text.to_owned() })?;
    Ok(Box::new(Process::new(profile)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(registry().is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn every_known_program_has_a_row() {
        for known in process::KNOWN {
            assert_eq!(find(known.name).map(|info| info.kind), Some(SolverKind::Process), "{}", known.name);
        }
    }

    #[test]
    fn commands_are_opened_too() {
        assert!(matches!(open("z3"), Ok(solver) if solver.name() == "z3"));
        for text in ["no-such-solver --flag", "/no/such/solver", ""] {
            assert!(matches!(open(text), Err(SolverError::NotInstalled { .. })), "{text}");
        }
    }

    #[test]
    fn rows_are_found_by_name() {
        for info in registry() {
            assert_eq!(find(info.name).map(|found| found.name), Some(info.name));
            assert!(!info.summary.is_empty() && !info.summary.ends_with('.'), "summaries are phrases");
        }
        assert!(find("no such solver").is_none());
    }
}
