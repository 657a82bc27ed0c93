//! Any solver that speaks SMT-LIB, as a program of its own: a second opinion, and what cannot be linked.
//!
//! Commands are collected and written in one piece when an answer is wanted. When a check takes too long, is
//! interrupted or the program dies, the program is killed with its whole process group; the next question starts
//! a new one and tells it everything that still holds.

mod answer;
mod pipe;
mod profile;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base::clock;
use smt::eval::{Assignment, Evaluator, Interpretation};
use smt::term::{TermId, Terms};
use smt::value::Value;

use crate::api::{CheckResult, Interrupt, Interrupter, Limits, Model, Reason, Solver, Stop, UnsatCore};
use crate::error::{SolverError, StateError};
use crate::script::{Dialogue, question};
use crate::z3::formula;
use answer::Answers;
pub use pipe::stay_in_group;
use pipe::{Pipe, Received};

pub use profile::{KNOWN, Known, Profile, find_program, known};

/// A question about a model must not hang either.
const PATIENCE: Duration = Duration::from_secs(10);

/// A solver program.
pub struct Process {
    profile: Profile,
    limits: Limits,
    /// The formulas of each level; the first level cannot be closed.
    levels: Vec<Vec<TermId>>,
    running: Option<Running>,
    last: Last,
    stop: Arc<Flag>,
}

/// The program while it runs, and what it was told.
struct Running {
    pipe: Pipe,
    dialogue: Dialogue,
}

enum Last {
    Nothing,
    Sat,
    Unsat(Vec<(TermId, String)>),
}

#[derive(Default)]
struct Flag(AtomicBool);

