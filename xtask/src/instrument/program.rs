//! Programs of the corpus, with specifications woven in.

use cfront::DataModel;
use driver::{CSource, InstrumentError, Shipped, SpecSource};

use crate::cfront::source::{self, Task};

/// A program as the compiler reads it.
pub(crate) struct Source {
    pub(crate) text: Vec<u8>,
    pub(crate) model: DataModel,
}

/// Reads a program, preprocessed. None when the preprocessor refuses it.
pub(crate) fn read(task: &Task) -> Option<Source> {
    Some(Source { text: source::preprocessed(task).ok()?, model: task.model })
}

/// What became of a program.
pub(crate) enum Outcome {
    /// It was instrumented; whether that changed anything.
    Done(Vec<u8>, bool),
    /// It is no program.
    Bad,
    /// An operation has no place: the first message.
    Refused(String),
}

/// Weaves a specification into a program.
pub(crate) fn woven(name: &str, source: &Source, spec: &Shipped, options: &[&str]) -> Outcome {
    let program =
        CSource { name: name.to_owned(), text: source.text.clone(), preprocessed: None, model: source.model };
    let options = options.iter().map(|name| ((*name).to_owned(), true)).collect();
    let given = SpecSource { name: format!("{}.ia", spec.name), text: spec.text.into(), options };
    match driver::instrument(&program, &given, None) {
        Ok(done) => {
            let is_changed = done.map.iter().any(|piece| piece.transition.is_some());
            Outcome::Done(done.text, is_changed)
        }
        Err(InstrumentError::Bad(_, findings)) => {
            let is_ours = |code: diag::Code| [diag::codes::W001, diag::codes::W002].contains(&code);
            if findings.iter().any(|finding| finding.is_error() && !is_ours(finding.code)) {
                return Outcome::Bad;
            }
            let first = findings.iter().find(|finding| is_ours(finding.code));
            Outcome::Refused(first.map_or_else(String::new, |finding| finding.message.clone()))
        }
        Err(_) => Outcome::Bad,
    }
}

/// The shipped specifications whose names contain a text.
pub(crate) fn specs(only: &str) -> Vec<&'static Shipped> {
    driver::SPECS.iter().filter(|spec| spec.name.contains(only)).collect()
}
