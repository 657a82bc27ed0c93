//! BTOR2: word-level hardware, one line per value.
//!
//! Values are bit-vectors and arrays of them. A state without `init` begins with any value, one without `next` has any value
//! in each step. `bad` is what an invariant property excludes, `constraint` holds in every step, the last one too, and the
//! conditions of a `justice` property, together with all `fair` ones, hold again and again in a counterexample.

mod build;
mod express;
mod line;
mod operate;
mod read;
mod tags;
pub(crate) mod witness;
mod write;

use crate::{Format, Shape};

pub(crate) use read::read;
pub(crate) use write::write;

pub(crate) const FORMAT: Format = Format {
    name: "btor2",
    endings: &["btor2", "btor"],
    summary: "BTOR2, word-level hardware",
    shape: Shape::Text,
    read,
    write,
};
