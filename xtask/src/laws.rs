//! `cargo run --release -p xtask -- laws`: what is converted keeps its verdict.
//!
//! Every transition system of the corpus whose verdict is known is converted to every language, and what comes out is verified
//! for some seconds. An answer that contradicts the known one is the exit status; what a language cannot express is counted,
//! and so is what is not solved in the time. With `--programs` the same is done with the SV-LIB programs that have one query;
//! with `--pairs` files of one name in several languages are compared instead.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::registry::{Command, Error};
use crate::verify::index::{self, Expected, Task};
use crate::verify::run::{Converted, Runner};

pub(crate) const COMMAND: Command = Command {
    name: "laws",
    about: "Converts the corpus' systems and compares verdicts: laws [--pairs|--programs] [--seconds N] [--only TEXT] [--bytes N] [--every N] [--offset N] [--to A,B].",
    run,
};

/// The languages that systems are converted to, with the endings of their files.
const TARGETS: &[(&str, &str)] = &[
    ("vmt", "vmt"),
    ("btor2", "btor2"),
    ("chc", "smt2"),
    ("aag", "aag"),
    ("smv", "smv"),
    ("moxi", "moxi"),
    ("svlib", "svlib"),
];

struct Options {
    pairs: bool,
    programs: bool,
    only: String,
    /// Larger files are left out.
    bytes: u64,
    /// One of so many files.
    every: usize,
    /// The first of them, so that parts of the corpus can be done one after the other.
    offset: usize,
    targets: Vec<(&'static str, &'static str)>,
    runner: Runner,
}

