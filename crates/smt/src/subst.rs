//! Walking and rewriting term graphs: free variables, replacement, unfolding of definitions.
//!
//! Everything works on the graph, not on the tree, with explicit stacks. Replacement under a binder renames the
//! bound variable when a replaced term would be caught by it.

use crate::op::Op;
use crate::term::{FunId, TermId, Terms};
use base::id::{Id, IdMap, IdSet};

pub(crate) mod free;
mod replace;

pub use replace::replace;

use free::FreeSets;

/// All terms below `root`, children before parents, each once.
#[must_use]
pub fn postorder(terms: &Terms, root: TermId) -> Vec<TermId> {
    postorder_of(terms, [root])
}

/// All terms below some roots, children before parents, each once.
#[must_use]
pub fn postorder_of(terms: &Terms, roots: impl IntoIterator<Item = TermId>) -> Vec<TermId> {
    let (mut order, mut seen) = (Vec::new(), IdSet::new());
    let mut todo: Vec<(TermId, bool)> = roots.into_iter().map(|root| (root, false)).collect();
    todo.reverse();
    while let Some((term, ready)) = todo.pop() {
        if ready {
            order.push(term);
        } else if seen.insert(term) {
            let args = terms.args(term);
            if args.is_empty() {
                order.push(term);
                continue;
            }
            todo.push((term, true));
            todo.extend(args.iter().rev().map(|&arg| (arg, false)));
        }
    }
    order
}

/// Hands over all terms below some roots, each once, a term before what it is made of: the newest first. This is for whole
/// systems and the like; it takes a bit for every term of the store that is older than the newest root.
pub fn each_below(terms: &Terms, roots: impl IntoIterator<Item = TermId>, mut each: impl FnMut(TermId)) {
    let mut marked: Vec<u64> = Vec::new();
    for root in roots {
        let word = root.index() / 64;
        if marked.len() <= word {
            marked.resize(word + 1, 0);
        }
        marked[word] |= 1 << (root.index() % 64);
    }
    for word in (0..marked.len()).rev() {
        // Arguments are older than what they are arguments of, so nothing is marked behind the place that is looked at.
        while marked[word] != 0 {
            let bit = marked[word].ilog2() as usize;
            marked[word] &= !(1 << bit);
            let term = TermId::from_index(word * 64 + bit);
            for arg in terms.args(term) {
                marked[arg.index() / 64] |= 1 << (arg.index() % 64);
            }
            each(term);
        }
    }
}

/// The declared constants and program variables below `root`, each once, in the order of the term.
#[must_use]
pub fn constants(terms: &Terms, root: TermId) -> Vec<TermId> {
    let nullary = |&t: &TermId| terms.op(t) == Op::App && terms.args(t).is_empty();
    postorder(terms, root).into_iter().filter(nullary).collect()
}

/// The functions applied below `root`, each once; bodies of definitions are not looked into.
#[must_use]
pub fn functions(terms: &Terms, root: TermId) -> Vec<FunId> {
    let mut seen = IdSet::new();
    postorder(terms, root).into_iter().filter_map(|t| terms.applied(t)).filter(|&f| seen.insert(f)).collect()
}

/// The free bound-variables of `root`, sorted.
#[must_use]
pub fn free_vars(terms: &Terms, root: TermId) -> Vec<TermId> {
    if terms.has_vars(root) { FreeSets::of(terms, root).free_vars(terms, root) } else { Vec::new() }
}

/// True when no bound variable or formal parameter is free in `root`.
#[must_use]
pub fn is_closed(terms: &Terms, root: TermId) -> bool {
    free_vars(terms, root).is_empty()
}

/// A term with other arguments, which have the sorts of the old ones: the caller vouches for that. A binder keeps the
/// rule of [`crate::term`] only if the caller does.
pub fn rebuild(terms: &mut Terms, term: TermId, args: &[TermId]) -> TermId {
    if terms.args(term) == args {
        return term;
    }
    let node = *terms.node(term);
    // Sorts stay what they were, so the node is well-sorted without another check.
    terms.raw(node.op, node.payload, node.sort, args)
}

/// `root` with all defined functions (not the recursive ones) unfolded.
pub fn unfold(terms: &mut Terms, root: TermId) -> TermId {
    Unfolding::default().apply(terms, root)
}

/// Unfolds definitions in terms that share much: what was unfolded once is known.
#[derive(Clone, Debug)]
pub struct Unfolding {
    /// What terms became; [`TermId::ERROR`], which nothing becomes but itself, where that is not known yet.
    done: IdMap<TermId, TermId>,
}

/// How far the unfolding of a term is.
#[derive(Clone, Copy)]
enum Visit {
    Begin,
    /// Its arguments are unfolded.
    End,
    /// It becomes what this term becomes.
    Is(TermId),
}

impl Default for Unfolding {
    fn default() -> Self {
        Self { done: IdMap::new(TermId::ERROR) }
    }
}

impl Unfolding {
    /// `root` with all defined functions (not the recursive ones) unfolded.
    pub fn apply(&mut self, terms: &mut Terms, root: TermId) -> TermId {
        if !terms.has_definitions(root) {
            return root;
        }
        let mut todo = vec![(root, Visit::Begin)];
        let mut args = Vec::new();
        while let Some((term, visit)) = todo.pop() {
            if self.done[term] != TermId::ERROR || term == TermId::ERROR {
                continue;
            }
            let definition = terms.applied(term).filter(|&fun| terms.recursive_definition(fun).is_none());
            let definition = definition.and_then(|fun| terms.definition(fun));
            match (visit, definition) {
                (Visit::Begin, _) if !terms.has_definitions(term) => {
                    self.done.set(term, term);
                }
                (Visit::Begin, _) => {
                    todo.push((term, Visit::End));
                    todo.extend(terms.args(term).iter().map(|&arg| (arg, Visit::Begin)));
                }
                // The arguments go into the body as it is written: what it calls is unfolded with them, not twice.
                (Visit::End, Some((params, body))) => {
                    let args = terms.args(term).iter().map(|&arg| self.done[arg]);
                    let map = params.iter().copied().zip(args).collect();
                    let instance = if params.is_empty() { body } else { replace(terms, body, &map) };
                    todo.push((term, Visit::Is(instance)));
                    todo.push((instance, Visit::Begin));
                }
                (Visit::Is(instance), _) => {
                    self.done.set(term, self.done[instance]);
                }
                (Visit::End, None) => {
                    args.clear();
                    args.extend(terms.args(term).iter().map(|&arg| self.done[arg]));
                    let new = if terms.op(term).is_binder() && terms.args(term) != args {
                        let (vars, body) = args.split_at(args.len() - 1);
                        replace::rebind(terms, term, vars, body[0])
                    } else {
                        rebuild(terms, term, &args)
                    };
                    self.done.set(term, new);
                }
            }
        }
        self.done[root]
    }
}
