//! An oracle that follows a trace (sections 7.2 to 7.6).

use super::oracle::{Context, Leap, Model, Oracle, Refusal, Values};
use super::outcome::{End, InvalidStep, Outcome, Reason, Violation};
use super::record::{Execution, Taken};
use crate::syntax::{self, ProcId, PropertyKind, Script, Step, StmtId, TagAnnotation, TagProperty, Trace};
use base::intern::SymbolId;
use rustc_hash::FxHashMap;
use smt::eval::{Assignment, EvalError, Evaluator, Interpretation};
use smt::sort::{Sort, SortId};
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;

/// The budget for the value of one term of a trace.
const FUEL: u64 = 10_000_000;

/// Values by name; a value may turn out to be none.
type Named = Vec<(SymbolId, Result<Value, EvalError>)>;

/// A step of the trace, evaluated.
#[derive(Clone)]
enum Planned {
    InitProcVars(ProcId, Named),
    Havoc(Named),
    Choice(u32),
    Leap(SymbolId, Named),
}

/// What a trace says about its end.
enum Claim {
    /// Nothing: the first violation is the end.
    Nothing,
    /// These properties of the tag are violated, and whether that has been seen.
    Violated(SymbolId, Vec<(TagProperty, bool)>),
    /// The stem of a lasso leads to the tag, and these annotations hold there.
    Stem(SymbolId, Vec<TagAnnotation>),
    /// The last step cannot be taken.
    InvalidStep,
}

/// What a replay shows about its trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// The trace ends as it claims.
    Confirmed,
    /// It is the stem of a lasso and leads where it claims; whether the lasso closes is another question.
    Stem,
    /// The step with this number cannot be taken.
    InvalidStep(usize),
    /// The execution that it describes does not end as it claims.
    Refuted,
}

/// Follows a trace.
pub struct Replay {
    model: Model,
    globals: Vec<(FunId, Value)>,
    /// A symbol whose value the trace does not give though it says so.
    bad: Option<FunId>,
    entry: ProcId,
    steps: Vec<Planned>,
    next: usize,
    claim: Claim,
}

impl Replay {
    /// Follows a trace to the violation that it claims.
    #[must_use]
    pub fn of_trace(terms: &Terms, trace: &Trace) -> Replay {
        let mut reader = Reader::new(terms);
        let model = reader.model(trace);
        let mut globals = Vec::new();
        for &(fun, term) in &trace.globals {
            match reader.value(term).ok().and_then(|value| fit(terms, value, terms.fun(fun).result)) {
                Some(value) if globals.iter().all(|(old, _)| *old != fun) => globals.push((fun, value)),
                _ => reader.bad = reader.bad.or(Some(fun)),
            }
        }
        let claimed = match &trace.violation {
            syntax::Violation::InvalidStep(step) => Some(step),
            syntax::Violation::Annotation(_) => None,
        };
        let steps = trace.steps.iter().chain(claimed).map(|step| reader.step(step)).collect();
        Replay { model, globals, bad: reader.bad, entry: trace.entry, steps, next: 0, claim: claim(trace) }
    }

    /// Repeats an execution up to its first violation.
    #[must_use]
    pub fn of_execution(terms: &Terms, execution: &Execution) -> Replay {
        let named = |pairs: &[(FunId, Value)]| {
            pairs.iter().map(|(fun, value)| (terms.fun(*fun).name, Ok(value.clone()))).collect()
        };
        let plan = |step: &Taken| match step {
            Taken::InitProcVars(proc, pairs) => Planned::InitProcVars(*proc, named(pairs)),
            Taken::Havoc(pairs) => Planned::Havoc(named(pairs)),
            Taken::Choice(index) => Planned::Choice(*index),
            Taken::Leap(tag, pairs) => Planned::Leap(*tag, named(pairs)),
        };
        Replay {
            model: execution.model.iter().cloned().collect(),
            globals: execution.globals.clone(),
            bad: None,
            entry: execution.entry,
            steps: execution.steps.iter().map(plan).collect(),
            next: 0,
            claim: Claim::Nothing,
        }
    }

    /// Ends with the first violation of anything, whatever the trace claims.
    #[must_use]
    pub fn to_first_violation(mut self) -> Replay {
        if let Claim::InvalidStep = self.claim {
            self.steps.pop();
        }
        self.claim = Claim::Nothing;
        self
    }

    /// What the outcome of following the trace says about it.
    #[must_use]
    pub fn judge(&self, outcome: &Outcome) -> Judgement {
        match (&outcome.end, &self.claim) {
            (End::Violated(_), Claim::Violated(..) | Claim::Nothing) => Judgement::Confirmed,
            (End::LassoStem(_, true), _) => Judgement::Stem,
            (End::InvalidStep(step), Claim::InvalidStep) if step.index + 1 == self.steps.len() => {
                Judgement::Confirmed
            }
            (End::InvalidStep(step), _) => Judgement::InvalidStep(step.index),
            _ => Judgement::Refuted,
        }
    }

