//! Reading and sort-checking SMT-LIB: speed and memory, against Z3's parser on the same text in the same run.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::generate;
use super::measure::{self, MEASURE, Reader, Sample};
use crate::registry::{Command, Error};

pub(super) const COMMAND: Command = Command {
    name: "parse",
    about: "Reads generated scripts of 5 and 50 MB (--large: and 500 MB) and the corpus; compares with Z3's parser.",
    run,
};

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    if arguments.first().is_some_and(|first| first == MEASURE) {
        return measure::child(&arguments[1..]);
    }
    if let [option, megabytes, file] = arguments
        && option == "--generate"
    {
        let size: usize =
            megabytes.parse().map_err(|_| Error::Usage(format!("`{megabytes}` is no number")))?;
        return write_file(Path::new(file), &generate::script(size * 1_000_000, 1))
            .map(|()| ExitCode::SUCCESS);
    }
    let mut sizes = vec![5, 50];
    for argument in arguments {
        match argument.as_str() {
            "--large" => sizes.push(500),
            other => {
                return Err(Error::Usage(format!(
                    "no option `{other}`; there are --large and --generate MEGABYTES FILE"
                )));
            }
        }
    }
    let mut out = io::stdout();
    writeln!(
        out,
        "{:<28}{:>10}{:>14}{:>12}{:>14}{:>12}{:>8}",
        "input", "MB", "ours MB/s", "mem/byte", "z3 MB/s", "mem/byte", "ratio"
    )?;
    let folder = Scratch::new()?;
    for megabytes in sizes {
        let file = folder.0.join(format!("generated-{megabytes}.smt2"));
        write_file(&file, &generate::script(megabytes * 1_000_000, 1))?;
        // Z3 takes minutes for the largest; its speed does not depend on the size.
        let peer = if megabytes <= 50 { 1 } else { 0 };
        compare(&mut out, &format!("generated, {megabytes} MB"), &[&file], 3, peer)?;
        if megabytes == 50 {
            let trees = measure::in_child(Reader::Trees, &[&file], 3)?;
            row(&mut out, "  S-expressions only", trees, None)?;
        }
    }
    long_symbol(&mut out, &folder.0)?;
    corpus(&mut out)?;
    Ok(ExitCode::SUCCESS)
}

fn write_file(file: &Path, text: &str) -> Result<(), Error> {
    fs::write(file, text).map_err(|e| Error::Io(format!("write {}", file.display()), e))
}

/// A file that is one symbol of 100 MB, more or less.
fn long_symbol(out: &mut io::Stdout, folder: &Path) -> Result<(), Error> {
    let file = folder.join("symbol.smt2");
    write_file(&file, &format!("(declare-const {} Bool)\n", "x".repeat(100_000_000)))?;
    row(out, "one symbol of 100 MB", measure::in_child(Reader::Ours, &[&file], 1)?, None)
}

/// The files of the corpus that both read, all together and the ten largest.
fn corpus(out: &mut io::Stdout) -> Result<(), Error> {
    let Some(folder) = testkit::corpus_dir() else {
        writeln!(out, "no corpus on this machine (SVAROG_CORPUS names its folder): skipped")?;
        return Ok(());
    };
    let mut files = Vec::new();
    for part in ["ts/vmt", "ts/chc"] {
        scripts_below(&folder.join(part), &mut files)?;
    }
    let mut sized: Vec<(u64, &PathBuf)> =
        files.iter().filter_map(|file| Some((fs::metadata(file).ok()?.len(), file))).collect();
    sized.sort();
    let largest: Vec<&Path> = sized.iter().rev().take(10).map(|(_, file)| file.as_path()).collect();
    let all: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    compare(out, &format!("corpus, {} largest files", largest.len()), &largest, 3, 3)?;
    compare(out, &format!("corpus, all {} files", all.len()), &all, 3, 1)
}

pub(super) fn scripts_below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let entries = fs::read_dir(folder).map_err(|e| Error::Io(format!("list {}", folder.display()), e))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            scripts_below(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "vmt" || ending == "smt2") {
            files.push(path);
        }
    }
    Ok(())
}

/// Measures both readers on the files; `peer` is how often Z3 reads them.
fn compare(out: &mut io::Stdout, what: &str, files: &[&Path], ours: usize, peer: usize) -> Result<(), Error> {
    let mine = measure::in_child(Reader::Ours, files, ours)?;
    let other = if peer > 0 { Some(measure::in_child(Reader::Z3, files, peer)?) } else { None };
    row(out, what, mine, other)
}

fn row(out: &mut io::Stdout, what: &str, mine: Sample, peer: Option<Sample>) -> Result<(), Error> {
    let memory = |sample: &Sample| sample.memory().map_or("?".to_owned(), |bytes| format!("{bytes:.1}"));
    write!(out, "{what:<28}{:>10.1}{:>14.1}{:>12}", mine.bytes as f64 / 1e6, mine.speed(), memory(&mine))?;
    if let Some(peer) = peer {
        write!(out, "{:>14.1}{:>12}{:>8.1}", peer.speed(), memory(&peer), mine.speed() / peer.speed())?;
    }
    for (name, failed) in [("we", mine.failed), ("z3", peer.map_or(0, |peer| peer.failed))] {
        if failed > 0 {
            write!(out, "  ({name} reported errors in {failed})")?;
        }
    }
    writeln!(out)?;
    Ok(())
}

/// A folder for generated files that goes away at the end.
pub(super) struct Scratch(pub(super) PathBuf);

impl Scratch {
    pub(super) fn new() -> Result<Scratch, Error> {
        let folder = std::env::temp_dir().join(format!("svarog-bench-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|e| Error::Io(format!("make {}", folder.display()), e))?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that cannot be removed is in the way of nothing.
        let _ = fs::remove_dir_all(&self.0);
    }
}
