//! Which bound variables are free where, in sets that are shared and stay small.
//!
//! Variables that are always bound together are one *class*: the variables of a quantifier over five hundred are
//! one, not five hundred. A set holds classes, equal sets are stored once, and terms without variables have none,
//! so a large body costs a few bytes per term however many variables it has.

use crate::op::Op;
use crate::term::{TermId, Terms};
use base::id::IdSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// The classes of variables bound somewhere below a root, and where they are free.
pub(crate) struct FreeSets {
    classes: FxHashMap<TermId, u32>,
    sets: Sets,
    set_of: FxHashMap<TermId, u32>,
}

/// Sorted lists of classes, each stored once.
struct Sets {
    lists: Vec<Box<[u32]>>,
    ids: FxHashMap<Box<[u32]>, u32>,
    unions: FxHashMap<(u32, u32), u32>,
}

impl Sets {
    const EMPTY: u32 = 0;

    fn new() -> Self {
        Self { lists: vec![Box::new([])], ids: FxHashMap::default(), unions: FxHashMap::default() }
    }

    fn id(&mut self, list: Vec<u32>) -> u32 {
        if list.is_empty() {
            return Self::EMPTY;
        }
        let list = list.into_boxed_slice();
        if let Some(&id) = self.ids.get(&list) {
            return id;
        }
        let id = self.lists.len() as u32;
        self.lists.push(list.clone());
        self.ids.insert(list, id);
        id
    }

    fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == Self::EMPTY {
            return a;
        }
        if a == Self::EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&id) = self.unions.get(&key) {
            return id;
        }
        let mut list = self.lists[a as usize].to_vec();
        list.extend_from_slice(&self.lists[b as usize]);
        list.sort_unstable();
        list.dedup();
        let id = self.id(list);
        self.unions.insert(key, id);
        id
    }
}

impl FreeSets {
    /// The sets for all terms below `root`.
    pub(crate) fn of(terms: &Terms, root: TermId) -> Self {
        let mut free =
            FreeSets { classes: FxHashMap::default(), sets: Sets::new(), set_of: FxHashMap::default() };
        if !terms.has_binders(root) {
            return free;
        }
        let order = with_vars(terms, root);
        free.classes = classes(terms, &order);
        for &term in &order {
            let set = free.set(terms, term);
            free.set_of.insert(term, set);
        }
        free
    }

    /// The set of a term whose arguments have theirs.
    fn set(&mut self, terms: &Terms, term: TermId) -> u32 {
        if let Some(&class) = self.classes.get(&term) {
            return self.sets.id(vec![class]);
        }
        let args = terms.args(term);
        let of = |free: &Self, arg: &TermId| free.set_of.get(arg).copied().unwrap_or(Sets::EMPTY);
        if !terms.op(term).is_binder() {
            return args.iter().fold(Sets::EMPTY, |set, arg| {
                let more = of(self, arg);
                self.sets.union(set, more)
            });
        }
        let (vars, body) = args.split_at(args.len() - 1);
        let mut list = self.sets.lists[of(self, &body[0]) as usize].to_vec();
        list.retain(|class| !vars.iter().any(|var| self.classes.get(var) == Some(class)));
        self.sets.id(list)
    }

    /// The variables that are free in `root`, sorted.
    pub(crate) fn free_vars(&self, terms: &Terms, root: TermId) -> Vec<TermId> {
        // What no binder binds is free, and of each class that is free, what is met without crossing a binder of it.
        let unbound = |term: &TermId| terms.op(*term) == Op::Var && !self.classes.contains_key(term);
        let mut vars: Vec<TermId> = with_vars(terms, root).into_iter().filter(unbound).collect();
        for class in self.classes(root) {
            let (mut seen, mut todo) = (FxHashSet::default(), vec![root]);
            while let Some(term) = todo.pop() {
                if self.classes(term).contains(class) && seen.insert(term) {
                    todo.extend_from_slice(terms.args(term));
                    vars.extend(Some(term).filter(|_| terms.op(term) == Op::Var));
                }
            }
        }
        vars.sort_unstable();
        vars
    }

    /// The number of classes.
    pub(crate) fn count(&self) -> usize {
        self.classes.values().max().map_or(0, |&last| last as usize + 1)
    }

    /// The class of a variable that is bound somewhere.
    pub(crate) fn class(&self, var: TermId) -> Option<u32> {
        self.classes.get(&var).copied()
    }

    /// The classes with a variable that is free in `term`.
    pub(crate) fn classes(&self, term: TermId) -> &[u32] {
        self.set_of.get(&term).map_or(&[], |&set| &self.sets.lists[set as usize])
    }
}

/// The terms below `root` that have variables, children before parents.
fn with_vars(terms: &Terms, root: TermId) -> Vec<TermId> {
    let (mut order, mut seen, mut todo) = (Vec::new(), IdSet::new(), vec![(root, false)]);
    while let Some((term, ready)) = todo.pop() {
        if ready {
            order.push(term);
        } else if terms.has_vars(term) && seen.insert(term) {
            todo.push((term, true));
            todo.extend(terms.args(term).iter().map(|&arg| (arg, false)));
        }
    }
    order
}

/// Variables have one class when the same binders bind them.
fn classes(terms: &Terms, order: &[TermId]) -> FxHashMap<TermId, u32> {
    let mut lists: FxHashMap<&[TermId], u32> = FxHashMap::default();
    let mut bound: FxHashMap<TermId, Vec<u32>> = FxHashMap::default();
    for &binder in order.iter().filter(|&&term| terms.op(term).is_binder()) {
        let args = terms.args(binder);
        let vars = &args[..args.len() - 1];
        let (new, known) = (lists.len() as u32, lists.len());
        let list = *lists.entry(vars).or_insert(new);
        if lists.len() > known {
            vars.iter().for_each(|&var| bound.entry(var).or_default().push(list));
        }
    }
    let (mut ids, mut classes) = (FxHashMap::default(), FxHashMap::default());
    for &var in order.iter().filter(|&&term| terms.op(term) == Op::Var) {
        if let Some(binders) = bound.remove(&var) {
            let new = ids.len() as u32;
            classes.insert(var, *ids.entry(binders).or_insert(new));
        }
    }
    classes
}
