//! What a solution of clauses may choose beside the meaning of predicates: what a division by zero is, what a selector gives for
//! another constructor, how many elements an uninterpreted sort has.
//!
//! Clauses have no solution if there is none for any choice; a system has a bad execution if there is one for some
//! choice. So clauses about such things are no system.

use rustc_hash::FxHashSet;
use smt::eval::Evaluator;
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::postorder;
use smt::term::{Role, TermId, Terms};
use smt::value::Value;

/// The first part of a term that is a matter of choice.
#[must_use]
pub fn choice(terms: &Terms, term: TermId) -> Option<TermId> {
    let (mut free, mut sorts) = (FxHashSet::default(), FxHashSet::default());
    postorder(terms, term).into_iter().find(|&part| {
        let sort = terms.sort(part);
        if sorts.insert(sort) && has_uninterpreted(terms, sort) {
            free.insert(sort);
        }
        free.contains(&sort) || is_partial(terms, part)
    })
}

/// True for a term that is not determined by its arguments.
fn is_partial(terms: &Terms, term: TermId) -> bool {
    match terms.op(term) {
        Op::IntDiv | Op::Mod | Op::Div => terms.args(term).iter().skip(1).any(|&by| !is_nonzero(terms, by)),
        Op::FpMin | Op::FpMax | Op::FpToUbv | Op::FpToSbv | Op::FpToReal | Op::FpToBits => true,
        _ => {
            let Some(fun) = terms.applied(term).map(|fun| terms.fun(fun)) else { return false };
            let datatype = fun.params.first().and_then(|&sort| terms.sorts.datatype(sort));
            let several = datatype.is_some_and(|(datatype, _)| datatype.constructors.len() > 1);
            matches!(fun.role, Role::Selector(..)) && several
        }
    }
}

fn is_nonzero(terms: &Terms, term: TermId) -> bool {
    match Evaluator::new(terms).eval(term, &mut ()) {
        Ok(Value::Int(number)) => !number.is_zero(),
        Ok(Value::Real(number)) => !number.is_zero(),
        _ => false,
    }
}

/// True for a sort with elements of an uninterpreted one.
#[must_use]
pub fn has_uninterpreted(terms: &Terms, sort: SortId) -> bool {
    let (mut todo, mut seen) = (vec![sort], FxHashSet::default());
    while let Some(sort) = todo.pop() {
        if !seen.insert(sort) {
            continue;
        }
        if terms.sorts.is_uninterpreted(sort) {
            return true;
        }
        todo.extend(smt::sort::children(terms.sorts.get(sort)));
        if let Some((datatype, _)) = terms.sorts.datatype(sort) {
            todo.extend(datatype.constructors.iter().flat_map(|c| c.fields.iter().map(|field| field.1)));
        }
    }
    false
}
