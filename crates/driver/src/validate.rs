//! `validate`: a witness is judged by the checker alone.

use diag::{Diagnostic, SourceMap};
use smt::term::Terms;
use std::ops::Range;
use svlib::print::command_text;

use crate::input::{Input, is_about_tags};
use crate::job::Duty;
use crate::portfolio::Search;
use crate::task::task_text;
use crate::verify::{VerifyOptions, deadline};
use crate::workers::Workers;

/// What the checker says about a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Validation {
    /// It shows what it claims.
    Confirmed,
    /// It does not: why.
    Rejected(String),
    /// It cannot be judged: why.
    Unknown(String),
}

impl Validation {
    /// The word that is printed.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Validation::Confirmed => "confirmed",
            Validation::Rejected(_) => "rejected",
            Validation::Unknown(_) => "unknown",
        }
    }

    /// Why it is not confirmed.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Validation::Confirmed => None,
            Validation::Rejected(reason) | Validation::Unknown(reason) => Some(reason),
        }
    }
}

/// Judges the witness for each query of the task; `each` hears the results as they come. The sources, and the findings
/// of reading: without errors there is one result per query.
pub fn validate(
    task: Vec<Input>,
    witness: Input,
    options: &VerifyOptions,
    workers: &mut dyn Workers,
    mut each: impl FnMut(Validation),
) -> (SourceMap, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let mut files = Vec::new();
    for input in task.into_iter().chain([witness]) {
        match sources.add_bytes(input.name, input.bytes) {
            Ok(file) => files.push(file),
            Err(error) => return (sources, vec![*error]),
        }
    }
    let Some((witness, task)) = files.split_last() else { return (sources, Vec::new()) };
    let mut terms = Terms::new();
    let (read, findings) = svlib::witness::read_validation_task(&mut terms, &sources, task, *witness);
    if findings.iter().any(|f| f.is_error() && !is_about_tags(f)) {
        return (sources, findings);
    }
    let script = &read.builder.state.script;
    // The witness of one query is no part of the task of another.
    let added: Vec<Range<usize>> = read.parts.iter().filter_map(|part| part.added.clone()).collect();
    for part in &read.parts {
        let Some(own) = part.added.clone() else {
            each(Validation::Unknown("the witness says nothing about this query".into()));
            continue;
        };
        let until = deadline(options.timeout);
        workers.begin(until);
        let text = task_text(&terms, script, part.command, |i| added.iter().any(|range| range.contains(&i)));
        let commands: Vec<String> =
            own.map(|i| command_text(&terms, script, &script.commands[i].kind)).collect();
        let job = options.job(Duty::Replay, text);
        each(Search::new(workers, job, 1, until).judge(part.claim, &format!("({})", commands.join("\n"))));
        if workers.interrupted() {
            break;
        }
    }
    (sources, findings)
}
