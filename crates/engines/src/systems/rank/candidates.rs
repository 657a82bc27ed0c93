//! What a ranking function may be made of: numbers that the text of a system compares, variables, and truth values as numbers.

use rustc_hash::FxHashSet;
use smt::op::Op;
use smt::sort::{Sort, SortId};
use smt::subst::postorder_of;
use smt::term::{FunId, TermId, Terms};
use ts::System;

/// More candidates than these are not looked at.
const MOST: usize = 400;
/// Sums are made of so many of the first ones.
const SUMMED: usize = 14;

/// Numbers over the state variables, the most promising first.
pub(super) fn candidates(terms: &mut Terms, system: &System, formulas: &[TermId]) -> Vec<TermId> {
    let nows: FxHashSet<FunId> = system.states.iter().map(|state| state.now).collect();
    let known: FxHashSet<FunId> = nows.iter().chain(&system.rigid).copied().collect();
    let roots = formulas.iter().copied().chain(system.formulas());
    // What is made of state variables, and of something that changes.
    let mut of_state: FxHashSet<TermId> = FxHashSet::default();
    let mut changing: FxHashSet<TermId> = FxHashSet::default();
    let (mut numbers, mut truths) = (Vec::new(), Vec::new());
    for term in postorder_of(terms, roots) {
        let args = terms.args(term).to_vec();
        let fun = terms.applied(term);
        let is_known = fun.is_none_or(|fun| known.contains(&fun)) && !terms.has_vars(term);
        if !is_known || !args.iter().all(|arg| of_state.contains(arg)) {
            continue;
        }
        of_state.insert(term);
        if fun.is_some_and(|fun| nows.contains(&fun)) || args.iter().any(|arg| changing.contains(arg)) {
            changing.insert(term);
            match terms.sort(term) {
                SortId::BOOL => truths.push(term),
                sort if is_number(terms, sort) && fun.is_some() => numbers.push(term),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    for &variable in &numbers {
        found.push(variable);
        found.extend(opposite(terms, variable));
    }
    for &truth in &truths {
        distances(terms, truth, &mut found);
    }
    let first: Vec<TermId> = found.iter().copied().take(SUMMED).collect();
    for number in found.clone() {
        found.extend(at_least_zero(terms, number));
    }
    for truth in truths {
        let is_plain = matches!(terms.op(truth), Op::App | Op::Eq);
        if is_plain && let Some(both) = indicators(terms, truth) {
            found.extend(both);
        }
    }
    for (at, &left) in first.iter().enumerate() {
        for &right in &first[..at] {
            if [SortId::INT, SortId::REAL].contains(&terms.sort(left)) {
                found.extend(terms.app(Op::Add, &[left, right]));
            }
        }
    }
    let mut seen = FxHashSet::default();
    found.retain(|&term| seen.insert(term));
    found.truncate(MOST);
    found
}

fn is_number(terms: &Terms, sort: SortId) -> bool {
    [SortId::INT, SortId::REAL].contains(&sort) || matches!(terms.sorts.get(sort), Sort::BitVec(_))
}

/// What decreases when a number increases.
fn opposite(terms: &mut Terms, number: TermId) -> Option<TermId> {
    let op = if matches!(terms.sorts.get(terms.sort(number)), Sort::BitVec(_)) { Op::BvNot } else { Op::Neg };
    terms.app(op, &[number]).ok()
}

/// How far the sides of a comparison are apart, both ways.
fn distances(terms: &mut Terms, truth: TermId, found: &mut Vec<TermId>) {
    let &[left, right] = terms.args(truth) else { return };
    let is_word = matches!(terms.sorts.get(terms.sort(left)), Sort::BitVec(_));
    let op = match terms.op(truth) {
        Op::Le | Op::Lt | Op::Ge | Op::Gt | Op::Eq
            if [SortId::INT, SortId::REAL].contains(&terms.sort(left)) =>
        {
            Op::Sub
        }
        Op::BvUlt | Op::BvUle | Op::BvUgt | Op::BvUge | Op::BvSlt | Op::BvSle | Op::BvSgt | Op::BvSge => {
            Op::BvSub
        }
        Op::Eq if is_word => Op::BvSub,
        _ => return,
    };
    // The sides may have numbers of different sorts.
    found.extend(terms.app(op, &[left, right]));
    found.extend(terms.app(op, &[right, left]));
}

/// A number where it is positive, and zero elsewhere: it does not increase while something else is the matter.
fn at_least_zero(terms: &mut Terms, number: TermId) -> Option<TermId> {
    let zero = terms.int(0);
    let zero = match terms.sort(number) {
        SortId::INT => zero,
        SortId::REAL => terms.to_real(zero),
        _ => return None,
    };
    let positive = terms.app(Op::Gt, &[number, zero]).ok()?;
    terms.app(Op::Ite, &[positive, number, zero]).ok()
}

/// One where a formula holds and zero elsewhere, and the other way round.
fn indicators(terms: &mut Terms, truth: TermId) -> Option<[TermId; 2]> {
    let (zero, one) = (terms.int(0), terms.int(1));
    Some([terms.app(Op::Ite, &[truth, one, zero]).ok()?, terms.app(Op::Ite, &[truth, zero, one]).ok()?])
}