    fn invalid<T>(&self, index: usize, reason: Reason) -> Result<T, Refusal> {
        Err(Refusal::Step(InvalidStep { index, reason }))
    }

    /// The next step and its number.
    fn peek(&self) -> Option<(usize, Planned)> {
        self.steps.get(self.next).map(|step| (self.next, step.clone()))
    }

    /// Values for variables, from values by name: each name is one of them, and none comes twice.
    fn fill(
        &self,
        ctx: Context<'_>,
        index: usize,
        variables: &[FunId],
        named: Named,
    ) -> Result<Values, Refusal> {
        let mut values: Values = vec![None; variables.len()];
        for (name, value) in named {
            let position = variables.iter().position(|&variable| ctx.terms.fun(variable).name == name);
            let Some(position) = position else { return self.invalid(index, Reason::Variable(name)) };
            if values[position].is_some() {
                return self.invalid(index, Reason::Twice(name));
            }
            let value = value.ok().and_then(|value| fit(ctx.terms, value, ctx.sort(variables[position])));
            let Some(value) = value else { return self.invalid(index, Reason::Value(name)) };
            values[position] = Some(value);
        }
        Ok(values)
    }
}

impl Oracle for Replay {
    fn watches(&self) -> bool {
        matches!(self.claim, Claim::Stem(..)) || matches!(self.steps.get(self.next), Some(Planned::Leap(..)))
    }

    fn model(&mut self, ctx: Context<'_>) -> Result<Model, Refusal> {
        if self.entry != ctx.task.entry {
            return Err(Refusal::Entry(self.entry));
        }
        match self.bad {
            Some(symbol) => Err(Refusal::Symbol(symbol)),
            None => Ok(self.model.clone()),
        }
    }

    fn globals(&mut self, _: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        let given: FxHashMap<FunId, &Value> = self.globals.iter().map(|(fun, value)| (*fun, value)).collect();
        Ok(variables.iter().map(|variable| given.get(variable).map(|&value| value.clone())).collect())
    }

    fn call(&mut self, ctx: Context<'_>, proc: ProcId, variables: &[FunId]) -> Result<Values, Refusal> {
        match self.peek() {
            Some((index, Planned::InitProcVars(named_proc, _))) if named_proc != proc => {
                self.invalid(index, Reason::Procedure(proc))
            }
            Some((index, Planned::InitProcVars(_, named))) => {
                let values = self.fill(ctx, index, variables, named)?;
                self.next += 1;
                Ok(values)
            }
            Some((index, _)) => self.invalid(index, Reason::Kind("init-proc-vars")),
            None => Ok(vec![None; variables.len()]),
        }
    }

    fn havoc(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        match self.peek() {
            Some((index, Planned::Havoc(named))) => {
                let values = self.fill(ctx, index, variables, named)?;
                self.next += 1;
                Ok(values)
            }
            Some((index, _)) => self.invalid(index, Reason::Kind("havoc")),
            None => Ok(vec![None; variables.len()]),
        }
    }

    fn choice(&mut self, _: Context<'_>, alternatives: usize) -> Result<usize, Refusal> {
        match self.peek() {
            Some((_, Planned::Choice(number))) if (number as usize) < alternatives => {
                self.next += 1;
                Ok(number as usize)
            }
            Some((index, Planned::Choice(_))) => self.invalid(index, Reason::Alternatives(alternatives)),
            Some((index, _)) => self.invalid(index, Reason::Kind("choice")),
            None if alternatives == 1 => Ok(0),
            None => self.invalid(self.next, Reason::Missing),
        }
    }

    fn leap(&mut self, ctx: Context<'_>, stmt: StmtId) -> Result<Option<Leap>, Refusal> {
        let script = ctx.task.script;
        let Some(Planned::Leap(tag, _)) = self.steps.get(self.next) else { return Ok(None) };
        if !has_tag(script, stmt, *tag) {
            return Ok(None);
        }
        let Some((index, Planned::Leap(tag, named))) = self.peek() else { return Ok(None) };
        let proc = script.stmts[stmt].proc;
        let allowed = ctx.task.leap_variables(stmt);
        let mut variables = Vec::new();
        for (name, _) in &named {
            let variable = ctx.task.variable(ctx.terms, proc, *name).filter(|v| allowed.contains(v));
            match variable {
                Some(variable) if !variables.contains(&variable) => variables.push(variable),
                Some(_) => return self.invalid(index, Reason::Twice(*name)),
                None => return self.invalid(index, Reason::Variable(*name)),
            }
        }
        let values = self.fill(ctx, index, &variables, named)?;
        self.next += 1;
        let values =
            variables.into_iter().zip(values).filter_map(|(variable, value)| Some((variable, value?)));
        Ok(Some(Leap { index, tag, values: values.collect() }))
    }

