//! Relations as functions: circuits and most other languages give each state variable an initial value and a next value, while
//! a [`System`] has formulas for the first step and for pairs of steps.
//!
//! Conjuncts that are equations for one variable become its values, after [alternatives](super::alternatives) have become
//! inputs. The rest is kept exactly, with the same number of steps:
//!
//! * A variable that the rest of `trans` speaks of in its next version gets a new input as next value. Whether the rest held
//!   is remembered in a flag, which has to be true in every step. So it is asked for between two steps only: a step without
//!   a successor stays a step.
//! * The rest of `init` is a constraint that holds in the first step, which another flag marks.
//!
//! Rigid constants are registers that never change. Back: traces lose the flags and the new inputs; an inductive invariant is
//! looked at with the flags as they are in executions.

use super::alternatives::{Alternatives, alternatives};
use super::equations::equations;
use super::rewrite::Rewrite;
use crate::system::{Output, Property, State, System};
use crate::trace::Trace;
use rustc_hash::FxHashMap;
use smt::eval::Interpretation;
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::{postorder_of, replace};
use smt::term::{FunId, TermId, Terms};

/// Which initial values there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Initial {
    /// Terms over other variables, without a cycle.
    Terms,
    /// Literals, and arrays that are the same literal everywhere.
    Literals,
}

/// A state variable with its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Register {
    /// The variable; for a register that was a rigid constant, that constant.
    pub state: FunId,
    /// The value in the first step; any value if there is none.
    pub init: Option<TermId>,
    /// The value in the next step; any value if there is none.
    pub next: Option<TermId>,
}

/// A system in functional form.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Functional {
    /// The system's variables in their order, its rigid constants, and flags.
    pub registers: Vec<Register>,
    /// The registers with an initial value, each after those that its value speaks of.
    pub order: Vec<usize>,
    /// The system's inputs in their order, those that choose alternatives, and those that are next values.
    pub inputs: Vec<FunId>,
    /// What holds in every step, the last one too.
    pub constraints: Vec<TermId>,
    /// As in the system.
    pub properties: Vec<Property>,
    /// As in the system.
    pub outputs: Vec<Output>,
    /// Rigid functions, which are no registers, and what is left of the axioms about them is a constraint.
    pub rigid: Vec<FunId>,
    flags: Flags,
    alternatives: Option<Alternatives>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Flags {
    /// True in the first step only, with what holds then.
    first: Option<(FunId, Vec<TermId>)>,
    /// True when the rest of `trans` held before.
    kept: Option<FunId>,
}

/// The functional form of a system. Definitions have to be unfolded.
pub fn functional(terms: &mut Terms, system: &System, initial: Initial) -> Functional {
    let alternatives = alternatives(terms, system);
    let without = alternatives.as_ref().map(|made| System {
        trans: made.trans.clone(),
        inputs: system.inputs.iter().chain(&made.inputs).copied().collect(),
        ..system.clone()
    });
    let system = without.as_ref().unwrap_or(system);
    let mut made = Functional {
        registers: system
            .states
            .iter()
            .map(|state| Register { state: state.now, init: None, next: None })
            .collect(),
        inputs: system.inputs.clone(),
        constraints: system.axioms.clone(),
        properties: system.properties.clone(),
        outputs: system.outputs.clone(),
        alternatives,
        ..Functional::default()
    };
    for &rigid in &system.rigid {
        if terms.fun(rigid).params.is_empty() {
            let same = terms.constant_term(rigid);
            made.registers.push(Register { state: rigid, init: None, next: Some(same) });
        } else {
            made.rigid.push(rigid);
        }
    }
    made.constraints.extend(&system.invar);
    steps(terms, system, &mut made);
    first(terms, system, initial, &mut made);
    made
}

/// What `trans` and `init` say about single variables, by their positions, and what else they say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Values {
    /// Variables with their values, each after those that its value speaks of.
    pub values: Vec<(usize, TermId)>,
    /// The other conjuncts.
    pub rest: Vec<TermId>,
}

