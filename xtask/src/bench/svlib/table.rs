//! What both solved, and how long it took.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::registry::Error;
use crate::verify::index::{Expected, Task};

/// An answer to a task.
pub(super) struct Answer {
    /// `correct` or `incorrect`, else something that is no verdict.
    verdict: String,
    seconds: f64,
    /// Who found it, or why there is no verdict.
    detail: String,
}

impl Answer {
    pub(super) fn new(verdict: &str, seconds: f64, detail: String) -> Answer {
        Answer { verdict: verdict.into(), seconds, detail }
    }

    fn is_solved(&self) -> bool {
        matches!(self.verdict.as_str(), "correct" | "incorrect")
    }

    fn contradicts(&self, expected: Expected) -> bool {
        match expected {
            Expected::True => self.verdict == "incorrect",
            Expected::False => self.verdict == "correct",
            Expected::Unsure => false,
        }
    }
}

/// The sums of a folder.
#[derive(Default, Clone, PartialEq, Debug)]
struct Row {
    tasks: usize,
    /// Tasks solved and time spent, also on what was not solved: ours, then Z3's.
    solved: [usize; 2],
    seconds: [f64; 2],
    both: usize,
    /// The time for tasks that both solved.
    seconds_both: [f64; 2],
}

impl Row {
    fn add(&mut self, ours: &Answer, z3: &Answer) {
        self.tasks += 1;
        let both = ours.is_solved() && z3.is_solved();
        self.both += usize::from(both);
        for (i, answer) in [ours, z3].into_iter().enumerate() {
            self.solved[i] += usize::from(answer.is_solved());
            self.seconds[i] += answer.seconds;
            self.seconds_both[i] += if both { answer.seconds } else { 0.0 };
        }
    }
}

/// All answers so far.
#[derive(Default)]
pub(super) struct Table {
    folders: BTreeMap<String, Row>,
    all: Row,
    /// Contradictions, in words.
    wrong: Vec<String>,
}

impl Table {
    /// Adds a task and says how it went, so that a long run can be watched.
    pub(super) fn add(&mut self, task: &Task, ours: Answer, z3: Answer) -> Result<(), Error> {
        let Task { name, expected, .. } = task;
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.folders.entry(folder.to_owned()).or_default().add(&ours, &z3);
        self.all.add(&ours, &z3);
        let before = self.wrong.len();
        if ours.is_solved() && z3.is_solved() && ours.verdict != z3.verdict {
            self.wrong.push(format!("{name}: we say {}, z3 says {}", ours.verdict, z3.verdict));
        }
        for (who, answer) in [("we say", &ours), ("z3 says", &z3)] {
            if answer.contradicts(*expected) {
                let verdict = &answer.verdict;
                self.wrong.push(format!("{name}: {who} {verdict}, the index says {}", expected.word()));
            }
        }
        let mut err = io::stderr();
        let shown = |answer: &Answer| {
            // The first of several reasons is enough here.
            let detail = answer.detail.split(';').next().unwrap_or_default();
            format!("{} {:.2}s ({detail})", answer.verdict, answer.seconds)
        };
        writeln!(err, "{name}: ours {}; z3 {}", shown(&ours), shown(&z3))?;
        for line in &self.wrong[before..] {
            writeln!(err, "DISAGREEMENT {line}")?;
        }
        Ok(())
    }

    /// Prints the sums; true when no answer contradicts another.
    pub(super) fn print(&self) -> Result<bool, Error> {
        let mut out = io::stdout().lock();
        writeln!(
            out,
            "{:62} {:>6} {:>7} {:>8} {:>7} {:>8} {:>6} {:>7} {:>7}",
            "folder", "tasks", "ours", "s", "z3", "s", "both", "we only", "z3 only"
        )?;
        for (folder, row) in
            self.folders.iter().map(|(name, row)| (name.as_str(), row)).chain([("all", &self.all)])
        {
            let Row { tasks, solved: [ours, z3], seconds: [our_time, z3_time], both, .. } = row;
            let (we_only, z3_only) = (ours - both, z3 - both);
            writeln!(
                out,
                "{folder:62} {tasks:>6} {ours:>7} {our_time:>8.1} {z3:>7} {z3_time:>8.1} {both:>6} {we_only:>7} {z3_only:>7}"
            )?;
        }
        let [ours, z3] = self.all.solved;
        writeln!(out, "tasks solved, ours to z3: {ours} to {z3}, ratio {}", ratio(ours as f64, z3 as f64))?;
        let [ours, z3] = self.all.seconds_both;
        let both = self.all.both;
        let ratio = ratio(ours, z3);
        writeln!(out, "time for the {both} tasks that both solved: {ours:.1} s to {z3:.1} s, ratio {ratio}")?;
        for line in &self.wrong {
            writeln!(out, "DISAGREEMENT {line}")?;
        }
        Ok(self.wrong.is_empty())
    }
}

fn ratio(a: f64, b: f64) -> String {
    if b > 0.0 { format!("{:.2}", a / b) } else { "-".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(expected: Expected, ours: &str, z3: &str) -> Table {
        let task = Task { name: "a/b".into(), path: Default::default(), expected, system: false };
        let answer = |verdict| Answer::new(verdict, 1.0, String::new());
        let mut table = Table::default();
        table.add(&task, answer(ours), answer(z3)).expect("standard error is open");
        table
    }

    #[test]
    fn contradictions_are_found() {
        use Expected::{False, True, Unsure};
        for (expected, ours, z3, count) in [
            (True, "correct", "correct", 0),
            (True, "unknown", "no clauses", 0),
            (Unsure, "incorrect", "unknown", 0),
            (Unsure, "incorrect", "correct", 1),
            (True, "unknown", "incorrect", 1),
            (False, "correct", "incorrect", 2),
            (False, "correct", "correct", 2),
        ] {
            assert_eq!(table(expected, ours, z3).wrong.len(), count, "{ours} {z3}");
        }
    }

    #[test]
    fn sums_are_right() {
        let row = table(Expected::True, "correct", "unknown").all;
        let expected = Row { tasks: 1, solved: [1, 0], seconds: [1.0, 1.0], ..Row::default() };
        assert_eq!(row, expected);
        let row = table(Expected::True, "correct", "correct").folders["a"].clone();
        assert_eq!((row.both, row.seconds_both), (1, [1.0, 1.0]));
    }
}
