//! One program: the answer of `verify` with preprocessing against the one without.

use super::Trial;
use super::child::Child;
use super::compare::WORDS;
use crate::registry::Error;
use testkit::programs::syntax::Program;

pub(super) fn trial(child: &Child, program: &Program) -> Result<Trial, Error> {
    let text = program.to_string();
    let (whole, smaller) = (child.verify(&text, &["--no-preprocess"])?, child.verify(&text, &[])?);
    let (Some(truth), Some(answer)) = (whole.word(WORDS), smaller.word(WORDS)) else {
        let wrong = [&whole, &smaller].into_iter().find(|said| said.word(WORDS).is_none());
        return Ok(Trial { truth: "none", answer: "none", wrong: wrong.map(super::child::Said::no_answer) });
    };
    let contradicts = truth != answer && ![truth, answer].contains(&"unknown");
    let wrong = contradicts.then(|| format!("{answer}, but {truth} without preprocessing"));
    Ok(Trial { truth, answer, wrong })
}
