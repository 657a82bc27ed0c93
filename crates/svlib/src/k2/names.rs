//! Names for the script: a K2 symbol may contain anything, an SV-LIB symbol may not.
//!
//! A name is kept if it can be, otherwise changed as little as possible; equal programs get equal names. Two
//! things of one scope never get the same name. A local name differs from all global ones, too, because in K2 a
//! local variable may hide a global one that a `define` still means.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::RESERVED;
use smt::scope::{Binding, Scope};
use smt::term::Terms;

/// Names that are in use.
#[derive(Default)]
pub(super) struct NameSet {
    used: FxHashSet<String>,
    /// The number to try next for a name that was taken.
    next: FxHashMap<String, u32>,
}

impl NameSet {
    /// Takes a name like `wanted` that is neither in use here nor `blocked`.
    pub(super) fn take(&mut self, wanted: &str, blocked: impl Fn(&str) -> bool) -> String {
        let wanted = clean(wanted);
        if !blocked(&wanted) && self.used.insert(wanted.clone()) {
            return wanted;
        }
        let next = self.next.entry(wanted.clone()).or_insert(1);
        loop {
            let name = format!("{wanted}~{next}");
            *next += 1;
            if !blocked(&name) && self.used.insert(name.clone()) {
                return name;
            }
        }
    }

    /// Takes a name of a namespace that has no words of SMT-LIB in it, such as that of tags.
    pub(super) fn take_plain(&mut self, wanted: &str) -> String {
        self.take(wanted, |name| RESERVED.contains(&name))
    }
}

/// The names of a script.
pub(super) struct Names {
    theories: Scope,
    globals: NameSet,
    /// All names that were ever given to something local. A global name that comes up late avoids them.
    locals: FxHashSet<String>,
}

impl Names {
    pub(super) fn new(terms: &mut Terms) -> Self {
        Self { theories: Scope::new(terms), globals: NameSet::default(), locals: FxHashSet::default() }
    }

    /// A name for a variable, procedure, sort or constructor of the whole script.
    pub(super) fn global(&mut self, terms: &Terms, wanted: &str) -> String {
        let (theories, locals) = (&self.theories, &self.locals);
        self.globals.take(wanted, |name| locals.contains(name) || is_known(theories, terms, name))
    }

    /// A name for a constant that no procedure sees.
    pub(super) fn constant(&mut self, terms: &Terms, wanted: &str) -> String {
        let theories = &self.theories;
        self.globals.take(wanted, |name| is_known(theories, terms, name))
    }

    /// A name for a parameter or local variable of the procedure that has the names `own`.
    pub(super) fn local(&mut self, terms: &Terms, own: &mut NameSet, wanted: &str) -> String {
        let (theories, globals) = (&self.theories, &self.globals.used);
        let name = own.take(wanted, |name| globals.contains(name) || is_known(theories, terms, name));
        self.locals.insert(name.clone());
        name
    }
}

/// True for the words of SMT-LIB and its theories, and for the two that SV-LIB adds to terms.
fn is_known(theories: &Scope, terms: &Terms, name: &str) -> bool {
    let bound = |id| theories.get(id) != Binding::None || theories.sort(id).is_some();
    RESERVED.contains(&name) || matches!(name, "at" | "old") || terms.names.find(name).is_some_and(bound)
}

/// `name` without what a symbol of SV-LIB cannot have: bars, backslashes and control characters anywhere, and
/// at the beginning the signs that SV-LIB (`#`) and SMT-LIB (`@`, `.`) keep for tools.
fn clean(name: &str) -> String {
    let mut text: String =
        name.chars().map(|c| if c.is_control() || matches!(c, '|' | '\\') { '_' } else { c }).collect();
    if text.is_empty() || text.starts_with(['#', '@', '.']) {
        text.insert(0, '_');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_where_they_can_be() {
        let mut terms = Terms::new();
        let mut names = Names::new(&mut terms);
        for (wanted, given) in [
            ("x", "x"),
            ("x", "x~1"),
            ("x~1", "x~1~1"),
            ("#x", "_#x"),
            ("_#x", "_#x~1"),
            (".x", "_.x"),
            ("", "_~1"),
            ("a|b\\c\n", "a_b_c_"),
            ("bvadd", "bvadd~1"),
            ("Int", "Int~1"),
            ("let", "let~1"),
            ("at", "at~1"),
            ("loop#1", "loop#1"),
        ] {
            assert_eq!(names.global(&terms, wanted), given);
        }
    }

    #[test]
    fn late_global_names_avoid_local_ones() {
        let mut terms = Terms::new();
        let mut names = Names::new(&mut terms);
        let mut own = NameSet::default();
        assert_eq!(names.global(&terms, "g"), "g");
        assert_eq!(names.local(&terms, &mut own, "g"), "g~1");
        assert_eq!(names.local(&terms, &mut own, "red"), "red");
        assert_eq!(names.global(&terms, "red"), "red~1");
        assert_eq!(names.constant(&terms, "red"), "red");
    }
}
