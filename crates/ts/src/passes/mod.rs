//! Systems in other forms, each with its way back.

pub mod horn;
