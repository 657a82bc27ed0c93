//! Executes one instruction after the other. Calls are frames on a list, so recursion is bounded by memory and by
//! [`Options::depth`] only.

use super::oracle::{Context, Oracle, Refusal, Values};
use super::outcome::{End, InvalidStep, Outcome, Reason, Unchecked, Violation};
use super::record::{Execution, Taken};
use super::state::{Frame, Scope, State};
use super::task::Task;
use crate::code::{Code, Op, Pc};
use crate::syntax::{ProcId, StmtId};
use base::intern::SymbolId;
use smt::eval::{EvalError, Evaluator};
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;

mod judge;
mod start;

/// What the `:requires` of the entry procedure means (decision 1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EntryRequires {
    /// It is checked like everywhere.
    #[default]
    Check,
    /// Executions that violate it are not considered.
    Assume,
}

/// Limits of an execution, and how to read the entry's `:requires`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// So many steps at most.
    pub steps: u64,
    /// So many open calls at most.
    pub depth: usize,
    /// The budget of one evaluation.
    pub fuel: u64,
    /// What the entry's `:requires` means.
    pub entry_requires: EntryRequires,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            steps: 10_000_000,
            depth: 1_000_000,
            fuel: 100_000_000,
            entry_requires: EntryRequires::Check,
        }
    }
}

/// A step that was just taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The statement.
    pub stmt: StmtId,
    /// The number of open calls.
    pub depth: usize,
    /// The number of the step.
    pub step: u64,
    /// What happened.
    pub what: Happening,
}

/// What happened in a step. A variable without a value is arbitrary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Happening {
    /// A procedure was called: values of its inputs, outputs and locals.
    Call(ProcId, Vec<(FunId, Option<Value>)>),
    /// A procedure returned: values of its outputs.
    Return(ProcId, Vec<(FunId, Option<Value>)>),
    /// Variables were assigned.
    Assign(Vec<(FunId, Option<Value>)>),
    /// Variables got arbitrary values.
    Havoc(Vec<(FunId, Option<Value>)>),
    /// An alternative was chosen.
    Choice(usize),
    /// The condition of an `if` or `while` had this value.
    Test(bool),
    /// An assumption was true or not.
    Assume(bool),
    /// The tags of the statement were visited.
    Visit,
    /// A jump at a tag set these variables.
    Leap(SymbolId, Vec<(FunId, Value)>),
    /// Properties of the statement were violated.
    Violated(Violation),
}

/// Executes a call. The terms are the store that the task was made with.
#[must_use]
pub fn run<'t>(task: &'t Task<'t>, terms: &'t Terms, oracle: &mut dyn Oracle, options: &Options) -> Outcome {
    Machine::new(Context { task, terms, stmt: None }, oracle, options, None).run()
}

/// Executes a call and tells about every step.
#[must_use]
pub fn run_observed<'t>(
    task: &'t Task<'t>,
    terms: &'t Terms,
    oracle: &mut dyn Oracle,
    options: &Options,
    observer: &mut dyn FnMut(&Event),
) -> Outcome {
    Machine::new(Context { task, terms, stmt: None }, oracle, options, Some(observer)).run()
}

/// Goes on, or ends the execution.
type Flow<T = ()> = Result<T, Box<End>>;

fn stop<T>(end: End) -> Flow<T> {
    Err(Box::new(end))
}

struct Machine<'m, 'o> {
    ctx: Context<'m>,
    eval: Evaluator<'m>,
    oracle: &'o mut dyn Oracle,
    options: Options,
    observer: Option<&'o mut dyn FnMut(&Event)>,
    state: State,
    execution: Execution,
    steps: u64,
    passed: Vec<Violation>,
    unchecked: Vec<Unchecked>,
    arbitrary: Option<FunId>,
    unspecified: Option<TermId>,
    /// Visits at which the stem of a lasso could have ended but did not.
    missed_stems: u64,
    /// Statements that run from a state which their contract allows, with the number of open calls.
    hypothetical: Vec<(usize, StmtId)>,
}

