//! Clause variables as terms of a system.
//!
//! A variable that is an argument of an atom is a state variable, one that is defined by an equation is what it is defined
//! as, and only the rest become inputs. Replacement shares its work within a clause, so it is linear in the clause.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::subst::replace;
use smt::term::{TermId, Terms};

type Map = FxHashMap<TermId, TermId>;

/// Terms larger than this are not looked into for definitions, and not more than so many in all.
const LARGE: usize = 2000;
const MANY: usize = 400_000;

/// What the variables of a clause became.
#[derive(Default)]
pub(super) struct Images {
    vars: Map,
    done: Map,
}

impl Images {
    pub(super) fn get(&self, var: TermId) -> Option<TermId> {
        self.vars.get(&var).copied()
    }

    pub(super) fn set(&mut self, var: TermId, image: TermId) {
        self.vars.insert(var, image);
        self.done.insert(var, image);
    }

    /// The image of a term whose variables all have one.
    pub(super) fn of(&mut self, terms: &mut Terms, root: TermId) -> TermId {
        // Terms without variables are their own images and not remembered.
        if !terms.has_vars(root) {
            return root;
        }
        let (mut todo, mut args) = (vec![(root, false)], Vec::new());
        while let Some((term, ready)) = todo.pop() {
            if self.done.contains_key(&term) {
                continue;
            }
            if terms.op(term).is_binder() {
                let image = replace(terms, term, &self.vars);
                self.done.insert(term, image);
            } else if !ready {
                todo.push((term, true));
                let parts = terms.args(term).iter().filter(|&&arg| terms.has_vars(arg));
                todo.extend(parts.map(|&arg| (arg, false)));
            } else {
                args.clear();
                args.extend(terms.args(term).iter().map(|arg| self.done.get(arg).copied().unwrap_or(*arg)));
                let image = smt::subst::rebuild(terms, term, &args);
                self.done.insert(term, image);
            }
        }
        self.done[&root]
    }
}

/// Equations `x = t` among the constraints of a clause, by which variables can be put away.
pub(super) struct Definitions {
    /// Variable, term, position of the constraint, and how many variables of the term have no image yet.
    list: Vec<(TermId, TermId, usize, usize)>,
    /// The definitions that wait for a variable.
    waiting: FxHashMap<TermId, Vec<usize>>,
    ready: Vec<usize>,
    defined: FxHashSet<TermId>,
    /// The constraints that became definitions.
    pub(super) used: FxHashSet<usize>,
}

impl Definitions {
    /// The equations for variables without an image.
    pub(super) fn find(terms: &Terms, constraints: &[TermId], open: &FxHashSet<TermId>) -> Definitions {
        let mut found = Definitions {
            list: Vec::new(),
            waiting: FxHashMap::default(),
            ready: Vec::new(),
            defined: FxHashSet::default(),
            used: FxHashSet::default(),
        };
        let mut left = MANY;
        for (at, &constraint) in constraints.iter().enumerate() {
            let mut candidates = Vec::new();
            match (terms.op(constraint), terms.args(constraint)) {
                (Op::Eq, &[a, b]) => candidates.extend([(a, b), (b, a)]),
                (Op::Not, &[a]) => candidates.push((a, TermId::FALSE)),
                _ => candidates.push((constraint, TermId::TRUE)),
            }
            for (var, term) in candidates.into_iter().filter(|(var, _)| open.contains(var)) {
                let Some((needs, looked)) = variables(terms, term, LARGE.min(left)) else { continue };
                left -= looked;
                found.add(var, term, at, needs.into_iter().filter(|need| open.contains(need)).collect());
            }
        }
        found
    }

    fn add(&mut self, var: TermId, term: TermId, at: usize, needs: Vec<TermId>) {
        let position = self.list.len();
        self.list.push((var, term, at, needs.len()));
        self.defined.insert(var);
        if needs.is_empty() {
            self.ready.push(position);
        }
        for need in needs {
            self.waiting.entry(need).or_default().push(position);
        }
    }

    /// True when an equation could define the variable.
    pub(super) fn defines(&self, var: TermId) -> bool {
        self.defined.contains(&var)
    }

    /// A definition whose term has an image, for a variable that has none.
    pub(super) fn next(&mut self, images: &Images) -> Option<(TermId, TermId)> {
        while let Some(position) = self.ready.pop() {
            let (var, term, at, _) = self.list[position];
            if images.get(var).is_none() {
                self.used.insert(at);
                return Some((var, term));
            }
        }
        None
    }

    /// A variable has got an image.
    pub(super) fn resolved(&mut self, var: TermId) {
        for position in self.waiting.remove(&var).unwrap_or_default() {
            self.list[position].3 -= 1;
            if self.list[position].3 == 0 {
                self.ready.push(position);
            }
        }
    }
}

/// The variables below a term that has no binder, and how many terms were looked at; nothing if they are more than `limit`.
fn variables(terms: &Terms, root: TermId, limit: usize) -> Option<(Vec<TermId>, usize)> {
    let (mut todo, mut seen, mut found) = (vec![root], FxHashSet::default(), Vec::new());
    while let Some(term) = todo.pop() {
        if !terms.has_vars(term) || !seen.insert(term) {
            continue;
        }
        if seen.len() > limit || terms.op(term).is_binder() {
            return None;
        }
        if terms.variable(term).is_some() {
            found.push(term);
        }
        todo.extend(terms.args(term));
    }
    Some((found, seen.len()))
}
