//! `cargo run --release -p xtask -- verify`: the tasks of the corpus with known verdicts, through the program itself.
//!
//! With `--systems` these are transition systems, otherwise SV-LIB programs. Each task is given to `svarog verify`, its witness to `svarog validate`. A table per folder says how many were solved
//! with a confirmed witness, the lines behind it what happened to each of the others. A verdict that contradicts the
//! index, or a witness that its own validator does not confirm, is the exit status.

pub(crate) mod index;
pub(crate) mod run;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::registry::{Command, Error};
use index::{Expected, Task};
use run::{Outcome, Runner};

pub(crate) const COMMAND: Command = Command {
    name: "verify",
    about: "Verifies the corpus' tasks: verify [--systems] [--seconds N] [--jobs N] [--only TEXT] [--witnesses DIR] [--engine A,B].",
    run,
};

struct Options {
    jobs: usize,
    only: String,
    /// The transition systems instead of the programs.
    systems: bool,
    runner: Runner,
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let options = options(arguments)?;
    let Some(corpus) = testkit::corpus_or_skip("the corpus") else { return Ok(ExitCode::SUCCESS) };
    let tasks = if options.systems { index::systems(&corpus)? } else { index::tasks(&corpus)? };
    let tasks: Vec<Task> = tasks.into_iter().filter(|task| task.name.contains(&options.only)).collect();
    let (next, results) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = options.runner.solve(task);
                    tell(task, &outcome);
                    if let Ok(mut results) = results.lock() {
                        results.insert(task.name.clone(), (task.expected, outcome));
                    }
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_default();
    print(&results)?;
    let bad = results.values().any(|(expected, outcome)| outcome.is_wrong(*expected));
    Ok(if bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn options(arguments: &[String]) -> Result<Options, Error> {
    let mut options = Options { jobs: 1, only: String::new(), systems: false, runner: Runner::default() };
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        if flag == "--systems" {
            options.systems = true;
            continue;
        }
        let value = rest.next().ok_or_else(|| Error::Usage(format!("{flag} needs a value")))?;
        let number = || value.parse().map_err(|_| Error::Usage(format!("{value} is no number")));
        match flag.as_str() {
            "--seconds" => options.runner.seconds = number()?,
            "--jobs" => options.jobs = number()? as usize,
            "--only" => options.only.clone_from(value),
            "--witnesses" => options.runner.witnesses = Some(PathBuf::from(value)),
            "--engine" => options.runner.engine = Some(value.clone()),
            _ => return Err(Error::Usage(COMMAND.about.into())),
        }
    }
    Ok(options)
}

/// One line per task as it comes, so that a long run can be watched.
fn tell(task: &Task, outcome: &Outcome) {
    let mark = if outcome.is_wrong(task.expected) { " WRONG" } else { "" };
    let line = format!(
        "{} {} {} {} {:.1}s {}{mark}\n",
        outcome.verdict,
        outcome.validated,
        task.expected.word(),
        task.name,
        outcome.seconds,
        outcome.detail
    );
    // Nothing is left to do if standard error is closed.
    let _ = io::stderr().write_all(line.as_bytes());
}

#[derive(Default)]
struct Row {
    tasks: usize,
    solved: usize,
    correct: usize,
    incorrect: usize,
    seconds: f64,
}

fn print(results: &BTreeMap<String, (Expected, Outcome)>) -> Result<(), Error> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for (name, (expected, outcome)) in results {
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let sure = if *expected == Expected::Unsure { " (unsure)" } else { "" };
        for key in [format!("{folder}{sure}"), format!("all{sure}")] {
            let row = rows.entry(key).or_default();
            row.tasks += 1;
            row.solved += usize::from(outcome.is_solved());
            row.correct += usize::from(outcome.is_solved() && outcome.verdict == "correct");
            row.incorrect += usize::from(outcome.is_solved() && outcome.verdict == "incorrect");
            row.seconds += outcome.seconds;
        }
    }
    let mut out = io::stdout().lock();
    let head = ["tasks", "solved", "correct", "incorrect", "seconds"];
    writeln!(
        out,
        "{:62} {:>6} {:>6} {:>8} {:>9} {:>8}",
        "folder", head[0], head[1], head[2], head[3], head[4]
    )?;
    for (folder, row) in &rows {
        let Row { tasks, solved, correct, incorrect, seconds } = row;
        writeln!(out, "{folder:62} {tasks:>6} {solved:>6} {correct:>8} {incorrect:>9} {seconds:>8.0}")?;
    }
    for (name, (expected, outcome)) in results.iter().filter(|(_, (_, outcome))| !outcome.is_solved()) {
        writeln!(out, "unsolved {} {name}: {} {}", expected.word(), outcome.verdict, outcome.detail)?;
    }
    for (name, (expected, outcome)) in results {
        if outcome.is_wrong(*expected) {
            writeln!(out, "WRONG {} {name}: {} {}", expected.word(), outcome.verdict, outcome.validated)?;
        } else if *expected == Expected::Unsure && outcome.verdict == "incorrect" {
            writeln!(out, "refuted {name}: the index says true?")?;
        }
    }
    Ok(())
}
