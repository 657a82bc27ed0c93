//! A system as formulas over the steps of an execution: `x` in step 3 is a constant of its own.

use crate::passes::rewrite::Rewrite;
use crate::system::System;
use crate::trace::Trace;
use rustc_hash::FxHashMap;
use smt::eval::{Assignment, Interpretation};
use smt::term::{FunId, TermId, Terms};

type Map = FxHashMap<TermId, TermId>;

/// The constants of one step.
#[derive(Clone, Debug, Default)]
struct Step {
    states: Vec<FunId>,
    inputs: Vec<FunId>,
    /// Current versions and inputs in this step.
    now: Map,
}

/// Steps that are made when they are needed.
#[derive(Clone, Debug, Default)]
pub struct Unrolling {
    steps: Vec<Step>,
    /// The step that was asked for last, with and without the one after it: formulas of one step share parts.
    at: Option<(usize, Rewrite)>,
    between: Option<(usize, Rewrite)>,
}

impl Unrolling {
    /// No steps yet.
    #[must_use]
    pub fn new() -> Unrolling {
        Unrolling::default()
    }

    fn reach(&mut self, terms: &mut Terms, system: &System, step: usize) {
        while self.steps.len() <= step {
            let at = self.steps.len();
            let mut made = Step::default();
            for state in &system.states {
                let fun = copy(terms, state.now, at, &mut made.now);
                made.states.push(fun);
            }
            for &input in &system.inputs {
                let fun = copy(terms, input, at, &mut made.now);
                made.inputs.push(fun);
            }
            self.steps.push(made);
        }
    }

    /// A formula over states, inputs and rigid symbols, in a step.
    pub fn at(&mut self, terms: &mut Terms, system: &System, formula: TermId, step: usize) -> TermId {
        self.reach(terms, system, step);
        let kept = self.at.take().filter(|kept| kept.0 == step);
        let (_, rewrite) =
            self.at.insert(kept.unwrap_or_else(|| (step, Rewrite::new(self.steps[step].now.clone()))));
        rewrite.apply(terms, formula)
    }

    /// A formula over two steps: `step` and the one after it.
    pub fn between(&mut self, terms: &mut Terms, system: &System, formula: TermId, step: usize) -> TermId {
        self.reach(terms, system, step + 1);
        let kept = self.between.take().filter(|kept| kept.0 == step);
        let made = || {
            let mut map = self.steps[step].now.clone();
            for (state, &later) in system.states.iter().zip(&self.steps[step + 1].states) {
                map.insert(terms.constant_term(state.next), terms.constant_term(later));
            }
            (step, Rewrite::new(map))
        };
        let kept = kept.unwrap_or_else(made);
        let (_, rewrite) = self.between.insert(kept);
        rewrite.apply(terms, formula)
    }

    /// A state variable, by its position, in a step.
    pub fn state(&mut self, terms: &mut Terms, system: &System, state: usize, step: usize) -> TermId {
        self.reach(terms, system, step);
        terms.constant_term(self.steps[step].states[state])
    }

    /// The trace of the first `count` steps that a model of an unrolling describes.
    #[must_use]
    pub fn trace(&self, system: &System, model: &Assignment, count: usize) -> Trace {
        let mut trace = Trace::default();
        for &rigid in &system.rigid {
            if let Some(meaning) = model.interpretation(rigid) {
                trace.rigid.interpret(rigid, meaning.clone());
            }
        }
        for step in self.steps.iter().take(count) {
            let mut values = Assignment::new();
            let states = system.states.iter().map(|state| state.now).zip(&step.states);
            for (fun, copy) in states.chain(system.inputs.iter().copied().zip(&step.inputs)) {
                if let Some(Interpretation::Value(value)) = model.interpretation(*copy) {
                    values.set(fun, value.clone());
                }
            }
            trace.steps.push(values);
        }
        trace
    }
}

/// A constant for `fun` in a step.
fn copy(terms: &mut Terms, fun: FunId, step: usize, map: &mut Map) -> FunId {
    let (name, sort) = (format!("{}@{step}", terms.fun_name(fun)), terms.fun(fun).result);
    let fresh = terms.fresh(&name, sort);
    map.insert(terms.constant_term(fun), terms.constant_term(fresh));
    fresh
}
