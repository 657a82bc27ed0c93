//! `cargo run --release -p xtask -- instrument NAME`: instrumented programs of the corpus against compilers and sanitizers.

mod corpus;
mod judge;
mod oracles;
mod program;
mod runs;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::cfront::source::{self, Task};
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
    /// Where a slice begins, so that slices add up to the whole.
    offset: usize,
    only: String,
    spec: String,
    /// How many random inputs a program is run with.
    seeds: u64,
    /// When no further program is begun.
    end: Option<Instant>,
}

impl Settings {
    fn read(command: &str, seeds: u64, arguments: &[String]) -> Result<Settings, Error> {
        let usage = || {
            Error::Usage(format!(
                "instrument {command} [--every N] [--offset N] [--only TEXT] [--spec TEXT] [--runs N] [--seconds N]"
            ))
        };
        let (only, spec) = (String::new(), String::new());
        let mut settings = Settings { every: 1, offset: 0, only, spec, seeds, end: None };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let value = words.next().cloned().ok_or_else(usage)?;
            let number = || value.parse::<u64>().map_err(|_| usage());
            let size = || value.parse::<usize>().map_err(|_| usage());
            match word.as_str() {
                "--every" => settings.every = size()?.max(1),
                "--offset" => settings.offset = size()?,
                "--only" => settings.only = value,
                "--spec" => settings.spec = value,
                "--runs" => settings.seeds = number()?,
                "--seconds" => settings.end = Instant::now().checked_add(Duration::from_secs(number()?)),
                _ => return Err(usage()),
            }
        }
        Ok(settings)
    }

    /// Calls a function for each chosen program until the time is over, and says how many there were. Whoever waits sees
    /// on standard error how far it is.
    fn each(
        &self,
        corpus: &Path,
        is_same: impl Fn(&Task, &Task) -> bool,
        mut act: impl FnMut(&Task) -> Result<(), Error>,
    ) -> Result<String, Error> {
        let mut tasks = source::tasks(corpus, &self.only)?;
        tasks.dedup_by(|a, b| is_same(a, b));
        let chosen: Vec<&Task> = tasks.iter().skip(self.offset).step_by(self.every).collect();
        let mut done = 0;
        for task in &chosen {
            if self.end.is_some_and(|end| Instant::now() >= end) {
                break;
            }
            act(task)?;
            done += 1;
            if done % 50 == 0 {
                writeln!(io::stderr(), "{done} of {}", chosen.len())?;
            }
        }
        let total = tasks.len();
        Ok(format!("{done} of {} chosen programs looked at, of {total} there are", chosen.len()))
    }
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    registry::dispatch("cargo xtask instrument", COMPARISONS, arguments)
}
