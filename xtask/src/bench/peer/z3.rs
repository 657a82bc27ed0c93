//! Z3 on the clauses of a task: the program `z3` if there is one, else the embedded library in a process of its own.

use std::ffi::CString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use super::{find, last_line, wait};
use crate::bench::contest::Answer;
use crate::bench::measure::MEASURE;
use crate::registry::Error;
use crate::verify::index::Task;
use crate::verify::run::Runner;

/// So much memory a run may take, in MiB: one that needs more would only slow down the others.
const MEMORY: u32 = 4096;

/// Z3, and how it is started.
pub(in crate::bench) struct Z3<'a> {
    runner: &'a Runner,
    folder: &'a Path,
    /// The program `z3`; none when the embedded library is used.
    program: Option<PathBuf>,
    ours: PathBuf,
}

impl<'a> Z3<'a> {
    pub(in crate::bench) fn new(runner: &'a Runner, folder: &'a Path) -> Result<Z3<'a>, Error> {
        let ours = std::env::current_exe().map_err(|e| Error::Io("find this program".into(), e))?;
        Ok(Z3 { runner, folder, program: find("z3"), ours })
    }

    /// Who the peer is.
    pub(in crate::bench) fn name(&self) -> String {
        match &self.program {
            Some(path) => format!("z3 is {}", path.display()),
            None => match solver::z3::ready() {
                Ok(version) => format!("z3 is the embedded library, {version}"),
                Err(error) => format!("z3 is the embedded library: {error}"),
            },
        }
    }

    /// What Z3 says about the clauses of a task. A task that is clauses is given to it as it stands.
    pub(in crate::bench) fn solve(&self, task: &Task) -> Result<Answer, Error> {
        let clauses = self.folder.join("clauses.smt2");
        let limit = Duration::from_secs(self.runner.seconds);
        if task.path.extension().is_some_and(|ending| ending == "smt2") {
            fs::copy(&task.path, &clauses).map_err(|e| Error::Io("copy clauses".into(), e))?;
        } else {
            let mut convert = self.runner.program(&["convert", "-o"]);
            convert.arg(&clauses).arg(&task.path).stderr(Stdio::piped()).stdout(Stdio::null());
            let converted = wait(convert, limit)?;
            if !converted.good {
                let reason = if converted.late { "converting takes too long" } else { &converted.errors };
                return Ok(Answer::new("no clauses", 0.0, last_line(reason)));
            }
        }
        let text = fs::read_to_string(&clauses).map_err(|e| Error::Io("read clauses".into(), e))?;
        let text = format!("(set-option :memory_max_size {MEMORY})\n{text}");
        fs::write(&clauses, text).map_err(|e| Error::Io("write clauses".into(), e))?;
        let mut command = match &self.program {
            Some(z3) => Command::new(z3),
            None => Command::new(&self.ours),
        };
        if self.program.is_none() {
            command.args(["bench", "svlib", MEASURE]);
        }
        command.arg(&clauses).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let said = wait(command, limit)?;
        let detail = if said.late { "the time is over".into() } else { last_line(&said.output) };
        Ok(Answer::new(verdict(&said.output), said.seconds, detail))
    }
}

/// The verdict in an answer to `check-sat`.
fn verdict(output: &str) -> &'static str {
    match output.lines().next().unwrap_or_default() {
        "sat" => "correct",
        "unsat" => "incorrect",
        _ => "unknown",
    }
}

/// The child: executes the script with the embedded library.
pub(in crate::bench) fn child(file: &str) -> Result<ExitCode, Error> {
    let text = fs::read(file).map_err(|e| Error::Io(format!("read {file}"), e))?;
    let text = CString::new(text).map_err(|_| Error::Usage(format!("{file} has a NUL in it")))?;
    let said = solver::z3::peer::execute_smtlib2_text(&text);
    let said = said.map_err(|error| Error::Tool("z3".into(), error.to_string()))?;
    io::stdout().write_all(said.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn satisfiable_clauses_are_a_correct_system() {
        assert_eq!(verdict("sat\n"), "correct");
        assert_eq!(verdict("unsat\n(proof)\n"), "incorrect");
        assert_eq!(["unknown\n", "", "(error \"sat\")\nsat"].map(verdict), ["unknown"; 3]);
    }
}
