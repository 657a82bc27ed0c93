//! The project's automation, run as `cargo xtask COMMAND`: written in Rust so that a clone needs nothing else.
//!
//! A new command is one file (or folder) beside this one with a `COMMAND` in it, its `mod` line, and its
//! line in [`COMMANDS`]. Commands with named parts of their own, such as one benchmark each, use a second table
//! of the same type and [`registry::dispatch`] again.

mod bench;
mod cfront;
mod clock;
mod corpus;
mod fuzz;
mod instrument;
mod laws;
mod mutate;
mod random;
mod registry;
mod tidy;
mod verify;

use std::io::{self, Write};
use std::process::ExitCode;

use registry::Command;

/// Every command, in the order in which the help lists them.
const COMMANDS: &[Command] = &[
    // tidy: sorted
    bench::COMMAND,
    cfront::COMMAND,
    corpus::COMMAND,
    fuzz::COMMAND,
    instrument::COMMAND,
    laws::COMMAND,
    mutate::COMMAND,
    random::COMMAND,
    tidy::COMMAND,
    verify::COMMAND,
    // tidy: end
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match registry::dispatch("cargo xtask", COMMANDS, &arguments) {
        Ok(code) => code,
        Err(error) => {
            // Nothing is left to do if standard error is closed.
            let _ = writeln!(io::stderr(), "xtask: {error}");
            ExitCode::from(2)
        }
    }
}
