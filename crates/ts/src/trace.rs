//! Counterexamples, and what makes them ones.

use crate::recurrence::Recurrence;
use crate::system::{Property, PropertyKind, System};
use crate::word::{Shape, holds};
use smt::eval::{Assignment, Env, EvalError, Evaluator, Meaning};
use smt::print::term_text;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;

/// An execution: values for each step.
#[derive(Clone, Default, Debug)]
pub struct Trace {
    /// What rigid symbols mean.
    pub rigid: Assignment,
    /// Values of the state variables (by their current version) and inputs in each step.
    pub steps: Vec<Assignment>,
    /// For an infinite execution: the step that comes after the last one again.
    pub back: Option<usize>,
    /// For an infinite execution that repeats no state: how it goes on after the last step. What is said about it is proved, not
    /// evaluated, so [`Trace::check`] does not look at it.
    pub recurrence: Option<Recurrence>,
}

/// Why a trace is no counterexample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It has no step.
    Empty,
    /// The first step does not satisfy this conjunct of `init`.
    Init(TermId),
    /// What rigid symbols mean does not satisfy this axiom.
    Axiom(TermId),
    /// A step does not satisfy this conjunct of `invar`.
    Invar(usize, TermId),
    /// This step and the one after it do not satisfy this conjunct of `trans`.
    Trans(usize, TermId),
    /// The last step satisfies the invariant property, or the execution the LTL formula.
    Holds,
    /// Along the loop this formula of a live property always holds.
    NotAgain(TermId),
    /// The property is about infinite executions and the trace is finite, or the loop begins outside of it.
    NoLoop,
    /// A temporal operator stands below something else than Boolean operators, where its truth is not computed.
    Temporal,
    /// A formula could not be evaluated in a step.
    Unevaluated(usize, TermId, EvalError),
}

impl Fault {
    /// The fault as a sentence; steps are counted from 0.
    #[must_use]
    pub fn message(&self, terms: &Terms) -> String {
        let short = |term: &TermId| term_text(terms, *term).chars().take(200).collect::<String>();
        match self {
            Fault::Empty => "the trace has no step".into(),
            Fault::Init(formula) => format!("step 0 is no initial state: {}", short(formula)),
            Fault::Axiom(formula) => format!("an axiom does not hold: {}", short(formula)),
            Fault::Invar(step, formula) => {
                format!("step {step} breaks an invariant constraint: {}", short(formula))
            }
            Fault::Trans(step, formula) => {
                format!("step {step} does not lead to the next one: {}", short(formula))
            }
            Fault::Holds => "the execution satisfies the property".into(),
            Fault::NotAgain(formula) => format!("the loop never violates {}", short(formula)),
            Fault::NoLoop => "the property is about infinite executions and the trace has no loop".into(),
            Fault::Temporal => "a temporal operator is not below Boolean operators only".into(),
            Fault::Unevaluated(step, formula, error) => {
                format!("step {step}: {}, in {}", error.message(terms), short(formula))
            }
        }
    }
}

/// The values of one step, the next step's under the names of next versions.
struct Around<'a> {
    rigid: &'a mut Assignment,
    now: &'a mut Assignment,
    next: Option<&'a mut Assignment>,
}

impl Env for Around<'_> {
    fn meaning(&mut self, fun: FunId, args: &[Value]) -> Option<Meaning> {
        self.now
            .meaning(fun, args)
            .or_else(|| self.next.as_deref_mut().and_then(|next| next.meaning(fun, args)))
            .or_else(|| self.rigid.meaning(fun, args))
    }
}

impl Trace {
    /// The values that next versions have in a step, if another one follows it.
    fn next_of(&self, system: &System, step: usize) -> Option<Assignment> {
        let after = match step + 1 < self.steps.len() {
            true => step + 1,
            false => self.back?,
        };
        let mut found = Assignment::new();
        for state in &system.states {
            if let Some(value) = self.steps.get(after)?.get(state.now) {
                found.set(state.next, value.clone());
            }
        }
        Some(found)
    }

