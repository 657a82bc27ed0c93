//! A worker's side: it does one job and says what came of it. It may run in a process of its own; it touches nothing
//! but its port.

use base::budget::Budget;
use certify::{Judged, Rejection, replay_trace};
use encode::prepare::{Prepared, prepare};
use engines::{Board, EngineInfo, Fact, Found, Problem};
use smt::sexpr::{Reader, Text, Tree};
use smt::term::Terms;
use std::cell::{Cell, RefCell};
use svlib::parse::Builder;
use svlib::print::command_text;
use svlib::syntax::{CommandKind, PropertyKind, Script, TagProperty, Trace, Violation};
use svlib::witness::Claim;

use crate::job::{Duty, Job, Message};
use crate::task::{check, limits, long_limits, read_task, witness_text};
use crate::validate::Validation;
use crate::{horn, minimise, simulate, systems};

/// How a worker speaks with whoever gave it the job.
pub trait Port {
    /// Says something.
    fn say(&self, message: &Message);

    /// Facts of other engines that arrived since the last call.
    fn news(&self) -> Vec<String>;
}

/// Does a job. The last message is the result.
pub fn work(job: &Job, budget: &Budget, port: &dyn Port) {
    let result = match &job.duty {
        Duty::Check(claim, witness) => Ok(judge(job, *claim, witness, budget, port)),
        Duty::Search(engine) => search(job, engine, budget, port),
        Duty::Replay => replay(job, budget, port),
        Duty::Simulate => simulate::once(job).map(Message::Ran),
    };
    port.say(&result.unwrap_or_else(Message::Nothing));
}

/// Judges a witness. What makes it smaller comes after the judgement, so that nothing is lost if it fails.
fn judge(job: &Job, claim: Option<Claim>, witness: &str, budget: &Budget, port: &dyn Port) -> Message {
    let judged = Message::Judged(check(job, claim, witness, budget));
    if job.minimise.is_zero() || judged != Message::Judged(Validation::Confirmed) {
        return judged;
    }
    port.say(&judged);
    let budget = budget.part(job.minimise);
    Message::Smaller(minimise::smaller(job, witness, &budget).unwrap_or_else(|| witness.into()))
}

fn search(job: &Job, engine: &str, budget: &Budget, port: &dyn Port) -> Result<Message, String> {
    if job.horn {
        return horn::search(job, engine, budget);
    }
    if let Some(index) = job.property {
        return systems::search(job, index, engine, budget);
    }
    let engine = engines::find(engine).ok_or_else(|| format!("there is no engine `{engine}`"))?;
    let mut terms = Terms::new();
    let script = read_task(&mut terms, &job.script)?.state.script;
    let command = script.commands.len().checked_sub(1).ok_or("the task is empty")?;
    let smaller = job.preprocess.then(|| prepare(&mut terms, &script, command)).flatten();
    let question = Question { job, script: &script, command, budget, port };
    if let Some(smaller) = &smaller {
        port.say(&Message::Reduced);
        match question.ask(&mut terms, engine, Some(smaller)) {
            Found::Nothing(reason) => return Ok(Message::Nothing(reason)),
            Found::Proof(commands) => {
                let commands = smaller.proof(&mut terms, commands);
                return Ok(question.proof(&terms, &commands));
            }
            Found::Violation(trace) => {
                let options = limits(job.assume_entry_requires);
                let trace = smaller.complete(&mut terms, &script, command, &trace, &options, budget);
                if let Some(trace) = trace {
                    return Ok(question.violation(&terms, trace));
                }
            }
        }
        // Whoever else looks at the smaller program should not, either.
        port.say(&Message::TooSmall);
    }
    Ok(match question.ask(&mut terms, engine, None) {
        Found::Nothing(reason) => Message::Nothing(reason),
        Found::Proof(commands) => question.proof(&terms, &commands),
        Found::Violation(trace) => question.violation(&terms, *trace),
    })
}

/// What an engine is asked.
struct Question<'a> {
    job: &'a Job,
    script: &'a Script,
    command: usize,
    budget: &'a Budget,
    port: &'a dyn Port,
}

impl Question<'_> {
    /// Runs an engine, perhaps on a smaller program.
    fn ask(&self, terms: &mut Terms, engine: &EngineInfo, smaller: Option<&Prepared>) -> Found {
        let builder = match read_task(terms, &self.job.script) {
            Ok(builder) => builder,
            Err(reason) => return Found::Nothing(reason),
        };
        let wall = Wall::new(self, builder, smaller);
        let (script, command) = smaller.map_or((self.script, self.command), |s| (&s.script, s.command));
        let problem = Problem {
            script,
            command,
            options: limits(self.job.assume_entry_requires),
            seed: self.job.seed,
            budget: self.budget.clone(),
            solver: &self.job.solver,
            board: &wall,
        };
        (engine.run)(terms, &problem)
    }

    fn proof(&self, terms: &Terms, commands: &[CommandKind]) -> Message {
        Message::Found(Claim::Correct, witness_text(terms, self.script, &self.job.header, commands))
    }

    fn violation(&self, terms: &Terms, trace: Trace) -> Message {
        if let Some(note) = entry_note(self.script, self.command, &trace) {
            self.port.say(&Message::Note(note));
        }
        violation(terms, self.script, self.job, trace)
    }
}

fn violation(terms: &Terms, script: &Script, job: &Job, trace: Trace) -> Message {
    let commands = [CommandKind::SelectTrace(Box::new(trace))];
    Message::Found(Claim::Incorrect, witness_text(terms, script, &job.header, &commands))
}

