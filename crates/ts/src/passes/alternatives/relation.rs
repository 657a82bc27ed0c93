//! Formulas as values of symbols and a rest.

use super::super::rewrite::Rewrite;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::simplify::is_value;
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};

/// Where a formula holds, a symbol has a value.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) symbol: usize,
    pub(super) when: TermId,
    pub(super) value: TermId,
}

/// All of the values, and all of the rest.
#[derive(Clone, Default)]
pub(super) struct Relation {
    /// At most one for each symbol, sorted.
    pub(super) values: Vec<Entry>,
    pub(super) rest: Vec<TermId>,
}

impl Relation {
    pub(super) fn condition(formula: TermId) -> Relation {
        Relation { values: Vec::new(), rest: vec![formula] }
    }

    /// The symbols that have values whatever holds.
    pub(super) fn always(&self, terms: &mut Terms, symbols: &[FunId]) -> FxHashMap<TermId, TermId> {
        let always = self.values.iter().filter(|entry| entry.when == TermId::TRUE);
        always.map(|entry| (terms.constant_term(symbols[entry.symbol]), entry.value)).collect()
    }

    pub(super) fn rewritten(mut self, terms: &mut Terms, rewrite: &mut Rewrite) -> Relation {
        for entry in &mut self.values {
            entry.when = rewrite.apply(terms, entry.when);
            entry.value = rewrite.apply(terms, entry.value);
        }
        for formula in &mut self.rest {
            *formula = rewrite.apply(terms, *formula);
        }
        self
    }

    /// Both hold.
    pub(super) fn join(&mut self, terms: &mut Terms, other: Relation) {
        if other.values.is_empty() {
            return self.rest.extend(other.rest);
        }
        let mut joined = Vec::with_capacity(self.values.len() + other.values.len());
        for (a, b) in pairs(&self.values, &other.values) {
            joined.push(match (a, b) {
                (Some(a), Some(b)) => {
                    if a.value != b.value && !exclude(terms, a.when, b.when) {
                        let apart = [terms.not(a.when), terms.not(b.when), equal(terms, a.value, b.value)];
                        self.rest.push(any(terms, &apart));
                    }
                    let when = any(terms, &[a.when, b.when]);
                    Entry { symbol: a.symbol, when, value: ite(terms, a.when, a.value, b.value) }
                }
                (a, b) => match a.or(b) {
                    Some(entry) => entry,
                    None => continue,
                },
            });
        }
        self.values = joined;
        self.rest.extend(other.rest);
    }

    /// The one if the condition holds, and the other if not.
    pub(super) fn branch(
        terms: &mut Terms,
        condition: TermId,
        then: &Relation,
        other: &Relation,
    ) -> Relation {
        let mut values = Vec::with_capacity(then.values.len().max(other.values.len()));
        for (a, b) in pairs(&then.values, &other.values) {
            let none = |entry: &Entry| Entry { when: TermId::FALSE, ..*entry };
            let (a, b) = match (a, b) {
                (Some(a), Some(b)) => (a, b),
                (Some(a), None) => (a, none(&a)),
                (None, Some(b)) => (none(&b), b),
                (None, None) => continue,
            };
            let when = ite(terms, condition, a.when, b.when);
            values.push(Entry { symbol: a.symbol, when, value: ite(terms, condition, a.value, b.value) });
        }
        // What both say need not wait for the condition.
        let in_other: FxHashSet<TermId> = other.rest.iter().copied().collect();
        let (mut rest, apart): (Vec<TermId>, Vec<TermId>) =
            then.rest.iter().partition(|formula| in_other.contains(formula));
        let common: FxHashSet<TermId> = rest.iter().copied().collect();
        let other: Vec<TermId> =
            other.rest.iter().copied().filter(|formula| !common.contains(formula)).collect();
        let (then, other) = (terms.and(&apart), terms.and(&other));
        let choice = ite(terms, condition, then, other);
        if choice != TermId::TRUE {
            rest.push(choice);
        }
        Relation { values, rest }
    }
}

