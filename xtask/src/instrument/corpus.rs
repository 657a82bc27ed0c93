//! `instrument corpus`: every program of the corpus with every specification that ships.
//!
//! The output has to be accepted by the compiler if the input is, stripping has to give back the input, and a program that can be
//! run has to print and return the same when the error function does nothing.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use super::Settings;
use super::judge::Judge;
use super::program::{self, Outcome, Source};
use super::runs::{Bench, Limits, OWN_ERROR, Run};
use crate::cfront::source::Task;
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
    /// Programs with runs in which something undefined happens, so that nothing has to be the same.
    undefined: usize,
    behaviour: usize,
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let settings = Settings::read("corpus", 10, arguments)?;
    let Some(corpus) = testkit::corpus_or_skip("the corpus' C programs, instrumented") else {
        return Ok(ExitCode::SUCCESS);
    };
    let bench = Bench::new()?;
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut out = io::stdout().lock();
    let is_same = |a: &Task, b: &Task| a.name == b.name;
    let seen = settings.each(&corpus, is_same, |task| {
        let Some(mut source) = program::read(task) else { return Ok(()) };
        if bench.syntax_error(&source.text, source.model)?.is_some() {
            return Ok(());
        }
        source.model = bench.model(source.model);
        let before = plain_runs(&bench, &source, settings.seeds);
        // The example of the paper is about one program.
        for spec in program::specs(&settings.spec).into_iter().filter(|spec| spec.name != "example") {
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
            // What is compiled is accepted.
            let is_compiled = !before.is_empty() && bench.compile("after", &text, source.model);
            if !is_compiled && let Some(error) = bench.syntax_error(&text, source.model)? {
                count.syntax += 1;
                writeln!(out, "not accepted: {} {}: {error}", task.name, spec.name)?;
                continue;
            }
            // Choices of inserted text share a stream with the program's own.
            let own_choices = source.text.windows(22).any(|window| window == b"__VERIFIER_nondet_bool");
            if !is_compiled || own_choices {
                continue;
            }
            let difference = difference(&bench, &source, &before, settings.seeds, count);
            if let Some((before, after)) = difference {
                if can_be(&bench, &after) || Judge::new(&bench, &source, 1).is_undefined(before.seed) {
                    count.undefined += 1;
                    continue;
                }
                count.behaviour += 1;
                writeln!(out, "differs: {} {}: {before:?} {after:?}", task.name, spec.name)?;
            }
        }
        Ok(())
    })?;
    writeln!(out, "{seen}")?;
    let mut wrong = 0;
    for (name, count) in &counts {
        let Count { files, refused, syntax, strip, compared, runs, undefined, behaviour } = count;
        wrong += refused + syntax + strip + behaviour;
        writeln!(
            out,
            "{name:<18}{files} programs, {refused} refused, {syntax} not accepted, {strip} not stripped; {compared} run \
             ({runs} runs), {undefined} undefined, {behaviour} differ"
        )?;
    }
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn limits(seeds: u64) -> Limits {
    Limits { goes_on: true, slow: 4, ..Limits::of(seeds, 100) }
}

/// How a program runs as it is. None if it cannot be run, or what it does depends on memory that it has not written.
fn plain_runs(bench: &Bench, source: &Source, seeds: u64) -> Vec<Run> {
    if seeds == 0 || !bench.compile("before", &source.text, source.model) {
        return Vec::new();
    }
    let own = |fill: u8| -> Vec<Run> {
        let runs = bench.run("before", Limits { goes_on: false, fill, ..limits(seeds) });
        runs.into_iter().map(|run| Run { status: status_of(&run), ..run }).collect()
    };
    let before = own(0);
    if before == own(0xa5) { before } else { Vec::new() }
}

/// The status of a run as an instrumented program has it, in which the error function of the program itself has another name.
fn status_of(run: &Run) -> i32 {
    if run.is_reached() { OWN_ERROR } else { run.status }
}

/// True when the program as it is can run like this, too: what threads do depends on when they get a processor.
fn can_be(bench: &Bench, after: &Run) -> bool {
    let limits = Limits { goes_on: false, seed: after.seed, ..limits(1) };
    let is_same = |run: &Run| (status_of(run), &run.hash) == (after.status, &after.hash);
    (0..100).any(|_| bench.run("before", limits).iter().any(is_same))
}

/// The first run in which the program and the instrumented one do not do the same.
fn difference(
    bench: &Bench,
    source: &Source,
    before: &[Run],
    seeds: u64,
    count: &mut Count,
) -> Option<(Run, Run)> {
    count.compared += 1;
    // Such a program returns whatever is left in a register.
    let has_status = !source.text.windows(9).any(|window| window == b"void main");
    for (before, after) in before.iter().zip(bench.run("after", limits(seeds))) {
        if before.is_cut() || after.is_cut() {
            continue;
        }
        count.runs += 1;
        let is_same = before.status == after.status || !has_status && before.status >= 0 && after.status >= 0;
        if !is_same || before.hash != after.hash {
            return Some((before.clone(), after));
        }
    }
    None
}
