//! Instrumentation automata: a specification of a C program becomes reachability of an error function.
//!
//! An automaton (`ia`) observes the control-flow automata of a program. The sequentialization says which operations of the
//! automaton go before or after which edges: a [`plan::Plan`]. Weaving edits the text of the program accordingly; everything
//! that is not instrumented stays byte for byte, and stripping gives back the input.

mod calls;
mod derive;
mod draft;
mod effects;
pub mod harness;
pub mod ia;
mod initialize;
mod leaves;
mod library;
mod limits;
mod matching;
pub mod plan;
mod pointees;
pub mod program;
mod scopes;
pub mod sequence;
pub mod specs;
mod state;
pub mod weave;

pub use derive::derive;
pub use initialize::Instance;
pub use matching::{Captured, Match};

/// The plan of a program and a specification: what is inserted where.
#[must_use]
pub fn plan(unit: &mut cfront::ast::Unit, cfas: &[cfront::cfa::Cfa], spec: &ia::ast::Spec) -> plan::Plan {
    let mut program = program::Program::new(unit, cfas);
    let sequenced = sequence::sequentialize(&mut program, spec);
    derive(&mut program, spec, &sequenced)
}
