//! Symbolic transition systems over SMT terms.
//!
//! A [`System`] is what VMT-LIB, BTOR2, AIGER, SMV, MoXI and linear Horn clauses have in common: state variables with
//! their next versions, inputs, rigid symbols, formulas for the initial states, the steps and all states, and properties
//! with their numbers. Formulas are terms of one store, so definitions that are shared in a file stay shared; nothing here
//! recurses on depth or copies a term graph.
//!
//! [`verify()`] has the rules that every reader and every pass obeys, [`trace`] what counterexamples are and what makes them
//! ones, [`unroll`] systems as formulas over steps.

pub mod aig;
pub mod certificate;
pub mod passes;
pub mod recurrence;
pub mod simulate;
pub mod system;
mod total;
pub mod trace;
pub mod unroll;
mod verify;
mod word;

pub use certificate::{Certificate, Reduction};
pub use recurrence::Recurrence;
pub use system::{Output, Property, PropertyKind, State, System};
pub use total::always_continues;
pub use trace::Trace;
pub use verify::{Flaw, verify};