/// Next values. In them, and in the rest, only those variables occur in their next version that have no value themselves.
pub fn next_values(terms: &mut Terms, system: &System) -> Values {
    let position: FxHashMap<FunId, usize> =
        system.states.iter().enumerate().map(|(i, state)| (state.next, i)).collect();
    let found = equations(terms, &system.trans, &position, |_, _| true);
    let (mut rewrite, mut values) = (Rewrite::default(), Vec::new());
    // In this order an equation speaks of next versions only that have their values already, or none at all.
    for &(variable, value) in &found.equations {
        let value = if found.plain.contains(&value) { value } else { rewrite.apply(terms, value) };
        values.push((variable, value));
        rewrite.insert(terms.constant_term(system.states[variable].next), value);
    }
    let rest = found.rest.iter().map(|&conjunct| rewrite.apply(terms, conjunct)).collect();
    Values { values, rest }
}

/// Initial values.
pub fn first_values(terms: &Terms, system: &System, initial: Initial) -> Values {
    let position: FxHashMap<FunId, usize> =
        system.states.iter().enumerate().map(|(i, state)| (state.now, i)).collect();
    let wanted = |terms: &Terms, value| initial == Initial::Terms || is_literal(terms, value);
    let found = equations(terms, &system.init, &position, wanted);
    Values { values: found.equations, rest: found.rest }
}

/// Next values as registers; a variable that has none and of which something is said gets an input.
fn steps(terms: &mut Terms, system: &System, made: &mut Functional) {
    let found = next_values(terms, system);
    let position: FxHashMap<FunId, usize> =
        system.states.iter().enumerate().map(|(i, state)| (state.next, i)).collect();
    let mut drawn = FxHashMap::default();
    let said = found.values.iter().map(|&(_, value)| value).chain(found.rest.iter().copied());
    for term in postorder_of(terms, said) {
        let Some(fun) = terms.applied(term) else { continue };
        let Some(&variable) = position.get(&fun) else { continue };
        let (name, sort) = (format!("{}.in", terms.fun_name(fun)), terms.fun(fun).result);
        let input = terms.fresh(&name, sort);
        made.inputs.push(input);
        let value = terms.constant_term(input);
        made.registers[variable].next = Some(value);
        drawn.insert(term, value);
    }
    let mut rewrite = Rewrite::new(drawn);
    for &(variable, value) in &found.values {
        made.registers[variable].next = Some(rewrite.apply(terms, value));
    }
    if found.rest.is_empty() {
        return;
    }
    let rest: Vec<TermId> = found.rest.iter().map(|&conjunct| rewrite.apply(terms, conjunct)).collect();
    let held = terms.and(&rest);
    let flag = terms.fresh("kept", SortId::BOOL);
    made.registers.push(Register { state: flag, init: Some(TermId::TRUE), next: Some(held) });
    made.constraints.push(terms.constant_term(flag));
    made.flags.kept = Some(flag);
}

/// Initial values as registers.
fn first(terms: &mut Terms, system: &System, initial: Initial, made: &mut Functional) {
    let found = first_values(terms, system, initial);
    for &(variable, value) in &found.values {
        made.registers[variable].init = Some(value);
        made.order.push(variable);
    }
    if made.flags.kept.is_some() {
        // It was added last.
        made.order.push(made.registers.len() - 1);
    }
    if found.rest.is_empty() {
        return;
    }
    let flag = terms.fresh("first", SortId::BOOL);
    made.order.push(made.registers.len());
    made.registers.push(Register { state: flag, init: Some(TermId::TRUE), next: Some(TermId::FALSE) });
    let now = terms.constant_term(flag);
    let later = terms.not(now);
    for &conjunct in &found.rest {
        let held = terms.or(&[later, conjunct]);
        made.constraints.push(held);
    }
    made.flags.first = Some((flag, found.rest));
}

