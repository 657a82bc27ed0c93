//! The laws of passes, on small systems that can be searched exhaustively.

mod finite;
mod invar;
mod ltl;
mod safety;
mod smaller;
