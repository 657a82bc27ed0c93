//! One replacement applied to many formulas that share parts: each shared term is rewritten once, whatever formula it is met
//! in first.

use rustc_hash::FxHashMap;
use smt::subst::{rebuild, replace};
use smt::term::{TermId, Terms};

/// A replacement of constants by terms of their sorts.
pub(crate) struct Rewrite {
    map: FxHashMap<TermId, TermId>,
    done: FxHashMap<TermId, TermId>,
}

impl Rewrite {
    pub(crate) fn new(map: FxHashMap<TermId, TermId>) -> Rewrite {
        Rewrite { done: map.clone(), map }
    }

    pub(crate) fn apply(&mut self, terms: &mut Terms, root: TermId) -> TermId {
        if self.map.is_empty() {
            return root;
        }
        if terms.has_vars(root) {
            // Below binders names may have to change, which the kernel knows how to do.
            return replace(terms, root, &self.map);
        }
        let mut todo = vec![(root, false)];
        while let Some((term, ready)) = todo.pop() {
            if self.done.contains_key(&term) {
                continue;
            }
            if !ready && !terms.args(term).is_empty() {
                todo.push((term, true));
                todo.extend(terms.args(term).iter().map(|&arg| (arg, false)));
                continue;
            }
            let args: Vec<TermId> = terms.args(term).iter().map(|arg| self.done[arg]).collect();
            let new = rebuild(terms, term, &args);
            self.done.insert(term, new);
        }
        self.done[&root]
    }
}
