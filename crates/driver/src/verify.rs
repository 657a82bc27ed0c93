//! `verify`: queries are answered by engines, and a verdict is given only after the checker accepted the evidence.
//!
//! The way of evidence: an engine hands over a witness as text; a checker of its own reads it together with the task
//! and judges it. So what is handed to the user is, byte for byte, what was checked.

use engines::ENGINES;
use smt::term::Terms;
use std::time::{Duration, Instant};
use svlib::print::command_text;
use svlib::session::{Answer, Verdict, Verifier};
use svlib::syntax::{CommandKind, Script};
use svlib::witness::Claim;

use crate::job::{Duty, Job};
use crate::memory::{Memory, commands};
use crate::portfolio::{Contender, Ending, Search};
use crate::tags;
use crate::task::task_text;
use crate::workers::Workers;

/// How to verify.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// Time for each query.
    pub timeout: Duration,
    /// Memory of each worker, in MiB.
    pub memory: Option<u64>,
    /// How many engines run at once.
    pub jobs: usize,
    /// The names of the engines to use; all when empty.
    pub engines: Vec<String>,
    /// The solver as users write it.
    pub solver: String,
    /// The seed of random decisions.
    pub seed: u64,
    /// True to assume the entry's `:requires` instead of checking it.
    pub assume_entry_requires: bool,
    /// True to make programs smaller before engines look at them.
    pub preprocess: bool,
    /// The number of the only property of a transition system that is wanted.
    pub property: Option<u64>,
    /// True for evidence about systems in the language of the task, where that has a form for it, instead of VMT-LIB.
    pub own_evidence: bool,
    /// The program's version, for witnesses.
    pub version: String,
    /// The names of the inputs, for witnesses.
    pub inputs: Vec<String>,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        VerifyOptions {
            timeout: Duration::from_secs(60),
            memory: None,
            jobs: 1,
            engines: Vec::new(),
            solver: "z3".into(),
            seed: 0,
            assume_entry_requires: false,
            preprocess: true,
            property: None,
            own_evidence: false,
            version: env!("CARGO_PKG_VERSION").into(),
            inputs: Vec::new(),
        }
    }
}

impl VerifyOptions {
    /// The metadata of witnesses (section 7).
    fn header(&self) -> String {
        let inputs: Vec<String> = self.inputs.iter().map(|name| quoted(name)).collect();
        format!(
            "(set-info :producer \"Svarog {}\")\n(set-info :input-files ({}))",
            self.version,
            inputs.join(" ")
        )
    }

    pub(crate) fn job(&self, duty: Duty, script: String) -> Job {
        Job {
            duty,
            script,
            header: self.header(),
            property: None,
            horn: false,
            hints: Vec::new(),
            timeout: self.timeout,
            memory: self.memory,
            seed: self.seed,
            assume_entry_requires: self.assume_entry_requires,
            solver: self.solver.clone(),
            minimise: Duration::ZERO,
            preprocess: self.preprocess,
        }
    }

    /// The share of the time that is for making witnesses smaller.
    fn minimise(&self) -> Duration {
        (self.timeout / 10).min(Duration::from_secs(2))
    }

    fn selected(&self) -> Vec<Contender> {
        self.among(ENGINES.iter().map(Contender::from))
    }