    fn stops(&mut self, ctx: Context<'_>, violation: &Violation) -> bool {
        match &mut self.claim {
            Claim::Nothing => true,
            Claim::Stem(..) | Claim::InvalidStep => false,
            Claim::Violated(tag, wanted) => {
                if !has_tag(ctx.task.script, violation.stmt, *tag) {
                    return false;
                }
                for (property, seen) in wanted.iter_mut() {
                    let meaning = property.meanings.iter().find(|(stmt, _)| *stmt == violation.stmt);
                    let found = |p: &syntax::Property| violation.properties.iter().any(|v| v.property == *p);
                    *seen |= meaning.is_some_and(|(_, property)| found(property));
                }
                wanted.iter().all(|(_, seen)| *seen)
            }
        }
    }

    fn stem(&mut self, ctx: Context<'_>, stmt: StmtId) -> Option<Vec<TermId>> {
        let Claim::Stem(tag, using) = &self.claim else { return None };
        if self.next < self.steps.len() || !has_tag(ctx.task.script, stmt, *tag) {
            return None;
        }
        let at_tag = using.iter().filter(|annotation| annotation.tag == *tag).flat_map(|a| &a.properties);
        let meant = at_tag
            .filter(|p| p.kind.is_boolean() && p.kind != PropertyKind::Ensures)
            .flat_map(|p| &p.meanings);
        Some(meant.filter(|(at, _)| *at == stmt).flat_map(|(_, property)| property.terms.clone()).collect())
    }

    fn progress(&self) -> (usize, usize) {
        (self.next, self.steps.len())
    }
}

fn has_tag(script: &Script, stmt: StmtId, tag: SymbolId) -> bool {
    script.stmts[stmt].tags.iter().any(|t| t.0 == tag)
}

fn claim(trace: &Trace) -> Claim {
    let annotation = match &trace.violation {
        syntax::Violation::InvalidStep(_) => return Claim::InvalidStep,
        syntax::Violation::Annotation(annotation) => annotation,
    };
    let kinds = || annotation.properties.iter().map(|p| p.kind);
    if kinds().any(|kind| kind == PropertyKind::Recurring) {
        // A tag that is not visited again cannot be the head of the lasso; another one is, if it is described.
        let head = trace.using.iter().map(|used| used.tag).find(|&tag| tag != annotation.tag);
        return Claim::Stem(head.unwrap_or(annotation.tag), trace.using.clone());
    }
    if kinds().any(|kind| kind == PropertyKind::NotRecurring) {
        return Claim::Stem(annotation.tag, trace.using.clone());
    }
    Claim::Violated(annotation.tag, annotation.properties.iter().map(|p| (p.clone(), false)).collect())
}

/// The value with the sort that a variable has: an integer may be meant as a real number.
pub(super) fn fit(terms: &Terms, value: Value, sort: SortId) -> Option<Value> {
    match (value, terms.sorts.get(sort)) {
        (Value::Int(value), Sort::Real) => Some(Value::Real(value.into())),
        (value, _) => value.has_sort(&terms.sorts, sort).then_some(value),
    }
}

/// Evaluates the values of a trace in its model.
struct Reader<'a> {
    terms: &'a Terms,
    eval: Evaluator<'a>,
    model: Assignment,
    /// The first symbol whose value cannot be evaluated or is given twice.
    bad: Option<FunId>,
}

impl<'a> Reader<'a> {
    fn new(terms: &'a Terms) -> Self {
        Reader { terms, eval: Evaluator::new(terms).with_fuel(FUEL), model: Assignment::new(), bad: None }
    }

    /// The model of a trace. Constants are evaluated now, so that one that is defined by itself is noticed.
    fn model(&mut self, trace: &Trace) -> Model {
        let mut model = Model::default();
        for entry in &trace.model {
            let body = Interpretation::Body(entry.params.clone().into(), entry.body);
            self.model.interpret(entry.fun, body.clone());
            if model.insert(entry.fun, body).is_some() {
                self.bad = self.bad.or(Some(entry.fun));
            }
        }
        for entry in trace.model.iter().filter(|entry| entry.params.is_empty()) {
            let value = self.value(entry.body).ok();
            match value.and_then(|value| fit(self.terms, value, self.terms.fun(entry.fun).result)) {
                Some(value) => drop(model.insert(entry.fun, Interpretation::Value(value))),
                None => self.bad = self.bad.or(Some(entry.fun)),
            }
        }
        model
    }

    fn value(&mut self, term: TermId) -> Result<Value, EvalError> {
        self.eval.eval(term, &mut self.model)
    }

    fn values(&mut self, values: &syntax::Values) -> Named {
        values.iter().map(|&(name, term)| (name, self.value(term))).collect()
    }

    fn step(&mut self, step: &Step) -> Planned {
        match step {
            Step::InitProcVars(proc, values) => Planned::InitProcVars(*proc, self.values(values)),
            Step::Havoc(values) => Planned::Havoc(self.values(values)),
            Step::Choice(index) => Planned::Choice(*index),
            Step::Leap(tag, values) => Planned::Leap(*tag, self.values(values)),
        }
    }
}
