//! Formulas of linear arithmetic as a reader would write them.

use dashu_int::IBig;
use smt::op::Op;
use smt::term::{TermId, Terms};

/// A sum of terms, each times a number.
pub(crate) type Sum = Vec<(IBig, TermId)>;

fn times(terms: &mut Terms, factor: &IBig, term: TermId) -> TermId {
    if *factor == IBig::ONE {
        return term;
    }
    let factor = terms.int(factor.clone());
    terms.app(Op::Mul, &[factor, term]).unwrap_or(term)
}

fn total(terms: &mut Terms, parts: &[TermId]) -> TermId {
    match parts {
        [] => terms.int(0),
        [one] => *one,
        _ => terms.app(Op::Add, parts).unwrap_or(parts[0]),
    }
}

/// `sum op constant`, with everything negative on the other side.
pub(crate) fn compare(terms: &mut Terms, op: Op, sum: &[(IBig, TermId)], constant: &IBig) -> TermId {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (factor, term) in sum {
        if *factor > IBig::ZERO {
            left.push(times(terms, factor, *term));
        } else if *factor < IBig::ZERO {
            right.push(times(terms, &-factor.clone(), *term));
        }
    }
    let has_right = !right.is_empty();
    if *constant < IBig::ZERO && has_right && !left.is_empty() {
        left.push(terms.int(-constant.clone()));
    } else if *constant != IBig::ZERO || !has_right {
        right.push(terms.int(constant.clone()));
    }
    let (left, right) = (total(terms, &left), total(terms, &right));
    // Both sides are integers.
    terms.app(op, &[left, right]).unwrap_or(TermId::TRUE)
}

/// `(=> condition conclusion)`.
pub(crate) fn implies(terms: &mut Terms, condition: TermId, conclusion: TermId) -> TermId {
    terms.app(Op::Implies, &[condition, conclusion]).unwrap_or(TermId::TRUE)
}

/// `(or a b)`.
pub(crate) fn either(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    terms.app(Op::Or, &[a, b]).unwrap_or(TermId::TRUE)
}
