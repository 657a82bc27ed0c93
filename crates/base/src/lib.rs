//! What every crate shares and no crate owns: typed ids, tables keyed by them, the string interner, budgets,
//! components of graphs.
//!
//! Nothing here knows about terms, programs or files.

pub mod budget;
pub mod clock;
pub mod graph;
pub mod hash;
pub mod id;
pub mod intern;
