//! Steps say what words become: clauses often say what they were, and circuits need the next value.

use rustc_hash::FxHashSet;
use smt::isolate::isolated;
use smt::op::Op;
use smt::term::{TermId, Terms};

/// Of so many equations each is compared with the others.
const MANY: usize = 64;

/// The conditions of a step, with equations for words solved for what they become as far as that is possible. An equation about one
/// unknown comes before those about several.
pub(super) fn solved(terms: &mut Terms, conditions: Vec<TermId>, becomes: &[TermId]) -> Vec<TermId> {
    let mut open: FxHashSet<TermId> = becomes.iter().copied().collect();
    open.retain(|&next| terms.sorts.width(terms.sort(next)).is_some());
    for &condition in &conditions {
        for side in sides(terms, condition) {
            open.remove(&side);
        }
    }
    let mut left: Vec<(usize, TermId)> = conditions.iter().copied().enumerate().collect();
    left.retain(|&(_, condition)| is_about_words(terms, condition));
    left.truncate(MANY);
    let mut made = conditions;
    while !open.is_empty() && !left.is_empty() {
        let mut best: Option<(usize, Vec<(TermId, TermId)>)> = None;
        for (place, &(_, condition)) in left.iter().enumerate() {
            let found = isolated(terms, condition, |term| open.contains(&term));
            if !found.is_empty() && best.as_ref().is_none_or(|best| found.len() < best.1.len()) {
                best = Some((place, found));
            }
        }
        let Some((place, found)) = best else { break };
        let (at, _) = left.remove(place);
        let (next, value) = found[0];
        open.remove(&next);
        made[at] = terms.app(Op::Eq, &[next, value]).unwrap_or(made[at]);
    }
    made
}

fn sides(terms: &Terms, condition: TermId) -> Vec<TermId> {
    if terms.op(condition) == Op::Eq { terms.args(condition).to_vec() } else { Vec::new() }
}

fn is_about_words(terms: &Terms, condition: TermId) -> bool {
    let sides = sides(terms, condition);
    let operations = [Op::BvAdd, Op::BvSub, Op::BvXor, Op::BvNot, Op::BvNeg, Op::BvMul];
    sides.len() == 2 && sides.iter().any(|&side| operations.contains(&terms.op(side)))
}
