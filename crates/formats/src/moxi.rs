//! MoXI, the model exchange interlingua: SMT-LIB with commands that define and check systems; and the same as JSON.
//!
//! A query asks for an execution. Its negation is a property, so a query is satisfiable exactly if the property is violated.
//! The definition of MoXI asks that the last step of a finite execution has a successor: conditions that must be reached are
//! remembered in state variables, which become true one step later, unless it is evident that every step has a successor.
//! Subsystems are put in place, each instance with local variables of its own.

mod flatten;
mod json;
mod query;
mod read;
mod response;
mod write;

pub use response::{Answer, Answered, Responses, write_response};

use crate::text::utf8;
use crate::{Format, Model, Options, Shape, Source, WriteError};
use diag::Diagnostic;
use smt::term::Terms;

/// The row in the registry.
pub(crate) const FORMAT: Format = Format {
    name: "moxi",
    endings: &["moxi"],
    summary: "MoXI: SMT-LIB with definitions and checks of systems",
    shape: Shape::Lists,
    read,
    write,
};

/// The row of the JSON form.
pub(crate) const JSON: Format = Format {
    name: "moxi-json",
    endings: &["json"],
    summary: "MoXI in its JSON form",
    shape: Shape::Text,
    read: read_json,
    write: write_json,
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

/// Reads the JSON form, by way of the S-expressions that it stands for.
pub fn read_json(terms: &mut Terms, source: Source<'_>, errors: &mut Vec<Diagnostic>) -> Option<Model> {
    let text = utf8(source, errors)?;
    let made = json::to_sexpr(text, source.base, errors)?;
    let mut found = Vec::new();
    let model = read::read(terms, &made.text, 0, &mut found);
    errors.extend(found.into_iter().map(|finding| made.placed(finding, source.base)));
    model
}

/// Writes the JSON form.
///
/// # Errors
/// What MoXI cannot say.
pub fn write_json(terms: &mut Terms, model: &Model, _: &Options) -> Result<Vec<u8>, WriteError> {
    let text = write::write(terms, model)?;
    json::from_sexpr(&text).map(String::into_bytes)
}
