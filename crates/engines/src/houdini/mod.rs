//! Guesses annotations and keeps what holds (Houdini).
//!
//! Candidates for invariants of loops and for contracts of procedures come from the text of the program and from states of
//! concrete executions, source by source, from cheap to rich. After each source the largest set of candidates is computed
//! that holds ([`fixpoint`]); if what the task demands follows from it, the needed ones are the proof, otherwise they
//! support the candidates of the next source.

mod build;
mod candidates;
pub(crate) mod fixpoint;
mod ground;
pub(crate) mod groups;
mod indices;
mod live;
mod minimise;
pub(crate) mod narrow;
mod prune;
mod relations;
mod samples;
mod shrink;
pub(crate) mod sites;
#[cfg(test)]
pub(crate) mod tests;
mod text;

use crate::{EngineInfo, Fact, Found, Problem, annotation};
use base::budget::Budget;
use candidates::{Context, Source, candidates};
use fixpoint::{Candidate, Fixpoint, Stopped};
use program::{Program, unranked};
use rustc_hash::FxHashSet;
use sites::Site;
use smt::eval::{Assignment, Evaluator};
use smt::term::{TermId, Terms};
use std::time::Duration;
use svlib::interp::{EntryRequires, Task};
use svlib::syntax::{CommandKind, Script};
use text::Text;

pub(crate) const INFO: EngineInfo = EngineInfo {
    name: "houdini",
    shows: "correct",
    summary: "guesses invariants and contracts from the text and from executions, and keeps what holds",
    rank: 1,
    run,
};

/// The time for executions.
const SAMPLING: Duration = Duration::from_millis(1500);
/// So often executions are sampled and candidates made of them: some need values that chance has to bring.
const ROUNDS: u64 = 3;
/// Candidates that are tried again at most.
const MANY_AGAIN: usize = 1_500;
/// The time without a limit from outside.
const LONG: Duration = Duration::from_secs(300);

fn run(terms: &mut Terms, problem: &Problem<'_>) -> Found {
    match Search::new(terms, problem) {
        Ok(search) => search.run(terms),
        Err(reason) => Found::Nothing(reason),
    }
}

struct Search<'a> {
    problem: &'a Problem<'a>,
    program: Program<'a>,
    sites: Vec<Site>,
    /// What was found to hold so far.
    held: Vec<Candidate>,
    /// What was tried, and in which order.
    seen: FxHashSet<Candidate>,
    tried: Vec<Candidate>,
    /// Candidates of attempts that were not finished.
    unfinished: Vec<Candidate>,
    /// All that was ever found to hold.
    proved: FxHashSet<Candidate>,
}

/// What came of a set of candidates.
enum Tried {
    /// They prove the task.
    Proof(Vec<Candidate>),
    /// So many conditions of the task do not follow from what holds.
    Holds(usize),
}

/// What candidates are made of.
struct World {
    text: Text,
    /// The states at each site.
    states: Vec<Vec<Assignment>>,
}

impl World {
    /// False when a sample shows that a candidate does not hold.
    fn allows(&self, terms: &Terms, candidate: &Candidate) -> bool {
        let mut evaluator = Evaluator::new(terms).with_fuel(10_000);
        let states = &self.states[candidate.site];
        let mut is_false =
            |state: &Assignment| matches!(evaluator.holds(candidate.formula, &mut state.clone()), Ok(false));
        !states.iter().step_by(7).any(&mut is_false)
    }
}

