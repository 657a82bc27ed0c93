//! Which subterms get a `let`, and where it stands.
//!
//! A *place* is the root or the body of one binder as it is printed. A subterm belongs to the innermost place
//! that binds one of its free variables, and to the root if it has none. Counted there, it is shared when it is
//! referred to twice. Shared terms of a place are put on levels, so that one `let` binds all that depend only
//! on earlier levels, and the text is no deeper than the graph.

use crate::term::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// A place where a `let` can stand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Place(u32);

impl Place {
    pub(super) const ROOT: Place = Place(0);
}

struct PlaceInfo {
    binder: Option<TermId>,
    parent: Place,
    /// Shared terms by level.
    levels: Vec<Vec<TermId>>,
}

/// The decisions for one term.
pub(super) struct Layout {
    places: Vec<PlaceInfo>,
    inner: FxHashMap<(TermId, Place), Place>,
    /// Position of a shared term's name, counted over all places.
    names: FxHashMap<(TermId, Place), u32>,
    free: FxHashMap<TermId, Vec<TermId>>,
    prefix: String,
}

enum Step {
    Visit(TermId, Place),
    Leave(TermId, Place),
}

impl Layout {
    pub(super) fn of(terms: &Terms, root: TermId) -> Self {
        let mut layout = Layout {
            places: vec![PlaceInfo { binder: None, parent: Place::ROOT, levels: Vec::new() }],
            inner: FxHashMap::default(),
            names: FxHashMap::default(),
            free: crate::subst::bound_free_sets(terms, root),
            prefix: "?".into(),
        };
        let (counts, order) = layout.count(terms, root);
        layout.assign(terms, &counts, &order);
        layout
    }

    /// Counts the references to each term at its place; also the terms in post-order.
    fn count(&mut self, terms: &Terms, root: TermId) -> (FxHashMap<(TermId, Place), u32>, Vec<(TermId, Place)>) {
        let mut counts: FxHashMap<(TermId, Place), u32> = FxHashMap::default();
        let (mut order, mut taken) = (Vec::new(), FxHashSet::default());
        let mut todo = vec![Step::Visit(root, Place::ROOT)];
        while let Some(step) = todo.pop() {
            let (term, from) = match step {
                Step::Leave(term, place) => {
                    order.push((term, place));
                    continue;
                }
                Step::Visit(term, from) => (term, from),
            };
            if terms.args(term).is_empty() {
                taken.extend(leaf_name(terms, term).filter(|name| name.starts_with('?')));
                continue;
            }
            let place = self.owner(terms, term, from);
            let count = counts.entry((term, place)).or_insert(0);
            *count += 1;
            if *count > 1 {
                continue;
            }
            todo.push(Step::Leave(term, place));
            if let Some(fun) = terms.applied(term) {
                taken.extend(Some(terms.fun_name(fun)).filter(|name| name.starts_with('?')));
            }
            if terms.op(term).is_binder() {
                let inner = self.open(term, place);
                todo.push(Step::Visit(terms.args(term)[terms.args(term).len() - 1], inner));
                let vars = &terms.args(term)[..terms.args(term).len() - 1];
                taken.extend(vars.iter().filter_map(|&v| leaf_name(terms, v)).filter(|name| name.starts_with('?')));
            } else {
                todo.extend(terms.args(term).iter().rev().map(|&arg| Step::Visit(arg, place)));
            }
        }
        while taken.iter().any(|name: &&str| name.starts_with(&self.prefix)) {
            self.prefix.push('?');
        }
        (counts, order)
    }

    fn open(&mut self, binder: TermId, parent: Place) -> Place {
        let place = Place(self.places.len() as u32);
        self.places.push(PlaceInfo { binder: Some(binder), parent, levels: Vec::new() });
        self.inner.insert((binder, parent), place);
        place
    }

    /// Levels and names for what is referred to more than once.
    fn assign(&mut self, terms: &Terms, counts: &FxHashMap<(TermId, Place), u32>, order: &[(TermId, Place)]) {
        // For each printed term: per place, one more than the highest level of a shared term at or below it. Only the
        // place it belongs to matters for `let`s there; terms of outer places are bound before, so they do not count.
        let mut height: FxHashMap<(TermId, Place, Place), u32> = FxHashMap::default();
        for &(term, place) in order {
            let binder = terms.op(term).is_binder();
            let from = if binder { self.inner[&(term, place)] } else { place };
            let children = if binder { &terms.args(term)[terms.args(term).len() - 1..] } else { terms.args(term) };
            let mut levels: Vec<(Place, u32)> = Vec::new();
            for &child in children {
                if terms.args(child).is_empty() {
                    continue;
                }
                let owner = self.owner(terms, child, from);
                let mut at = Some(place);
                while let Some(outer) = at {
                    let below = height.get(&(child, owner, outer)).copied().unwrap_or(0);
                    match levels.iter_mut().find(|l| l.0 == outer) {
                        Some(level) => level.1 = level.1.max(below),
                        None => levels.push((outer, below)),
                    }
                    let info = &self.places[outer.0 as usize];
                    at = info.binder.map(|_| info.parent);
                }
            }
            if counts[&(term, place)] > 1 {
                let level = levels.iter().find(|l| l.0 == place).map_or(0, |l| l.1);
                let all = &mut self.places[place.0 as usize].levels;
                all.resize(all.len().max(level as usize + 1), Vec::new());
                all[level as usize].push(term);
                self.names.insert((term, place), self.names.len() as u32 + 1);
                match levels.iter_mut().find(|l| l.0 == place) {
                    Some(entry) => entry.1 = level + 1,
                    None => levels.push((place, level + 1)),
                }
            }
            for (outer, level) in levels.into_iter().filter(|l| l.1 > 0) {
                height.insert((term, place, outer), level);
            }
        }
    }

    /// The place that a term belongs to when it is referred to from another.
    pub(super) fn owner(&self, terms: &Terms, term: TermId, from: Place) -> Place {
        let Some(free) = self.free.get(&term).filter(|free| !free.is_empty()) else { return Place::ROOT };
        let mut place = from;
        while let Some(binder) = self.places[place.0 as usize].binder {
            let vars = &terms.args(binder)[..terms.args(binder).len() - 1];
            if vars.iter().any(|var| free.contains(var)) {
                return place;
            }
            place = self.places[place.0 as usize].parent;
        }
        place
    }

    /// The place of a binder's body.
    pub(super) fn inner(&self, binder: TermId, place: Place) -> Place {
        self.inner[&(binder, place)]
    }

    /// The `let` name of a term, if it has one at that place.
    pub(super) fn name(&self, term: TermId, place: Place) -> Option<String> {
        self.names.get(&(term, place)).map(|n| format!("{}{n}", self.prefix))
    }

    /// The terms bound at a level of a place.
    pub(super) fn shared(&self, place: Place, level: u32) -> &[TermId] {
        self.places[place.0 as usize].levels.get(level as usize).map_or(&[], Vec::as_slice)
    }
}

fn leaf_name(terms: &Terms, term: TermId) -> Option<&str> {
    match terms.applied(term) {
        Some(fun) => Some(terms.fun_name(fun)),
        None => terms.variable(term).map(|name| terms.names.text(name)),
    }
}
