//! Truths and answers, counted for each feature that programs have.

use super::Trial;
use std::collections::BTreeMap;
use std::fmt;
use testkit::programs::syntax::Program;

#[derive(Default)]
pub(super) struct Table {
    /// By feature, then by truth and answer.
    counts: BTreeMap<&'static str, BTreeMap<(&'static str, &'static str), usize>>,
}

impl Table {
    pub(super) fn count(&mut self, program: &Program, trial: &Trial) {
        for feature in program.features().into_iter().chain(["all"]) {
            let row = self.counts.entry(feature).or_default();
            *row.entry((trial.truth, trial.answer)).or_default() += 1;
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<_> = self.counts.get("all").into_iter().flat_map(BTreeMap::keys).collect();
        let names: Vec<String> = columns.iter().map(|(truth, answer)| format!("{truth}/{answer}")).collect();
        write!(f, "{:<16}", "truth/answer")?;
        names.iter().try_for_each(|name| write!(f, "  {name}"))?;
        writeln!(f)?;
        for (feature, row) in &self.counts {
            write!(f, "{feature:<16}")?;
            for (column, name) in columns.iter().zip(&names) {
                let width = name.len();
                write!(f, "  {:>width$}", row.get(*column).copied().unwrap_or(0))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
