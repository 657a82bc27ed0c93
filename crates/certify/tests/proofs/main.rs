//! Correctness witnesses are accepted when they prove the task, and only then.

mod contracts;
mod frames;
mod invariants;
mod liveness;
mod long;
mod looking_back;
mod ranks;
mod witnesses;

use base::budget::Budget;
use certify::{Judged, check_proof};
use diag::SourceMap;
use smt::term::Terms;
use std::time::Duration;
use svlib::interp::{EntryRequires, Options};

/// Judges a task with a witness, which may be empty.
fn judge(task: &str, witness: &str) -> Judged {
    judge_with(task, witness, false)
}

/// The same, perhaps with the entry's precondition assumed.
fn judge_with(task: &str, witness: &str, assumed: bool) -> Judged {
    let mut sources = SourceMap::default();
    let files = [
        sources.add("task", task.to_string()).expect("fits"),
        sources.add("witness", format!("({witness})")).expect("fits"),
    ];
    let mut terms = Terms::new();
    let (read, findings) = svlib::witness::read_validation_task(&mut terms, &sources, &files[..1], files[1]);
    assert!(!findings.iter().any(diag::Diagnostic::is_error), "{findings:?}");
    let script = &read.builder.state.script;
    let part = &read.parts[0];
    let added: Vec<usize> = part.added.clone().into_iter().flatten().collect();
    let mut solver = solver::open("z3").expect("there is a solver");
    let budget = Budget::of(Duration::from_secs(60));
    let entry_requires = if assumed { EntryRequires::Assume } else { EntryRequires::Check };
    let options = Options { entry_requires, ..Options::default() };
    check_proof(&mut terms, script, part.command, &added, &options, &mut *solver, &budget)
}

#[track_caller]
fn accepted(task: &str, witness: &str) {
    assert_eq!(judge(task, witness), Judged::Confirmed);
}

#[track_caller]
fn rejected(task: &str, witness: &str) {
    let judged = judge(task, witness);
    assert!(matches!(judged, Judged::Rejected(_)), "{judged:?}");
}

#[track_caller]
fn open(task: &str, witness: &str) {
    let judged = judge(task, witness);
    assert!(matches!(judged, Judged::Open(_)), "{judged:?}");
}
