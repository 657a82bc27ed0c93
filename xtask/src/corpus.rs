//! `cargo run --release -p xtask -- corpus [--seconds N]`: the third-party corpus as a table per folder.
//!
//! For files of every format that is read: how many are read, and which codes the others get. For SV-LIB tasks with
//! a known verdict: what is answered within the time, and whether any answer is wrong, which is the exit status.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use driver::{Format, Input, Loaded, Response, SessionOptions, Verdict, VerifyOptions};

use crate::registry::{Command, Error};

pub(crate) const COMMAND: Command = Command {
    name: "corpus",
    about: "Reads and verifies the third-party corpus and prints a table: corpus [--seconds N].",
    run,
};

/// What happened to the files of a folder.
#[derive(Default)]
struct Row {
    files: usize,
    read: usize,
    /// Codes of the first error, with how often.
    refused: BTreeMap<&'static str, usize>,
    /// Answers to queries of tasks with a known verdict.
    answers: BTreeMap<&'static str, usize>,
    wrong: Vec<String>,
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let seconds = match arguments {
        [] => 1,
        [flag, value] if flag == "--seconds" => {
            value.parse().map_err(|_| Error::Usage(format!("{value} is no number")))?
        }
        _ => return Err(Error::Usage("corpus [--seconds N]".into())),
    };
    let Some(corpus) = testkit::corpus_or_skip("the corpus") else { return Ok(ExitCode::SUCCESS) };
    let verdicts = known_verdicts(&corpus)?;
    let mut files = Vec::new();
    collect(&corpus, &mut files);
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for path in files {
        let name = path.strip_prefix(&corpus).unwrap_or(&path).display().to_string();
        // Two levels name a source; deeper folders are its own business.
        let folder: Vec<&str> = name.split('/').take(3).filter(|part| !part.contains('.')).collect();
        one_file(rows.entry(folder.join("/")).or_default(), &path, &name, verdicts.get(&name), seconds)?;
    }
    print(&rows)?;
    let wrong = rows.values().any(|row| !row.wrong.is_empty());
    Ok(if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else if path.to_str().and_then(Format::of_path).is_some() {
            files.push(path);
        }
    }
}

/// Tasks whose verdict the index states without reservation: true when correct.
fn known_verdicts(corpus: &Path) -> Result<BTreeMap<String, bool>, Error> {
    let path = corpus.join("svlib/INDEX.tsv");
    let text =
        std::fs::read_to_string(&path).map_err(|e| Error::Io(format!("read {}", path.display()), e))?;
    let row = |line: &str| {
        let mut columns = line.split('\t');
        let (name, verdict) = (columns.next()?, columns.next()?);
        matches!(verdict, "true" | "false").then(|| (format!("svlib/{name}"), verdict == "true"))
    };
    Ok(text.lines().filter_map(row).collect())
}

fn one_file(
    row: &mut Row,
    path: &Path,
    name: &str,
    verdict: Option<&bool>,
    seconds: u64,
) -> Result<(), Error> {
    let bytes = std::fs::read(path).map_err(|e| Error::Io(format!("read {name}"), e))?;
    let Some(format) = Format::of_path(name) else { return Ok(()) };
    let mut loaded = Loaded::read(vec![Input { name: name.into(), bytes, format }]);
    row.files += 1;
    if loaded.is_bad() {
        let first = loaded.findings.iter().find(|f| f.is_error()).map_or("?", |f| f.code.name());
        *row.refused.entry(first).or_default() += 1;
        return Ok(());
    }
    row.read += 1;
    let Some(&correct) = verdict else { return Ok(()) };
    let options = VerifyOptions {
        timeout: Duration::from_secs(seconds),
        seed: 1,
        assume_entry_requires: false,
        version: env!("CARGO_PKG_VERSION").into(),
        inputs: vec![name.into()],
    };
    driver::answer_all(&mut loaded, options, SessionOptions::default(), |response| {
        let Response::Answer(answer) = response else { return };
        *row.answers.entry(answer.verdict.word()).or_default() += 1;
        if answer.verdict == if correct { Verdict::Incorrect } else { Verdict::Correct } {
            row.wrong.push(format!("{name}: {}", answer.verdict.word()));
        }
    });
    Ok(())
}

fn print(rows: &BTreeMap<String, Row>) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    writeln!(out, "{:44} {:>6} {:>6}  refused, answers", "folder", "files", "read")?;
    let (mut files, mut read) = (0, 0);
    for (folder, row) in rows {
        let shown = |counts: &BTreeMap<&str, usize>| {
            counts.iter().map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
        };
        let details: Vec<String> =
            [shown(&row.refused), shown(&row.answers)].into_iter().filter(|text| !text.is_empty()).collect();
        writeln!(out, "{folder:44} {:>6} {:>6}  {}", row.files, row.read, details.join("; "))?;
        for wrong in &row.wrong {
            writeln!(out, "WRONG {wrong}")?;
        }
        (files, read) = (files + row.files, read + row.read);
    }
    writeln!(out, "{:44} {files:>6} {read:>6}", "all")?;
    Ok(())
}
