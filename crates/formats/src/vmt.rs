//! VMT-LIB: transition systems as annotated SMT-LIB definitions.
//!
//! The core language and its extension (`:invar`, several `:live-property` of one number, `:ltl-property`) are read and
//! written. Files of two dialects are read as well: formulas for actions, axioms and definitions beside functions that
//! change from step to step, and assertions about what never changes. An annotation that is not understood is an error,
//! because it could mean anything.
//!
//! [`collect`](self) gathers what is annotated while commands go by, `build` makes a system of it, `write` prints one.

mod build;
mod collect;
mod dialect;
pub mod evidence;
mod kinds;
mod names;
mod write;

use crate::{Format, Model, Options, Shape, Source, WriteError, only_system};
use diag::{Diagnostic, Span, codes};
use smt::sexpr::Text;
use smt::term::Terms;

pub(crate) use names::clean;
pub use names::spelled;
pub use write::system_text;

pub(crate) const FORMAT: Format = Format {
    name: "vmt",
    endings: &["vmt", "vmt2"],
    summary: "VMT-LIB transition systems, core and extended",
    shape: Shape::Lists,
    read,
    write,
};

/// Reads a VMT-LIB file.
pub fn read(terms: &mut Terms, source: Source<'_>, errors: &mut Vec<Diagnostic>) -> Option<Model> {
    let text = text(source, errors)?;
    let before = errors.len();
    let found = collect::collect(terms, Text::new(text, source.base), errors);
    if errors[before..].iter().any(Diagnostic::is_error) {
        return None;
    }
    let system = build::build(terms, found, errors)?;
    Some(Model::Systems(vec![system]))
}

/// The characters of a file, or a report that it is no text.
fn text<'a>(source: Source<'a>, errors: &mut Vec<Diagnostic>) -> Option<&'a str> {
    match std::str::from_utf8(source.bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let at = source.base + error.valid_up_to() as u32;
            let message = "the text is not valid UTF-8 here";
            errors.push(Diagnostic::new(codes::SMT001, Span::new(at, at), message));
            None
        }
    }
}

/// Writes a VMT-LIB file: the core language, and annotations of the extended one for what only it can say.
///
/// # Errors
/// When the model is no transition system, or uses what VMT-LIB has no words for.
pub fn write(terms: &mut Terms, model: &Model, _: &Options) -> Result<Vec<u8>, WriteError> {
    system_text(terms, only_system(model, "file of VMT-LIB")?).map(String::into_bytes)
}
