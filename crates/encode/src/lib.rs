//! Programs in other forms, each with its way back: what is found in the other form becomes evidence for the program.

pub mod horn;
pub mod one_loop;
pub mod prepare;
pub mod system;
