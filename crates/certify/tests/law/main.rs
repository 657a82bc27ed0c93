//! The law of the checker: what it confirms, no execution contradicts. Random programs get random annotations, one after
//! the other, part of them as a witness: those stay with which the program is confirmed. Then it is executed with many
//! seeds, with leaps wherever the task's annotations allow them.
//!
//! `LAW_CASES` and `LAW_FIRST` say how many cases are tried, and from which seed on.

mod execute;
mod generate;

use base::budget::Budget;
use certify::{Judged, check_proof};
use diag::SourceMap;
use generate::{Candidate, Case};
use smt::term::Terms;
use std::time::Duration;
use svlib::interp::Options;

const CASES: u64 = 50;
const RUNS: u64 = 60;

/// So many annotations are tried in a case.
const CANDIDATES: usize = 40;

/// The task and the witness that annotations make.
fn texts(case: &Case, kept: &[Candidate]) -> (String, String) {
    let all = |of_task: bool| -> String {
        kept.iter().filter(|c| c.of_task == of_task).map(|c| c.text.as_str()).collect()
    };
    (format!("{}{}{}", case.program, all(true), case.query), all(false))
}

/// What the checker says about a task with a witness; none if it is no program (a label twice, say).
fn judge(task: &str, witness: &str) -> Option<Judged> {
    let mut sources = SourceMap::default();
    let task = sources.add("task", task.to_string()).ok()?;
    let witness = sources.add("witness", format!("({witness})")).ok()?;
    let mut terms = Terms::new();
    let (read, findings) = svlib::witness::read_validation_task(&mut terms, &sources, &[task], witness);
    if findings.iter().any(diag::Diagnostic::is_error) {
        return None;
    }
    let part = read.parts.first()?;
    let added: Vec<usize> = part.added.clone().into_iter().flatten().collect();
    let mut solver = solver::open("z3").ok()?;
    let budget = Budget::of(Duration::from_secs(2));
    let script = &read.builder.state.script;
    Some(check_proof(&mut terms, script, part.command, &added, &Options::default(), &mut *solver, &budget))
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn what_is_confirmed_is_not_contradicted_by_any_execution() {
    let (first, cases) = (number("LAW_FIRST", 0), number("LAW_CASES", CASES));
    let (mut programs, mut annotations) = (0, 0);
    for seed in first..first + cases {
        let case = generate::case(seed);
        let mut kept: Vec<Candidate> = Vec::new();
        let (task, witness) = texts(&case, &kept);
        if judge(&task, &witness) != Some(Judged::Confirmed) {
            continue;
        }
        programs += 1;
        for candidate in case.candidates.iter().take(CANDIDATES) {
            kept.push(candidate.clone());
            let (task, witness) = texts(&case, &kept);
            if judge(&task, &witness) != Some(Judged::Confirmed) {
                kept.pop();
            }
        }
        annotations += kept.len();
        let (task, witness) = texts(&case, &kept);
        for run in 0..RUNS {
            let found = execute::contradiction(&task, "", run, true);
            assert_eq!(found, None, "with leaps, run {run} of seed {seed}\n{task}");
            let found = execute::contradiction(&task, &witness, run, false);
            assert_eq!(found, None, "run {run} of seed {seed}\n{task}\nwitness:\n{witness}");
        }
    }
    assert!(annotations > 3 * programs, "{annotations} in {programs}: too few to show anything");
}
