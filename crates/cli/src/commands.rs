//! The subcommands: one file each, one variant each.

use crate::io::Error;
use crate::status::Status;
use clap::Subcommand;

mod common;
mod completions;
mod convert;
mod explain;
mod fmt;
mod instrument;
mod lint;
mod list;
mod run;
mod validate;
mod verify;
mod worker;

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    Verify(verify::Args),
    Validate(validate::Args),
    Lint(lint::Args),
    Fmt(fmt::Args),
    Run(run::Args),
    Convert(convert::Args),
    Instrument(instrument::Args),
    List(list::Args),
    Explain(explain::Args),
    Completions(completions::Args),
    #[command(hide = true)]
    Worker(worker::Args),
}

/// Runs a subcommand.
pub(crate) fn run(command: Command) -> Result<Status, Error> {
    match command {
        Command::Verify(args) => verify::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Instrument(args) => instrument::run(&args),
        Command::List(args) => list::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Worker(args) => worker::run(&args),
    }
}

/// A data model's name on the command line.
fn data_model(name: &str) -> Result<driver::DataModel, String> {
    driver::DataModel::named(name).ok_or_else(|| "expected ILP32 or LP64".into())
}

/// A format's name on the command line.
fn format_named(name: &str) -> Result<driver::Format, String> {
    driver::Format::named(name).ok_or_else(|| {
        let known: Vec<&str> = driver::formats().iter().map(|info| info.name).collect();
        format!("expected one of {}", known.join(", "))
    })
}
