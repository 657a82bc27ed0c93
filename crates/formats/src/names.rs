//! Names that nothing else has.

use rustc_hash::FxHashMap;
use smt::sort::SortId;
use smt::term::{TermId, Terms};

/// A bound variable with a name of its own, close to `wish`.
pub(crate) fn new_var(terms: &mut Terms, wish: &str, sort: SortId) -> TermId {
    let name = terms.unused_name(wish);
    let name = terms.names.intern(&name);
    terms.var(name, sort)
}

/// Makes names different. The store of terms does so too, but by trying one number after the other, and files may give one
/// name to thousands.
#[derive(Default)]
pub(crate) struct Names {
    /// The names that were given, with the last number that was put behind each.
    given: FxHashMap<String, u32>,
}

impl Names {
    /// The name, with a number behind it if it was given before.
    pub(crate) fn unique(&mut self, name: String) -> String {
        let Some(mut number) = self.given.get(&name).copied() else {
            self.given.insert(name.clone(), 0);
            return name;
        };
        let made = loop {
            number += 1;
            let made = format!("{name}.{number}");
            if !self.given.contains_key(&made) {
                break made;
            }
        };
        self.given.insert(name, number);
        self.given.insert(made.clone(), 0);
        made
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn made_names_are_given_once() {
        let mut names = Names::default();
        let made = ["a", "a", "a.1", "a.2", "a", "a.1"].map(|name| names.unique(name.to_owned()));
        assert_eq!(made, ["a", "a.1", "a.1.1", "a.2", "a.3", "a.1.2"]);
    }
}
