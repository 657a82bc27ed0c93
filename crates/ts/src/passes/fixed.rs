//! State variables that always have the same value, or always the value of another one: they are left out.
//!
//! Both are found by assuming them of all variables that begin so, and taking back what a step does not keep, until nothing
//! has to be taken back: what is left holds in every step by induction. A step is looked at by simplifying next values with
//! the assumptions put in, so equal means equal as terms. Nothing is asked of a solver, and if the assumptions do not settle
//! soon for the size of the system, none is made.
//!
//! Back: a trace gets the values again, and an inductive invariant the equations, which are inductive themselves.

use super::functional::{Initial, Values, first_values, next_values};
use crate::system::System;
use crate::trace::Trace;
use rustc_hash::FxHashMap;
use smt::eval::Evaluator;
use smt::op::Op;
use smt::simplify::{Simplifier, is_value};
use smt::subst::postorder_of;
use smt::term::{FunId, TermId, Terms};

/// So many terms are looked at, over all rounds.
const WORK: usize = 4_000_000;
/// At most so many rounds, however small the system is.
const ROUNDS: usize = 500;

/// A system without some variables.
#[derive(Clone, Debug)]
pub struct Fixed {
    /// The system.
    pub system: System,
    /// The variables that were left out, with the value or the variable that each of them always equals.
    values: Vec<(FunId, TermId)>,
}

/// The system without the variables whose values are known; nothing if there are none. Definitions have to be unfolded.
pub fn fixed(terms: &mut Terms, original: &System) -> Option<Fixed> {
    let (first, next) = (first_values(terms, original, Initial::Terms), next_values(terms, original));
    let size = postorder_of(terms, next.values.iter().map(|value| value.1)).len();
    let mut search = Search {
        terms,
        system: original,
        init: first.values.iter().copied().collect(),
        next: next.values.iter().copied().collect(),
        rounds: (WORK / size.max(1)).min(ROUNDS),
    };
    let mut known = search.constants();
    search.equals(&mut known);
    if known.is_empty() {
        return None;
    }
    let system = without(terms, original, &known, [&first, &next]);
    let values =
        original.states.iter().filter_map(|state| Some((state.now, *known.get(&state.now)?))).collect();
    Some(Fixed { system, values })
}

/// What variables equal, by variable.
type Known = FxHashMap<FunId, TermId>;

fn simplifier(terms: &mut Terms, known: &Known) -> Simplifier {
    Simplifier::with(known.iter().map(|(&fun, &value)| (terms.constant_term(fun), value)).collect())
}

struct Search<'a> {
    terms: &'a mut Terms,
    system: &'a System,
    /// First and next values by position.
    init: FxHashMap<usize, TermId>,
    next: FxHashMap<usize, TermId>,
    rounds: usize,
}

impl Search<'_> {
    /// The variables that keep their first value.
    fn constants(&mut self) -> Known {
        let mut known = Known::default();
        let mut open: Vec<usize> = Vec::new();
        for (i, state) in self.system.states.iter().enumerate() {
            if let Some(&value) = self.init.get(&i)
                && is_value(self.terms, value)
                && self.next.contains_key(&i)
            {
                known.insert(state.now, value);
                open.push(i);
            }
        }
        for _ in 0..self.rounds {
            let mut simplifier = simplifier(self.terms, &known);
            let before = open.len();
            open.retain(|i| {
                let now = self.system.states[*i].now;
                let keeps = simplifier.apply(self.terms, self.next[i]) == known[&now];
                if !keeps {
                    known.remove(&now);
                }
                keeps
            });
            if open.len() == before {
                return known;
            }
        }
        Known::default()
    }

    /// Adds the variables that always equal an earlier one.
    fn equals(&mut self, known: &mut Known) {
        let states = &self.system.states;
        let open: Vec<usize> = (0..states.len())
            .filter(|i| !known.contains_key(&states[*i].now))
            .filter(|i| self.init.contains_key(i) && self.next.contains_key(i))
            .collect();
        let mut plain = simplifier(self.terms, known);
        let mut classes: Vec<usize> = Vec::new();
        let mut first = FxHashMap::default();
        for &i in &open {
            let key = (self.terms.fun(states[i].now).result, plain.apply(self.terms, self.init[&i]));
            classes.push(*first.entry(key).or_insert(i));
        }
        for _ in 0..self.rounds {
            let mut assumed = known.clone();
            for (&i, &class) in open.iter().zip(&classes).filter(|(i, class)| i != class) {
                assumed.insert(states[i].now, self.terms.constant_term(states[class].now));
            }
            let mut simplifier = simplifier(self.terms, &assumed);
            let mut first = FxHashMap::default();
            let mut finer = Vec::new();
            for (&i, &class) in open.iter().zip(&classes) {
                let key = (class, simplifier.apply(self.terms, self.next[&i]));
                finer.push(*first.entry(key).or_insert(i));
            }
            if finer == classes {
                *known = assumed;
                return;
            }
            classes = finer;
        }
    }
}

/// The system with the known values put in.
fn without(terms: &mut Terms, original: &System, known: &Known, parts: [&Values; 2]) -> System {
    let mut made = original.clone();
    made.states.retain(|state| !known.contains_key(&state.now));
    let [first, next] = parts;
    let now = |i: usize| original.states[i].now;
    made.init = conjuncts(terms, first, |i| (!known.contains_key(&now(i))).then(|| now(i)));
    made.trans = conjuncts(terms, next, |i| (!known.contains_key(&now(i))).then(|| original.states[i].next));
    let mut simplifier = simplifier(terms, known);
    for formula in made.formulas_mut() {
        *formula = simplifier.apply(terms, *formula);
    }
    for list in [&mut made.init, &mut made.trans, &mut made.invar] {
        list.retain(|&formula| formula != TermId::TRUE);
    }
    made
}

/// The equations of those values whose symbol `symbol` tells, and the rest.
pub(super) fn conjuncts(
    terms: &mut Terms,
    values: &Values,
    symbol: impl Fn(usize) -> Option<FunId>,
) -> Vec<TermId> {
    let mut found = Vec::new();
    for &(position, value) in &values.values {
        let Some(symbol) = symbol(position) else { continue };
        let symbol = terms.constant_term(symbol);
        // Both sides have the variable's sort, so there is nothing that could be refused.
        found.extend(terms.app(Op::Eq, &[symbol, value]));
    }
    found.extend(&values.rest);
    found
}

/// The way back.
impl Fixed {
    /// The inductive invariant of the original system that one of this system is.
    pub fn invariant(&self, terms: &mut Terms, invariant: TermId) -> TermId {
        let mut parts: Vec<TermId> =
            Some(invariant).filter(|&part| part != TermId::TRUE).into_iter().collect();
        for &(fun, value) in &self.values {
            let symbol = terms.constant_term(fun);
            parts.extend(terms.app(Op::Eq, &[symbol, value]));
        }
        terms.and(&parts)
    }

    /// The execution of the original system that one of this system is.
    #[must_use]
    pub fn trace(&self, terms: &Terms, trace: &Trace) -> Trace {
        let mut made = trace.clone();
        for step in &mut made.steps {
            for &(fun, value) in &self.values {
                let value = match terms.applied(value) {
                    Some(other) => step.get(other).cloned(),
                    None => Evaluator::new(terms).eval(value, &mut ()).ok(),
                };
                if let Some(value) = value {
                    step.set(fun, value);
                }
            }
        }
        made
    }
}
