//! Counterexamples in the languages' own formats.
//!
//! They name variables and properties by positions, and leave out what the system determines. Reading one therefore means to
//! run the system, and the result is a whole [`Trace`]; whether that is a counterexample is for [`Trace::check`] to say.

use crate::{Source, WriteError, aiger, btor2};
use diag::{Code, Diagnostic, codes};
use smt::eval::Assignment;
use smt::term::{FunId, Terms};
use ts::{PropertyKind, System, Trace};

/// A counterexample to a property of a system.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The property's position in [`System::properties`].
    pub property: usize,
    /// The other properties that it is said to be about.
    pub others: Vec<usize>,
    /// The execution.
    pub trace: Trace,
}

/// Writes a counterexample.
pub type WriteWitness = fn(&mut Terms, &System, &Counterexample) -> Result<Vec<u8>, WriteError>;

/// Reads a counterexample; nothing after an error was reported.
pub type ReadWitness = fn(&mut Terms, &System, Source<'_>, &mut Vec<Diagnostic>) -> Option<Counterexample>;

/// A format of counterexamples.
#[derive(Clone, Copy, Debug)]
pub struct WitnessFormat {
    /// The name of the language whose systems it is about.
    pub language: &'static str,
    /// How it is read.
    pub read: ReadWitness,
    /// How it is written.
    pub write: WriteWitness,
}

/// All formats of counterexamples, by language.
pub static WITNESSES: &[WitnessFormat] = &[
    // tidy: sorted
    row("aag", aiger::witness::read, aiger::witness::write),
    row("aig", aiger::witness::read, aiger::witness::write),
    row("btor2", btor2::witness::read, btor2::witness::write),
    // tidy: end
];

const fn row(language: &'static str, read: ReadWitness, write: WriteWitness) -> WitnessFormat {
    WitnessFormat { language, read, write }
}

impl WitnessFormat {
    /// The format of a language's counterexamples.
    #[must_use]
    pub fn of(language: &str) -> Option<&'static WitnessFormat> {
        WITNESSES.iter().find(|format| format.language == language)
    }
}

/// A property as these formats name it: `b` or `j`, and the position among those of its kind.
pub(crate) fn property_name(system: &System, position: usize) -> Result<String, WriteError> {
    let property = system.properties.get(position);
    let letter = match property.map(|property| &property.kind) {
        Some(PropertyKind::Invariant(_)) => 'b',
        Some(PropertyKind::Live(_)) => 'j',
        _ => {
            return Err(WriteError::new(
                "only invariants and live properties have counterexamples of this format",
            ));
        }
    };
    let before = system.properties[..position].iter().filter(|other| letter_of(&other.kind) == Some(letter));
    Ok(format!("{letter}{}", before.count()))
}

fn letter_of(kind: &PropertyKind) -> Option<char> {
    match kind {
        PropertyKind::Invariant(_) => Some('b'),
        PropertyKind::Live(_) => Some('j'),
        PropertyKind::Ltl(_) => None,
    }
}

/// The property of that name.
pub(crate) fn property_of(system: &System, name: &str) -> Option<usize> {
    let letter = name.chars().next()?;
    let number: usize = name.get(1..)?.parse().ok()?;
    let mut fitting =
        system.properties.iter().enumerate().filter(|(_, p)| letter_of(&p.kind) == Some(letter));
    fitting.nth(number).map(|(position, _)| position)
}

/// What is said in a witness before the steps: the properties that it is about.
#[derive(Default)]
pub(crate) struct About {
    properties: Vec<usize>,
}

impl About {
    /// One more line of properties such as `b0`; otherwise what is wrong with it.
    pub(crate) fn line(&mut self, system: &System, text: &str) -> Result<(), (Code, String)> {
        for word in text.split_whitespace() {
            let is_number = word.len() > 1 && word[1..].bytes().all(|byte| byte.is_ascii_digit());
            if !word.starts_with(['b', 'j']) || !is_number {
                let message = format!("expected a property such as `b0` or `j0`, found `{text}`");
                return Err((codes::WIT001, message));
            }
            let Some(position) = property_of(system, word) else {
                return Err((codes::WIT002, format!("the system has no property `{word}`")));
            };
            let kind = |position: usize| letter_of(&system.properties[position].kind);
            if self.properties.first().is_some_and(|&first| kind(first) != kind(position)) {
                let message = format!("`{word}` cannot be shown together with properties of the other kind");
                return Err((codes::WIT002, message));
            }
            self.properties.push(position);
        }
        Ok(())
    }

    /// The first property and the others.
    pub(crate) fn finish(mut self) -> Option<(usize, Vec<usize>)> {
        (!self.properties.is_empty()).then(|| (self.properties.remove(0), self.properties))
    }
}

/// Closes the loop of a counterexample to a live property. `trace` has one step more than the witness: the one after it, of
/// which only the values of `determined` variables are meant. The loop goes to the first step with the same ones; there are
/// also witnesses whose last step repeats an earlier one.
pub(crate) fn close(mut trace: Trace, determined: &[FunId]) -> Option<Trace> {
    let equal = |a: &Assignment, b: &Assignment| determined.iter().all(|&fun| a.get(fun) == b.get(fun));
    let after = trace.steps.pop()?;
    if let Some(back) = trace.steps.iter().position(|step| equal(step, &after)) {
        trace.back = Some(back);
        return Some(trace);
    }
    let last = trace.steps.pop()?;
    trace.back = Some(trace.steps.iter().position(|step| equal(step, &last))?);
    Some(trace)
}
