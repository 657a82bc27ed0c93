//! Systems with few states, explored completely.

use smt::eval::{Assignment, Evaluator};
use smt::sort::{Sort, SortId};
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use std::collections::BTreeMap;
use ts::System;

/// All values of a small sort.
pub(crate) fn values(terms: &Terms, sort: SortId) -> Vec<Value> {
    match terms.sorts.get(sort) {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::BitVec(width @ 1..=4) => (0..1u32 << width).map(|bits| Value::bits(*width, bits)).collect(),
        Sort::Declared(..) => {
            let (datatype, _) = terms.sorts.datatype(sort).expect("a datatype");
            assert!(datatype.constructors.iter().all(|c| c.fields.is_empty()));
            (0..datatype.constructors.len() as u32).map(|i| Value::data(sort, i, [])).collect()
        }
        other => panic!("not a small sort: {other:?}"),
    }
}

/// All assignments of symbols.
pub(crate) fn assignments(terms: &Terms, funs: &[FunId]) -> Vec<Assignment> {
    let mut found = vec![Assignment::new()];
    for &fun in funs {
        let values = values(terms, terms.fun(fun).result);
        found = found.iter().flat_map(|old| values.iter().map(|v| with(old, &[(fun, v.clone())]))).collect();
    }
    found
}

fn with(old: &Assignment, more: &[(FunId, Value)]) -> Assignment {
    let mut new = old.clone();
    for (fun, value) in more {
        new.set(*fun, value.clone());
    }
    new
}

/// The steps of all executions: states with inputs, and what follows what.
pub(crate) struct Space<'a> {
    terms: &'a Terms,
    /// States with inputs that satisfy what holds in every step.
    nodes: Vec<Assignment>,
    first: Vec<usize>,
    next: Vec<Vec<usize>>,
}

impl<'a> Space<'a> {
    /// Explores a system without rigid symbols.
    pub(crate) fn new(terms: &'a Terms, system: &System) -> Space<'a> {
        let mut symbols: Vec<FunId> = system.states.iter().map(|state| state.now).collect();
        symbols.extend(&system.inputs);
        let mut evaluator = Evaluator::new(terms);
        let mut all = |formulas: &[TermId], env: &mut Assignment| {
            formulas.iter().all(|&f| evaluator.holds(f, env).expect("can be evaluated"))
        };
        let mut nodes = assignments(terms, &symbols);
        nodes.retain_mut(|node| all(&system.invar, node));
        let first: Vec<usize> = (0..nodes.len()).filter(|&i| all(&system.init, &mut nodes[i])).collect();
        // Nodes by their states: what follows is a question of states alone.
        let key = |node: &Assignment| -> Vec<Value> {
            system.states.iter().map(|state| node.get(state.now).expect("set").clone()).collect()
        };
        let mut groups: BTreeMap<Vec<Value>, Vec<usize>> = BTreeMap::new();
        for (at, node) in nodes.iter().enumerate() {
            groups.entry(key(node)).or_default().push(at);
        }
        let mut next = vec![Vec::new(); nodes.len()];
        let (mut todo, mut seen) = (first.clone(), vec![false; nodes.len()]);
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            for (values, group) in &groups {
                let later: Vec<(FunId, Value)> =
                    system.states.iter().map(|state| state.next).zip(values.iter().cloned()).collect();
                if all(&system.trans, &mut with(&nodes[node], &later)) {
                    next[node].extend(group);
                    todo.extend(group);
                }
            }
        }
        Space { terms, nodes, first, next }
    }

    /// The steps that occur in executions.
    pub(crate) fn occurring(&self) -> Vec<Assignment> {
        let seen = self.reached(&self.first);
        (0..self.nodes.len()).filter(|&node| seen[node]).map(|node| self.nodes[node].clone()).collect()
    }

    fn holds(&self, node: usize, formula: TermId) -> bool {
        Evaluator::new(self.terms).holds(formula, &mut self.nodes[node].clone()).expect("can be evaluated")
    }

    /// The length of the shortest execution to a step that violates a formula.
    pub(crate) fn depth(&self, formula: TermId) -> Option<usize> {
        let mut seen = vec![false; self.nodes.len()];
        let mut layer = self.first.clone();
        for depth in 0.. {
            layer.retain(|&node| !std::mem::replace(&mut seen[node], true));
            if layer.is_empty() {
                return None;
            }
            if layer.iter().any(|&node| !self.holds(node, formula)) {
                return Some(depth);
            }
            layer = layer.iter().flat_map(|&node| self.next[node].clone()).collect();
        }
        None
    }

    /// The nodes that can be reached from others.
    fn reached(&self, from: &[usize]) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        let mut todo = from.to_vec();
        while let Some(node) = todo.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                todo.extend(&self.next[node]);
            }
        }
        seen
    }

    /// True when an infinite execution violates every formula again and again.
    pub(crate) fn again(&self, formulas: &[TermId]) -> bool {
        let reachable = self.reached(&self.first);
        (0..self.nodes.len()).filter(|&node| reachable[node]).any(|node| {
            let after = self.reached(&self.next[node]);
            // The component of `node`: what it reaches and what reaches it again.
            let inside = |other: &usize| after[*other] && self.reached(&self.next[*other])[node];
            after[node] && {
                let component: Vec<usize> = (0..self.nodes.len()).filter(inside).collect();
                formulas.iter().all(|&f| component.iter().any(|&other| !self.holds(other, f)))
            }
        })
    }

    /// What there is to know about a property: depth of a violation, or 0 for a live one that is violated.
    pub(crate) fn judge(&self, property: &ts::Property) -> Option<usize> {
        match &property.kind {
            ts::PropertyKind::Invariant(formula) => self.depth(*formula),
            ts::PropertyKind::Live(formulas) => self.again(formulas).then_some(0),
            ts::PropertyKind::Ltl(_) => panic!("temporal formulas are not explored"),
        }
    }
}

/// What exploration says about every property of a system.
pub(crate) fn verdicts(terms: &Terms, system: &System) -> Vec<Option<usize>> {
    let space = Space::new(terms, system);
    system.properties.iter().map(|property| space.judge(property)).collect()
}

/// A shortest counterexample of an invariant property.
pub(crate) fn counterexample(terms: &Terms, system: &System, property: &ts::Property) -> Option<ts::Trace> {
    let space = Space::new(terms, system);
    let bad = |node: usize| property.formulas().iter().any(|&formula| !space.holds(node, formula));
    let mut before: Vec<Option<usize>> = vec![None; space.nodes.len()];
    let mut seen = vec![false; space.nodes.len()];
    space.first.iter().for_each(|&node| seen[node] = true);
    let mut todo = std::collections::VecDeque::from(space.first.clone());
    while let Some(node) = todo.pop_front() {
        if bad(node) {
            let way = std::iter::successors(Some(node), |&at| before[at]);
            let mut steps: Vec<Assignment> = way.map(|at| space.nodes[at].clone()).collect();
            steps.reverse();
            return Some(ts::Trace { steps, ..ts::Trace::default() });
        }
        for &after in &space.next[node] {
            if !std::mem::replace(&mut seen[after], true) {
                before[after] = Some(node);
                todo.push_back(after);
            }
        }
    }
    None
}
