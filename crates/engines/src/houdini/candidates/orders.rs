//! Formulas about two cells: the cells of a range are in order, those of one range are not greater than those of another,
//! and all cells of some rows of an array of arrays satisfy something.

use super::arrays::{Range, bound_variable, index_variable, ranges};
use super::rows::Rows;
use super::{Collector, Context};
use crate::houdini::build::implies;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::eval::{Assignment, Evaluator};
use smt::op::Op;
use smt::sort::{Sort, SortId};
use smt::subst::{postorder, replace};
use smt::term::{TermId, Terms};
use smt::value::Value;

/// Indices at which formulas are tried.
const PLACES: std::ops::RangeInclusive<i32> = -1..=8;
/// States in which they are tried.
const MANY_STATES: usize = 30;
/// Ranges that are paired at most.
const MANY_RANGES: usize = 28;
/// Formulas about one property at most.
const MANY: usize = 40;
/// Pairs of cells at least: fewer are no evidence.
const FEW: usize = 6;
/// Properties of the text at most.
const MANY_PROPERTIES: usize = 12;
/// The effort of one evaluation.
const FUEL: u64 = 5_000;

/// Orders, and properties of arrays of arrays.
pub(crate) fn orders(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    if out.states.is_empty() {
        return;
    }
    let (first, second) = (index_variable(terms), bound_variable(terms, "other"));
    let mut rows = Rows::new(terms, out.states, first);
    let mut ranges = ranges(terms, context, out, &mut rows, first);
    // Ranges that were the same in all samples are the same here.
    let mut seen = FxHashSet::default();
    ranges.retain(|range| seen.insert(range.rows.clone()));
    ranges.truncate(MANY_RANGES);
    if ranges.is_empty() {
        return;
    }
    let mut pairs = Pairs::new(terms, out, first, second, &ranges);
    for property in compared(terms, out, first, second) {
        pairs.property(terms, property, true, out);
    }
    for property in nested(terms, context, out, first, second) {
        pairs.property(terms, property, false, out);
    }
}

/// Two cells of an array in order.
fn compared(terms: &mut Terms, out: &Collector<'_>, first: TermId, second: TermId) -> Vec<TermId> {
    let numbers = terms.sorts.array(SortId::INT, SortId::INT);
    let mut found = Vec::new();
    for array in super::variables(terms, out.site, numbers) {
        let cells = (terms.app(Op::Select, &[array, first]), terms.app(Op::Select, &[array, second]));
        let (Ok(one), Ok(other)) = cells else { continue };
        for op in [Op::Le, Op::Ge] {
            found.extend(terms.app(op, &[one, other]));
        }
    }
    found
}

/// What the text says about, or stores in, a cell of an array of arrays.
fn nested(
    terms: &mut Terms,
    context: &Context<'_>,
    out: &Collector<'_>,
    first: TermId,
    second: TermId,
) -> Vec<TermId> {
    let mut found = Vec::new();
    for &formula in context.text.formulas.iter().chain(&context.text.atoms) {
        let Some((row, column)) = indices(terms, formula) else { continue };
        found.push(replace(terms, formula, &FxHashMap::from_iter([(row, first), (column, second)])));
    }
    for &(array, at, element) in &context.text.stores {
        // `(store a i (store (select a i) j e))`
        if terms.op(element) != Op::Store || terms.op(array) == Op::Select {
            continue;
        }
        let [_, column, element] = *terms.args(element) else { continue };
        let map = FxHashMap::from_iter([(at, first), (column, second)]);
        let moved = replace(terms, element, &map);
        let Ok(row) = terms.app(Op::Select, &[array, first]) else { continue };
        let Ok(cell) = terms.app(Op::Select, &[row, second]) else { continue };
        found.extend(terms.app(Op::Eq, &[cell, moved]));
    }
    let mut seen = FxHashSet::default();
    found.retain(|&formula| out.site.can_say(terms, formula) && seen.insert(formula));
    found.truncate(MANY_PROPERTIES);
    found
}

/// Where a formula looks into an array of arrays.
fn indices(terms: &Terms, formula: TermId) -> Option<(TermId, TermId)> {
    let is_nested = |&term: &TermId| {
        let inner = terms.args(term).first().copied();
        terms.op(term) == Op::Select
            && inner.is_some_and(|inner| terms.op(inner) == Op::Select && !terms.has_vars(term))
            && !matches!(terms.sorts.get(terms.sort(term)), Sort::Array(..))
    };
    let term = postorder(terms, formula).into_iter().find(is_nested)?;
    let [row, column] = *terms.args(term) else { return None };
    let at = terms.args(row)[1];
    (at != column && terms.sort(at) == SortId::INT && terms.sort(column) == SortId::INT)
        .then_some((at, column))
}

