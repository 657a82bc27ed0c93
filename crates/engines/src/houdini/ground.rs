//! Questions without quantifiers.
//!
//! A goal `forall c. …` can fail only if it fails somewhere: a new constant names the place. What is known about all cells
//! is used there and at the other cells that the question speaks of. So a solver answers at once, and where a goal
//! fails it has a model; that other cells might have mattered costs a candidate, never a wrong one.

use base::id::Id;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::{rebuild, replace};
use smt::term::{Const, Fun, Role, TermId, Terms};

/// Places of one sort at which hypotheses are used, at most.
const MANY_PLACES: usize = 14;
/// Instances of one hypothesis at most.
const MANY_INSTANCES: usize = 300;

/// A goal with new constants in the place of its outermost bound variables. All goals of a question have the same ones:
/// one of them fails if it fails there.
pub(crate) fn goal(terms: &mut Terms, mut formula: TermId) -> TermId {
    let mut number = 0;
    while terms.op(formula) == Op::Forall {
        let args = terms.args(formula).to_vec();
        let Some((&body, variables)) = args.split_last() else { break };
        let mut map = FxHashMap::default();
        for &variable in variables {
            let place = place(terms, number, terms.sort(variable));
            map.insert(variable, place);
            number += 1;
        }
        formula = replace(terms, body, &map);
    }
    formula
}

fn place(terms: &mut Terms, number: usize, sort: SortId) -> TermId {
    let name = terms.names.intern(&format!("#place.{number}.{}", sort.index()));
    let fun = terms.declare(Fun { name, params: Box::new([]), result: sort, role: Role::Free });
    terms.constant_term(fun)
}

/// Hypotheses with instances in the place of what they say about everything. `about` is what is asked with them.
pub(crate) fn instances(terms: &mut Terms, hypotheses: &[TermId], about: &[TermId]) -> Vec<TermId> {
    if !hypotheses.iter().any(|&formula| terms.has_vars(formula)) {
        return hypotheses.to_vec();
    }
    let places = places(terms, hypotheses, about);
    let mut done = FxHashMap::default();
    hypotheses.iter().map(|&formula| weakened(terms, formula, &places, &mut done)).collect()
}

/// The places that formulas look at, by sort.
type Places = FxHashMap<SortId, Vec<TermId>>;

fn places(terms: &mut Terms, hypotheses: &[TermId], about: &[TermId]) -> Places {
    let (mut places, mut shifts, mut seen) = (Places::default(), Vec::new(), FxHashSet::default());
    // What is asked for comes first: there may be more places than can be looked at.
    let mut todo: Vec<TermId> = hypotheses.iter().rev().chain(about.iter().rev()).copied().collect();
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        todo.extend(terms.args(term));
        if !matches!(terms.op(term), Op::Select | Op::Store) {
            continue;
        }
        let at = terms.args(term)[1];
        if terms.has_vars(at) {
            shifts.extend(shift(terms, at));
            continue;
        }
        let known = places.entry(terms.sort(at)).or_default();
        if known.len() < MANY_PLACES && !known.contains(&at) {
            known.push(at);
        }
    }
    shifts.sort_unstable();
    shifts.dedup();
    if let Some(known) = places.get_mut(&SortId::INT) {
        for at in known.clone() {
            for &(back, by) in &shifts {
                let op = if back { Op::Add } else { Op::Sub };
                known.extend(terms.app(op, &[at, by]));
            }
        }
        known.truncate(2 * MANY_PLACES);
    }
    places
}

/// For an index `c + n` or `c - n` of a bound `c`: whether it is before `c`, and the number.
fn shift(terms: &Terms, at: TermId) -> Option<(bool, TermId)> {
    let [left, right] = *terms.args(at) else { return None };
    let is_number = matches!(terms.literal(right), Some(Const::Nat(_)));
    match terms.op(at) {
        Op::Sub if is_number && terms.op(left) == Op::Var => Some((true, right)),
        Op::Add if is_number && terms.op(left) == Op::Var => Some((false, right)),
        _ => None,
    }
}

