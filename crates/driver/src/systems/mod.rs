//! Transition systems: the same supervisor and the same rule as for programs, that a verdict is given only after the
//! checker accepted the evidence. A task travels as VMT-LIB text with the number of a property.

mod evidence;

use base::budget::Budget;
use certify::{Judged, check_certificate, check_system_trace};
use engines::systems::{SYSTEM_ENGINES, SystemFound, SystemProblem};
use evidence::Evidence;
use formats::{Model, Source};
use smt::term::Terms;
use std::time::{Duration, Instant};
use svlib::session::{Answer, Verdict};
use svlib::witness::Claim;
use ts::{Property, System};

use crate::job::{Duty, Job, Message};
use crate::portfolio::{Contender, Ending, Search};
use crate::validate::Validation;
use crate::verify::{VerifyOptions, deadline};
use crate::workers::Workers;

/// Answers for every property that is wanted, in the order of the file; `each` hears its number if there are several.
pub(crate) fn answer_model(
    workers: &mut dyn Workers,
    options: &VerifyOptions,
    terms: &mut Terms,
    model: &Model,
    mut each: impl FnMut(Option<u64>, Answer),
) {
    let systems = match model {
        Model::Systems(systems) => systems,
        Model::Horn(_) => {
            let what = "Horn clauses that are no transition system are not verified by this build";
            return each(None, Answer::without(Verdict::Unsupported(what.into())));
        }
    };
    let wanted = |property: &&Property| options.property.is_none_or(|index| index == property.index);
    let several = systems.iter().map(|system| system.properties.len()).sum::<usize>() > 1;
    let mut answered = false;
    for system in systems {
        for property in system.properties.iter().filter(wanted) {
            let answer = verify_property(workers, options, terms, system, property);
            each(several.then_some(property.index), answer);
            answered = true;
            if workers.interrupted() {
                return;
            }
        }
    }
    if !answered {
        let why = match options.property {
            Some(index) => format!("the task has no property {index}"),
            None => "the task has no property".into(),
        };
        each(None, Answer::without(Verdict::Unknown(why)));
    }
}

/// Verifies one property of a system.
pub fn verify_property(
    workers: &mut dyn Workers,
    options: &VerifyOptions,
    terms: &mut Terms,
    system: &System,
    property: &Property,
) -> Answer {
    let begin = Instant::now();
    let alone = System { properties: vec![property.clone()], outputs: Vec::new(), ..system.clone() };
    let text = match formats::vmt::system_text(terms, &alone) {
        Ok(text) => text,
        Err(error) => return Answer::without(Verdict::Unsupported(error.to_string())),
    };
    let deadline = deadline(options.timeout);
    workers.begin(deadline);
    let job = options.job(Duty::Replay, text);
    let job = Job { property: Some(property.index), minimise: Duration::ZERO, ..job };
    let mut search = Search::new(workers, job, options.jobs, deadline);
    let ending = search.run(&options.among(SYSTEM_ENGINES.iter().map(Contender::from)), None);
    let mut report = search.report;
    report.solver = Some(options.solver.clone());
    report.total = begin.elapsed();
    match ending {
        Ending::Unknown(reason) => Answer { report, ..Answer::without(Verdict::Unknown(reason)) },
        Ending::Certified { claim, witness, notes, .. } => {
            let verdict = match claim {
                Claim::Correct => Verdict::Correct,
                Claim::Incorrect => Verdict::Incorrect,
            };
            Answer { verdict, witness: Some(witness), notes, report }
        }
    }
}

/// The system of a job and its property.
fn read_task(terms: &mut Terms, job: &Job, index: u64) -> Result<(System, Property), String> {
    let mut errors = Vec::new();
    let source = Source { bytes: job.script.as_bytes(), base: 0 };
    let Some(Model::Systems(systems)) = formats::vmt::read(terms, source, &mut errors) else {
        let why = errors.first().map(|error| error.message.clone()).unwrap_or_default();
        return Err(format!("the task is not read back: {why}"));
    };
    let system = systems.into_iter().next().ok_or("the task has no system")?;
    let property = system.property(index).cloned().ok_or("the task has no such property")?;
    Ok((system, property))
}

/// Looks for evidence with an engine.
pub(crate) fn search(job: &Job, index: u64, engine: &str, budget: &Budget) -> Result<Message, String> {
    let engine = engines::systems::find(engine).ok_or_else(|| format!("there is no engine `{engine}`"))?;
    let mut terms = Terms::new();
    let (system, property) = read_task(&mut terms, job, index)?;
    let problem = SystemProblem {
        system: &system,
        property: &property,
        seed: job.seed,
        budget: budget.clone(),
        solver: &job.solver,
    };
    Ok(match (engine.run)(&mut terms, &problem) {
        SystemFound::Nothing(reason) => Message::Nothing(reason),
        SystemFound::Proof(certificate) => {
            let text = evidence::text(&mut terms, &Evidence::Certificate(certificate));
            Message::Found(Claim::Correct, text)
        }
        SystemFound::Violation(trace) => {
            let text = evidence::text(&mut terms, &Evidence::Trace(*trace));
            Message::Found(Claim::Incorrect, text)
        }
    })
}

/// Judges evidence.
pub(crate) fn check(
    job: &Job,
    index: u64,
    claim: Option<Claim>,
    witness: &str,
    budget: &Budget,
) -> Validation {
    match judge(job, index, claim, witness, budget) {
        Ok(Judged::Confirmed) => Validation::Confirmed,
        Ok(Judged::Rejected(reason)) => Validation::Rejected(reason.to_string()),
        Ok(Judged::Open(reason)) | Err(reason) => Validation::Unknown(reason),
    }
}

fn judge(
    job: &Job,
    index: u64,
    claim: Option<Claim>,
    witness: &str,
    budget: &Budget,
) -> Result<Judged, String> {
    let mut terms = Terms::new();
    let (system, property) = read_task(&mut terms, job, index)?;
    let evidence = evidence::read(&mut terms, &system, &property, witness)?;
    let shows = match evidence {
        Evidence::Certificate(_) => Claim::Correct,
        Evidence::Trace(_) => Claim::Incorrect,
    };
    if claim.is_some_and(|claim| claim != shows) {
        return Err("the evidence shows something else than it is said to".into());
    }
    Ok(match evidence {
        Evidence::Trace(trace) => check_system_trace(&terms, &system, &property, &trace),
        Evidence::Certificate(certificate) => {
            let mut solver = solver::open(&job.solver).map_err(|error| error.to_string())?;
            check_certificate(&mut terms, &system, &property, certificate, &mut *solver, budget)
        }
    })
}
