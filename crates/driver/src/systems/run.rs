//! `run` of a transition system: one execution from a seed or from given values.

use super::own::{Origin, express};
use super::spelled::Spelled;
use crate::run::{RunOptions, RunReport, read_values, value_text};
use crate::verify::VerifyOptions;
use base::budget::Budget;
use certify::{Judged, check_system_trace};
use engines::systems::execute::{Ended, Open, Settings, execute};
use formats::Model;
use formats::vmt::evidence::write_trace;
use smt::scope::Scope;
use smt::term::{FunId, Terms};
use svlib::witness::Claim;
use ts::{PropertyKind, System, Trace};

/// So many steps are made when nobody says how many: unlike most calls of programs, a system goes on for ever.
const STEPS: u64 = 100;

/// Executes a system; of several, the first.
pub(crate) fn run(
    terms: &mut Terms,
    model: &Model,
    origin: Origin<'_>,
    options: &RunOptions,
) -> Result<RunReport, String> {
    let systems = match model {
        Model::Systems(systems) => systems,
        Model::Horn(_) => return Err("clauses that are not linear are no system that could run".into()),
    };
    if options.proc.is_some() {
        return Err("a system has no procedures".into());
    }
    let system = systems.first().ok_or("the input has no system")?;
    let mut scope = Scope::new(terms);
    let given = options.inputs.as_deref().map(|text| read_values(terms, &mut scope, text)).transpose()?;
    let open = Open::of(terms, system);
    let settings = Settings {
        seed: options.seed,
        given,
        steps: usize::try_from(options.steps.unwrap_or(STEPS)).unwrap_or(usize::MAX),
        solver: &VerifyOptions::default().solver,
        budget: Budget::unlimited(),
    };
    let (mut trace, mut ended) = execute(terms, system, &open, &settings)?;
    let doubts = judge(terms, system, &mut trace, &mut ended);
    let mut report = report(terms, system, &trace, &ended);
    if !doubts.is_empty() && report.end == "finished" {
        report.end = "unjudged";
        report.message = "the steps were made, but not every invariant property could be judged".into();
    }
    report.notes.extend(doubts);
    if let Ended::Violated(index) = ended {
        confirm(terms, origin, system, index, &trace, &mut report)?;
    }
    if options.log {
        report.log = log(terms, system, &trace);
    }
    if systems.len() > 1 {
        report.notes.push(format!("the input has {} systems; this is the first one", systems.len()));
    }
    Ok(report)
}

/// Looks at every step again by evaluating: a solver need not say whether a property with quantifiers or functions holds. What
/// cannot be evaluated is told, and nothing is claimed about it.
fn judge(terms: &Terms, system: &System, trace: &mut Trace, ended: &mut Ended) -> Vec<String> {
    let mut doubts = Vec::new();
    if matches!(ended, Ended::Violated(_)) {
        return doubts;
    }
    for property in &system.properties {
        let PropertyKind::Invariant(formula) = property.kind else { continue };
        match trace.first_violation(terms, system, formula) {
            Ok(None) => {}
            Ok(Some(step)) => {
                trace.steps.truncate(step + 1);
                *ended = Ended::Violated(property.index);
                return Vec::new();
            }
            Err(fault) => doubts.push(format!("property {}: {}", property.index, fault.message(terms))),
        }
    }
    doubts
}

/// A violation is told when the checker has accepted the execution, which is then given in the language of the task.
fn confirm(
    terms: &mut Terms,
    origin: Origin<'_>,
    system: &System,
    index: u64,
    trace: &Trace,
    report: &mut RunReport,
) -> Result<(), String> {
    let property = system.property(index).ok_or("the property is missing")?;
    let doubt = match check_system_trace(terms, system, property, trace) {
        Judged::Confirmed => {
            let spelled = Spelled::new(terms, system)?;
            let text = write_trace(terms, &spelled.system, index, &spelled.trace(trace))
                .map_err(|error| error.to_string())?;
            let own = express(terms, origin, system, property, Claim::Incorrect, &text);
            // Languages without a form for counterexamples take that of VMT-LIB.
            report.trace = Some(own.ok().flatten().unwrap_or(text));
            return Ok(());
        }
        Judged::Rejected(reason) => reason.to_string(),
        Judged::Open(reason) => reason,
    };
    report.end = "unconfirmed";
    report.message = format!("property {index} is perhaps violated in the last step");
    report.notes.push(format!("the checker does not confirm the violation: {doubt}"));
    Ok(())
}

fn report(terms: &mut Terms, system: &System, trace: &Trace, ended: &Ended) -> RunReport {
    let because = |terms: &Terms, symbols: &[FunId]| match symbols {
        [] => String::new(),
        [first, rest @ ..] => {
            let name = terms.fun_name(*first);
            let others = if rest.is_empty() { "" } else { " and others" };
            format!(" with the value given for `{name}`{others}")
        }
    };
    let (end, message) = match ended {
        Ended::Steps => ("finished", "no invariant property is violated in these steps".to_owned()),
        Ended::Given => ("finished", "no invariant property is violated until the inputs are used up".into()),
        Ended::Violated(index) => ("violated", format!("the last step violates property {index}")),
        Ended::Stuck(symbols) => {
            ("stuck", format!("no step can follow the last one{}", because(terms, symbols)))
        }
        Ended::NoStart(symbols) => {
            ("no-start", format!("there is no initial state{}", because(terms, symbols)))
        }
    };
    let infinite = system.properties.iter().filter(|p| !matches!(p.kind, PropertyKind::Invariant(_)));
    let notes = infinite
        .map(|property| {
            format!("property {} is about infinite executions and is not judged by this one", property.index)
        })
        .collect();
    let mut outputs = Vec::new();
    if let (Some(last), false) = (trace.steps.last(), matches!(ended, Ended::Violated(_))) {
        for state in &system.states {
            if let Some(value) = last.get(state.now) {
                outputs.push((terms.fun_name(state.now).to_string(), value_text(terms, value)));
            }
        }
    }
    RunReport {
        end,
        message,
        place: None,
        steps: trace.steps.len() as u64,
        outputs,
        trace: None,
        notes,
        log: Vec::new(),
    }
}

/// The steps, each with what changed in it.
fn log(terms: &mut Terms, system: &System, trace: &Trace) -> Vec<(Option<diag::Span>, String)> {
    let symbols: Vec<FunId> =
        system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied()).collect();
    let mut lines = Vec::new();
    for (i, step) in trace.steps.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| &trace.steps[i]);
        let mut shown = Vec::new();
        for &fun in &symbols {
            if let Some(value) = step.get(fun)
                && before.and_then(|before| before.get(fun)) != Some(value)
            {
                let value = value_text(terms, value);
                shown.push(format!("{} = {value}", terms.fun_name(fun)));
            }
        }
        lines.push((None, format!("step {i}: {}", shown.join(", "))));
    }
    lines
}
