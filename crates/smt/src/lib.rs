//! The SMT-LIB 2.7 kernel that every language of Svarog stands on.
//!
//! Text goes through three stages: [`sexpr`] reads one command at a time into a flat tree with byte spans,
//! [`parse`] checks it against a [`scope::Scope`] and builds hash-consed, well-sorted terms in a
//! [`term::Terms`] store, [`print`] turns them back into text. One operator table ([`op`]) feeds parser,
//! sort checker, printer and the concrete evaluator ([`eval`]).
//!
//! Nothing here does input or output, and nothing recurses on the depth of its input.

pub mod check;
pub mod eval;
pub mod horn;
pub mod isolate;
pub mod linear;
pub mod op;
pub mod parse;
pub mod print;
pub mod products;
pub mod scope;
pub mod script;
pub mod sexpr;
pub mod simplify;
pub mod sort;
pub mod subst;
pub mod term;
pub mod value;
