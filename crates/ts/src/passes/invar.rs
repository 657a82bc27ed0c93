//! Systems without `invar`, for languages and engines that do not know it.
//!
//! A condition on states alone is asked of the first step and of every next one. A condition that speaks of inputs cannot be
//! asked of the next step, whose inputs are not known yet: it is asked of every step that has a next one, and the last step
//! of an execution is where an invariant property is judged, so there the property is excused if the condition fails.

use super::equations::Speaks;
use super::rewrite::Rewrite;
use crate::system::{PropertyKind, System};
use rustc_hash::FxHashMap;
use smt::term::{FunId, TermId, Terms};

/// The system with the same executions up to the last step, the same infinite ones, and the same truth of properties.
/// Traces and invariants of one are those of the other.
pub fn without_invar(terms: &mut Terms, original: &System) -> System {
    let mut system = original.clone();
    let inputs: FxHashMap<FunId, usize> = system.inputs.iter().copied().zip(0..).collect();
    let mut speaks = Speaks { position: &inputs, known: FxHashMap::default() };
    let next: FxHashMap<TermId, TermId> = system
        .states
        .iter()
        .map(|state| (terms.constant_term(state.now), terms.constant_term(state.next)))
        .collect();
    let mut next = Rewrite::new(next);
    let mut excuses = Vec::new();
    for formula in std::mem::take(&mut system.invar) {
        if speaks.of_variables(terms, formula) {
            system.trans.push(formula);
            excuses.push(terms.not(formula));
        } else {
            system.init.push(formula);
            system.trans.push(next.apply(terms, formula));
        }
    }
    if excuses.is_empty() {
        return system;
    }
    let excused = terms.or(&excuses);
    for property in &mut system.properties {
        if let PropertyKind::Invariant(formula) = &mut property.kind {
            *formula = terms.or(&[*formula, excused]);
        }
    }
    system
}
