//! Verifying transition systems: tasks solved and time, against Z3 on the clauses and ABC on the circuit of the same systems in
//! the same run.
//!
//! Each system of the corpus with a known verdict is given to `svarog verify`, and right after it to the peers, in the form
//! that they read, with the same time limit. The peers use one core, so we run one engine at a time; `--jobs` changes that.
//! Converting is not part of anybody's time but ours. Where there are several verdicts they have to agree, with each other and
//! with the corpus' index.

pub(super) mod circuit;

use std::io::{self, Write};
use std::process::ExitCode;

use super::contest::{Answer, Table};
use super::measure::MEASURE;
use super::parse::Scratch;
use super::peer::abc::{self, Abc};
use super::peer::z3::Z3;
use crate::registry::{Command, Error};
use crate::verify::index::{self, Task};
use crate::verify::run::Runner;

pub(super) const COMMAND: Command = Command {
    name: "ts",
    about: "Verifies the corpus' systems, compares with Z3 and ABC: ts [--seconds N] [--only PREFIX] [--every N] [--jobs N] [--engine A,B].",
    run,
};

struct Options {
    /// Tasks whose name begins with it.
    only: String,
    /// One of so many of them.
    every: usize,
    runner: Runner,
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    if let [first, from, made] = arguments
        && first == MEASURE
    {
        return abc::child(from, made);
    }
    let options = options(arguments)?;
    let Some(corpus) = testkit::corpus_or_skip("the corpus") else { return Ok(ExitCode::SUCCESS) };
    let mut tasks = index::systems(&corpus)?;
    tasks.retain(|task| task.name.starts_with(&options.only));
    let folder = Scratch::new()?;
    let z3 = Z3::new(&options.runner, &folder.0)?;
    let abc = Abc::new(&folder.0, options.runner.seconds)?;
    let mut out = io::stdout();
    writeln!(out, "{} s for each task; {}", options.runner.seconds, z3.name())?;
    let mut table = match &abc {
        Some(abc) => {
            writeln!(out, "{}", abc.name())?;
            Table::new(&["ours", "z3", "abc"])
        }
        None => {
            writeln!(out, "abc: skipped, it is not on this machine")?;
            Table::new(&["ours", "z3"])
        }
    };
    let tasks: Vec<Task> = tasks.into_iter().step_by(options.every).collect();
    for task in &tasks {
        let outcome = options.runner.solve(task);
        let mut answers = vec![Answer::new(&outcome.verdict, outcome.seconds, outcome.detail)];
        answers.push(z3.solve(task)?);
        if let Some(abc) = &abc {
            answers.push(abc.solve(task)?);
        }
        table.add(task, &answers)?;
    }
    let is_sound = table.print()?;
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn options(arguments: &[String]) -> Result<Options, Error> {
    let mut options = Options { only: String::new(), every: 1, runner: Runner::default() };
    options.runner.jobs = Some(1);
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        let value = rest.next().ok_or_else(|| Error::Usage(format!("{flag} needs a value")))?;
        let number = || value.parse::<u64>().map_err(|_| Error::Usage(format!("{value} is no number")));
        match flag.as_str() {
            "--seconds" => options.runner.seconds = number()?,
            "--only" => options.only.clone_from(value),
            "--every" => options.every = number()?.max(1) as usize,
            "--jobs" => options.runner.jobs = Some(number()?.max(1) as usize),
            "--engine" => options.runner.engine = Some(value.clone()),
            _ => return Err(Error::Usage(COMMAND.about.into())),
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_checked() {
        let read = |line: &str| options(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let options = read("--seconds 5 --every 0 --only vmt/").expect("options");
        assert_eq!((options.every, options.runner.jobs, options.runner.seconds), (1, Some(1), 5));
        assert!(read("--seconds").is_err() && read("--jobs x").is_err() && read("--bogus 1").is_err());
    }
}
