//! What may hold of a cell.

use super::equalities::equalities;
use super::rows::{Rows, Set};
use super::{Collector, Context, variables};
use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::{constants, functions, postorder, replace};
use smt::term::{TermId, Terms};

/// Scalars that cells are compared with at most.
const MANY_SCALARS: usize = 6;
/// Numbers of the text that cells are compared with at most.
const MANY_NUMBERS: usize = 6;
/// Cells of the text that cells are compared with at most.
const MANY_CELLS: usize = 4;
/// Conditions on cells under which relations are looked for, at most.
const MANY_CONDITIONS: usize = 8;
/// Rows from which a relation is taken at most.
const MANY_ROWS: usize = 80;

/// What the text says about the cells at an index.
pub(crate) fn properties(
    terms: &mut Terms,
    context: &Context<'_>,
    out: &Collector<'_>,
    index: TermId,
) -> Vec<TermId> {
    let mut found = Vec::new();
    let formulas: Vec<TermId> = context.text.formulas.iter().chain(&context.text.atoms).copied().collect();
    for formula in formulas {
        for moved in at_index(terms, formula, index) {
            let negated = terms.not(moved);
            found.extend([moved, negated]);
        }
    }
    for &(array, at, element) in &context.text.stores {
        let Ok(cell) = terms.app(Op::Select, &[array, index]) else { continue };
        let moved = replace(terms, element, &FxHashMap::from_iter([(at, index)]));
        found.extend(terms.app(Op::Eq, &[cell, moved]));
    }
    let mut seen = FxHashSet::default();
    found.retain(|&property| {
        let said = out.site.can_say(terms, property) && looks(terms, property);
        said && seen.insert(property)
    });
    found
}

/// Comparisons of the cells of all arrays.
pub(crate) fn comparisons(
    terms: &mut Terms,
    context: &Context<'_>,
    out: &Collector<'_>,
    arrays: &[TermId],
    index: TermId,
) -> Vec<TermId> {
    let of_array = |&array: &TermId| of_array(terms, context, out, arrays, array, index);
    arrays.iter().flat_map(of_array).collect()
}

fn looks_anywhere(terms: &Terms, formula: TermId) -> bool {
    postorder(terms, formula).iter().any(|&term| terms.op(term) == Op::Select)
}

/// True when a formula is about a position.
fn about_position(terms: &Terms, context: &Context<'_>, formula: TermId) -> bool {
    functions(terms, formula).iter().any(|fun| context.text.indices.variables.contains(fun))
}

/// True when a formula looks into an array at the index.
fn looks(terms: &Terms, formula: TermId) -> bool {
    postorder(terms, formula).iter().any(|&term| terms.op(term) == Op::Select && terms.has_vars(term))
}

/// A formula with the variables and terms at which it looks into arrays replaced by the index.
fn at_index(terms: &mut Terms, formula: TermId, index: TermId) -> Vec<TermId> {
    if terms.has_vars(formula) {
        return Vec::new();
    }
    let mut places = Vec::new();
    for term in postorder(terms, formula) {
        if terms.op(term) == Op::Select && terms.sort(terms.args(term)[1]) == SortId::INT {
            let at = terms.args(term)[1];
            places.push(at);
            places.extend(constants(terms, at).into_iter().filter(|&c| terms.sort(c) == SortId::INT));
        }
    }
    places.sort_unstable();
    places.dedup();
    let moved = |place| replace(terms, formula, &FxHashMap::from_iter([(place, index)]));
    let mut found: Vec<TermId> = places.into_iter().map(moved).collect();
    found.retain(|&moved| moved != formula);
    found
}

