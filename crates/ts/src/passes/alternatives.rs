//! Alternatives become inputs: a `trans` that says which steps there are, as a disjunction of cases with equations in each of
//! them, becomes equations.
//!
//! Programs and clauses are told in this way, while a circuit wants one next value for each variable. The formula is taken
//! apart from below along its connectives, and each part becomes a [relation](relation::Relation): values of symbols, each
//! under a condition, and a rest. A conjunction puts relations together, a case distinction chooses between them; where
//! nothing in the cases tells which one is meant, [a new input does](choose). Whatever values new inputs have, the
//! relation says no more than the formula, and some values say all of it: the pairs of states are the same.
//!
//! Inputs that only `trans` speaks of are symbols like next versions of variables: where equations determine them, they are
//! put in place, as large blocks of programs have names for everything in between. Back: traces get their values again.

mod choose;
mod relation;

use super::equations::{Found, Speaks, equations, flattened, order};
use super::rewrite::Rewrite;
use crate::system::System;
use crate::trace::{Judge, Trace};
use relation::{Entry, Relation, ite};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::{postorder_of, replace};
use smt::term::{FunId, TermId, Terms};

/// So many values of symbols are written down, over all parts. Who needs more gets no functions.
const WORK: usize = 4_000_000;

/// A `trans` without alternatives.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Alternatives {
    /// Conjuncts in the place of `trans`.
    pub trans: Vec<TermId>,
    /// New inputs.
    pub inputs: Vec<FunId>,
    /// Inputs of the system that are put in place, with their values in a step that has a successor.
    pub given: Vec<(FunId, TermId)>,
}

impl Alternatives {
    /// Gives the steps of an execution the values of inputs that were put in place. New inputs have their values in it.
    pub fn complete(&self, terms: &mut Terms, system: &System, trace: &mut Trace) {
        if self.given.is_empty() {
            return;
        }
        let inputs = system.inputs.iter().chain(&self.inputs).copied().collect();
        trace.complete(terms, &System { inputs, ..system.clone() });
        let mut judge = Judge::new(trace, terms, system);
        let steps = 0..trace.steps.len();
        // A step without a successor has no values of next versions, and nobody asks for those of its inputs.
        let mut of = |step| self.given.iter().map(|given| judge.value(step, given.1).ok()).collect();
        let values: Vec<Vec<_>> = steps.map(&mut of).collect();
        for (step, values) in trace.steps.iter_mut().zip(values) {
            for (&(input, _), value) in self.given.iter().zip(values) {
                if let Some(value) = value {
                    step.set(input, value);
                }
            }
        }
    }
}

/// The `trans` of a system without alternatives; nothing if there are none that matter. Definitions have to be unfolded.
pub fn alternatives(terms: &mut Terms, system: &System) -> Option<Alternatives> {
    let mut parts = Parts::new(terms, system);
    let top = parts.top(terms, &system.trans)?;
    parts.equations(terms, system, top)
}

/// A formula and whether it holds.
type Key = (TermId, bool);

/// How a formula is made of others.
enum Shape {
    All(Vec<Key>),
    Some(Vec<Key>),
    Either(TermId, Key, Key),
    Leaf(TermId),
}

struct Parts {
    /// The symbols that can have values: next versions of variables, and inputs.
    symbols: Vec<FunId>,
    nexts: FxHashMap<FunId, usize>,
    given: FxHashMap<FunId, usize>,
    all: FxHashMap<FunId, usize>,
    speaks: FxHashMap<TermId, bool>,
    done: FxHashMap<Key, Relation>,
    inputs: Vec<FunId>,
    work: usize,
}

impl Parts {
    fn new(terms: &Terms, system: &System) -> Parts {
        let elsewhere = System { trans: Vec::new(), ..system.clone() };
        let used: FxHashSet<FunId> = postorder_of(terms, elsewhere.formulas())
            .into_iter()
            .filter_map(|term| terms.applied(term))
            .collect();
        let mut symbols: Vec<FunId> = system.states.iter().map(|state| state.next).collect();
        let states = symbols.len();
        symbols.extend(system.inputs.iter().filter(|input| !used.contains(input)));
        let places = |range: std::ops::Range<usize>| range.map(|at| (symbols[at], at)).collect();
        let (nexts, given) = (places(0..states), places(states..symbols.len()));
        let (all, speaks) = (places(0..symbols.len()), FxHashMap::default());
        Parts {
            nexts,
            given,
            all,
            speaks,
            symbols,
            done: FxHashMap::default(),
            inputs: Vec::new(),
            work: WORK,
        }
    }

    /// True when a term speaks of symbols that can have values.
    fn speaks(&mut self, terms: &Terms, term: TermId) -> bool {
        let known = std::mem::take(&mut self.speaks);
        let mut speaks = Speaks { position: &self.all, known };
        let answer = speaks.of_variables(terms, term);
        self.speaks = speaks.known;
        answer
    }

