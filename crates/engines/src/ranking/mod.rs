//! Ranking functions for liveness properties.
//!
//! Which loops and recursions need one is read off the program ([`program::unranked`]). What happens in a round is
//! what the checker will ask about ([`rounds`]): with an unknown function in the place of the ranking function the
//! conditions say under which hypotheses it has to decrease, and on what. Coefficients of linear functions are then
//! guessed from samples of rounds, and each guess is checked for all rounds; a round that refutes it is the next sample.
//! Several functions are combined lexicographically ([`linear`]).
//!
//! Ranking functions need invariants. Simple ones are guessed and kept if they hold ([`support`]); what other engines
//! publish is taken among the guesses. If they are not enough for the rest of the task, the ranking functions are fixed
//! and the Horn clauses of the program with them are solved ([`crate::spacer`]).
//!
//! Where there is no ranking function, perhaps the place that must not be visited for ever is never visited ([`excluded`]).

mod excluded;
mod features;
mod linear;
mod rounds;
mod support;

use crate::board::wait;
use crate::{EngineInfo, Fact, Found, Problem, annotation, spacer};
use base::budget::Budget;
use program::{Need, Note, Origin, Program, Why, unranked};
use smt::term::{TermId, Terms};
use solver::{CheckResult, FullSolver, Limits, SolverError};
use std::time::Duration;
use support::Guess;
use svlib::interp::EntryRequires;
use svlib::syntax::{At, CommandKind, PropertyKind, StmtId};

pub(crate) const INFO: EngineInfo = EngineInfo {
    name: "ranking",
    shows: "correct",
    summary: "linear and lexicographic ranking functions for :recurring and :not-recurring",
    rank: 2,
    run: search,
};

/// How long the engine waits for invariants of others.
const WAITING: Duration = Duration::from_secs(10);

/// A ranking function: one term, or several that are compared lexicographically.
pub(crate) struct Rank {
    stmt: StmtId,
    terms: Vec<TermId>,
}

impl Rank {
    fn kind(&self) -> PropertyKind {
        if self.terms.len() == 1 { PropertyKind::Decreases } else { PropertyKind::DecreasesLex }
    }
}

fn search(terms: &mut Terms, problem: &Problem<'_>) -> Found {
    let assumed = problem.options.entry_requires == EntryRequires::Assume;
    let mut program = match Program::new(problem.script, problem.command, &[], assumed) {
        Ok(program) => program,
        Err(error) => return Found::Nothing(error.to_string()),
    };
    let needs = unranked(&program);
    if needs.is_empty() {
        return Found::Nothing("no ranking function is missing".into());
    }
    if needs.iter().any(|need| need.why == Why::Unfit || problem.script.stmts[need.stmt].tags.is_empty()) {
        return Found::Nothing("a cycle has no tag at which a ranking function could be".into());
    }
    let solver = match solver::open(problem.solver) {
        Ok(solver) => solver,
        Err(error) => return Found::Nothing(error.to_string()),
    };
    let mut asker = Asker { solver, budget: problem.budget.clone() };
    let (mut facts, mut first) = (Vec::new(), true);
    loop {
        facts.extend(problem.board.news(terms));
        match attempt(terms, problem, &mut program, &needs, &facts, &mut asker) {
            Ok((ranks, invariants)) => return evidence(problem, &ranks, &invariants),
            Err(Failure::Solver(error)) => return Found::Nothing(error.to_string()),
            Err(Failure::Nothing(reason)) => {
                program.forget_added();
                if std::mem::take(&mut first)
                    && let Some(found) = excluded::search(terms, problem, &mut program)
                {
                    return found;
                }
                // Invariants of others may come later.
                let known = facts.len();
                facts.extend(wait(terms, problem.board, &problem.budget.part(WAITING)));
                if facts.len() == known {
                    return Found::Nothing(reason);
                }
            }
        }
    }
}

/// Why an attempt failed.
pub(crate) enum Failure {
    /// The solver does not work.
    Solver(SolverError),
    /// Something was not found.
    Nothing(String),
}

impl From<SolverError> for Failure {
    fn from(error: SolverError) -> Failure {
        Failure::Solver(error)
    }
}

