//! One program: made-up correctness witnesses against the truth.
//!
//! Random ones, and the strongest one there is, which names exactly the reachable states. For a program with a violation
//! none is a proof. For the others acceptance is counted, because a checker that rejects everything would pass.

use super::Trial;
use super::child::Child;
use super::compare::word;
use crate::registry::Error;
use testkit::programs::syntax::Program;
use testkit::programs::{Judgement, Limits, exact_witness, judge, random_witness};

/// The words that `validate` may answer, with their exit status.
const WORDS: &[(&str, i32)] = &[("confirmed", 0), ("rejected", 1), ("unknown", 3)];

/// So many random witnesses for each program.
const WITNESSES: u64 = 4;

pub(super) fn trial(child: &Child, program: &Program, seed: u64) -> Result<Trial, Error> {
    let judgement = judge(program, Limits::default());
    let text = program.to_string();
    let mut trial = Trial { truth: word(&judgement), answer: "rejected", wrong: None };
    let exact = exact_witness(program, Limits::default());
    let random =
        (0..WITNESSES).map(|n| (random_witness(program, seed.wrapping_mul(WITNESSES) + n), "confirmed"));
    for (witness, if_confirmed) in exact.into_iter().map(|w| (w, "exact")).chain(random) {
        let said = child.validate(&text, &witness)?;
        let Some(answer) = said.word(WORDS) else {
            trial.wrong = Some(format!("{}\n{witness}", said.no_answer()));
            return Ok(Trial { answer: "none", ..trial });
        };
        if answer == "confirmed" && trial.answer != "exact" {
            trial.answer = if_confirmed;
        } else if answer == "unknown" && trial.answer == "rejected" {
            trial.answer = "unknown";
        }
        if let ("confirmed", Judgement::Violated(what)) = (answer, &judgement) {
            trial.wrong = Some(format!("confirmed, but {what} is violated\n{witness}"));
            return Ok(trial);
        }
    }
    Ok(trial)
}
