//! `instrument oracles`: instrumented programs against sanitizers, and against the verdicts of the corpus.
//!
//! A program that can be run is run on the same random values twice: as it is, with a sanitizer, and instrumented. The sanitizer
//! has to report exactly when the error function is called. Where an execution reaches the error function, the corpus has
//! to say `false`. Shifts of negative numbers and by too many bits are not overflows here, so the sanitizer's reports about
//! these are not counted. It does not see overflows that the compiler computes itself, nor some that gcc simplifies before it
//! looks (`-y - 1` is `~y` then): where the corpus says `false`, that is counted as a blind sanitizer.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use super::Settings;
use super::program::{self, Outcome, Source};
use super::runs::{Bench, Limits, Run};
use crate::cfront::source::{self, Task};
use crate::registry::{Command, Error};

pub(crate) const COMMAND: Command = Command {
    name: "oracles",
    about: "Compares instrumented programs with sanitizers, and with the corpus' verdicts.",
    run,
};

/// A specification, the sanitizer that knows it, the letters of its reports, and properties of the corpus.
struct Oracle {
    spec: &'static str,
    sanitizer: &'static str,
    letters: &'static str,
    /// Choices of inserted text that are tried one after the other.
    choices: u64,
    properties: &'static [&'static str],
}

const ORACLES: &[Oracle] = &[
    Oracle { spec: "array-bounds", sanitizer: "bounds", letters: "b", choices: 0, properties: &[] },
    Oracle {
        spec: "division-by-zero",
        sanitizer: "integer-divide-by-zero",
        letters: "z",
        choices: 0,
        properties: &[],
    },
    Oracle {
        spec: "memory-cleanup",
        sanitizer: "address",
        letters: "l",
        choices: 24,
        properties: &["valid-memcleanup"],
    },
    Oracle {
        spec: "no-overflow",
        sanitizer: "signed-integer-overflow,integer-divide-by-zero,shift",
        letters: "oms",
        choices: 0,
        properties: &["no-overflow"],
    },
    Oracle { spec: "termination", sanitizer: "", letters: "", choices: 0, properties: &["termination"] },
];

#[derive(Default)]
struct Count {
    programs: usize,
    runs: usize,
    violations: usize,
    wrong: usize,
    /// Programs in which the sanitizer does not see what is known to be there.
    blind: usize,
    /// Tasks of the property that are false, and how many of them an execution shows to be.
    falses: usize,
    confirmed: usize,
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let Settings { every, only, spec, seeds } = Settings::read("oracles", 100, arguments)?;
    let Some(corpus) = testkit::corpus_or_skip("the corpus' C programs against sanitizers") else {
        return Ok(ExitCode::SUCCESS);
    };
    let tasks = source::tasks(&corpus, &only)?;
    let bench = Bench::new()?;
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut out = io::stdout().lock();
    for task in tasks.iter().step_by(std::cmp::max(every, 1)) {
        let Some(mut source) = program::read(task) else { continue };
        source.model = bench.model(source.model);
        for oracle in ORACLES.iter().filter(|oracle| oracle.spec.contains(&spec)) {
            let count = counts.entry(oracle.spec).or_default();
            judge(&bench, task, &source, oracle, seeds, count, &mut out)?;
        }
    }
    let mut wrong = 0;
    for (name, count) in &counts {
        let Count { programs, runs, violations, wrong: bad, blind, falses, confirmed } = count;
        wrong += bad;
        writeln!(
            out,
            "{name:<18}{programs} programs, {runs} runs compared, {violations} with a violation, {bad} disagreements, {blind} with a blind \
             sanitizer; \
             {confirmed} of {falses} false tasks shown to be"
        )?;
    }
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn judge(
    bench: &Bench,
    task: &Task,
    source: &Source,
    oracle: &Oracle,
    seeds: u64,
    count: &mut Count,
    out: &mut impl Write,
) -> Result<(), Error> {
    let is_task = oracle.properties.contains(&task.property.as_str());
    // Without a sanitizer there are the verdicts only.
    if oracle.sanitizer.is_empty() && !is_task {
        return Ok(());
    }
    let Some(spec) = program::specs(oracle.spec).first().copied() else { return Ok(()) };
    let Outcome::Done(text, is_changed) = program::woven(&task.name, source, spec, &[]) else {
        return Ok(());
    };
    if is_task && task.verdict == "false" {
        count.falses += 1;
    }
    let own_choices = oracle.choices > 0 && source.text.windows(22).any(|w| w == b"__VERIFIER_nondet_bool");
    if !is_changed || own_choices || !bench.compile("after", &text, source.model, "") {
        return Ok(());
    }
    let limits =
        Limits { seed: 1, count: seeds, choices: oracle.choices, goes_on: false, milliseconds: 100, fill: 0 };
    let after = by_seed(bench.run("after", limits));
    let reached = after.values().filter(|runs| runs.iter().any(|run| run.is_reached())).count();
    count.violations += reached;
    if is_task && reached > 0 {
        if task.verdict == "false" {
            count.confirmed += 1;
        } else if source.model == task.model {
            count.wrong += 1;
            writeln!(out, "verdict: {} {} is {} and reached", task.name, task.property, task.verdict)?;
        }
    }
    if oracle.sanitizer.is_empty() || !bench.compile("before", &source.text, source.model, oracle.sanitizer) {
        return Ok(());
    }
    count.programs += 1;
    // Looking for leaks takes longer than most programs.
    let limits =
        Limits { choices: 0, milliseconds: if oracle.letters == "l" { 2000 } else { 200 }, ..limits };
    for before in bench.run("before", limits) {
        let Some(after) = after.get(&before.seed) else { continue };
        if let Some(what) = disagreement(&before, after, oracle, count) {
            // Two oracles contradict each other then, and the compiler is known to simplify first.
            let is_blind = is_task && task.verdict == "false" && after.iter().any(Run::is_reached);
            if is_blind || bench.has_constant_overflow(&source.text, source.model) {
                count.blind += 1;
                break;
            }
            count.wrong += 1;
            writeln!(out, "{what}: {} {} with seed {}", task.name, oracle.spec, before.seed)?;
            break;
        }
    }
    Ok(())
}

fn by_seed(runs: Vec<Run>) -> BTreeMap<u64, Vec<Run>> {
    let mut out: BTreeMap<u64, Vec<Run>> = BTreeMap::new();
    for run in runs {
        out.entry(run.seed).or_default().push(run);
    }
    out
}

/// How a run with a sanitizer and those of the instrumented program contradict each other.
fn disagreement(before: &Run, after: &[Run], oracle: &Oracle, count: &mut Count) -> Option<&'static str> {
    let is_reported = before.flags.chars().any(|flag| oracle.letters.contains(flag));
    let is_reached = after.iter().any(|run| run.is_reached());
    let is_whole = after.iter().all(|run| !run.is_cut());
    // Where memory is accessed that is none, nothing that follows means anything; leaks are seen at a regular end only.
    let is_undefined =
        before.status < 0 || before.flags.contains(['a', '!']) || after.iter().any(|run| run.status < 0);
    let is_irregular =
        oracle.letters == "l" && (before.is_reached() || matches!(before.status, 134 | 201 | 202));
    if is_irregular || is_undefined && !(is_reported && is_reached) || before.is_cut() || !is_whole {
        return None;
    }
    count.runs += 1;
    match (is_reported, is_reached) {
        (true, false) => Some("reported only by the sanitizer"),
        (false, true) => Some("reached without a report"),
        _ => None,
    }
}