    /// Those that the user wants.
    pub(crate) fn among(&self, all: impl Iterator<Item = Contender>) -> Vec<Contender> {
        let wanted =
            |one: &Contender| self.engines.is_empty() || self.engines.iter().any(|name| name == one.name);
        all.filter(wanted).collect()
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Answers queries with the engines of this build.
pub(crate) struct Portfolio<W> {
    pub(crate) options: VerifyOptions,
    pub(crate) workers: W,
    memory: Memory,
}

impl<W: Workers> Portfolio<W> {
    /// A verifier.
    #[must_use]
    pub(crate) fn new(options: VerifyOptions, workers: W) -> Self {
        Self { options, workers, memory: Memory::default() }
    }

    fn answer(&mut self, script: String, with_trace: Option<String>, wants_witness: bool) -> Answer {
        let question = with_trace.as_ref().unwrap_or(&script).clone();
        if let Some(answer) = self.memory.recall(&question, wants_witness) {
            return answer;
        }
        let begin = Instant::now();
        let deadline = deadline(self.options.timeout);
        self.workers.begin(deadline);
        let minimise = if wants_witness { self.options.minimise() } else { Duration::ZERO };
        let hints = self.memory.hints().to_vec();
        let job = Job { minimise, hints, ..self.options.job(Duty::Replay, script) };
        let mut search = Search::new(&mut self.workers, job, self.options.jobs, deadline);
        let ending = match with_trace {
            Some(with_trace) => search.replay(with_trace),
            None => search.run(&self.options.selected(), self.memory.proof()),
        };
        self.memory.learn(std::mem::take(&mut search.facts));
        let mut report = search.report;
        report.solver = Some(self.options.solver.clone());
        report.total = begin.elapsed();
        match ending {
            Ending::Unknown(reason) => Answer { report, ..Answer::without(Verdict::Unknown(reason)) },
            Ending::Certified { claim, witness, smaller, notes } => {
                let verdict = match claim {
                    Claim::Correct => Verdict::Correct,
                    Claim::Incorrect => Verdict::Incorrect,
                };
                let shown = smaller.unwrap_or_else(|| witness.clone());
                let answer = Answer { verdict, witness: Some(shown), notes, report };
                self.memory.keep(question, wants_witness, &answer, &witness);
                answer
            }
        }
    }
}

/// The end of a query that begins now. A timeout beyond all clocks is as good as a year.
pub(crate) fn deadline(timeout: Duration) -> Instant {
    let now = Instant::now();
    now + timeout.min(Duration::from_secs(31_536_000))
}

impl<W: Workers> Verifier for Portfolio<W> {
    fn verify(&mut self, terms: &mut Terms, script: &Script, command: usize, wants_witness: bool) -> Answer {
        if let Some(what) = unsupported(script) {
            return Answer::without(Verdict::Unsupported(what));
        }
        let completed = tags::complete(terms, script);
        let script = completed.as_ref().unwrap_or(script);
        let text = task_text(terms, script, command, |_| false);
        let trace = command.checked_sub(1).and_then(|before| match &script.commands[before].kind {
            kind @ CommandKind::SelectTrace(_) => Some(command_text(terms, script, kind)),
            _ => None,
        });
        let with_trace = trace.map(|trace| {
            let query = command_text(terms, script, &script.commands[command].kind);
            let task = text.trim_end().strip_suffix(&query).unwrap_or_default();
            format!("{task}{trace}\n{query}\n")
        });
        let mut answer = self.answer(text, with_trace, wants_witness);
        if completed.is_some() && answer.witness.as_deref().is_some_and(tags::speaks_of_added) {
            answer.witness = None;
            answer.notes.push(
                "the evidence was checked, but no witness can be written: it speaks of statements that have no tag of \
                 their own; `svarog lint --fix` gives them one"
                    .into(),
            );
        }
        answer
    }

    fn simulate(&mut self, terms: &mut Terms, script: &Script, command: usize) -> Result<String, String> {
        let deadline = deadline(self.options.timeout);
        self.workers.begin(deadline);
        let job = self.options.job(Duty::Simulate, task_text(terms, script, command, |_| false));
        Search::new(&mut self.workers, job, 1, deadline).simulate()
    }

    fn invariants(&mut self, terms: &mut Terms, script: &Script, command: usize) -> Result<String, String> {
        if let Some(what) = unsupported(script) {
            return Err(what);
        }
        let answer = self.answer(task_text(terms, script, command, |_| false), None, true);
        let witness = answer.witness.filter(|_| answer.verdict == Verdict::Correct).unwrap_or_default();
        let found = commands(&witness, |word| word != "set-info");
        Ok(format!("({})", found.join("\n ")))
    }
}

/// An attribute that is no property might be a misspelled one: then nobody can say that the script is fine.
fn unsupported(script: &Script) -> Option<String> {
    let of_statements = script.stmts.iter().flat_map(|s| &s.attributes).map(|a| &a.0);
    let of_tags = script.commands.iter().filter_map(|command| match &command.kind {
        CommandKind::AnnotateTag(annotation) => Some(&annotation.attributes),
        _ => None,
    });
    let unknown = of_statements.chain(of_tags.flatten().map(|a| &a.0)).find(|key| *key != ":named")?;
    Some(format!("the attribute {unknown} is no property of SV-LIB"))
}
