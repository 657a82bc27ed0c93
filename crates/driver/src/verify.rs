//! `verify`: queries are answered by engines, and a verdict is given only after the checker accepted the evidence.
//!
//! The way of a violation: an engine finds a trace; it is printed as a witness, the text is read again with the
//! task, and the checker replays what was read. So what is handed to the user is what was checked.

use base::budget::Budget;
use certify::{Judged, Rejection, replay_trace};
use engines::{ENGINES, Found, Problem};
use smt::sexpr::Text;
use smt::term::Terms;
use std::time::Duration;
use svlib::interp::{EntryRequires, Options};
use svlib::parse::Builder;
use svlib::session::{Answer, Verdict, Verifier};
use svlib::syntax::{CommandKind, PropertyKind, Script, Trace, Violation};

/// How to verify.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// Time for each query.
    pub timeout: Duration,
    /// The seed of random decisions.
    pub seed: u64,
    /// True to assume the entry's `:requires` instead of checking it.
    pub assume_entry_requires: bool,
    /// The program's version, for witnesses.
    pub version: String,
    /// The names of the inputs, for witnesses.
    pub inputs: Vec<String>,
}

/// Answers queries with the engines of this build.
pub(crate) struct Portfolio {
    options: VerifyOptions,
}

impl Portfolio {
    /// A verifier.
    #[must_use]
    pub(crate) fn new(options: VerifyOptions) -> Self {
        Self { options }
    }

    fn limits(&self) -> Options {
        let entry_requires = match self.options.assume_entry_requires {
            true => EntryRequires::Assume,
            false => EntryRequires::Check,
        };
        Options { entry_requires, ..Options::default() }
    }

    /// Decision 9: the trace before the query is replayed, and nothing else is looked at.
    fn replay_selected(&self, terms: &mut Terms, script: &Script, command: usize, trace: &Trace) -> Answer {
        match replay_trace(terms, script, command, trace, &self.limits()) {
            Judged::Confirmed => {
                self.incorrect(terms, script, trace, vec!["the selected trace ends as it claims".into()])
            }
            Judged::Rejected(Rejection::InvalidStep(index, reason)) => {
                let mut trace = trace.clone();
                let Some(step) = trace.steps.get(index).cloned() else { return unknown(reason) };
                trace.steps.truncate(index);
                trace.violation = Violation::InvalidStep(step);
                trace.using.clear();
                match self.certified(terms, script, command, &trace) {
                    Ok(()) => self.incorrect(terms, script, &trace, vec![reason]),
                    Err(doubt) => unknown(format!("{reason}; {doubt}")),
                }
            }
            Judged::Rejected(Rejection::OtherEnd(how) | Rejection::Condition(how)) => {
                unknown(format!("the selected trace does not end as it claims: {how}"))
            }
            Judged::Open(reason) => unknown(reason),
        }
    }

    fn search(&self, terms: &mut Terms, script: &Script, command: usize) -> Answer {
        let budget = Budget::of(self.options.timeout);
        let mut reasons = Vec::new();
        for engine in ENGINES {
            let problem = Problem {
                script,
                command,
                options: self.limits(),
                seed: self.options.seed,
                budget: budget.clone(),
                solver: "z3",
                board: &engines::Lonely,
            };
            match (engine.run)(terms, &problem) {
                Found::Proof(_) => reasons.push("nobody checks proofs yet".into()),
                Found::Nothing(reason) => reasons.push(format!("{}: {reason}", engine.name)),
                Found::Violation(trace) => match self.certified(terms, script, command, &trace) {
                    Ok(()) => {
                        let notes = entry_note(script, command, &trace);
                        return self.incorrect(terms, script, &trace, notes);
                    }
                    Err(reason) => reasons.push(format!("{}: {reason}", engine.name)),
                },
            }
        }
        reasons.push("this build has no engine that proves programs correct".into());
        unknown(reasons.join("; "))
    }

