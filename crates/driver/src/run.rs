//! `run`: one concrete execution of a call of a script; that of a system is in [`systems`].

use crate::input::{Loaded, Program};
use crate::systems::{self, Origin};
use diag::{Diagnostic, Span};
use smt::print::term_text;
use smt::sexpr::{Reader, Text, Tree};
use smt::term::Terms;
use smt::value::Value;
use svlib::interp::{
    End, EntryRequires, Event, Happening, Inputs, Judgement, Options, Outcome, Random, Replay, Task,
    arbitrary_call, run_observed, run_random,
};
use svlib::syntax::{CommandKind, Script};

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// The procedure to call; else the first `verify-call` tells.
    pub proc: Option<String>,
    /// The seed of random decisions.
    pub seed: u64,
    /// Values instead of random decisions, as SMT-LIB text.
    pub inputs: Option<String>,
    /// So many steps at most.
    pub steps: Option<u64>,
    /// True to list every step.
    pub log: bool,
    /// True to assume the entry's `:requires` instead of checking it.
    pub assume_entry_requires: bool,
}

/// What happened.
pub struct RunReport {
    /// A word for scripts: `finished`, `violated`, …
    pub end: &'static str,
    /// One sentence for people.
    pub message: String,
    /// Where it ended.
    pub place: Option<Span>,
    /// The number of steps.
    pub steps: u64,
    /// Values of the entry's outputs.
    pub outputs: Vec<(String, String)>,
    /// The violation as a `select-trace` command, or in the form that a system's language has for it.
    pub trace: Option<String>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
    /// The steps, if they were asked for, those of programs with their places.
    pub log: Vec<(Option<Span>, String)>,
}

/// Runs a call of a script, or a system, that was read without errors.
///
/// # Errors
/// A message when there is nothing to run or the inputs are no values.
pub fn run(loaded: &mut Loaded, options: &RunOptions) -> Result<RunReport, String> {
    let terms = &mut loaded.terms;
    let builder = match &mut loaded.program {
        Program::Script(builder) => builder,
        Program::Model(model) => {
            let text = loaded.files.first().map(|&file| loaded.sources.text(file)).unwrap_or_default();
            return systems::run(terms, model, Origin { language: loaded.language, text }, options);
        }
        Program::Checked => {
            return Err("only SV-LIB scripts, K2 programs and transition systems can be run".into());
        }
    };
    let command = choose_call(terms, &mut builder.state.script, options.proc.as_deref())?;
    let inputs =
        options.inputs.as_deref().map(|text| read_values(terms, &mut builder.scope, text)).transpose()?;
    let script = &builder.state.script;
    let task = Task::new(terms, script, command).map_err(|error| error.to_string())?;
    let entry_requires = match options.assume_entry_requires {
        true => EntryRequires::Assume,
        false => EntryRequires::Check,
    };
    let defaults = Options::default();
    let limits = Options { steps: options.steps.unwrap_or(defaults.steps), entry_requires, ..defaults };
    let mut log = Vec::new();
    let mut notes = Vec::new();
    let mut observer = |event: &Event| {
        if options.log {
            log.push(event.clone());
        }
    };
    let outcome = match (inputs, task.selected_traces().last()) {
        (Some(values), _) => run_observed(&task, terms, &mut Inputs::new(values), &limits, &mut observer),
        (None, Some(trace)) => {
            let mut replay = Replay::of_trace(terms, trace);
            let outcome = run_observed(&task, terms, &mut replay, &limits, &mut observer);
            notes.push(judgement(replay.judge(&outcome)));
            outcome
        }
        (None, None) => {
            // An execution that an assumption cuts off says little, so some more seeds are tried.
            let (_, seed) = run_random(&task, terms, options.seed, 1000, &limits);
            if seed != options.seed {
                notes.push(format!("seed {} leads to a false assumption; this is seed {seed}", options.seed));
            }
            run_observed(&task, terms, &mut Random::new(seed), &limits, &mut observer)
        }
    };
    let log = log
        .iter()
        .map(|event| (Some(script.stmts[event.stmt].at.0), event_text(terms, script, event)))
        .collect();
    Ok(report(terms, &task, &outcome, notes, log))
}

fn judgement(judgement: Judgement) -> String {
    match judgement {
        Judgement::Confirmed => "the selected trace ends as it claims".into(),
        Judgement::Stem => "the selected trace is the stem of a lasso and leads where it claims".into(),
        Judgement::InvalidStep(index) => format!("step {} of the selected trace cannot be taken", index + 1),
        Judgement::Refuted => "the selected trace does not end as it claims".into(),
    }
}

/// The first `verify-call`, of the given procedure if there is one; or a call with arbitrary arguments.
fn choose_call(terms: &mut Terms, script: &mut Script, wanted: Option<&str>) -> Result<usize, String> {
    let calls = script.commands.iter().enumerate().filter_map(|(i, command)| match &command.kind {
        CommandKind::Call(name, proc, _) if name == "verify-call" => Some((i, *proc)),
        _ => None,
    });
    let calls: Vec<_> = calls.collect();
    let Some(wanted) = wanted else {
        return calls
            .first()
            .map(|c| c.0)
            .ok_or_else(|| "there is no verify-call; name a procedure with --proc".into());
    };
    let proc = terms.names.find(wanted).and_then(|name| script.proc_named(name));
    let Some(proc) = proc else {
        let known = script.procs.iter().map(|p| terms.names.text(p.name));
        let help = diag::closest(wanted, known).map(|name| format!("; did you mean `{name}`?"));
        return Err(format!("there is no procedure `{wanted}`{}", help.unwrap_or_default()));
    };
    Ok(match calls.iter().find(|c| c.1 == proc) {
        Some(&(command, _)) => command,
        None => arbitrary_call(terms, script, proc),
    })
}