    /// The formulas directly below a formula, those of equal connectives below each other taken together.
    fn shape(&mut self, terms: &mut Terms, key: Key) -> Shape {
        let is_all = match connective(terms, key) {
            Connective::All => true,
            Connective::Some if self.speaks(terms, key.0) => false,
            Connective::Either if self.speaks(terms, key.0) => {
                let &[condition, then, other] = terms.args(key.0) else { return Shape::Leaf(key.0) };
                return Shape::Either(
                    condition,
                    self::key(terms, then, key.1),
                    self::key(terms, other, key.1),
                );
            }
            _ => return Shape::Leaf(literal(terms, key)),
        };
        let (mut found, mut seen, mut todo) = (Vec::new(), FxHashSet::default(), vec![key]);
        while let Some(key) = todo.pop() {
            if !seen.insert(key) {
                continue;
            }
            let same = match connective(terms, key) {
                Connective::All => is_all,
                Connective::Some => !is_all,
                _ => false,
            };
            if same { todo.extend(below(terms, key).into_iter().rev()) } else { found.push(key) }
        }
        if is_all { Shape::All(found) } else { Shape::Some(found) }
    }

    /// The relation of some formulas together; nothing when no case distinction gives values, or when it is too large.
    fn top(&mut self, terms: &mut Terms, conjuncts: &[TermId]) -> Option<Relation> {
        let members: Vec<Key> =
            flattened(terms, conjuncts).into_iter().map(|term| key(terms, term, true)).collect();
        for &member in &members {
            if !is_leaf(terms, member) {
                self.part(terms, member)?;
            }
        }
        let distinguishes = members
            .iter()
            .any(|member| self.done.get(member).is_some_and(|relation| !relation.values.is_empty()));
        let top = self.together(terms, &members);
        let states = self.nexts.len();
        let puts = top.values.iter().any(|entry| entry.symbol >= states);
        (distinguishes || puts).then_some(top)
    }

    /// Finds the relation of a formula, after those of the formulas below it.
    fn part(&mut self, terms: &mut Terms, root: Key) -> Option<()> {
        let mut todo = vec![(root, false)];
        while let Some((key, ready)) = todo.pop() {
            if self.done.contains_key(&key) {
                continue;
            }
            let shape = self.shape(terms, key);
            if !ready {
                todo.push((key, true));
                match &shape {
                    Shape::All(members) => {
                        let parts = members.iter().filter(|member| !is_leaf(terms, **member));
                        todo.extend(parts.map(|&member| (member, false)));
                    }
                    Shape::Some(members) => todo.extend(members.iter().map(|&member| (member, false))),
                    Shape::Either(_, then, other) => todo.extend([(*then, false), (*other, false)]),
                    Shape::Leaf(_) => {}
                }
                continue;
            }
            let relation = match shape {
                Shape::Leaf(formula) => self.leaf(terms, formula),
                Shape::All(members) => self.together(terms, &members),
                Shape::Some(members) => self.one_of(terms, key, &members),
                Shape::Either(condition, then, other) => {
                    let (then, other) = (self.done[&then].clone(), self.done[&other].clone());
                    match then.values.is_empty() && other.values.is_empty() {
                        true => Relation::condition(literal(terms, key)),
                        false => Relation::branch(terms, condition, &then, &other),
                    }
                }
            };
            self.work = self.work.checked_sub(1 + relation.values.len())?;
            self.done.insert(key, relation);
        }
        Some(())
    }

    fn leaf(&mut self, terms: &mut Terms, formula: TermId) -> Relation {
        if self.speaks(terms, formula) {
            self.solved(terms, vec![formula])
        } else {
            Relation::condition(formula)
        }
    }

    /// The relation in which all of some formulas hold. Equations among them are solved together, in whatever order they
    /// come; what case distinctions say of the same symbols must agree.
    fn together(&mut self, terms: &mut Terms, members: &[Key]) -> Relation {
        let (mut leaves, mut others) = (Vec::new(), Vec::new());
        for &member in members {
            match is_leaf(terms, member) {
                true => leaves.push(literal(terms, member)),
                false => others.push(self.done[&member].clone()),
            }
        }
        let mut relation = self.solved(terms, leaves);
        let mut rewrite = None;
        for other in others {
            let rewriting =
                rewrite.get_or_insert_with(|| Rewrite::new(relation.always(terms, &self.symbols)));
            let other = other.rewritten(terms, rewriting);
            if !other.values.is_empty() {
                // What always has a value changes.
                rewrite = None;
            }
            relation.join(terms, other);
        }
        relation
    }

    /// The relation of formulas that are equations or conditions.
    fn solved(&mut self, terms: &mut Terms, mut rest: Vec<TermId>) -> Relation {
        let mut values: FxHashMap<TermId, (usize, TermId)> = FxHashMap::default();
        loop {
            let found = [&self.nexts, &self.given].into_iter().find_map(|symbols| {
                let found = equations(terms, &rest, symbols, |_, _| true);
                (!found.equations.is_empty()).then_some(found)
            });
            let Some(found) = found else { break };
            let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
            for &(symbol, value) in &found.equations {
                let value = if found.plain.contains(&value) { value } else { replace(terms, value, &map) };
                map.insert(terms.constant_term(self.symbols[symbol]), value);
                values.insert(terms.constant_term(self.symbols[symbol]), (symbol, value));
            }
            let mut rewrite = Rewrite::new(map);
            for (_, value) in values.values_mut() {
                *value = rewrite.apply(terms, *value);
            }
            rest = found.rest.iter().map(|&formula| rewrite.apply(terms, formula)).collect();
        }
        rest.retain(|&formula| !says_nothing(terms, formula));
        let mut values: Vec<Entry> =
            values.into_values().map(|(symbol, value)| Entry { symbol, when: TermId::TRUE, value }).collect();
        values.sort_unstable_by_key(|entry| entry.symbol);
        Relation { values, rest }
    }