    /// Prints the trace, reads the text together with the script, and has the checker replay what was read.
    fn certified(
        &self,
        terms: &mut Terms,
        script: &Script,
        command: usize,
        trace: &Trace,
    ) -> Result<(), String> {
        let mut before = Script { commands: script.commands[..command].to_vec(), ..script.clone() };
        let query = script.commands[command].clone();
        before.commands.push(svlib::syntax::Command {
            kind: CommandKind::SelectTrace(Box::new(trace.clone())),
            at: query.at,
        });
        before.commands.push(query);
        let text = svlib::print::script_text(terms, &before);
        let (mut builder, mut findings) = (Builder::new(terms), Vec::new());
        svlib::parse::read_file(&mut builder, terms, Text::new(&text, 0), &mut findings);
        if let Some(error) = findings.iter().find(|f| f.is_error()) {
            return Err(format!("the witness is not read back: {}", error.message));
        }
        let read = &builder.state.script;
        let last = read.commands.len().saturating_sub(1);
        let selected = last.checked_sub(1).and_then(|i| match &read.commands[i].kind {
            CommandKind::SelectTrace(trace) => Some(trace),
            _ => None,
        });
        let Some(trace) = selected else { return Err("the witness is not read back".into()) };
        match replay_trace(terms, read, last, trace, &self.limits()) {
            Judged::Confirmed => Ok(()),
            Judged::Rejected(reason) => Err(format!("the checker rejects the trace: {reason:?}")),
            Judged::Open(reason) => Err(format!("the checker cannot judge the trace: {reason}")),
        }
    }

    fn incorrect(&self, terms: &mut Terms, script: &Script, trace: &Trace, notes: Vec<String>) -> Answer {
        let trace =
            svlib::print::command_text(terms, script, &CommandKind::SelectTrace(Box::new(trace.clone())));
        let inputs: Vec<String> = self.options.inputs.iter().map(|name| quoted(name)).collect();
        let text = format!(
            "((set-info :producer \"Svarog {}\")\n(set-info :input-files ({}))\n{trace})",
            self.options.version,
            inputs.join(" ")
        );
        let witness = svlib::fmt::format(Text::new(&text, 0)).unwrap_or(text);
        Answer { verdict: Verdict::Incorrect, witness: Some(witness.trim_end().to_string()), notes }
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn unknown(reason: String) -> Answer {
    Answer { verdict: Verdict::Unknown(reason), witness: None, notes: Vec::new() }
}

/// Decision 1: when only the entry's own `:requires` fails, the user should know that there is another reading.
fn entry_note(script: &Script, command: usize, trace: &Trace) -> Vec<String> {
    let (Violation::Annotation(violated), CommandKind::Call(_, entry, _)) =
        (&trace.violation, &script.commands[command].kind)
    else {
        return Vec::new();
    };
    let body = script.procs[*entry].body;
    let at_entry = |p: &svlib::syntax::TagProperty| {
        p.kind == PropertyKind::Requires && p.meanings.iter().any(|(stmt, _)| Some(*stmt) == body)
    };
    if !violated.properties.iter().all(at_entry) {
        return Vec::new();
    }
    vec![
        "the arguments break the :requires of the called procedure itself; an (assert …) about them before the \
         verify-call repairs the script, --entry-requires assume leaves such calls out"
            .into(),
    ]
}

impl Verifier for Portfolio {
    fn verify(&mut self, terms: &mut Terms, script: &Script, command: usize) -> Answer {
        if let Some(what) = unsupported(script) {
            return Answer { verdict: Verdict::Unsupported(what), witness: None, notes: Vec::new() };
        }
        let selected = command.checked_sub(1).and_then(|before| match &script.commands[before].kind {
            CommandKind::SelectTrace(trace) => Some((**trace).clone()),
            _ => None,
        });
        match selected {
            Some(trace) => self.replay_selected(terms, script, command, &trace),
            None => self.search(terms, script, command),
        }
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
