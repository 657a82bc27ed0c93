//! Conditions as closed clauses: each obligation with what may be used for it, and its constants as variables.

use super::HornError;
use program::Conditions;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::print::symbol_text;
use smt::subst::{Unfolding, constants, postorder, replace};
use smt::term::{FunId, Role, TermId, Terms};

/// The clauses of conditions in which the predicates are unknown; each once.
pub(super) fn clauses(
    terms: &mut Terms,
    found: &Conditions,
    predicates: &[FunId],
) -> Result<Vec<TermId>, HornError> {
    let predicates: FxHashSet<FunId> = predicates.iter().copied().collect();
    let mut unfolding = Unfolding::default();
    let axioms = unfolded(terms, &mut unfolding, &found.axioms);
    let (mut clauses, mut seen) = (Vec::new(), FxHashSet::default());
    for obligation in &found.obligations {
        let hypotheses = found.hypotheses(terms, obligation);
        let hypotheses = unfolded(terms, &mut unfolding, &hypotheses);
        if hypotheses.contains(&TermId::FALSE) {
            continue;
        }
        for goal in unfolded(terms, &mut unfolding, &[obligation.goal]) {
            let mut body = axioms_for(terms, &axioms, &hypotheses, goal, &predicates);
            body.extend(&hypotheses);
            let clause = clause(terms, &body, goal, &predicates)?;
            if seen.insert(clause) {
                clauses.push(clause);
            }
        }
    }
    Ok(clauses)
}

/// The conjuncts of formulas, without the functions that are only abbreviations.
fn unfolded(terms: &mut Terms, unfolding: &mut Unfolding, formulas: &[TermId]) -> Vec<TermId> {
    let mut found = Vec::new();
    for &formula in formulas {
        let formula = unfolding.apply(terms, formula);
        found.extend(conjuncts(terms, formula));
    }
    found
}

/// The axioms that a clause needs: those that speak about its constants, directly or by way of other axioms. Clauses
/// without predicates before the arrow have all, since every derivation begins with one: then contradictory axioms
/// leave nothing to derive.
fn axioms_for(
    terms: &Terms,
    axioms: &[TermId],
    hypotheses: &[TermId],
    goal: TermId,
    predicates: &FxHashSet<FunId>,
) -> Vec<TermId> {
    let is_known = |&term: &TermId| !terms.applied(term).is_some_and(|fun| predicates.contains(&fun));
    if hypotheses.iter().all(is_known) {
        return axioms.to_vec();
    }
    let of = |term: TermId| constants(terms, term);
    let mut known: FxHashSet<TermId> = hypotheses.iter().chain([&goal]).flat_map(|&term| of(term)).collect();
    let mut wanted = vec![false; axioms.len()];
    loop {
        let mut grown = false;
        for (axiom, wanted) in axioms.iter().zip(&mut wanted) {
            let about = of(*axiom);
            if !*wanted && (about.is_empty() || about.iter().any(|constant| known.contains(constant))) {
                (*wanted, grown) = (true, true);
                known.extend(about);
            }
        }
        if !grown {
            return axioms.iter().zip(wanted).filter(|pair| pair.1).map(|pair| *pair.0).collect();
        }
    }
}

/// The conjuncts of a formula, in order.
pub(super) fn conjuncts(terms: &Terms, formula: TermId) -> Vec<TermId> {
    let (mut found, mut todo) = (Vec::new(), vec![formula]);
    while let Some(term) = todo.pop() {
        match terms.op(term) {
            Op::And => todo.extend(terms.args(term).iter().rev()),
            Op::True => {}
            _ => found.push(term),
        }
    }
    found
}

fn clause(
    terms: &mut Terms,
    body: &[TermId],
    goal: TermId,
    predicates: &FxHashSet<FunId>,
) -> Result<TermId, HornError> {
    let body = terms.and(body);
    // Both sides are formulas.
    let matrix = match body {
        TermId::TRUE => goal,
        _ => terms.app(Op::Implies, &[body, goal]).unwrap_or(goal),
    };
    let (mut taken, mut bound) = (FxHashSet::default(), Vec::new());
    for term in postorder(terms, matrix) {
        if let Some(name) = terms.variable(term) {
            taken.insert(terms.names.text(name).to_string());
        }
        let Some(fun) = terms.applied(term) else { continue };
        let name = terms.fun_name(fun).to_string();
        match terms.fun(fun).role {
            _ if predicates.contains(&fun) => drop(taken.insert(name)),
            Role::Recursive(_) => return Err(HornError::Recursive(symbol_text(&name))),
            Role::Constructor(_) | Role::Selector(..) | Role::Tester(_) => drop(taken.insert(name)),
            _ if terms.args(term).is_empty() => bound.push(term),
            _ => return Err(HornError::Function(symbol_text(&name))),
        }
    }
    let (mut map, mut vars) = (FxHashMap::default(), Vec::new());
    for constant in bound {
        let Some(fun) = terms.applied(constant) else { continue };
        let mut name = terms.fun_name(fun).trim_start_matches('#').to_string();
        while !taken.insert(name.clone()) {
            name.push('!');
        }
        let (name, sort) = (terms.names.intern(&name), terms.sort(constant));
        let var = terms.var(name, sort);
        map.insert(constant, var);
        vars.push(var);
    }
    let matrix = replace(terms, matrix, &map);
    if vars.is_empty() {
        return Ok(matrix);
    }
    // The matrix is a formula, and the names of the variables are new.
    Ok(terms.bind(Op::Forall, &vars, matrix).unwrap_or(matrix))
}