/// Entries of equal symbols side by side.
fn pairs(left: &[Entry], right: &[Entry]) -> Vec<(Option<Entry>, Option<Entry>)> {
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < left.len() || j < right.len() {
        let (a, b) = (left.get(i).copied(), right.get(j).copied());
        let first = |entry: Option<Entry>| entry.map_or(usize::MAX, |entry| entry.symbol);
        let symbol = first(a).min(first(b));
        let (a, b) = (a.filter(|entry| entry.symbol == symbol), b.filter(|entry| entry.symbol == symbol));
        (i, j) = (i + usize::from(a.is_some()), j + usize::from(b.is_some()));
        found.push((a, b));
    }
    found
}

/// Something that a case says by its look: this term has this value, which this formula of its rest says.
#[derive(Clone, Copy)]
pub(super) struct Fact {
    pub(super) term: TermId,
    pub(super) value: TermId,
    pub(super) formula: TermId,
}

/// What a formula says by its look: a truth value of an atom, and for an equation with a value of what is equal to it.
pub(super) fn facts(terms: &Terms, formula: TermId) -> [Option<Fact>; 2] {
    let (term, value) = match terms.op(formula) {
        Op::Not => (terms.args(formula)[0], TermId::FALSE),
        _ => (formula, TermId::TRUE),
    };
    let truth = Some(Fact { term, value, formula });
    if value == TermId::FALSE || terms.op(term) != Op::Eq {
        return [truth, None];
    }
    let &[a, b] = terms.args(term) else { return [truth, None] };
    match (is_value(terms, a), is_value(terms, b)) {
        (false, true) => [truth, Some(Fact { term: a, value: b, formula })],
        (true, false) => [truth, Some(Fact { term: b, value: a, formula })],
        _ => [truth, None],
    }
}

/// So many cases are compared with each other.
const CASES: usize = 64;

/// True when two formulas do not hold together, by their look: each case of the one says something else of a term than
/// each case of the other.
fn exclude(terms: &Terms, left: TermId, right: TermId) -> bool {
    let parts = |op: Op, formula: TermId| -> Vec<TermId> {
        if terms.op(formula) == op { terms.args(formula).to_vec() } else { vec![formula] }
    };
    let known = |case: TermId| -> FxHashMap<TermId, TermId> {
        let parts = parts(Op::And, case);
        let facts = parts.iter().flat_map(|&formula| facts(terms, formula)).flatten();
        facts.map(|fact| (fact.term, fact.value)).collect()
    };
    let (left, right) = (parts(Op::Or, left), parts(Op::Or, right));
    if left.len().max(right.len()) > CASES {
        return false;
    }
    let left: Vec<_> = left.into_iter().map(known).collect();
    right.into_iter().map(known).all(|right| {
        let differs = |(term, value): (&TermId, &TermId)| right.get(term).is_some_and(|other| other != value);
        left.iter().all(|left| left.iter().any(differs))
    })
}

fn equal(terms: &mut Terms, left: TermId, right: TermId) -> TermId {
    // Both are values of one symbol.
    terms.app(Op::Eq, &[left, right]).unwrap_or(TermId::FALSE)
}

/// A disjunction; those below it are taken up.
fn any(terms: &mut Terms, formulas: &[TermId]) -> TermId {
    let mut parts = Vec::new();
    for &formula in formulas {
        match terms.op(formula) {
            Op::True => return TermId::TRUE,
            Op::False => {}
            Op::Or if terms.args(formula).len() <= CASES => parts.extend(terms.args(formula)),
            _ => parts.push(formula),
        }
    }
    let mut seen = FxHashSet::default();
    parts.retain(|&part| seen.insert(part));
    terms.or(&parts)
}

/// A choice, with the obvious simplifications.
pub(super) fn ite(terms: &mut Terms, condition: TermId, then: TermId, other: TermId) -> TermId {
    if then == other || condition == TermId::TRUE {
        return then;
    }
    if condition == TermId::FALSE {
        return other;
    }
    if terms.sort(then) == SortId::BOOL {
        let otherwise = terms.not(condition);
        match (then, other) {
            (TermId::TRUE, TermId::FALSE) => return condition,
            (TermId::FALSE, TermId::TRUE) => return otherwise,
            (TermId::TRUE, _) => return any(terms, &[condition, other]),
            (_, TermId::TRUE) => return any(terms, &[otherwise, then]),
            (TermId::FALSE, _) => return terms.and(&[otherwise, other]),
            (_, TermId::FALSE) => return terms.and(&[condition, then]),
            _ => {}
        }
    }
    // Both are values of one symbol.
    terms.app(Op::Ite, &[condition, then, other]).unwrap_or(then)
}
