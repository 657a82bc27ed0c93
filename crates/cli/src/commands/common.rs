//! Options of all commands that let solvers work.

use clap::ValueEnum;
use driver::VerifyOptions;
use std::time::Duration;

/// How the entry's `:requires` is read.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EntryRequires {
    Check,
    Assume,
}

#[derive(clap::Args)]
pub(crate) struct Common {
    /// Seconds for each query
    #[arg(long, default_value = "60", value_parser = seconds, value_name = "SECONDS")]
    timeout: Duration,
    /// Memory of each worker process in MiB
    #[arg(long, default_value_t = 4096, value_name = "MIB", value_parser = clap::value_parser!(u64).range(64..))]
    memory: u64,
    /// The solver: a name of `svarog list solvers`, or a program with its arguments
    #[arg(long, default_value = "z3", value_name = "NAME|PROGRAM", value_parser = solver)]
    pub(crate) solver: String,
    /// Whether the :requires of the called procedure is checked or assumed
    #[arg(long, value_enum, default_value = "check")]
    entry_requires: EntryRequires,
    /// Run this program as a worker instead of svarog itself; for tests
    #[arg(long, hide = true, value_name = "PROGRAM")]
    pub(crate) worker_program: Option<String>,
}

impl Common {
    /// The options for the driver that are told here.
    pub(crate) fn options(&self) -> VerifyOptions {
        VerifyOptions {
            timeout: self.timeout,
            memory: Some(self.memory),
            solver: self.solver.clone(),
            assume_entry_requires: self.entry_requires == EntryRequires::Assume,
            version: env!("CARGO_PKG_VERSION").into(),
            ..VerifyOptions::default()
        }
    }
}

/// Seconds, perhaps with a fraction.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number of seconds".to_string())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

/// A solver that is known by its name, or could be a program.
fn solver(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("expected a name or a program".into());
    }
    Ok(text.into())
}
