//! MoXI, the model exchange interlingua: SMT-LIB with commands that define and check systems.
//!
//! A query asks for an execution. Its negation is a property, so a query is satisfiable exactly if the property is violated.
//! The definition of MoXI asks that the last step of a finite execution has a successor: conditions that must be reached are
//! remembered in state variables, which become true one step later, unless it is evident that every step has a successor.
//! Subsystems are put in place, each instance with local variables of its own.

mod flatten;
mod query;
mod read;
mod response;
mod write;

pub use response::{Answer, read_response, write_response};

use crate::text::utf8;
use crate::{Format, Model, Options, Source, WriteError};
use diag::Diagnostic;
use smt::term::Terms;

/// The row in the registry.
pub(crate) const FORMAT: Format = Format {
    name: "moxi",
    endings: &["moxi"],
    summary: "MoXI: SMT-LIB with definitions and checks of systems",
    binary: false,
    read,
    write,
};

/// Reads the S-expression form.
pub fn read(terms: &mut Terms, source: Source<'_>, errors: &mut Vec<Diagnostic>) -> Option<Model> {
    let text = utf8(source, errors)?;
    read::read(terms, text, source.base, errors)
}

/// Writes the S-expression form.
///
/// # Errors
/// What MoXI cannot say.
pub fn write(terms: &mut Terms, model: &Model, _: &Options) -> Result<Vec<u8>, WriteError> {
    write::write(terms, model).map(String::into_bytes)
}
