//! Random SV-LIB programs, and an exact judge of them that shares no code with the product.
//!
//! A program is made as a tree ([`syntax`]) from a seed ([`generate`](mod@generate)) and printed as SV-LIB text
//! ([`print`]). [`judge`] decides by exhaustive exploration whether its properties hold: every value that is left open
//! is drawn from a small domain, which the program itself enforces by an `assume`, so the exploration is complete. It
//! reads the meaning of programs off `docs/semantics.md` a second time, on its own flat code, with its own evaluator:
//! what both sides get wrong in the same way would have to be misunderstood twice.

mod eval;
mod explore;
mod flat;
pub mod generate;
mod infinite;
mod print;
mod shrink;
pub mod syntax;
mod witness;

pub use explore::{Judgement, Limits, judge};
pub use generate::generate;
pub use shrink::smaller;
pub use witness::{exact_witness, random_witness};
