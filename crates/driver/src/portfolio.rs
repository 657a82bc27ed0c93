//! The supervisor of one query: starts engines, shares what they find out, has evidence checked, and ends them all when
//! a verdict stands or the time is over. It uses no solver and believes nobody but the checker.
//!
//! At most so many engines run at once as the user allows; the others rest, and take turns that get longer, so that an
//! engine that does not come to an end cannot keep the next one from a quick success.

use crate::job::{Duty, Job, Message};
use crate::validate::Validation;
use crate::verify::VerifyOptions;
use crate::workers::{Event, WorkerId, Workers};
use engines::EngineInfo;
use engines::horn::HornEngineInfo;
use engines::systems::SystemEngineInfo;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use svlib::session::{Answer, Report, Verdict};
use svlib::witness::Claim;

/// The time that an engine with rank 0 has for itself.
const HEAD_START: Duration = Duration::from_millis(200);
/// The time that it then has to say that it found nothing.
const PATIENCE: Duration = Duration::from_millis(300);
/// The first turn of an engine while others wait; each turn is twice as long. Short enough that a task that one engine
/// solves at once does not wait long for the others' turns, long enough for a process to begin its work, and longer for a
/// task that takes time to read: so much for each thousand bytes, as long as that is not too much.
const FIRST_TURN: Duration = Duration::from_millis(60);
const FIRST_TURN_PER_KB: Duration = Duration::from_micros(500);
const LONGEST_FIRST_TURN: Duration = Duration::from_millis(300);
/// So long an engine rests while the checker works, which is likely to have the last word.
const CHECK_TURN: Duration = Duration::from_secs(30);
/// How far the seed of an engine's full run is from the one of its head start.
const SECOND_SEED: u64 = 1 << 32;
/// How much longer than agreed a checker may take to hand over a smaller witness.
const GRACE: Duration = Duration::from_millis(200);
/// The name under which the evidence of an earlier query is tried.
const EARLIER: &str = "earlier";
/// Facts that are passed on; an engine that invents them without end must not fill the memory.
const MOST_FACTS: usize = 10_000;

/// The first turn of an engine for a task with that text.
fn first_turn(script: &str) -> Duration {
    let kb = u32::try_from(script.len() / 1000).unwrap_or(u32::MAX);
    FIRST_TURN_PER_KB.saturating_mul(kb).saturating_add(FIRST_TURN).min(LONGEST_FIRST_TURN)
}

/// An engine, whatever it is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) rank: u8,
    /// How many times as long its turns are, after the first one.
    pub(crate) share: u32,
}

impl From<&EngineInfo> for Contender {
    fn from(info: &EngineInfo) -> Contender {
        Contender { name: info.name, rank: info.rank, share: 1 }
    }
}

impl From<&HornEngineInfo> for Contender {
    fn from(info: &HornEngineInfo) -> Contender {
        Contender { name: info.name, rank: info.rank, share: 1 }
    }
}

impl From<&SystemEngineInfo> for Contender {
    fn from(info: &SystemEngineInfo) -> Contender {
        Contender { name: info.name, rank: info.rank, share: info.share }
    }
}

/// How a search ended.
pub(crate) enum Ending {
    /// With evidence that the checker confirmed.
    Certified {
        claim: Claim,
        /// The witness as it was found.
        witness: String,
        /// The same with what it does not need left out, confirmed as well.
        smaller: Option<String>,
        notes: Vec<String>,
    },
    /// Without: why.
    Unknown(String),
}

impl Ending {
    /// The answer to a question about a system or clauses that ended so.
    pub(crate) fn answer(self, mut report: Report, options: &VerifyOptions, begin: Instant) -> Answer {
        report.solver = Some(options.solver.clone());
        report.total = begin.elapsed();
        match self {
            Ending::Unknown(reason) => Answer { report, ..Answer::without(Verdict::Unknown(reason)) },
            Ending::Certified { claim, witness, notes, .. } => {
                let verdict = match claim {
                    Claim::Correct => Verdict::Correct,
                    Claim::Incorrect => Verdict::Incorrect,
                };
                Answer { verdict, witness: Some(witness), notes, report }
            }
        }
    }
}

/// A worker and what it is for.
struct Active {
    worker: WorkerId,
    role: Role,
    notes: Vec<String>,
    /// When its turn began, and the time of the turns before.
    since: Instant,
    ran: Duration,
    /// The end of its turn, while it runs.
    turn_ends: Option<Instant>,
    turn: Duration,
    /// It looks at a smaller program.
    reduced: bool,
}