impl<'m, 'o> Machine<'m, 'o> {
    fn new(
        ctx: Context<'m>,
        oracle: &'o mut dyn Oracle,
        options: &Options,
        observer: Option<&'o mut dyn FnMut(&Event)>,
    ) -> Self {
        let execution =
            Execution { model: Vec::new(), globals: Vec::new(), entry: ctx.task.entry, steps: Vec::new() };
        Machine {
            ctx,
            eval: Evaluator::new(ctx.terms).with_fuel(options.fuel),
            oracle,
            options: *options,
            observer,
            state: State::default(),
            execution,
            steps: 0,
            passed: Vec::new(),
            unchecked: Vec::new(),
            arbitrary: None,
            unspecified: None,
            missed_stems: 0,
            hypothetical: Vec::new(),
        }
    }

    fn run(mut self) -> Outcome {
        let end = match self.start() {
            Ok(()) => loop {
                if let Err(end) = self.step() {
                    break *end;
                }
            },
            Err(end) => *end,
        };
        let (taken, prescribed) = self.oracle.progress();
        let end = self.blame_step_left_over(end, taken, prescribed);
        let state = self.state.snapshot(self.ctx);
        let mut model: Vec<_> = self.state.model.into_iter().collect();
        model.sort_unstable_by_key(|(fun, _)| *fun);
        self.execution.model = model;
        Outcome {
            end,
            execution: self.execution,
            steps: self.steps,
            passed: self.passed,
            unchecked: self.unchecked,
            arbitrary: self.arbitrary,
            unspecified: self.unspecified,
            state,
            unused: prescribed - taken,
        }
    }

    /// A trace that goes on when the execution does not has a step that cannot be taken.
    fn blame_step_left_over(&self, end: End, index: usize, prescribed: usize) -> End {
        let reason = match &end {
            End::Finished(_) | End::Abstracted(_) => Reason::Ended,
            End::Blocked(stmt) => Reason::Blocked(*stmt),
            _ => return end,
        };
        if index < prescribed { End::InvalidStep(InvalidStep { index, reason }) } else { end }
    }

    fn refused(&self, refusal: Refusal) -> Box<End> {
        Box::new(match refusal {
            Refusal::Step(step) => End::InvalidStep(step),
            Refusal::Entry(proc) => End::WrongEntry(proc),
            Refusal::Symbol(fun) => End::BadSymbol(fun),
            Refusal::Input(index, sort) => End::BadInput(index, sort),
        })
    }

    fn observe(&mut self, stmt: StmtId, what: impl FnOnce() -> Happening) {
        if let Some(observer) = &mut self.observer {
            let (depth, step) = (self.state.frames.len(), self.steps);
            observer(&Event { stmt, depth, step, what: what() });
        }
    }

    // ---- terms

    fn value(&mut self, term: TermId) -> Result<Value, EvalError> {
        let mut scope = Scope {
            ctx: self.ctx,
            state: &mut self.state,
            oracle: &mut *self.oracle,
            arbitrary: &mut self.arbitrary,
        };
        let value = self.eval.eval(term, &mut scope);
        if self.unspecified.is_none() {
            self.unspecified = self.eval.unspecified();
        }
        value
    }

    fn truth(&mut self, formula: TermId) -> Result<bool, EvalError> {
        self.value(formula)?.as_bool().ok_or(EvalError::Sort(formula))
    }

    /// The truth of a condition of a statement.
    fn condition(&mut self, stmt: StmtId, formula: TermId) -> Flow<bool> {
        self.truth(formula).or_else(|error| stop(End::Error(Some(stmt), error)))
    }

    fn set(&mut self, variable: FunId, value: Option<Value>) {
        if let Some(place) = self.state.place(self.ctx.task.slot(variable)) {
            *place = value;
        }
    }

    // ---- steps

