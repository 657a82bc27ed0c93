//! All cells of an array in a range satisfy something: what was stored there, what the text asks of a cell, a linear
//! relation with other arrays, the index and variables, an order. Ranges end at positions ([`Indices`]); what holds in the
//! cells of a range in all samples is a candidate.
//!
//! [`Indices`]: crate::houdini::indices::Indices

use super::cells::{Fits, comparisons, conditions, properties};
use super::rows::{Bound, Rows, Set};
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
const MANY_ENDS: usize = 6;
const MANY_LIMITS: usize = 4;
const MANY_PLACES: usize = 2;
/// Positions at which the rows of an array of arrays are looked at, at most.
const MANY_ROWS: usize = 3;

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
        let arrays = arrays(terms, context, out);
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
    let mut known = Vec::new();
    for property in properties(terms, context, out, cells.index) {
        known.push((property, cells.rows.possible(terms, property)));
    }
    for (condition, where_true) in conditions(terms, context, out, &mut cells.rows, cells.index) {
        for range in &cells.ranges {
            let both = range.rows.and(&where_true);
            if both.is_empty() || both == range.rows {
                continue;
            }
            let says =
                known.iter().filter(|(_, holds)| both.is_within(holds) && !range.rows.is_within(holds));
            let mut says: Vec<TermId> = says.map(|says| says.0).collect();
            says.extend(fits.equalities(terms, &both));
            for property in says {
                let formula = terms.and(&[range.formula, condition]);
                let body = implies(terms, formula, property);
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
pub(super) fn arrays(terms: &mut Terms, context: &Context<'_>, out: &Collector<'_>) -> Vec<TermId> {
    let before = out.site.before.iter().map(|before| before.0);
    let all: Vec<FunId> = out.site.variables.iter().copied().chain(before).collect();
    let is_array = |v: &FunId| matches!(*terms.sorts.get(terms.fun(*v).result), Sort::Array(SortId::INT, _));
    let found: Vec<FunId> = all.into_iter().filter(is_array).collect();
    let found: Vec<TermId> = found.into_iter().map(|array| terms.constant_term(array)).collect();
    // A row of an array of arrays is an array, too.
    let inner = |array: TermId| match *terms.sorts.get(terms.sort(array)) {
        Sort::Array(_, element) => matches!(*terms.sorts.get(element), Sort::Array(SortId::INT, _)),
        _ => false,
    };
    let nested: Vec<TermId> = found.iter().copied().filter(|&array| inner(array)).collect();
    let positions = out.site.variables.iter().filter(|v| context.text.indices.variables.contains(v));
    let positions: Vec<FunId> = positions.copied().take(MANY_ROWS).collect();
    let mut rows = Vec::new();
    for &array in &nested {
        for &position in &positions {
            let position = terms.constant_term(position);
            rows.extend(terms.app(Op::Select, &[array, position]));
        }
    }
    found.into_iter().filter(|array| !nested.contains(array)).chain(rows).collect()
}

/// A bound variable whose name nothing else has.
pub(super) fn index_variable(terms: &mut Terms) -> TermId {
    bound_variable(terms, "cell")
}

/// The same with another name.
pub(super) fn bound_variable(terms: &mut Terms, word: &str) -> TermId {
    let taken: FxHashSet<String> = terms.funs().map(|fun| terms.fun_name(fun).to_string()).collect();
    let free = (0..).map(|n| format!("{word}{n}")).find(|name| !taken.contains(name)).unwrap_or_default();
    let name = terms.names.intern(&free);
    terms.var(name, SortId::INT)
}

/// Ranges of the index that are not empty in all samples: up to a position, from one on, and between.
pub(super) fn ranges(
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
    let known = |terms: &[TermId], all: &Terms, many: usize| -> Vec<TermId> {
        terms.iter().copied().filter(|&term| site.can_say(all, term)).take(many).collect()
    };
    let (limits, places) =
        (known(&indices.limits, terms, MANY_LIMITS), known(&indices.places, terms, MANY_PLACES));
    let starts: Vec<TermId> = [terms.int(0)].iter().chain(&positions).chain(&places).copied().collect();
    let mut ends = positions;
    ends.extend(limits.into_iter().chain(places));
    let starts: Vec<Bound> = starts.into_iter().map(|start| rows.bound(terms, start)).collect();
    let ends: Vec<Bound> = ends.into_iter().map(|end| rows.bound(terms, end)).collect();
    let mut found: Vec<Range> = Vec::new();
    for low in &starts {
        for high in ends.iter().filter(|end| end.term != low.term) {
            for strict in [(false, true), (false, false), (true, true)] {
                let inside = rows.between(low, high, strict);
                if inside.is_empty() {
                    continue;
                }
                let op = |strict| if strict { Op::Lt } else { Op::Le };
                let low = terms.app(op(strict.0), &[low.term, index]);
                let high = terms.app(op(strict.1), &[index, high.term]);
                if let (Ok(low), Ok(high)) = (low, high) {
                    found.push(Range { formula: terms.and(&[low, high]), rows: inside });
                }
            }
        }
    }
    found
}
