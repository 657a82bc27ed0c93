//! The interpreter: statements, the decisions about meaning, properties, traces, and the law that a recorded
//! execution replays to the same end.

#[path = "interp/corpus.rs"]
mod corpus;
#[path = "interp/decisions.rs"]
mod decisions;
#[path = "interp/examples.rs"]
mod examples;
#[path = "interp/generate.rs"]
mod generate;
#[path = "interp/laws.rs"]
mod laws;
#[path = "interp/leaps.rs"]
mod leaps;
#[path = "interp/models.rs"]
mod models;
#[path = "interp/properties.rs"]
mod properties;
#[path = "interp/statements.rs"]
mod statements;
#[path = "interp/stretches.rs"]
mod stretches;
#[path = "interp/support.rs"]
mod support;
#[path = "interp/traces.rs"]
mod traces;
