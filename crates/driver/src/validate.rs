//! `validate`: a witness is judged by the checker alone.

use certify::{Judged, Rejection, replay_trace};
use diag::{Diagnostic, SourceMap};
use smt::term::Terms;
use svlib::interp::{EntryRequires, Options};
use svlib::syntax::CommandKind;

use crate::input::Input;

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
}

/// Judges the witness for each query of the task. The sources and findings, or one result per query with a part of
/// the witness.
///
/// # Errors
/// When the inputs cannot be read, or do not fit together.
pub fn validate(
    task: Vec<Input>,
    witness: Input,
    assume_entry_requires: bool,
) -> (SourceMap, Result<Vec<Validation>, Vec<Diagnostic>>) {
    let mut sources = SourceMap::default();
    let mut files = Vec::new();
    for input in task.into_iter().chain([witness]) {
        match sources.add_bytes(input.name, input.bytes) {
            Ok(file) => files.push(file),
            Err(error) => return (sources, Err(vec![*error])),
        }
    }
    let (witness, task) = match files.split_last() {
        Some((witness, task)) => (*witness, task),
        None => return (sources, Ok(Vec::new())),
    };
    let mut terms = Terms::new();
    let (builder, findings) = svlib::witness::read_validation_task(&mut terms, &sources, task, witness);
    if findings.iter().any(Diagnostic::is_error) {
        return (sources, Err(findings));
    }
    let entry_requires = if assume_entry_requires { EntryRequires::Assume } else { EntryRequires::Check };
    let options = Options { entry_requires, ..Options::default() };
    let script = &builder.state.script;
    let mut results = Vec::new();
    for command in 0..script.commands.len() {
        if matches!(&script.commands[command].kind, CommandKind::Call(name, ..) if name == "verify-call") {
            results.push(judge(&mut terms, script, command, &options));
        }
    }
    (sources, Ok(results))
}

/// All traces right before the query must be right.
fn judge(terms: &mut Terms, script: &svlib::syntax::Script, command: usize, options: &Options) -> Validation {
    let traces = script.commands[..command].iter().rev().map_while(|command| match &command.kind {
        CommandKind::SelectTrace(trace) => Some((**trace).clone()),
        _ => None,
    });
    let traces: Vec<_> = traces.collect();
    if traces.is_empty() {
        return Validation::Unknown(
            "this build judges violation witnesses only, and there is no trace".into(),
        );
    }
    for trace in traces {
        match replay_trace(terms, script, command, &trace, options) {
            Judged::Confirmed => {}
            Judged::Rejected(
                Rejection::InvalidStep(_, reason)
                | Rejection::OtherEnd(reason)
                | Rejection::Condition(reason),
            ) => {
                return Validation::Rejected(reason);
            }
            Judged::Open(reason) => return Validation::Unknown(reason),
        }
    }
    Validation::Confirmed
}