/// Values separated by spaces.
pub(crate) fn read_values(
    terms: &mut Terms,
    scope: &mut smt::scope::Scope,
    text: &str,
) -> Result<Vec<Value>, String> {
    let (source, mut tree, mut errors) = (Text::new(text, 0), Tree::new(), Vec::new());
    let mut reader = Reader::new(source);
    let mut values = Vec::new();
    while reader.read(&mut tree, &mut errors) {
        let term = smt::parse::Parser::new(terms, scope, source, &tree, &mut errors).term(0);
        if errors.is_empty() {
            let value = Value::from_term(terms, term);
            values.push(value.ok_or_else(|| format!("`{}` is no value", source.slice(tree.span(0))))?);
        }
    }
    match errors.first() {
        Some(Diagnostic { message, .. }) => Err(format!("the inputs are no values: {message}")),
        None => Ok(values),
    }
}

fn report(
    terms: &mut Terms,
    task: &Task<'_>,
    outcome: &Outcome,
    mut notes: Vec<String>,
    log: Vec<(Option<Span>, String)>,
) -> RunReport {
    let end = match &outcome.end {
        End::Finished(_) => "finished",
        End::Violated(_) => "violated",
        End::Blocked(_) => "blocked",
        End::Abstracted(_) => "abstracted",
        End::LassoStem(..) => "lasso-stem",
        End::StepLimit => "step-limit",
        End::DepthLimit => "depth-limit",
        End::InvalidStep(_) | End::WrongEntry(_) => "invalid-step",
        End::NoModel(_) => "no-model",
        End::BadInput(..) => "bad-input",
        _ => "error",
    };
    if let Some(variable) = outcome.arbitrary {
        notes.push(format!("`{}` was read before it had a value", terms.fun_name(variable)));
    }
    if let Some(term) = outcome.unspecified {
        notes.push(format!("SMT-LIB leaves the value of `{}` open; one was chosen", term_text(terms, term)));
    }
    for unchecked in &outcome.unchecked {
        notes.push(unchecked.message(terms));
    }
    if fails_at_the_door(task, &outcome.end) {
        notes.push(
            "the arguments break the entry's own :requires; --entry-requires assume leaves such calls out"
                .into(),
        );
    }
    notes.dedup();
    let trace = outcome.trace(terms, task).map(|trace| {
        let command = CommandKind::SelectTrace(Box::new(trace));
        let text = svlib::print::command_text(terms, task.script, &command);
        svlib::fmt::format(Text::new(&text, 0)).unwrap_or(text)
    });
    let outputs = match &outcome.end {
        End::Finished(values) => values
            .iter()
            .map(|(variable, value)| (terms.fun_name(*variable).to_string(), value_text(terms, value)))
            .collect(),
        _ => Vec::new(),
    };
    let message = outcome.end.message(terms, task);
    RunReport {
        end,
        message,
        place: outcome.end.place(task.script),
        steps: outcome.steps,
        outputs,
        trace,
        notes,
        log,
    }
}

/// True when what is violated is the precondition of the called procedure itself.
fn fails_at_the_door(task: &Task<'_>, end: &End) -> bool {
    let End::Violated(violation) = end else { return false };
    task.script.procs[task.entry].body == Some(violation.stmt)
        && violation.properties.iter().all(|v| v.property.kind == svlib::syntax::PropertyKind::Requires)
}

pub(crate) fn value_text(terms: &mut Terms, value: &Value) -> String {
    let term = value.to_term(terms);
    term_text(terms, term)
}

fn event_text(terms: &mut Terms, script: &Script, event: &Event) -> String {
    let mut bindings = |pairs: &[(smt::term::FunId, Option<Value>)]| {
        let shown: Vec<String> = pairs
            .iter()
            .map(|(variable, value)| {
                let value = value.as_ref().map_or("?".into(), |value| value_text(terms, value));
                format!("{} = {value}", terms.fun_name(*variable))
            })
            .collect();
        shown.join(", ")
    };
    let text = match &event.what {
        Happening::Call(_, pairs) => format!("call {}", bindings(pairs)),
        Happening::Return(_, pairs) => format!("return {}", bindings(pairs)),
        Happening::Assign(pairs) => bindings(pairs),
        Happening::Havoc(pairs) => format!("havoc {}", bindings(pairs)),
        Happening::Choice(index) => format!("choice {index}"),
        Happening::Test(value) => format!("condition {value}"),
        Happening::Assume(value) => format!("assumption {value}"),
        Happening::Visit => "visit".into(),
        Happening::Leap(tag, _) => format!("leap at {}", terms.names.text(*tag)),
        Happening::Violated(violation) => violation.message(terms, script),
    };
    format!("{}{text}", "  ".repeat(event.depth.saturating_sub(1).min(40)))
}
