//! Runs the program on one task.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use super::index::{Expected, Task};

/// How tasks are run.
pub(crate) struct Runner {
    pub(crate) seconds: u64,
    /// Where witnesses are kept.
    pub(crate) witnesses: Option<PathBuf>,
    pub(crate) engine: Option<String>,
    /// So many engines at once; none leaves it to the program.
    pub(crate) jobs: Option<usize>,
    binary: PathBuf,
}

impl Default for Runner {
    fn default() -> Self {
        Runner { seconds: 60, witnesses: None, engine: None, jobs: None, binary: beside_us() }
    }
}

/// The program as it was built with this one.
fn beside_us() -> PathBuf {
    let ours = std::env::current_exe().unwrap_or_default();
    ours.with_file_name(format!("svarog{}", std::env::consts::EXE_SUFFIX))
}

/// What happened to a task.
pub(crate) struct Outcome {
    /// The verdict, or what was printed instead.
    pub(crate) verdict: String,
    /// What the validator says of the witness; `-` without one.
    pub(crate) validated: String,
    /// The engine, or the reason why there is no verdict.
    pub(crate) detail: String,
    pub(crate) seconds: f64,
}

impl Outcome {
    pub(crate) fn is_solved(&self) -> bool {
        matches!(self.verdict.as_str(), "correct" | "incorrect") && self.validated == "confirmed"
    }

    pub(crate) fn is_wrong(&self, expected: Expected) -> bool {
        let contradicts = match expected {
            Expected::True => self.verdict == "incorrect",
            Expected::False => self.verdict == "correct",
            Expected::Unsure => false,
        };
        contradicts || self.validated == "rejected"
    }
}

/// What came of a conversion.
pub(crate) enum Converted {
    /// The file was written.
    Written,
    /// The language cannot express the task, in words.
    Refused(String),
    /// Something else went wrong.
    Broken(String),
}

impl Runner {
    /// Converts a task.
    pub(crate) fn convert(&self, from: &Path, to: &str, made: &Path) -> Converted {
        let output = self.program(&["convert", "--to", to, "-o"]).arg(made).arg(from).output();
        let output = match output {
            Ok(output) => output,
            Err(error) => return Converted::Broken(error.to_string()),
        };
        let said = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned();
        match output.status.code() {
            Some(0) => Converted::Written,
            Some(3) => Converted::Refused(said.trim_start_matches("unsupported: ").to_owned()),
            // Errors are those of the task, unless they are in what was written.
            Some(2) if !String::from_utf8_lossy(&output.stderr).contains("<printed>") => {
                Converted::Refused("the task has errors".into())
            }
            _ => Converted::Broken(said),
        }
    }

    /// Verifies a task and validates its witness.
    pub(crate) fn solve(&self, task: &Task) -> Outcome {
        if task.system {
            return self.solve_system(task);
        }
        let witness = self.witness_file(task);
        let mut outcome = self.verify(task, &witness);
        if matches!(outcome.verdict.as_str(), "correct" | "incorrect") {
            outcome.validated = self.validate(&task.path, &witness);
        }
        if self.witnesses.is_none() {
            // A scratch file that is not there any more is gone as well.
            let _ = std::fs::remove_file(&witness);
        }
        outcome
    }

    /// Verifies a task.
    pub(crate) fn verify(&self, task: &Task, witness: &Path) -> Outcome {
        let start = Instant::now();
        let output = self.verification().arg("--witness").arg(witness).arg(&task.path).output();
        let seconds = start.elapsed().as_secs_f64();
        read_answer(output, seconds)
    }

    /// A system is violated when one of its properties is. The program has checked what it says.
    fn solve_system(&self, task: &Task) -> Outcome {
        let start = Instant::now();
        let output = self.verification().arg(&task.path).output();
        let seconds = start.elapsed().as_secs_f64();
        let lines = output.as_ref().map(|output| output.stdout.clone()).unwrap_or_default();
        let mut outcome = read_answer(output, seconds);
        for line in String::from_utf8_lossy(&lines).lines().skip(1) {
            let other = read_line(line, seconds);
            if outcome.verdict != "incorrect" && other.verdict != "correct" {
                outcome = other;
            }
        }
        if matches!(outcome.verdict.as_str(), "correct" | "incorrect") {
            outcome.validated = "confirmed".into();
        }
        outcome
    }

    /// The program that verifies, but for the task.
    fn verification(&self) -> Command {
        let mut command = self.program(&["verify", "--json", "--timeout", &self.seconds.to_string()]);
        command.args(self.engine.iter().flat_map(|engine| ["--engine", engine]));
        if let Some(jobs) = self.jobs {
            command.args(["--jobs", &jobs.to_string()]);
        }
        command
    }

    /// The program with arguments, nothing on its standard input.
    pub(crate) fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments).stdin(Stdio::null());
        command
    }

    pub(crate) fn witness_file(&self, task: &Task) -> PathBuf {
        let name = task.name.replace('/', "-");
        match &self.witnesses {
            Some(folder) => {
                // If the folder cannot be made, writing the witness says why.
                let _ = std::fs::create_dir_all(folder);
                folder.join(name).with_extension("witness.svlib")
            }
            None => std::env::temp_dir().join(format!("svarog-{}-{name}", std::process::id())),
        }
    }

    /// The validator's word about a witness.
    pub(crate) fn validate(&self, task: &Path, witness: &Path) -> String {
        let timeout = self.seconds.to_string();
        let output = self.program(&["validate", "--timeout", &timeout]).arg(task).arg(witness).output();
        match output {
            Ok(output) => first_line(&output.stdout),
            Err(error) => error.to_string(),
        }
    }
}

fn first_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).lines().next().unwrap_or("-").to_string()
}

/// The answer to the first query.
fn read_answer(output: std::io::Result<Output>, seconds: f64) -> Outcome {
    let failed = |verdict: &str, detail: String| Outcome {
        verdict: verdict.into(),
        validated: "-".into(),
        detail,
        seconds,
    };
    let output = match output {
        Ok(output) => output,
        Err(error) => return failed("not started", error.to_string()),
    };
    let line = first_line(&output.stdout);
    if line.starts_with('{') {
        return read_line(&line, seconds);
    }
    failed("no answer", format!("{} {}", line, first_line(&output.stderr)))
}

/// The answer in a line of JSON.
fn read_line(line: &str, seconds: f64) -> Outcome {
    let answer = serde_json::from_str::<serde_json::Value>(line).unwrap_or_default();
    let text = |key: &str| answer[key].as_str().unwrap_or_default().to_string();
    let verdict = text("verdict");
    let detail =
        if matches!(verdict.as_str(), "correct" | "incorrect") { text("engine") } else { text("reason") };
    Outcome { verdict, validated: "-".into(), detail, seconds }
}