    fn step(&mut self) -> Flow {
        let task = self.ctx.task;
        let Some(frame) = self.state.frames.last() else { return stop(End::Finished(Vec::new())) };
        let (proc, pc) = (frame.proc, frame.pc);
        let Some(layout) = task.layout(proc) else { return stop(End::Finished(Vec::new())) };
        if self.steps >= self.options.steps {
            return stop(End::StepLimit);
        }
        self.steps += 1;
        let instr = &layout.code.instrs[pc];
        let stmt = instr.stmt;
        self.ctx.stmt = Some(stmt);
        let mut next = pc + 1;
        match &instr.op {
            Op::Begin => self.begin(stmt)?,
            Op::Visit => self.visit(stmt)?,
            Op::End => self.end(stmt)?,
            Op::Assume(term) => self.assume(stmt, *term)?,
            Op::Assign(pairs) => self.assign(stmt, pairs)?,
            Op::Havoc(variables) => self.havoc(stmt, variables)?,
            Op::Jump(target) => next = *target,
            Op::Branch(term, target) => {
                let holds = self.condition(stmt, *term)?;
                self.observe(stmt, || Happening::Test(holds));
                if !holds {
                    next = *target;
                }
            }
            Op::Choice(targets) => next = self.choose(stmt, &layout.code, targets)?,
            Op::Call(callee, args, _) => return self.call(stmt, *callee, args),
            Op::Return => return self.leave(stmt, proc),
        }
        self.advance(pc, next);
        if next <= pc {
            self.sprint(proc, next);
        }
        Ok(())
    }

    /// At the end of a round: runs as far as plain arithmetic goes, if nobody wants to see the steps.
    fn sprint(&mut self, proc: ProcId, pc: Pc) {
        let Some(fast) = self.ctx.task.fast(proc) else { return };
        if self.observer.is_some() || self.oracle.watches() {
            return;
        }
        let left = self.options.steps.saturating_sub(self.steps);
        let state = &mut self.state;
        let stretch = fast.run(pc, left, &mut |slot| state.place(slot).and_then(|place| place.clone()));
        let Some(stretch) = stretch else { return };
        for (slot, value) in stretch.values {
            if let Some(place) = self.state.place(slot) {
                *place = Some(value);
            }
        }
        self.steps += stretch.steps;
        self.advance(stretch.from, stretch.pc);
    }

    fn advance(&mut self, from: Pc, next: Pc) {
        if let Some(frame) = self.state.frames.last_mut() {
            (frame.from, frame.pc) = (from, next);
        }
    }

    fn assume(&mut self, stmt: StmtId, term: TermId) -> Flow {
        let holds = self.condition(stmt, term)?;
        self.observe(stmt, || Happening::Assume(holds));
        if holds { Ok(()) } else { stop(End::Blocked(stmt)) }
    }

    fn assign(&mut self, stmt: StmtId, pairs: &[(FunId, TermId)]) -> Flow {
        if let [(variable, term)] = *pairs {
            let value = self.value(term).or_else(|error| stop(End::Error(Some(stmt), error)))?;
            self.observe(stmt, || Happening::Assign(vec![(variable, Some(value.clone()))]));
            self.set(variable, Some(value));
            return Ok(());
        }
        let mut values = Vec::with_capacity(pairs.len());
        for &(_, term) in pairs {
            values.push(Some(self.value(term).or_else(|error| stop(End::Error(Some(stmt), error)))?));
        }
        let variables = pairs.iter().map(|pair| pair.0);
        self.observe(stmt, || Happening::Assign(variables.clone().zip(values.iter().cloned()).collect()));
        for (variable, value) in variables.zip(values) {
            self.set(variable, value);
        }
        Ok(())
    }

    fn havoc(&mut self, stmt: StmtId, variables: &[FunId]) -> Flow {
        let values = self.oracle.havoc(self.ctx, variables).map_err(|refusal| self.refused(refusal))?;
        self.execution.steps.push(Taken::Havoc(given(variables, &values)));
        self.observe(stmt, || {
            Happening::Havoc(variables.iter().copied().zip(values.iter().cloned()).collect())
        });
        for (&variable, value) in variables.iter().zip(values) {
            self.set(variable, value);
        }
        Ok(())
    }

