//! What shows that a property holds.

use smt::term::TermId;

/// The system and the invariant that a certificate is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// The system itself, and the property is an invariant.
    None,
    /// The system that looks for loops ([`crate::passes::lasso`]), and the property is a live one.
    Lasso,
    /// The system that counts ([`crate::passes::count`]), up to this bound, and the property is a live one.
    Count(usize),
    /// The system that remembers a ranking function ([`crate::passes::rank`]) with these components, and the property is a
    /// live one.
    Rank(Vec<TermId>),
}

/// Evidence for a property, to be checked by whoever wants to believe it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// What the rest is about.
    pub reduction: Reduction,
    /// A formula that every step of every execution satisfies, over states, inputs and rigid symbols. Where it speaks of
    /// inputs it is about those that the step has, whatever they are.
    pub invariant: TermId,
    /// How many steps in a row have to satisfy invariant and property for the next one to satisfy both; the first so many steps
    /// of every execution satisfy both. With 0 the invariant holds at first, every step keeps it, and it implies the property.
    pub depth: usize,
}

impl Certificate {
    /// An inductive invariant that implies the property.
    #[must_use]
    pub fn inductive(invariant: TermId) -> Certificate {
        Certificate { reduction: Reduction::None, invariant, depth: 0 }
    }
}
