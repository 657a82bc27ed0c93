//! Liveness to safety: an infinite execution that repeats a state is found by remembering one of its states.
//!
//! At some step the execution may save its state. From then on it notes which conditions held, and when it comes back to
//! the saved state after all of them did, it has found a loop. If the sorts of all state variables are finite, every
//! counterexample of a live property can be replaced by one that repeats a state, so that the new invariant holds if and
//! only if the live property does ([`is_complete`]); otherwise only its violations mean something.

use super::build::Build;
use crate::system::{Property, PropertyKind, State, System};
use crate::trace::Trace;
use smt::op::Op;
use smt::sort::{Sort, SortId};
use smt::term::{FunId, TermId, Terms};

/// A system that looks for loops, and the way back from its traces.
#[derive(Clone, Debug)]
pub struct Lasso {
    /// The system with its one property, an invariant.
    pub system: System,
    /// The input that saves the state, and the state that says that it was saved.
    save: FunId,
    saved: State,
    /// How many state variables and inputs the original has.
    states: usize,
    inputs: usize,
}

/// The system with an invariant that is violated when an execution violates every formula on a loop.
///
/// # Errors
/// When the property is not a live one.
pub fn lasso(terms: &mut Terms, original: &System, property: &Property) -> Result<Lasso, &'static str> {
    let PropertyKind::Live(formulas) = &property.kind else { return Err("the property is not a live one") };
    let mut build = Build::new(terms, original);
    let (save, saved, kind) = watch(&mut build, original, formulas);
    let mut system = build.system;
    system.properties.push(Property { index: property.index, name: property.name.clone(), kind });
    Ok(Lasso { system, save, saved, states: original.states.len(), inputs: original.inputs.len() })
}

/// Lets a system look for a loop of the original on which every formula is violated: the input that saves the state, the
/// state that says that it was saved, and the invariant.
pub(super) fn watch(
    build: &mut Build<'_>,
    original: &System,
    formulas: &[TermId],
) -> (FunId, State, PropertyKind) {
    let save = build.input("save", SortId::BOOL);
    let save_now = build.terms.constant_term(save);
    let (saved, was_saved) = build.flag("saved");
    let open = build.terms.or(&[was_saved, save_now]);
    build.follows(saved, open);
    let mut closed = vec![was_saved];
    for state in &original.states {
        closed.push(build.copy(*state, save_now, was_saved));
    }
    for &formula in formulas {
        closed.push(build.seen(formula, open));
    }
    let loops = build.terms.and(&closed);
    (save, saved, PropertyKind::Invariant(build.terms.not(loops)))
}

impl Build<'_> {
    /// A copy of a variable that keeps the saved value; that the variable has this value.
    fn copy(&mut self, state: State, save: TermId, saved: TermId) -> TermId {
        let sort = self.terms.fun(state.now).result;
        let name = format!("{}.saved", self.terms.fun_name(state.now));
        let copy = self.state(&name, sort);
        let (now, kept) = (self.terms.constant_term(state.now), self.terms.constant_term(copy.now));
        let not_yet = self.terms.not(saved);
        let taken = self.terms.and(&[save, not_yet]);
        let value = self.terms.app(Op::Ite, &[taken, now, kept]).unwrap_or(kept);
        self.follows(copy, value);
        self.equal(now, kept)
    }

    /// A flag that says that the formula was violated since the state was saved.
    fn seen(&mut self, formula: TermId, open: TermId) -> TermId {
        let (flag, now) = self.flag("seen");
        let violated = self.terms.not(formula);
        let here = self.terms.and(&[open, violated]);
        let value = self.terms.or(&[now, here]);
        self.follows(flag, value);
        now
    }
}

impl Lasso {
    /// The infinite execution that a violation describes. Nothing when the trace never saves a state.
    #[must_use]
    pub fn trace(&self, found: &Trace) -> Option<Trace> {
        let held = |step: usize, fun: FunId| found.steps[step].get(fun).and_then(smt::value::Value::as_bool);
        let last = found.steps.len().checked_sub(1)?;
        let back = (0..last)
            .find(|&step| held(step, self.save) == Some(true) && held(step, self.saved.now) == Some(false))?;
        let mut trace = Trace { back: Some(back), ..found.clone() };
        trace.steps.truncate(last);
        let added = self.system.states[self.states..].iter().map(|state| state.now);
        let added: Vec<FunId> = added.chain(self.system.inputs[self.inputs..].iter().copied()).collect();
        for step in &mut trace.steps {
            added.iter().for_each(|&fun| step.remove(fun));
        }
        Some(trace)
    }
}

/// True when every counterexample of a live property can be replaced by one that repeats a state: there are finitely many
/// states. What rigid symbols mean does not change along an execution, so it may be anything.
#[must_use]
pub fn is_complete(terms: &Terms, system: &System) -> bool {
    infinite(terms, system).is_none()
}

/// A state variable with infinitely many values.
pub(super) fn infinite(terms: &Terms, system: &System) -> Option<FunId> {
    let mut variables = system.states.iter().map(|state| state.now);
    variables.find(|&variable| !is_finite(terms, terms.fun(variable).result))
}

fn is_finite(terms: &Terms, sort: SortId) -> bool {
    let mut todo = vec![sort];
    while let Some(sort) = todo.pop() {
        match terms.sorts.get(sort) {
            Sort::Bool | Sort::BitVec(_) | Sort::Float(..) | Sort::RoundingMode => {}
            Sort::Array(index, element) => todo.extend([*index, *element]),
            _ => match terms.sorts.datatype(sort) {
                Some((datatype, _)) if datatype.constructors.iter().all(|c| c.fields.is_empty()) => {}
                _ => return false,
            },
        }
    }
    true
}