    fn choose(&mut self, stmt: StmtId, code: &Code, targets: &[Pc]) -> Flow<Pc> {
        let open = if self.oracle.looks_ahead() { self.open(code, targets) } else { Vec::new() };
        let count = if open.is_empty() { targets.len() } else { open.len() };
        let index = self.oracle.choice(self.ctx, count).map_err(|refusal| self.refused(refusal))?;
        let index = open.get(index).copied().unwrap_or(index);
        let Some(&target) = targets.get(index) else { return stop(End::Blocked(stmt)) };
        self.execution.steps.push(Taken::Choice(index as u32));
        self.observe(stmt, || Happening::Choice(index));
        Ok(target)
    }

    /// The alternatives that do not begin with an assumption that is false.
    fn open(&mut self, code: &Code, targets: &[Pc]) -> Vec<usize> {
        let unspecified = self.unspecified;
        let mut is_open = |&target: &Pc| match code.instrs[target].op {
            Op::Assume(term) => !matches!(self.truth(term), Ok(false)),
            _ => true,
        };
        let open = targets.iter().enumerate().filter(|(_, target)| is_open(target)).map(|(index, _)| index);
        let open = open.collect();
        // What is only looked at did not happen.
        self.unspecified = unspecified;
        open
    }

    fn call(&mut self, stmt: StmtId, callee: ProcId, args: &[TermId]) -> Flow {
        if self.state.frames.len() >= self.options.depth {
            return stop(End::DepthLimit);
        }
        let mut inputs = Vec::with_capacity(args.len());
        for &arg in args {
            inputs.push(Some(self.value(arg).or_else(|error| stop(End::Error(Some(stmt), error)))?));
        }
        self.enter(stmt, callee, inputs)
    }

    /// Opens a frame, with the values that the oracle gives to outputs and locals.
    fn enter(&mut self, stmt: StmtId, proc: ProcId, inputs: Values) -> Flow {
        let task = self.ctx.task;
        let Some(layout) = task.layout(proc) else { return Ok(()) };
        let fresh =
            self.oracle.call(self.ctx, proc, &layout.fresh).map_err(|refusal| self.refused(refusal))?;
        self.execution.steps.push(Taken::InitProcVars(proc, given(&layout.fresh, &fresh)));
        let variables = task.script.procs[proc].inputs.iter().chain(&layout.fresh).copied();
        self.observe(stmt, || {
            Happening::Call(proc, variables.zip(inputs.iter().chain(&fresh).cloned()).collect())
        });
        let measured = self.measured_by(layout.component);
        let base = self.state.values.len();
        self.state.values.extend(inputs);
        self.state.values.extend(fresh);
        self.state.values.resize(base + layout.size, None);
        self.state.frames.push(Frame { proc, base, pc: 0, from: Pc::MAX, measured });
        Ok(())
    }

    /// Closes a frame and hands its outputs to the caller.
    fn leave(&mut self, stmt: StmtId, proc: ProcId) -> Flow {
        let task = self.ctx.task;
        self.hypothetical.retain(|(depth, _)| *depth < self.state.frames.len());
        let Some(frame) = self.state.frames.pop() else { return Ok(()) };
        let first = frame.base + task.script.procs[proc].inputs.len();
        let outputs = &task.script.procs[proc].outputs;
        let values: Values = self.state.values[first..first + outputs.len()].to_vec();
        self.observe(stmt, || {
            Happening::Return(proc, outputs.iter().copied().zip(values.iter().cloned()).collect())
        });
        let Some(pc) = self.state.frames.last().map(|caller| caller.pc) else {
            // The entry returns. Its frame stays for the snapshot.
            self.state.frames.push(frame);
            return stop(End::Finished(given(outputs, &values)));
        };
        self.state.values.truncate(frame.base);
        let caller = self.state.frames.last().and_then(|caller| task.layout(caller.proc));
        if let Some(Op::Call(_, _, results)) = caller.map(|layout| &layout.code.instrs[pc].op) {
            for (&variable, value) in results.iter().zip(values) {
                self.set(variable, value);
            }
        }
        self.advance(pc, pc + 1);
        Ok(())
    }
}

/// The variables that got values.
fn given(variables: &[FunId], values: &[Option<Value>]) -> Vec<(FunId, Value)> {
    variables.iter().zip(values).filter_map(|(&variable, value)| Some((variable, value.clone()?))).collect()
}
