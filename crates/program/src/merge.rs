//! States of a walk, and what they become where ways meet.

use crate::layout::hidden;
use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};
use std::rc::Rc;

/// A set of states: under which condition, and what each variable is.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) guard: TermId,
    /// How many conjuncts the guard has.
    pub(crate) facts: usize,
    pub(crate) env: Rc<Vec<TermId>>,
}

impl State {
    /// The states in which a formula holds as well.
    pub(crate) fn assume(&mut self, terms: &mut Terms, formula: TermId) {
        self.guard = both(terms, self.guard, formula);
        self.facts += 1;
    }

    pub(crate) fn set(&mut self, slot: usize, term: TermId) {
        if self.env[slot] != term {
            Rc::make_mut(&mut self.env)[slot] = term;
        }
    }
}

/// A conjunction, with the obvious simplifications.
pub(crate) fn both(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    match (a, b) {
        (TermId::TRUE, other) | (other, TermId::TRUE) => other,
        (TermId::FALSE, _) | (_, TermId::FALSE) => TermId::FALSE,
        _ if a == b => a,
        _ => terms.and(&[a, b]),
    }
}

/// New constants, and what is known about those that stand for meeting ways.
#[derive(Default)]
pub(crate) struct Fresh {
    count: usize,
    /// For a Boolean constant the implication that says what it means.
    pub(crate) definitions: FxHashMap<TermId, TermId>,
}

impl Fresh {
    /// A new constant.
    pub(crate) fn constant(&mut self, terms: &mut Terms, name: &str, sort: SortId) -> TermId {
        let fun = hidden(terms, &format!("#{name}.{}", self.count), sort);
        self.count += 1;
        terms.constant_term(fun)
    }

    /// The union of sets of states; none when all are empty. Variables that differ get a new constant.
    pub(crate) fn merge(
        &mut self,
        terms: &mut Terms,
        mut states: Vec<State>,
        names: &[smt::term::FunId],
    ) -> Option<State> {
        states.retain(|state| state.guard != TermId::FALSE);
        if states.len() < 2 {
            return states.pop();
        }
        let mut env = (*states[0].env).clone();
        let mut cases: Vec<Vec<TermId>> = states.iter().map(|state| vec![state.guard]).collect();
        for (slot, value) in env.iter_mut().enumerate() {
            if states.iter().all(|state| state.env[slot] == *value) {
                continue;
            }
            let name = terms.fun_name(names[slot]).to_string();
            let joined = self.constant(terms, &name, terms.fun(names[slot]).result);
            for (case, state) in cases.iter_mut().zip(&states) {
                // Both sides have the sort of the variable; what cannot be said is not assumed.
                case.push(terms.app(Op::Eq, &[joined, state.env[slot]]).unwrap_or(TermId::TRUE));
            }
            *value = joined;
        }
        let cases: Vec<TermId> = cases.iter().map(|case| terms.and(case)).collect();
        let definition = terms.app(Op::Or, &cases).unwrap_or(TermId::TRUE);
        let guard = self.constant(terms, "way", SortId::BOOL);
        let meaning = terms.app(Op::Implies, &[guard, definition]).unwrap_or(TermId::TRUE);
        self.definitions.insert(guard, meaning);
        Some(State { guard, facts: 1, env: Rc::new(env) })
    }

    /// Gives the guard of states a name, so that what comes after them is not as long as what was before.
    pub(crate) fn shorten(&mut self, terms: &mut Terms, state: &mut State) {
        let guard = self.constant(terms, "way", SortId::BOOL);
        let meaning = terms.app(Op::Implies, &[guard, state.guard]).unwrap_or(TermId::TRUE);
        self.definitions.insert(guard, meaning);
        (state.guard, state.facts) = (guard, 1);
    }
}
