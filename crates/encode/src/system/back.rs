//! From the system back to the program.

use super::{Encoded, Place};
use rustc_hash::FxHashMap;
use smt::eval::Assignment;
use smt::subst::replace;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use ts::Trace;

/// A formula over program variables at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// The place.
    pub place: Place,
    /// What holds there.
    pub formula: TermId,
}

/// The program at the beginning of a step.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The place.
    pub place: Place,
    /// The values of program variables that the trace tells.
    pub values: Vec<(FunId, Value)>,
}

impl Encoded {
    /// What an invariant of the system says at each place, about the program's variables.
    pub fn invariants(&self, terms: &mut Terms, invariant: TermId) -> Vec<At> {
        let mut map = FxHashMap::default();
        for (variable, state) in &self.variables {
            map.insert(terms.constant_term(state.now), terms.constant_term(*variable));
        }
        let mut found = Vec::new();
        for (number, &place) in self.places.iter().enumerate() {
            for (i, bit) in self.bits.iter().enumerate() {
                map.insert(terms.constant_term(bit.now), terms.bool(number >> i & 1 == 1));
            }
            found.push(At { place, formula: replace(terms, invariant, &map) });
        }
        found
    }

    /// Where the program is at the beginning of each step of a trace; none when the program counter has no place there.
    #[must_use]
    pub fn visits(&self, trace: &Trace) -> Option<Vec<Visit>> {
        trace.steps.iter().map(|step| self.visit(step)).collect()
    }

    fn visit(&self, step: &Assignment) -> Option<Visit> {
        let mut number = 0;
        for (i, bit) in self.bits.iter().enumerate() {
            if step.get(bit.now)? == &Value::Bool(true) {
                number |= 1 << i;
            }
        }
        let place = *self.places.get(number)?;
        let values = self
            .variables
            .iter()
            .filter_map(|(variable, state)| Some((*variable, step.get(state.now)?.clone())))
            .collect();
        Some(Visit { place, values })
    }
}
