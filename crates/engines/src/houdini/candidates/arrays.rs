//! All cells of an array in a range satisfy something: what was stored there, what the text asks of a cell, an equality
//! with another array, an order.

use super::{Collector, Context, variables};
use crate::houdini::build::implies;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::eval::Evaluator;
use smt::op::Op;
use smt::sort::{Sort, SortId};
use smt::subst::{postorder, replace};
use smt::term::{TermId, Terms};

/// Indices at which a formula is tried in samples.
const TRIED: std::ops::RangeInclusive<i32> = -2..=9;
/// States in which it is tried.
const MANY_STATES: usize = 24;
/// Candidates at a site at most: formulas with quantifiers are hard.
const MANY: usize = 120;
/// Scalars that bound a range, and that cells are compared with, at most.
const MANY_SCALARS: usize = 8;

/// Formulas about all cells of a range.
pub(crate) fn cells(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    let arrays = arrays(terms, out);
    if arrays.is_empty() {
        return;
    }
    let index = index_variable(terms);
    let properties = properties(terms, context, out, &arrays, index);
    let ranges = ranges(terms, context, out, index);
    for &property in &properties {
        for &range in &ranges {
            if out.found.len() >= MANY {
                return;
            }
            let body = implies(terms, range, property);
            if holds_in_samples(terms, out, body, index) {
                out.sure(terms.bind(Op::Forall, &[index], body).unwrap_or(TermId::TRUE));
            }
        }
    }
}

/// The arrays of the site that are indexed by integers.
fn arrays(terms: &mut Terms, out: &Collector<'_>) -> Vec<TermId> {
    let is_array = |&&v: &&smt::term::FunId| {
        matches!(*terms.sorts.get(terms.fun(v).result), Sort::Array(SortId::INT, _))
    };
    let found: Vec<_> = out.site.variables.iter().filter(is_array).copied().collect();
    found.into_iter().map(|array| terms.constant_term(array)).collect()
}

/// A bound variable whose name nothing else has.
fn index_variable(terms: &mut Terms) -> TermId {
    let taken: FxHashSet<String> = terms.funs().map(|fun| terms.fun_name(fun).to_string()).collect();
    let free = (0..).map(|n| format!("cell{n}")).find(|name| !taken.contains(name)).unwrap_or_default();
    let name = terms.names.intern(&free);
    terms.var(name, SortId::INT)
}

/// Ranges of the index: from the beginning up to a term, from a term on, and between.
fn ranges(terms: &mut Terms, context: &Context<'_>, out: &Collector<'_>, index: TermId) -> Vec<TermId> {
    let zero = terms.int(0);
    let mut scalars = variables(terms, out.site, SortId::INT);
    scalars.truncate(MANY_SCALARS);
    let numbers: Vec<_> =
        context.text.numbers.iter().filter(|n| **n > dashu_int::IBig::ONE).cloned().collect();
    let numbers: Vec<TermId> = numbers.into_iter().rev().take(4).map(|number| terms.int(number)).collect();
    let ends: Vec<TermId> = scalars.iter().chain(&numbers).copied().collect();
    let mut found = Vec::new();
    let mut both = |terms: &mut Terms, a: Option<TermId>, b: Option<TermId>| {
        if let (Some(a), Some(b)) = (a, b) {
            found.push(terms.and(&[a, b]));
        }
    };
    for &end in &ends {
        let from = terms.app(Op::Le, &[zero, index]).ok();
        let below = terms.app(Op::Lt, &[index, end]).ok();
        both(terms, from, below);
        let at_most = terms.app(Op::Le, &[index, end]).ok();
        both(terms, from, at_most);
        let one = terms.int(1);
        let from_one = terms.app(Op::Le, &[one, index]).ok();
        both(terms, from_one, below);
    }
    for &start in &scalars {
        for &end in ends.iter().filter(|&&end| end != start) {
            let from = terms.app(Op::Le, &[start, index]).ok();
            let after = terms.app(Op::Lt, &[start, index]).ok();
            let below = terms.app(Op::Lt, &[index, end]).ok();
            both(terms, from, below);
            both(terms, after, below);
        }
    }
    found
}

