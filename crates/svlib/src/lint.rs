//! What only a whole script shows: rules of section 8.2 and 8.3, and hints of our own.
//!
//! Problems of single commands are found while reading. Each lint here is one file with one function and one
//! line in [`LINTS`].

use crate::parse::State;
use crate::syntax::CommandKind;
use diag::{Code, Diagnostic, Edit, codes};
use smt::term::Terms;

mod fix;
mod header;
mod init;
mod tags;

pub use fix::apply_fixes;

/// A lint: the codes it reports, and its function.
pub struct Lint {
    /// What it may report.
    pub codes: &'static [Code],
    /// True when it makes sense only for a script without structural errors.
    pub needs_structure: bool,
    run: fn(&Terms, &State) -> Vec<Diagnostic>,
}

/// All lints.
pub static LINTS: &[Lint] = &[
    Lint { codes: &[codes::SV201], needs_structure: false, run: structure },
    Lint { codes: &[codes::SV209, codes::SV210], needs_structure: true, run: tags::missing_tags },
    Lint { codes: &[codes::SV301, codes::SV302], needs_structure: true, run: init::uninitialised },
    Lint { codes: &[codes::SV303, codes::SV304], needs_structure: false, run: header::missing_header },
    Lint { codes: &[codes::SV311], needs_structure: true, run: tags::unknown_tags },
];

/// Runs all lints on a script that was read.
#[must_use]
pub fn lint(terms: &Terms, state: &State) -> Vec<Diagnostic> {
    let broken = state.has_structural_errors();
    let wanted = LINTS.iter().filter(|lint| !(broken && lint.needs_structure));
    wanted.flat_map(|lint| (lint.run)(terms, state)).collect()
}

/// Rule 8.2 (a): annotations mean something only in a script that is structurally valid.
fn structure(_: &Terms, state: &State) -> Vec<Diagnostic> {
    if !state.has_structural_errors() {
        return Vec::new();
    }
    let of_command = state.script.commands.iter().find_map(|command| match command.kind {
        CommandKind::AnnotateTag(_) => Some(command.at.0),
        _ => None,
    });
    let of_statement = state.script.stmts.iter().find_map(|s| s.properties.first().map(|p| p.at.0));
    let first = of_command.into_iter().chain(of_statement).min();
    let message = "the script is not structurally valid, so its annotations cannot be relied on";
    first.map(|span| Diagnostic::new(codes::SV201, span, message)).into_iter().collect()
}

/// All edits that the findings offer, in the order of their places.
#[must_use]
pub fn edits(findings: &[Diagnostic]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = findings.iter().flat_map(|f| f.fix.clone()).collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    edits
}
