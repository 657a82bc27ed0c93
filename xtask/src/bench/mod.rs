//! Benchmarks: each prints what it measured, in ratios to peers on the same machine in the same run.
//!
//! Numbers of an unoptimised build mean nothing, so they are refused: `cargo run --release -p xtask -- bench NAME`.

mod contest;
mod convert;
mod generate;
mod instrument;
mod measure;
mod parse;
mod peer;
mod print;
mod svlib;
mod ts;

use std::process::ExitCode;

use crate::registry::{Command, Error, dispatch};

pub(crate) const COMMAND: Command =
    Command { name: "bench", about: "Measures speed and memory; needs --release.", run };

/// Every benchmark.
const BENCHMARKS: &[Command] = &[
    // tidy: sorted
    convert::COMMAND,
    instrument::COMMAND,
    parse::COMMAND,
    print::COMMAND,
    svlib::COMMAND,
    ts::COMMAND,
    // tidy: end
];

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    if cfg!(debug_assertions) && !arguments.iter().any(|argument| argument == "--help") {
        let line = arguments.join(" ");
        return Err(Error::Usage(format!(
            "run `cargo run --release -p xtask -- bench {line}`: this build is slow"
        )));
    }
    dispatch("cargo run --release -p xtask -- bench", BENCHMARKS, arguments)
}
