//! Z3 on the clauses of a task, with nothing of ours around it but a clock.

use std::ffi::CString;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use super::table::Answer;
use crate::bench::measure::MEASURE;
use crate::registry::Error;
use crate::verify::index::Task;
use crate::verify::run::Runner;

/// So much memory a run may take, in MiB: one that needs more would only slow down the others.
const MEMORY: u32 = 4096;

/// Z3, and how it is started.
pub(super) struct Plain<'a> {
    runner: &'a Runner,
    folder: &'a Path,
    /// The program `z3`; none when the embedded library is used.
    z3: Option<PathBuf>,
    ours: PathBuf,
}

impl<'a> Plain<'a> {
    pub(super) fn new(runner: &'a Runner, folder: &'a Path) -> Result<Plain<'a>, Error> {
        let ours = std::env::current_exe().map_err(|e| Error::Io("find this program".into(), e))?;
        let name = format!("z3{}", std::env::consts::EXE_SUFFIX);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let z3 = std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|file| file.is_file());
        Ok(Plain { runner, folder, z3, ours })
    }

    /// Who the peer is.
    pub(super) fn name(&self) -> String {
        match &self.z3 {
            Some(path) => format!("z3 is {}", path.display()),
            None => match solver::z3::ready() {
                Ok(version) => format!("z3 is the embedded library, {version}"),
                Err(error) => format!("z3 is the embedded library: {error}"),
            },
        }
    }

    /// What Z3 says about the clauses of a task.
    pub(super) fn solve(&self, task: &Task) -> Result<Answer, Error> {
        let clauses = self.folder.join("clauses.smt2");
        let mut convert = self.runner.program(&["convert", "-o"]);
        convert.arg(&clauses).arg(&task.path).stderr(Stdio::piped()).stdout(Stdio::null());
        let limit = Duration::from_secs(self.runner.seconds);
        let converted = wait(convert, limit)?;
        if !converted.good {
            let reason = if converted.late { "converting takes too long" } else { &converted.errors };
            return Ok(Answer::new("no clauses", 0.0, last_line(reason)));
        }
        let text = fs::read_to_string(&clauses).map_err(|e| Error::Io("read clauses".into(), e))?;
        let text = format!("(set-option :memory_max_size {MEMORY})\n{text}");
        fs::write(&clauses, text).map_err(|e| Error::Io("write clauses".into(), e))?;
        let mut command = match &self.z3 {
            Some(z3) => Command::new(z3),
            None => Command::new(&self.ours),
        };
        if self.z3.is_none() {
            command.args(["bench", "svlib", MEASURE]);
        }
        command.arg(&clauses).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let start = Instant::now();
        let said = wait(command, limit)?;
        let seconds = start.elapsed().as_secs_f64();
        let verdict = match said.output.lines().next().unwrap_or_default() {
            "sat" => "correct",
            "unsat" => "incorrect",
            _ => "unknown",
        };
        let detail = if said.late { "the time is over".into() } else { last_line(&said.output) };
        Ok(Answer::new(verdict, seconds, detail))
    }
}

fn last_line(text: &str) -> String {
    text.trim_end().lines().next_back().unwrap_or_default().to_owned()
}

/// The child: executes the script with the embedded library.
pub(super) fn child(file: &str) -> Result<ExitCode, Error> {
    let text = fs::read(file).map_err(|e| Error::Io(format!("read {file}"), e))?;
    let text = CString::new(text).map_err(|_| Error::Usage(format!("{file} has a NUL in it")))?;
    let said = solver::z3::peer::execute_smtlib2_text(&text);
    let said = said.map_err(|error| Error::Tool("z3".into(), error.to_string()))?;
    io::stdout().write_all(said.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// What a program said, and how it ended.
struct Said {
    output: String,
    errors: String,
    good: bool,
    /// It was ended because its time was over.
    late: bool,
}

/// Runs a program that says little, and ends it when its time is over.
fn wait(mut command: Command, limit: Duration) -> Result<Said, Error> {
    let name = format!("run {}", command.get_program().display());
    let begin = Instant::now();
    let mut child: Child = command.spawn().map_err(|e| Error::Io(name, e))?;
    let failed = |e| Error::Io("wait for a program".into(), e);
    let (good, late) = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break (status.success(), false);
        }
        if begin.elapsed() > limit {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            break (false, true);
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    Ok(Said { output: text(child.stdout.take()), errors: text(child.stderr.take()), good, late })
}

fn text(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // What cannot be read is no answer.
    let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}