/// Equalities with other arrays, bounds of integer elements, order of neighbours.
fn of_array(
    terms: &mut Terms,
    context: &Context<'_>,
    out: &Collector<'_>,
    arrays: &[TermId],
    array: TermId,
    index: TermId,
) -> Vec<TermId> {
    let mut found = Vec::new();
    let Ok(cell) = terms.app(Op::Select, &[array, index]) else { return found };
    for &other in arrays.iter().filter(|&&other| other != array) {
        if terms.sort(other) == terms.sort(array)
            && let Ok(there) = terms.app(Op::Select, &[other, index])
        {
            found.extend(terms.app(Op::Eq, &[cell, there]));
            if terms.sort(cell) == SortId::INT {
                found.extend(terms.app(Op::Le, &[cell, there]));
            }
        }
    }
    if terms.sort(cell) != SortId::INT {
        return found;
    }
    let zero = terms.int(0);
    let mut scalars = variables(terms, out.site, SortId::INT);
    scalars.truncate(MANY_SCALARS);
    scalars.extend([index, zero]);
    // `a[j]` is what a loop over smaller indices compares with.
    let cells =
        context.text.compounds.iter().filter(|&&t| terms.op(t) == Op::Select && out.site.can_say(terms, t));
    scalars.extend(cells.take(MANY_CELLS).copied().collect::<Vec<_>>());
    let numbers: Vec<IBig> = context.text.numbers.iter().rev().take(MANY_NUMBERS).cloned().collect();
    scalars.extend(numbers.into_iter().map(|number| terms.int(number)));
    for &scalar in &scalars {
        for op in [Op::Eq, Op::Le, Op::Ge, Op::Lt, Op::Gt] {
            found.extend(terms.app(op, &[cell, scalar]));
        }
    }
    let one = terms.int(1);
    if let Ok(before) = terms.app(Op::Sub, &[index, one])
        && let Ok(cell_before) = terms.app(Op::Select, &[array, before])
    {
        for op in [Op::Le, Op::Ge] {
            found.extend(terms.app(op, &[cell_before, cell]));
        }
    }
    found
}

/// Linear relations between the cells of integer arrays at an index, the index, and variables.
pub(crate) struct Fits {
    features: Vec<TermId>,
    values: Vec<Vec<Option<IBig>>>,
    /// The features that are cells.
    cells: Vec<TermId>,
}

impl Fits {
    pub(crate) fn new(
        terms: &mut Terms,
        out: &Collector<'_>,
        rows: &mut Rows,
        arrays: &[TermId],
        index: TermId,
    ) -> Fits {
        let mut cells: Vec<TermId> = Vec::new();
        for &array in arrays {
            cells.extend(terms.app(Op::Select, &[array, index]));
        }
        cells.retain(|&cell| terms.sort(cell) == SortId::INT);
        let mut scalars = variables(terms, out.site, SortId::INT);
        // Relations with what changes later hold only for a while.
        scalars.sort_by_key(|&scalar| functions(terms, scalar).iter().any(|f| out.site.changing.contains(f)));
        scalars.truncate(MANY_SCALARS);
        scalars.push(index);
        let features: Vec<TermId> = scalars.into_iter().chain(cells.iter().copied()).collect();
        let values = features.iter().map(|&feature| rows.numbers(terms, feature)).collect();
        Fits { features, values, cells }
    }

    /// The relations that hold in all of the rows and are about a cell.
    pub(crate) fn equalities(&self, terms: &mut Terms, rows: &Set) -> Vec<TermId> {
        let height = self.values.first().map_or(0, Vec::len);
        let known =
            |&row: &usize| rows.contains(row) && self.values.iter().all(|column| column[row].is_some());
        let rows: Vec<usize> = (0..height).filter(known).collect();
        let step = rows.len().div_ceil(MANY_ROWS).max(1);
        let values = self
            .values
            .iter()
            .map(|column| rows.iter().step_by(step).filter_map(|&row| column[row].clone()).collect())
            .collect();
        let mut found = equalities(terms, self.features.clone(), values);
        found.retain(|&equality| {
            let parts = postorder(terms, equality);
            self.cells.iter().any(|cell| parts.contains(cell))
        });
        found
    }
}

/// Conditions of the text about an index or a cell, with the rows in which they are true.
pub(crate) fn conditions(
    terms: &mut Terms,
    context: &Context<'_>,
    out: &Collector<'_>,
    rows: &mut Rows,
    index: TermId,
) -> Vec<(TermId, Set)> {
    let mut found: Vec<TermId> = Vec::new();
    for &atom in &context.text.atoms {
        let mut moved = at_index(terms, atom, index);
        // `i mod 2 = 0` decides what is stored at `i`.
        if moved.is_empty() && postorder(terms, atom).iter().any(|&t| terms.op(t) == Op::Mod) {
            for constant in constants(terms, atom) {
                let position =
                    terms.applied(constant).is_some_and(|fun| context.text.indices.variables.contains(&fun));
                if position {
                    moved.push(replace(terms, atom, &FxHashMap::from_iter([(constant, index)])));
                }
            }
        }
        // A flag says whether something was found.
        if moved.is_empty() && !looks_anywhere(terms, atom) && !about_position(terms, context, atom) {
            moved.push(atom);
        }
        for formula in moved {
            if out.site.can_say(terms, formula) && !found.contains(&formula) {
                found.extend([formula, terms.not(formula)]);
            }
        }
    }
    found.truncate(MANY_CONDITIONS);
    found.into_iter().map(|formula| (formula, rows.certain(terms, formula))).collect()
}
