//! What happens between two places, as a function of the state and of what is drawn and chosen on the way.
//!
//! The nodes between cuts have no cycle. They are walked in their order; where ways meet, values are told apart by the
//! condition under which each way is taken, and because the way is determined by state and inputs at most one is. So the
//! terms have about the size of the code.

use super::flat::{Act, Flat};
use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::{constants, replace};
use smt::term::{FunId, TermId, Terms};
use std::collections::BTreeMap;
use ts::State;

/// The values of variables that changed.
pub(super) type Values = BTreeMap<FunId, TermId>;

/// What decides on the ways from a place, as terms over inputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Decided {
    /// The value that a node gives a variable.
    pub(super) drawn: FxHashMap<(usize, FunId), TermId>,
    /// The condition of each alternative of a choice.
    pub(super) tests: FxHashMap<usize, Vec<TermId>>,
}

/// All ways from a place.
#[derive(Default)]
pub(super) struct Block {
    /// When a check fails.
    pub(super) bad: Vec<TermId>,
    /// When something is visited that must not recur.
    pub(super) not_recurring: Vec<TermId>,
    /// When something is visited that must recur, for each such property.
    pub(super) recurring: Vec<Vec<TermId>>,
    /// What decides on the way.
    pub(super) decided: Decided,
    /// The places at the end, when they are reached and with which values.
    pub(super) ends: Vec<(usize, TermId, Values)>,
}

/// The state on the way.
#[derive(Clone)]
struct Here {
    guard: TermId,
    values: Values,
}

pub(super) struct Blocks<'a> {
    flat: &'a Flat,
    /// Constants of program variables, and of the state variables that they are.
    states: FxHashMap<FunId, State>,
    places: FxHashMap<usize, usize>,
}

/// The inputs of steps. Only one block is left in a step, so all blocks share them.
#[derive(Default)]
pub(super) struct Inputs {
    /// All of them.
    pub(super) list: Vec<FunId>,
    /// Values for a variable, and choices; how many of them are used in this block.
    drawn: FxHashMap<FunId, (Vec<TermId>, usize)>,
    chosen: (Vec<TermId>, usize),
}

impl Inputs {
    fn begin_block(&mut self) {
        self.chosen.1 = 0;
        self.drawn.values_mut().for_each(|(_, used)| *used = 0);
    }

    fn value(&mut self, terms: &mut Terms, variable: FunId) -> TermId {
        let (known, used) = self.drawn.entry(variable).or_default();
        *used += 1;
        if known.len() < *used {
            let (name, sort) = (format!("{}.in", terms.fun_name(variable)), terms.fun(variable).result);
            let input = terms.fresh(&name, sort);
            self.list.push(input);
            known.push(terms.constant_term(input));
        }
        known[*used - 1]
    }

    fn choice(&mut self, terms: &mut Terms) -> TermId {
        let (known, used) = &mut self.chosen;
        *used += 1;
        if known.len() < *used {
            let input = terms.fresh("choice", SortId::BOOL);
            self.list.push(input);
            known.push(terms.constant_term(input));
        }
        known[*used - 1]
    }
}

