//! Reading an array at an index when the array itself has no finite value.
//!
//! `(select (lambda ((x Int)) t) i)` is `t` with `x` bound to `i`, and what is stored into a lambda, or chosen
//! between lambdas, can be read in the same way: from the outside in, evaluating only what the index needs.
//! Reading arrays that have no lambda inside goes through their value instead, which is remembered and shared.

use super::machine::Frame;
use super::notes::LAMBDA;
use super::{EvalError, Evaluator};
use crate::op::Op;
use crate::term::TermId;
use crate::value::Value;

/// An array that is being read.
pub(super) struct Pull {
    array: TermId,
    /// The indices, the next one last: elements of arrays of arrays are read through all of them.
    indices: Vec<Value>,
    wait: Wait,
}

/// What the last values are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// One more index.
    Index,
    /// The index of a `store`.
    Stored,
    /// The condition of an `ite`.
    Condition,
    /// The arguments of a defined function.
    Call,
    /// The array itself, which has a value after all.
    Array,
}

impl Pull {
    /// Reads `array` at the index that is the last value.
    pub(super) fn index(array: TermId) -> Pull {
        Pull { array, indices: Vec::new(), wait: Wait::Index }
    }
}

impl Evaluator<'_> {
    pub(super) fn pull_on(&mut self, mut pull: Pull) -> Result<(), EvalError> {
        let array = pull.array;
        match pull.wait {
            Wait::Index => {
                pull.indices.push(self.stack.pop(array)?);
                self.pull(pull)
            }
            Wait::Stored => {
                let [inner, _, value] = *self.terms.args(array) else { return Err(EvalError::Sort(array)) };
                if pull.indices.last() == Some(&self.stack.pop(array)?) {
                    pull.indices.pop();
                    self.pull(Pull { array: value, ..pull })
                } else {
                    self.pull(Pull { array: inner, ..pull })
                }
            }
            Wait::Condition => {
                let [_, then, other] = *self.terms.args(array) else { return Err(EvalError::Sort(array)) };
                let condition = self.stack.pop(array)?.as_bool().ok_or(EvalError::Sort(array))?;
                self.pull(Pull { array: if condition { then } else { other }, ..pull })
            }
            Wait::Call => {
                let definition = self.terms.applied(array).and_then(|fun| self.terms.definition(fun));
                let (params, body) = definition.ok_or(EvalError::Sort(array))?;
                self.enter(array, params, body)?;
                self.pull(Pull { array: body, ..pull })
            }
            Wait::Array => {
                let mut value = self.stack.pop(array)?;
                while let Some(index) = pull.indices.pop() {
                    let Value::Array(inner) = value else { return Err(EvalError::Sort(array)) };
                    value = inner.select(&index).clone();
                }
                self.stack.values.push(value);
                Ok(())
            }
        }
    }

    /// Goes into an array until something must be evaluated first.
    fn pull(&mut self, mut pull: Pull) -> Result<(), EvalError> {
        while let (Op::Lambda, [vars @ .., body]) = (self.terms.op(pull.array), self.terms.args(pull.array))
            && !pull.indices.is_empty()
        {
            let Some(rest) = pull.indices.len().checked_sub(vars.len()) else { break };
            self.spend()?;
            let bound = pull.indices.split_off(rest);
            self.stack.scopes.open_instance(vars.iter().copied().zip(bound.into_iter().rev()));
            self.stack.frames.push(Frame::Exit);
            pull.array = *body;
        }
        self.spend()?;
        let array = pull.array;
        if pull.indices.is_empty() {
            self.stack.frames.push(Frame::Start(array));
            return Ok(());
        }
        if self.notes.of(array) & LAMBDA == 0 {
            return self.wait(pull, Wait::Array, array);
        }
        match (self.terms.op(array), self.terms.args(array)) {
            (Op::Store, [_, index, _]) => self.wait(pull, Wait::Stored, *index),
            (Op::Ite, [condition, ..]) => self.wait(pull, Wait::Condition, *condition),
            (Op::Select, [inner, index]) => self.wait(Pull { array: *inner, ..pull }, Wait::Index, *index),
            (Op::App, _) => {
                let frame = Frame::Pull(Box::new(Pull { wait: Wait::Call, ..pull }));
                self.start_args(frame, array);
                Ok(())
            }
            _ => self.wait(pull, Wait::Array, array),
        }
    }

    /// Evaluates `term` and then goes on.
    fn wait(&mut self, pull: Pull, wait: Wait, term: TermId) -> Result<(), EvalError> {
        let frame = Frame::Pull(Box::new(Pull { wait, ..pull }));
        self.stack.frames.extend([frame, Frame::Start(term)]);
        Ok(())
    }
}
