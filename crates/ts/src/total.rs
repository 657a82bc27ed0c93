//! Systems in which every step has a successor, as far as that can be seen from the shape of formulas.

use crate::system::System;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::subst::postorder;
use smt::term::{FunId, TermId, Terms};

/// So many terms are looked at, counted once for each conjunct.
const MANY: usize = 3_000_000;

/// True when every conjunct of `trans` and `invar` defines a variable of its own for the next step, without circles: then
/// there is a next step, whatever came before. False says nothing.
#[must_use]
pub fn always_continues(terms: &Terms, system: &System) -> bool {
    let mut finder = Finder::new(terms, system);
    let trans = conjuncts(terms, &system.trans).into_iter().all(|conjunct| finder.add(conjunct, true));
    trans
        && conjuncts(terms, &system.invar).into_iter().all(|conjunct| finder.add(conjunct, false))
        && finder.is_ordered()
}

struct Finder<'a> {
    terms: &'a Terms,
    /// The constants of the next step, by the position of their variable; inputs have no name there.
    next: FxHashMap<FunId, usize>,
    now: FxHashMap<FunId, usize>,
    /// What a variable is defined by.
    defined: FxHashMap<usize, Vec<usize>>,
    left: usize,
}

impl<'a> Finder<'a> {
    fn new(terms: &'a Terms, system: &System) -> Finder<'a> {
        let states = system.states.iter().enumerate();
        let next = states.clone().map(|(at, state)| (state.next, at)).collect();
        let inputs = system.inputs.iter().enumerate().map(|(at, &input)| (input, system.states.len() + at));
        let now = states.map(|(at, state)| (state.now, at)).chain(inputs).collect();
        Finder { terms, next, now, defined: FxHashMap::default(), left: MANY }
    }

    /// Finds a variable for a conjunct; `later` says by which names it speaks of the next step.
    fn add(&mut self, conjunct: TermId, later: bool) -> bool {
        let sides = match (self.terms.op(conjunct), self.terms.args(conjunct)) {
            (Op::Eq, &[a, b]) => vec![(a, b), (b, a)],
            (Op::Not, &[a]) => vec![(a, TermId::TRUE)],
            (Op::True, _) => return true,
            _ => vec![(conjunct, TermId::TRUE)],
        };
        for (variable, by) in sides {
            let names = if later { &self.next } else { &self.now };
            let Some(&at) = self.terms.applied(variable).and_then(|fun| names.get(&fun)) else { continue };
            if self.defined.contains_key(&at) {
                continue;
            }
            let order = postorder(self.terms, by);
            let Some(left) = self.left.checked_sub(order.len()) else { return false };
            let needs: Vec<usize> = order
                .into_iter()
                .filter_map(|term| self.terms.applied(term))
                .filter_map(|fun| names.get(&fun).copied())
                .collect();
            self.left = left;
            if !needs.contains(&at) {
                self.defined.insert(at, needs);
                return true;
            }
        }
        false
    }

    /// True when definitions can be followed one after the other.
    fn is_ordered(&self) -> bool {
        let mut waiting: FxHashMap<usize, usize> = FxHashMap::default();
        let mut users: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let mut ready = Vec::new();
        for (&at, needs) in &self.defined {
            let needs: FxHashSet<usize> =
                needs.iter().copied().filter(|n| self.defined.contains_key(n)).collect();
            if needs.is_empty() {
                ready.push(at);
            }
            waiting.insert(at, needs.len());
            for need in needs {
                users.entry(need).or_default().push(at);
            }
        }
        let mut done = 0;
        while let Some(at) = ready.pop() {
            done += 1;
            for user in users.remove(&at).unwrap_or_default() {
                let count = waiting.entry(user).or_default();
                *count -= 1;
                if *count == 0 {
                    ready.push(user);
                }
            }
        }
        done == self.defined.len()
    }
}

/// The conjuncts of formulas.
pub(crate) fn conjuncts(terms: &Terms, formulas: &[TermId]) -> Vec<TermId> {
    let (mut todo, mut found): (Vec<TermId>, _) = (formulas.iter().rev().copied().collect(), Vec::new());
    // A conjunct that is met again is there already.
    let mut seen = FxHashSet::default();
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.op(term) {
            Op::And => todo.extend(terms.args(term).iter().rev()),
            Op::True => {}
            _ => found.push(term),
        }
    }
    found
}
