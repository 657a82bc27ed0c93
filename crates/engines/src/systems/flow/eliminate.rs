//! Disjunctions for all values of constants, without a quantifier where an equation says which value matters.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::linear::solutions;
use smt::op::Op;
use smt::simplify::{Simplifier, simplify};
use smt::subst::{constants, replace};
use smt::term::{TermId, Terms};

/// That one of the parts holds, whatever the values of the chosen constants.
pub(super) fn for_all(terms: &mut Terms, chosen: &FxHashSet<TermId>, parts: &[TermId]) -> TermId {
    let mut formula = terms.or(parts);
    formula = simplify(terms, formula);
    // Only where the constant has the one value of an equation is anything demanded.
    while let Some((constant, value)) = fixed(terms, chosen, formula) {
        let map = [(constant, value)].into_iter().collect();
        formula = Simplifier::with(map).apply(terms, formula);
    }
    quantified(terms, chosen, formula)
}

/// A chosen constant that an equation fixes outside of which the formula is true, and its value.
fn fixed(terms: &mut Terms, chosen: &FxHashSet<TermId>, formula: TermId) -> Option<(TermId, TermId)> {
    let mut todo = vec![formula];
    while let Some(part) = todo.pop() {
        match (terms.op(part), terms.args(part)) {
            (Op::Or, args) => todo.extend(args),
            (Op::Not, &[negated]) => {
                if let Some(found) =
                    conjuncts(terms, negated).into_iter().find_map(|e| solved(terms, chosen, e))
                {
                    return Some(found);
                }
            }
            _ if chosen.contains(&part) => return Some((part, TermId::FALSE)),
            _ => {}
        }
    }
    None
}

/// The conjuncts of a formula.
fn conjuncts(terms: &Terms, formula: TermId) -> Vec<TermId> {
    let (mut found, mut todo) = (Vec::new(), vec![formula]);
    while let Some(part) = todo.pop() {
        match terms.op(part) {
            Op::And => todo.extend(terms.args(part)),
            _ => found.push(part),
        }
    }
    found
}

/// What a formula that holds says a chosen constant is.
fn solved(terms: &mut Terms, chosen: &FxHashSet<TermId>, formula: TermId) -> Option<(TermId, TermId)> {
    if chosen.contains(&formula) {
        return Some((formula, TermId::TRUE));
    }
    solutions(terms, formula, |constant| chosen.contains(constant)).into_iter().next()
}

fn quantified(terms: &mut Terms, chosen: &FxHashSet<TermId>, formula: TermId) -> TermId {
    let mut left = constants(terms, formula);
    left.retain(|constant| chosen.contains(constant));
    if left.is_empty() {
        return formula;
    }
    let (mut map, mut vars) = (FxHashMap::default(), Vec::new());
    for constant in left {
        let sort = terms.sort(constant);
        let name = terms.fresh("any", sort);
        let var = terms.var(terms.fun(name).name, sort);
        map.insert(constant, var);
        vars.push(var);
    }
    let body = replace(terms, formula, &map);
    // The body is a formula, and the names are new.
    terms.bind(Op::Forall, &vars, body).unwrap_or(TermId::TRUE)
}
