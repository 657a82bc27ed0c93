//! Walking and rewriting term graphs: free variables, replacement, unfolding of definitions.
//!
//! Everything works on the graph, not on the tree, with explicit stacks. Replacement under a binder renames the
//! bound variable when a replaced term would be caught by it.

use crate::op::Op;
use crate::term::{FunId, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

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
    let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
    let mut todo: Vec<(TermId, bool)> = roots.into_iter().map(|root| (root, false)).collect();
    todo.reverse();
    while let Some((term, ready)) = todo.pop() {
        if ready {
            order.push(term);
        } else if seen.insert(term) {
            todo.push((term, true));
            todo.extend(terms.args(term).iter().rev().map(|&arg| (arg, false)));
        }
    }
    order
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
    let mut seen = FxHashSet::default();
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
    unfold_with(terms, root, &mut FxHashMap::default())
}

/// The same for one of several terms that share much: `done` holds what was unfolded before, and is empty at first.
pub fn unfold_with(terms: &mut Terms, root: TermId, done: &mut FxHashMap<TermId, TermId>) -> TermId {
    let mut todo = vec![(root, false)];
    while let Some((term, ready)) = todo.pop() {
        if done.contains_key(&term) {
            continue;
        }
        let definition = terms.applied(term).filter(|&fun| terms.recursive_definition(fun).is_none());
        let definition =
            definition.and_then(|fun| terms.definition(fun).map(|(params, body)| (params.to_vec(), body)));
        if !ready {
            todo.push((term, true));
            todo.extend(terms.args(term).iter().map(|&arg| (arg, false)));
            todo.extend(definition.iter().map(|(_, body)| (*body, false)));
            continue;
        }
        let args: Vec<TermId> = terms.args(term).iter().map(|arg| done[arg]).collect();
        let new = match definition {
            Some((params, body)) if params.is_empty() => done[&body],
            Some((params, body)) => {
                let map = params.into_iter().zip(args).collect();
                replace(terms, done[&body], &map)
            }
            None if terms.op(term).is_binder() && terms.args(term) != args => {
                let (vars, body) = args.split_at(args.len() - 1);
                replace::rebind(terms, term, vars, body[0])
            }
            None => rebuild(terms, term, &args),
        };
        done.insert(term, new);
    }
    done[&root]
}