impl Stop for Flag {
    fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn resume(&self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

impl Process {
    /// A solver of this profile. The program starts with the first formula.
    ///
    /// # Errors
    /// When the program is not installed.
    pub fn new(profile: Profile) -> Result<Process, SolverError> {
        find_program(&profile.program)?;
        Ok(Process {
            profile,
            limits: Limits::default(),
            levels: vec![Vec::new()],
            running: None,
            last: Last::Nothing,
            stop: Arc::default(),
        })
    }

    /// The running program, started and told everything when it does not run.
    fn running(&mut self, terms: &Terms) -> Result<&mut Running, SolverError> {
        if self.running.is_none() {
            let mut running = Running::start(&self.profile, self.limits)?;
            for (i, level) in self.levels.iter().enumerate() {
                if i > 0 {
                    running.dialogue.push();
                }
                for &formula in level {
                    running.dialogue.assert(terms, formula)?;
                }
            }
            self.running = Some(running);
        }
        self.running.as_mut().ok_or_else(|| StateError::Broken.into())
    }

    /// Sends everything with a question and waits for the answer.
    fn ask(&mut self, question: &str, time: Option<Duration>) -> Result<Result<String, Reason>, SolverError> {
        let deadline = time.and_then(|time| clock::now().after(time));
        let running = self.running.as_mut().ok_or(StateError::Broken)?;
        running.dialogue.unsent.push_str(question);
        running.dialogue.unsent.push('\n');
        let text = std::mem::take(&mut running.dialogue.unsent);
        running.pipe.send(text);
        let flag = &self.stop.0;
        let stop = || flag.load(Ordering::SeqCst);
        let received = loop {
            match running.pipe.receive(deadline, &stop) {
                // Options that a solver does not know do not matter.
                Received::Answer(word) if word == "unsupported" || word == "success" => {}
                received => break received,
            }
        };
        let failed = match received {
            Received::Answer(answer) if answer.starts_with("(error") => {
                self.running = None;
                return Err(SolverError::Refused { message: words(&answer) });
            }
            Received::Answer(answer) => return Ok(Ok(answer)),
            Received::Late => Reason::Timeout,
            Received::Stopped => Reason::Interrupted,
            Received::Ended(status) => Reason::Died(status),
        };
        self.running = None;
        Ok(Err(failed))
    }

    /// Asks something that should be answered at once.
    fn detail(&mut self, question: &str) -> Result<String, SolverError> {
        let answer = self.ask(question, Some(PATIENCE))?;
        answer
            .map_err(|reason| SolverError::Unreadable { command: cut(question), answer: reason.to_string() })
    }
}

/// The text of an error message.
fn words(answer: &str) -> String {
    answer.split('"').nth(1).unwrap_or(answer).to_owned()
}

fn cut(text: &str) -> String {
    text.chars().take(200).collect()
}

impl Running {
    fn start(profile: &Profile, limits: Limits) -> Result<Running, SolverError> {
        let pipe = Pipe::start(profile)?;
        if limits.memory.is_some() {
            pipe.limit_memory(limits.memory);
        }
        let mut dialogue = Dialogue::new();
        for (key, value) in &profile.options {
            dialogue.unsent.push_str(&format!("(set-option {key} {value})\n"));
        }
        if let Some(logic) = &profile.logic {
            dialogue.unsent.push_str(&format!("(set-logic {logic})\n"));
        }
        Ok(Running { pipe, dialogue })
    }
}

impl Solver for Process {
    fn name(&self) -> &str {
        &self.profile.name
    }

    fn assert(&mut self, terms: &Terms, term: TermId) -> Result<(), SolverError> {
        formula(terms, term)?;
        self.last = Last::Nothing;
        self.running(terms)?.dialogue.assert(terms, term)?;
        if let Some(level) = self.levels.last_mut() {
            level.push(term);
        }
        Ok(())
    }

    fn push(&mut self) -> Result<(), SolverError> {
        self.last = Last::Nothing;
        self.levels.push(Vec::new());
        if let Some(running) = &mut self.running {
            running.dialogue.push();
        }
        Ok(())
    }

    fn pop(&mut self) -> Result<(), SolverError> {
        if self.levels.len() == 1 {
            return Err(StateError::NoLevel.into());
        }
        self.last = Last::Nothing;
        self.levels.pop();
        // Z3 5.4 crashes when it is asked something after a recursive definition was forgotten.
        if self.running.as_mut().is_some_and(|running| running.dialogue.pop()) {
            self.running = None;
        }
        Ok(())
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<CheckResult, SolverError> {
        self.last = Last::Nothing;
        let mut named = Vec::new();
        for &assumption in assumptions {
            formula(terms, assumption)?;
            named.push((assumption, self.running(terms)?.dialogue.name(terms, assumption)?));
        }
        if self.stop.0.load(Ordering::SeqCst) {
            return Ok(CheckResult::Unknown(Reason::Interrupted));
        }
        self.running(terms)?;
        let question = question(&named);
        let answer = match self.ask(&question, self.limits.time)? {
            Ok(answer) => answer,
            Err(reason) => return Ok(CheckResult::Unknown(reason)),
        };
        match answer.as_str() {
            "sat" => {
                self.last = Last::Sat;
                Ok(CheckResult::Sat)
            }
            "unsat" => {
                self.last = Last::Unsat(named);
                Ok(CheckResult::Unsat)
            }
            "unknown" => Ok(CheckResult::Unknown(Reason::Incomplete(String::new()))),
            "timeout" => Ok(CheckResult::Unknown(Reason::Timeout)),
            other => {
                self.running = None;
                Err(SolverError::Unreadable { command: cut(&question), answer: cut(other) })
            }
        }
    }

    fn limits(&mut self, limits: Limits) -> Result<(), SolverError> {
        self.limits = limits;
        if let (Some(running), Some(_)) = (&self.running, limits.memory) {
            running.pipe.limit_memory(limits.memory);
        }
        Ok(())
    }
}

impl Model for Process {
    fn value(&mut self, terms: &mut Terms, term: TermId) -> Result<Option<Value>, SolverError> {
        if !matches!(self.last, Last::Sat) {
            return Err(StateError::NoModel.into());
        }
        let running = self.running.as_mut().ok_or(StateError::NoModel)?;
        let mut declarations = String::new();
        let text = running.dialogue.script.term(&mut declarations, terms, term)?;
        if !declarations.is_empty() {
            // Declaring would end the model in some solvers, so the term is evaluated here.
            let mut model = self.model(terms)?;
            let running = self.running.as_mut().ok_or(StateError::Broken)?;
            running.dialogue.unsent.push_str(&declarations);
            return Ok(Evaluator::new(terms).eval(term, &mut model).ok());
        }
        let answer = self.detail(&format!("(get-value ({text}))"))?;
        let sort = terms.sort(term);
        let running = self.running.as_ref().ok_or(StateError::Broken)?;
        Ok(Answers::new(terms, &running.dialogue.script).value(&answer, &running.dialogue.script, sort))
    }

    fn model(&mut self, terms: &mut Terms) -> Result<Assignment, SolverError> {
        if !matches!(self.last, Last::Sat) {
            return Err(StateError::NoModel.into());
        }
        let answer = self.detail("(get-model)")?;
        let running = self.running.as_ref().ok_or(StateError::Broken)?;
        let symbols: Vec<_> = running.dialogue.script.live_symbols();
        let model = Answers::new(terms, &running.dialogue.script).model(&answer, &running.dialogue.script);
        let unreadable =
            || SolverError::Unreadable { command: "(get-model)".to_owned(), answer: cut(&answer) };
        let mut model = model.ok_or_else(unreadable)?;
        for fun in symbols {
            if model.interpretation(fun).is_some() {
                continue;
            }
            if terms.fun(fun).params.is_empty() {
                // Solvers leave out what does not matter, but they have a value for it.
                let constant = terms.constant_term(fun);
                if let Some(value) = self.value(terms, constant)? {
                    model.set(fun, value);
                }
            } else if let Some(rest) = Value::default_of(terms, terms.fun(fun).result) {
                let named_there = answer.contains("define-fun");
                if !named_there || !self.mentions(&answer, fun) {
                    model.interpret(fun, Interpretation::Table(Default::default(), Some(rest)));
                }
            }
        }
        Ok(model)
    }
}

impl Process {
    /// True when the text of a model says something about a function.
    fn mentions(&self, answer: &str, fun: smt::term::FunId) -> bool {
        let symbols =
            self.running.as_ref().map(|running| running.dialogue.script.symbols()).unwrap_or_default();
        symbols.iter().any(|(id, name)| *id == fun && answer.contains(&smt::print::symbol_text(name)))
    }
}

impl UnsatCore for Process {
    fn unsat_core(&mut self) -> Result<Vec<TermId>, SolverError> {
        let Last::Unsat(named) = &self.last else { return Err(StateError::NoCore.into()) };
        let named = named.clone();
        if named.is_empty() || !self.profile.cores {
            return Ok(named.into_iter().map(|(term, _)| term).collect());
        }
        let answer = self.detail("(get-unsat-assumptions)")?;
        let names: Vec<&str> = answer.split(['(', ')', ' ', '\n', '|']).collect();
        Ok(named.iter().filter(|(_, name)| names.contains(&name.as_str())).map(|(term, _)| *term).collect())
    }
}

impl Interrupt for Process {
    fn interrupter(&self) -> Interrupter {
        Interrupter(self.stop.clone())
    }
}
