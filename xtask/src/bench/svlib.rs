//! Verifying SV-LIB: tasks solved and time, against plain Z3 on the Horn clauses of the same tasks in the same run.
//!
//! Each task is given to `svarog verify`, and right after it its clauses, as `svarog convert` writes them, to Z3 with the
//! same time limit: to the program `z3` if there is one, else to the embedded library, which executes the same script in a
//! process of its own. Converting is not part of anybody's time. What cannot be written as clauses is not solved by Z3.
//! Where both have a verdict they have to agree, with each other and with the corpus' index.

use std::io::{self, Write};
use std::process::ExitCode;

use super::contest::{Answer, Table};
use super::measure::MEASURE;
use super::parse::Scratch;
use super::peer::z3::{self, Z3};
use crate::registry::{Command, Error};
use crate::verify::index::{self, Task};
use crate::verify::run::Runner;

pub(super) const COMMAND: Command = Command {
    name: "svlib",
    about: "Verifies the corpus' tasks, compares with plain Z3: svlib [--seconds N] [--only TEXT] [--limit N] [--engine A,B].",
    run,
};

struct Options {
    /// Tasks whose name contains it.
    only: String,
    /// At most so many of them, evenly spread.
    limit: usize,
    runner: Runner,
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    if let [first, file] = arguments
        && first == MEASURE
    {
        return z3::child(file);
    }
    let options = options(arguments)?;
    let Some(corpus) = testkit::corpus_or_skip("the corpus") else { return Ok(ExitCode::SUCCESS) };
    let tasks = index::tasks(&corpus)?;
    let tasks: Vec<Task> = tasks.into_iter().filter(|task| task.name.contains(&options.only)).collect();
    let folder = Scratch::new()?;
    let z3 = Z3::new(&options.runner, &folder.0)?;
    writeln!(io::stdout(), "{} s for each task; {}", options.runner.seconds, z3.name())?;
    let mut table = Table::new(&["ours", "z3"]);
    for task in spread(&tasks, options.limit) {
        let outcome = options.runner.verify(task, &folder.0.join("task.witness.svlib"));
        let ours = Answer::new(&outcome.verdict, outcome.seconds, outcome.detail);
        table.add(task, &[ours, z3.solve(task)?])?;
    }
    let is_sound = table.print()?;
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn options(arguments: &[String]) -> Result<Options, Error> {
    let mut options = Options { only: String::new(), limit: usize::MAX, runner: Runner::default() };
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        let value = rest.next().ok_or_else(|| Error::Usage(format!("{flag} needs a value")))?;
        let number = || value.parse().map_err(|_| Error::Usage(format!("{value} is no number")));
        match flag.as_str() {
            "--seconds" => options.runner.seconds = number()?,
            "--limit" => options.limit = number()? as usize,
            "--only" => options.only.clone_from(value),
            "--engine" => options.runner.engine = Some(value.clone()),
            _ => return Err(Error::Usage(COMMAND.about.into())),
        }
    }
    Ok(options)
}

/// At most so many of the tasks, from all parts of the list.
fn spread(tasks: &[Task], limit: usize) -> impl Iterator<Item = &Task> {
    let count = tasks.len().min(limit);
    (0..count).map(move |i| &tasks[i * tasks.len() / count])
}

#[cfg(test)]
mod tests {
    use super::*;
    use index::Expected;

    #[test]
    fn a_limit_takes_from_all_parts() {
        let task = |name: usize| {
            let (path, expected) = (Default::default(), Expected::True);
            Task { name: name.to_string(), path, expected, system: false }
        };
        let tasks: Vec<Task> = (0..10).map(task).collect();
        let names = |limit| spread(&tasks, limit).map(|task| task.name.as_str()).collect::<String>();
        assert_eq!([names(0), names(3), names(10), names(99)], ["", "036", "0123456789", "0123456789"]);
    }

    #[test]
    fn options_are_checked() {
        let read = |line: &str| options(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(read("--seconds 5 --limit 2 --only x").is_ok_and(|options| options.limit == 2));
        assert!(read("--seconds").is_err() && read("--seconds x").is_err() && read("--bogus 1").is_err());
    }
}
