//! Replacement of terms, with new names for bound variables that would otherwise catch something.

use super::{free_vars, postorder, rebuild};
use crate::op::Op;
use crate::term::{Role, TermId, Terms};
use base::id::IdPages;
use base::intern::SymbolId;
use rustc_hash::{FxHashMap, FxHashSet};

type Map = FxHashMap<TermId, TermId>;

/// `root` with terms replaced, all at once. Keys are variables, constants or whole subterms; an occurrence in which a
/// variable is bound is left alone. What a binder would catch makes it use another name.
pub fn replace(terms: &mut Terms, root: TermId, map: &Map) -> TermId {
    if map.is_empty() {
        return root;
    }
    let order = postorder(terms, root);
    if !terms.has_binders(root) {
        return replace_plainly(terms, &order, map).unwrap_or(root);
    }
    let mut touched: FxHashSet<TermId> = FxHashSet::default();
    for &term in &order {
        if map.contains_key(&term) || terms.args(term).iter().any(|arg| touched.contains(arg)) {
            touched.insert(term);
        }
    }
    if !touched.contains(&root) {
        return root;
    }
    if order.iter().any(|term| touched.contains(term) && terms.op(*term).is_binder()) {
        return Replacing::new(terms, map, touched).run(root);
    }
    let mut done = Map::default();
    for term in order.into_iter().filter(|term| touched.contains(term)) {
        let new = map.get(&term).copied().unwrap_or_else(|| rebuild_with(terms, term, &done));
        done.insert(term, new);
    }
    done[&root]
}

/// The last of some terms, each after those that it is made of, with terms replaced; none if that changes nothing.
fn replace_plainly(terms: &mut Terms, order: &[TermId], map: &Map) -> Option<TermId> {
    // What stays as it is has no entry.
    let (mut done, mut args) = (IdPages::new(None), Vec::new());
    let mut last = None;
    for &term in order {
        last = map.get(&term).copied();
        if last.is_none() && terms.args(term).iter().any(|&arg| done[arg].is_some()) {
            args.clear();
            args.extend(terms.args(term).iter().map(|&arg| done[arg].unwrap_or(arg)));
            last = Some(rebuild(terms, term, &args));
        }
        if last.is_some() {
            *done.entry(term) = last;
        }
    }
    last
}

/// A term whose arguments are done; what is not in `done` stays as it is.
fn rebuild_with(terms: &mut Terms, term: TermId, done: &Map) -> TermId {
    let args: Vec<TermId> =
        terms.args(term).iter().map(|arg| done.get(arg).copied().unwrap_or(*arg)).collect();
    rebuild(terms, term, &args)
}

/// A replacement below binders.
struct Replacing<'a> {
    terms: &'a mut Terms,
    /// The terms that have a key at or below them; all others stay as they are.
    touched: FxHashSet<TermId>,
    /// For each name, the keys whose values are written with it.
    written: FxHashMap<SymbolId, Vec<TermId>>,
    /// The free variables of the keys that have any.
    key_vars: FxHashMap<TermId, Vec<TermId>>,
    /// What is replaced at the root and in the bodies of the open binders.
    layers: Vec<Layer>,
}

struct Layer {
    map: Map,
    done: Map,
    /// True below a binder that uses another name: then more is touched than has a key.
    renamed: bool,
}

enum Step {
    Visit(TermId),
    Build(TermId),
    Leave { binder: TermId, vars: Vec<TermId> },
}

impl<'a> Replacing<'a> {
    fn new(terms: &'a mut Terms, map: &Map, touched: FxHashSet<TermId>) -> Self {
        let mut written: FxHashMap<SymbolId, Vec<TermId>> = FxHashMap::default();
        let mut key_vars = FxHashMap::default();
        for (&key, &value) in map {
            for name in names(terms, value) {
                written.entry(name).or_default().push(key);
            }
            if terms.has_vars(key) {
                key_vars.insert(key, free_vars(terms, key));
            }
        }
        let layers = vec![Layer { map: map.clone(), done: Map::default(), renamed: false }];
        Self { terms, touched, written, key_vars, layers }
    }

    fn run(mut self, root: TermId) -> TermId {
        let mut todo = vec![Step::Visit(root)];
        while let Some(step) = todo.pop() {
            match step {
                Step::Visit(term) => self.visit(term, &mut todo),
                Step::Build(term) => {
                    let top = self.layers.len() - 1;
                    let new = rebuild_with(self.terms, term, &self.layers[top].done);
                    self.layers[top].done.insert(term, new);
                }
                Step::Leave { binder, mut vars } => {
                    let body = self.terms.args(binder)[vars.len()];
                    let Some(layer) = self.layers.pop() else { continue };
                    vars.push(layer.done.get(&body).copied().unwrap_or(body));
                    let new = rebuild(self.terms, binder, &vars);
                    if let Some(outer) = self.layers.last_mut() {
                        outer.done.insert(binder, new);
                    }
                }
            }
        }
        self.layers[0].done.get(&root).copied().unwrap_or(root)
    }