    /// Gives what has no value the default value of its sort, where there is one. A model leaves out what does not matter.
    pub fn complete(&mut self, terms: &mut Terms, system: &System) {
        let constant = |fun: &FunId| terms.fun(*fun).params.is_empty();
        let rigid: Vec<FunId> = system.rigid.iter().copied().filter(constant).collect();
        let varying: Vec<FunId> =
            system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied()).collect();
        fill(terms, &mut self.rigid, &rigid);
        for step in &mut self.steps {
            fill(terms, step, &varying);
        }
    }

    /// The execution up to its first step that violates an invariant property, as formats want it where that may be any step.
    #[must_use]
    pub fn up_to_violation(mut self, terms: &Terms, system: &System, property: &Property) -> Trace {
        if let PropertyKind::Invariant(formula) = property.kind {
            let mut judge = Judge::new(&self, terms, system);
            let violates = |step: &usize| judge.holds(*step, formula) == Ok(false);
            let first = (0..self.steps.len()).find(violates);
            self.steps.truncate(first.map_or(self.steps.len(), |first| first + 1));
        }
        self
    }

    /// Checks that the trace is an execution that violates the property, by evaluating everything.
    ///
    /// # Errors
    /// The first thing that is not as it should be.
    pub fn check(&self, terms: &Terms, system: &System, property: &Property) -> Result<(), Fault> {
        self.is_execution(terms, system)?;
        let last = self.steps.len() - 1;
        let mut judge = Judge::new(self, terms, system);
        match &property.kind {
            PropertyKind::Invariant(formula) => match judge.holds(last, *formula)? {
                true => Err(Fault::Holds),
                false => Ok(()),
            },
            PropertyKind::Live(formulas) => {
                let back = self.back.filter(|&back| back <= last).ok_or(Fault::NoLoop)?;
                for &formula in formulas {
                    let mut again = false;
                    for step in back..=last {
                        again |= !judge.holds(step, formula)?;
                    }
                    if !again {
                        return Err(Fault::NotAgain(formula));
                    }
                }
                Ok(())
            }
            PropertyKind::Ltl(formula) => {
                let back = self.back.filter(|&back| back <= last).ok_or(Fault::NoLoop)?;
                let shape = Shape { steps: self.steps.len(), back };
                match holds(terms, *formula, shape, |step, atom| judge.holds(step, atom))? {
                    true => Err(Fault::Holds),
                    false => Ok(()),
                }
            }
        }
    }

    /// The first step in which a formula does not hold.
    ///
    /// # Errors
    /// When it cannot be evaluated in a step before that.
    pub fn first_violation(
        &self,
        terms: &Terms,
        system: &System,
        formula: TermId,
    ) -> Result<Option<usize>, Fault> {
        let mut judge = Judge::new(self, terms, system);
        for step in 0..self.steps.len() {
            if !judge.holds(step, formula)? {
                return Ok(Some(step));
            }
        }
        Ok(None)
    }

    /// Checks that the trace is an execution.
    ///
    /// # Errors
    /// The first thing that is not as it should be.
    pub fn is_execution(&self, terms: &Terms, system: &System) -> Result<(), Fault> {
        let Some(last) = self.steps.len().checked_sub(1) else { return Err(Fault::Empty) };
        if self.back.is_some_and(|back| back > last) {
            return Err(Fault::NoLoop);
        }
        let mut judge = Judge::new(self, terms, system);
        judge.all(0, &system.axioms, Fault::Axiom)?;
        judge.all(0, &system.init, Fault::Init)?;
        for step in 0..=last {
            judge.all(step, &system.invar, |formula| Fault::Invar(step, formula))?;
            if step < last || self.back.is_some() {
                judge.all(step, &system.trans, |formula| Fault::Trans(step, formula))?;
            }
        }
        Ok(())
    }
}

fn fill(terms: &mut Terms, values: &mut Assignment, funs: &[FunId]) {
    for &fun in funs {
        if values.interpretation(fun).is_none()
            && let Some(value) = Value::default_of(terms, terms.fun(fun).result)
        {
            values.set(fun, value);
        }
    }
}

/// Evaluates formulas in the steps of a trace.
pub(crate) struct Judge<'a> {
    trace: &'a Trace,
    system: &'a System,
    evaluator: Evaluator<'a>,
    rigid: Assignment,
    /// The step that was looked at last, with its values and those of the next one.
    last: Option<(usize, Assignment, Option<Assignment>)>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(trace: &'a Trace, terms: &'a Terms, system: &'a System) -> Judge<'a> {
        Judge { trace, system, evaluator: Evaluator::new(terms), rigid: trace.rigid.clone(), last: None }
    }

    pub(crate) fn holds(&mut self, step: usize, formula: TermId) -> Result<bool, Fault> {
        let fault = || Fault::Unevaluated(step, formula, EvalError::Sort(formula));
        self.value(step, formula)?.as_bool().ok_or_else(fault)
    }

    /// The value of a term in a step.
    pub(crate) fn value(&mut self, step: usize, term: TermId) -> Result<Value, Fault> {
        let (_, now, next) = match &mut self.last {
            Some(last) if last.0 == step => last,
            last => {
                last.insert((step, self.trace.steps[step].clone(), self.trace.next_of(self.system, step)))
            }
        };
        let mut around = Around { rigid: &mut self.rigid, now, next: next.as_mut() };
        let value = self.evaluator.eval(term, &mut around);
        value.map_err(|error| Fault::Unevaluated(step, term, error))
    }

    fn all(
        &mut self,
        step: usize,
        formulas: &[TermId],
        fault: impl Fn(TermId) -> Fault,
    ) -> Result<(), Fault> {
        for &formula in formulas {
            if !self.holds(step, formula)? {
                return Err(fault(formula));
            }
        }
        Ok(())
    }
}
