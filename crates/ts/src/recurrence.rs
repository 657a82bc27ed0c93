//! Infinite executions that repeat no state: rounds that lead from each state of a set back into the set.

use crate::system::System;
use crate::trace::{Fault, Judge, Trace};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::sort::SortId;
use smt::subst::postorder_of;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;

/// How a finite execution, whose last state is in the set, goes on for ever: from every state of the set one round of steps
/// leads to a state of the set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recurrence {
    /// The states in which rounds begin: a formula over state variables and rigid symbols.
    pub set: TermId,
    /// What state variables and inputs are in the steps of a round, as terms over the state variables in its first step and
    /// rigid symbols. In the first step only inputs are given, in the last one, which is the first of the next round, only state
    /// variables. A state variable that is not given is what it was in the step before; an input may be anything.
    pub round: Vec<FxHashMap<FunId, TermId>>,
}

impl Recurrence {
    /// What is wrong with its form, if something is. Whether it says something that is true is not looked at.
    #[must_use]
    pub fn flaw(&self, terms: &Terms, system: &System) -> Option<String> {
        let states: FxHashSet<FunId> = system.states.iter().map(|state| state.now).collect();
        let inputs: FxHashSet<FunId> = system.inputs.iter().copied().collect();
        let Some(last) = self.round.len().checked_sub(1).filter(|&last| last > 0) else {
            return Some("a round has at least two steps".into());
        };
        for (number, step) in self.round.iter().enumerate() {
            let mut given: Vec<FunId> = step.keys().copied().collect();
            given.sort_unstable();
            for fun in given {
                let name = terms.fun_name(fun);
                let (is_state, is_input) = (states.contains(&fun), inputs.contains(&fun));
                if !is_state && !is_input {
                    return Some(format!("the system has no state variable or input `{name}`"));
                }
                if is_state && number == 0 {
                    return Some(format!(
                        "a round begins in any state of the set, and `{name}` is given there"
                    ));
                }
                if is_input && number == last {
                    return Some(format!("inputs of the last step are those of the next round: `{name}`"));
                }
                if terms.sort(step[&fun]) != terms.fun(fun).result {
                    return Some(format!("what is given for `{name}` has another sort"));
                }
            }
        }
        if terms.sort(self.set) != SortId::BOOL {
            return Some("the set is no formula".into());
        }
        // What may occur in them is what may occur in `init`.
        let used: Vec<TermId> = self.round.iter().flat_map(|step| step.values().copied()).collect();
        let elements = elements(terms, system, used.iter().copied().chain([self.set]));
        let outputs = used.into_iter().map(|term| crate::Output { name: String::new(), term });
        let only = System {
            states: system.states.clone(),
            rigid: system.rigid.iter().copied().chain(elements).collect(),
            init: vec![self.set],
            outputs: outputs.collect(),
            ..System::default()
        };
        let flaws = crate::verify(terms, &only);
        flaws
            .first()
            .map(|flaw| flaw.message(terms).replace("in init", "in the set").replace("an output", "a round"))
    }
}

/// Elements of uninterpreted sorts that terms speak of, which are constants and no symbols of a system.
fn elements(terms: &Terms, system: &System, roots: impl Iterator<Item = TermId>) -> Vec<FunId> {
    let versions = system.states.iter().flat_map(|state| [state.now, state.next]);
    let mut known: FxHashSet<FunId> =
        versions.chain(system.inputs.iter().copied()).chain(system.rigid.iter().copied()).collect();
    let is_element = |&term: &TermId| matches!(Value::from_term(terms, term), Some(Value::Abstract { .. }));
    let constants = postorder_of(terms, roots).into_iter().filter(|&term| terms.args(term).is_empty());
    let used = constants.filter(is_element).filter_map(|term| terms.applied(term));
    used.filter(|&fun| known.insert(fun)).collect()
}

impl Trace {
    /// Whether a formula holds in the last step.
    ///
    /// # Errors
    /// When it cannot be evaluated there, or there is no step.
    pub fn ends_in(&self, terms: &Terms, system: &System, formula: TermId) -> Result<bool, Fault> {
        let last = self.steps.len().checked_sub(1).ok_or(Fault::Empty)?;
        Judge::new(self, terms, system).holds(last, formula)
    }
}
