//! The state of an execution, put together from what an observer is told: for whoever wants to compare the states at
//! two visits of a statement.

use super::machine::{Event, Happening};
use crate::syntax::{Script, StmtKind};
use base::id::Id;
use rustc_hash::FxHashMap;
use smt::term::FunId;
use smt::value::Value;
use std::collections::BTreeMap;

/// The state of an execution. Globals are there as soon as something has set them.
#[derive(Clone, Debug)]
pub struct Mirror<'s> {
    script: &'s Script,
    globals: BTreeMap<FunId, Option<Value>>,
    frames: Vec<Frame>,
    calls: u64,
    /// Whose variable it is, by number of the procedure; globals are not in it.
    owner: FxHashMap<FunId, usize>,
}

#[derive(Clone, Debug)]
struct Frame {
    /// The number of the call.
    number: u64,
    /// The variables that get the results.
    results: Vec<FunId>,
    variables: BTreeMap<FunId, Option<Value>>,
}

/// Everything that what happens next depends on, as long as the innermost call does not return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Still {
    /// The number of the innermost call.
    pub call: u64,
    /// The global variables that were set.
    pub globals: BTreeMap<FunId, Option<Value>>,
    /// The variables of the innermost call.
    pub own: BTreeMap<FunId, Option<Value>>,
}

impl<'s> Mirror<'s> {
    /// The state before the first step.
    #[must_use]
    pub fn new(script: &'s Script) -> Self {
        let mut owner = FxHashMap::default();
        for (id, proc) in script.procs.iter_enumerated() {
            for &variable in proc.inputs.iter().chain(&proc.outputs).chain(&proc.locals) {
                owner.insert(variable, id.index());
            }
        }
        Mirror { script, globals: BTreeMap::new(), frames: Vec::new(), calls: 0, owner }
    }

    /// Follows a step.
    pub fn follow(&mut self, event: &Event) {
        match &event.what {
            Happening::Call(_, values) => {
                let results = match &self.script.stmts[event.stmt].kind {
                    StmtKind::Call(_, _, results) if !self.frames.is_empty() => results.clone(),
                    _ => Vec::new(),
                };
                self.calls += 1;
                let variables = values.iter().cloned().collect();
                self.frames.push(Frame { number: self.calls, results, variables });
            }
            Happening::Return(_, values) => {
                let Some(frame) = self.frames.pop() else { return };
                for (&variable, (_, value)) in frame.results.iter().zip(values) {
                    self.set(variable, value.clone());
                }
            }
            Happening::Assign(values) | Happening::Havoc(values) => {
                for (variable, value) in values {
                    self.set(*variable, value.clone());
                }
            }
            Happening::Leap(_, values) => {
                for (variable, value) in values {
                    self.set(*variable, Some(value.clone()));
                }
            }
            _ => {}
        }
    }

    fn set(&mut self, variable: FunId, value: Option<Value>) {
        match self.frames.last_mut() {
            Some(frame) if self.owner.contains_key(&variable) => {
                drop(frame.variables.insert(variable, value))
            }
            _ => drop(self.globals.insert(variable, value)),
        }
    }

    /// The state as it is now.
    #[must_use]
    pub fn still(&self) -> Still {
        let (call, own) = match self.frames.last() {
            Some(frame) => (frame.number, frame.variables.clone()),
            None => (0, BTreeMap::new()),
        };
        Still { call, globals: self.globals.clone(), own }
    }
}