impl<'a> Search<'a> {
    fn new(terms: &mut Terms, problem: &'a Problem<'a>) -> Result<Search<'a>, String> {
        let assumed = problem.options.entry_requires == EntryRequires::Assume;
        let program = Program::new(problem.script, problem.command, &[], assumed);
        let program = program.map_err(|error| error.to_string())?;
        let sites = sites::sites(terms, &program);
        Ok(Search {
            problem,
            program,
            sites,
            held: Vec::new(),
            seen: FxHashSet::default(),
            tried: Vec::new(),
            unfinished: Vec::new(),
            proved: FxHashSet::default(),
        })
    }

    fn run(mut self, terms: &mut Terms) -> Found {
        let mut reason = match self.attempt(terms, Vec::new(), &self.share(4)) {
            Ok(Tried::Proof(needed)) => return self.proof(terms, &needed),
            Ok(Tried::Holds(failing)) => unproved(failing),
            Err(reason) => said(reason),
        };
        if self.sites.is_empty() {
            return Found::Nothing(format!("there is no place for an annotation, and {reason}"));
        }
        for round in 0..ROUNDS {
            match self.round(terms, self.problem.seed.wrapping_add(round)) {
                Ok(why) => reason = why.unwrap_or(reason),
                Err(found) => return found,
            }
        }
        Found::Nothing(format!("{} candidates hold, but {reason}", self.held.len()))
    }

    /// Tries what the text and executions suggest, source by source: why that does not suffice, if anything was tried, or what
    /// came of it.
    fn round(&mut self, terms: &mut Terms, seed: u64) -> Result<Option<String>, Found> {
        let mut reason = None;
        let script = self.problem.script;
        let shrunk = shrink::shrink(terms, script);
        let copy = shrunk.as_ref().map(|shrunk| self.world(terms, &shrunk.script, seed)).transpose();
        let (world, copy) = match (self.world(terms, script, seed), copy) {
            (Ok(world), Ok(copy)) => (world, copy),
            (Err(reason), _) | (_, Err(reason)) => return Err(Found::Nothing(reason)),
        };
        // The smaller copy has the better samples; the program itself comes after it.
        let mut plan: Vec<(Source, bool)> = Source::ALL.map(|source| (source, copy.is_some())).to_vec();
        if copy.is_some() {
            plan.insert(0, (Source::Textual, false));
            plan.extend(Source::ALL[1..].iter().map(|&source| (source, false)));
        }
        for (number, &(source, small)) in plan.iter().enumerate() {
            let mut new = match (&copy, &shrunk) {
                (Some(copy), Some(shrunk)) if small => {
                    let mut found = self.candidates(terms, copy, source);
                    // The values that cases are about may be copies or not.
                    let small = if source == Source::Cases { found.clone() } else { Vec::new() };
                    for candidate in &mut found {
                        candidate.formula = shrunk.enlarge(terms, candidate.formula);
                    }
                    found.extend(small);
                    found.retain(|candidate| world.allows(terms, candidate));
                    found
                }
                _ => self.candidates(terms, &world, source),
            };
            new.retain(|&candidate| self.seen.insert(candidate));
            new.extend(self.news(terms));
            self.tried.extend(&new);
            if source == Source::Again {
                new = self.again();
            }
            if new.is_empty() {
                continue;
            }
            let budget = self.share(plan.len() - number);
            match self.attempt(terms, new, &budget) {
                Ok(Tried::Proof(needed)) => return Err(self.proof(terms, &needed)),
                Ok(Tried::Holds(failing)) => reason = Some(unproved(failing)),
                Err(stopped) => reason = Some(said(stopped)),
            }
            if self.problem.budget.is_over() {
                return Err(Found::Nothing("the time is over".into()));
            }
        }
        Ok(reason)
    }

    /// What was tried and is not known to hold; if that is too much, what was left when the time of its attempt was over.
    fn again(&mut self) -> Vec<Candidate> {
        let unfinished = std::mem::take(&mut self.unfinished);
        let open = self.tried.iter().filter(|candidate| !self.proved.contains(candidate));
        let open: Vec<Candidate> = open.copied().collect();
        if open.len() > MANY_AGAIN && !unfinished.is_empty() { unfinished } else { open }
    }

    /// What is known about the program, or about its smaller copy.
    fn world(&self, terms: &mut Terms, script: &Script, seed: u64) -> Result<World, String> {
        let task = Task::new(terms, script, self.problem.command).map_err(|error| error.to_string())?;
        let program = Program::new(script, self.problem.command, &[], false);
        let text = text::text(terms, &program.map_err(|error| error.to_string())?);
        let sampling = self.problem.budget.part(SAMPLING);
        let options = self.problem.options;
        let states = samples::samples(terms, &task, &self.sites, &text, seed, options, &sampling);
        Ok(World { text, states })
    }

    fn candidates(&self, terms: &mut Terms, world: &World, source: Source) -> Vec<Candidate> {
        let (sites, proved) = (&self.sites, &self.proved);
        let context = Context { sites, text: &world.text, states: &world.states, proved };
        candidates(terms, &context, source)
    }

    /// A part of the time that is left, for the next of so many attempts.
    fn share(&self, attempts: usize) -> Budget {
        let left = self.problem.budget.remaining().unwrap_or(LONG);
        self.problem.budget.part(left * 2 / (attempts as u32 + 1))
    }

    /// Finds out which of the new candidates hold, with those that were found to hold before.
    fn attempt(&mut self, terms: &mut Terms, new: Vec<Candidate>, budget: &Budget) -> Result<Tried, Stopped> {
        let mut all = self.held.clone();
        all.extend(new);
        let solver = solver::open(self.problem.solver)?;
        let mut fixpoint = Fixpoint::new(terms, &mut self.program, &self.sites, &all, solver, budget)?;
        if let Err(stopped) = fixpoint.run(terms) {
            // The last attempt may go on with those that did not fail so far.
            let open = all.iter().zip(&fixpoint.alive).filter(|(_, alive)| **alive).map(|(c, _)| *c);
            let open = open.filter(|candidate| !self.held.contains(candidate));
            self.unfinished.extend(open.collect::<Vec<_>>());
            return Err(stopped);
        }
        let left = |fixpoint: &Fixpoint| -> Vec<Candidate> {
            all.iter().zip(&fixpoint.alive).filter(|(_, alive)| **alive).map(|(c, _)| *c).collect()
        };
        self.proved.extend(left(&fixpoint));
        fixpoint.prune(terms, &all)?;
        let failing = fixpoint.failing(terms)?;
        // Whoever looks for ranking functions may need more than what is left of a proof.
        if failing.is_empty() && unranked(&self.program).is_empty() {
            fixpoint.minimise(terms);
            return Ok(Tried::Proof(left(&fixpoint)));
        }
        let held = left(&fixpoint);
        self.publish(terms, &held);
        self.held = held;
        Ok(Tried::Holds(failing.len()))
    }

    /// What other engines claim, as candidates.
    fn news(&mut self, terms: &mut Terms) -> Vec<Candidate> {
        let mut found = Vec::new();
        for fact in self.problem.board.news(terms) {
            let here = |site: &Site| site.stmt == fact.stmt && site.kind == fact.kind;
            let Some(site) = self.sites.iter().position(here) else { continue };
            for &formula in &fact.terms {
                for formula in groups::conjuncts(terms, formula) {
                    let candidate = Candidate { site, formula };
                    if self.seen.insert(candidate) {
                        found.push(candidate);
                    }
                }
            }
        }
        found
    }

    fn publish(&self, terms: &mut Terms, held: &[Candidate]) {
        for candidate in held.iter().filter(|candidate| !self.held.contains(candidate)) {
            let Site { stmt, kind, .. } = self.sites[candidate.site];
            self.problem.board.publish(terms, &Fact { stmt, kind, terms: vec![candidate.formula] });
        }
    }

    /// The annotations that state the candidates.
    fn proof(&self, terms: &mut Terms, needed: &[Candidate]) -> Found {
        self.publish(terms, needed);
        let mut commands: Vec<CommandKind> = Vec::new();
        for (number, site) in self.sites.iter().enumerate() {
            let of_site = needed.iter().filter(|candidate| candidate.site == number);
            let formulas: Vec<TermId> = of_site.map(|candidate| candidate.formula).collect();
            if !formulas.is_empty() {
                let all = terms.and(&formulas);
                commands.extend(annotation(self.problem.script, site.stmt, site.kind, vec![all]));
            }
        }
        Found::Proof(commands)
    }
}

fn unproved(failing: usize) -> String {
    match failing {
        0 => "nobody looks for ranking functions here".into(),
        _ => format!("{failing} conditions of the task do not follow"),
    }
}

fn said(stopped: Stopped) -> String {
    match stopped {
        Stopped::Time => "the time is over".into(),
        Stopped::Failed(reason) => reason,
    }
}