/// True for a literal, and for an array that is one literal everywhere.
#[must_use]
pub fn is_literal(terms: &Terms, mut value: TermId) -> bool {
    while terms.op(value) == Op::ConstArray {
        value = terms.args(value)[0];
    }
    matches!(terms.op(value), Op::Const | Op::True | Op::False)
}

/// Back, and to systems again.
impl Functional {
    /// What steps and properties are made of.
    pub fn formulas(&self) -> impl Iterator<Item = TermId> {
        let next = self.registers.iter().filter_map(|register| register.next);
        let claims = self.properties.iter().flat_map(Property::formulas);
        next.chain(self.constraints.iter().chain(claims).copied())
    }

    /// The execution of the system that an execution of this form stands for.
    pub fn trace(&self, terms: &mut Terms, system: &System, trace: &Trace) -> Trace {
        let mut trace = trace.clone();
        let mut found = Trace { back: trace.back, rigid: trace.rigid.clone(), ..Trace::default() };
        for &rigid in &system.rigid {
            if let Some(value) = trace.steps.first().and_then(|step| step.get(rigid)) {
                found.rigid.interpret(rigid, Interpretation::Value(value.clone()));
            }
        }
        if let Some(alternatives) = &self.alternatives {
            trace.rigid = found.rigid.clone();
            alternatives.complete(terms, system, &mut trace);
        }
        let kept: Vec<FunId> =
            system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied()).collect();
        for step in &trace.steps {
            let mut values = smt::eval::Assignment::new();
            for &fun in &kept {
                if let Some(value) = step.get(fun) {
                    values.set(fun, value.clone());
                }
            }
            found.steps.push(values);
        }
        found
    }

    /// The inductive invariant of the system that one of this form is.
    ///
    /// In every step of an execution the flag of steps is true, and that of the first step is true in the first one only,
    /// where the rest of `init` holds.
    pub fn invariant(&self, terms: &mut Terms, invariant: TermId) -> TermId {
        let mut map = FxHashMap::default();
        if let Some(flag) = self.flags.kept {
            map.insert(terms.constant_term(flag), TermId::TRUE);
        }
        let Some((flag, rest)) = &self.flags.first else { return replace(terms, invariant, &map) };
        let flag = terms.constant_term(*flag);
        map.insert(flag, TermId::FALSE);
        let later = replace(terms, invariant, &map);
        map.insert(flag, TermId::TRUE);
        let now = replace(terms, invariant, &map);
        let first: Vec<TermId> = rest.iter().copied().chain([now]).collect();
        let first = terms.and(&first);
        terms.or(&[later, first])
    }

    /// This form as a system, in which rigid constants are rigid.
    pub fn to_system(&self, terms: &mut Terms, system: &System) -> System {
        let mut made = System {
            logic: system.logic.clone(),
            states: system.states.clone(),
            inputs: self.inputs.clone(),
            rigid: system.rigid.clone(),
            invar: self.constraints.clone(),
            properties: self.properties.clone(),
            outputs: self.outputs.clone(),
            ..System::default()
        };
        let flags = [self.flags.first.as_ref().map(|first| first.0), self.flags.kept];
        for now in flags.into_iter().flatten() {
            let name = format!("{}.next", terms.fun_name(now));
            made.states.push(State { now, next: terms.fresh(&name, SortId::BOOL) });
        }
        let nexts: FxHashMap<FunId, FunId> =
            made.states.iter().map(|state| (state.now, state.next)).collect();
        for register in &self.registers {
            let Some(&next) = nexts.get(&register.state) else { continue };
            for (fun, value, list) in
                [(register.state, register.init, &mut made.init), (next, register.next, &mut made.trans)]
            {
                let Some(value) = value else { continue };
                let symbol = terms.constant_term(fun);
                // Both sides have the variable's sort, so there is nothing that could be refused.
                if let Ok(equation) = terms.app(Op::Eq, &[symbol, value]) {
                    list.push(equation);
                }
            }
        }
        made
    }
}
