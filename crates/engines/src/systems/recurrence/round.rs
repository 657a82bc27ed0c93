//! Steps of an execution as terms over the state in the first of them: what formulas say that a next value is, and guesses.

use super::implicant::{Values, implicant};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::linear::{Linear, solutions};
use smt::op::Op;
use smt::simplify::simplify;
use smt::sort::SortId;
use smt::subst::{constants, replace};
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use ts::{System, Trace};

pub(super) type Map = FxHashMap<TermId, TermId>;

/// So many rounds are made of one execution.
const MOST: usize = 10;
/// So many variables are tried as those that inputs follow.
const FOLLOWED: usize = 3;

/// Steps of an execution, and why they are some.
pub(super) struct Path<'a> {
    system: &'a System,
    /// The values in each step.
    pub(super) values: Vec<Values>,
    /// Literals over a step and the next state that imply that it is a step, and that formulas are violated there.
    literals: Vec<Vec<TermId>>,
}

/// The steps of a round as terms over the state variables in its first step.
pub(super) struct Round {
    /// State variables and inputs in each step; in the last one state variables only.
    pub(super) steps: Vec<Map>,
    /// What has to hold in the first step, for all steps to be some.
    pub(super) guards: Vec<TermId>,
}

/// What inputs are.
#[derive(Clone, Copy)]
enum Inputs {
    /// What they are in the execution.
    Constant,
    /// What next values, which are guessed, need.
    FromNext,
    /// As far from a state variable as they are in the execution.
    Beside(FunId),
}

/// What next values are of which nothing is known.
#[derive(Clone, Copy)]
enum Guess {
    /// As far from the value in this step as they are in the execution.
    Shift,
    /// As far from what they are compared with.
    Bound,
    /// What they are in the execution.
    Value,
}

