//! `instrument oracles`: instrumented programs against sanitizers, and against the verdicts of the corpus.
//!
//! A program that can be run is run on the same random values twice: as it is, with a sanitizer, and instrumented. The sanitizer
//! has to report exactly when the error function is called. Where an execution reaches the error function, the corpus has
//! to say `false`.
//!
//! gcc computes some expressions before its sanitizer looks at them (`-y - 1` is `~y` then). Where it contradicts us, clang's
//! sanitizer is asked: if it says what we say, the run is listed as one about which the sanitizers differ; if not, or if it cannot
//! compile the program, it is a disagreement. What a property leaves out by its definition is shown, not assumed: the
//! remainder of the smallest number and -1 by the option that takes it in.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use cfront::DataModel;

use super::Settings;
use super::judge::{Judge, Sanitizers};
use super::program::{self, Outcome, Source};
use super::runs::{self, Bench, Compiler, Limits, Run};
use crate::cfront::source::Task;
use crate::registry::{Command, Error};

pub(crate) const COMMAND: Command = Command {
    name: "oracles",
    about: "Compares instrumented programs with sanitizers, and with the corpus' verdicts.",
    run,
};

/// A specification, the sanitizers that know it, the letters of their reports, and properties of the corpus.
struct Oracle {
    spec: &'static str,
    sanitizers: Option<Sanitizers>,
    letters: &'static str,
    /// Choices of inserted text that are tried one after the other.
    choices: u64,
    properties: &'static [&'static str],
}

const ORACLES: &[Oracle] = &[
    Oracle {
        spec: "array-bounds",
        sanitizers: Some(Sanitizers::Undefined),
        letters: "b",
        choices: 0,
        properties: &[],
    },
    Oracle {
        spec: "division-by-zero",
        sanitizers: Some(Sanitizers::Undefined),
        letters: "z",
        choices: 0,
        properties: &[],
    },
    Oracle {
        spec: "memory-cleanup",
        sanitizers: Some(Sanitizers::Address),
        letters: "l",
        choices: 100,
        properties: MEMORY,
    },
    Oracle {
        spec: "no-overflow",
        sanitizers: Some(Sanitizers::Undefined),
        letters: "oms",
        choices: 0,
        properties: OVERFLOW,
    },
    Oracle { spec: "termination", sanitizers: None, letters: "", choices: 0, properties: &["termination"] },
    Oracle { spec: "unreach-call", sanitizers: None, letters: "", choices: 0, properties: &["unreach-call"] },
    Oracle {
        spec: "valid-free",
        sanitizers: Some(Sanitizers::Address),
        letters: "f",
        choices: 0,
        properties: &[],
    },
];

const MEMORY: &[&str] =
    &["memory-leak-check+assertions", "memory-leak/cleanup-check+assertions", "valid-memcleanup"];
const OVERFLOW: &[&str] = &["no-overflow", "overflow-check+assertions"];

#[derive(Default)]
struct Count {
    /// Programs that are compared with a sanitizer, and those of them that take no values, for which one run is all there is.
    programs: usize,
    fixed: usize,
    runs: usize,
    violations: usize,
    wrong: usize,
    /// Programs about which gcc and clang differ, and clang says what we say.
    differing: usize,
    /// Programs with runs that the property leaves out by its definition.
    defined: usize,
    /// Programs whose runs depend on memory that they have not written, or on threads.
    undefined: usize,
}

/// Tasks of a property: how many are false, and how many of these an execution shows to be.
#[derive(Default)]
struct Verdicts {
    tasks: usize,
    falses: usize,
    confirmed: usize,
    /// True ones that are reached, but were found to be true of a part of the executions or blocks only.
    partial: usize,
    wrong: usize,
}

