//! `cargo run --release -p xtask -- cfront NAME`: measures the C front end on the corpus.

mod corpus;
pub(crate) mod source;
mod types;

use std::process::ExitCode;

use crate::registry::{self, Error};

pub(crate) const COMMAND: registry::Command =
    registry::Command { name: "cfront", about: "Measures the C front end on the corpus.", run };

/// The measurements, by name.
const MEASUREMENTS: &[registry::Command] = &[
    // tidy: sorted
    corpus::COMMAND,
    types::COMMAND,
    // tidy: end
];

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    registry::dispatch("cargo xtask cfront", MEASUREMENTS, arguments)
}
