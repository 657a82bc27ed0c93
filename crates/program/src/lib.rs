//! A query as annotated control flow over SMT terms, and the conditions under which it is correct.
//!
//! [`Program`] is a `verify-call` with everything that it reaches: the code of procedures and the annotations at their
//! statements. [`conditions`] turns it into formulas. A loop or a statement with annotations is cut out and replaced by
//! what they say, so each procedure becomes code without cycles and a formula of linear size. Where no annotation is
//! known, a [`Root`] puts an unknown predicate in its place: then the same formulas are Horn clauses, and a solution of
//! them is the missing annotation. So the checker, the Horn encoding and every engine that guesses annotations agree on
//! what an annotation has to satisfy, because there is only one place that says it.

mod call;
mod contract;
mod graph;
mod layout;
mod liveness;
mod merge;
mod notes;
mod program;
mod rank;
mod vc;
mod walk;
mod ways;

pub use layout::Layout;
pub use liveness::{Need, Why, recurring_groups, unranked};
pub use notes::{Note, Notes, Origin};
pub use program::{EntryCall, Procedure, Program, ProgramError};
pub use rank::{descends, same};
pub use vc::{Conditions, Obligation, Place, Root, Roots, conditions, with_definitions};
pub use ways::{Cycles, Demand, Head, Ways, What, decided, ways};
