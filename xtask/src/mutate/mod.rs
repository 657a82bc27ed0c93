//! `cargo run --release -p xtask -- mutate --witnesses DIR`: witnesses that are broken on purpose.
//!
//! The folder holds the witnesses that `xtask verify --witnesses DIR` wrote; with `--random N`, those of N random
//! programs are made first and put beside them. Each is read with its task, changed in one
//! place, printed and given to `svarog validate`: a conjunct of an annotation is left out or negated, a number changed
//! by one, an operator replaced, an annotation left out; in a trace one value or one choice is another. What is still
//! confirmed needs a reason that does not come from the validator ([`proofs`], [`runs`]). Whatever has none is printed
//! in full, and is the exit status: either it is evidence all the same, or the validator is wrong. With `--cross`, the other
//! proofs are asked about rejected witnesses, too: what they prove, the validator is too strict about.

mod annotations;
mod conditions;
mod proofs;
mod runs;
mod traces;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

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
    about: "Breaks witnesses in one place each and has them validated: mutate --witnesses DIR [--random N] [--seconds N] [--only TEXT] [--most N] [--cross].",
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
    /// Ask the other proofs about rejected witnesses as well.
    cross: bool,
    runner: Runner,
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let options = options(arguments)?;
    let mut tasks = random_tasks(&options)?;
    if let Some(corpus) = testkit::corpus_or_skip("the corpus") {
        tasks.extend(index::tasks(&corpus)?);
    }
    let (mut table, mut reasons, mut others, mut unexplained) = (Table::new(), Table::new(), Table::new(), 0);
    let (mut proofs, mut traces, mut out) = (0, 0, io::stdout().lock());
    for task in tasks.iter().filter(|task| task.name.contains(&options.only)) {
        let file = options.runner.witness_file(task);
        let Ok(witness) = std::fs::read_to_string(&file) else { continue };
        if options.runner.validate(&task.path, &file) != "confirmed" {
            continue;
        }
        let Some(mut broken) = Broken::of(task, &witness) else { continue };
        let counted = if broken.has_trace() { &mut traces } else { &mut proofs };
        *counted += 1;
        for mutant in broken.mutants(options.most) {
            let word = judge(&options.runner, task, &broken.text(&mutant))?;
            if word == "confirmed" {
                let reason = broken.reason(&mutant, Duration::from_secs(options.runner.seconds));
                let class = reason.as_ref().map_or("NOT EXPLAINED", |class| class);
                *reasons.entry(mutant.kind).or_default().entry(class.into()).or_default() += 1;
                if let Err(why) = reason {
                    unexplained += 1;
                    let shown = broken.shown(&mutant);
                    writeln!(out, "not explained: {} {}: {why}\n  {shown}", mutant.kind, task.name)?;
                }
            }
            if options.cross && word == "rejected" && !broken.has_trace() {
                let class = broken.reason(&mutant, Duration::from_secs(options.runner.seconds));
                let class = class.unwrap_or("not proved otherwise, either");
                *others.entry(mutant.kind).or_default().entry(class.into()).or_default() += 1;
                if class != "not proved otherwise, either" {
                    writeln!(
                        out,
                        "rejected, but {class}: {} {}\n  {}",
                        mutant.kind,
                        task.name,
                        broken.shown(&mutant)
                    )?;
                }
            }
            *table.entry(mutant.kind).or_default().entry(word).or_default() += 1;
        }
    }
    writeln!(out, "{proofs} correctness witnesses, {traces} violation witnesses")?;
    print(&mut out, &table)?;
    writeln!(out, "why confirmed ones are evidence all the same")?;
    print(&mut out, &reasons)?;
    if options.cross {
        writeln!(out, "what the other proofs say about rejected ones")?;
        print(&mut out, &others)?;
    }
    writeln!(out, "{unexplained} not explained")?;
    Ok(ExitCode::from(u8::from(unexplained > 0)))
}

/// By kind of change: what came of it, and how often.
type Table = BTreeMap<&'static str, BTreeMap<String, usize>>;

