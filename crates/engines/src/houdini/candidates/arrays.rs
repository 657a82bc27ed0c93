//! All cells of an array in a range satisfy something: what was stored there, what the text asks of a cell, a linear
//! relation with other arrays, the index and variables, an order. Ranges end at positions ([`Indices`]); what holds in the
//! cells of a range in all samples is a candidate.
//!
//! [`Indices`]: crate::houdini::indices::Indices

use super::cells::{Fits, comparisons, conditions, properties};
use super::rows::{Rows, Set};
use super::{Collector, Context};
use crate::houdini::build::implies;
use rustc_hash::FxHashSet;
use smt::op::Op;
use smt::sort::{Sort, SortId};
use smt::term::{FunId, TermId, Terms};

/// Candidates at a site at most.
const MANY: usize = 400;
/// Candidates of one property at a site at most.
const MANY_OF_PROPERTY: usize = 24;
/// Variables, and other terms, that are ends of ranges, at most.
const MANY_ENDS: usize = 7;
const MANY_LIMITS: usize = 5;

/// A range of cells.
pub(crate) struct Range {
    /// What the index satisfies.
    pub(crate) formula: TermId,
    /// The rows in the range.
    pub(crate) rows: Set,
}

/// The cells of a site.
struct Cells {
    arrays: Vec<TermId>,
    index: TermId,
    rows: Rows,
    ranges: Vec<Range>,
}

impl Cells {
    fn new(terms: &mut Terms, context: &Context<'_>, out: &Collector<'_>) -> Option<Cells> {
        let arrays = arrays(terms, out);
        if arrays.is_empty() || out.states.is_empty() {
            return None;
        }
        let index = index_variable(terms);
        let mut rows = Rows::new(terms, out.states, index);
        let ranges = ranges(terms, context, out, &mut rows, index);
        Some(Cells { arrays, index, rows, ranges })
    }

    /// The ranges in which a property holds in all samples.
    fn property(&mut self, terms: &mut Terms, property: TermId, out: &mut Collector<'_>) {
        let holds = self.rows.possible(terms, property);
        let mut found = 0;
        for range in self.ranges.iter().filter(|range| range.rows.is_within(&holds)) {
            let body = implies(terms, range.formula, property);
            found += usize::from(emit(terms, out, self.index, body));
            if found >= MANY_OF_PROPERTY {
                break;
            }
        }
    }
}

/// What the text says about a cell, and linear relations.
pub(crate) fn cells(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    let Some(mut cells) = Cells::new(terms, context, out) else { return };
    for property in properties(terms, context, out, cells.index) {
        cells.property(terms, property, out);
    }
    let fits = Fits::new(terms, out, &mut cells.rows, &cells.arrays, cells.index);
    for range in &cells.ranges {
        for equality in fits.equalities(terms, &range.rows) {
            let body = implies(terms, range.formula, equality);
            emit(terms, out, cells.index, body);
        }
    }
}

/// Comparisons of cells with variables, numbers, other cells; linear relations under conditions.
pub(crate) fn more_cells(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    let Some(mut cells) = Cells::new(terms, context, out) else { return };
    for property in comparisons(terms, context, out, &cells.arrays, cells.index) {
        cells.property(terms, property, out);
    }
    let fits = Fits::new(terms, out, &mut cells.rows, &cells.arrays, cells.index);
    for (condition, where_true) in conditions(terms, context, out, &mut cells.rows, cells.index) {
        for range in &cells.ranges {
            let both = range.rows.and(&where_true);
            if both.is_empty() || both == range.rows {
                continue;
            }
            for equality in fits.equalities(terms, &both) {
                let formula = terms.and(&[range.formula, condition]);
                let body = implies(terms, formula, equality);
                emit(terms, out, cells.index, body);
            }
        }
    }
}

fn emit(terms: &mut Terms, out: &mut Collector<'_>, index: TermId, body: TermId) -> bool {
    if out.found.len() >= MANY {
        return false;
    }
    let before = out.found.len();
    out.sure(terms.bind(Op::Forall, &[index], body).unwrap_or(TermId::TRUE));
    out.found.len() > before
}

/// The arrays of the site that are indexed by integers, and what they were at the entry.
fn arrays(terms: &mut Terms, out: &Collector<'_>) -> Vec<TermId> {
    let before = out.site.before.iter().map(|before| before.0);
    let all: Vec<FunId> = out.site.variables.iter().copied().chain(before).collect();
    let is_array = |v: &FunId| matches!(*terms.sorts.get(terms.fun(*v).result), Sort::Array(SortId::INT, _));
    let found: Vec<FunId> = all.into_iter().filter(is_array).collect();
    found.into_iter().map(|array| terms.constant_term(array)).collect()
}

/// A bound variable whose name nothing else has.
fn index_variable(terms: &mut Terms) -> TermId {
    let taken: FxHashSet<String> = terms.funs().map(|fun| terms.fun_name(fun).to_string()).collect();
    let free = (0..).map(|n| format!("cell{n}")).find(|name| !taken.contains(name)).unwrap_or_default();
    let name = terms.names.intern(&free);
    terms.var(name, SortId::INT)
}

/// Ranges of the index that are not empty in all samples: up to a position, from one on, and between.
fn ranges(
    terms: &mut Terms,
    context: &Context<'_>,
    out: &Collector<'_>,
    rows: &mut Rows,
    index: TermId,
) -> Vec<Range> {
    let (site, indices) = (out.site, &context.text.indices);
    let mut positions: Vec<FunId> =
        site.variables.iter().filter(|v| indices.variables.contains(v)).copied().collect();
    // What moves ends ranges more often than what does not.
    positions.sort_by_key(|variable| !site.changing.contains(variable));
    positions.truncate(MANY_ENDS);
    let positions: Vec<TermId> =
        positions.into_iter().map(|variable| terms.constant_term(variable)).collect();
    let limits = indices.limits.iter().filter(|&&limit| site.can_say(terms, limit));
    let mut ends = positions.clone();
    ends.extend(limits.take(MANY_LIMITS));
    let zero = terms.int(0);
    let mut found: Vec<Range> = Vec::new();
    for &start in [zero].iter().chain(&positions) {
        for &end in ends.iter().filter(|&&end| end != start) {
            for (low, high) in [(Op::Le, Op::Lt), (Op::Le, Op::Le), (Op::Lt, Op::Lt)] {
                let (low, high) = (terms.app(low, &[start, index]), terms.app(high, &[index, end]));
                let (Ok(low), Ok(high)) = (low, high) else { continue };
                let formula = terms.and(&[low, high]);
                let rows = rows.certain(terms, formula);
                if !rows.is_empty() {
                    found.push(Range { formula, rows });
                }
            }
        }
    }
    found
}
