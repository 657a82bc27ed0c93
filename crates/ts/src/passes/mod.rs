//! Systems in other forms, each with its way back.

mod build;
pub mod core;
pub mod count;
pub mod degeneralise;
pub mod extended;
pub mod horn;
pub mod invar;
pub mod lasso;
pub mod ltl;
