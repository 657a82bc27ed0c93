//! Constrained Horn clauses.

use crate::term::{FunId, TermId};

/// Constrained Horn clauses over uninterpreted predicates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HornProblem {
    /// The predicates to be found, functions with result Bool.
    pub predicates: Vec<FunId>,
    /// Closed formulas `(forall (x …) (=> body head))`. A head without predicates makes the clause a goal: it
    /// must not be violated.
    pub clauses: Vec<TermId>,
}
