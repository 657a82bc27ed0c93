//! Systems in other forms, each with its way back.

mod build;
pub mod count;
pub mod horn;
pub mod lasso;
