//! Horn clauses, solved by the solver's own engine for them: property-directed reachability over the clauses' theories.
//!
//! Loops without invariants and procedures without contracts become unknown predicates ([`encode::horn`]); what Spacer
//! finds for them are the missing annotations. Without a solution there is a violation, but which execution it is has to
//! be found by others: a derivation says nothing of what happened inside a step.

use crate::readable::readable;
use crate::{Board, EngineInfo, Fact, Found, Problem, annotation};
use base::budget::Budget;
use encode::horn::{self, Annotation, Encoding};
use program::{Program, unranked};
use smt::sort::Sort;
use smt::term::{FunId, TermId, Terms};
use solver::z3::{Setting, Spacer};
use solver::{FullSolver, Horn, HornResult, Limits, Solution};
use std::time::Duration;
use svlib::interp::EntryRequires;
use svlib::syntax::CommandKind;

pub(crate) const INFO: EngineInfo = EngineInfo {
    name: "spacer",
    shows: "correct",
    summary: "Horn clauses solved by Spacer",
    rank: 10,
    run: search,
};

/// What the solver may spend on the question whether a conjunct follows from the others.
const EFFORT: u32 = 200_000;
/// Conjuncts of one annotation that are compared with each other.
const MOST_CONJUNCTS: usize = 60;

fn search(terms: &mut Terms, problem: &Problem<'_>) -> Found {
    let assumed = problem.options.entry_requires == EntryRequires::Assume;
    let program = match Program::new(problem.script, problem.command, &[], assumed) {
        Ok(program) => program,
        Err(error) => return Found::Nothing(error.to_string()),
    };
    let annotations = match annotations(terms, problem, &program) {
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

/// Ways to use Spacer, in the order in which they are tried.
const WAYS: &[Way] = &[
    // What the usual parameters find they mostly find at once.
    Way { settings: &[], share: 10, arrays: false },
    // Takes smaller steps back from what is to be excluded; at once where remainders of divisions matter.
    Way { settings: &[Setting::Switch("spacer.gpdr", true)], share: 10, arrays: false },
    // Generalises from all lemmas of a predicate together: finds relations between counters that others enumerate.
    Way { settings: &[Setting::Switch("spacer.global", true)], share: 2, arrays: false },
    Way { settings: QUANTIFIED, share: 2, arrays: true },
    Way { settings: &[], share: 1, arrays: false },
];

/// Looks for quantified facts about arrays.
const QUANTIFIED: &[Setting] = &[
    Setting::Switch("spacer.q3.use_qgen", true),
    Setting::Switch("spacer.ground_pobs", false),
    Setting::Switch("spacer.mbqi", false),
];

/// Parameters, and when they are tried.
struct Way {
    settings: &'static [Setting],
    /// It gets so much of the time that is left: all, a half, …
    share: u32,
    /// True for what makes sense for programs with arrays only.
    arrays: bool,
}

/// The time of a way when there is no limit.
const UNLIMITED: Duration = Duration::from_secs(600);
/// The least time of a way, so that it can do something.
const LEAST: Duration = Duration::from_secs(2);

/// Solutions of the clauses, or why there are none.
fn solve(terms: &mut Terms, encoding: &Encoding, budget: &Budget) -> Result<Vec<Solution>, String> {
    let is_array = |fun: &FunId| {
        let sorts = &terms.fun(*fun).params;
        sorts.iter().any(|&sort| matches!(terms.sorts.get(sort), Sort::Array(..)))
    };
    let arrays = encoding.problem.predicates.iter().any(is_array);
    let mut reason = String::from("the time is over");
    for way in WAYS.iter().filter(|way| arrays || !way.arrays) {
        if budget.is_over() {
            break;
        }
        let left = budget.remaining().unwrap_or(UNLIMITED);
        let limits = Limits::time((left / way.share).max(LEAST).min(left));
        match Spacer::with(way.settings).solve(terms, &encoding.problem, limits) {
            Ok(HornResult::Sat(solutions)) => return Ok(solutions),
            Ok(HornResult::Unsat(_)) => {
                return Err(match encoding.coarse.first() {
                    Some(reason) => reason.clone(),
                    None => "a violation can be derived from the Horn clauses".into(),
                });
            }
            Ok(HornResult::Unknown(why)) => reason = why.to_string(),
            Err(error) => return Err(error.to_string()),
        }
    }
    Err(reason)
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
