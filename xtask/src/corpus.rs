//! `cargo run --release -p xtask -- corpus`: the third-party corpus as a table per folder: how many files of every
//! format are read, and which codes the others get.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use driver::{Format, Input, Loaded};

use crate::registry::{Command, Error};

pub(crate) const COMMAND: Command =
    Command { name: "corpus", about: "Reads the third-party corpus and prints a table.", run };

/// What happened to the files of a folder.
#[derive(Default)]
struct Row {
    files: usize,
    read: usize,
    /// Codes of the first error, with how often.
    refused: BTreeMap<&'static str, usize>,
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    if !arguments.is_empty() {
        return Err(Error::Usage("corpus".into()));
    }
    let Some(corpus) = testkit::corpus_or_skip("the corpus") else { return Ok(ExitCode::SUCCESS) };
    let mut files = Vec::new();
    collect(&corpus, &mut files);
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for path in files {
        let name = path.strip_prefix(&corpus).unwrap_or(&path).display().to_string();
        // Two levels name a source; deeper folders are its own business.
        let folder: Vec<&str> = name.split('/').take(3).filter(|part| !part.contains('.')).collect();
        one_file(rows.entry(folder.join("/")).or_default(), &path, &name)?;
    }
    print(&rows)?;
    Ok(ExitCode::SUCCESS)
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else if path.to_str().and_then(Format::of_path).is_some_and(|format| format != Format::C) {
            // C programs need a preprocessor; `cfront corpus` is about them.
            files.push(path);
        }
    }
}

fn one_file(row: &mut Row, path: &Path, name: &str) -> Result<(), Error> {
    let bytes = std::fs::read(path).map_err(|e| Error::Io(format!("read {name}"), e))?;
    let Some(format) = Format::of_path(name) else { return Ok(()) };
    let loaded = Loaded::read(vec![Input { name: name.into(), bytes, format }]);
    row.files += 1;
    if loaded.is_bad() {
        let first = loaded.findings.iter().find(|f| f.is_error()).map_or("?", |f| f.code.name());
        *row.refused.entry(first).or_default() += 1;
        return Ok(());
    }
    row.read += 1;
    Ok(())
}

fn print(rows: &BTreeMap<String, Row>) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    writeln!(out, "{:44} {:>6} {:>6}  refused", "folder", "files", "read")?;
    let (mut files, mut read) = (0, 0);
    for (folder, row) in rows {
        let refused: Vec<String> = row.refused.iter().map(|(name, n)| format!("{name} {n}")).collect();
        writeln!(out, "{folder:44} {:>6} {:>6}  {}", row.files, row.read, refused.join(", "))?;
        (files, read) = (files + row.files, read + row.read);
    }
    writeln!(out, "{:44} {files:>6} {read:>6}", "all")?;
    Ok(())
}
