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

/// Which programs are compared with what.
struct Settings {
    every: usize,
    only: String,
    spec: String,
    /// How many random inputs a program is run with.
    seeds: u64,
}

impl Settings {
    fn read(command: &str, seeds: u64, arguments: &[String]) -> Result<Settings, Error> {
        let usage = || {
            Error::Usage(format!("instrument {command} [--every N] [--only TEXT] [--spec TEXT] [--runs N]"))
        };
        let mut settings = Settings { every: 1, only: String::new(), spec: String::new(), seeds };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let value = words.next().cloned().ok_or_else(usage)?;
            match word.as_str() {
                "--every" => settings.every = value.parse().map_err(|_| usage())?,
                "--only" => settings.only = value,
                "--spec" => settings.spec = value,
                "--runs" => settings.seeds = value.parse().map_err(|_| usage())?,
                _ => return Err(usage()),
            }
        }
        Ok(settings)
    }
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    registry::dispatch("cargo xtask instrument", COMPARISONS, arguments)
}
