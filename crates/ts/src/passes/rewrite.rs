//! One replacement applied to many formulas that share parts: each shared term is rewritten once, whatever formula it is met
//! in first.

use rustc_hash::FxHashMap;
use smt::subst::{rebuild, replace};
use smt::term::{TermId, Terms};

/// A replacement of constants by terms of their sorts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rewrite {
    map: FxHashMap<TermId, TermId>,
    /// What terms with arguments became.
    done: FxHashMap<TermId, TermId>,
}

impl Rewrite {
    pub(crate) fn new(map: FxHashMap<TermId, TermId>) -> Rewrite {
        Rewrite { map, done: FxHashMap::default() }
    }

    /// Replaces one more constant, of which no formula speaks that was rewritten already.
    pub(crate) fn insert(&mut self, constant: TermId, by: TermId) {
        self.map.insert(constant, by);
    }

    pub(crate) fn apply(&mut self, terms: &mut Terms, root: TermId) -> TermId {
        if self.map.is_empty() {
            return root;
        }
        if terms.has_vars(root) {
            // Below binders names may have to change, which the kernel knows how to do.
            return replace(terms, root, &self.map);
        }
        let (mut todo, mut args) = (vec![(root, false)], Vec::new());
        while let Some((term, ready)) = todo.pop() {
            if ready {
                args.clear();
                args.extend(terms.args(term).iter().map(|&arg| self.image(terms, arg)));
                let new = rebuild(terms, term, &args);
                self.done.insert(term, new);
            } else if !terms.args(term).is_empty() && !self.done.contains_key(&term) {
                todo.push((term, true));
                let parts = terms.args(term).iter().filter(|&&arg| !terms.args(arg).is_empty());
                todo.extend(parts.map(|&arg| (arg, false)));
            }
        }
        self.image(terms, root)
    }

    /// What a term became, after those with arguments that it is made of.
    fn image(&self, terms: &Terms, term: TermId) -> TermId {
        match terms.args(term).is_empty() {
            true if terms.applied(term).is_none() => term,
            true => self.map.get(&term).copied().unwrap_or(term),
            false => self.done[&term],
        }
    }
}
