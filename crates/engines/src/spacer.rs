//! Horn clauses, solved by the solver's own engine for them: property-directed reachability over the clauses' theories.
//!
//! Loops without invariants and procedures without contracts become unknown predicates ([`encode::horn`]); what Spacer
//! finds for them are the missing annotations. Without a solution there is a violation, but which execution it is has to
//! be found by others: a derivation says nothing of what happened inside a step.

use crate::readable::readable;
use crate::{Board, EngineInfo, Fact, Found, Problem, annotation, ways};
use base::budget::Budget;
use encode::horn::{self, Annotation, Encoding};
use program::{Program, unranked};
use smt::term::{TermId, Terms};
use solver::{FullSolver, HornResult, Limits, Solution};
use std::time::Duration;
use svlib::interp::EntryRequires;
use svlib::syntax::CommandKind;

pub(crate) const INFO: EngineInfo = EngineInfo {
    name: "spacer",
    shows: "correct",
    summary: "Horn clauses solved by Spacer",
    rank: 10,
    run: |terms, problem| search(terms, problem, solve),
};

/// Finds solutions of the clauses of a program, or says why there are none.
pub(crate) type Solve = fn(&mut Terms, &Encoding, &Budget) -> Result<Vec<Solution>, String>;

/// What the solver may spend on the question whether a conjunct follows from the others.
const EFFORT: u32 = 200_000;
/// Conjuncts of one annotation that are compared with each other.
const MOST_CONJUNCTS: usize = 60;

/// Looks for the missing annotations with an engine for Horn clauses.
pub(crate) fn search(terms: &mut Terms, problem: &Problem<'_>, solve: Solve) -> Found {
    let assumed = problem.options.entry_requires == EntryRequires::Assume;
    let program = match Program::new(problem.script, problem.command, &[], assumed) {
        Ok(program) => program,
        Err(error) => return Found::Nothing(error.to_string()),
    };
    let annotations = match annotations(terms, problem, &program, solve) {
        Ok(annotations) => annotations,
        Err(reason) => return Found::Nothing(reason),
    };
    publish(terms, problem.board, &annotations);
    if !unranked(&program).is_empty() {
        let reason = "the invariants hold, but there are no ranking functions for what has to end";
        return Found::Nothing(reason.into());
    }
    evidence(problem, annotations)
}

/// The annotations that a program lacks in order to be correct, or why there are none.
pub(crate) fn annotations(
    terms: &mut Terms,
    problem: &Problem<'_>,
    program: &Program<'_>,
    solve: Solve,
) -> Result<Vec<Annotation>, String> {
    let encoding = horn::encode(terms, program).map_err(|error| error.to_string())?.reduced(terms);
    let solutions = solve(terms, &encoding, &problem.budget)?;
    let mut annotations = encoding.annotations(terms, &solutions)?;
    if let Ok(mut solver) = solver::open(problem.solver) {
        for annotation in &mut annotations {
            shorten(terms, &mut *solver, &mut annotation.formulas, &problem.budget);
            annotation.formulas = readable(terms, &annotation.formulas);
        }
    }
    Ok(annotations)
}

/// Solutions of the clauses by Spacer.
pub(crate) fn solve(
    terms: &mut Terms,
    encoding: &Encoding,
    budget: &Budget,
) -> Result<Vec<Solution>, String> {
    match ways::solve(terms, &encoding.problem, budget) {
        Ok(HornResult::Sat(solutions)) => Ok(solutions),
        Ok(HornResult::Unsat(_)) => Err(match encoding.coarse.first() {
            Some(reason) => reason.clone(),
            None => "a violation can be derived from the Horn clauses".into(),
        }),
        Ok(HornResult::Unknown(why)) => Err(why.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// Leaves out conjuncts that follow from the others, so that a reader sees what matters.
fn shorten(terms: &mut Terms, solver: &mut dyn FullSolver, formulas: &mut Vec<TermId>, budget: &Budget) {
    if formulas.len() > MOST_CONJUNCTS {
        return;
    }
    let mut limits = Limits::time(budget.remaining().unwrap_or(Duration::from_secs(60)));
    limits.resources = Some(EFFORT);
    if solver.limits(limits).is_err() {
        return;
    }
    let mut i = formulas.len();
    while i > 0 && !budget.is_over() {
        i -= 1;
        let mut assumptions = formulas.clone();
        assumptions[i] = terms.not(formulas[i]);
        if solver.check(terms, &assumptions).is_ok_and(|answer| answer.is_unsat()) {
            formulas.remove(i);
        }
    }
}

fn publish(terms: &mut Terms, board: &dyn Board, annotations: &[Annotation]) {
    for Annotation { stmt, kind, formulas } in annotations {
        for &formula in formulas {
            board.publish(terms, &Fact { stmt: *stmt, kind: *kind, terms: vec![formula] });
        }
    }
}

fn evidence(problem: &Problem<'_>, annotations: Vec<Annotation>) -> Found {
    let mut commands: Vec<CommandKind> = Vec::new();
    for Annotation { stmt, kind, formulas } in annotations {
        for formula in formulas {
            match annotation(problem.script, stmt, kind, vec![formula]) {
                Some(command) => commands.push(command),
                None => {
                    return Found::Nothing("an annotation was found for a statement without a tag".into());
                }
            }
        }
    }
    Found::Proof(commands)
}
