//! What shows that a property holds.

use smt::term::TermId;

/// Evidence for a property, to be checked by whoever wants to believe it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certificate {
    /// A formula over states and rigid symbols that holds at first, is kept by every step, and implies the property.
    Inductive(TermId),
}