impl Active {
    fn is_search(&self) -> bool {
        matches!(self.role, Role::Search { .. })
    }

    /// How long its next turn is: twice as long as the one before.
    fn next_turn(&mut self) -> Duration {
        self.turn *= 2;
        match self.role {
            Role::Search { share, .. } => self.turn * share,
            Role::Check { .. } => self.turn,
        }
    }

    /// The time that it ran, without its rests.
    fn spent(&self) -> Duration {
        self.ran + if self.turn_ends.is_some() { self.since.elapsed() } else { Duration::ZERO }
    }
}

#[derive(Clone)]
enum Role {
    /// Looks for evidence.
    Search { engine: &'static str, order: usize, share: u32, head_start: bool },
    /// Judges evidence that the engine found.
    Check {
        engine: &'static str,
        order: usize,
        claim: Claim,
        witness: String,
        notes: Vec<String>,
        /// The engine found it in a smaller program.
        reduced: bool,
    },
}

/// One search.
pub(crate) struct Search<'a> {
    pub(crate) workers: &'a mut dyn Workers,
    /// What all jobs have in common.
    pub(crate) job: Job,
    pub(crate) jobs: usize,
    pub(crate) deadline: Instant,
    pub(crate) report: Report,
    active: Vec<Active>,
    /// The engines, by their places in the order.
    engines: Vec<Contender>,
    waiting: VecDeque<(usize, Contender)>,
    /// Why engines gave up, with their places in the order.
    reasons: Vec<(usize, String)>,
    pub(crate) facts: Vec<String>,
    /// Engines with rank 0 had their head start.
    again: bool,
    /// The engines that shall look at the whole program.
    whole: Vec<usize>,
}

impl<'a> Search<'a> {
    /// A search that begins now.
    pub(crate) fn new(workers: &'a mut dyn Workers, job: Job, jobs: usize, deadline: Instant) -> Self {
        Search {
            workers,
            job,
            jobs: jobs.max(1),
            deadline,
            report: Report::default(),
            active: Vec::new(),
            engines: Vec::new(),
            waiting: VecDeque::new(),
            reasons: Vec::new(),
            facts: Vec::new(),
            again: false,
            whole: Vec::new(),
        }
    }

    /// Runs the engines until a verdict stands. `earlier` is a correctness witness of another query, which might be one
    /// of this query, too.
    pub(crate) fn run(&mut self, engines: &[Contender], earlier: Option<&str>) -> Ending {
        self.facts = self.job.hints.clone();
        self.engines = engines.to_vec();
        if let Some(witness) = earlier {
            let (engine, order, claim, witness) = (EARLIER, engines.len(), Claim::Correct, witness.into());
            self.check(Role::Check { engine, order, claim, witness, notes: Vec::new(), reduced: false });
        }
        let mut ordered: Vec<(usize, Contender)> = engines.iter().copied().enumerate().collect();
        ordered.sort_by_key(|(_, info)| info.rank);
        let (first, others): (Vec<_>, Vec<_>) = ordered.iter().partition(|(_, info)| info.rank == 0);
        if !others.is_empty() {
            for &(order, info) in &first {
                self.search(order, info, true);
            }
            self.again = true;
        }
        self.waiting = others.into_iter().chain(first).collect();
        if engines.is_empty() && earlier.is_none() {
            return Ending::Unknown("none of the engines that may be used is for this kind of task".into());
        }
        let ending = self.watch();
        self.end_all();
        ending
    }

    /// Has the trace before the query looked at; the script with that trace.
    pub(crate) fn replay(&mut self, script: String) -> Ending {
        let job = Job { duty: Duty::Replay, script, ..self.job.clone() };
        self.start(job, Role::Search { engine: "replay", order: 0, share: 1, head_start: false });
        let ending = self.watch();
        self.end_all();
        ending
    }

    /// Has a witness judged.
    pub(crate) fn judge(&mut self, claim: Option<Claim>, witness: &str) -> Validation {
        match self.ask(Duty::Check(claim, witness.into())) {
            Ok(Message::Judged(result)) => result,
            Ok(_) => Validation::Unknown("the checker answers something that nobody asked".into()),
            Err(reason) => Validation::Unknown(format!("the checker has no result: {reason}")),
        }
    }

    /// Has the query executed once.
    pub(crate) fn simulate(&mut self) -> Result<String, String> {
        match self.ask(Duty::Simulate)? {
            Message::Ran(text) => Ok(text),
            Message::Nothing(reason) => Err(reason),
            _ => Err("its worker answers something that nobody asked".into()),
        }
    }

