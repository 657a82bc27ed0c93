//! SV-LIB 1.0 as a language: read, check, print, lint, format, run.
//!
//! [`parse`] reads scripts into the checked form of [`syntax`]; [`lint`] adds what only a whole script shows;
//! [`print`] writes a script, [`fmt`] lays out its text; [`code`] turns procedures into flat code, whose loops
//! [`flow`] finds and on which [`interp`] executes with the step semantics of traces. [`k2`] reads the language of Kratos2.

pub mod code;
pub mod flow;
pub mod fmt;
pub mod interp;
pub mod k2;
pub mod lint;
pub mod parse;
pub mod print;
pub mod session;
pub mod syntax;
pub mod witness;
