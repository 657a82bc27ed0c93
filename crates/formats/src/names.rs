//! Names that nothing else has.

use smt::sort::SortId;
use smt::term::{TermId, Terms};

/// A text close to `wish` that is no symbol of the store yet.
pub(crate) fn unused(terms: &Terms, wish: &str) -> String {
    let mut text = wish.to_owned();
    for i in 1.. {
        if terms.names.find(&text).is_none() {
            break;
        }
        text = format!("{wish}.{i}");
    }
    text
}

/// A bound variable with a name of its own, close to `wish`.
pub(crate) fn new_var(terms: &mut Terms, wish: &str, sort: SortId) -> TermId {
    let name = unused(terms, wish);
    let name = terms.names.intern(&name);
    terms.var(name, sort)
}
