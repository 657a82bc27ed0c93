//! Equalities that hold in all samples: linear ones, and polynomial ones over products of variables.

use super::limits::limits;
use super::{Collector, Columns, Context, compounds, entry_values, variables};
use crate::houdini::build::compare;
use crate::houdini::relations::relations;
use dashu_int::IBig;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};

/// Terms between which equalities are looked for, at most.
const MANY_TERMS: usize = 24;
/// Monomials at most.
const MANY_MONOMIALS: usize = 40;

/// Linear equalities between variables, what they were at the entry, and compound terms.
pub(crate) fn linear(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    let mut features = variables(terms, out.site, SortId::INT);
    equal_columns(terms, Columns::new(terms, features.clone(), out.states), out);
    features.extend(entry_values(terms, out.site, out.states));
    equal_columns(terms, Columns::new(terms, features.clone(), out.states), out);
    let more = compounds(terms, context, out.site);
    if !more.is_empty() {
        features.extend(more);
        equal_columns(terms, Columns::new(terms, features, out.states), out);
    }
}

/// Linear equalities between variables and limits. They rest on bounds, with which they are tried.
pub(crate) fn with_limits(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    let limits = limits(terms, context, out.number);
    if !limits.is_empty() {
        let mut features = variables(terms, out.site, SortId::INT);
        features.extend(limits);
        equal_columns(terms, Columns::new(terms, features, out.states), out);
    }
}

/// The equalities between the columns of a table.
pub(crate) fn equal_columns(terms: &mut Terms, mut table: Columns, out: &mut Collector<'_>) {
    table.features.truncate(MANY_TERMS);
    table.values.truncate(MANY_TERMS);
    for formula in equalities(terms, table.features, table.values) {
        out.sure(formula);
    }
}

/// Equalities between terms with these values.
pub(crate) fn equalities(
    terms: &mut Terms,
    features: Vec<TermId>,
    mut values: Vec<Vec<IBig>>,
) -> Vec<TermId> {
    let height = values.first().map_or(0, Vec::len);
    values.insert(0, vec![IBig::ONE; height]);
    let mut found = Vec::new();
    for relation in relations(&values) {
        // The column that depends on the others stands first.
        let mut sum: Vec<(IBig, TermId)> = relation[1..].iter().cloned().zip(features.clone()).collect();
        sum.retain(|(factor, _)| *factor != IBig::ZERO);
        sum.reverse();
        found.push(compare(terms, Op::Eq, &sum, &-relation[0].clone()));
    }
    found
}

/// Polynomial equalities of degree two and three.
pub(crate) fn polynomial(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    let mut features = variables(terms, out.site, SortId::INT);
    features.extend(entry_values(terms, out.site, out.states));
    let is_free = |term: &TermId| !features.contains(term);
    let divided: Vec<TermId> = compounds(terms, context, out.site)
        .into_iter()
        .filter(is_free)
        .filter(|&t| terms.op(t) != Op::Mul)
        .collect();
    features.extend(divided);
    let table = independent(Columns::new(terms, features, out.states));
    for degree in [2, 3] {
        let (monomials, values) = monomials(terms, &table, degree);
        for formula in equalities(terms, monomials, values) {
            out.sure(formula);
        }
    }
}

/// The columns that are no combinations of those before them: products of the others say nothing new.
fn independent(table: Columns) -> Columns {
    let height = table.rows.len();
    let mut kept = Columns { features: Vec::new(), values: vec![vec![IBig::ONE; height]], rows: table.rows };
    for (feature, values) in table.features.into_iter().zip(table.values) {
        kept.values.push(values);
        if relations(&kept.values).is_empty() {
            kept.features.push(feature);
        } else {
            kept.values.pop();
        }
    }
    kept.values.remove(0);
    kept
}

/// All products of at most so many terms, those of fewer first.
fn monomials(terms: &mut Terms, table: &Columns, degree: usize) -> (Vec<TermId>, Vec<Vec<IBig>>) {
    let count = table.features.len();
    let (mut features, mut values) = (table.features.clone(), table.values.clone());
    // Each product with the last of its factors, so that none is made twice.
    let mut last: Vec<(usize, usize)> = (0..count).map(|i| (i, i)).collect();
    for _ in 1..degree {
        let mut next = Vec::new();
        for &(product, greatest) in &last {
            for factor in greatest..count {
                if features.len() >= MANY_MONOMIALS {
                    return (features, values);
                }
                let term = terms.app(Op::Mul, &[features[product], features[factor]]);
                next.push((features.len(), factor));
                features.push(term.unwrap_or(TermId::ERROR));
                values.push(values[product].iter().zip(&values[factor]).map(|(a, b)| a * b).collect());
            }
        }
        last = next;
    }
    (features, values)
}
