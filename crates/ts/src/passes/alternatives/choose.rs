//! Which of several cases holds.
//!
//! Where all cases say something of one term, such as the place in a program, its value tells them apart. Otherwise a new
//! input chooses between two halves, if possible so that those of a half can be told apart. Of two halves only one counts, so
//! both may be told apart by the same inputs.

use super::Parts;
use super::relation::{Fact, Relation, facts};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};

/// If there are more cases, only inputs tell them apart: looking at what they say takes quadratic time.
const MOST: usize = 2_000;

/// Cases that are still to be told apart.
struct Group {
    cases: Vec<usize>,
    /// So many inputs were needed for it.
    depth: usize,
    /// What holds where they are looked at.
    known: Vec<TermId>,
}

enum Plan {
    Case(usize, Vec<TermId>),
    /// If this holds the one group, otherwise the other, by their positions.
    Branch(TermId, usize, usize),
}

/// The relation in which one of the cases holds.
pub(super) fn choose(parts: &mut Parts, terms: &mut Terms, cases: &[Relation]) -> Relation {
    let said: Vec<Vec<Fact>> = cases.iter().map(|case| says(parts, terms, case)).collect();
    let all = Group { cases: (0..cases.len()).collect(), depth: 0, known: Vec::new() };
    let (mut groups, mut plans, mut inputs) = (vec![all], Vec::new(), Vec::new());
    while plans.len() < groups.len() {
        let at = plans.len();
        let plan = match groups[at].cases.as_slice() {
            &[case] => Plan::Case(case, std::mem::take(&mut groups[at].known)),
            _ => {
                let (test, [then, other]) = split(parts, terms, &said, &groups[at], &mut inputs);
                groups.extend([then, other]);
                Plan::Branch(test, groups.len() - 2, groups.len() - 1)
            }
        };
        plans.push(plan);
    }
    let mut made: Vec<Relation> = Vec::new();
    made.resize_with(plans.len(), Relation::default);
    for (at, plan) in plans.into_iter().enumerate().rev() {
        made[at] = match plan {
            Plan::Case(case, known) => {
                let mut relation = cases[case].clone();
                relation.rest.retain(|formula| !known.contains(formula));
                relation
            }
            Plan::Branch(test, then, other) => {
                let (then, other) = (std::mem::take(&mut made[then]), std::mem::take(&mut made[other]));
                Relation::branch(terms, test, &then, &other)
            }
        };
    }
    made.swap_remove(0)
}

/// What a case says by its look, without symbols that have values.
fn says(parts: &mut Parts, terms: &Terms, case: &Relation) -> Vec<Fact> {
    let mut found: Vec<Fact> =
        case.rest.iter().flat_map(|&formula| facts(terms, formula)).flatten().collect();
    found.retain(|fact| !parts.speaks(terms, fact.formula));
    let mut seen = FxHashSet::default();
    found.retain(|fact| seen.insert(fact.term));
    found
}

/// How often a term has each of its values.
#[derive(Default)]
struct Count {
    cases: usize,
    values: Vec<(TermId, usize)>,
}

/// Two parts of a group, and what tells them apart.
fn split(
    parts: &mut Parts,
    terms: &mut Terms,
    said: &[Vec<Fact>],
    group: &Group,
    inputs: &mut Vec<TermId>,
) -> (TermId, [Group; 2]) {
    let best = best(said, &group.cases);
    let fact = |case: usize, term: TermId| said[case].iter().find(|fact| fact.term == term);
    let make = |cases: Vec<usize>, depth: usize, known: Vec<TermId>| Group { cases, depth, known };
    if let Some((term, value, true)) = best {
        let (then, other): (Vec<usize>, Vec<usize>) =
            group.cases.iter().partition(|&&case| fact(case, term).is_some_and(|fact| fact.value == value));
        let is_truth = terms.sort(term) == SortId::BOOL;
        let test = match is_truth {
            true if value == TermId::TRUE => term,
            true => terms.not(term),
            false => terms.app(Op::Eq, &[term, value]).unwrap_or(TermId::FALSE),
        };
        let formulas = |cases: &[usize]| -> Vec<TermId> {
            let formulas = cases.iter().filter_map(|&case| fact(case, term)).map(|fact| fact.formula);
            formulas.chain(group.known.iter().copied()).collect::<FxHashSet<_>>().into_iter().collect()
        };
        let known = [formulas(&then), if is_truth { formulas(&other) } else { group.known.clone() }];
        let [one, two] = known;
        return (test, [make(then, group.depth, one), make(other, group.depth, two)]);
    }
    if inputs.len() == group.depth {
        inputs.push(parts.add_input(terms, "choice", SortId::BOOL));
    }
    let (then, other): (Vec<usize>, Vec<usize>) = match best {
        Some((term, ..)) => group.cases.iter().partition(|&&case| fact(case, term).is_some()),
        None => {
            let (then, other) = group.cases.split_at(group.cases.len() / 2);
            (then.to_vec(), other.to_vec())
        }
    };
    let depth = group.depth + 1;
    let groups = [make(then, depth, group.known.clone()), make(other, depth, group.known.clone())];
    (inputs[group.depth], groups)
}

/// The term of which most cases say something, and not all the same; one of its values; and whether all cases do.
fn best(said: &[Vec<Fact>], cases: &[usize]) -> Option<(TermId, TermId, bool)> {
    if cases.len() > MOST {
        return None;
    }
    let (mut counts, mut order): (FxHashMap<TermId, Count>, Vec<TermId>) = Default::default();
    for fact in cases.iter().flat_map(|&case| &said[case]) {
        let count = counts.entry(fact.term).or_insert_with(|| {
            order.push(fact.term);
            Count::default()
        });
        count.cases += 1;
        match count.values.iter_mut().find(|(value, _)| *value == fact.value) {
            Some((_, often)) => *often += 1,
            None => count.values.push((fact.value, 1)),
        }
    }
    let useful = order.iter().filter(|term| counts[*term].values.len() > 1);
    let largest = |term: &TermId| counts[term].values.iter().map(|value| value.1).max().unwrap_or(0);
    // Of those that say equally much, the one that leaves the smallest part to be told apart, the first one if several do.
    let term = *useful.min_by_key(|term| {
        let count = &counts[*term];
        (cases.len() - count.cases, largest(term))
    })?;
    let count = &counts[&term];
    let value = count.values.iter().max_by_key(|value| value.1)?.0;
    Some((term, value, count.cases == cases.len()))
}
