//! Transition systems: the same supervisor and the same rule as for programs, that a verdict is given only after the
//! checker accepted the evidence. A task travels as VMT-LIB text with the number of a property.

mod own;
mod program;
mod run;
mod spelled;

pub(crate) use own::Origin;
pub(crate) use run::run;

use base::budget::Budget;
use certify::{Judged, Rejection, check_certificate, check_recurrence, check_system_trace};
use diag::{Diagnostic, SourceMap};
use engines::systems::complete::{complete, is_complete};
use engines::systems::{
    Hints, Kind, SYSTEM_ENGINES, SystemEngineInfo, SystemFound, SystemProblem, is_program, share,
};
use formats::vmt::evidence::{read_certificate, read_trace, write_certificate, write_trace};
use formats::{Model, Source};
use smt::term::Terms;
use std::time::{Duration, Instant};
use svlib::session::{Answer, Verdict};
use svlib::witness::Claim;
use ts::passes::cone::near_hints;
use ts::passes::count::count;
use ts::passes::lasso::lasso;
use ts::passes::ltl::ltl;
use ts::passes::rank::rank;
use ts::passes::smaller::smaller;
use ts::{Property, PropertyKind, Reduction, System};

use crate::horn;
use crate::input::{Input, Loaded, Program};
use crate::job::{Duty, Job, Message};
use crate::portfolio::{Contender, Search};
use crate::validate::Validation;
use crate::verify::{VerifyOptions, deadline};
use crate::workers::Workers;