/// What may hold of a cell.
fn properties(
    terms: &mut Terms,
    context: &Context<'_>,
    out: &Collector<'_>,
    arrays: &[TermId],
    index: TermId,
) -> Vec<TermId> {
    let mut found = Vec::new();
    for &atom in &context.text.atoms {
        for moved in at_index(terms, atom, index) {
            let negated = terms.not(moved);
            found.extend([moved, negated]);
        }
    }
    for &(array, at, element) in &context.text.stores {
        let cell = |terms: &mut Terms| terms.app(Op::Select, &[array, index]).ok();
        let Some(cell) = cell(terms) else { continue };
        let moved = replace(terms, element, &FxHashMap::from_iter([(at, index)]));
        found.extend(terms.app(Op::Eq, &[cell, moved]));
    }
    for &array in arrays {
        found.extend(of_array(terms, out, arrays, array, index));
    }
    let mut seen = FxHashSet::default();
    found.retain(|&property| out.site.can_say(terms, property) && seen.insert(property));
    found
}

/// An atom with the variables and terms at which it looks into arrays replaced by the index.
fn at_index(terms: &mut Terms, atom: TermId, index: TermId) -> Vec<TermId> {
    let mut places = Vec::new();
    for term in postorder(terms, atom) {
        if terms.op(term) == Op::Select
            && terms.sort(terms.args(term)[1]) == SortId::INT
            && !terms.has_vars(term)
        {
            let at = terms.args(term)[1];
            places.push(at);
            places.extend(
                smt::subst::constants(terms, at).into_iter().filter(|&c| terms.sort(c) == SortId::INT),
            );
        }
    }
    places.sort_unstable();
    places.dedup();
    let mut found = Vec::new();
    for place in places {
        let moved = replace(terms, atom, &FxHashMap::from_iter([(place, index)]));
        if moved != atom {
            found.push(moved);
        }
    }
    found
}

/// Equalities with other arrays, bounds of integer elements, order.
fn of_array(
    terms: &mut Terms,
    out: &Collector<'_>,
    arrays: &[TermId],
    array: TermId,
    index: TermId,
) -> Vec<TermId> {
    let mut found = Vec::new();
    let Ok(cell) = terms.app(Op::Select, &[array, index]) else { return found };
    for &other in arrays.iter().filter(|&&other| other > array) {
        if terms.sort(other) == terms.sort(array)
            && let Ok(there) = terms.app(Op::Select, &[other, index])
        {
            found.extend(terms.app(Op::Eq, &[cell, there]));
        }
    }
    if terms.sort(cell) != SortId::INT {
        return found;
    }
    let zero = terms.int(0);
    let mut scalars = variables(terms, out.site, SortId::INT);
    scalars.truncate(MANY_SCALARS);
    for scalar in scalars.into_iter().chain([zero, index]) {
        for op in [Op::Le, Op::Ge, Op::Eq] {
            found.extend(terms.app(op, &[cell, scalar]));
        }
    }
    let one = terms.int(1);
    if let Ok(before) = terms.app(Op::Sub, &[index, one])
        && let Ok(cell_before) = terms.app(Op::Select, &[array, before])
    {
        found.extend(terms.app(Op::Le, &[cell_before, cell]));
        found.extend(terms.app(Op::Ge, &[cell_before, cell]));
    }
    found
}

/// Tries a formula at some indices in some states.
fn holds_in_samples(terms: &mut Terms, out: &Collector<'_>, body: TermId, index: TermId) -> bool {
    let count = out.states.len().min(MANY_STATES);
    let mut instances = Vec::new();
    for value in TRIED {
        let value = terms.int(value);
        instances.push(replace(terms, body, &FxHashMap::from_iter([(index, value)])));
    }
    let mut evaluator = Evaluator::new(terms).with_fuel(5_000);
    (0..count).all(|i| {
        let mut state = out.states[i * out.states.len() / count].clone();
        !instances.iter().any(|&instance| matches!(evaluator.holds(instance, &mut state), Ok(false)))
    })
}
