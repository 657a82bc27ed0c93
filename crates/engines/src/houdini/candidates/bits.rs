//! Bit-vectors and Booleans: equalities, unsigned and signed order, lowest bits, with each other and with the literals of
//! the text.

use super::{Collector, Context, variables};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};

/// Variables of one sort that are paired, at most.
const MANY: usize = 12;

/// Formulas about bit-vectors and Booleans.
pub(crate) fn bits(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    let mut sorts: Vec<SortId> = out.site.variables.iter().map(|&v| terms.fun(v).result).collect();
    sorts.sort_unstable();
    sorts.dedup();
    for sort in sorts {
        let mut features = variables(terms, out.site, sort);
        features.truncate(MANY);
        if sort == SortId::BOOL {
            booleans(terms, &features, out);
        } else if terms.sorts.width(sort).is_some() {
            let literals = context.text.bits.iter().copied().filter(|&literal| terms.sort(literal) == sort);
            let literals: Vec<TermId> = literals.take(MANY).collect();
            vectors(terms, &features, &literals, out);
        }
    }
}

fn apply(terms: &mut Terms, op: Op, args: &[TermId], out: &mut Collector<'_>) {
    if let Ok(formula) = terms.app(op, args) {
        out.maybe(terms, formula);
    }
}

fn booleans(terms: &mut Terms, features: &[TermId], out: &mut Collector<'_>) {
    for (i, &a) in features.iter().enumerate() {
        let not_a = terms.not(a);
        out.maybe(terms, a);
        out.maybe(terms, not_a);
        for &b in &features[i + 1..] {
            let not_b = terms.not(b);
            apply(terms, Op::Eq, &[a, b], out);
            apply(terms, Op::Eq, &[a, not_b], out);
            for (a, b) in [(a, b), (a, not_b), (not_a, b), (not_a, not_b)] {
                apply(terms, Op::Or, &[a, b], out);
            }
        }
    }
}

fn vectors(terms: &mut Terms, features: &[TermId], literals: &[TermId], out: &mut Collector<'_>) {
    const ORDERS: [Op; 5] = [Op::Eq, Op::BvUle, Op::BvUge, Op::BvSle, Op::BvSge];
    for (i, &a) in features.iter().enumerate() {
        for &b in features[i + 1..].iter().chain(literals) {
            for op in ORDERS {
                apply(terms, op, &[a, b], out);
            }
        }
        extremes(terms, a, out);
        for &b in &features[i + 1..] {
            for op in [Op::BvAdd, Op::BvSub] {
                if let Ok(sum) = terms.app(op, &[a, b]) {
                    same(terms, sum, out);
                }
            }
        }
        if let Ok(lowest) = terms.app_indexed(Op::Extract, &[0, 0], &[a]) {
            same(terms, lowest, out);
        }
    }
}

/// The values of a term in the states.
fn values(terms: &Terms, term: TermId, out: &Collector<'_>) -> Vec<smt::value::Value> {
    let mut evaluator = smt::eval::Evaluator::new(terms).with_fuel(10_000);
    out.states.iter().filter_map(|state| evaluator.eval(term, &mut state.clone()).ok()).collect()
}

/// A term that has one value in all states.
fn same(terms: &mut Terms, term: TermId, out: &mut Collector<'_>) {
    let values = values(terms, term, out);
    if values.len() > 2 && values.iter().all(|value| *value == values[0]) {
        let value = values[0].to_term(terms);
        apply(terms, Op::Eq, &[term, value], out);
    }
}

/// The greatest and the smallest value, without signs.
fn extremes(terms: &mut Terms, term: TermId, out: &mut Collector<'_>) {
    let values = values(terms, term, out);
    if let (Some(least), Some(most)) = (values.iter().min(), values.iter().max()) {
        let (least, most) = (least.to_term(terms), most.to_term(terms));
        apply(terms, Op::BvUge, &[term, least], out);
        apply(terms, Op::BvUle, &[term, most], out);
    }
}
