//! k-induction with auxiliary invariants, over the Horn clauses of the program ([`encode::horn`]).
//!
//! A property is k-inductive if it holds at a state whenever it held at the k states before. Whoever checks a proof knows
//! induction over one step only, so k-induction is done the other way round: `P(k)` says of a state that nothing bad
//! happens on the next k ways from cut point to cut point, whatever is decided on the way. `P(1)` is what the task demands of
//! the next way, `P(k+1)` is `P(k)` and that every next way leads to `P(k)`: weakest preconditions, by substitution. If
//! `P(k)` implies `P(k+1)`, which is so if the property is k-inductive, then `P(k)` is inductive by itself, and it is an
//! annotation. What is decided on a way is eliminated where that is easy, else `P` is quantified.
//!
//! What others publish about the cut points is assumed on the way and has to be shown in the end: all formulas together
//! are candidates of which those that hold are kept ([`crate::houdini`]). So if an auxiliary invariant was wrong, or
//! something could not be expressed, there is no proof.

mod back;
mod judge;
mod paths;
#[cfg(test)]
mod tests;

use crate::board::wait;
use crate::houdini::fixpoint::Stopped;
use crate::houdini::groups::conjuncts;
use crate::{EngineInfo, Fact, Found, Problem};
use back::{Back, Reached};
use encode::horn::{self, Encoding, Meaning};
use judge::{Judged, judge};
use paths::{Paths, summaries};
use program::{Program, unranked};
use smt::term::{TermId, Terms};
use solver::SolverError;
use std::collections::BTreeSet;
use std::time::Duration;
use svlib::interp::EntryRequires;
use svlib::syntax::CommandKind;

pub(crate) const INFO: EngineInfo = EngineInfo {
    name: "kinduction",
    shows: "correct",
    summary: "k-induction, with the invariants that others publish",
    rank: 11,
    run: search,
};

/// How long the engine waits for invariants of others.
const PATIENCE: Duration = Duration::from_secs(5);

/// So many ways back it is tried what has been found.
const LIMITS: [usize; 4] = [2, 4, 8, 16];

/// Why an attempt failed.
pub(crate) enum Failure {
    /// More time or other facts change nothing.
    Final(String),
    /// With more facts it may go better.
    Open(String),
}

impl From<SolverError> for Failure {
    fn from(error: SolverError) -> Failure {
        Failure::Final(error.to_string())
    }
}

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Failure {
        match stopped {
            Stopped::Time => Failure::Final("the time is over".into()),
            Stopped::Failed(reason) => Failure::Final(reason),
        }
    }
}

/// What is known or claimed about each unknown predicate, in terms of its parameters.
type Claims = Vec<Vec<TermId>>;

fn search(terms: &mut Terms, problem: &Problem<'_>) -> Found {
    let assumed = problem.options.entry_requires == EntryRequires::Assume;
    let program = match Program::new(problem.script, problem.command, &[], assumed) {
        Ok(program) => program,
        Err(error) => return Found::Nothing(error.to_string()),
    };
    if !unranked(&program).is_empty() {
        return Found::Nothing("k-induction finds no ranking functions".into());
    }
    let encoding = match horn::encode(terms, &program) {
        Ok(encoding) => encoding.reduced(terms),
        Err(error) => return Found::Nothing(error.to_string()),
    };
    let mut engine = Engine { problem, program, encoding, facts: Vec::new(), dropped: BTreeSet::new() };
    engine.run(terms)
}

struct Engine<'a> {
    problem: &'a Problem<'a>,
    program: Program<'a>,
    encoding: Encoding,
    /// What others claim.
    facts: Claims,
    /// Claims that turned out not to hold.
    dropped: BTreeSet<(usize, TermId)>,
}

impl Engine<'_> {
    fn run(&mut self, terms: &mut Terms) -> Found {
        self.facts = vec![Vec::new(); self.encoding.unknowns.len()];
        let news = self.problem.board.news(terms);
        self.learn(terms, &news);
        loop {
            match self.attempt(terms) {
                Ok(commands) => return Found::Proof(commands),
                Err(Failure::Final(reason)) => return Found::Nothing(reason),
                Err(Failure::Open(reason)) => loop {
                    let news = wait(terms, self.problem.board, &self.problem.budget.part(PATIENCE));
                    if news.is_empty() {
                        return Found::Nothing(reason);
                    }
                    if self.learn(terms, &news) {
                        break;
                    }
                },
            }
        }
    }

    /// Takes what others claim; true when there is something new in it.
    fn learn(&mut self, terms: &Terms, news: &[Fact]) -> bool {
        let mut grown = false;
        for fact in news {
            let meaning = Meaning::Annotation(fact.stmt, fact.kind);
            let Some(number) = self.encoding.unknowns.iter().position(|u| u.meaning == meaning) else {
                continue;
            };
            for formula in fact.terms.iter().flat_map(|&formula| conjuncts(terms, formula)) {
                let is_new = !self.facts[number].contains(&formula);
                if is_new && !self.dropped.contains(&(number, formula)) {
                    self.facts[number].push(formula);
                    grown = true;
                }
            }
        }
        grown
    }

    /// Goes back from what the task demands until it is inductive, or too much.
    fn attempt(&mut self, terms: &mut Terms) -> Result<Vec<CommandKind>, Failure> {
        let mut claims = self.facts.clone();
        let found = summaries(terms, &self.encoding);
        for ((claims, summary), unknown) in claims.iter_mut().zip(&found).zip(&self.encoding.unknowns) {
            claims.extend(summary.iter().chain(&unknown.known));
        }
        let steps = Paths::new(&self.encoding, &claims)
            .steps(terms)
            .ok_or_else(|| Failure::Final("there are too many ways from cut point to cut point".into()))?;
        let solver = solver::open(self.problem.solver)?;
        let budget = self.problem.budget.clone();
        let mut back = Back::new(&self.encoding, steps, claims, solver, budget);
        let mut dead = Vec::new();
        let mut reason = String::new();
        for limit in LIMITS {
            let reached = back.run(terms, limit)?;
            reason = match reached {
                Reached::Violation(ways) if self.encoding.coarse.is_empty() => {
                    let reason = format!("a violation after {ways} ways from cut point to cut point");
                    return Err(Failure::Final(reason));
                }
                Reached::Violation(_) => "the property does not follow from the contracts".into(),
                Reached::Closed(ways) => {
                    format!(
                        "the property is inductive over {ways} ways, but what that rests on does not hold"
                    )
                }
                Reached::Limit | Reached::TooMuch => back.reason(),
            };
            match judge(terms, self.problem, &self.encoding, &mut self.program, &back)? {
                Judged::Proof(commands) => return Ok(commands),
                Judged::Dead(claims) => dead = claims,
            }
            if reached != Reached::Limit {
                break;
            }
        }
        self.forget(&dead);
        Err(Failure::Open(reason))
    }

    /// Leaves out claims that do not hold.
    fn forget(&mut self, dead: &[(usize, TermId)]) {
        for &(number, formula) in dead {
            self.facts[number].retain(|&other| other != formula);
            self.dropped.insert((number, formula));
        }
    }
}
