//! Executions by computing: a system in functional form runs when it is told its inputs and what is not determined.

use crate::passes::functional::Functional;
use crate::trace::Trace;
use dashu_int::UBig;
use smt::eval::{Assignment, EvalError, Evaluator};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;

/// Many terms that are evaluated together, so that what they share is evaluated once: those of bits are joined into one long
/// bit-vector and cut apart again.
#[derive(Clone, Debug, Default)]
struct Bundle {
    joined: Option<TermId>,
    /// Owners and widths of the parts, the highest part first; width zero is a truth value.
    parts: Vec<(FunId, u32)>,
    others: Vec<(FunId, TermId)>,
}

impl Bundle {
    fn new(terms: &mut Terms, values: impl Iterator<Item = (FunId, TermId)>) -> Bundle {
        let mut bundle = Bundle::default();
        let (zero, one) = (terms.bits(1, UBig::ZERO), terms.bits(1, UBig::ONE));
        let mut pieces = Vec::new();
        for (owner, term) in values {
            let (piece, width) = match terms.sort(term) {
                SortId::BOOL => (terms.app(Op::Ite, &[term, one, zero]).ok(), 0),
                sort => match terms.sorts.width(sort) {
                    Some(width) if width < 1 << 16 => (Some(term), width),
                    _ => (None, 0),
                },
            };
            match piece {
                Some(piece) => {
                    pieces.push(piece);
                    bundle.parts.push((owner, width));
                }
                None => bundle.others.push((owner, term)),
            }
        }
        bundle.joined = match pieces.len() {
            0 => None,
            1 => Some(pieces[0]),
            _ => terms.app(Op::Concat, &pieces).ok(),
        };
        bundle
    }

    fn eval(
        &self,
        evaluator: &mut Evaluator<'_>,
        env: &mut Assignment,
        set: &mut Assignment,
    ) -> Result<(), EvalError> {
        let mut found = Vec::new();
        if let Some(joined) = self.joined {
            let Value::BitVec { value: mut rest, .. } = evaluator.eval(joined, env)? else {
                return Err(EvalError::Sort(joined));
            };
            for &(owner, width) in self.parts.iter().rev() {
                let mut part = rest.clone();
                part.clear_high_bits(width.max(1) as usize);
                rest >>= width.max(1) as usize;
                let value = match width {
                    0 => Value::Bool(!part.is_zero()),
                    _ => Value::BitVec { width, value: part },
                };
                found.push((owner, value));
            }
        }
        for &(owner, term) in &self.others {
            found.push((owner, evaluator.eval(term, env)?));
        }
        for (owner, value) in found {
            set.set(owner, value);
        }
        Ok(())
    }
}

/// A system that can run.
#[derive(Clone, Debug)]
pub struct Simulator {
    variables: Vec<FunId>,
    inits: Vec<(FunId, TermId)>,
    nexts: Bundle,
}

impl Simulator {
    /// Prepares a system.
    pub fn new(terms: &mut Terms, system: &Functional) -> Simulator {
        let registers = &system.registers;
        let nexts = registers.iter().filter_map(|register| Some((register.state, register.next?)));
        Simulator {
            variables: registers.iter().map(|register| register.state).chain(system.inputs.clone()).collect(),
            inits: system
                .order
                .iter()
                .filter_map(|&i| Some((registers[i].state, registers[i].init?)))
                .collect(),
            nexts: Bundle::new(terms, nexts),
        }
    }

    /// The symbols that have a value in a step.
    #[must_use]
    pub fn variables(&self) -> &[FunId] {
        &self.variables
    }

    /// The execution of `count` steps in which `choose` says what is not determined: inputs, and states without an initial
    /// or next value. It is asked for every symbol and step; nothing is an undetermined value that has a default.
    ///
    /// # Errors
    /// When a value cannot be computed.
    pub fn run(
        &self,
        terms: &mut Terms,
        count: usize,
        mut choose: impl FnMut(&mut Terms, FunId, usize) -> Option<Value>,
    ) -> Result<Trace, EvalError> {
        let mut trace = Trace::default();
        let mut forced = Assignment::new();
        for step in 0..count {
            let mut now = Assignment::new();
            for &variable in &self.variables {
                let value = match forced.get(variable) {
                    Some(value) => value.clone(),
                    None => match choose(terms, variable, step) {
                        Some(value) => value,
                        None => {
                            let sort = terms.fun(variable).result;
                            Value::default_of(terms, sort).ok_or(EvalError::NoValue(sort))?
                        }
                    },
                };
                now.set(variable, value);
            }
            let mut evaluator = Evaluator::new(terms);
            if step == 0 {
                // An initial value may depend on another one, and there is no cycle.
                self.initial(&mut evaluator, &mut now)?;
            }
            forced = Assignment::new();
            self.nexts.eval(&mut evaluator, &mut now, &mut forced)?;
            trace.steps.push(now);
        }
        Ok(trace)
    }

    /// Initial values come after those that they depend on.
    fn initial(&self, evaluator: &mut Evaluator<'_>, now: &mut Assignment) -> Result<(), EvalError> {
        for &(state, value) in &self.inits {
            let value = evaluator.eval(value, now)?;
            now.set(state, value);
        }
        Ok(())
    }
}
