//! Systems with more variables than the original.

use crate::certificate::Certificate;
use crate::system::System;
use crate::trace::Trace;
use rustc_hash::FxHashSet;
use smt::subst::functions;
use smt::term::{FunId, Terms};

/// A system that observes the original: its executions are those of the original with values for the new variables, and
/// each execution of the original is one of them. So a counterexample of one is a counterexample of the other.
#[derive(Clone, Debug)]
pub struct Extended {
    /// The system, with the properties of the original in their order.
    pub system: System,
    /// How many state variables and inputs the original has; the new ones come after them.
    states: usize,
    inputs: usize,
}

impl Extended {
    pub(super) fn new(original: &System, system: System) -> Extended {
        Extended { system, states: original.states.len(), inputs: original.inputs.len() }
    }

    /// The system after another pass over this one.
    pub(super) fn then(self, later: Extended) -> Extended {
        Extended { system: later.system, ..self }
    }

    /// The symbols that the original has not.
    fn added(&self) -> impl Iterator<Item = FunId> {
        let states = self.system.states[self.states..].iter().flat_map(|state| [state.now, state.next]);
        states.chain(self.system.inputs[self.inputs..].iter().copied())
    }

    /// A trace of the original.
    #[must_use]
    pub fn trace(&self, found: &Trace) -> Trace {
        let mut trace = found.clone();
        for fun in self.added() {
            trace.steps.iter_mut().for_each(|step| step.remove(fun));
        }
        trace
    }

    /// A certificate for the original, if it does not speak of what was added. Only properties that the pass left alone
    /// have one.
    #[must_use]
    pub fn certificate(&self, terms: &Terms, found: Certificate) -> Option<Certificate> {
        let added: FxHashSet<FunId> = self.added().collect();
        functions(terms, found.invariant).iter().all(|fun| !added.contains(fun)).then_some(found)
    }
}