/// Answers for every property that is wanted, in the order of the file; `each` hears its number if there are several.
pub(crate) fn answer_model(
    workers: &mut dyn Workers,
    options: &VerifyOptions,
    terms: &mut Terms,
    model: &Model,
    origin: Origin<'_>,
    mut each: impl FnMut(Option<u64>, Answer),
) {
    let systems = match model {
        Model::Systems(systems) => systems,
        Model::Horn(_) => return each(None, horn::verify(workers, options, origin.text)),
    };
    let wanted = |property: &&Property| options.property.is_none_or(|index| index == property.index);
    let count = |system: &System| system.properties.iter().filter(wanted).count();
    let several = systems.iter().map(count).sum::<usize>() > 1;
    let mut answered = false;
    for system in systems {
        for property in system.properties.iter().filter(wanted) {
            let begin = Instant::now();
            let mut answer = verify_property(workers, options, terms, system, property);
            if options.own_evidence {
                let left = options.timeout.saturating_sub(begin.elapsed());
                let options = &VerifyOptions { timeout: left, ..options.clone() };
                answer = own::in_own_words(workers, options, terms, origin, system, property, answer);
            }
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

/// So many of the other properties are hints: each task has them all.
const MANY: usize = 500;

/// The text of a task: the system with that property alone. One of LTL becomes a live one of a system with a monitor, which
/// is what evidence is about.
fn task_text(terms: &mut Terms, system: &System, property: &Property) -> Result<String, String> {
    let alone = ltl(terms, &alone(system, property)).map_err(|error| error.to_string())?.system;
    formats::vmt::system_text(terms, &alone).map_err(|error| error.to_string())
}

/// The system with a property alone.
fn alone(system: &System, property: &Property) -> System {
    let mut alone = System { properties: vec![property.clone()], outputs: Vec::new(), ..system.clone() };
    // What else is claimed may help, if it holds.
    let others = system.properties.iter().filter(|other| other.index != property.index);
    let claimed = others.filter_map(|other| match other.kind {
        PropertyKind::Invariant(formula) => Some(formula),
        PropertyKind::Live(_) | PropertyKind::Ltl(_) => None,
    });
    alone.hints.extend(claimed.take(MANY));
    alone
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
    let text = match task_text(terms, system, property) {
        Ok(text) => text,
        Err(reason) => return Answer::without(Verdict::Unsupported(reason)),
    };
    let deadline = deadline(options.timeout);
    workers.begin(deadline);
    let job = options.job(Duty::Replay, text);
    let job = Job { property: Some(property.index), minimise: Duration::ZERO, ..job };
    let mut search = Search::new(workers, job, options.jobs, deadline);
    let kind = Kind::of(terms, system);
    let has_hints = !system.hints.is_empty() || system.properties.len() > 1;
    let suited = |info: &&SystemEngineInfo| {
        !options.engines.is_empty() || (info.least <= kind && (has_hints || info.hints != Hints::All))
    };
    let is_program = is_program(terms, system);
    let contender =
        |info: &SystemEngineInfo| Contender { share: share(info, is_program), ..Contender::from(info) };
    let suited = SYSTEM_ENGINES.iter().filter(suited).map(contender);
    let ending = search.run(&options.among(suited), None);
    let report = search.report;
    ending.answer(report, options, begin)
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
    let (mut system, property) = read_task(&mut terms, job, index)?;
    match engine.hints {
        Hints::None => system.hints.clear(),
        Hints::Near => system.hints = near_hints(&mut terms, &system),
        Hints::All => {}
    }
    match found(&mut terms, job, engine, &system, &property, budget) {
        SystemFound::Nothing(reason) => Ok(Message::Nothing(reason)),
        SystemFound::Proof(certificate) => {
            let reduced = reduced(&mut terms, &system, &property, &certificate.reduction)?;
            let text = write_certificate(&mut terms, &reduced, index, &certificate);
            text.map(|text| Message::Found(Claim::Correct, text)).map_err(|error| error.to_string())
        }
        SystemFound::Violation(trace) => {
            let text = write_trace(&mut terms, &system, index, &trace);
            text.map(|text| Message::Found(Claim::Incorrect, text)).map_err(|error| error.to_string())
        }
    }
}

/// What an engine finds: about a smaller system if there is one, and if that has no way back about the system itself.
fn found(
    terms: &mut Terms,
    job: &Job,
    engine: &SystemEngineInfo,
    system: &System,
    property: &Property,
    budget: &Budget,
) -> SystemFound {
    let run = |terms: &mut Terms, system: &System, property: &Property| {
        let (seed, budget, solver) = (job.seed, budget.clone(), job.solver.as_str());
        (engine.run)(terms, &SystemProblem { system, property, seed, budget, solver })
    };
    // Evidence about a live property is about the system itself: a loop has to close for every variable.
    let is_invariant = matches!(property.kind, PropertyKind::Invariant(_));
    let made = if job.preprocess && is_invariant { smaller(terms, system) } else { None };
    if let Some(made) = made {
        let small = made.system(system);
        let Some(asked) = small.property(property.index) else { return run(terms, system, property) };
        let back = match run(terms, small, asked) {
            SystemFound::Proof(certificate) => made.certificate(terms, certificate).map(SystemFound::Proof),
            SystemFound::Violation(mut trace) => {
                trace.complete(terms, small);
                made.trace(terms, &trace).map(|trace| SystemFound::Violation(Box::new(trace)))
            }
            SystemFound::Nothing(reason) => Some(SystemFound::Nothing(reason)),
        };
        if let Some(back) = back {
            return back;
        }
    }
    run(terms, system, property)
}

/// The system that a certificate is about.
fn reduced(
    terms: &mut Terms,
    system: &System,
    property: &Property,
    reduction: &Reduction,
) -> Result<System, String> {
    match reduction {
        Reduction::None => Ok(system.clone()),
        Reduction::Lasso => lasso(terms, system, property).map(|lasso| lasso.system).map_err(str::to_owned),
        Reduction::Count(bound) => count(terms, system, property, *bound).map_err(str::to_owned),
        Reduction::Rank(components) => {
            rank(terms, system, property, components).map(|ranked| ranked.system).map_err(str::to_owned)
        }
    }
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
    let (mut errors, source) = (Vec::new(), Source { bytes: witness.as_bytes(), base: 0 });
    let shows = shows(witness);
    if claim.is_some_and(|claim| claim != shows) {
        return Err("the evidence shows something else than it is said to".into());
    }
    let not_read = |errors: &[Diagnostic]| {
        let why = errors.first().map(|error| error.message.clone()).unwrap_or_default();
        Err(format!("the evidence is not read: {why}"))
    };
    let (about, judged) = if shows == Claim::Correct {
        let Some(read) = read_certificate(&mut terms, source, &mut errors) else { return not_read(&errors) };
        let mut solver = solver::open(&job.solver).map_err(|error| error.to_string())?;
        let (solver, certificate) = (&mut *solver, read.certificate);
        (read.property, check_certificate(&mut terms, &system, &property, certificate, solver, budget))
    } else {
        let Some((about, told)) = read_trace(&mut terms, &system, source, &mut errors) else {
            return not_read(&errors);
        };
        let mut trace = told.clone();
        trace.complete(&mut terms, &system);
        if trace.recurrence.is_some() {
            let mut solver = solver::open(&job.solver).map_err(|error| error.to_string())?;
            (about, check_recurrence(&mut terms, &system, &property, &trace, &mut *solver, budget))
        } else {
            let judged = match check_system_trace(&terms, &system, &property, &trace) {
                // What is left out need not have been a default value.
                Judged::Rejected(_) | Judged::Open(_) if !is_complete(&system, &told) => {
                    match complete(&mut terms, &system, &property, &told, &job.solver, budget)? {
                        Some(whole) => check_system_trace(&terms, &system, &property, &whole),
                        None => Judged::Rejected(Rejection::OtherEnd(
                            "no execution with these values violates the property".into(),
                        )),
                    }
                }
                judged => judged,
            };
            (about, judged)
        }
    };
    match about == index {
        true => Ok(judged),
        false => Err(format!("the evidence is about property {about}")),
    }
}

/// What evidence shows, if it is any.
fn shows(witness: &str) -> Claim {
    let is_certificate = witness.contains("(set-info :vmt-evidence certificate)");
    if is_certificate { Claim::Correct } else { Claim::Incorrect }
}

/// The number of the property that evidence is about, by its words.
fn about(witness: &str) -> Option<u64> {
    let (_, rest) = witness.split_once("(set-info :vmt-property ")?;
    rest.split_once(')')?.0.trim().parse().ok()
}

/// Judges evidence about properties of a model; `each` hears the result for each piece of it. Nothing is said when the task
/// has errors, which are in the findings.
pub fn validate_model(
    task: Input,
    witness: Input,
    options: &VerifyOptions,
    workers: &mut dyn Workers,
    mut each: impl FnMut(Validation),
) -> (SourceMap, Vec<Diagnostic>) {
    let mut loaded = Loaded::read_task(vec![task]);
    if loaded.is_bad() {
        return (loaded.sources, loaded.findings);
    }
    let Program::Model(model) = &loaded.program else {
        each(Validation::Unknown("the task is no transition system".into()));
        return (loaded.sources, loaded.findings);
    };
    let witness = match loaded.sources.add_bytes(witness.name, witness.bytes) {
        Ok(file) => loaded.sources.text(file).to_owned(),
        Err(error) => return (loaded.sources, vec![*error]),
    };
    let text = loaded.files.first().map(|&file| loaded.sources.text(file)).unwrap_or_default();
    let origin = Origin { language: loaded.language, text };
    let systems = match model {
        Model::Systems(systems) => systems,
        Model::Horn(_) => {
            each(horn::validate(workers, options, text, &witness));
            return (loaded.sources, loaded.findings);
        }
    };
    if let [system] = systems.as_slice()
        && origin.takes_programs()
        && program::is_witness(&witness)
    {
        program::validate(workers, options, &mut loaded.terms, system, &witness, each);
        return (loaded.sources, loaded.findings);
    }
    for piece in own::pieces(&witness) {
        for found in own::validate(workers, options, &mut loaded.terms, origin, systems, piece) {
            each(found);
        }
        if workers.interrupted() {
            break;
        }
    }
    (loaded.sources, loaded.findings)
}

/// Judges evidence about a property in VMT-LIB. A counterexample to an LTL formula may speak of the monitor or not.
fn judge_text(
    workers: &mut dyn Workers,
    options: &VerifyOptions,
    terms: &mut Terms,
    system: &System,
    property: &Property,
    witness: &str,
) -> Validation {
    let mut judge = |text: Result<String, String>| match text {
        Ok(text) => {
            let until = deadline(options.timeout);
            workers.begin(until);
            let job = options.job(Duty::Replay, text);
            let job = Job { property: Some(property.index), minimise: Duration::ZERO, ..job };
            Search::new(workers, job, 1, until).judge(None, witness)
        }
        Err(reason) => Validation::Unknown(reason),
    };
    let found = judge(task_text(terms, system, property));
    let may_be_plain = matches!(property.kind, PropertyKind::Ltl(_)) && shows(witness) == Claim::Incorrect;
    if found == Validation::Confirmed || !may_be_plain {
        return found;
    }
    let plain = formats::vmt::system_text(terms, &alone(system, property));
    match judge(plain.map_err(|error| error.to_string())) {
        Validation::Unknown(_) => found,
        plain => plain,
    }
}