/// A formula that follows from the given one: what it says about everything is said about places only.
fn weakened(
    terms: &mut Terms,
    formula: TermId,
    places: &Places,
    done: &mut FxHashMap<(TermId, bool), TermId>,
) -> TermId {
    let mut todo = vec![(formula, true)];
    while let Some(&(term, positive)) = todo.last() {
        if done.contains_key(&(term, positive)) {
            todo.pop();
            continue;
        }
        let args = terms.args(term).to_vec();
        let signs: Vec<bool> = match terms.op(term) {
            _ if !terms.has_vars(term) => Vec::new(),
            Op::And | Op::Or => vec![positive; args.len()],
            Op::Not => vec![!positive],
            Op::Implies => (0..args.len()).map(|i| (i + 1 == args.len()) == positive).collect(),
            _ => Vec::new(),
        };
        let parts: Vec<(TermId, bool)> = args.iter().copied().zip(signs).collect();
        let open: Vec<(TermId, bool)> =
            parts.iter().filter(|part| !done.contains_key(part)).copied().collect();
        if !open.is_empty() {
            todo.extend(open);
            continue;
        }
        let new = match terms.op(term) {
            Op::Forall if positive => everywhere(terms, term, places).map(|all| terms.and(&all)),
            _ if parts.is_empty() => None,
            _ => {
                let new: Vec<TermId> = parts.iter().map(|part| done[part]).collect();
                Some(rebuild(terms, term, &new))
            }
        };
        done.insert((term, positive), new.unwrap_or(term));
        todo.pop();
    }
    done.get(&(formula, true)).copied().unwrap_or(formula)
}

/// The instances of a formula about everything; none if there is a variable without places.
fn everywhere(terms: &mut Terms, term: TermId, places: &Places) -> Option<Vec<TermId>> {
    let args = terms.args(term).to_vec();
    let (&body, variables) = args.split_last()?;
    let mut found = vec![body];
    for &variable in variables {
        let there = places.get(&terms.sort(variable))?;
        let mut next = Vec::new();
        for &body in &found {
            for &place in there.iter().take(MANY_INSTANCES / found.len().max(1)) {
                next.push(replace(terms, body, &FxHashMap::from_iter([(variable, place)])));
            }
        }
        found = next;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::print::term_text;

    fn array(terms: &mut Terms, name: &str) -> TermId {
        let sort = terms.sorts.array(SortId::INT, SortId::INT);
        constant(terms, name, sort)
    }

    fn constant(terms: &mut Terms, name: &str, result: SortId) -> TermId {
        let name = terms.names.intern(name);
        let fun = terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free });
        terms.constant_term(fun)
    }

    /// `forall c. a[c - 1] <= a[c]`.
    fn sorted(terms: &mut Terms, array: TermId) -> TermId {
        let name = terms.names.intern("c");
        let index = terms.var(name, SortId::INT);
        let one = terms.int(1);
        let before = terms.app(Op::Sub, &[index, one]).expect("integers");
        let (left, right) = (terms.app(Op::Select, &[array, before]), terms.app(Op::Select, &[array, index]));
        let order = terms.app(Op::Le, &[left.expect("a cell"), right.expect("a cell")]).expect("integers");
        terms.bind(Op::Forall, &[index], order).expect("a formula")
    }

    #[test]
    fn instances_are_at_the_cells_of_the_goal_and_their_neighbours() {
        let mut terms = Terms::new();
        let (array, x) = (array(&mut terms, "a"), constant(&mut terms, "x", SortId::INT));
        let hypothesis = sorted(&mut terms, array);
        let cell = terms.app(Op::Select, &[array, x]).expect("a cell");
        let goal = terms.app(Op::Le, &[cell, x]).expect("integers");
        let found = instances(&mut terms, &[hypothesis], &[goal]);
        let text = term_text(&terms, found[0]).to_string();
        assert!(!terms.has_vars(found[0]), "{text}");
        assert!(text.contains("(select a x)") && text.contains("(+ x 1)"), "{text}");
    }

    #[test]
    fn what_is_denied_is_left_alone() {
        let mut terms = Terms::new();
        let array = array(&mut terms, "a");
        let (hypothesis, x) = (sorted(&mut terms, array), constant(&mut terms, "x", SortId::INT));
        let cell = terms.app(Op::Select, &[array, x]).expect("a cell");
        let about = terms.app(Op::Le, &[cell, x]).expect("integers");
        let denied = terms.not(hypothesis);
        assert_eq!(instances(&mut terms, &[denied], &[about]), [denied]);
        let condition = terms.app(Op::Implies, &[hypothesis, about]).expect("formulas");
        assert_eq!(instances(&mut terms, &[condition], &[about]), [condition]);
    }

    #[test]
    fn goals_get_places() {
        let mut terms = Terms::new();
        let array = array(&mut terms, "a");
        let formula = sorted(&mut terms, array);
        let first = goal(&mut terms, formula);
        assert!(!terms.has_vars(first));
        assert_eq!(first, goal(&mut terms, formula));
        assert_eq!(goal(&mut terms, first), first);
    }
}
