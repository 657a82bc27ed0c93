//! `svarog run FILE`.

use super::common::EntryRequires;
use super::format_named;
use crate::io::{self, Error};
use crate::status::Status;
use driver::{Format, Loaded, RunOptions, RunReport};
use serde_json::{Value, json};

/// Execute a program or a transition system concretely and check its properties on the way
///
/// Runs the first verify-call of a script. What the program leaves open is decided by a seed, by --inputs, or by
/// the select-trace before the call. An execution that violates a property is printed as a select-trace command.
///
/// Of a transition system 100 steps are made, or as many as --steps says. A violated invariant property is printed as
/// the counterexample that `svarog verify` would give; the last state otherwise.
///
/// Exit status: 0 the call returned or the steps were made, 1 a property was violated, 2 bad input, 3 neither (step
/// limit of a program, false assumption, a state without a successor, a property that could not be judged).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The files, read as one script; - is standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// Call this procedure, with the arguments of its verify-call or arbitrary ones
    #[arg(long)]
    proc: Option<String>,
    /// The seed of random decisions
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Values instead of random decisions
    ///
    /// Of programs: declared constants, globals, then each havoc and choice as it comes. Of systems: rigid constants, states
    /// without an initial value and inputs, then in each step states without a next value and inputs; the execution ends
    /// when they are used up.
    #[arg(long, conflicts_with = "seed", value_name = "VALUES")]
    inputs: Option<String>,
    /// Stop after so many steps
    #[arg(long)]
    steps: Option<u64>,
    /// List every step on standard error
    #[arg(long)]
    trace: bool,
    /// Whether the :requires of the called procedure is checked or assumed
    #[arg(long, value_enum, default_value = "check")]
    entry_requires: EntryRequires,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// The inputs' format, when their names do not tell
    #[arg(long, value_parser = format_named)]
    from: Option<Format>,
}

pub(crate) fn run(args: &Args) -> Result<Status, Error> {
    let mut loaded = Loaded::read_task(io::read_all(&args.files, args.from)?);
    io::complain_about(&loaded.sources, &loaded.findings);
    if loaded.is_bad() {
        return Ok(Status::of_refused(&loaded.findings));
    }
    let options = RunOptions {
        proc: args.proc.clone(),
        seed: args.seed,
        inputs: args.inputs.clone(),
        steps: args.steps,
        log: args.trace,
        assume_entry_requires: args.entry_requires == EntryRequires::Assume,
    };
    let report = driver::run(&mut loaded, &options).map_err(Error::Usage)?;
    for (span, text) in &report.log {
        let place = span.map(|span| loaded.sources.locate(span.start));
        let place = place.map(|p| format!("{}:{}:{}: ", p.file, p.line, p.column)).unwrap_or_default();
        io::complain(&format!("{place}{text}"));
    }
    if args.json {
        io::print(format!("{}\n", to_json(&loaded, &report)))?;
    } else {
        tell(&loaded, &report)?;
    }
    Ok(match report.end {
        "finished" => Status::Fine,
        "violated" => Status::Violated,
        "bad-input" => Status::Bad,
        _ => Status::Unknown,
    })
}

fn tell(loaded: &Loaded, report: &RunReport) -> Result<(), Error> {
    for note in &report.notes {
        io::complain(&format!("note: {note}"));
    }
    let place = report.place.map(|span| loaded.sources.locate(span.start));
    let place = place.map(|p| format!("{}:{}:{}: ", p.file, p.line, p.column)).unwrap_or_default();
    let noun = if report.steps == 1 { "step" } else { "steps" };
    io::complain(&format!("{place}{} ({} {noun})", report.message, report.steps));
    let mut text = format!("{}\n", report.end);
    for (name, value) in &report.outputs {
        text.push_str(&format!("{name} = {value}\n"));
    }
    text.push_str(report.trace.as_deref().unwrap_or_default());
    io::print(&text)
}

fn to_json(loaded: &Loaded, report: &RunReport) -> Value {
    let place = report.place.map(|span| {
        let place = loaded.sources.locate(span.start);
        json!({ "file": place.file, "line": place.line, "column": place.column })
    });
    let outputs: serde_json::Map<String, Value> =
        report.outputs.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "end": report.end,
        "message": report.message,
        "place": place,
        "steps": report.steps,
        "outputs": outputs,
        "trace": report.trace,
        "notes": report.notes,
    })
}
