//! Bounds of sums that are one number at another place: what a loop keeps the same, the next one often only makes greater.

use super::{Collector, Columns, Context};
use dashu_int::IBig;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{Const, TermId, Terms};

/// Equalities of other places that are looked at.
const MANY: usize = 40;

/// Bounds of the differences between sides of equalities that hold elsewhere.
pub(crate) fn offsets(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    let elsewhere = context.proved.iter().filter(|candidate| candidate.site != out.number);
    let mut equalities: Vec<TermId> = elsewhere.map(|candidate| candidate.formula).collect();
    equalities.sort_unstable();
    equalities.dedup();
    equalities.retain(|&equality| is_sum(terms, equality) && out.site.can_say(terms, equality));
    for equality in equalities.into_iter().take(MANY) {
        let [left, right] = *terms.args(equality) else { continue };
        let Ok(difference) = terms.app(Op::Sub, &[left, right]) else { continue };
        let table = Columns::new(terms, vec![difference], out.states);
        let values = &table.values[0];
        for (op, bound) in [(Op::Ge, values.iter().min()), (Op::Le, values.iter().max())] {
            let Some(side) = bound.map(|bound| shifted(terms, right, bound)) else { continue };
            out.sure(terms.app(op, &[left, side]).unwrap_or(TermId::TRUE));
        }
    }
}

/// An equality of integers that is about more than one variable's value.
fn is_sum(terms: &Terms, equality: TermId) -> bool {
    let [left, right] = *terms.args(equality) else { return false };
    let is_number = |term: TermId| matches!(terms.literal(term), Some(Const::Nat(_)));
    terms.op(equality) == Op::Eq
        && terms.sort(left) == SortId::INT
        && (!terms.args(left).is_empty() || !terms.args(right).is_empty())
        && !(is_number(left) && terms.args(right).is_empty())
        && !(is_number(right) && terms.args(left).is_empty())
}

/// A term plus a number.
fn shifted(terms: &mut Terms, term: TermId, by: &IBig) -> TermId {
    if *by == IBig::ZERO {
        return term;
    }
    let by = terms.int(by.clone());
    terms.app(Op::Add, &[term, by]).unwrap_or(TermId::ERROR)
}
