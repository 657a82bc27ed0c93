//! Changes of systems, one file each. Every pass has its way back: traces and invariants of what it makes become ones of what
//! it was given.

pub mod alternatives;
pub mod bitblast;
mod build;
pub mod cone;
pub mod core;
pub mod count;
pub mod degeneralise;
mod equations;
pub mod extended;
pub mod fixed;
pub mod functional;
pub mod horn;
pub mod int_width;
pub mod invar;
pub mod lasso;
pub mod ltl;
pub mod products;
pub mod rank;
pub(crate) mod rewrite;
pub mod safety;
pub mod smaller;
