//! The program `svarog`: arguments, files, exit codes. What a command does is in `driver`.

mod commands;
mod control;
mod io;
mod preprocess;
mod processes;
mod status;

use clap::Parser;
use status::Status;
use std::process::ExitCode;

/// Software-verification tasks: check, convert, run, verify, with evidence.
///
/// Svarog reads tasks in the languages that the field exchanges them in, and says exactly what is wrong with them
/// or hands over a verdict with evidence that an independent checker has accepted.
#[derive(Parser)]
#[command(
    name = "svarog",
    version = concat!(env!("CARGO_PKG_VERSION"), " (", env!("SVAROG_COMMIT"), ")"),
    after_help = "Exit status: 0 fine, 1 a property is violated or something is to be done, \
        2 bad input or usage, 3 unknown or unsupported.\n\n\
        Examples:\n  svarog lint examples/add.svlib\n  svarog run examples/add.svlib --seed 7\n  \
        svarog fmt --check examples/*.svlib\n  svarog explain SV107"
)]
struct Cli {
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            if let Err(error) = error.print()
                && error.kind() == std::io::ErrorKind::BrokenPipe
            {
                return control::nobody_reads();
            }
            return if error.use_stderr() { Status::Bad.into() } else { Status::Fine.into() };
        }
    };
    match commands::run(cli.command) {
        Ok(status) => status.into(),
        Err(error) if error.is_broken_pipe() => control::nobody_reads(),
        Err(error) => {
            io::complain(&format!("svarog: {error}"));
            Status::Bad.into()
        }
    }
}