impl<'a> Blocks<'a> {
    pub(super) fn new(states: &[(FunId, State)], flat: &'a Flat) -> Blocks<'a> {
        Blocks {
            flat,
            states: states.iter().copied().collect(),
            places: flat.cuts.iter().enumerate().map(|(place, &node)| (node, place)).collect(),
        }
    }

    /// All ways from a place to the next ones; new inputs are added.
    pub(super) fn walk(&self, terms: &mut Terms, inputs: &mut Inputs, place: usize) -> Block {
        let mut block = Block { recurring: vec![Vec::new(); self.flat.recurring.len()], ..Block::default() };
        inputs.begin_block();
        let mut ends: BTreeMap<usize, Vec<Here>> = BTreeMap::new();
        // Nodes that were reached, by their order, with the ways to them.
        let mut waiting: BTreeMap<(usize, usize), Vec<Here>> = BTreeMap::new();
        let start = self.flat.cuts[place];
        let mut now = Some((start, Here { guard: TermId::TRUE, values: Values::new() }));
        while let Some((node, here)) = now {
            for (next, way) in self.act(terms, inputs, node, here, &mut block) {
                match self.places.get(&next) {
                    Some(&place) => ends.entry(place).or_default().push(way),
                    None => waiting.entry((self.flat.order[next], next)).or_default().push(way),
                }
            }
            now = waiting.pop_first().map(|((_, node), ways)| (node, self.merge(terms, ways)));
        }
        for (place, ways) in ends {
            let mut here = self.merge(terms, ways);
            here.values.retain(|&variable, _| self.flat.live.is_live(self.flat.cuts[place], variable));
            block.ends.push((place, here.guard, here.values));
        }
        block
    }

    fn act(
        &self,
        terms: &mut Terms,
        inputs: &mut Inputs,
        node: usize,
        mut here: Here,
        block: &mut Block,
    ) -> Vec<(usize, Here)> {
        let flat = self.flat;
        let text = &flat.nodes[node];
        match &text.act {
            Act::Skip => {}
            Act::Assume(term) => {
                let holds = self.value(terms, &here, *term);
                here.guard = both(terms, here.guard, holds);
            }
            Act::Assign(pairs) => {
                let values: Vec<(FunId, TermId)> = pairs
                    .iter()
                    .map(|&(variable, term)| (variable, self.value(terms, &here, term)))
                    .collect();
                here.values.extend(values);
            }
            Act::Havoc(variables) | Act::Enter(_, variables) | Act::Forget(variables) => {
                let matters = |variable| text.next.iter().any(|&next| self.flat.live.is_live(next, variable));
                let drawn: Vec<FunId> =
                    variables.iter().copied().filter(|&variable| matters(variable)).collect();
                for variable in drawn {
                    let value = inputs.value(terms, variable);
                    here.values.insert(variable, value);
                    block.decided.drawn.insert((node, variable), value);
                }
            }
            Act::Check(checks) => {
                for &check in checks {
                    let holds = self.value(terms, &here, check);
                    let fails = terms.not(holds);
                    block
                        .bad
                        .extend(Some(both(terms, here.guard, fails)).filter(|&bad| bad != TermId::FALSE));
                }
            }
            Act::Visit => {
                if self.flat.shunned.contains(&text.stmt) {
                    block.not_recurring.push(here.guard);
                }
                for (stmts, visits) in self.flat.recurring.iter().zip(&mut block.recurring) {
                    visits.extend(stmts.contains(&text.stmt).then_some(here.guard));
                }
            }
            Act::Branch(term) => {
                let holds = self.value(terms, &here, *term);
                let fails = terms.not(holds);
                return self.split(terms, node, &here, &[holds, fails]);
            }
            Act::Choice => {
                let tests = self.choose(terms, inputs, text.next.len());
                block.decided.tests.insert(node, tests.clone());
                return self.split(terms, node, &here, &tests);
            }
        }
        match here.guard {
            TermId::FALSE => Vec::new(),
            _ => text.next.iter().map(|&next| (next, here.clone())).collect(),
        }
    }

    /// The ways to the successors, each under its condition.
    fn split(&self, terms: &mut Terms, node: usize, here: &Here, tests: &[TermId]) -> Vec<(usize, Here)> {
        let ways = self.flat.nodes[node].next.iter().zip(tests).map(|(&next, &test)| {
            (next, Here { guard: both(terms, here.guard, test), values: here.values.clone() })
        });
        ways.filter(|(_, way)| way.guard != TermId::FALSE).collect()
    }

    /// What a term of the program means here.
    fn value(&self, terms: &mut Terms, here: &Here, term: TermId) -> TermId {
        let mut map = FxHashMap::default();
        for constant in constants(terms, term) {
            let Some(fun) = terms.applied(constant) else { continue };
            if let Some(value) = self.of(terms, here, fun) {
                map.insert(constant, value);
            }
        }
        replace(terms, term, &map)
    }

    fn of(&self, terms: &mut Terms, here: &Here, fun: FunId) -> Option<TermId> {
        let known = here.values.get(&fun).copied();
        known.or_else(|| self.states.get(&fun).map(|state| terms.constant_term(state.now)))
    }

    /// Conditions for so many alternatives, of which one holds.
    fn choose(&self, terms: &mut Terms, inputs: &mut Inputs, count: usize) -> Vec<TermId> {
        let (mut tests, mut others) = (Vec::new(), TermId::TRUE);
        for i in 0..count {
            let chosen = if i + 1 == count { TermId::TRUE } else { inputs.choice(terms) };
            tests.push(both(terms, others, chosen));
            let left = terms.not(chosen);
            others = both(terms, others, left);
        }
        tests
    }

    /// The state where ways meet.
    fn merge(&self, terms: &mut Terms, mut ways: Vec<Here>) -> Here {
        let Some(last) = ways.pop() else { return Here { guard: TermId::FALSE, values: Values::new() } };
        if ways.is_empty() {
            return last;
        }
        let mut changed: Vec<FunId> =
            ways.iter().chain([&last]).flat_map(|way| way.values.keys().copied()).collect();
        changed.sort_unstable();
        changed.dedup();
        let mut values = Values::new();
        for variable in changed {
            let Some(mut value) = self.of(terms, &last, variable) else { continue };
            for way in ways.iter().rev() {
                let Some(other) = self.of(terms, way, variable) else { continue };
                if other != value {
                    // Both have the variable's sort.
                    value = terms.app(Op::Ite, &[way.guard, other, value]).unwrap_or(value);
                }
            }
            values.insert(variable, value);
        }
        let guards: Vec<TermId> = ways.iter().chain([&last]).map(|way| way.guard).collect();
        let guard = if guards.contains(&TermId::TRUE) { TermId::TRUE } else { terms.or(&guards) };
        Here { guard, values }
    }
}

/// A conjunction of two, without what says nothing.
pub(super) fn both(terms: &mut Terms, left: TermId, right: TermId) -> TermId {
    match (left, right) {
        (TermId::TRUE, other) | (other, TermId::TRUE) => other,
        (TermId::FALSE, _) | (_, TermId::FALSE) => TermId::FALSE,
        (left, right) if left == right => left,
        _ => terms.and(&[left, right]),
    }
}
