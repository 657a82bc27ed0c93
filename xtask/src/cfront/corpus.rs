//! `cfront corpus`: how many of the corpus' C programs are parsed and typed, per source and folder, and how fast.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use super::source::{self, Task};
use crate::clock::Clock;
use crate::registry::{Command, Error};

pub(crate) const COMMAND: Command =
    Command { name: "corpus", about: "Parses and types the C programs of the corpus.", run };

#[derive(Default)]
struct Row {
    files: usize,
    good: usize,
    bytes: usize,
    time: Duration,
    automata: usize,
    edges: usize,
    automata_time: Duration,
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.files += other.files;
        self.good += other.good;
        self.bytes += other.bytes;
        self.time += other.time;
        self.automata += other.automata;
        self.edges += other.edges;
        self.automata_time += other.automata_time;
    }

    fn line(&self, out: &mut impl Write, name: &str) -> io::Result<()> {
        let rate = self.bytes as f64 / 1e6 / self.time.as_secs_f64().max(1e-9);
        let share = 100.0 * self.good as f64 / self.files.max(1) as f64;
        let megabytes = self.bytes as f64 / 1e6;
        writeln!(
            out,
            "{name:44} {:>6} {:>6} {share:>7.2} {megabytes:>8.2} {rate:>8.1}",
            self.files, self.good
        )
    }
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let (mut only, mut passes) = (String::new(), 1);
    for pair in arguments.chunks(2) {
        match pair {
            [flag, text] if flag == "--only" => only = text.clone(),
            [flag, text] if flag == "--passes" => passes = text.parse().unwrap_or(1),
            _ => return Err(Error::Usage("cfront corpus [--only TEXT] [--passes N]".into())),
        }
    }
    let Some(corpus) = testkit::corpus_or_skip("the corpus of C programs") else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut rows: BTreeMap<(String, String), Row> = BTreeMap::new();
    let mut failures = Vec::new();
    for task in source::tasks(&corpus, &only)? {
        let folder = task.name.split('/').next().unwrap_or_default().to_owned();
        let (row, failure) = one(&task, passes);
        rows.entry((task.source.clone(), folder)).or_default().add(&row);
        failures.extend(failure.map(|reason| (task.name, reason)));
    }
    print(&rows, &failures)?;
    Ok(ExitCode::SUCCESS)
}

/// Reads one file; if it cannot be used, the reason.
fn one(task: &Task, passes: usize) -> (Row, Option<String>) {
    let mut row = Row { files: 1, ..Row::default() };
    let text = match source::preprocessed(task) {
        Ok(text) => text,
        Err(reason) => return (row, Some(format!("not preprocessed: {reason}"))),
    };
    let start = Clock::start();
    let unit = cfront::parse(&text, 0, task.model);
    row.time = start.elapsed();
    // Other work on the machine makes a pass slow, never fast.
    for _ in 1..passes {
        let start = Clock::start();
        let again = cfront::parse(&text, 0, task.model);
        row.time = row.time.min(start.elapsed());
        drop(again);
    }
    row.bytes = text.len();
    let first = unit.findings.iter().find(|finding| finding.is_error());
    row.good = usize::from(first.is_none());
    if first.is_none() {
        let start = Clock::start();
        let automata = cfront::cfa::automata(&unit);
        row.automata_time = start.elapsed();
        row.automata = automata.len();
        row.edges = automata.iter().map(|cfa| cfa.edges.len()).sum();
        let wrong = automata.iter().flat_map(cfront::cfa::Cfa::verify).next();
        if let Some(wrong) = wrong {
            return (row, Some(format!("0: an automaton that is not well-formed: {wrong}")));
        }
    }
    let reason = first.map(|finding| {
        let before = &text[..(finding.span.start as usize).min(text.len())];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        format!("{line}: {}: {}", finding.code, finding.message)
    });
    (row, reason)
}

fn print(rows: &BTreeMap<(String, String), Row>, failures: &[(String, String)]) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    for (name, reason) in failures {
        writeln!(out, "{name}:{reason}")?;
    }
    writeln!(
        out,
        "{:44} {:>6} {:>6} {:>7} {:>8} {:>8}",
        "source, folder", "files", "typed", "%", "MB", "MB/s"
    )?;
    let mut all = Row::default();
    let mut sources: BTreeMap<&str, Row> = BTreeMap::new();
    for ((source, folder), row) in rows {
        row.line(&mut out, &format!("{source}, {folder}"))?;
        sources.entry(source).or_default().add(row);
        all.add(row);
    }
    for (source, row) in &sources {
        row.line(&mut out, source)?;
    }
    all.line(&mut out, "all")?;
    let seconds = all.automata_time.as_secs_f64();
    writeln!(out, "{} automata with {} edges in {seconds:.2} s", all.automata, all.edges)?;
    Ok(())
}
