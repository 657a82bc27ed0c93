//! Executions of which a part is told: what is missing is looked for.
//!
//! Tools leave out what does not matter, and variables that their users do not see.

use super::session::{Execution, Stopped};
use base::budget::Budget;
use smt::eval::Interpretation;
use smt::op::Op;
use smt::term::{FunId, TermId, Terms};
use ts::{Property, PropertyKind, System, Trace};

/// A counterexample with the values that a trace has; nothing if there is none.
///
/// # Errors
/// Why the search ended before that was known.
pub fn complete(
    terms: &mut Terms,
    system: &System,
    property: &Property,
    told: &Trace,
    solver: &str,
    budget: &Budget,
) -> Result<Option<Trace>, String> {
    let mut execution = Execution::begin(terms, system, true, solver, budget)?;
    // A loop is closed when the step after the last one has the state that it goes back to.
    let more = usize::from(told.back.is_some());
    while execution.length < told.steps.len() + more {
        execution.extend(terms)?;
    }
    for (at, step) in told.steps.iter().enumerate() {
        for fun in varying(system) {
            let Some(value) = step.get(fun).cloned() else { continue };
            let constant = terms.constant_term(fun);
            let constant = execution.at(terms, constant, at);
            is(terms, &mut execution, constant, &value)?;
        }
    }
    for &fun in &system.rigid {
        if let Some(Interpretation::Value(value)) = told.rigid.interpretation(fun).cloned() {
            let constant = terms.constant_term(fun);
            is(terms, &mut execution, constant, &value)?;
        }
    }
    violate(terms, &mut execution, property, told)?;
    if !execution.session.is_sat(terms, &[])? {
        return Ok(None);
    }
    let model = execution.session.model(terms)?;
    let mut found = execution.unrolling.trace(system, &model, told.steps.len());
    found.back = told.back;
    for &fun in &system.rigid {
        if let Some(meaning) = told.rigid.interpretation(fun) {
            found.rigid.interpret(fun, meaning.clone());
        }
    }
    found.complete(terms, system);
    Ok(Some(found))
}

/// True when each state variable and each input has a value in each step.
#[must_use]
pub fn is_complete(system: &System, told: &Trace) -> bool {
    let symbols = || varying(system);
    told.steps.iter().all(|step| symbols().all(|fun| step.get(fun).is_some()))
}

fn varying(system: &System) -> impl Iterator<Item = FunId> {
    system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied())
}

fn is(
    terms: &mut Terms,
    execution: &mut Execution<'_>,
    constant: TermId,
    value: &smt::value::Value,
) -> Result<(), Stopped> {
    let value = value.to_term(terms);
    equal(terms, execution, constant, value)
}

fn equal(
    terms: &mut Terms,
    execution: &mut Execution<'_>,
    left: TermId,
    right: TermId,
) -> Result<(), Stopped> {
    let equal = terms.app(Op::Eq, &[left, right]).map_err(|_| Stopped("a value has another sort".into()))?;
    execution.session.assert(terms, equal)
}

/// The execution violates the property.
fn violate(
    terms: &mut Terms,
    execution: &mut Execution<'_>,
    property: &Property,
    told: &Trace,
) -> Result<(), Stopped> {
    let last = told.steps.len().checked_sub(1).ok_or_else(|| Stopped("the trace has no step".into()))?;
    match (&property.kind, told.back) {
        (&PropertyKind::Invariant(formula), _) => {
            let holds = execution.at(terms, formula, last);
            let violated = terms.not(holds);
            execution.session.assert(terms, violated)
        }
        (PropertyKind::Live(formulas), Some(back)) if back <= last => {
            for state in 0..execution.system.states.len() {
                let [end, begin] = [last + 1, back]
                    .map(|step| execution.unrolling.state(terms, execution.system, state, step));
                equal(terms, execution, end, begin)?;
            }
            for &formula in formulas {
                let violations: Vec<TermId> = (back..=last)
                    .map(|step| {
                        let holds = execution.at(terms, formula, step);
                        terms.not(holds)
                    })
                    .collect();
                let again = terms.or(&violations);
                execution.session.assert(terms, again)?;
            }
            Ok(())
        }
        _ => Err(Stopped("what is missing is looked for in invariant and live properties only".into())),
    }
}
