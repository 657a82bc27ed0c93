//! Evidence about systems whose symbols have names that SMT-LIB cannot spell.
//!
//! What travels is VMT-LIB, in which such a symbol has another name. Users see the names of their task: evidence in its own
//! language, and what an execution prints, is about the system as it was read.

use smt::eval::Assignment;
use smt::subst::replace;
use smt::term::{FunId, TermId, Terms};
use std::borrow::Cow;
use std::collections::BTreeMap;
use ts::{System, Trace};

/// A system with names that can be written, and the way between it and the one that was read.
pub(super) struct Spelled<'a> {
    /// The system.
    pub(super) system: Cow<'a, System>,
    /// Symbols as they were read and as they are written, where that is not the same.
    renamed: Vec<(FunId, FunId)>,
}

impl<'a> Spelled<'a> {
    pub(super) fn new(terms: &mut Terms, original: &'a System) -> Result<Spelled<'a>, String> {
        let system = formats::vmt::spelled(terms, original).map_err(|error| error.message)?;
        let pairs = symbols(original).zip(symbols(&system));
        let renamed = pairs.filter(|(original, spelled)| original != spelled).collect();
        Ok(Spelled { system, renamed })
    }

    /// An execution of the original as one of the system that can be written.
    pub(super) fn trace(&self, trace: &Trace) -> Trace {
        moved(trace, self.renamed.iter().copied())
    }

    /// An execution as one of the original.
    pub(super) fn original(&self, trace: &Trace) -> Trace {
        moved(trace, self.renamed.iter().map(|&(original, spelled)| (spelled, original)))
    }

    /// A formula as one about the original.
    pub(super) fn original_formula(&self, terms: &mut Terms, formula: TermId) -> TermId {
        let pairs = self.renamed.iter().filter(|pair| terms.fun(pair.0).params.is_empty()).copied();
        let pairs: Vec<(FunId, FunId)> = pairs.collect();
        let pairs = pairs.into_iter();
        let map = pairs.map(|(from, to)| (terms.constant_term(to), terms.constant_term(from))).collect();
        replace(terms, formula, &map)
    }
}

/// The symbols of a system, in an order that names do not change.
fn symbols(system: &System) -> impl Iterator<Item = FunId> {
    let states = system.states.iter().flat_map(|state| [state.now, state.next]);
    states.chain(system.inputs.iter().copied()).chain(system.rigid.iter().copied())
}

fn moved(trace: &Trace, pairs: impl Iterator<Item = (FunId, FunId)>) -> Trace {
    let pairs: BTreeMap<FunId, FunId> = pairs.collect();
    let mut moved = trace.clone();
    for values in moved.steps.iter_mut().chain([&mut moved.rigid]).filter(|_| !pairs.is_empty()) {
        let mut made = Assignment::new();
        for fun in values.funs() {
            if let Some(meaning) = values.interpretation(fun) {
                made.interpret(pairs.get(&fun).copied().unwrap_or(fun), meaning.clone());
            }
        }
        *values = made;
    }
    moved
}
