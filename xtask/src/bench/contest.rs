//! What we and our peers solved, and how long it took. The first competitor is ours.

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

/// The sums of one competitor.
#[derive(Default, Clone, PartialEq, Debug)]
struct Score {
    solved: usize,
    /// The time spent, also on what was not solved.
    seconds: f64,
    /// Tasks that nobody else solved.
    alone: usize,
    /// Verdicts that contradict the index.
    wrong: usize,
    /// Tasks that we solved too, and the time for them: ours, then this competitor's.
    common: usize,
    common_seconds: [f64; 2],
}

/// The sums of a folder.
#[derive(Default, Clone, PartialEq, Debug)]
struct Row {
    tasks: usize,
    /// Tasks that somebody solved.
    union: usize,
    scores: Vec<Score>,
}

impl Row {
    fn add(&mut self, expected: Expected, answers: &[Answer]) {
        self.tasks += 1;
        self.scores.resize(answers.len(), Score::default());
        let solvers = answers.iter().filter(|answer| answer.is_solved()).count();
        self.union += usize::from(solvers > 0);
        for (score, answer) in self.scores.iter_mut().zip(answers) {
            score.seconds += answer.seconds;
            score.wrong += usize::from(answer.contradicts(expected));
            if answer.is_solved() {
                score.solved += 1;
                score.alone += usize::from(solvers == 1);
                if answers[0].is_solved() {
                    score.common += 1;
                    score.common_seconds[0] += answers[0].seconds;
                    score.common_seconds[1] += answer.seconds;
                }
            }
        }
    }
}

/// All answers so far.
pub(super) struct Table {
    names: &'static [&'static str],
    folders: BTreeMap<String, Row>,
    all: Row,
    /// Contradictions, in words.
    wrong: Vec<String>,
}

impl Table {
    /// A table for competitors with these names.
    pub(super) fn new(names: &'static [&'static str]) -> Table {
        let all = Row { scores: vec![Score::default(); names.len()], ..Row::default() };
        Table { names, folders: BTreeMap::new(), all, wrong: Vec::new() }
    }

    /// Adds a task and says how it went, so that a long run can be watched.
    pub(super) fn add(&mut self, task: &Task, answers: &[Answer]) -> Result<(), Error> {
        let Task { name, expected, .. } = task;
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.folders.entry(folder.to_owned()).or_default().add(*expected, answers);
        self.all.add(*expected, answers);
        let before = self.wrong.len();
        for (i, answer) in answers.iter().enumerate() {
            let says = |i: usize| format!("{} says {}", self.names[i], answers[i].verdict);
            if answer.contradicts(*expected) {
                self.wrong.push(format!("{name}: {}, the index says {}", says(i), expected.word()));
            }
            let differs = |other: &Answer| other.is_solved() && other.verdict != answer.verdict;
            if let Some(other) = answers[..i].iter().position(differs).filter(|_| answer.is_solved()) {
                self.wrong.push(format!("{name}: {}, {}", says(other), says(i)));
            }
        }
        let shown: Vec<String> =
            self.names.iter().zip(answers).map(|(name, answer)| show(name, answer)).collect();
        let mut err = io::stderr();
        writeln!(err, "{name}: {}", shown.join("; "))?;
        for line in &self.wrong[before..] {
            writeln!(err, "DISAGREEMENT {line}")?;
        }
        Ok(())
    }

    /// Prints the sums; true when no answer contradicts another.
    pub(super) fn print(&self) -> Result<bool, Error> {
        let mut out = io::stdout().lock();
        write!(out, "{:62} {:>6} {:>6}", "folder", "tasks", "union")?;
        for name in self.names {
            write!(out, " {name:>7} {:>8} {:>6}", "s", "alone")?;
        }
        writeln!(out)?;
        let folders = self.folders.iter().map(|(name, row)| (name.as_str(), row));
        for (folder, row) in folders.chain([("all", &self.all)]) {
            write!(out, "{folder:62} {:>6} {:>6}", row.tasks, row.union)?;
            for Score { solved, seconds, alone, .. } in &row.scores {
                write!(out, " {solved:>7} {seconds:>8.1} {alone:>6}")?;
            }
            writeln!(out)?;
        }
        let ours = self.all.scores[0].solved;
        for (name, score) in self.names.iter().zip(&self.all.scores) {
            writeln!(out, "verdicts of {name} that the index contradicts: {}", score.wrong)?;
        }
        for (name, score) in self.names.iter().zip(&self.all.scores).skip(1) {
            let Score { solved, common, common_seconds: [own, theirs], .. } = score;
            let more = ratio(ours as f64, *solved as f64);
            writeln!(out, "tasks solved, ours to {name}: {ours} to {solved}, ratio {more}")?;
            let slower = ratio(*own, *theirs);
            writeln!(
                out,
                "time for the {common} tasks that both solved: {own:.1} s to {theirs:.1} s, ratio {slower}"
            )?;
        }
        for line in &self.wrong {
            writeln!(out, "DISAGREEMENT {line}")?;
        }
        Ok(self.wrong.is_empty())
    }
}

fn show(name: &str, answer: &Answer) -> String {
    // The first of several reasons is enough here.
    let detail = answer.detail.split(';').next().unwrap_or_default();
    format!("{name} {} {:.2}s ({detail})", answer.verdict, answer.seconds)
}

fn ratio(a: f64, b: f64) -> String {
    if b > 0.0 { format!("{:.2}", a / b) } else { "-".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(expected: Expected, verdicts: &[&str]) -> Table {
        let task = Task { name: "a/b".into(), path: Default::default(), expected, system: false };
        let answers: Vec<Answer> = verdicts
            .iter()
            .enumerate()
            .map(|(i, verdict)| Answer::new(verdict, 1.0 + i as f64, String::new()))
            .collect();
        let mut table = Table::new(&["ours", "z3", "abc"]);
        table.add(&task, &answers).expect("standard error is open");
        table
    }

    #[test]
    fn contradictions_are_found() {
        use Expected::{False, True, Unsure};
        for (expected, verdicts, count) in [
            (True, ["correct", "correct", "correct"], 0),
            (True, ["unknown", "no clauses", "no circuit"], 0),
            (Unsure, ["incorrect", "unknown", "unknown"], 0),
            (Unsure, ["incorrect", "correct", "unknown"], 1),
            (Unsure, ["unknown", "correct", "incorrect"], 1),
            (True, ["unknown", "incorrect", "unknown"], 1),
            (False, ["correct", "incorrect", "unknown"], 2),
            (False, ["correct", "correct", "correct"], 3),
        ] {
            assert_eq!(table(expected, &verdicts).wrong.len(), count, "{verdicts:?}");
        }
    }

    #[test]
    fn sums_are_right() {
        let row = table(Expected::True, &["correct", "unknown", "correct"]).folders["a"].clone();
        assert_eq!((row.tasks, row.union), (1, 1));
        let solved: Vec<_> =
            row.scores.iter().map(|score| (score.solved, score.alone, score.seconds)).collect();
        assert_eq!(solved, [(1, 0, 1.0), (0, 0, 2.0), (1, 0, 3.0)]);
        let common: Vec<_> = row.scores.iter().map(|score| (score.common, score.common_seconds)).collect();
        assert_eq!(common, [(1, [1.0, 1.0]), (0, [0.0, 0.0]), (1, [1.0, 3.0])]);
        let row = table(Expected::False, &["unknown", "correct", "no circuit"]).all;
        assert_eq!((row.union, row.scores[1].alone, row.scores[1].wrong, row.scores[1].common), (1, 1, 1, 0));
    }
}
