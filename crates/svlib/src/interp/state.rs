//! The state of an execution, and how terms see it.

use super::oracle::{Context, Model, Oracle};
use super::outcome::Snapshot;
use super::task::Slot;
use crate::code::Pc;
use crate::syntax::{ProcId, StmtId};
use rustc_hash::FxHashMap;
use smt::eval::{Env, Interpretation, Meaning};
use smt::term::FunId;
use smt::value::Value;
use std::collections::BTreeMap;

/// So many open calls are shown in a snapshot.
const MANY_CALLS: usize = 64;

/// A call that is not over.
pub(super) struct Frame {
    pub(super) proc: ProcId,
    /// Where its values begin in [`State::values`].
    pub(super) base: usize,
    pub(super) pc: Pc,
    /// The instruction before; out of range at the beginning.
    pub(super) from: Pc,
    /// The nearest frame of the same recursive group whose procedure has a ranking function.
    pub(super) measured: Option<usize>,
}

/// The state of an execution. A variable without a value is one that nothing gave any.
#[derive(Default)]
pub(super) struct State {
    pub(super) model: Model,
    pub(super) globals: Vec<Option<Value>>,
    /// What globals were at tags, at their last visit anywhere.
    pub(super) anywhere: Vec<Option<Value>>,
    /// The values of all frames.
    pub(super) values: Vec<Option<Value>>,
    pub(super) frames: Vec<Frame>,
}

impl State {
    pub(super) fn reset(&mut self, at_terms: usize) {
        self.globals.clear();
        self.values.clear();
        self.frames.clear();
        self.anywhere = vec![None; at_terms];
    }

    /// The place of a variable in the innermost frame or among the globals.
    pub(super) fn place(&mut self, slot: Slot) -> Option<&mut Option<Value>> {
        match slot {
            Slot::Global(i) => self.globals.get_mut(i as usize),
            Slot::Local(i) => {
                let base = self.frames.last()?.base;
                self.values.get_mut(base + i as usize)
            }
            Slot::Unknown | Slot::Symbol | Slot::At(_) => None,
        }
    }

    /// A value of the innermost frame by its offset.
    pub(super) fn local(&mut self, offset: u32) -> Option<&mut Option<Value>> {
        self.place(Slot::Local(offset))
    }

    /// What can be told about the state.
    pub(super) fn snapshot(&self, ctx: Context<'_>) -> Snapshot {
        let some =
            |(variable, value): (&FunId, &Option<Value>)| value.clone().map(|value| (*variable, value));
        let globals = ctx.task.globals.iter().zip(&self.globals).filter_map(some).collect();
        let frame = self.frames.last().map(|frame| {
            let proc = &ctx.task.script.procs[frame.proc];
            let variables = proc.inputs.iter().chain(&proc.outputs).chain(&proc.locals);
            (frame.proc, variables.zip(&self.values[frame.base..]).filter_map(some).collect())
        });
        let open = self.frames.iter().rev().skip(1).take(MANY_CALLS);
        let call = |frame: &Frame| Some(ctx.task.layout(frame.proc)?.code.instrs.get(frame.pc)?.stmt);
        let calls: Vec<StmtId> = open.filter_map(call).collect();
        Snapshot { globals, frame, depth: self.frames.len(), calls }
    }
}

/// What terms mean in a state.
pub(super) struct Scope<'e> {
    pub(super) ctx: Context<'e>,
    pub(super) state: &'e mut State,
    pub(super) oracle: &'e mut dyn Oracle,
    /// The first variable that was read without a value.
    pub(super) arbitrary: &'e mut Option<FunId>,
}

impl Env for Scope<'_> {
    fn meaning(&mut self, fun: FunId, args: &[Value]) -> Option<Meaning> {
        let value = match self.ctx.task.slot(fun) {
            slot @ (Slot::Unknown | Slot::Symbol) => return self.symbol(fun, args, slot == Slot::Symbol),
            Slot::At(number) => self.at(number)?,
            slot => match self.state.place(slot)? {
                Some(value) => value.clone(),
                None => {
                    self.arbitrary.get_or_insert(fun);
                    self.ctx.task.default(self.ctx.sort(fun))?.clone()
                }
            },
        };
        Some(Meaning::Value(value))
    }
}

impl Scope<'_> {
    fn at(&self, number: u32) -> Option<Value> {
        let number = number as usize;
        let frame = self.state.frames.last()?;
        let offset = self.ctx.task.layout(frame.proc)?.at.get(number).copied().flatten();
        let own = offset.and_then(|offset| self.state.values.get(frame.base + offset as usize)?.clone());
        own.or_else(|| self.state.anywhere.get(number)?.clone())
    }

    /// A declared constant or function. What the model does not say is asked for and remembered.
    fn symbol(&mut self, fun: FunId, args: &[Value], declared: bool) -> Option<Meaning> {
        let known: Option<Meaning> = match self.state.model.get(&fun) {
            Some(Interpretation::Value(value)) => Some(Meaning::Value(value.clone())),
            Some(Interpretation::Body(params, body)) => Some(Meaning::Body(params.clone(), *body)),
            Some(Interpretation::Table(table, rest)) => {
                table.get(args).or(rest.as_ref()).cloned().map(Meaning::Value)
            }
            None => None,
        };
        if known.is_some() || !declared {
            return known;
        }
        let answer = self.oracle.application(self.ctx, fun);
        let value = answer.or_else(|| self.ctx.task.default(self.ctx.sort(fun)).cloned())?;
        self.remember(fun, args, value.clone());
        Some(Meaning::Value(value))
    }

    fn remember(&mut self, fun: FunId, args: &[Value], value: Value) {
        let model: &mut FxHashMap<FunId, Interpretation> = &mut self.state.model;
        if args.is_empty() {
            model.insert(fun, Interpretation::Value(value));
            return;
        }
        let entry = model.entry(fun).or_insert_with(|| Interpretation::Table(BTreeMap::new(), None));
        if let Interpretation::Table(table, _) = entry {
            table.insert(args.into(), value);
        }
    }
}
