//! AIGER 1.9, as text and in binary: and-inverter graphs with latches.
//!
//! A system that is read has Boolean variables only. Files of the older format, whose header has five numbers, mean their
//! outputs as bad states. A system that is written is [made of bits](ts::passes::bitblast) first; every bit of a variable has
//! its place in the symbol table.

mod cursor;
mod parse;
mod read;
pub(crate) mod witness;
mod write;

use crate::{Format, Shape};
use read::read;
pub use write::circuit_bytes;
use write::{write_binary, write_text};

/// The row of the text form in the registry.
pub(crate) const AAG: Format = Format {
    name: "aag",
    endings: &["aag"],
    summary: "AIGER 1.9 as text, and-inverter graphs",
    shape: Shape::Bytes,
    read,
    write: write_text,
};

/// The row of the binary form.
pub(crate) const AIG: Format = Format {
    name: "aig",
    endings: &["aig"],
    summary: "AIGER 1.9 in binary, and-inverter graphs",
    shape: Shape::Bytes,
    read,
    write: write_binary,
};
