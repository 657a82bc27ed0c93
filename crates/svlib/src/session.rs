//! The dialogue of section 4: each command gets its response, and what was answered is remembered.
//!
//! A session does not verify; a [`Verifier`] does. It does not read either: whoever does hands over commands of a
//! script that grows, from a file or from a pipe.

use crate::print::command_text;
use crate::syntax::{CommandKind, Script};
use smt::parse::Command as Smt;
use smt::term::Terms;
use std::time::Duration;

/// The answer to a `verify-call`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All executions satisfy all properties.
    Correct,
    /// Some execution violates a property.
    Incorrect,
    /// Nobody knows, and why.
    Unknown(String),
    /// The script uses something that is not there: what.
    Unsupported(String),
}

impl Verdict {
    /// The word that is printed.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Correct => "correct",
            Verdict::Incorrect => "incorrect",
            Verdict::Unknown(_) => "unknown",
            Verdict::Unsupported(_) => "unsupported",
        }
    }
}

/// How an answer came about.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The engine that found the evidence.
    pub engine: Option<String>,
    /// The solver that engines and checker were told to use.
    pub solver: Option<String>,
    /// What the checker said last.
    pub checker: Option<String>,
    /// The time spent by each engine and by the checker.
    pub phases: Vec<(String, Duration)>,
    /// The time from the question to the answer.
    pub total: Duration,
    /// The most memory that a worker used, in KiB, as far as it is known.
    pub peak_kib: Option<u64>,
    /// True when the same question was answered before, and nothing had to be done.
    pub reused: bool,
}

impl Report {
    /// Time was spent; several times for one name add up.
    pub fn phase(&mut self, name: &str, spent: Duration) {
        match self.phases.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += spent,
            None => self.phases.push((name.into(), spent)),
        }
    }
}

/// A verdict with its evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// The commands of the witness, when there is one.
    pub witness: Option<String>,
    /// Remarks for people.
    pub notes: Vec<String>,
    /// How it came about.
    pub report: Report,
}

impl Answer {
    /// An answer without evidence.
    #[must_use]
    pub fn without(verdict: Verdict) -> Answer {
        Answer { verdict, witness: None, notes: Vec::new(), report: Report::default() }
    }
}

/// Something that answers queries.
pub trait Verifier {
    /// Answers the call that is command number `command`. `wants_witness` says that somebody may read the witness.
    fn verify(&mut self, terms: &mut Terms, script: &Script, command: usize, wants_witness: bool) -> Answer;

    /// Executes the call once: the response to a `simulate-call`.
    ///
    /// # Errors
    /// When there is nothing to tell: why.
    fn simulate(&mut self, terms: &mut Terms, script: &Script, command: usize) -> Result<String, String>;

    /// The annotations that prove the call, as far as somebody finds them: the response to an `invariants-call`.
    ///
    /// # Errors
    /// When the script cannot be looked at: why.
    fn invariants(&mut self, terms: &mut Terms, script: &Script, command: usize) -> Result<String, String>;
}

/// What a session does besides reading: options of the command line, which win over those of the script.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// Witnesses are produced whatever the script says.
    pub produce_witnesses: bool,
    /// The script may name files for its output.
    pub allow_file_output: bool,
    /// The version for `(get-info :version)`.
    pub version: String,
}

/// A response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Response {
    /// `success`.
    Success,
    /// A verdict.
    Answer(Box<Answer>),
    /// A witness in its parentheses, and the channel that the script names for it.
    Witness(String, Option<String>),
    /// Other text.
    Text(String),
    /// `(error "…")`.
    Error(String),
}

/// What has been said so far.
pub struct Session {
    options: SessionOptions,
    print_success: bool,
    produce_witnesses: bool,
    /// The settings of the script by keyword.
    settings: Vec<(String, String)>,
    /// The answer of the command right before, while a witness may be asked for.
    last: Option<Answer>,
    reason_unknown: Option<String>,
}

impl Session {
    /// A session at its beginning.
    #[must_use]
    pub fn new(options: SessionOptions) -> Self {
        let produce_witnesses = options.produce_witnesses;
        Self {
            options,
            print_success: false,
            produce_witnesses,
            settings: Vec::new(),
            last: None,
            reason_unknown: None,
        }
    }

