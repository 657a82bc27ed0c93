//! What shows that a property holds.

use smt::term::TermId;

/// Evidence for a property, to be checked by whoever wants to believe it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// A formula over states and rigid symbols that holds at first and is kept by every step.
    pub invariant: TermId,
    /// How many steps in a row have to satisfy the invariant and the property for the next one to satisfy the property: 0
    /// when the invariant alone implies it. The first so many steps of every execution satisfy the property.
    pub depth: usize,
}

impl Certificate {
    /// An inductive invariant that implies the property.
    #[must_use]
    pub fn inductive(invariant: TermId) -> Certificate {
        Certificate { invariant, depth: 0 }
    }
}
