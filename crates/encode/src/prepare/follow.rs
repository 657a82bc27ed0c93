//! What the smaller program violates, executed in the program itself.
//!
//! The execution takes the decisions of the smaller program's trace where the smaller program takes them, too. What is left
//! out there is decided anew: first by the simplest values, then at random. It may not work: an assumption that was left
//! out can be false, a loop without end.

use super::Prepared;
use base::budget::Budget;
use rustc_hash::FxHashMap;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use std::sync::Arc;
use svlib::interp::{
    Context, End, Execution, InvalidStep, Judgement, Leap, Model, Options, Oracle, Random, Reason, Refusal,
    Replay, Taken, Task, Values, run,
};
use svlib::syntax::{CommandKind, ProcId, Script, StmtId, StmtKind, Trace, Violation};

/// Executions that are tried.
const TRIES: u64 = 24;
/// The steps of all but the first of them.
const STEPS: u64 = 1_000_000;

impl Prepared {
    /// A trace of the program that shows what a trace of the smaller one shows; none when that is not found.
    pub fn complete(
        &self,
        terms: &mut Terms,
        script: &Script,
        command: usize,
        trace: &Trace,
        options: &Options,
        budget: &Budget,
    ) -> Option<Trace> {
        let found = {
            let task = Task::new(terms, &self.script, self.command).ok()?;
            let mut replay = Replay::of_trace(terms, trace);
            let outcome = run(&task, terms, &mut replay, options);
            match replay.judge(&outcome) {
                Judgement::Confirmed | Judgement::Stem => outcome,
                Judgement::InvalidStep(_) | Judgement::Refuted => return None,
            }
        };
        let stem = match found.end {
            End::LassoStem(head, _) => Some((head, self.described(terms, trace, head))),
            _ => None,
        };
        let defaults = self.defaults(terms, script);
        let task = Task::new(terms, script, command).ok()?;
        for seed in 0..TRIES {
            if budget.is_over() {
                return None;
            }
            let mut follow = Follow {
                prepared: self,
                execution: &found.execution,
                defaults: &defaults,
                rest: (seed > 0).then(|| Random::new(seed)),
                stem: stem.as_ref(),
                next: 0,
            };
            let steps = if seed == 0 { options.steps } else { options.steps.min(STEPS.max(found.steps * 8)) };
            let outcome = run(&task, terms, &mut follow, &Options { steps, ..*options });
            match outcome.end {
                End::Violated(_) => return outcome.trace(terms, &task),
                End::LassoStem(_, true) => {
                    let mut new = outcome.execution.to_trace(terms, trace.violation.clone());
                    self.lasso(terms, trace, &mut new);
                    return Some(new);
                }
                _ => {}
            }
        }
        None
    }

    /// What the annotations that a lasso uses say at its head, about the program.
    fn described(&self, terms: &mut Terms, trace: &Trace, head: StmtId) -> Vec<TermId> {
        let used = trace.using.iter().flat_map(|used| &used.properties).flat_map(|p| &p.meanings);
        let mut found = Vec::new();
        for (_, property) in used.filter(|(stmt, p)| *stmt == head && p.kind.is_boolean()) {
            for &term in &property.terms {
                found.push(self.back(terms, term));
            }
        }
        found
    }

    /// What a lasso claims and uses, about the program.
    fn lasso(&self, terms: &mut Terms, trace: &Trace, new: &mut Trace) {
        new.using = trace.using.clone();
        let claimed = match &mut new.violation {
            Violation::Annotation(annotation) => Some(annotation),
            Violation::InvalidStep(_) => None,
        };
        let annotations = claimed.into_iter().chain(&mut new.using);
        for (_, property) in annotations.flat_map(|a| &mut a.properties).flat_map(|p| &mut p.meanings) {
            for term in &mut property.terms {
                *term = self.back(terms, *term);
            }
        }
    }

    /// The simplest values of all variables, of the program and of the smaller one.
    fn defaults(&self, terms: &mut Terms, script: &Script) -> FxHashMap<FunId, Value> {
        let mut found = FxHashMap::default();
        for script in [script, &self.script] {
            let globals = script.commands.iter().filter_map(|command| match command.kind {
                CommandKind::DeclareVar(variable) => Some(variable),
                _ => None,
            });
            let own = script.procs.iter().flat_map(|p| p.inputs.iter().chain(&p.outputs).chain(&p.locals));
            for variable in globals.chain(own.copied()) {
                if let Some(value) = Value::default_of(terms, terms.fun(variable).result) {
                    found.insert(variable, value);
                }
            }
        }
        found
    }
}

/// Decides as the execution of the smaller program did.
struct Follow<'a> {
    prepared: &'a Prepared,
    execution: &'a Execution,
    defaults: &'a FxHashMap<FunId, Value>,
    /// Decides about what is left out there; the simplest values if there is none.
    rest: Option<Random>,
    /// Where the stem of a lasso ends, and what holds there.
    stem: Option<&'a (StmtId, Vec<TermId>)>,
    next: usize,
}

