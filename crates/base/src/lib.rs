//! What every crate shares and no crate owns: typed ids, tables keyed by them, and the string interner.
//!
//! Nothing here knows about terms, programs or files.

pub mod hash;
pub mod id;
pub mod intern;
