//! Guesses annotations and keeps what holds (Houdini).
//!
//! Candidates for invariants of loops and for contracts of procedures come from the text of the program and from states of
//! concrete executions, source by source, from cheap to rich. After each source the largest set of candidates is computed
//! that holds ([`fixpoint`]); if what the task demands follows from it, the needed ones are the proof, otherwise they
//! support the candidates of the next source.

mod build;
mod candidates;
mod fixpoint;
mod groups;
mod minimise;
mod relations;
mod samples;
mod sites;
mod text;

use crate::{EngineInfo, Fact, Found, Problem, annotation};
use base::budget::Budget;
use candidates::{Context, Source, candidates};
use fixpoint::{Candidate, Fixpoint, Stopped};
use program::Program;
use rustc_hash::FxHashSet;
use sites::Site;
use smt::term::{TermId, Terms};
use std::time::Duration;
use svlib::interp::{EntryRequires, Task};
use svlib::syntax::{CommandKind, PropertyKind};

pub(crate) const INFO: EngineInfo = EngineInfo {
    name: "houdini",
    shows: "correct",
    summary: "guesses invariants and contracts from the text and from executions, and keeps what holds",
    rank: 1,
    run,
};

/// The time for executions.
const SAMPLING: Duration = Duration::from_millis(1500);
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
    /// What was tried.
    seen: FxHashSet<Candidate>,
}

/// What came of a set of candidates.
enum Tried {
    /// They prove the task.
    Proof(Vec<Candidate>),
    /// They hold, but some conditions of the task do not follow.
    Holds(Vec<Candidate>, usize),
}

impl<'a> Search<'a> {
    fn new(terms: &mut Terms, problem: &'a Problem<'a>) -> Result<Search<'a>, String> {
        let assumed = problem.options.entry_requires == EntryRequires::Assume;
        let program = Program::new(problem.script, problem.command, &[], assumed);
        let program = program.map_err(|error| error.to_string())?;
        let sites = sites::sites(terms, &program);
        Ok(Search { problem, program, sites, held: Vec::new(), seen: FxHashSet::default() })
    }

    fn run(mut self, terms: &mut Terms) -> Found {
        let mut reason = match self.attempt(terms, Vec::new(), &self.share(4)) {
            Ok(Tried::Proof(needed)) => return self.proof(terms, &needed),
            Ok(Tried::Holds(_, failing)) => unproved(failing),
            Err(reason) => said(reason),
        };
        if self.sites.is_empty() {
            return Found::Nothing(format!("there is no place for an annotation, and {reason}"));
        }
        let task = match Task::new(terms, self.problem.script, self.problem.command) {
            Ok(task) => task,
            Err(error) => return Found::Nothing(error.to_string()),
        };
        let sampling = self.problem.budget.part(SAMPLING);
        let (seed, options) = (self.problem.seed, self.problem.options);
        let states = samples::samples(terms, &task, &self.sites, seed, options, &sampling);
        let text = text::text(terms, &self.program);
        let sites = self.sites.clone();
        let context = Context { sites: &sites, text: &text, states: &states };
        for (number, source) in Source::ALL.into_iter().enumerate() {
            let mut new = candidates(terms, &context, source, &mut self.seen);
            new.extend(self.news(terms));
            if new.is_empty() {
                continue;
            }
            let budget = self.share(Source::ALL.len() - number);
            match self.attempt(terms, new, &budget) {
                Ok(Tried::Proof(needed)) => return self.proof(terms, &needed),
                Ok(Tried::Holds(held, failing)) => {
                    reason = unproved(failing);
                    self.publish(terms, &held);
                    self.held = held;
                }
                Err(stopped) => reason = said(stopped),
            }
            if self.problem.budget.is_over() {
                return Found::Nothing("the time is over".into());
            }
        }
        Found::Nothing(format!("{} candidates hold, but {reason}", self.held.len()))
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
        fixpoint.run(terms)?;
        let failing = fixpoint.failing(terms)?;
        if failing.is_empty() {
            fixpoint.minimise(terms);
        }
        let held = all.iter().zip(&fixpoint.alive).filter(|(_, alive)| **alive).map(|(c, _)| *c).collect();
        Ok(if failing.is_empty() { Tried::Proof(held) } else { Tried::Holds(held, failing.len()) })
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

    fn publish(&self, terms: &Terms, held: &[Candidate]) {
        for candidate in held.iter().filter(|candidate| !self.held.contains(candidate)) {
            let Site { stmt, kind, .. } = self.sites[candidate.site];
            self.problem.board.publish(terms, &Fact { stmt, kind, terms: vec![candidate.formula] });
        }
    }

    /// The annotations that state the candidates.
    fn proof(&self, terms: &mut Terms, needed: &[Candidate]) -> Found {
        self.publish(terms, needed);
        if let Some(missing) = self.unranked() {
            return Found::Nothing(missing);
        }
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

    /// Liveness properties need ranking functions, which nobody looks for here.
    fn unranked(&self) -> Option<String> {
        let stmts = self.program.annotated();
        let live = |kind| matches!(kind, PropertyKind::Recurring | PropertyKind::NotRecurring);
        let is_live = stmts.iter().any(|&stmt| self.program.notes(stmt).0.iter().any(|n| live(n.kind)));
        let ranked = stmts.iter().any(|&stmt| self.program.notes(stmt).ranks().next().is_some());
        (is_live && !ranked)
            .then(|| "the invariants hold, but nobody looks for ranking functions here".into())
    }
}

fn unproved(failing: usize) -> String {
    format!("{failing} conditions of the task do not follow")
}

fn said(stopped: Stopped) -> String {
    match stopped {
        Stopped::Time => "the time is over".into(),
        Stopped::Failed(reason) => reason,
    }
}
