//! `cargo run --release -p xtask -- mutate --witnesses DIR`: witnesses that are broken on purpose.
//!
//! The folder holds the witnesses that `xtask verify --witnesses DIR` wrote; with `--random N`, those of N random
//! programs are made first and put beside them. Each is read with its task, changed in one
//! place, printed and given to `svarog validate`: a conjunct of an annotation is left out or negated, a number changed
//! by one, an operator replaced, an annotation left out; in a trace one value or one choice is another. What is still
//! confirmed is printed in full, because somebody has to look at it: either it is evidence all the same, or the
//! validator is wrong.

mod annotations;
mod traces;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::registry::{Command, Error};
use crate::verify::index::{self, Task};
use crate::verify::run::Runner;
use diag::SourceMap;
use smt::term::Terms;
use svlib::print::command_text;
use svlib::syntax::{CommandKind, Script};
use svlib::witness::read_validation_task;

pub(crate) const COMMAND: Command = Command {
    name: "mutate",
    about: "Breaks witnesses in one place each and has them validated: mutate --witnesses DIR [--random N] [--seconds N] [--only TEXT] [--most N].",
    run,
};

/// One change of a witness.
struct Mutant {
    /// What kind of change.
    kind: &'static str,
    /// Which command of the witness is another; none when the command is left out.
    command: Option<CommandKind>,
    /// The number of the command in the script.
    number: usize,
}

struct Options {
    only: String,
    most: usize,
    random: u64,
    runner: Runner,
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let options = options(arguments)?;
    let mut tasks = random_tasks(&options)?;
    if let Some(corpus) = testkit::corpus_or_skip("the corpus") {
        tasks.extend(index::tasks(&corpus)?);
    }
    let mut table: BTreeMap<&'static str, BTreeMap<String, usize>> = BTreeMap::new();
    let (mut witnesses, mut out) = (0, io::stdout().lock());
    for task in tasks.iter().filter(|task| task.name.contains(&options.only)) {
        let file = options.runner.witness_file(task);
        let Ok(witness) = std::fs::read_to_string(&file) else { continue };
        if options.runner.validate(&task.path, &file) != "confirmed" {
            continue;
        }
        witnesses += 1;
        for (kind, text, changed) in mutants(task, &witness, options.most) {
            let word = judge(&options.runner, task, &text)?;
            if word == "confirmed" {
                writeln!(out, "confirmed {kind} {}\n  {changed}", task.name)?;
            }
            *table.entry(kind).or_default().entry(word).or_default() += 1;
        }
    }
    writeln!(out, "{witnesses} witnesses")?;
    for (kind, words) in &table {
        let counts: Vec<String> = words.iter().map(|(word, count)| format!("{count} {word}")).collect();
        writeln!(out, "{kind}: {}", counts.join(", "))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Random programs, verified, with their witnesses in the folder.
fn random_tasks(options: &Options) -> Result<Vec<Task>, Error> {
    let Some(folder) = &options.runner.witnesses else { return Ok(Vec::new()) };
    std::fs::create_dir_all(folder).map_err(|e| Error::Io(format!("make {}", folder.display()), e))?;
    let mut tasks = Vec::new();
    for seed in 0..options.random {
        let name = format!("random-{seed}");
        let path = folder.join(&name).with_extension("svlib");
        let program = testkit::programs::generate(seed).to_string();
        std::fs::write(&path, program).map_err(|e| Error::Io(format!("write {}", path.display()), e))?;
        let task = Task { name, path, expected: index::Expected::Unsure, system: false };
        if options.runner.solve(&task).is_solved() {
            tasks.push(task);
        }
    }
    Ok(tasks)
}

fn options(arguments: &[String]) -> Result<Options, Error> {
    let mut options = Options { only: String::new(), most: 20, random: 0, runner: Runner::default() };
    options.runner.seconds = 20;
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        let value = rest.next().ok_or_else(|| Error::Usage(format!("{flag} needs a value")))?;
        let number = || value.parse().map_err(|_| Error::Usage(format!("{value} is no number")));
        match flag.as_str() {
            "--witnesses" => options.runner.witnesses = Some(PathBuf::from(value)),
            "--seconds" => options.runner.seconds = number()?,
            "--random" => options.random = number()?,
            "--most" => options.most = number()? as usize,
            "--only" => options.only.clone_from(value),
            _ => return Err(Error::Usage(COMMAND.about.into())),
        }
    }
    if options.runner.witnesses.is_none() {
        return Err(Error::Usage(COMMAND.about.into()));
    }
    Ok(options)
}

/// The validator's word; `refused` if the text is no witness at all.
fn judge(runner: &Runner, task: &Task, text: &str) -> Result<String, Error> {
    let file = std::env::temp_dir().join(format!("svarog-mutant-{}.svlib", std::process::id()));
    std::fs::write(&file, text).map_err(|e| Error::Io(format!("write {}", file.display()), e))?;
    let word = runner.validate(&task.path, &file);
    // A scratch file that is not there any more is gone as well.
    let _ = std::fs::remove_file(&file);
    Ok(if matches!(word.as_str(), "confirmed" | "rejected" | "unknown") { word } else { "refused".into() })
}

/// Changed witnesses: what kind of change, the text of the witness, and the text of what was changed.
fn mutants(task: &Task, witness: &str, most: usize) -> Vec<(&'static str, String, String)> {
    let mut sources = SourceMap::default();
    let Ok(text) = std::fs::read_to_string(&task.path) else { return Vec::new() };
    let (Ok(first), Ok(second)) = (sources.add("task", text), sources.add("witness", witness.to_string()))
    else {
        return Vec::new();
    };
    let mut terms = Terms::new();
    let (read, findings) = read_validation_task(&mut terms, &sources, &[first], second);
    if findings.iter().any(diag::Diagnostic::is_error) {
        return Vec::new();
    }
    let script = &read.builder.state.script;
    // Of several queries the first one is looked at, as everywhere.
    let Some(added) = read.parts.first().and_then(|part| part.added.clone()) else { return Vec::new() };
    let mut all = Vec::new();
    for number in added.clone() {
        match &script.commands[number].kind {
            CommandKind::AnnotateTag(annotation) => {
                all.extend(annotations::mutants(&mut terms, annotation, number));
            }
            CommandKind::SelectTrace(trace) => all.extend(traces::mutants(&mut terms, trace, number)),
            _ => {}
        }
    }
    // Evenly from the beginning to the end.
    let step = all.len().div_ceil(most.max(1)).max(1);
    let chosen = all.into_iter().step_by(step);
    chosen
        .map(|mutant| {
            (mutant.kind, print(&terms, script, added.clone(), &mutant), shown(&terms, script, &mutant))
        })
        .collect()
}

fn print(terms: &Terms, script: &Script, added: std::ops::Range<usize>, mutant: &Mutant) -> String {
    let mut commands = Vec::new();
    for number in added {
        let kept = (number != mutant.number).then_some(&script.commands[number].kind);
        commands.extend(kept.or(mutant.command.as_ref()).map(|kind| command_text(terms, script, kind)));
    }
    format!("({})\n", commands.join("\n"))
}

fn shown(terms: &Terms, script: &Script, mutant: &Mutant) -> String {
    match &mutant.command {
        Some(kind) => command_text(terms, script, kind),
        None => format!("without {}", command_text(terms, script, &script.commands[mutant.number].kind)),
    }
}
