//! Which variables matter where: those that may be read before they are assigned. The others need no state variable, and
//! drawing a value for them needs no input.

use super::flat::{Act, Flat};
use rustc_hash::FxHashMap;
use smt::subst::constants;
use smt::term::{FunId, TermId, Terms};

/// The live variables before each node of a graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    numbers: FxHashMap<FunId, usize>,
    /// For each node a set of numbers.
    before: Vec<Vec<u64>>,
}

impl Live {
    pub(super) fn of(terms: &Terms, flat: &Flat, variables: &[FunId]) -> Live {
        let numbers: FxHashMap<FunId, usize> = variables.iter().enumerate().map(|(i, &v)| (v, i)).collect();
        let words = variables.len().div_ceil(64);
        let mut live = Live { numbers, before: vec![vec![0; words]; flat.nodes.len()] };
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); flat.nodes.len()];
        for (node, text) in flat.nodes.iter().enumerate() {
            text.next.iter().for_each(|&next| users[next].push(node));
        }
        // What comes last in the order is popped first.
        let mut todo: Vec<usize> = (0..flat.nodes.len()).collect();
        todo.sort_unstable_by_key(|&node| flat.order[node]);
        let mut waits = vec![true; flat.nodes.len()];
        while let Some(node) = todo.pop() {
            waits[node] = false;
            let set = live.compute(terms, flat, node);
            if set != live.before[node] {
                live.before[node] = set;
                for &user in &users[node] {
                    if !std::mem::replace(&mut waits[user], true) {
                        todo.push(user);
                    }
                }
            }
        }
        live
    }

    /// True when a variable is live before a node.
    pub(super) fn is_live(&self, node: usize, variable: FunId) -> bool {
        let Some(&number) = self.numbers.get(&variable) else { return false };
        self.before[node][number / 64] >> (number % 64) & 1 == 1
    }

    fn compute(&self, terms: &Terms, flat: &Flat, node: usize) -> Vec<u64> {
        let text = &flat.nodes[node];
        let mut set = vec![0; self.before[node].len()];
        for &next in &text.next {
            set.iter_mut().zip(&self.before[next]).for_each(|(word, &more)| *word |= more);
        }
        let mut put = |fun: FunId, is_live: bool| {
            if let Some(&number) = self.numbers.get(&fun) {
                let bit = 1 << (number % 64);
                if is_live { set[number / 64] |= bit } else { set[number / 64] &= !bit }
            }
        };
        match &text.act {
            Act::Assign(pairs) => pairs.iter().for_each(|&(variable, _)| put(variable, false)),
            Act::Havoc(variables) | Act::Enter(_, variables) | Act::Forget(variables) => {
                variables.iter().for_each(|&variable| put(variable, false))
            }
            _ => {}
        }
        for term in reads(&text.act) {
            for fun in constants(terms, term).into_iter().filter_map(|constant| terms.applied(constant)) {
                put(fun, true);
            }
        }
        set
    }
}

/// The terms that are evaluated at a node.
fn reads(act: &Act) -> Vec<TermId> {
    match act {
        Act::Assume(term) | Act::Branch(term) => vec![*term],
        Act::Assign(pairs) => pairs.iter().map(|pair| pair.1).collect(),
        Act::Check(checks) => checks.clone(),
        Act::Skip | Act::Havoc(_) | Act::Enter(..) | Act::Forget(_) | Act::Choice | Act::Visit => Vec::new(),
    }
}