fn options(arguments: &[String]) -> Result<Options, Error> {
    let mut options = Options {
        pairs: false,
        programs: false,
        only: String::new(),
        bytes: u64::MAX,
        every: 1,
        offset: 0,
        targets: TARGETS.to_vec(),
        runner: Runner::default(),
    };
    options.runner.seconds = 5;
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        match flag.as_str() {
            "--pairs" => options.pairs = true,
            "--programs" => options.programs = true,
            _ => {}
        }
        if matches!(flag.as_str(), "--pairs" | "--programs") {
            continue;
        }
        let value = rest.next().ok_or_else(|| Error::Usage(format!("{flag} needs a value")))?;
        let number = || value.parse::<u64>().map_err(|_| Error::Usage(format!("{value} is no number")));
        match flag.as_str() {
            "--seconds" => options.runner.seconds = number()?,
            "--only" => options.only.clone_from(value),
            "--bytes" => options.bytes = number()?,
            "--every" => options.every = number()?.max(1) as usize,
            "--offset" => options.offset = number()? as usize,
            "--to" => options.targets.retain(|target| value.split(',').any(|name| name == target.0)),
            _ => return Err(Error::Usage(COMMAND.about.into())),
        }
    }
    Ok(options)
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let options = options(arguments)?;
    let Some(corpus) = testkit::corpus_or_skip("the corpus") else { return Ok(ExitCode::SUCCESS) };
    let size = |task: &Task| std::fs::metadata(&task.path).map_or(0, |file| file.len());
    let mut tasks = if options.programs { programs(&corpus)? } else { index::systems(&corpus)? };
    tasks.retain(|task| task.name.contains(&options.only) && size(task) <= options.bytes);
    if options.pairs {
        return pairs(&options, &tasks);
    }
    let tasks: Vec<Task> = tasks.into_iter().skip(options.offset).step_by(options.every).collect();
    let folder = std::env::temp_dir().join(format!("svarog-laws-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| Error::Io(format!("make {}", folder.display()), e))?;
    let table = convert_all(&options, &tasks, &folder);
    // A scratch folder that is not there any more is gone as well.
    let _ = std::fs::remove_dir_all(&folder);
    print(&table)
}

/// The programs with one query and a verdict that is sure.
fn programs(corpus: &Path) -> Result<Vec<Task>, Error> {
    let mut tasks = index::tasks(corpus)?;
    tasks.retain(|task| {
        let text = std::fs::read_to_string(&task.path).unwrap_or_default();
        task.expected != Expected::Unsure && text.matches("(verify-call").count() == 1
    });
    tasks.iter_mut().for_each(|task| task.name.insert_str(0, "svlib/"));
    Ok(tasks)
}

/// What became of the conversions from one language to another.
#[derive(Default)]
struct Cell {
    refused: usize,
    agree: usize,
    open: usize,
    wrong: Vec<String>,
}

type Table = BTreeMap<(String, &'static str), Cell>;

fn convert_all(options: &Options, tasks: &[Task], folder: &Path) -> Table {
    let mut table = Table::new();
    for task in tasks {
        let from = task.name.split('/').next().unwrap_or_default().to_owned();
        for &(to, ending) in &options.targets {
            let cell = table.entry((from.clone(), to)).or_default();
            let made = folder.join(format!("made.{ending}"));
            let line = match options.runner.convert(&task.path, to, &made) {
                Converted::Refused(reason) => {
                    cell.refused += 1;
                    format!("refused ({reason})")
                }
                Converted::Broken(reason) => {
                    cell.wrong.push(format!("{}: {reason}", task.name));
                    format!("WRONG ({reason})")
                }
                Converted::Written => judge(options, task, made, cell),
            };
            // Nothing is left to do if standard error is closed.
            let _ = writeln!(io::stderr(), "{} -> {to}: {line}", task.name);
        }
    }
    table
}

fn judge(options: &Options, task: &Task, made: PathBuf, cell: &mut Cell) -> String {
    let converted = Task { name: task.name.clone(), path: made, expected: task.expected, system: true };
    let outcome = options.runner.solve(&converted);
    let expected = task.expected.word();
    match outcome.verdict.as_str() {
        "correct" | "incorrect" if outcome.is_wrong(task.expected) => {
            cell.wrong.push(format!("{}: {} and not {expected}", task.name, outcome.verdict));
            format!("WRONG: {} and not {expected}", outcome.verdict)
        }
        "correct" | "incorrect" => {
            cell.agree += 1;
            format!("{} in {:.1} s", outcome.verdict, outcome.seconds)
        }
        // What was written has to be read.
        other if outcome.detail.contains("(error") => {
            cell.wrong.push(format!("{}: {other} {}", task.name, outcome.detail));
            format!("WRONG: {other} {}", outcome.detail)
        }
        _ => {
            cell.open += 1;
            format!("open ({})", outcome.detail.chars().take(80).collect::<String>())
        }
    }
}

fn print(table: &Table) -> Result<ExitCode, Error> {
    let mut out = io::stdout().lock();
    writeln!(out, "{:10} {:8} {:>8} {:>6} {:>6} {:>6}", "from", "to", "refused", "agree", "open", "wrong")?;
    for ((from, to), cell) in table {
        let Cell { refused, agree, open, wrong } = cell;
        writeln!(out, "{from:10} {to:8} {refused:>8} {agree:>6} {open:>6} {:>6}", wrong.len())?;
    }
    let wrong: Vec<String> = table
        .iter()
        .flat_map(|((_, to), cell)| cell.wrong.iter().map(move |line| format!("WRONG -> {to} {line}")))
        .collect();
    for line in &wrong {
        writeln!(out, "{line}")?;
    }
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Files with one name in several languages.
fn pairs(options: &Options, tasks: &[Task]) -> Result<ExitCode, Error> {
    let mut named: BTreeMap<(&str, &str), Vec<&Task>> = BTreeMap::new();
    for task in tasks {
        let file = task.name.rsplit('/').next().unwrap_or_default();
        // With bit-vectors in the place of integers a program of the same name can be another one, which the index tells.
        let key = (file.split('.').next().unwrap_or_default(), task.expected.word());
        named.entry(key).or_default().push(task);
    }
    let language = |task: &Task| task.name.split('/').next().unwrap_or_default().to_owned();
    named.retain(|_, group| group.iter().any(|task| language(task) != language(group[0])));
    let (mut groups, mut agree, mut differ) = (0, 0, Vec::new());
    for ((name, _), group) in named.into_iter().skip(options.offset).step_by(options.every) {
        groups += 1;
        let mut verdicts: Vec<(String, String)> = Vec::new();
        for task in group {
            let outcome = options.runner.solve(task);
            if matches!(outcome.verdict.as_str(), "correct" | "incorrect") {
                verdicts.push((task.name.clone(), outcome.verdict.clone()));
            }
            if task.expected != Expected::Unsure && outcome.is_wrong(task.expected) {
                differ.push(format!("{}: {} and not {}", task.name, outcome.verdict, task.expected.word()));
            }
        }
        if verdicts.iter().any(|verdict| verdict.1 != verdicts[0].1) {
            differ.push(format!("{name}: {verdicts:?}"));
        } else if verdicts.len() > 1 {
            agree += 1;
        }
        // Nothing is left to do if standard error is closed.
        let _ = writeln!(io::stderr(), "{name}: {verdicts:?}");
    }
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{groups} names in several languages, {agree} with several equal verdicts, {} differ",
        differ.len()
    )?;
    for line in &differ {
        writeln!(out, "WRONG {line}")?;
    }
    Ok(if differ.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
