//! One program: made-up correctness witnesses against the truth.
//!
//! Random ones, and the strongest one there is, which names exactly the reachable states, and variations of it. For a program with a violation
//! none is a proof. For the others acceptance is counted, because a checker that rejects everything would pass.

use super::Trial;
use super::child::Child;
use super::compare::word;
use crate::registry::Error;
use testkit::programs::syntax::Program;
use testkit::programs::{Judgement, Limits, exact_witness, judge, random_witness};

/// The words that `validate` may answer, with their exit status.
const WORDS: &[(&str, i32)] = &[("confirmed", 0), ("rejected", 1), ("unknown", 3)];

/// So many random witnesses of each kind for each program.
const WITNESSES: u64 = 2;

/// Witnesses of all kinds, each with what its confirmation is called in tables.
fn witnesses(program: &Program, seed: u64) -> Vec<(String, &'static str)> {
    let limits = Limits::default();
    let mut found = Vec::new();
    found.extend(exact_witness(program, limits, None).map(|witness| (witness, "exact")));
    for number in 0..WITNESSES {
        let seed = seed.wrapping_mul(WITNESSES).wrapping_add(number);
        found.extend(exact_witness(program, limits, Some(seed)).map(|witness| (witness, "varied")));
        found.push((random_witness(program, seed), "guessed"));
    }
    found
}

pub(super) fn trial(child: &Child, program: &Program, seed: u64) -> Result<Trial, Error> {
    let judgement = judge(program, Limits::default());
    let text = program.to_string();
    let mut trial = Trial { truth: word(&judgement), answer: "rejected", wrong: None };
    for (witness, kind) in witnesses(program, seed) {
        let said = child.validate(&text, &witness)?;
        let Some(answer) = said.word(WORDS) else {
            trial.wrong = Some(format!("{}\n{witness}", said.no_answer()));
            return Ok(Trial { answer: "none", ..trial });
        };
        match (answer, &judgement) {
            ("confirmed", Judgement::Violated(what)) => {
                trial.wrong = Some(format!("confirmed, but {what} is violated\n{witness}"));
                return Ok(Trial { answer: kind, ..trial });
            }
            ("confirmed", _) if ["rejected", "unknown"].contains(&trial.answer) => trial.answer = kind,
            ("unknown", _) if trial.answer == "rejected" => trial.answer = "unknown",
            _ => {}
        }
    }
    Ok(trial)
}
