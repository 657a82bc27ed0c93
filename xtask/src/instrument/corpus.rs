//! `instrument corpus`: every program of the corpus with every specification that ships.
//!
//! The output has to be accepted by the compiler if the input is, stripping has to give back the input, and a program that can be
//! run has to print and return the same when the error function does nothing.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use super::Settings;
use super::program::{self, Outcome};
use super::runs::{Bench, Limits, OWN_ERROR, Run};
use crate::cfront::source;
use crate::registry::{Command, Error};

pub(crate) const COMMAND: Command = Command {
    name: "corpus",
    about: "Instruments the corpus: accepted by the compiler, stripped to the input, same behaviour.",
    run,
};

#[derive(Default)]
struct Count {
    files: usize,
    refused: usize,
    syntax: usize,
    strip: usize,
    compared: usize,
    runs: usize,
    behaviour: usize,
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let Settings { every, only, spec, seeds } = Settings::read("corpus", 10, arguments)?;
    let Some(corpus) = testkit::corpus_or_skip("the corpus' C programs, instrumented") else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut tasks = source::tasks(&corpus, &only)?;
    tasks.dedup_by(|a, b| a.name == b.name);
    let bench = Bench::new()?;
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut out = io::stdout().lock();
    for task in tasks.iter().step_by(std::cmp::max(every, 1)) {
        let Some(mut source) = program::read(task) else { continue };
        if bench.syntax_error(&source.text, source.model)?.is_some() {
            continue;
        }
        source.model = bench.model(source.model);
        let is_runnable = seeds > 0 && bench.compile("before", &source.text, source.model, "");
        let limits = Limits { seed: 1, count: seeds, choices: 0, goes_on: true, milliseconds: 100, fill: 0 };
        let own = |fill: u8| -> Vec<Run> {
            let runs = bench.run("before", Limits { goes_on: false, fill, ..limits });
            // In the instrumented program the error function of the program itself has another name.
            let status = |run: &Run| if run.is_reached() { OWN_ERROR } else { run.status };
            runs.into_iter().map(|run| Run { status: status(&run), ..run }).collect()
        };
        let mut before = if is_runnable { own(0) } else { Vec::new() };
        if is_runnable && before != own(0xa5) {
            // What it does depends on memory that it has not written.
            before.clear();
        }
        // The example of the paper is about one program.
        for spec in program::specs(&spec).into_iter().filter(|spec| spec.name != "example") {
            let count = counts.entry(spec.name).or_default();
            let (text, is_changed) = match program::woven(&task.name, &source, spec, &[]) {
                Outcome::Done(text, is_changed) => (text, is_changed),
                Outcome::Bad => continue,
                Outcome::Refused(why) => {
                    count.refused += 1;
                    writeln!(out, "refused: {} {}: {why}", task.name, spec.name)?;
                    continue;
                }
            };
            count.files += 1;
            if driver::strip(&text).as_deref() != Ok(&source.text[..]) {
                count.strip += 1;
                writeln!(out, "not stripped: {} {}", task.name, spec.name)?;
            }
            if !is_changed {
                continue;
            }
            if let Some(error) = bench.syntax_error(&text, source.model)? {
                count.syntax += 1;
                writeln!(out, "not accepted: {} {}: {error}", task.name, spec.name)?;
                continue;
            }
            // Choices of inserted text share a stream with the program's own.
            let own_choices = source.text.windows(22).any(|window| window == b"__VERIFIER_nondet_bool");
            if before.is_empty() || own_choices || !bench.compile("after", &text, source.model, "") {
                continue;
            }
            count.compared += 1;
            // Such a program returns whatever is left in a register.
            let has_status = !source.text.windows(9).any(|window| window == b"void main");
            for (before, after) in before.iter().zip(bench.run("after", limits)) {
                // Where memory is accessed that is none (SIGBUS, SIGSEGV), anything may follow.
                if before.is_cut() || after.is_cut() || matches!(before.status, -7 | -11) {
                    continue;
                }
                count.runs += 1;
                let is_same =
                    before.status == after.status || !has_status && before.status >= 0 && after.status >= 0;
                if !is_same || before.hash != after.hash {
                    count.behaviour += 1;
                    writeln!(out, "differs: {} {}: {before:?} {after:?}", task.name, spec.name)?;
                    break;
                }
            }
        }
    }
    let mut wrong = 0;
    for (name, count) in &counts {
        let Count { files, refused, syntax, strip, compared, runs, behaviour } = count;
        wrong += refused + syntax + strip + behaviour;
        writeln!(
            out,
            "{name:<18}{files} programs, {refused} refused, {syntax} not accepted, {strip} not stripped; {compared} run \
             ({runs} runs), {behaviour} differ"
        )?;
    }
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
