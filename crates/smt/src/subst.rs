//! Walking and rewriting term graphs: free variables, replacement, unfolding of definitions.
//!
//! Everything is linear in the size of the graph and works with explicit stacks. Replacement under a binder
//! renames the bound variable when a replaced term would be caught by it.

use crate::op::Op;
use crate::sort::SortId;
use crate::term::{FunId, TermId, Terms};
use base::id::Id;
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) mod free;

/// All terms below `root`, children before parents, each once.
#[must_use]
pub fn postorder(terms: &Terms, root: TermId) -> Vec<TermId> {
    let (mut order, mut seen, mut todo) = (Vec::new(), FxHashSet::default(), vec![(root, false)]);
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

/// The free bound-variables (formal parameters included) of every term below `root`.
fn free_sets(terms: &Terms, root: TermId) -> FxHashMap<TermId, Vec<TermId>> {
    let mut sets: FxHashMap<TermId, Vec<TermId>> = FxHashMap::default();
    for term in postorder(terms, root) {
        let args = terms.args(term);
        let mut set: Vec<TermId> = match terms.op(term) {
            Op::Var => vec![term],
            op if op.is_binder() => {
                let (vars, body) = args.split_at(args.len() - 1);
                sets[&body[0]].iter().copied().filter(|v| !vars.contains(v)).collect()
            }
            _ => args.iter().flat_map(|arg| sets[arg].iter().copied()).collect(),
        };
        set.sort_unstable();
        set.dedup();
        sets.insert(term, set);
    }
    sets
}

/// The free bound-variables of `root`, sorted.
#[must_use]
pub fn free_vars(terms: &Terms, root: TermId) -> Vec<TermId> {
    free_sets(terms, root).remove(&root).unwrap_or_default()
}

/// True when no bound variable or formal parameter is free in `root`.
#[must_use]
pub fn is_closed(terms: &Terms, root: TermId) -> bool {
    !terms.has_vars(root) || free_vars(terms, root).is_empty()
}

/// `root` with terms replaced. Keys are variables, constants or whole subterms; a bound occurrence of a variable
/// is left alone.
pub fn replace(terms: &mut Terms, root: TermId, map: &FxHashMap<TermId, TermId>) -> TermId {
    if map.is_empty() {
        return root;
    }
    let has_binder = postorder(terms, root).iter().any(|&t| terms.op(t).is_binder());
    if !has_binder {
        return replace_flat(terms, root, map);
    }
    replace_binders(terms, root, map)
}

fn rebuild(terms: &mut Terms, term: TermId, args: &[TermId]) -> TermId {
    if terms.args(term) == args {
        return term;
    }
    let node = *terms.node(term);
    // Sorts stay what they were, so the node is well-sorted without another check.
    terms.raw(node.op, node.payload, node.sort, args)
}

fn replace_flat(terms: &mut Terms, root: TermId, map: &FxHashMap<TermId, TermId>) -> TermId {
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    for term in postorder(terms, root) {
        let new = match map.get(&term) {
            Some(&new) => new,
            None => {
                let args: Vec<TermId> = terms.args(term).iter().map(|arg| done[arg]).collect();
                rebuild(terms, term, &args)
            }
        };
        done.insert(term, new);
    }
    done[&root]
}

/// A replacement that is under way below a chain of binders.
struct Layer {
    /// What is replaced here; binders take their variables out and put renamed ones in.
    map: FxHashMap<TermId, TermId>,
    done: FxHashMap<TermId, TermId>,
}

enum Step {
    Visit(TermId),
    Build(TermId),
    Leave { binder: TermId, vars: Vec<TermId> },
}

fn replace_binders(terms: &mut Terms, root: TermId, map: &FxHashMap<TermId, TermId>) -> TermId {
    let free = free_sets(terms, root);
    let mut layers = vec![Layer { map: map.clone(), done: FxHashMap::default() }];
    let mut todo = vec![Step::Visit(root)];
    while let Some(step) = todo.pop() {
        let top = layers.len() - 1;
        match step {
            Step::Visit(term) => {
                if layers[top].done.contains_key(&term) {
                    continue;
                }
                if let Some(&new) = layers[top].map.get(&term) {
                    layers[top].done.insert(term, new);
                } else if terms.op(term).is_binder() {
                    let (layer, vars) = enter(terms, &layers[top], term, &free);
                    layers.push(layer);
                    todo.push(Step::Leave { binder: term, vars });
                    todo.push(Step::Visit(terms.args(term)[terms.args(term).len() - 1]));
                } else {
                    todo.push(Step::Build(term));
                    todo.extend(terms.args(term).iter().map(|&arg| Step::Visit(arg)));
                }
            }
            Step::Build(term) => {
                let args: Vec<TermId> = terms.args(term).iter().map(|arg| layers[top].done[arg]).collect();
                let new = rebuild(terms, term, &args);
                layers[top].done.insert(term, new);
            }
            Step::Leave { binder, mut vars } => {
                let body = terms.args(binder)[vars.len()];
                if let Some(layer) = layers.pop() {
                    vars.push(layer.done[&body]);
                    let new = rebuild(terms, binder, &vars);
                    layers[top - 1].done.insert(binder, new);
                }
            }
        }
    }
    layers[0].done[&root]
}

/// The replacement inside a binder: without its variables, and with new names for those that would catch
/// something.
fn enter(
    terms: &mut Terms,
    outer: &Layer,
    binder: TermId,
    free: &FxHashMap<TermId, Vec<TermId>>,
) -> (Layer, Vec<TermId>) {
    let args = terms.args(binder).to_vec();
    let (vars, body) = args.split_at(args.len() - 1);
    let mut map: FxHashMap<TermId, TermId> = outer.map.clone();
    for var in vars {
        map.remove(var);
    }
    // Keys that are variables matter only when they are free in the body; other keys always may.
    let used = |key: &TermId| terms.op(*key) != Op::Var || free[&body[0]].contains(key);
    let incoming: Vec<TermId> = map.iter().filter(|(key, _)| used(key)).map(|(_, &value)| value).collect();
    let mut names: FxHashSet<(u32, bool)> = FxHashSet::default();
    for value in incoming {
        for term in postorder(terms, value) {
            names.extend(written_name(terms, term));
        }
    }
    let mut new_vars = Vec::new();
    for &var in vars {
        let Some(name) = terms.variable(var) else { continue };
        if !names.iter().any(|n| n.0 == name.index() as u32) {
            new_vars.push(var);
            continue;
        }
        let fresh = fresh_var(terms, var, &mut names);
        map.insert(var, fresh);
        new_vars.push(fresh);
    }
    (Layer { map, done: FxHashMap::default() }, new_vars)
}

/// The name that a leaf is written with.
fn written_name(terms: &Terms, term: TermId) -> Option<(u32, bool)> {
    match terms.op(term) {
        Op::Var => terms.variable(term).map(|name| (name.index() as u32, true)),
        Op::App if terms.args(term).is_empty() => {
            terms.applied(term).map(|fun| (terms.fun(fun).name.index() as u32, false))
        }
        _ => None,
    }
}

fn fresh_var(terms: &mut Terms, var: TermId, names: &mut FxHashSet<(u32, bool)>) -> TermId {
    let (sort, text): (SortId, String) = match terms.variable(var) {
        Some(name) => (terms.sort(var), terms.names.text(name).to_string()),
        None => return var,
    };
    for n in 1.. {
        let name = terms.names.intern(&format!("{text}!{n}"));
        if !names.iter().any(|known| known.0 == name.index() as u32) {
            names.insert((name.index() as u32, true));
            return terms.var(name, sort);
        }
    }
    var
}

/// `root` with all defined functions (not the recursive ones) unfolded.
pub fn unfold(terms: &mut Terms, root: TermId) -> TermId {
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut todo = vec![(root, false)];
    while let Some((term, ready)) = todo.pop() {
        if done.contains_key(&term) {
            continue;
        }
        let definition = terms.applied(term).filter(|&fun| terms.recursive_definition(fun).is_none());
        let definition = definition.and_then(|fun| terms.definition(fun).map(|(params, body)| (params.to_vec(), body)));
        if !ready {
            todo.push((term, true));
            todo.extend(terms.args(term).iter().map(|&arg| (arg, false)));
            todo.extend(definition.iter().map(|(_, body)| (*body, false)));
            continue;
        }
        let args: Vec<TermId> = terms.args(term).iter().map(|arg| done[arg]).collect();
        let new = match definition {
            Some((params, body)) => {
                let map = params.into_iter().zip(args).collect();
                replace(terms, done[&body], &map)
            }
            None => rebuild(terms, term, &args),
        };
        done.insert(term, new);
    }
    done[&root]
}