struct Oracles<'a, W> {
    bench: &'a Bench,
    seeds: u64,
    counts: BTreeMap<&'static str, Count>,
    verdicts: BTreeMap<(&'static str, String), Verdicts>,
    out: W,
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let settings = Settings::read("oracles", 100, arguments)?;
    let Some(corpus) = testkit::corpus_or_skip("the corpus' C programs against sanitizers") else {
        return Ok(ExitCode::SUCCESS);
    };
    let bench = Bench::new()?;
    let (counts, verdicts) = (BTreeMap::new(), BTreeMap::new());
    let out = io::stdout().lock();
    let mut oracles = Oracles { bench: &bench, seeds: settings.seeds, counts, verdicts, out };
    // A file with two properties is two tasks.
    let is_same = |a: &Task, b: &Task| (&a.name, &a.property) == (&b.name, &b.property);
    let seen = settings.each(&corpus, is_same, |task| {
        let Some(mut source) = program::read(task) else { return Ok(()) };
        source.model = bench.model(source.model);
        let mut judge = Judge::new(&bench, &source, settings.seeds);
        for oracle in ORACLES.iter().filter(|oracle| oracle.spec.contains(&settings.spec)) {
            oracles.program(task, &source, oracle, &mut judge)?;
        }
        Ok(())
    })?;
    oracles.summary(&seen)
}

