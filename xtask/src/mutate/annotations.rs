//! Changes of annotations.

use super::Mutant;
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::{postorder, replace};
use smt::term::{Const, TermId, Terms};
use svlib::syntax::{CommandKind, TagAnnotation};

/// Operators and what they are replaced by.
const SWAPS: &[(Op, Op)] = &[
    (Op::Lt, Op::Le),
    (Op::Le, Op::Lt),
    (Op::Gt, Op::Ge),
    (Op::Ge, Op::Gt),
    (Op::Eq, Op::Distinct),
    (Op::Add, Op::Sub),
    (Op::And, Op::Or),
    (Op::Or, Op::And),
    (Op::BvUlt, Op::BvUle),
    (Op::BvUle, Op::BvUlt),
    (Op::BvSlt, Op::BvSle),
    (Op::BvSle, Op::BvSlt),
    (Op::BvAdd, Op::BvSub),
];

/// The changes of one `annotate-tag`. They are made at the first statement that has the tag, which is what is printed.
pub(super) fn mutants(terms: &mut Terms, annotation: &TagAnnotation, number: usize) -> Vec<Mutant> {
    let mut found = Vec::new();
    for (i, property) in annotation.properties.iter().enumerate() {
        let mut fewer = annotation.clone();
        fewer.properties.remove(i);
        let left = (!fewer.properties.is_empty()).then_some(CommandKind::AnnotateTag(fewer));
        found.push(Mutant { kind: "annotation left out", command: left, number });
        let Some((_, meaning)) = property.meanings.first() else { continue };
        for (j, &term) in meaning.terms.iter().enumerate() {
            for (kind, new) in changed_inside(terms, term) {
                let mut other = annotation.clone();
                other.properties[i].meanings.truncate(1);
                other.properties[i].meanings[0].1.terms[j] = new;
                found.push(Mutant { kind, command: Some(CommandKind::AnnotateTag(other)), number });
            }
        }
    }
    found
}

/// The changes of a term, in the body of a quantifier if it is one: there its variables are free.
fn changed_inside(terms: &mut Terms, term: TermId) -> Vec<(&'static str, TermId)> {
    let (op, args) = (terms.op(term), terms.args(term).to_vec());
    let Some((&body, vars)) = args.split_last().filter(|_| op.is_binder()) else {
        return changed(terms, term);
    };
    let bodies = changed(terms, body);
    bodies.into_iter().filter_map(|(kind, body)| Some((kind, terms.bind(op, vars, body).ok()?))).collect()
}

fn changed(terms: &mut Terms, term: TermId) -> Vec<(&'static str, TermId)> {
    let mut found = Vec::new();
    if terms.sort(term) == SortId::BOOL {
        let conjuncts = match terms.op(term) {
            Op::And => terms.args(term).to_vec(),
            _ => vec![term],
        };
        for i in 0..conjuncts.len() {
            let mut fewer = conjuncts.clone();
            fewer.remove(i);
            found.push(("conjunct left out", terms.and(&fewer)));
            let mut other = conjuncts.clone();
            other[i] = terms.not(other[i]);
            found.push(("conjunct negated", terms.and(&other)));
        }
    }
    for part in postorder(terms, term) {
        let (kind, new) = match (terms.literal(part).cloned(), swapped(terms, part)) {
            (Some(Const::Nat(value)), _) => ("number changed", Some(terms.nat(value + 1u8))),
            (Some(Const::Bits(width, value)), _) => ("number changed", Some(terms.bits(width, value + 1u8))),
            (_, new) => ("operator replaced", new),
        };
        if let Some(new) = new {
            found.push((kind, replace(terms, term, &[(part, new)].into_iter().collect())));
        }
    }
    found.retain(|(_, new)| *new != term);
    found
}

fn swapped(terms: &mut Terms, part: TermId) -> Option<TermId> {
    let (_, other) = SWAPS.iter().find(|(op, _)| *op == terms.op(part))?;
    let args = terms.args(part).to_vec();
    terms.app(*other, &args).ok()
}