impl Follow<'_> {
    /// True when the smaller program has the statement that is executed.
    fn is_there(&self, ctx: Context<'_>) -> bool {
        ctx.stmt.is_none_or(|stmt| {
            let kind = &self.prepared.script.stmts[stmt].kind;
            matches!(kind, StmtKind::Havoc(_) | StmtKind::Call(..) | StmtKind::Choice(_))
        })
    }

    fn off<T>(&self, expected: &'static str) -> Result<T, Refusal> {
        Err(Refusal::Step(InvalidStep { index: self.next, reason: Reason::Kind(expected) }))
    }

    /// Values of variables of the program, from those of the smaller one where it has them.
    fn fill(&mut self, ctx: Context<'_>, variables: &[FunId], given: &[(FunId, Value)]) -> Values {
        let free: Values = match &mut self.rest {
            // It has a value for everything, and refuses nothing.
            Some(random) => random.havoc(ctx, variables).unwrap_or_else(|_| vec![None; variables.len()]),
            None => variables.iter().map(|variable| self.defaults.get(variable).cloned()).collect(),
        };
        let given: FxHashMap<FunId, &Value> = given.iter().map(|(fun, value)| (*fun, value)).collect();
        let mut values = Vec::with_capacity(free.len());
        for (&variable, free) in variables.iter().zip(free) {
            values.push(self.value(ctx, variable, free, &given, self.prepared.levels.len()));
        }
        values
    }

    fn value(
        &self,
        ctx: Context<'_>,
        variable: FunId,
        free: Option<Value>,
        given: &FxHashMap<FunId, &Value>,
        levels: usize,
    ) -> Option<Value> {
        let cells = self.prepared.levels.iter().find_map(|arrays| arrays.parts.get(&variable));
        match cells {
            Some(cells) if levels > 0 => {
                let whole = free.or_else(|| self.defaults.get(&variable).cloned())?;
                let Value::Array(mut array) = whole else { return Some(whole) };
                for &(index, cell) in cells {
                    let Some(index) = Value::from_term(ctx.terms, index) else { continue };
                    let free = Some(array.select(&index).clone());
                    if let Some(value) = self.value(ctx, cell, free, given, levels - 1) {
                        Arc::make_mut(&mut array).store(index, value);
                    }
                }
                Some(Value::Array(array))
            }
            _ if !self.prepared.variables.contains(&variable) => free,
            _ => match given.get(&variable) {
                Some(&value) => Some(value.clone()),
                // A variable without a value stays one; a cell cannot, and is read as this.
                None if self.prepared.cells.contains_key(&variable) => self.defaults.get(&variable).cloned(),
                None => None,
            },
        }
    }
}

impl Oracle for Follow<'_> {
    fn watches(&self) -> bool {
        self.stem.is_some() || matches!(self.execution.steps.get(self.next), Some(Taken::Leap(..)))
    }

    fn model(&mut self, _: Context<'_>) -> Result<Model, Refusal> {
        Ok(self.execution.model.iter().cloned().collect())
    }

    fn globals(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        Ok(self.fill(ctx, variables, &self.execution.globals))
    }

    fn call(&mut self, ctx: Context<'_>, proc: ProcId, variables: &[FunId]) -> Result<Values, Refusal> {
        if !self.is_there(ctx) {
            return Ok(self.fill(ctx, variables, &[]));
        }
        match self.execution.steps.get(self.next) {
            Some(Taken::InitProcVars(called, given)) if *called == proc => {
                self.next += 1;
                Ok(self.fill(ctx, variables, given))
            }
            _ => self.off("init-proc-vars"),
        }
    }

    fn havoc(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        if !self.is_there(ctx) {
            return Ok(self.fill(ctx, variables, &[]));
        }
        match self.execution.steps.get(self.next) {
            Some(Taken::Havoc(given)) => {
                self.next += 1;
                Ok(self.fill(ctx, variables, given))
            }
            _ => self.off("havoc"),
        }
    }

    fn choice(&mut self, ctx: Context<'_>, alternatives: usize) -> Result<usize, Refusal> {
        match (self.is_there(ctx), &mut self.rest) {
            (false, Some(random)) => random.choice(ctx, alternatives),
            (false, None) => Ok(0),
            (true, _) => match self.execution.steps.get(self.next) {
                Some(Taken::Choice(number)) => {
                    self.next += 1;
                    Ok(*number as usize)
                }
                _ => self.off("choice"),
            },
        }
    }

    fn leap(&mut self, ctx: Context<'_>, stmt: StmtId) -> Result<Option<Leap>, Refusal> {
        let Some(Taken::Leap(tag, given)) = self.execution.steps.get(self.next) else { return Ok(None) };
        if !ctx.task.script.stmts[stmt].tags.iter().any(|(own, _)| own == tag) {
            return Ok(None);
        }
        let index = self.next;
        self.next += 1;
        let variables: Vec<FunId> = ctx.task.leap_variables(stmt).into_iter().collect();
        let values = self.fill(ctx, &variables, given);
        let values =
            variables.into_iter().zip(values).filter_map(|(variable, value)| Some((variable, value?)));
        Ok(Some(Leap { index, tag: *tag, values: values.collect() }))
    }

    fn stops(&mut self, _: Context<'_>, _: &svlib::interp::Violation) -> bool {
        self.stem.is_none()
    }

    fn stem(&mut self, _: Context<'_>, stmt: StmtId) -> Option<Vec<TermId>> {
        let (head, formulas) = self.stem?;
        (stmt == *head && self.next == self.execution.steps.len()).then(|| formulas.clone())
    }

    fn progress(&self) -> (usize, usize) {
        (self.next, self.execution.steps.len())
    }
}
