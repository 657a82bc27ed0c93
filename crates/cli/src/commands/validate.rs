//! `svarog validate TASK... WITNESS`.

use crate::io::{self, Error};
use crate::status::Status;
use clap::ValueEnum;
use driver::{Format, Validation};

/// Judge a witness for a task: confirmed, rejected or unknown
///
/// Violation witnesses are replayed step by step. This build does not judge correctness witnesses and lassos: they are
/// answered `unknown`. Exit status: 0 confirmed, 1 rejected, 2 bad input, 3 unknown.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The files of the task, and the witness as the last one
    #[arg(required = true, num_args = 2.., value_names = ["TASK", "WITNESS"])]
    files: Vec<String>,
    /// Whether the :requires of the called procedure is checked or assumed
    #[arg(long, value_enum, default_value = "check")]
    entry_requires: EntryRequires,
}

/// How the entry's `:requires` is read.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EntryRequires {
    Check,
    Assume,
}

pub(crate) fn run(args: &Args) -> Result<Status, Error> {
    let mut inputs = io::read_all(&args.files, Some(Format::SvLib))?;
    let Some(witness) = inputs.pop() else {
        return Err(Error::Usage("a task and a witness are needed".into()));
    };
    let (sources, result) = driver::validate(inputs, witness, args.entry_requires == EntryRequires::Assume);
    let results = match result {
        Ok(results) => results,
        Err(findings) => {
            io::complain_about(&sources, &findings);
            return Ok(Status::Bad);
        }
    };
    if results.is_empty() {
        return Err(Error::Usage("the task has no verify-call".into()));
    }
    let mut status = Status::Fine;
    for result in results {
        if let Validation::Rejected(reason) | Validation::Unknown(reason) = &result {
            io::complain(reason);
        }
        io::print(&format!("{}\n", result.word()))?;
        status = status.and(match result {
            Validation::Confirmed => Status::Fine,
            Validation::Rejected(_) => Status::Violated,
            Validation::Unknown(_) => Status::Unknown,
        });
    }
    Ok(status)
}