fn print(out: &mut impl Write, table: &Table) -> Result<(), Error> {
    for (kind, words) in table {
        let counts: Vec<String> = words.iter().map(|(word, count)| format!("{count} {word}")).collect();
        writeln!(out, "  {kind}: {}", counts.join(", "))?;
    }
    Ok(())
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
    let mut options =
        Options { only: String::new(), most: 20, random: 0, cross: false, runner: Runner::default() };
    options.runner.seconds = 20;
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        if flag == "--cross" {
            options.cross = true;
            continue;
        }
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

/// A witness with its task, to be changed.
struct Broken {
    terms: Terms,
    script: Script,
    /// The number of the query.
    command: usize,
    /// The numbers of the commands of the witness.
    added: Range<usize>,
}

impl Broken {
    /// Of several queries the first one is looked at, as everywhere.
    fn of(task: &Task, witness: &str) -> Option<Broken> {
        Broken::read(std::fs::read_to_string(&task.path).ok()?, witness.to_string())
    }

    fn read(task: String, witness: String) -> Option<Broken> {
        let mut sources = SourceMap::default();
        let first = sources.add("task", task).ok()?;
        let second = sources.add("witness", witness).ok()?;
        let mut terms = Terms::new();
        let (read, findings) = read_validation_task(&mut terms, &sources, &[first], second);
        let part = read.parts.first().filter(|_| !findings.iter().any(diag::Diagnostic::is_error))?;
        let (command, added) = (part.command, part.added.clone()?);
        Some(Broken { terms, script: read.builder.state.script, command, added })
    }

    fn has_trace(&self) -> bool {
        let commands = &self.script.commands[self.added.clone()];
        commands.iter().any(|command| matches!(command.kind, CommandKind::SelectTrace(_)))
    }

    /// Changes, not more than so many, evenly from the beginning to the end.
    fn mutants(&mut self, most: usize) -> Vec<Mutant> {
        let mut all = Vec::new();
        for number in self.added.clone() {
            match &self.script.commands[number].kind {
                CommandKind::AnnotateTag(annotation) => {
                    all.extend(annotations::mutants(&mut self.terms, annotation, number));
                }
                CommandKind::SelectTrace(trace) => {
                    all.extend(traces::mutants(&mut self.terms, trace, number))
                }
                _ => {}
            }
        }
        let step = all.len().div_ceil(most.max(1)).max(1);
        all.into_iter().step_by(step).collect()
    }

    /// The text of the changed witness.
    fn text(&self, mutant: &Mutant) -> String {
        let mut commands = Vec::new();
        for number in self.added.clone() {
            let kept = (number != mutant.number).then_some(&self.script.commands[number].kind);
            let kind = kept.or(mutant.command.as_ref());
            commands.extend(kind.map(|kind| command_text(&self.terms, &self.script, kind)));
        }
        format!("({})\n", commands.join("\n"))
    }

    /// The text of what was changed.
    fn shown(&self, mutant: &Mutant) -> String {
        let text = |kind: &CommandKind| command_text(&self.terms, &self.script, kind);
        match &mutant.command {
            Some(kind) => text(kind),
            None => format!("without {}", text(&self.script.commands[mutant.number].kind)),
        }
    }

    /// Why the changed witness is evidence all the same, found without the validator; an error when no reason is found.
    fn reason(&mut self, mutant: &Mutant, time: Duration) -> Result<&'static str, String> {
        let whole = &self.script.commands[mutant.number].kind;
        if let (CommandKind::SelectTrace(old), Some(CommandKind::SelectTrace(new))) = (whole, &mutant.command)
        {
            return runs::reason(&mut self.terms, &self.script, self.command, old, new);
        }
        if let (CommandKind::AnnotateTag(old), Some(CommandKind::AnnotateTag(new))) = (whole, &mutant.command)
            && proofs::mean_the_same(&mut self.terms, old, new, time)
        {
            return Ok("it means the same");
        }
        // At each statement that has the tag, the text has its own variables: so it is read again.
        let changed = self.reread(mutant).ok_or("the changed witness is not read back")?;
        proofs::reason(changed, time)
    }

    fn reread(&self, mutant: &Mutant) -> Option<Broken> {
        let mut task = String::new();
        for (number, command) in self.script.commands[..self.command].iter().enumerate() {
            if !self.added.contains(&number) {
                task.push_str(&command_text(&self.terms, &self.script, &command.kind));
                task.push('\n');
            }
        }
        task.push_str(&command_text(&self.terms, &self.script, &self.script.commands[self.command].kind));
        Broken::read(task, self.text(mutant))
    }
}
