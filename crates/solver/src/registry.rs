//! The one list of solvers. A solver is added by one file of its own and one row here.

use crate::error::SolverError;
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

static REGISTRY: &[SolverInfo] = &[z3::INFO];

/// All solvers, sorted by name.
pub fn registry() -> &'static [SolverInfo] {
    REGISTRY
}

/// The solver of a name.
pub fn find(name: &str) -> Option<&'static SolverInfo> {
    REGISTRY.iter().find(|info| info.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(registry().is_sorted_by(|a, b| a.name < b.name));
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
