//! One program: the answer of `verify` against the truth.

use super::Trial;
use super::child::Child;
use crate::registry::Error;
use testkit::programs::syntax::Program;
use testkit::programs::{Judgement, Limits, judge};

/// The words that `verify` may answer, with their exit status.
pub(super) const WORDS: &[(&str, i32)] = &[("correct", 0), ("incorrect", 1), ("unknown", 3)];

/// The word for a judgement in tables.
pub(super) fn word(judgement: &Judgement) -> &'static str {
    match judgement {
        Judgement::Violated(_) => "violated",
        Judgement::Fine => "fine",
        Judgement::TooBig => "too-big",
    }
}

pub(super) fn trial(child: &Child, program: &Program) -> Result<Trial, Error> {
    let judgement = judge(program, Limits::default());
    let said = child.verify(&program.to_string(), &[])?;
    let Some(answer) = said.word(WORDS) else {
        return Ok(Trial { truth: word(&judgement), answer: "none", wrong: Some(said.no_answer()) });
    };
    let wrong = match (answer, &judgement) {
        ("correct", Judgement::Violated(what)) => Some(format!("correct, but {what} is violated")),
        ("incorrect", Judgement::Fine) if !program.is_modular() => {
            Some(format!("incorrect, but no execution violates anything: {}", said.errors))
        }
        _ => None,
    };
    let truth = match judgement {
        Judgement::Fine if program.is_modular() => "fine?",
        _ => word(&judgement),
    };
    Ok(Trial { truth, answer, wrong })
}