impl<'a> Path<'a> {
    /// The steps from the first to the last one; nothing when they do not violate all formulas, or cannot be evaluated.
    pub(super) fn new(
        terms: &mut Terms,
        system: &'a System,
        formulas: &[TermId],
        trace: &Trace,
        first: usize,
        last: usize,
    ) -> Option<Path<'a>> {
        let mut values: Vec<Values> = (first..=last).map(|step| Values::of(system, trace, step)).collect();
        let mut literals: Vec<Vec<TermId>> = vec![Vec::new(); last - first];
        for (step, found) in literals.iter_mut().enumerate() {
            for &formula in system.trans.iter().chain(&system.invar) {
                implicant(terms, &mut values[step], formula, true, found)?;
            }
        }
        for &formula in formulas {
            let step = (0..last - first).find(|&step| values[step].truth(terms, formula) == Some(false))?;
            implicant(terms, &mut values[step], formula, false, &mut literals[step])?;
        }
        Some(Path { system, values, literals })
    }

    /// Rounds that have these steps as an example, different ones.
    pub(super) fn rounds(&mut self, terms: &mut Terms) -> Vec<Round> {
        let mut kinds = vec![Inputs::Constant];
        if !self.system.inputs.is_empty() {
            kinds.push(Inputs::FromNext);
            let last = self.values.len() - 1;
            for state in &self.system.states {
                let now = terms.constant_term(state.now);
                let [a, b] = [0, last].map(|step| self.values[step].value(terms, now));
                if is_number(terms.sort(now)) && a != b && kinds.len() < 2 + FOLLOWED {
                    kinds.push(Inputs::Beside(state.now));
                }
            }
        }
        let mut rounds: Vec<Round> = Vec::new();
        for inputs in kinds {
            for guess in [Guess::Shift, Guess::Bound, Guess::Value] {
                let Some(round) = self.round(terms, inputs, guess) else { continue };
                if rounds.iter().all(|other| other.steps != round.steps) {
                    rounds.push(round);
                }
            }
        }
        rounds.truncate(MOST);
        rounds
    }

    fn round(&mut self, terms: &mut Terms, inputs: Inputs, guess: Guess) -> Option<Round> {
        let mut state: Map = Map::default();
        for variable in &self.system.states {
            let now = terms.constant_term(variable.now);
            state.insert(now, now);
        }
        let (mut steps, mut guards, mut seen) = (Vec::new(), Vec::new(), FxHashSet::default());
        for step in 0..self.literals.len() {
            let map = self.step(terms, step, state.clone(), inputs, guess)?;
            for &literal in &self.literals[step] {
                let guard = replace(terms, literal, &map);
                let guard = simplify(terms, guard);
                if guard != TermId::TRUE && seen.insert(guard) {
                    guards.push(guard);
                }
            }
            let mut after = Map::default();
            for variable in &self.system.states {
                let (now, next) = (terms.constant_term(variable.now), terms.constant_term(variable.next));
                after.insert(now, *map.get(&next)?);
            }
            for &input in &self.system.inputs {
                let input = terms.constant_term(input);
                state.insert(input, *map.get(&input)?);
            }
            steps.push(std::mem::replace(&mut state, after));
        }
        steps.push(state);
        Some(Round { steps, guards })
    }

    /// Inputs and next state of a step as terms, from its state.
    fn step(
        &mut self,
        terms: &mut Terms,
        step: usize,
        state: Map,
        inputs: Inputs,
        guess: Guess,
    ) -> Option<Map> {
        let mut made = Step { map: state, literals: &self.literals[step], unknown: FxHashSet::default() };
        let values = &mut self.values[step];
        let mut nexts = Vec::new();
        for variable in &self.system.states {
            let (now, next) = (terms.constant_term(variable.now), terms.constant_term(variable.next));
            nexts.push((now, next));
            made.unknown.insert(next);
        }
        let mut open = Vec::new();
        for &input in &self.system.inputs {
            let term = terms.constant_term(input);
            let value = values.value(terms, term)?;
            let known = match inputs {
                Inputs::FromNext if is_number(terms.sort(term)) => None,
                Inputs::Beside(other) if terms.fun(other).result == terms.sort(term) => {
                    let other = terms.constant_term(other);
                    let from = values.value(terms, other)?;
                    shifted(terms, made.map[&other], &from, &value)
                }
                _ => Some(value.to_term(terms)),
            };
            match known {
                Some(known) => {
                    made.map.insert(term, known);
                }
                None => {
                    made.unknown.insert(term);
                    open.push(term);
                }
            }
        }
        let is_next: FxHashSet<TermId> = nexts.iter().map(|&(_, next)| next).collect();
        made.equations(terms, |term| is_next.contains(term));
        if !open.is_empty() {
            for &(now, next) in &nexts {
                if is_number(terms.sort(now)) {
                    made.guess(terms, values, now, next, guess)?;
                }
            }
            made.equations(terms, |_| true);
            for term in open {
                if made.unknown.contains(&term) {
                    let value = values.value(terms, term)?.to_term(terms);
                    made.define(term, value);
                }
            }
            made.equations(terms, |term| is_next.contains(term));
        }
        for (now, next) in nexts {
            made.guess(terms, values, now, next, guess)?;
            made.equations(terms, |term| is_next.contains(term));
        }
        Some(made.map)
    }
}

/// A step that is being made.
struct Step<'a> {
    /// What is known of state variables, inputs and next versions.
    map: Map,
    literals: &'a [TermId],
    unknown: FxHashSet<TermId>,
}

