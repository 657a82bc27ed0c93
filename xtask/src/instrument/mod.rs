//! `cargo run --release -p xtask -- instrument NAME`: instrumented programs of the corpus against compilers and sanitizers.

mod corpus;
mod oracles;
mod program;
mod runs;

use std::process::ExitCode;

use crate::registry::{self, Error};

pub(crate) const COMMAND: registry::Command = registry::Command {
    name: "instrument",
    about: "Compares instrumented programs of the corpus with compilers and sanitizers.",
    run,
};

/// The comparisons, by name.
const COMPARISONS: &[registry::Command] = &[
    // tidy: sorted
    corpus::COMMAND,
    oracles::COMMAND,
    // tidy: end
];

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    registry::dispatch("cargo xtask instrument", COMPARISONS, arguments)
}
