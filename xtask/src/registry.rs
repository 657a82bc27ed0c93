//! Tables of named commands, and the way from a command line to the row that it names.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// One row of a table of commands.
#[derive(Clone, Copy)]
pub(crate) struct Command {
    /// The word on the command line.
    pub(crate) name: &'static str,
    /// One sentence for the help.
    pub(crate) about: &'static str,
    /// Runs it with the arguments behind its name.
    pub(crate) run: fn(&[String]) -> Result<ExitCode, Error>,
}

/// Why a command could not do its work. What it finds while working is not an error.
#[derive(Debug)]
pub(crate) enum Error {
    /// The command line makes no sense; the text says what would.
    Usage(String),
    /// A file or a program could not be used: what was tried, and the system's reason.
    Io(String, io::Error),
    /// Another program did not do what it should have: which one, and what it said.
    Tool(String, String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(text) => write!(f, "{}", text.trim_end()),
            Error::Io(what, error) => write!(f, "could not {what}: {error}"),
            Error::Tool(program, said) => write!(f, "{program} failed: {}", said.trim_end()),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Io("write the output".to_owned(), error)
    }
}

/// Runs the command that the first argument names. `program` is what stands before it, for the help.
pub(crate) fn dispatch(program: &str, commands: &[Command], arguments: &[String]) -> Result<ExitCode, Error> {
    match arguments.split_first() {
        Some((first, _)) if ["help", "--help", "-h"].contains(&first.as_str()) => {
            io::stdout().write_all(help(program, commands).as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        Some((first, rest)) => match commands.iter().find(|command| command.name == first) {
            Some(command) => (command.run)(rest),
            None => Err(Error::Usage(format!("no command `{first}`\n{}", help(program, commands)))),
        },
        None => Err(Error::Usage(format!("a command is missing\n{}", help(program, commands)))),
    }
}

/// The root of the workspace, one folder above this package.
pub(crate) fn workspace_root() -> PathBuf {
    // Cargo sets the variable when it runs a program; the compiled-in path serves a program started by hand.
    let package = std::env::var_os("CARGO_MANIFEST_DIR");
    let mut root = package.map_or(PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    root.pop();
    root
}

fn help(program: &str, commands: &[Command]) -> String {
    let width = commands.iter().map(|command| command.name.len()).max().unwrap_or(0);
    let mut text = format!("usage: {program} COMMAND [ARGUMENT...]\n\n");
    for command in commands {
        text.push_str(&format!("  {:width$}  {}\n", command.name, command.about));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[Command] = &[
        Command { name: "good", about: "Succeeds.", run: |_| Ok(ExitCode::SUCCESS) },
        Command { name: "echo", about: "Fails.", run: |arguments| Err(Error::Usage(arguments.join("+"))) },
    ];

    fn message(line: &str) -> String {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        dispatch("t", TABLE, &arguments).map_or_else(|error| error.to_string(), |_| "ok".to_owned())
    }

    #[test]
    fn the_named_row_runs_with_the_rest_of_the_line() {
        assert_eq!(message("good"), "ok");
        assert_eq!(message("echo a b"), "a+b");
    }

    #[test]
    fn unknown_and_missing_names_list_what_there_is() {
        assert!(message("nope").starts_with("no command `nope`\nusage: t COMMAND"));
        assert!(message("").contains("\n  good  Succeeds.\n"));
    }
}
