//! Places that must not be visited for ever and are never visited at all: what shows that are invariants, and no ranking function
//! is needed. The evidence says `:check-true false` of the place.

use super::{annotate, evidence, solved};
use crate::{Found, Problem, annotation};
use program::{Program, unranked};
use smt::term::{TermId, Terms};
use svlib::syntax::{PropertyKind, StmtId};

/// So much of the time that is left, as a part of it, is for the invariants.
const PART: u32 = 2;

/// A proof without ranking functions, if invariants are enough.
pub(super) fn search(terms: &mut Terms, problem: &Problem<'_>, program: &mut Program<'_>) -> Option<Found> {
    let places = places(program)?;
    say(program, &places);
    let budget = match problem.budget.remaining() {
        Some(left) => problem.budget.part(left / PART),
        None => problem.budget.clone(),
    };
    let &Problem { script, command, options, seed, solver, board, .. } = problem;
    let shorter = Problem { script, command, options, seed, budget, solver, board };
    let found = solved(terms, &shorter, program);
    program.forget_added();
    let Found::Proof(mut commands) = evidence(problem, &[], &found.ok()?) else { return None };
    for place in places {
        commands.push(annotation(script, place, PropertyKind::CheckTrue, vec![TermId::FALSE])?);
    }
    Some(Found::Proof(commands))
}

/// The places that are enough, if there are such: those without which something has to be ranked.
fn places(program: &mut Program<'_>) -> Option<Vec<StmtId>> {
    let mut places = program.annotated();
    places.retain(|&stmt| {
        program.notes(stmt).has(PropertyKind::NotRecurring) && program.own_tag(stmt).is_some()
    });
    if !suffice(program, &places) {
        return None;
    }
    for place in places.clone() {
        let others: Vec<StmtId> = places.iter().copied().filter(|&other| other != place).collect();
        if suffice(program, &others) {
            places = others;
        }
    }
    Some(places)
}

/// True when nothing has to be ranked if these places are never visited.
fn suffice(program: &mut Program<'_>, places: &[StmtId]) -> bool {
    say(program, places);
    let suffice = unranked(program).is_empty();
    program.forget_added();
    suffice
}

fn say(program: &mut Program<'_>, places: &[StmtId]) {
    for &place in places {
        annotate(program, place, PropertyKind::CheckTrue, vec![TermId::FALSE]);
    }
}