    /// The relation in which one of some formulas holds.
    fn one_of(&mut self, terms: &mut Terms, key: Key, members: &[Key]) -> Relation {
        let (mut cases, mut plain) = (Vec::new(), Vec::new());
        for member in members {
            let relation = self.done[member].clone();
            match relation.values.is_empty() && !self.speaks(terms, member.0) {
                true => plain.push(literal(terms, *member)),
                false => cases.push(relation),
            }
        }
        if cases.iter().all(|case| case.values.is_empty()) {
            return Relation::condition(literal(terms, key));
        }
        let mut chosen = choose::choose(self, terms, &cases);
        // Where a case says nothing of symbols, the others need not be looked at.
        if !plain.is_empty() {
            let condition = terms.or(&plain);
            chosen = Relation::branch(terms, condition, &Relation::default(), &chosen);
        }
        chosen
    }

    fn add_input(&mut self, terms: &mut Terms, name: &str, sort: SortId) -> TermId {
        let input = terms.fresh(name, sort);
        self.inputs.push(input);
        terms.constant_term(input)
    }

    /// The equations of a relation, with inputs put in place.
    fn equations(mut self, terms: &mut Terms, system: &System, top: Relation) -> Option<Alternatives> {
        let said =
            top.values.iter().flat_map(|entry| [entry.when, entry.value]).chain(top.rest.iter().copied());
        let said = postorder_of(terms, said).into_iter().filter_map(|term| terms.applied(term));
        let said: FxHashSet<FunId> = said.collect();
        let (mut open, states) = (Vec::new(), system.states.len());
        for entry in top.values {
            let (fun, mut value) = (self.symbols[entry.symbol], entry.value);
            // Where nobody speaks of an input any more, it may have its value in all cases.
            if entry.when != TermId::TRUE && (entry.symbol < states || said.contains(&fun)) {
                let name = format!("{}.in", terms.fun_name(fun));
                let any = self.add_input(terms, &name, terms.fun(fun).result);
                value = ite(terms, entry.when, value, any);
            }
            let symbol = terms.constant_term(fun);
            open.push((entry.symbol, value, terms.app(Op::Eq, &[symbol, value]).ok()?));
        }
        let mut found = Found { equations: Vec::new(), plain: FxHashSet::default(), rest: top.rest };
        order(terms, &self.all, open, &mut found);
        let (mut rewrite, mut made) = (Rewrite::default(), Alternatives::default());
        for &(symbol, value) in &found.equations {
            let (fun, value) = (self.symbols[symbol], rewrite.apply(terms, value));
            let symbol_term = terms.constant_term(fun);
            rewrite.insert(symbol_term, value);
            if symbol < states {
                made.trans.push(terms.app(Op::Eq, &[symbol_term, value]).ok()?);
            } else {
                made.given.push((fun, value));
            }
        }
        made.trans.extend(found.rest.iter().map(|&formula| rewrite.apply(terms, formula)));
        made.inputs = self.inputs;
        Some(made)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Connective {
    All,
    Some,
    Either,
    None,
}

/// A formula without the negations around it.
fn key(terms: &Terms, mut term: TermId, mut holds: bool) -> Key {
    while terms.op(term) == Op::Not {
        (term, holds) = (terms.args(term)[0], !holds);
    }
    (term, holds)
}

fn connective(terms: &Terms, (term, holds): Key) -> Connective {
    match (terms.op(term), holds) {
        (Op::And, true) | (Op::Or | Op::Implies, false) => Connective::All,
        (Op::Or | Op::Implies, true) | (Op::And, false) => Connective::Some,
        (Op::Ite, _) => Connective::Either,
        _ => Connective::None,
    }
}

fn is_leaf(terms: &Terms, key: Key) -> bool {
    connective(terms, key) == Connective::None
}

/// What a conjunction or disjunction is made of.
fn below(terms: &Terms, (term, holds): Key) -> Vec<Key> {
    let args = terms.args(term);
    let is_premise = |at: usize| terms.op(term) == Op::Implies && at + 1 < args.len();
    args.iter().enumerate().map(|(at, &arg)| key(terms, arg, holds != is_premise(at))).collect()
}

fn literal(terms: &mut Terms, (term, holds): Key) -> TermId {
    if holds { term } else { terms.not(term) }
}

/// True for what holds by its look.
fn says_nothing(terms: &Terms, formula: TermId) -> bool {
    formula == TermId::TRUE || matches!((terms.op(formula), terms.args(formula)), (Op::Eq, [a, b]) if a == b)
}
