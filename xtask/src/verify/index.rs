//! The tasks of the corpus and what is known about them.

use std::path::{Path, PathBuf};

use crate::registry::Error;

/// What the index says about a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expected {
    /// It is correct.
    True,
    /// It is not.
    False,
    /// It seems to be correct, but nobody knows.
    Unsure,
}

impl Expected {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Expected::True => "true",
            Expected::False => "false",
            Expected::Unsure => "true?",
        }
    }
}

/// A task.
pub(crate) struct Task {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) expected: Expected,
    /// True for a transition system, whose evidence the program checks before it answers.
    pub(crate) system: bool,
}

/// The transition systems that have a verdict, in the order of the index.
pub(crate) fn systems(corpus: &Path) -> Result<Vec<Task>, Error> {
    let folder = corpus.join("ts");
    let path = folder.join("index.tsv");
    let text =
        std::fs::read_to_string(&path).map_err(|e| Error::Io(format!("read {}", path.display()), e))?;
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let (name, verdict) = (columns.first()?, columns.get(6)?);
        let expected = match *verdict {
            "safe" | "safe(unsat)" | "sat(safe)" => Expected::True,
            "unsafe" | "unsafe(sat)" | "unsat(unsafe)" => Expected::False,
            // A query asks for an execution, which is a violation.
            "sat" if name.starts_with("moxi/") => Expected::False,
            "unsat" if name.starts_with("moxi/") => Expected::True,
            _ => return None,
        };
        Some(Task { name: (*name).to_string(), path: folder.join(name), expected, system: true })
    };
    Ok(text.lines().filter_map(row).collect())
}

/// The tasks that have a verdict, in the order of the index. Of a task with several queries the first one counts.
pub(crate) fn tasks(corpus: &Path) -> Result<Vec<Task>, Error> {
    let folder = corpus.join("svlib");
    let path = folder.join("INDEX.tsv");
    let text =
        std::fs::read_to_string(&path).map_err(|e| Error::Io(format!("read {}", path.display()), e))?;
    let row = |line: &str| {
        let mut columns = line.split('\t');
        let (name, verdict) = (columns.next()?, columns.next()?);
        let expected = expected(verdict)?;
        Some(Task { name: name.to_string(), path: folder.join(name), expected, system: false })
    };
    Ok(text.lines().filter_map(row).collect())
}

fn expected(verdict: &str) -> Option<Expected> {
    let verdict = verdict.trim_start_matches("1st ");
    match verdict.split([' ', ',']).next()? {
        "true" => Some(Expected::True),
        "true?" => Some(Expected::Unsure),
        "false" => Some(Expected::False),
        _ => None,
    }
}