    /// The result of one worker.
    fn ask(&mut self, duty: Duty) -> Result<Message, String> {
        let job = Job { duty, timeout: self.left(), ..self.job.clone() };
        let worker =
            self.workers.start(&job).map_err(|error| format!("its worker does not start: {error}"))?;
        let result = loop {
            match self.workers.wait(self.deadline) {
                Event::Message(_, Message::Fact(_) | Message::Note(_) | Message::Peak(_)) => {}
                Event::Message(from, message) if from == worker => break Ok(message),
                Event::Ended(from, how) if from == worker => {
                    break Err(format!("its worker ended without an answer: {how}"));
                }
                Event::Message(..) | Event::Ended(..) => {}
                Event::Late => break Err("the time is over".into()),
                Event::Interrupted => break Err("interrupted".into()),
            }
        };
        self.workers.kill(worker);
        self.report.peak_kib = self.workers.peak_kib();
        result
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Starts an engine. It stops a little before the others stop listening, so that it can say why it found nothing.
    fn search(&mut self, order: usize, info: Contender, head_start: bool) {
        let left = self.left();
        let reserve = (left / 20).min(Duration::from_millis(500));
        let timeout = if head_start { HEAD_START.min(left / 2) } else { left - reserve };
        // An engine that comes a second time need not do the same again.
        let seed = self.job.seed.wrapping_add(if self.again && info.rank == 0 { SECOND_SEED } else { 0 });
        let (duty, hints) = (Duty::Search(info.name.into()), self.facts.clone());
        let preprocess = self.job.preprocess && !self.whole.contains(&order);
        let job = Job { duty, hints, timeout, seed, preprocess, ..self.job.clone() };
        self.start(job, Role::Search { engine: info.name, order, share: info.share, head_start });
    }

    fn start(&mut self, job: Job, role: Role) {
        let job = if job.timeout.is_zero() { Job { timeout: self.left(), ..job } } else { job };
        let now = Instant::now();
        match self.workers.start(&job) {
            Ok(worker) => {
                let turn = match role {
                    Role::Search { head_start: true, .. } => HEAD_START + PATIENCE,
                    Role::Search { .. } => first_turn(&job.script),
                    Role::Check { .. } => CHECK_TURN,
                };
                let (turn_ends, notes) = (Some(now + turn), Vec::new());
                let (since, ran) = (now, Duration::ZERO);
                let reduced = false;
                self.active.push(Active { worker, role, notes, since, ran, turn_ends, turn, reduced });
            }
            Err(error) => self.give_up(&role, &format!("its worker does not start: {error}")),
        }
    }

    fn watch(&mut self) -> Ending {
        loop {
            self.take_turns();
            if self.active.is_empty() {
                return Ending::Unknown(self.reasons_in_order());
            }
            match self.workers.wait(self.wake_up()) {
                Event::Interrupted => return Ending::Unknown("interrupted".into()),
                Event::Late if Instant::now() >= self.deadline => {
                    let roles: Vec<Role> = self.active.iter().map(|active| active.role.clone()).collect();
                    roles.iter().for_each(|role| self.give_up(role, "the time is over"));
                    return Ending::Unknown(self.reasons_in_order());
                }
                Event::Late => {}
                Event::Message(worker, message) => {
                    if let Some(ending) = self.hear(worker, message) {
                        return ending;
                    }
                }
                Event::Ended(worker, how) => {
                    if let Some(at) = self.position(worker) {
                        let active = self.active.remove(at);
                        self.workers.kill(worker);
                        self.give_up(&active.role, &format!("its worker ended without an answer: {how}"));
                    }
                }
            }
        }
    }

    fn position(&self, worker: WorkerId) -> Option<usize> {
        self.active.iter().position(|active| active.worker == worker)
    }

    fn hear(&mut self, worker: WorkerId, message: Message) -> Option<Ending> {
        let at = self.position(worker)?;
        match message {
            Message::Peak(_) => {}
            Message::Note(note) => self.active[at].notes.push(note),
            Message::Reduced => {
                self.active[at].reduced = true;
                if !self.job.preprocess {
                    self.look_at_all();
                }
            }
            Message::TooSmall => {
                self.active[at].reduced = false;
                self.look_at_all();
            }
            Message::Fact(fact) => self.share(worker, fact),
            Message::Judged(Validation::Confirmed) if matches!(self.active[at].role, Role::Check { .. }) => {
                let active = self.active.remove(at);
                return self.confirmed(active);
            }
            _ => {
                let active = self.active.remove(at);
                self.workers.kill(worker);
                self.result(active, message);
            }
        }
        None
    }

    fn share(&mut self, from: WorkerId, fact: String) {
        if self.facts.len() >= MOST_FACTS || self.facts.contains(&fact) {
            return;
        }
        let searching = |active: &&Active| active.is_search() && active.worker != from;
        for active in self.active.iter().filter(searching) {
            self.workers.tell(active.worker, &fact);
        }
        self.facts.push(fact);
    }

    /// Has evidence judged.
    fn check(&mut self, role: Role) {
        let Role::Check { claim, witness, .. } = &role else { return };
        let duty = Duty::Check(Some(*claim), witness.clone());
        let job = Job { duty, timeout: self.left(), ..self.job.clone() };
        self.start(job, role);
    }

    /// The verdict stands.
    fn confirmed(&mut self, active: Active) -> Option<Ending> {
        self.report.phase("check", active.spent());
        let Role::Check { engine, claim, witness, notes, .. } = active.role else { return None };
        self.report.engine = Some(engine.into());
        self.report.checker = Some("confirmed".into());
        self.end_all();
        let smaller = if self.job.minimise.is_zero() { None } else { self.smaller(active.worker) };
        self.workers.kill(active.worker);
        Some(Ending::Certified { claim, witness, smaller, notes })
    }

    /// Waits for the smaller witness of a checker that has confirmed the whole one.
    fn smaller(&mut self, checker: WorkerId) -> Option<String> {
        let begin = Instant::now();
        let until = self.deadline.min(begin + self.job.minimise + GRACE);
        let smaller = loop {
            match self.workers.wait(until) {
                Event::Message(from, Message::Smaller(witness)) if from == checker => break Some(witness),
                Event::Ended(from, _) if from == checker => break None,
                Event::Late | Event::Interrupted => break None,
                Event::Message(..) | Event::Ended(..) => {}
            }
        };
        self.report.phase("minimise", begin.elapsed());
        smaller
    }

    fn result(&mut self, active: Active, message: Message) {
        let spent = active.spent();
        match (active.role, message) {
            (Role::Search { engine, order, .. }, Message::Found(claim, witness)) => {
                self.report.phase(engine, spent);
                let (notes, reduced) = (active.notes, active.reduced);
                self.check(Role::Check { engine, order, claim, witness, notes, reduced });
            }
            (role @ Role::Search { engine, .. }, Message::Nothing(reason)) => {
                self.report.phase(engine, spent);
                self.give_up(&role, &reason);
            }
            (role @ Role::Check { .. }, Message::Judged(judged)) => {
                self.report.phase("check", spent);
                self.report.checker = Some(judged.word().into());
                if let Role::Check { order, claim, witness, reduced: true, .. } = &role {
                    // Perhaps the way back is to blame, unless the engine had nothing to say.
                    if *claim == Claim::Incorrect || witness.contains("(annotate-tag") {
                        self.whole.push(*order);
                        self.begin_again(*order);
                    }
                }
                let reason = match judged {
                    Validation::Rejected(reason) => format!("the checker rejects its evidence: {reason}"),
                    Validation::Unknown(reason) => format!("the checker cannot judge its evidence: {reason}"),
                    Validation::Confirmed => "the checker answers something that nobody asked".into(),
                };
                self.give_up(&role, &reason);
            }
            (role, _) => self.give_up(&role, "its worker answers something that nobody asked"),
        }
    }

    fn give_up(&mut self, role: &Role, reason: &str) {
        match role {
            Role::Search { head_start: true, .. } | Role::Check { engine: EARLIER, .. } => {}
            Role::Search { engine, order, .. } | Role::Check { engine, order, .. } => {
                self.reasons.push((*order, format!("{engine}: {reason}")));
            }
        }
    }

    fn reasons_in_order(&mut self) -> String {
        self.reasons.extend(
            self.waiting
                .drain(..)
                .map(|(order, info)| (order, format!("{}: the time is over before its turn", info.name))),
        );
        self.reasons.sort();
        self.reasons.dedup();
        let reasons: Vec<&str> = self.reasons.iter().map(|(_, reason)| reason.as_str()).collect();
        reasons.join("; ")
    }

    /// Ends all workers; the time that they took counts.
    fn end_all(&mut self) {
        for active in self.active.drain(..) {
            self.workers.kill(active.worker);
            match active.role {
                Role::Search { engine, .. } => self.report.phase(engine, active.spent()),
                Role::Check { .. } => self.report.phase("check", active.spent()),
            }
        }
        self.report.peak_kib = self.workers.peak_kib();
    }
}

#[cfg(test)]
mod tests;
mod turns;
mod whole;
