//! The cone of influence: state variables and inputs that decide nothing are left out.
//!
//! Only variables can be left out that never keep an execution from going on: those whose first value is any or a term, and
//! whose next value is any or a term. Everything else that is said of the first step, of steps, and of all steps is kept with
//! all that it speaks of, and so are properties and hints. So the executions of the smaller system are those of the system without
//! some of the values, and each of them can be given these values.
//!
//! Back: an inductive invariant is one; in a trace the missing values are computed. An execution that repeats itself need not
//! do so with them, so one with a loop has no way back.

use super::fixed::conjuncts;
use super::functional::{Functional, Initial, Register, Values, first_values, next_values};
use crate::simulate::Simulator;
use crate::system::System;
use crate::trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::subst::{functions, postorder_of};
use smt::term::{FunId, TermId, Terms};

/// A system without what decides nothing.
#[derive(Clone, Debug)]
pub struct Cone {
    /// The system.
    pub system: System,
    /// What was left out as a system of its own: what it reads of the other one are its inputs.
    rest: Functional,
    /// Variables by next versions.
    owners: FxHashMap<FunId, FunId>,
}

/// The system without what decides nothing; nothing if every state variable decides something. Definitions have to be unfolded.
pub fn cone(terms: &mut Terms, original: &System) -> Option<Cone> {
    let (first, next) = (first_values(terms, original, Initial::Terms), next_values(terms, original));
    let needed = needed(terms, original, &first, &next);
    if original.states.iter().all(|state| needed.contains(&state.now)) {
        return None;
    }
    let rest = rest(terms, original, &needed, [&first, &next]);
    let mut system = original.clone();
    system.states.retain(|state| needed.contains(&state.now));
    system.inputs.retain(|input| needed.contains(input));
    let symbol = |i: usize| Some(original.states[i]).filter(|state| needed.contains(&state.now));
    system.init = conjuncts(terms, &first, |i| symbol(i).map(|state| state.now));
    system.trans = conjuncts(terms, &next, |i| symbol(i).map(|state| state.next));
    let owners = original.states.iter().map(|state| (state.next, state.now)).collect();
    Some(Cone { system, rest, owners })
}

/// The hints that speak of nothing that the properties and what is said of all executions do not depend on.
pub fn near_hints(terms: &mut Terms, system: &System) -> Vec<TermId> {
    let bare = System { hints: Vec::new(), ..system.clone() };
    let (first, next) = (first_values(terms, &bare, Initial::Terms), next_values(terms, &bare));
    let needed = needed(terms, &bare, &first, &next);
    let symbols = system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied());
    let far: FxHashSet<FunId> = symbols.filter(|fun| !needed.contains(fun)).collect();
    let mut lost: FxHashSet<TermId> = FxHashSet::default();
    for term in postorder_of(terms, system.hints.iter().copied()) {
        let is_far = terms.applied(term).is_some_and(|fun| far.contains(&fun));
        if is_far || terms.args(term).iter().any(|arg| lost.contains(arg)) {
            lost.insert(term);
        }
    }
    system.hints.iter().copied().filter(|hint| !lost.contains(hint)).collect()
}

/// The state variables and inputs that something depends on which must not be left out.
fn needed(terms: &Terms, system: &System, first: &Values, next: &Values) -> FxHashSet<FunId> {
    let mut states: FxHashMap<FunId, usize> = FxHashMap::default();
    for (i, state) in system.states.iter().enumerate() {
        states.extend([(state.now, i), (state.next, i)]);
    }
    let mut values: FxHashMap<usize, Vec<TermId>> = FxHashMap::default();
    for &(position, value) in first.values.iter().chain(&next.values) {
        values.entry(position).or_default().push(value);
    }
    let lists = [&system.axioms, &system.invar, &first.rest, &next.rest];
    let mut todo: Vec<TermId> = lists.into_iter().flatten().copied().collect();
    todo.extend(system.properties.iter().flat_map(|property| property.formulas()));
    todo.extend(system.outputs.iter().map(|output| output.term));
    // What the property does not depend on may still say something about what it depends on.
    todo.extend(&system.hints);
    let (mut needed, mut seen) = (FxHashSet::default(), FxHashSet::default());
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        todo.extend(terms.args(term));
        let Some(fun) = terms.applied(term) else { continue };
        match states.get(&fun) {
            Some(&position) => {
                if needed.insert(system.states[position].now) {
                    todo.extend(values.remove(&position).unwrap_or_default());
                }
            }
            None => {
                needed.insert(fun);
            }
        }
    }
    needed
}

/// What is not needed, in functional form.
fn rest(terms: &Terms, system: &System, needed: &FxHashSet<FunId>, parts: [&Values; 2]) -> Functional {
    let [first, next] = parts.map(|values| values.values.iter().copied().collect::<FxHashMap<_, _>>());
    let (mut made, mut places) = (Functional::default(), FxHashMap::default());
    for (i, state) in system.states.iter().enumerate().filter(|(_, state)| !needed.contains(&state.now)) {
        places.insert(i, made.registers.len());
        made.registers.push(Register {
            state: state.now,
            init: first.get(&i).copied(),
            next: next.get(&i).copied(),
        });
    }
    made.order = parts[0].values.iter().filter_map(|(i, _)| places.get(i).copied()).collect();
    let own: FxHashSet<FunId> = made.registers.iter().map(|register| register.state).collect();
    made.inputs = system.inputs.iter().copied().filter(|input| !needed.contains(input)).collect();
    let mut known: FxHashSet<FunId> = made.inputs.iter().copied().collect();
    for value in made.registers.iter().flat_map(|register| [register.init, register.next]).flatten() {
        let read = functions(terms, value).into_iter().filter(|fun| !own.contains(fun));
        made.inputs.extend(read.filter(|&fun| terms.fun(fun).params.is_empty() && known.insert(fun)));
    }
    made
}

/// The way back for traces; an inductive invariant is one of the original system as it stands.
impl Cone {
    /// The execution of the original system that one of this system is; nothing for one with a loop, and where a value is
    /// not computed.
    pub fn trace(&self, terms: &mut Terms, trace: &Trace) -> Option<Trace> {
        if trace.back.is_some() {
            return None;
        }
        let simulator = Simulator::new(terms, &self.rest);
        let found = simulator.run(terms, trace.steps.len(), |_, fun, step| {
            let value = match self.owners.get(&fun) {
                Some(&now) => trace.steps.get(step + 1).and_then(|next| next.get(now)),
                None => trace.steps[step].get(fun).or_else(|| trace.rigid.get(fun)),
            };
            value.cloned()
        });
        let found = found.ok()?;
        let mut made = trace.clone();
        for (step, values) in made.steps.iter_mut().zip(&found.steps) {
            for &fun in simulator.variables() {
                if let Some(value) = values.get(fun).filter(|_| step.get(fun).is_none()) {
                    step.set(fun, value.clone());
                }
            }
        }
        Some(made)
    }
}
