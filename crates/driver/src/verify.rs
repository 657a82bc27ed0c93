//! `verify`: which questions the inputs ask. Engines are not part of this build, so each answer is `unsupported`,
//! which says so and never a verdict that nobody checked.

use crate::input::{Loaded, Program};
use svlib::syntax::CommandKind;

/// An answer to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Something that the query needs is not there: what.
    Unsupported(String),
}

impl Answer {
    /// The verdict word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Answer::Unsupported(_) => "unsupported",
        }
    }
}

/// A `verify-call`, or a whole file of a format that is one question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// What is asked, for people.
    pub what: String,
    /// The answer.
    pub answer: Answer,
}

/// The queries of inputs that were read without errors.
#[must_use]
pub fn queries(loaded: &Loaded) -> Vec<Query> {
    let unsupported = || Answer::Unsupported("this build has no verification engine".into());
    match &loaded.program {
        Program::Checked => {
            let names = loaded.files.iter().map(|&file| loaded.sources.name(file).to_string());
            names.map(|what| Query { what, answer: unsupported() }).collect()
        }
        Program::Script(builder) => {
            let script = &builder.state.script;
            let calls = script.commands.iter().filter_map(|command| match &command.kind {
                CommandKind::Call(name, proc, _) if name == "verify-call" => {
                    Some(loaded.terms.names.text(script.procs[*proc].name).to_string())
                }
                _ => None,
            });
            calls.map(|proc| Query { what: format!("verify-call {proc}"), answer: unsupported() }).collect()
        }
    }
}