impl Step<'_> {
    fn define(&mut self, term: TermId, value: TermId) {
        self.unknown.remove(&term);
        self.map.insert(term, value);
    }

    /// What literals say that unknown symbols are, as long as they say something new.
    fn equations(&mut self, terms: &mut Terms, wanted: impl Fn(&TermId) -> bool) {
        loop {
            let before = self.unknown.len();
            for &literal in self.literals {
                let is_not = terms.op(literal) == Op::Not;
                let atom = if is_not { terms.args(literal)[0] } else { literal };
                if self.unknown.contains(&atom) && wanted(&atom) {
                    self.define(atom, terms.bool(!is_not));
                } else if !is_not {
                    self.equation(terms, literal, &wanted);
                }
            }
            if self.unknown.len() == before {
                return;
            }
        }
    }

    fn equation(&mut self, terms: &mut Terms, equation: TermId, wanted: impl Fn(&TermId) -> bool) {
        let found = solutions(terms, equation, |term| self.unknown.contains(term) && wanted(term));
        for (term, value) in found {
            if self.is_known(terms, value) {
                let value = replace(terms, value, &self.map);
                let value = normal(terms, value);
                return self.define(term, value);
            }
        }
    }

    fn is_known(&self, terms: &Terms, term: TermId) -> bool {
        !constants(terms, term).iter().any(|constant| self.unknown.contains(constant))
    }

    /// Guesses what a next value is, if nothing is known about it.
    fn guess(
        &mut self,
        terms: &mut Terms,
        values: &mut Values,
        now: TermId,
        next: TermId,
        guess: Guess,
    ) -> Option<()> {
        if !self.unknown.contains(&next) {
            return Some(());
        }
        let (from, to) = (values.value(terms, now)?, values.value(terms, next)?);
        let mut guessed = None;
        if matches!(guess, Guess::Bound) {
            guessed = self.bound(terms, values, next, &to);
        }
        if guessed.is_none() && !matches!(guess, Guess::Value) {
            let before = self.map[&now];
            guessed = if from == to { Some(before) } else { shifted(terms, before, &from, &to) };
        }
        let guessed = guessed.unwrap_or_else(|| to.to_term(terms));
        self.define(next, guessed);
        Some(())
    }

    /// As far from something that it is compared with as it is in the execution.
    fn bound(&self, terms: &mut Terms, values: &mut Values, next: TermId, to: &Value) -> Option<TermId> {
        for &literal in self.literals {
            let atom = if terms.op(literal) == Op::Not { terms.args(literal)[0] } else { literal };
            let (Op::Lt | Op::Le | Op::Gt | Op::Ge, &[left, right]) = (terms.op(atom), terms.args(atom))
            else {
                continue;
            };
            let Ok(equation) = terms.app(Op::Eq, &[left, right]) else { continue };
            for (_, value) in solutions(terms, equation, |&term| term == next) {
                if self.is_known(terms, value) {
                    let from = values.value(terms, value)?;
                    let value = replace(terms, value, &self.map);
                    return shifted(terms, value, &from, to);
                }
            }
        }
        None
    }
}

impl Round {
    /// The values that evidence gives: in each step what is not as it was before.
    pub(super) fn given(&self, terms: &mut Terms, system: &System) -> Vec<FxHashMap<FunId, TermId>> {
        let mut given = Vec::with_capacity(self.steps.len());
        for (number, step) in self.steps.iter().enumerate() {
            let mut found = FxHashMap::default();
            for state in &system.states {
                let now = terms.constant_term(state.now);
                if number > 0 && self.steps[number - 1][&now] != step[&now] {
                    found.insert(state.now, step[&now]);
                }
            }
            for &input in &system.inputs {
                let term = terms.constant_term(input);
                found.extend(step.get(&term).map(|&value| (input, value)));
            }
            given.push(found);
        }
        given
    }
}

pub(super) fn is_number(sort: SortId) -> bool {
    sort == SortId::INT || sort == SortId::REAL
}

/// A term that is as far from another one as a number is from its value.
fn shifted(terms: &mut Terms, term: TermId, from: &Value, to: &Value) -> Option<TermId> {
    let by = match (from, to) {
        (Value::Int(from), Value::Int(to)) => terms.int(to - from),
        (Value::Real(from), Value::Real(to)) => terms.real(&(to - from)),
        _ => return None,
    };
    let sum = terms.app(Op::Add, &[term, by]).ok()?;
    Some(normal(terms, sum))
}

/// A smaller term that means the same.
fn normal(terms: &mut Terms, term: TermId) -> TermId {
    let term = simplify(terms, term);
    match Linear::of(terms, term) {
        Some(sum) => sum.to_term(terms),
        None => term,
    }
}
