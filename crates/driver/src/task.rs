//! A query as text: what a worker reads, and what a witness is read with.

use base::budget::Budget;
use diag::SourceMap;
use smt::parse::Command as Smt;
use smt::sexpr::Text;
use smt::term::Terms;
use svlib::interp::{EntryRequires, Options};
use svlib::parse::Builder;
use svlib::print::command_text;
use svlib::syntax::{CommandKind, Script};
use svlib::witness::{Claim, ValidationTask};

use crate::input::is_about_tags;
use crate::job::Job;
use crate::judge::judge;
use crate::validate::Validation;
use crate::{horn, systems};

/// The script up to the query with that number, without what does not matter for the answer: other queries, traces,
/// options, and the commands for which `skip` is true.
pub(crate) fn task_text(
    terms: &Terms,
    script: &Script,
    command: usize,
    skip: impl Fn(usize) -> bool,
) -> String {
    let mut text = String::new();
    for (number, one) in script.commands[..command].iter().enumerate() {
        if matters(&one.kind) && !skip(number) {
            text.push_str(&command_text(terms, script, &one.kind));
            text.push('\n');
        }
    }
    if let Some(CommandKind::Call(_, proc, args)) = script.commands.get(command).map(|c| &c.kind) {
        let query = CommandKind::Call("verify-call".into(), *proc, args.clone());
        text.push_str(&command_text(terms, script, &query));
        text.push('\n');
    }
    text
}

fn matters(kind: &CommandKind) -> bool {
    match kind {
        CommandKind::Smt(command) => {
            !matches!(command, Smt::SetOption(..) | Smt::GetAssertions | Smt::GetInfo(_) | Smt::GetOption(_))
        }
        CommandKind::DeclareVar(_)
        | CommandKind::DefineProc(_)
        | CommandKind::DefineProcsRec(_)
        | CommandKind::AnnotateTag(_) => true,
        CommandKind::SelectTrace(_) | CommandKind::Call(..) | CommandKind::GetWitness => false,
    }
}

/// Reads the text of a task.
pub(crate) fn read_task(terms: &mut Terms, text: &str) -> Result<Builder, String> {
    let (mut builder, mut findings) = (Builder::new(terms), Vec::new());
    svlib::parse::read_file(&mut builder, terms, Text::new(text, 0), &mut findings);
    match findings.iter().find(|f| f.is_error() && !is_about_tags(f)) {
        Some(error) => Err(format!("the task is not read back: {}", error.message)),
        None => Ok(builder),
    }
}

/// The limits of single executions, and how the entry's `:requires` is read.
pub(crate) fn limits(assume_entry_requires: bool) -> Options {
    let entry_requires = if assume_entry_requires { EntryRequires::Assume } else { EntryRequires::Check };
    Options { entry_requires, ..Options::default() }
}

/// The same for executions that are evidence: they may be long, time alone limits them.
pub(crate) fn long_limits(assume_entry_requires: bool) -> Options {
    Options { steps: u64::MAX, ..limits(assume_entry_requires) }
}

/// A witness in canonical layout: the header, then the commands.
pub(crate) fn witness_text(terms: &Terms, script: &Script, header: &str, commands: &[CommandKind]) -> String {
    let commands: Vec<String> = commands.iter().map(|c| command_text(terms, script, c)).collect();
    let text = format!("({header}\n{})", commands.join("\n"));
    let witness = svlib::fmt::format(Text::new(&text, 0)).unwrap_or(text);
    witness.trim_end().to_string()
}

/// Reads a task together with a witness for its one query.
pub(crate) fn read_witness(terms: &mut Terms, script: &str, witness: &str) -> Result<ValidationTask, String> {
    let mut sources = SourceMap::default();
    let too_large = |_| "the task is too large".to_string();
    let task = sources.add("task", script.into()).map_err(too_large)?;
    let witness = sources.add("witness", witness.into()).map_err(too_large)?;
    let (read, findings) = svlib::witness::read_validation_task(terms, &sources, &[task], witness);
    if let Some(error) = findings.iter().find(|f| f.is_error() && !is_about_tags(f)) {
        return Err(format!("the witness is not read back: {}", error.message));
    }
    match &read.parts[..] {
        [part] if part.added.is_some() => Ok(read),
        _ => Err("there is not one query and one witness for it".into()),
    }
}

/// Judges one witness for the one query of a task, both as text.
pub(crate) fn check(job: &Job, claim: Option<Claim>, witness: &str, budget: &Budget) -> Validation {
    if job.horn {
        return horn::check(job, claim, witness, budget);
    }
    if let Some(index) = job.property {
        return systems::check(job, index, claim, witness, budget);
    }
    let mut terms = Terms::new();
    match read_witness(&mut terms, &job.script, witness) {
        Ok(read) => {
            let options = long_limits(job.assume_entry_requires);
            judge(&mut terms, &read, &read.parts[0], claim, &options, &job.solver, budget)
        }
        Err(reason) => Validation::Unknown(reason),
    }
}
