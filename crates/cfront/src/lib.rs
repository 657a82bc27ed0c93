//! C as GNU C has it: lexer, parser, types, control-flow automata.
//!
//! [`parse`] reads a preprocessed translation unit and returns a [`ast::Unit`]: syntax with exact places, a type for every
//! expression, values of constants, and findings. It never fails; what could not be read is named in the findings.
//!
//! ```
//! let unit = cfront::parse(b"int main(void) { return sizeof(long) - 8u; }", 0, cfront::DataModel::Lp64);
//! assert!(!unit.is_bad());
//! assert_eq!(unit.functions.len(), 1);
//! ```

pub mod ast;
pub mod cfa;
mod lex;
mod lines;
mod literal;
mod model;
mod parse;
mod scope;
mod sema;
pub mod token;
pub mod types;
mod walk;

pub use lex::{Words, words};
pub use lines::{LineMap, Marker, needs_preprocessor};
pub use model::{DataModel, Layout};
pub use parse::{MAX_NESTING, parse};
