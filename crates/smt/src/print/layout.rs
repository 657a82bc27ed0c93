//! Which subterms get a `let`, and where it stands.
//!
//! A *place* is the root or the body of one binder as it is printed. A subterm belongs to the innermost place
//! that binds one of its free variables, and to the root if it has none. Counted there, it is shared when it is
//! referred to twice. Shared terms of a place are put on levels, so that one `let` binds all that depend only
//! on earlier levels, and the text is no deeper than the graph.
//!
//! All walks visit a term once for each place it belongs to, in time proportional to the printed text.

use crate::subst::free::FreeSets;
use crate::term::{Const, TermId, Terms};
use base::id::IdPages;
use dashu_int::ops::BitTest;
use rustc_hash::{FxHashMap, FxHashSet};

/// A place where a `let` can stand. An inner place has a larger number than those around it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Place(u32);

impl Place {
    pub(super) const ROOT: Place = Place(0);
}

/// Where a walk is: which places are open.
pub(super) struct Cursor<'a> {
    pub(super) terms: &'a Terms,
    free: &'a FreeSets,
    /// For each class of variables the places that bind it, innermost last.
    open: Vec<Vec<Place>>,
}

impl<'a> Cursor<'a> {
    fn new(terms: &'a Terms, free: &'a FreeSets) -> Self {
        Self { terms, free, open: vec![Vec::new(); free.count()] }
    }

    /// The place that a term belongs to when it is referred to here.
    pub(super) fn owner(&self, term: TermId) -> Place {
        let innermost = |&class: &u32| self.open[class as usize].last().copied();
        self.free.classes(term).iter().filter_map(innermost).max().unwrap_or(Place::ROOT)
    }

    /// The classes that a binder binds. Variables of one class stand side by side in most binders.
    fn bound(&self, binder: TermId) -> Vec<u32> {
        let args = self.terms.args(binder);
        let mut classes: Vec<u32> =
            args[..args.len() - 1].iter().filter_map(|&var| self.free.class(var)).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }

    /// Goes into the body of a binder, whose place is given.
    pub(super) fn enter(&mut self, binder: TermId, inner: Place) {
        for class in self.bound(binder) {
            self.open[class as usize].push(inner);
        }
    }

    /// Comes back from the body of a binder.
    pub(super) fn leave(&mut self, binder: TermId) {
        for class in self.bound(binder) {
            self.open[class as usize].pop();
        }
    }
}

/// What is known about a term at its place.
#[derive(Clone, Copy)]
struct Entry {
    /// How often it is referred to.
    count: u32,
    /// Once it is finished: one more than the highest level at or below it, among the terms of its place.
    height: u32,
    /// The number in its `let` name, or 0.
    name: u32,
    /// For a binder: the place of its body.
    inner: Place,
}

/// The height of a term that is not finished.
const UNFINISHED: u32 = u32::MAX;

/// A term before it is referred to.
const NEW: Entry = Entry { count: 0, height: UNFINISHED, name: 0, inner: Place::ROOT };

/// The decisions for one term.
pub(super) struct Layout {
    free: FreeSets,
    /// The entries of terms at the root, which is where nearly all terms are; not referred to means that there is none.
    outer: IdPages<TermId, Entry>,
    /// Those at other places.
    inner: FxHashMap<(TermId, Place), Entry>,
    /// Shared terms by place and level.
    levels: Vec<Vec<Vec<TermId>>>,
    prefix: String,
}

enum Step {
    Visit(TermId),
    Done(TermId, Place),
}

impl Layout {
    pub(super) fn of(terms: &Terms, root: TermId) -> Self {
        let free = FreeSets::of(terms, root);
        let mut layout = Layout {
            free,
            outer: IdPages::new(NEW),
            inner: FxHashMap::default(),
            levels: vec![Vec::new()],
            prefix: "?".into(),
        };
        layout.count(terms, root);
        layout.assign(terms, root);
        layout
    }

    /// What is known about a term at a place.
    fn entry(&self, term: TermId, place: Place) -> Option<&Entry> {
        match place {
            Place::ROOT => Some(&self.outer[term]).filter(|entry| entry.count > 0),
            _ => self.inner.get(&(term, place)),
        }
    }

    /// A cursor at the root.
    pub(super) fn cursor<'a>(&'a self, terms: &'a Terms) -> Cursor<'a> {
        Cursor::new(terms, &self.free)
    }

