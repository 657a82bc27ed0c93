//! Languages of transition systems: one module each, and one row in the [registry](FORMATS).
//!
//! Readers turn bytes into a [`Model`] and report what is wrong with its place; writers turn a model into bytes or name the
//! construct that the language cannot express. Neither does input or output, and neither recurses on the depth of its input.

mod aiger;
mod btor2;
pub mod chc;
mod declare;
pub mod moxi;
mod names;
pub mod smv;
mod text;
pub mod vmt;
pub mod witness;

pub use aiger::circuit_bytes;

use diag::Diagnostic;
use smt::horn::HornProblem;
use smt::term::Terms;
use std::fmt;
use ts::System;

/// What files are about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Model {
    /// Transition systems; mostly one, but a MoXI file can ask about several.
    Systems(Vec<System>),
    /// Horn clauses that are no transition system.
    Horn(HornProblem),
}

/// The content of a file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// The address in the source map at which it begins.
    pub base: u32,
}

/// What a writer may do to express more.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The width of bit-vectors that take the place of integers, if that is wanted. What is written then is
    /// [another system](ts::passes::int_width): sums and products wrap around, and a division by zero has a value.
    pub int_width: Option<u32>,
}

/// Why nothing was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WriteError {
    /// What cannot be expressed, and where in the model it is.
    pub message: String,
    /// What helps, if something does.
    pub help: Option<String>,
}

impl WriteError {
    /// An error without help.
    pub fn new(message: impl Into<String>) -> WriteError {
        WriteError { message: message.into(), help: None }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for WriteError {}

/// Reads a file; nothing after an error was reported.
pub type Read = fn(&mut Terms, Source<'_>, &mut Vec<Diagnostic>) -> Option<Model>;

/// Writes a file.
pub type Write = fn(&mut Terms, &Model, &Options) -> Result<Vec<u8>, WriteError>;

/// What files are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// S-expressions, whose layout means nothing.
    Lists,
    /// Other text.
    Text,
    /// Bytes that need not be text.
    Bytes,
}

/// A language.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// File endings without the dot.
    pub endings: &'static [&'static str],
    /// What it is.
    pub summary: &'static str,
    /// What its files are made of.
    pub shape: Shape,
    /// How it is read.
    pub read: Read,
    /// How it is written.
    pub write: Write,
}

/// All languages, by name.
pub static FORMATS: &[Format] = &[
    // tidy: sorted
    aiger::AAG,
    aiger::AIG,
    btor2::FORMAT,
    chc::FORMAT,
    moxi::FORMAT,
    moxi::JSON,
    smv::FORMAT,
    vmt::FORMAT,
    // tidy: end
];

/// The help when integers are in the way.
const INT_WIDTH: &str =
    "`--int-width N` takes bit-vectors of N bits, which wrap around, in the place of integers";

/// The system with bit-vectors in the place of integers, if that is wanted.
fn narrowed<'a>(
    terms: &mut Terms,
    system: &'a System,
    options: &Options,
) -> Result<std::borrow::Cow<'a, System>, WriteError> {
    let Some(width) = options.int_width else { return Ok(std::borrow::Cow::Borrowed(system)) };
    match ts::passes::int_width::int_width(terms, system, width) {
        Ok(made) => Ok(std::borrow::Cow::Owned(made.system)),
        Err(reason) => Err(WriteError::new(reason.message(terms, width))),
    }
}

/// The system with live properties in the place of LTL ones, for languages that have fairness but no temporal operators.
fn monitored<'a>(
    terms: &mut Terms,
    system: std::borrow::Cow<'a, System>,
) -> Result<std::borrow::Cow<'a, System>, WriteError> {
    if !system.properties.iter().any(|property| matches!(property.kind, ts::PropertyKind::Ltl(_))) {
        return Ok(system);
    }
    let made = ts::passes::ltl::ltl(terms, &system).map_err(|why| WriteError::new(why.to_string()))?;
    Ok(std::borrow::Cow::Owned(made.system))
}

/// The system of a model that has to have exactly one, for languages in which a file is one system.
///
/// # Errors
/// When there are others, or clauses that are none.
pub fn only_system<'a>(model: &'a Model, target: &str) -> Result<&'a System, WriteError> {
    match model {
        Model::Systems(systems) if systems.len() == 1 => Ok(&systems[0]),
        Model::Systems(systems) => Err(WriteError {
            message: format!("{} systems cannot be one {target}", systems.len()),
            help: (systems.len() > 1).then(|| "--property INDEX takes the system of one property".into()),
        }),
        Model::Horn(_) => {
            let message = format!("Horn clauses that are no transition system cannot be one {target}");
            Err(WriteError::new(message))
        }
    }
}

impl Format {
    /// The language of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// The language that a file's ending tells.
    #[must_use]
    pub fn of_path(path: &str) -> Option<&'static Format> {
        let (_, ending) = path.rsplit_once('.')?;
        FORMATS.iter().find(|format| format.endings.contains(&ending))
    }
}
