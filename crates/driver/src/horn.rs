//! Horn clauses: a task travels as the text of the file, so that evidence counts its clauses as whoever reads the file does.
//! The evidence is a solution or a derivation (`docs/chc-evidence.md`).

use base::budget::Budget;
use certify::{Judged, check_derivation, check_model};
use engines::horn::{HORN_ENGINES, HornFound, HornTask};
use formats::Source;
use formats::chc::{read_clauses, read_derivation, read_model, write_derivation, write_model};
use smt::horn::HornProblem;
use smt::term::Terms;
use std::time::{Duration, Instant};
use svlib::session::Answer;
use svlib::witness::Claim;

use crate::job::{Duty, Job, Message};
use crate::portfolio::{Contender, Search};
use crate::validate::Validation;
use crate::verify::{VerifyOptions, deadline};
use crate::workers::Workers;

/// A job about clauses.
pub(crate) fn job(options: &VerifyOptions, text: &str) -> Job {
    Job { horn: true, minimise: Duration::ZERO, ..options.job(Duty::Replay, text.to_owned()) }
}

/// Answers whether clauses, which are no transition system, have a solution.
pub(crate) fn verify(workers: &mut dyn Workers, options: &VerifyOptions, text: &str) -> Answer {
    let begin = Instant::now();
    let deadline = deadline(options.timeout);
    workers.begin(deadline);
    let mut search = Search::new(workers, job(options, text), options.jobs, deadline);
    let ending = search.run(&options.among(HORN_ENGINES.iter().map(Contender::from)), None);
    let report = search.report;
    ending.answer(report, options, begin)
}

/// Judges a solution or a derivation.
pub(crate) fn validate(
    workers: &mut dyn Workers,
    options: &VerifyOptions,
    text: &str,
    witness: &str,
) -> Validation {
    let until = deadline(options.timeout);
    workers.begin(until);
    Search::new(workers, job(options, text), 1, until).judge(None, witness)
}

fn read(terms: &mut Terms, text: &str) -> Result<HornProblem, String> {
    let mut errors = Vec::new();
    read_clauses(terms, Source { bytes: text.as_bytes(), base: 0 }, &mut errors).ok_or_else(|| {
        let why = errors.first().map(|error| error.message.clone()).unwrap_or_default();
        format!("the task is not read back: {why}")
    })
}

/// Looks for evidence with an engine.
pub(crate) fn search(job: &Job, engine: &str, budget: &Budget) -> Result<Message, String> {
    let engine = engines::horn::find(engine).ok_or_else(|| format!("there is no engine `{engine}`"))?;
    let mut terms = Terms::new();
    let problem = read(&mut terms, &job.script)?;
    let task = HornTask { problem: &problem, budget: budget.clone(), solver: &job.solver };
    Ok(match engine.run(&mut terms, &task) {
        HornFound::Nothing(reason) => Message::Nothing(reason),
        HornFound::Solution(solution) => Message::Found(Claim::Correct, write_model(&terms, &solution)),
        HornFound::Derivation(derivation) => {
            Message::Found(Claim::Incorrect, write_derivation(&mut terms, &derivation))
        }
    })
}

/// What evidence shows.
fn shows(witness: &str) -> Claim {
    let is_derivation = witness.trim_start().starts_with("unsat") || witness.contains("(deduction ");
    if is_derivation { Claim::Incorrect } else { Claim::Correct }
}

/// Judges evidence.
pub(crate) fn check(job: &Job, claim: Option<Claim>, witness: &str, budget: &Budget) -> Validation {
    match judge(job, claim, witness, budget) {
        Ok(Judged::Confirmed) => Validation::Confirmed,
        Ok(Judged::Rejected(reason)) => Validation::Rejected(reason.to_string()),
        Ok(Judged::Open(reason)) | Err(reason) => Validation::Unknown(reason),
    }
}

fn judge(job: &Job, claim: Option<Claim>, witness: &str, budget: &Budget) -> Result<Judged, String> {
    let shows = shows(witness);
    if claim.is_some_and(|claim| claim != shows) {
        return Err("the evidence shows something else than it is said to".into());
    }
    let mut terms = Terms::new();
    let problem = read(&mut terms, &job.script)?;
    let (mut errors, source) = (Vec::new(), Source { bytes: witness.as_bytes(), base: 0 });
    let judged = if shows == Claim::Correct {
        let mut solver = solver::open(&job.solver).map_err(|error| error.to_string())?;
        read_model(&mut terms, &problem.predicates, source, &mut errors)
            .map(|solution| check_model(&mut terms, &problem, &solution, &mut *solver, budget))
    } else {
        read_derivation(&mut terms, &problem, source, &mut errors)
            .map(|derivation| check_derivation(&mut terms, &problem, &derivation))
    };
    judged.ok_or_else(|| {
        let why = errors.first().map(|error| error.message.clone()).unwrap_or_default();
        format!("the evidence is not read: {why}")
    })
}