/// States with two indices.
struct Pairs<'a> {
    states: Vec<Assignment>,
    first: TermId,
    second: TermId,
    places: Vec<TermId>,
    ranges: &'a [Range],
    /// For each range, the places in it in each state.
    inside: Vec<Vec<Vec<usize>>>,
}

impl<'a> Pairs<'a> {
    fn new(
        terms: &mut Terms,
        out: &Collector<'_>,
        first: TermId,
        second: TermId,
        ranges: &'a [Range],
    ) -> Pairs<'a> {
        let count = out.states.len().min(MANY_STATES);
        let mut states: Vec<Assignment> =
            (0..count).map(|i| out.states[i * out.states.len() / count].clone()).collect();
        let places: Vec<TermId> = PLACES.map(|place| terms.int(place)).collect();
        let mut inside = Vec::new();
        for range in ranges {
            let at = |terms: &mut Terms, place| {
                replace(terms, range.formula, &FxHashMap::from_iter([(first, place)]))
            };
            let here: Vec<TermId> = places.iter().map(|&place| at(terms, place)).collect();
            let mut evaluator = Evaluator::new(terms).with_fuel(FUEL);
            let mut of_state = |state: &mut Assignment| {
                let mut holds = |&place: &usize| matches!(evaluator.holds(here[place], state), Ok(true));
                (0..here.len()).filter(&mut holds).collect()
            };
            inside.push(states.iter_mut().map(&mut of_state).collect());
        }
        Pairs { states, first, second, places, ranges, inside }
    }

    /// Where a property is not false: for each state, by the numbers of both places.
    fn holds(&mut self, terms: &mut Terms, property: TermId) -> Vec<Vec<bool>> {
        let mut here = Vec::new();
        for &first in &self.places {
            for &second in &self.places {
                let map = FxHashMap::from_iter([(self.first, first), (self.second, second)]);
                here.push(replace(terms, property, &map));
            }
        }
        let mut evaluator = Evaluator::new(terms).with_fuel(FUEL);
        let mut of_state = |state: &mut Assignment| {
            let mut holds = |&term: &TermId| !matches!(evaluator.eval(term, state), Ok(Value::Bool(false)));
            here.iter().map(&mut holds).collect()
        };
        self.states.iter_mut().map(&mut of_state).collect()
    }

    /// The pairs of ranges in which a property holds in all samples; in order within one range, if that is asked for.
    fn property(&mut self, terms: &mut Terms, property: TermId, ordered: bool, out: &mut Collector<'_>) {
        let holds = self.holds(terms, property);
        let mut found = Vec::new();
        for one in 0..self.ranges.len() {
            for other in 0..self.ranges.len() {
                let within = ordered && one == other;
                if let Some(count) = self.count(&holds, one, other, within)
                    && count >= FEW
                {
                    found.push((count, one, other));
                }
            }
        }
        // Where there is more evidence first.
        found.sort_by_key(|&(count, one, other)| (std::cmp::Reverse(count), one, other));
        for (_, one, other) in found.into_iter().take(MANY) {
            let map = FxHashMap::from_iter([(self.first, self.second)]);
            let there = replace(terms, self.ranges[other].formula, &map);
            let mut conditions = vec![self.ranges[one].formula, there];
            if ordered && one == other {
                conditions.extend(terms.app(Op::Le, &[self.first, self.second]));
            }
            let range = terms.and(&conditions);
            let body = implies(terms, range, property);
            out.sure(terms.bind(Op::Forall, &[self.first, self.second], body).unwrap_or(TermId::TRUE));
        }
    }

    /// In how many pairs of different places a property holds; none if it is false in one.
    fn count(&self, holds: &[Vec<bool>], one: usize, other: usize, ordered: bool) -> Option<usize> {
        let mut count = 0;
        for (state, holds) in holds.iter().enumerate() {
            for &first in &self.inside[one][state] {
                for &second in &self.inside[other][state] {
                    if ordered && first > second {
                        continue;
                    }
                    if !holds[first * self.places.len() + second] {
                        return None;
                    }
                    count += usize::from(first != second);
                }
            }
        }
        Some(count)
    }
}
