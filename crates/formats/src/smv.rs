//! The language of nuXmv (and of NuSMV, as far as that is a part of it).
//!
//! Modules are put in place by flattening; every instance has variables of its own. Symbolic constants are numbered, and a
//! variable over them is a bit-vector with few bits: constants can be compared across types, and formats and engines
//! for finite systems take them as they are. Integer ranges are integers with bounds, words are bit-vectors, arrays over
//! words and integers are arrays, arrays over ranges are as many variables. An input chooses the process whose turn it is.
//!
//! Nothing recurses: expressions are parsed with an explicit stack into a flat tree, and looked at by a machine that also
//! follows definitions, of which generated files have chains of thousands.

mod assign;
mod ast;
mod constant;
mod ctl;
mod elaborate;
mod expr;
mod flatten;
mod inherit;
mod lex;
mod ops;
mod parse;
mod print;
mod process;
mod read;
mod types;
mod values;
mod words;
mod write;

use crate::{Format, Shape};

pub use read::read;
pub use write::write;

/// The row in the registry.
pub(crate) const FORMAT: Format = Format {
    name: "smv",
    endings: &["smv"],
    summary: "SMV, the language of nuXmv",
    shape: Shape::Text,
    read,
    write,
};