/// Ranking functions for all needs, and the invariants that support them and prove the rest of the task.
fn attempt(
    terms: &mut Terms,
    problem: &Problem<'_>,
    program: &mut Program<'_>,
    needs: &[Need],
    facts: &[Fact],
    asker: &mut Asker,
) -> Result<(Vec<Rank>, Vec<Guess>), Failure> {
    let guesses = support::guesses(terms, program, facts);
    let held = support::keep(terms, program, guesses, asker)?;
    for guess in &held {
        annotate(program, guess.stmt, guess.kind, vec![guess.formula]);
    }
    let mut ranks: Vec<Rank> = Vec::new();
    for group in rounds::groups(terms, program, needs)? {
        let found = linear::synthesise(terms, &group, asker)?;
        for rank in found {
            let fact = Fact { stmt: rank.stmt, kind: rank.kind(), terms: rank.terms.clone() };
            problem.board.publish(terms, &fact);
            ranks.push(rank);
        }
    }
    program.forget_added();
    for rank in &ranks {
        annotate(program, rank.stmt, rank.kind(), rank.terms.clone());
    }
    match support::prove_rest(terms, program, &held, asker) {
        Ok(()) => {}
        Err(Failure::Nothing(_)) => return Ok((ranks, solved(terms, problem, program)?)),
        Err(failure) => return Err(failure),
    }
    let needed = support::needed(terms, program, held, asker)?;
    Ok((ranks, needed))
}

/// With the ranking functions fixed, the rest is a question of invariants and contracts, for the ranking functions and for
/// what else the task demands.
fn solved(terms: &mut Terms, problem: &Problem<'_>, program: &Program<'_>) -> Result<Vec<Guess>, Failure> {
    let found = spacer::annotations(terms, problem, program, spacer::solve).map_err(|reason| {
        Failure::Nothing(format!("there are ranking functions, but the rest is not proved: {reason}"))
    })?;
    let mut invariants = Vec::new();
    for annotation in found {
        let (stmt, kind) = (annotation.stmt, annotation.kind);
        invariants.extend(annotation.formulas.into_iter().map(|formula| Guess { stmt, kind, formula }));
    }
    Ok(invariants)
}

fn annotate(program: &mut Program<'_>, stmt: StmtId, kind: PropertyKind, terms: Vec<TermId>) {
    program.annotate(stmt, Note { kind, terms, origin: Origin::Added, at: At::default().0 });
}

fn evidence(problem: &Problem<'_>, ranks: &[Rank], invariants: &[Guess]) -> Found {
    let mut commands: Vec<CommandKind> = Vec::new();
    for guess in invariants {
        commands.extend(annotation(problem.script, guess.stmt, guess.kind, vec![guess.formula]));
    }
    for rank in ranks {
        match annotation(problem.script, rank.stmt, rank.kind(), rank.terms.clone()) {
            Some(command) => commands.push(command),
            None => return Found::Nothing("a loop without a tag needs a ranking function".into()),
        }
    }
    Found::Proof(commands)
}

/// The time of one question at most.
const PATIENCE: Duration = Duration::from_secs(5);

/// A solver that keeps the time.
pub(crate) struct Asker {
    solver: Box<dyn FullSolver>,
    budget: Budget,
}

impl Asker {
    /// Asks whether formulas are satisfiable; with a model, what it says of these terms.
    fn ask(
        &mut self,
        terms: &mut Terms,
        formulas: &[TermId],
        wanted: &[TermId],
    ) -> Result<(CheckResult, Vec<Option<smt::value::Value>>), Failure> {
        if self.budget.is_over() {
            return Err(Failure::Nothing("the time is over".into()));
        }
        let time = self.budget.remaining().map_or(PATIENCE, |left| left.min(PATIENCE));
        self.solver.limits(Limits::time(time))?;
        self.solver.push()?;
        for &formula in formulas.iter().filter(|&&formula| formula != TermId::TRUE) {
            self.solver.assert(terms, formula)?;
        }
        let answer = self.solver.check(terms, &[])?;
        let mut values = Vec::new();
        if answer.is_sat() {
            for &term in wanted {
                values.push(self.solver.value(terms, term)?);
            }
        }
        self.solver.pop()?;
        Ok((answer, values))
    }
}
