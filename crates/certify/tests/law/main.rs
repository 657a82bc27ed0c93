//! The law of the checker: what it confirms, no execution contradicts. Random programs get random annotations, part of
//! them as a witness; those that are confirmed are executed with many seeds, with leaps wherever the task's annotations
//! allow them.
//!
//! `LAW_CASES` and `LAW_FIRST` say how many cases are tried, and from which seed on.

mod execute;
mod generate;

use base::budget::Budget;
use certify::{Judged, check_proof};
use diag::SourceMap;
use smt::term::Terms;
use std::time::Duration;
use svlib::interp::Options;

const CASES: u64 = 300;
const RUNS: u64 = 60;

/// What the checker says about a case; none if it is no program (a label twice, say).
fn judge(case: &generate::Case) -> Option<Judged> {
    let mut sources = SourceMap::default();
    let task = sources.add("task", case.task.clone()).ok()?;
    let witness = sources.add("witness", format!("({})", case.witness)).ok()?;
    let mut terms = Terms::new();
    let (read, findings) = svlib::witness::read_validation_task(&mut terms, &sources, &[task], witness);
    if findings.iter().any(diag::Diagnostic::is_error) {
        return None;
    }
    let part = read.parts.first()?;
    let added: Vec<usize> = part.added.clone().into_iter().flatten().collect();
    let mut solver = solver::open("z3").ok()?;
    let budget = Budget::of(Duration::from_secs(10));
    let script = &read.builder.state.script;
    Some(check_proof(&mut terms, script, part.command, &added, &Options::default(), &mut *solver, &budget))
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn what_is_confirmed_is_not_contradicted_by_any_execution() {
    let (first, cases) = (number("LAW_FIRST", 0), number("LAW_CASES", CASES));
    let (mut programs, mut confirmed, mut open) = (0, 0, 0);
    for seed in first..first + cases {
        let case = generate::case(seed);
        let Some(judged) = judge(&case) else { continue };
        programs += 1;
        open += u64::from(matches!(judged, Judged::Open(_)));
        if judged != Judged::Confirmed {
            continue;
        }
        confirmed += 1;
        let shown = || format!("seed {seed}\n{}\nwitness:\n{}", case.task, case.witness);
        for run in 0..RUNS {
            let task = execute::contradiction(&case.task, "", run, true);
            assert_eq!(task, None, "with leaps, run {run} of {}", shown());
            let all = execute::contradiction(&case.task, &case.witness, run, false);
            assert_eq!(all, None, "the witness in run {run} of {}", shown());
        }
    }
    println!("{programs} programs, {confirmed} confirmed, {open} open");
    assert!(confirmed * 20 > programs, "{confirmed} of {programs} are confirmed: too few to show anything");
}
