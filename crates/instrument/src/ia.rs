//! The language of instrumentation automata, `.ia` (`docs/automata.md`): its words are those of C.

pub mod ast;
mod cast;
mod parse;
mod pattern;
mod text;
mod transition;

pub use parse::{Read, parse};