impl<W: Write> Oracles<'_, W> {
    fn program(
        &mut self,
        task: &Task,
        source: &Source,
        oracle: &Oracle,
        judge: &mut Judge<'_>,
    ) -> Result<(), Error> {
        let is_task = oracle.properties.contains(&task.property.as_str());
        // Without a sanitizer there are the verdicts only.
        if oracle.sanitizers.is_none() && !is_task {
            return Ok(());
        }
        if is_task {
            let verdicts = self.verdicts.entry((oracle.spec, task.property.clone())).or_default();
            verdicts.tasks += 1;
            verdicts.falses += usize::from(task.verdict == "false");
        }
        let Some(after) = self.instrumented(task, source, oracle, &[], 0) else { return Ok(()) };
        let reached = after.values().filter(|runs| runs.iter().any(Run::is_reached)).count();
        self.counts.entry(oracle.spec).or_default().violations += reached;
        if is_task && reached > 0 {
            let verdicts = self.verdicts.entry((oracle.spec, task.property.clone())).or_default();
            if task.verdict == "false" {
                verdicts.confirmed += 1;
            } else if is_partial(task) {
                verdicts.partial += 1;
            } else if source.model == task.model {
                verdicts.wrong += 1;
                writeln!(
                    self.out,
                    "verdict: {} {} is {} and reached",
                    task.name, task.property, task.verdict
                )?;
            }
        }
        match oracle.sanitizers {
            Some(sanitizers) => self.compare(task, source, (oracle, sanitizers), &after, judge),
            None => Ok(()),
        }
    }

    /// The runs of a program with a specification woven in. None if it says nothing about the program, or that cannot run.
    fn instrumented(
        &self,
        task: &Task,
        source: &Source,
        oracle: &Oracle,
        options: &[&str],
        fill: u8,
    ) -> Option<BTreeMap<u64, Vec<Run>>> {
        let spec = program::specs(oracle.spec).first().copied()?;
        let Outcome::Done(text, is_changed) = program::woven(&task.name, source, spec, options) else {
            return None;
        };
        let has_choices = |text: &[u8]| text.windows(22).any(|window| window == b"__VERIFIER_nondet_bool");
        // Choices of the program itself cannot be told apart from inserted ones; without any, nothing is looked for.
        let is_chosen = oracle.choices == 0 || has_choices(&text) && !has_choices(&source.text);
        // The error function may be the program's own.
        let keeps = oracle.spec == "unreach-call";
        let more: &[&str] = if keeps { &["-finstrument-functions"] } else { &[] };
        let is_compiled = (is_changed || keeps)
            && is_chosen
            && self.bench.compile_with(Compiler::Gcc, more, "after", &text, source.model);
        if !is_compiled {
            return None;
        }
        // What does not end is what is looked for then.
        let slow = if oracle.spec == "termination" { 40 } else { 20 };
        let once = oracle.sanitizers.is_none();
        let limits = Limits { choices: oracle.choices, slow, fill, once, ..Limits::of(self.seeds, 50) };
        let runs = self.bench.run("after", limits);
        let mut out: BTreeMap<u64, Vec<Run>> = BTreeMap::new();
        for run in runs {
            out.entry(run.seed).or_default().push(run);
        }
        Some(out)
    }

    /// Compiles the instrumented program as `memory`, with the sanitizer that knows what was written (for 64 bits only).
    fn compiles_for_memory(&self, task: &Task, source: &Source, oracle: &Oracle) -> bool {
        let Some(&spec) = program::specs(oracle.spec).first() else { return false };
        let Outcome::Done(text, _) = program::woven(&task.name, source, spec, &[]) else { return false };
        self.bench.compile_with(Compiler::Clang, &[runs::MEMORY], "memory", &text, DataModel::Lp64)
    }

    /// Compares runs with those that a sanitizer has looked at.
    fn compare(
        &mut self,
        task: &Task,
        source: &Source,
        (oracle, sanitizers): (&Oracle, Sanitizers),
        after: &BTreeMap<u64, Vec<Run>>,
        judge: &mut Judge<'_>,
    ) -> Result<(), Error> {
        let Some(before) = judge.runs(sanitizers).cloned() else { return Ok(()) };
        let count = self.counts.entry(oracle.spec).or_default();
        count.programs += 1;
        count.fixed += usize::from(before.len() == 1);
        let mut open = Vec::new();
        for (seed, before) in &before {
            let Some(after) = after.get(seed) else { continue };
            match opinion(before, after, oracle) {
                Opinion::Same => count.runs += 1,
                Opinion::None => {}
                Opinion::Other(what) => open.push((*seed, what)),
            }
        }
        if open.is_empty() {
            return Ok(());
        }
        self.settle(task, source, (oracle, sanitizers), after, judge, open)
    }

    /// Has others judge runs about which gcc's sanitizer and the instrumented program contradict each other.
    fn settle(
        &mut self,
        task: &Task,
        source: &Source,
        (oracle, sanitizers): (&Oracle, Sanitizers),
        after: &BTreeMap<u64, Vec<Run>>,
        judge: &mut Judge<'_>,
        mut open: Vec<(u64, &'static str)>,
    ) -> Result<(), Error> {
        let (name, spec, all) = (&task.name, oracle.spec, open.len());
        // The property leaves out what an option takes in.
        if spec == "no-overflow"
            && let Some(strict) = self.instrumented(task, source, oracle, &["remainder"], 0)
        {
            let is_reached =
                |seed: &u64| strict.get(seed).is_some_and(|runs| runs.iter().any(Run::is_reached));
            open.retain(|(seed, what)| *what != SANITIZER || !is_reached(seed));
        }
        let left_out = all - open.len();
        let mut has_second = false;
        let mut agrees = |seed: u64| {
            let Some((before, after)) = judge.second(sanitizers, seed).zip(after.get(&seed)) else {
                return false;
            };
            has_second = true;
            opinion(&before, after, oracle) == Opinion::Same
        };
        let (differing, mut wrong): (Vec<_>, Vec<_>) = open.into_iter().partition(|&(seed, _)| agrees(seed));
        let suspects = wrong.len();
        // What depends on memory that was never written, or on how threads are scheduled, is another run each time.
        if suspects > 0
            && let Some(again) = self.instrumented(task, source, oracle, &[], 0xa5)
        {
            wrong.retain(|(seed, _)| again.get(seed) == after.get(seed));
        }
        // Often it happens to be the same memory again. The inserted checks compare operands, so that a sanitizer sees what is
        // computed from such memory; in the program itself it only sees what decides a branch.
        if !wrong.is_empty() && self.compiles_for_memory(task, source, oracle) {
            let limits = |seed: u64| Limits { seed, ..Limits::of(1, 2000) };
            wrong.retain(|(seed, _)| !self.bench.run("memory", limits(*seed)).iter().any(|run| run.has("u")));
        }
        let undefined = suspects - wrong.len();
        let count = self.counts.entry(spec).or_default();
        count.runs += differing.len();
        count.defined += usize::from(left_out > 0);
        count.differing += usize::from(!differing.is_empty());
        count.undefined += usize::from(undefined > 0);
        count.wrong += usize::from(!wrong.is_empty());
        if let Some((seed, what)) = differing.first() {
            let runs = differing.len();
            writeln!(
                self.out,
                "gcc differs: {name} {spec}: {what}, but by clang's, seed {seed}, {runs} runs"
            )?;
        }
        if undefined > 0 {
            writeln!(
                self.out,
                "undefined: {name} {spec}: {undefined} runs are others when they are repeated, or read what was not written"
            )?;
        }
        if let Some((seed, what)) = wrong.first() {
            let judges = if has_second { "gcc and clang" } else { "gcc alone" };
            writeln!(self.out, "{what}: {name} {spec} with seed {seed} ({judges}, {} runs)", wrong.len())?;
        }
        Ok(())
    }

    fn summary(mut self, seen: &str) -> Result<ExitCode, Error> {
        writeln!(self.out, "{seen}")?;
        let mut bad = 0;
        for (name, count) in &self.counts {
            let Count { programs, fixed, runs, violations, wrong, differing, defined, undefined } = count;
            bad += wrong;
            writeln!(
                self.out,
                "{name:<18}{programs} programs ({fixed} without values), {runs} runs compared, {violations} runs with a violation, \
                 {differing} programs about which sanitizers differ, {defined} with runs left out by definition, \
                 {undefined} undefined, {wrong} disagreements"
            )?;
        }
        for ((spec, property), verdicts) in &self.verdicts {
            let Verdicts { tasks, falses, confirmed, partial, wrong } = verdicts;
            bad += wrong;
            writeln!(
                self.out,
                "{spec:<18}{property}: {tasks} tasks, {confirmed} of {falses} false ones confirmed, \
                 {wrong} true ones reached, {partial} of true ones that are true in part only"
            )?;
        }
        Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// True when a verifier was told to leave executions or memory out: loops after some rounds, ends by `abort`, what pointers
/// still lead to.
fn is_partial(task: &Task) -> bool {
    ["--unwind", "--no-abnormal-memory-leak", "--no-reachable-memory-leak"]
        .iter()
        .any(|option| task.note.contains(option))
}

const SANITIZER: &str = "reported only by the sanitizer";

/// What a run with a sanitizer says about those of the instrumented program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Opinion {
    Same,
    Other(&'static str),
    /// One of them was cut, or nothing means anything in it.
    None,
}

fn opinion(before: &Run, after: &[Run], oracle: &Oracle) -> Opinion {
    let is_reported = before.has(oracle.letters);
    let is_reached = after.iter().any(Run::is_reached);
    // Of the shift of a negative number the sanitizer does not say whether the value fits.
    if is_reported && is_reached || is_reached && oracle.letters.contains('s') && before.has("n") {
        return Opinion::Same;
    }
    // Where memory is accessed that is none, nothing that follows means anything; what is
    // assumed not to happen is no end at which leaks count.
    let others: String = "ab!f".chars().filter(|letter| !oracle.letters.contains(*letter)).collect();
    let is_undefined = before.status < 0 || before.has(&others) || after.iter().any(|run| run.status < 0);
    let is_irregular = oracle.letters == "l" && before.status == 201;
    let is_whole = !before.is_cut() && after.iter().all(|run| !run.is_cut());
    // More choices are possible than were tried.
    let is_open = !is_reached && after.iter().any(|run| run.has("C"));
    if is_irregular || is_undefined || is_open || !is_whole {
        return Opinion::None;
    }
    match (is_reported, is_reached) {
        (true, false) => Opinion::Other(SANITIZER),
        (false, true) => Opinion::Other("reached without a report"),
        _ => Opinion::Same,
    }
}
