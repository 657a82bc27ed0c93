//! Changes of systems, one file each. Every pass has its way back: traces and invariants of what it makes become ones of what
//! it was given.

pub mod bitblast;
pub mod functional;
pub mod int_width;
mod rewrite;
