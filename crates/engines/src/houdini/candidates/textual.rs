//! Formulas of the text: as they are, negated, and comparisons weakened.

use super::{Collector, Context};
use crate::houdini::build::compare;
use dashu_int::IBig;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};

/// The formulas of the text that mean something at the site.
pub(crate) fn formulas(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    if out.states.is_empty() {
        out.sure(TermId::FALSE);
    }
    for &formula in context.text.formulas.iter().chain(&context.text.atoms) {
        if !out.site.can_say(terms, formula) {
            continue;
        }
        out.maybe(terms, formula);
        let negated = terms.not(formula);
        out.maybe(terms, negated);
    }
    for &atom in &context.text.atoms {
        if let Some((left, right)) = sides(terms, atom)
            && out.site.can_say(terms, atom)
        {
            weakened(terms, left, right, out);
        }
    }
}

/// The sides of a comparison of integers.
pub(crate) fn sides(terms: &Terms, atom: TermId) -> Option<(TermId, TermId)> {
    let compares = matches!(terms.op(atom), Op::Le | Op::Lt | Op::Ge | Op::Gt | Op::Eq | Op::Distinct);
    match *terms.args(atom) {
        [left, right] if compares && terms.sort(left) == SortId::INT => Some((left, right)),
        _ => None,
    }
}

fn weakened(terms: &mut Terms, left: TermId, right: TermId, out: &mut Collector<'_>) {
    let difference = [(IBig::ONE, left), (-IBig::ONE, right)];
    for (op, constant) in [(Op::Eq, 0), (Op::Le, 0), (Op::Ge, 0), (Op::Le, 1), (Op::Ge, -1)] {
        let formula = compare(terms, op, &difference, &IBig::from(constant));
        out.maybe(terms, formula);
    }
}
