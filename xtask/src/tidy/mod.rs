//! `cargo xtask tidy`: the house rules that a compiler does not know, as checks that can fail.
//!
//! Each check is one file with a function from the [`Repo`] to findings in a [`Report`], and one line in
//! [`CHECKS`]. Checks never touch the disk: they see the files as text, so a test hands them a made-up
//! repository and every check has a test in which it fails.

mod codes;
mod edges;
mod length;
mod module_docs;
mod paths;
mod readme;
mod repo;
mod report;
mod sorted;
mod whitespace;

use std::io::{self, Write};
use std::process::ExitCode;

use crate::registry::{self, Command, Error};
use repo::Repo;
use report::Report;

/// The row in the table of commands.
pub(crate) const COMMAND: Command = Command {
    name: "tidy",
    about: "Checks the house rules: `tidy [CHECK...]`, all checks if none is named.",
    run,
};

/// One house rule.
struct Check {
    name: &'static str,
    about: &'static str,
    run: fn(&Repo, &mut Report),
}

const CHECKS: &[Check] = &[
    // tidy: sorted
    Check { name: "codes", about: "Every diagnostic code has its page and its tests.", run: codes::check },
    Check { name: "edges", about: "Crates import only what the table allows.", run: edges::check },
    Check { name: "length", about: "No source file is too long to read.", run: length::check },
    Check { name: "module-docs", about: "Every source file says why it exists.", run: module_docs::check },
    Check { name: "paths", about: "No file names a place on somebody's machine.", run: paths::check },
    Check { name: "readme", about: "Commands in the documents exist.", run: readme::check },
    Check { name: "sorted", about: "Marked lists are in order.", run: sorted::check },
    Check { name: "whitespace", about: "No tabs, no blanks at the end of a line.", run: whitespace::check },
    // tidy: end
];

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let checks = select(arguments)?;
    let repo = Repo::load(&registry::workspace_root())?;
    let mut report = Report::default();
    for check in &checks {
        report.begin(check.name);
        (check.run)(&repo, &mut report);
    }
    let mut out = io::stdout().lock();
    write!(out, "{report}")?;
    writeln!(out, "tidy: {} checks on {} files, {}", checks.len(), repo.files.len(), report.summary())?;
    Ok(if report.has_errors() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn select(names: &[String]) -> Result<Vec<&'static Check>, Error> {
    if names.is_empty() {
        return Ok(CHECKS.iter().collect());
    }
    let find = |name: &String| {
        CHECKS.iter().find(|check| check.name == name).ok_or_else(|| {
            let known: String =
                CHECKS.iter().map(|check| format!("  {:12}{}\n", check.name, check.about)).collect();
            Error::Usage(format!("no check `{name}`; there are\n{known}"))
        })
    };
    names.iter().map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_selected_by_name() {
        assert_eq!(select(&[]).unwrap_or_default().len(), CHECKS.len());
        assert_eq!(select(&["paths".to_owned()]).unwrap_or_default()[0].name, "paths");
        let message = select(&["nope".to_owned()]).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message.starts_with("no check `nope`") && message.contains("whitespace"), "{message}");
    }
}
