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
    /// How often a name was wished for.
    times: FxHashMap<String, u32>,
}

impl Names {
    /// The name, with a number behind it from the second time on.
    pub(crate) fn unique(&mut self, name: String) -> String {
        let times = self.times.entry(name.clone()).or_default();
        *times += 1;
        if *times > 1 { format!("{name}.{}", *times - 1) } else { name }
    }
}
