//! Instrumentation automata: a specification of a C program becomes reachability of an error function.
//!
//! An automaton (`ia`) observes the control-flow automata of a program. The sequentialization says which operations of the
//! automaton go before or after which edges: a [`plan::Plan`]. Weaving edits the text of the program accordingly; everything
//! that is not instrumented stays byte for byte, and stripping gives back the input.

pub mod plan;
pub mod weave;