    /// The response to command number `index` of the script; none when nothing is to be said.
    pub fn respond(
        &mut self,
        terms: &mut Terms,
        script: &Script,
        index: usize,
        verifier: &mut dyn Verifier,
    ) -> Option<Response> {
        let command = &script.commands.get(index)?.kind;
        let last = self.last.take();
        match command {
            CommandKind::Call(name, ..) if name == "verify-call" => {
                let answer = verifier.verify(terms, script, index, self.produce_witnesses);
                self.reason_unknown = match &answer.verdict {
                    Verdict::Unknown(reason) | Verdict::Unsupported(reason) => Some(reason.clone()),
                    _ => None,
                };
                self.last = Some(answer.clone());
                Some(Response::Answer(Box::new(answer)))
            }
            CommandKind::Call(name, ..) if name == "simulate-call" => {
                Some(verifier.simulate(terms, script, index).map_or_else(Response::Error, Response::Text))
            }
            CommandKind::Call(name, ..) if name == "invariants-call" => {
                Some(verifier.invariants(terms, script, index).map_or_else(Response::Error, Response::Text))
            }
            CommandKind::Call(name, ..) => Some(Response::Error(format!("`{name}` is not known here"))),
            CommandKind::GetWitness => Some(self.witness(last)),
            CommandKind::Smt(command) => self.smt(terms, script, index, command),
            _ => self.success(),
        }
    }

    fn success(&self) -> Option<Response> {
        self.print_success.then_some(Response::Success)
    }

    /// Section 4.7: a witness is for the query right before, if there is one and witnesses are enabled.
    fn witness(&self, last: Option<Answer>) -> Response {
        if !self.produce_witnesses {
            return Response::Error("witnesses are not enabled: (set-option :produce-witnesses true)".into());
        }
        match last {
            None => Response::Error("the command before get-witness is no verify-call".into()),
            Some(Answer { witness: Some(witness), .. }) => {
                Response::Witness(witness, self.channel(":witness-output-channel").map(Into::into))
            }
            Some(answer) => Response::Error(format!("the answer `{}` has no witness", answer.verdict.word())),
        }
    }

    fn smt(&mut self, terms: &Terms, script: &Script, index: usize, command: &Smt) -> Option<Response> {
        match command {
            Smt::SetOption(key, value) => {
                if let Some(refusal) = self.refuse_file(key, value) {
                    return Some(Response::Error(refusal));
                }
                self.settings.retain(|(known, _)| known != key);
                self.settings.push((key.clone(), value.clone()));
                match (key.as_str(), value.as_str()) {
                    (":print-success", value) => self.print_success = value == "true",
                    (":produce-witnesses", value) => {
                        self.produce_witnesses = self.options.produce_witnesses || value == "true";
                    }
                    _ => {}
                }
                self.success()
            }
            Smt::GetOption(key) => {
                let known =
                    self.settings.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone());
                let value = match key.as_str() {
                    ":print-success" => Some(self.print_success.to_string()),
                    ":produce-witnesses" => Some(self.produce_witnesses.to_string()),
                    _ => known,
                };
                Some(Response::Text(value.unwrap_or_else(|| "unsupported".into())))
            }
            Smt::GetInfo(key) => Some(Response::Text(self.info(key))),
            Smt::GetAssertions => {
                let asserts = script.commands[..index].iter().filter_map(|command| match &command.kind {
                    CommandKind::Smt(Smt::Assert(_)) => {
                        let text = command_text(terms, script, &command.kind);
                        Some(text["(assert ".len()..text.len() - 1].to_string())
                    }
                    _ => None,
                });
                Some(Response::Text(format!("({})", asserts.collect::<Vec<_>>().join("\n "))))
            }
            _ => self.success(),
        }
    }

    /// The channel that the script has set: `stdout`, `stderr` or a file.
    #[must_use]
    pub fn channel(&self, key: &str) -> Option<&str> {
        let (_, channel) = self.settings.iter().find(|(known, _)| known == key)?;
        Some(channel.trim_matches('"'))
    }

    /// A script makes the tool write a file only where the user allows it.
    fn refuse_file(&self, key: &str, value: &str) -> Option<String> {
        if !key.ends_with("-output-channel") || is_stream(value) || self.options.allow_file_output {
            return None;
        }
        Some(format!("a script may not write to the file {value}"))
    }

    fn info(&self, key: &str) -> String {
        match key {
            ":name" => "(:name \"Svarog\")".into(),
            ":version" => format!("(:version \"{}\")", self.options.version),
            ":error-behavior" => "(:error-behavior continued-execution)".into(),
            ":reason-unknown" => match &self.reason_unknown {
                Some(reason) => format!("(:reason-unknown \"{}\")", reason.replace('"', "\"\"")),
                None => "(error \"no query was answered with unknown\")".into(),
            },
            _ => "unsupported".into(),
        }
    }

    /// True when witnesses are produced.
    #[must_use]
    pub fn produces_witnesses(&self) -> bool {
        self.produce_witnesses
    }
}

fn is_stream(value: &str) -> bool {
    matches!(value.trim_matches('"'), "stdout" | "stderr")
}

impl std::fmt::Display for Response {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Response::Success => f.write_str("success"),
            Response::Answer(answer) => f.write_str(answer.verdict.word()),
            Response::Witness(text, _) | Response::Text(text) => f.write_str(text),
            Response::Error(message) => write!(f, "(error \"{}\")", message.replace('"', "\"\"")),
        }
    }
}