/// Decision 9: the trace before the query is replayed, and nothing else is looked at.
fn replay(job: &Job, budget: &Budget, port: &dyn Port) -> Result<Message, String> {
    let mut terms = Terms::new();
    let builder = read_task(&mut terms, &job.script)?;
    let script = &builder.state.script;
    let [.., selected, _] = &script.commands[..] else { return Err("no trace is selected".into()) };
    let CommandKind::SelectTrace(trace) = &selected.kind else { return Err("no trace is selected".into()) };
    let (command, options) = (script.commands.len() - 1, long_limits(job.assume_entry_requires));
    let mut solver = solver::open(&job.solver).map_err(|error| error.to_string())?;
    match replay_trace(&mut terms, script, command, trace, &options, &mut *solver, budget) {
        Judged::Confirmed => {
            port.say(&Message::Note("the selected trace ends as it claims".into()));
            Ok(violation(&terms, script, job, (**trace).clone()))
        }
        Judged::Rejected(Rejection::InvalidStep(index, reason)) => {
            let mut trace = (**trace).clone();
            let step = trace.steps.get(index).cloned().ok_or(reason.clone())?;
            trace.steps.truncate(index);
            trace.violation = Violation::InvalidStep(step);
            trace.using.clear();
            port.say(&Message::Note(reason));
            Ok(violation(&terms, script, job, trace))
        }
        Judged::Rejected(how) => Err(format!("the selected trace does not end as it claims: {how}")),
        Judged::Open(reason) => Err(reason),
    }
}

/// Decision 1: when only the entry's own `:requires` fails, the user should know that there is another reading.
fn entry_note(script: &Script, command: usize, trace: &Trace) -> Option<String> {
    let (Violation::Annotation(violated), CommandKind::Call(_, entry, _)) =
        (&trace.violation, &script.commands[command].kind)
    else {
        return None;
    };
    let body = script.procs[*entry].body;
    let at_entry = |p: &TagProperty| {
        p.kind == PropertyKind::Requires && p.meanings.iter().any(|(stmt, _)| Some(*stmt) == body)
    };
    violated.properties.iter().all(at_entry).then(|| {
        "the arguments break the :requires of the called procedure itself; an (assert …) about them before the \
         verify-call repairs the script, --entry-requires assume leaves such calls out"
            .into()
    })
}

/// Facts travel as `annotate-tag` commands. A builder of its own reads them, since the engine's script must not change
/// while it runs.
struct Wall<'a> {
    script: &'a Script,
    /// The program that the engine looks at, if it is another one: others speak of the program itself.
    smaller: Option<&'a Prepared>,
    builder: RefCell<Builder>,
    port: &'a dyn Port,
    /// What was known at the beginning.
    first: RefCell<Vec<String>>,
    /// Where the next text begins: addresses tell what was declared before what.
    base: Cell<u32>,
}

impl<'a> Wall<'a> {
    fn new(question: &'a Question<'a>, builder: Builder, smaller: Option<&'a Prepared>) -> Self {
        Wall {
            script: question.script,
            smaller,
            builder: RefCell::new(builder),
            port: question.port,
            first: RefCell::new(question.job.hints.clone()),
            base: Cell::new(1 << 31),
        }
    }

    fn read(&self, terms: &mut Terms, text: &str) -> Vec<Fact> {
        let base = self.base.get();
        let Some(next) = u32::try_from(text.len()).ok().and_then(|length| base.checked_add(length)) else {
            return Vec::new();
        };
        self.base.set(next);
        let source = Text::new(text, base);
        let (mut reader, mut tree, mut errors) = (Reader::new(source), Tree::new(), Vec::new());
        let mut builder = self.builder.borrow_mut();
        let known = builder.state.script.commands.len();
        while reader.read(&mut tree, &mut errors) {
            builder.command(terms, source, &tree, &mut errors);
        }
        let annotations = builder.state.script.commands[known..].iter().filter_map(|c| match &c.kind {
            CommandKind::AnnotateTag(annotation) => Some(annotation),
            _ => None,
        });
        let meanings = annotations.flat_map(|a| &a.properties).flat_map(|p| &p.meanings);
        let facts = meanings.map(|(stmt, property)| Fact {
            stmt: *stmt,
            kind: property.kind,
            terms: property.terms.clone(),
        });
        facts.collect::<Vec<_>>().into_iter().filter_map(|fact| self.forth(terms, fact)).collect()
    }

    /// What a fact says about the program that the engine looks at, if anything.
    fn forth(&self, terms: &mut Terms, fact: Fact) -> Option<Fact> {
        let Some(smaller) = self.smaller else { return Some(fact) };
        let about: Option<Vec<_>> = fact.terms.iter().map(|&term| smaller.forth(terms, term)).collect();
        let fact = Fact { terms: about?, ..fact };
        smaller.has(fact.stmt).then_some(fact)
    }
}

impl Board for Wall<'_> {
    fn publish(&self, terms: &mut Terms, fact: &Fact) {
        let mut about = fact.terms.clone();
        if let Some(smaller) = self.smaller {
            about.iter_mut().for_each(|term| *term = smaller.back(terms, *term));
        }
        if let Some(command) = engines::annotation(self.script, fact.stmt, fact.kind, about) {
            self.port.say(&Message::Fact(command_text(terms, self.script, &command)));
        }
    }

    fn news(&self, terms: &mut Terms) -> Vec<Fact> {
        let mut texts = std::mem::take(&mut *self.first.borrow_mut());
        texts.extend(self.port.news());
        texts.iter().flat_map(|text| self.read(terms, text)).collect()
    }
}
