//! What is below a term: predicates and quantifiers.

use base::id::IdMap;
use rustc_hash::FxHashSet;
use smt::op::Op;
use smt::term::{FunId, TermId, Terms};

/// What is at or below a term.
#[derive(Clone, Copy, Default)]
pub(super) struct Below {
    /// The first predicate.
    pub(super) predicate: Option<FunId>,
    /// True when there is a quantifier.
    pub(super) quantified: bool,
}

/// Looks below terms, once below each.
pub(super) struct Looks<'a> {
    predicates: &'a FxHashSet<FunId>,
    known: IdMap<TermId, Option<Below>>,
}

impl<'a> Looks<'a> {
    pub(super) fn new(predicates: &'a FxHashSet<FunId>) -> Looks<'a> {
        Looks { predicates, known: IdMap::new(None) }
    }

    /// What is below a term.
    pub(super) fn below(&mut self, terms: &Terms, root: TermId) -> Below {
        if let Some(known) = self.known[root] {
            return known;
        }
        let mut todo = vec![(root, false)];
        while let Some((term, ready)) = todo.pop() {
            if self.known[term].is_some() {
                continue;
            }
            let args = terms.args(term);
            if !ready && !args.is_empty() {
                todo.push((term, true));
                todo.extend(args.iter().rev().map(|&arg| (arg, false)));
                continue;
            }
            let mut found = Below {
                predicate: terms.applied(term).filter(|fun| self.predicates.contains(fun)),
                quantified: matches!(terms.op(term), Op::Forall | Op::Exists),
            };
            for below in args.iter().filter_map(|&arg| self.known[arg]) {
                found.predicate = found.predicate.or(below.predicate);
                found.quantified |= below.quantified;
            }
            self.known.set(term, Some(found));
        }
        self.known[root].unwrap_or_default()
    }
}
