//! Systems in which products of words are inputs of which little is known ([`smt::products`]). They have all executions of the
//! system, and more.

use crate::system::{Property, PropertyKind, System};
use rustc_hash::FxHashSet;
use smt::products::products;
use smt::subst::constants;
use smt::term::{TermId, Terms};

/// The system with an invariant property alone and without products in its steps; none if it has no products, or another property.
#[must_use]
pub fn without_products(terms: &mut Terms, system: &System, property: &Property) -> Option<System> {
    let PropertyKind::Invariant(claim) = property.kind else { return None };
    let lists = [&system.trans[..], &system.invar, &[claim]];
    let made = products(terms, &lists.concat())?;
    let mut formulas = made.formulas.into_iter();
    let trans = formulas.by_ref().take(system.trans.len()).collect();
    let invar = formulas.by_ref().take(system.invar.len()).collect();
    let kind = PropertyKind::Invariant(formulas.next()?);
    let mut found = System {
        trans,
        invar,
        properties: vec![Property { kind, ..property.clone() }],
        outputs: Vec::new(),
        hints: Vec::new(),
        ..system.clone()
    };
    found.inputs.extend(made.values);
    let nexts: FxHashSet<TermId> =
        system.states.iter().map(|state| terms.constant_term(state.next)).collect();
    for fact in made.facts {
        // What speaks of the next step is about pairs of steps.
        let is_step = constants(terms, fact).iter().any(|constant| nexts.contains(constant));
        if is_step { found.trans.push(fact) } else { found.invar.push(fact) }
    }
    Some(found)
}