    /// Counts the references to each term at its place, opens places, and finds a prefix for names.
    fn count(&mut self, terms: &Terms, root: TermId) {
        let mut cursor = Cursor::new(terms, &self.free);
        let mut taken: FxHashSet<&str> = FxHashSet::default();
        let mut todo = vec![Step::Visit(root)];
        while let Some(step) = todo.pop() {
            let term = match step {
                Step::Visit(term) => term,
                Step::Done(binder, _) => {
                    cursor.leave(binder);
                    continue;
                }
            };
            taken.extend(written_name(terms, term).filter(|name| name.starts_with('?')));
            if !is_shareable(terms, term) {
                continue;
            }
            let place = cursor.owner(term);
            let entry = match place {
                Place::ROOT => self.outer.entry(term),
                _ => self.inner.entry((term, place)).or_insert(NEW),
            };
            entry.count += 1;
            if entry.count > 1 {
                continue;
            }
            let args = terms.args(term);
            if terms.op(term).is_binder() {
                entry.inner = Place(self.levels.len() as u32);
                self.levels.push(Vec::new());
                cursor.enter(term, entry.inner);
                todo.push(Step::Done(term, place));
                let (vars, body) = args.split_at(args.len() - 1);
                taken.extend(
                    vars.iter()
                        .filter_map(|&var| written_name(terms, var))
                        .filter(|name| name.starts_with('?')),
                );
                todo.push(Step::Visit(body[0]));
            } else {
                todo.extend(args.iter().rev().map(|&arg| Step::Visit(arg)));
            }
        }
        while taken.iter().any(|name| name.starts_with(&self.prefix)) {
            self.prefix.push('?');
        }
    }

    /// Levels and names for what is referred to more than once.
    fn assign(&mut self, terms: &Terms, root: TermId) {
        let mut cursor = Cursor::new(terms, &self.free);
        // The heights so far of the unfinished terms of each place, outermost first. What is finished counts for the
        // last of them, also across binders: the terms of an inner place lie all below it.
        let mut open: Vec<Vec<u32>> = vec![Vec::new(); self.levels.len()];
        let (mut todo, mut names) = (vec![Step::Visit(root)], 0);
        while let Some(step) = todo.pop() {
            let (place, height) = match step {
                Step::Visit(term) => {
                    let place = cursor.owner(term);
                    let Some(entry) = self.entry(term, place) else { continue };
                    if entry.height == UNFINISHED {
                        open[place.0 as usize].push(0);
                        todo.push(Step::Done(term, place));
                        let mut args = terms.args(term);
                        if terms.op(term).is_binder() {
                            cursor.enter(term, entry.inner);
                            args = &args[args.len() - 1..];
                        }
                        todo.extend(args.iter().rev().map(|&arg| Step::Visit(arg)));
                        continue;
                    }
                    (place, entry.height)
                }
                Step::Done(term, place) => {
                    if terms.op(term).is_binder() {
                        cursor.leave(term);
                    }
                    let mut height = open[place.0 as usize].pop().unwrap_or(0);
                    let entry = match place {
                        Place::ROOT => self.outer.entry(term),
                        _ => self.inner.entry((term, place)).or_insert(NEW),
                    };
                    if entry.count > 1 {
                        let levels = &mut self.levels[place.0 as usize];
                        levels.resize(levels.len().max(height as usize + 1), Vec::new());
                        levels[height as usize].push(term);
                        names += 1;
                        entry.name = names;
                        height += 1;
                    }
                    entry.height = height;
                    (place, height)
                }
            };
            if let Some(above) = open[place.0 as usize].last_mut() {
                *above = height.max(*above);
            }
        }
    }

    /// The place of a binder's body.
    pub(super) fn inner(&self, binder: TermId, place: Place) -> Place {
        self.entry(binder, place).map_or(Place::ROOT, |entry| entry.inner)
    }

    /// Appends the `let` name of a term; false if it has none at that place.
    pub(super) fn write_name(&self, out: &mut String, term: TermId, place: Place) -> bool {
        let name = self.entry(term, place).map_or(0, |entry| entry.name);
        if name > 0 {
            out.push_str(&self.prefix);
            super::write_number(out, u64::from(name));
        }
        name > 0
    }

    /// The terms bound at a level of a place.
    pub(super) fn shared(&self, place: Place, level: u32) -> &[TermId] {
        self.levels[place.0 as usize].get(level as usize).map_or(&[], Vec::as_slice)
    }
}

/// True for what is worth a name when it is referred to twice: everything but short leaves.
fn is_shareable(terms: &Terms, term: TermId) -> bool {
    const LONG: usize = 64;
    !terms.args(term).is_empty()
        || match terms.literal(term) {
            Some(Const::Nat(value) | Const::Bits(_, value)) => value.bit_len() > 3 * LONG,
            Some(Const::Str(text)) => text.len() > LONG,
            Some(Const::Decimal(value)) => value.numerator().bit_len() > 3 * LONG,
            _ => false,
        }
}

/// The symbol that a term is written with, if it is one.
fn written_name(terms: &Terms, term: TermId) -> Option<&str> {
    match terms.applied(term) {
        Some(fun) => Some(terms.fun_name(fun)),
        None => terms.variable(term).map(|name| terms.names.text(name)),
    }
}