    fn visit(&mut self, term: TermId, todo: &mut Vec<Step>) {
        let top = self.layers.len() - 1;
        let layer = &mut self.layers[top];
        if layer.done.contains_key(&term) {
            return;
        }
        if let Some(&new) = layer.map.get(&term) {
            layer.done.insert(term, new);
        } else if !(self.touched.contains(&term) || layer.renamed && self.terms.has_vars(term)) {
            layer.done.insert(term, term);
        } else if self.terms.op(term).is_binder() {
            let (layer, vars) = self.enter(term);
            self.layers.push(layer);
            todo.push(Step::Leave { binder: term, vars });
            todo.push(Step::Visit(self.terms.args(term)[self.terms.args(term).len() - 1]));
        } else {
            todo.push(Step::Build(term));
            todo.extend(self.terms.args(term).iter().map(|&arg| Step::Visit(arg)));
        }
    }

    /// The replacement inside a binder, and its variables.
    fn enter(&mut self, binder: TermId) -> (Layer, Vec<TermId>) {
        let args = self.terms.args(binder).to_vec();
        let (vars, body) = args.split_at(args.len() - 1);
        let Layer { map, renamed, .. } = &self.layers[self.layers.len() - 1];
        let (mut map, mut renamed) = (map.clone(), *renamed);
        // Inside, these variables are others.
        map.retain(|key, _| {
            !self.key_vars.get(key).is_some_and(|free| free.iter().any(|var| vars.contains(var)))
        });
        for var in vars {
            map.remove(var);
        }
        let mut new_vars = vars.to_vec();
        for (i, &var) in vars.iter().enumerate() {
            let Some(name) = self.terms.variable(var) else { continue };
            if self.catches(&map, body[0], name) {
                let fresh = self.fresh(name, &[vars, &new_vars].concat(), body[0]);
                new_vars[i] = self.terms.var(fresh, self.terms.sort(var));
                map.insert(var, new_vars[i]);
                self.key_vars.insert(var, vec![var]);
                self.written.entry(fresh).or_default().push(var);
                renamed = true;
            }
        }
        (Layer { map, done: Map::default(), renamed }, new_vars)
    }

    /// True when a term that is written with the name comes into the body.
    fn catches(&self, map: &Map, body: TermId, name: SymbolId) -> bool {
        let Some(keys) = self.written.get(&name) else { return false };
        let keys: Vec<TermId> = keys.iter().copied().filter(|key| map.contains_key(key)).collect();
        !keys.is_empty() && postorder(self.terms, body).iter().any(|term| keys.contains(term))
    }

    /// A name like `name` that is written nowhere in the body or in what comes into it.
    fn fresh(&mut self, name: SymbolId, vars: &[TermId], body: TermId) -> SymbolId {
        let mut taken: FxHashSet<SymbolId> = names(self.terms, body).collect();
        taken.extend(vars.iter().filter_map(|&var| self.terms.variable(var)));
        fresh_name(self.terms, name, |name| taken.contains(&name) || self.written.contains_key(&name))
    }
}

/// A name made from another one, that is not taken.
fn fresh_name(terms: &mut Terms, name: SymbolId, taken: impl Fn(SymbolId) -> bool) -> SymbolId {
    let text = terms.names.text(name).to_string();
    let mut number = 1;
    loop {
        let fresh = terms.names.intern(&format!("{text}!{number}"));
        if !taken(fresh) {
            return fresh;
        }
        number += 1;
    }
}

/// A binder for a body into which functions came that may be written like its variables; those get other names.
pub(super) fn rebind(terms: &mut Terms, binder: TermId, vars: &[TermId], body: TermId) -> TermId {
    let (mut args, mut map) = (vars.to_vec(), Map::default());
    let applied: FxHashSet<SymbolId> = applied_names(terms, body).collect();
    if vars.iter().any(|&var| terms.variable(var).is_some_and(|name| applied.contains(&name))) {
        let mut taken: FxHashSet<SymbolId> = names(terms, body).collect();
        for (arg, &var) in args.iter_mut().zip(vars) {
            let Some(name) = terms.variable(var).filter(|name| applied.contains(name)) else { continue };
            let fresh = fresh_name(terms, name, |name| taken.contains(&name));
            taken.insert(fresh);
            *arg = terms.var(fresh, terms.sort(var));
            map.insert(var, *arg);
        }
    }
    args.push(replace(terms, body, &map));
    rebuild(terms, binder, &args)
}

/// All names that a term is written with, more than once perhaps.
fn names(terms: &Terms, root: TermId) -> impl Iterator<Item = SymbolId> {
    let variables = postorder(terms, root).into_iter().filter_map(|term| terms.variable(term));
    variables.chain(applied_names(terms, root))
}

/// The names of functions and operators, more than once perhaps.
fn applied_names(terms: &Terms, root: TermId) -> impl Iterator<Item = SymbolId> {
    postorder(terms, root).into_iter().filter_map(|term| {
        match terms.applied(term).map(|fun| terms.fun(fun)) {
            Some(fun) => Some(fun.name).filter(|_| !matches!(fun.role, Role::Tester(_))),
            None if terms.op(term) == Op::Var => None,
            None => terms.names.find(terms.op(term).name()),
        }
    })
}
