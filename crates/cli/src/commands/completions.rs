//! `svarog completions SHELL`.

use crate::io::{self, Error};
use crate::status::Status;
use clap::CommandFactory;

/// Print a completion script for a shell
///
/// For bash: svarog completions bash > ~/.local/share/bash-completion/completions/svarog
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: clap_complete::Shell,
}

pub(crate) fn run(args: &Args) -> Result<Status, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::Cli::command(), "svarog", &mut script);
    io::print(&script)?;
    Ok(Status::Fine)
}
