//! Conversion of the largest VMT files of the corpus: to VMT again, to BTOR2 and to Horn clauses, and back from these, with
//! pyvmt as a peer where its interpreter has it. All read and write the same files in the same run.
//!
//! Times are those of the processor, which other programs on the machine do not change; each file goes a way again and again
//! until that can be measured. The speed of a way is the size of the VMT files that can go it by the time for it. pyvmt can only read and write VMT, so the
//! ratio is that of reading and writing, over the files that both of us can take.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command as Program, ExitCode};
use std::time::{Duration, Instant};

use formats::{Format, Model, Options, Source};
use smt::term::Terms;

use super::measure::Clock;
use crate::registry::{Command, Error};

pub(super) const COMMAND: Command = Command {
    name: "convert",
    about: "Converts the largest VMT files, beside pyvmt: convert [--python PATH] [--files N] [--seconds N].",
    run,
};

/// A file goes a way for at least so long; the mean counts.
const LONG: Duration = Duration::from_millis(250);

/// What the peer does with a file: prints the seconds for reading and for writing.
const PEER: &str = "import sys, time, io
from pyvmt.vmtlib.reader import read
sys.setrecursionlimit(100000)
begin = time.process_time()
with open(sys.argv[1]) as stream:
    model = read(stream)
middle = time.process_time()
model.serialize(io.StringIO(), properties=model.get_all_properties())
print(middle - begin, time.process_time() - middle)
";

struct Settings {
    python: String,
    files: usize,
    seconds: u64,
}

fn settings(arguments: &[String]) -> Result<Settings, Error> {
    let mut settings = Settings { python: "python3".into(), files: 20, seconds: 120 };
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        let value = rest.next().ok_or_else(|| Error::Usage(format!("{flag} needs a value")))?;
        let number = || value.parse::<u64>().map_err(|_| Error::Usage(format!("{value} is no number")));
        match flag.as_str() {
            "--python" => settings.python.clone_from(value),
            "--files" => settings.files = number()? as usize,
            "--seconds" => settings.seconds = number()?,
            _ => return Err(Error::Usage(COMMAND.about.into())),
        }
    }
    Ok(settings)
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let settings = settings(arguments)?;
    let Some(corpus) = testkit::corpus_or_skip("the corpus") else { return Ok(ExitCode::SUCCESS) };
    let mut files = Vec::new();
    collect(&corpus.join("ts/vmt"), &mut files);
    files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    files.truncate(settings.files);
    let mut out = io::stdout().lock();
    writeln!(out, "{:<24}{:>6}{:>10}{:>12}{:>10}", "way", "files", "MB", "ms", "MB/s")?;
    for way in WAYS {
        let mut total = Total::default();
        for (path, _) in &files {
            let bytes = fs::read(path).map_err(|e| Error::Io(format!("read {}", path.display()), e))?;
            total.extend(measured(way, &bytes).map(|time| (bytes.len(), time)));
        }
        total.print(&mut out, way.name)?;
    }
    peer(&mut out, &settings, &files)
}

/// All VMT files below a folder with their sizes.
fn collect(folder: &Path, files: &mut Vec<(PathBuf, u64)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "vmt" || ending == "vmt2") {
            files.push((path, entry.metadata().map_or(0, |file| file.len())));
        }
    }
}

/// Files, their bytes and the time for them.
#[derive(Default)]
struct Total {
    files: usize,
    bytes: usize,
    time: Duration,
}

impl Total {
    fn extend(&mut self, found: Option<(usize, Duration)>) {
        if let Some((bytes, time)) = found {
            self.files += 1;
            self.bytes += bytes;
            self.time += time;
        }
    }

    fn speed(&self) -> f64 {
        self.bytes as f64 / 1e6 / self.time.as_secs_f64().max(1e-9)
    }

    fn print(&self, out: &mut impl Write, name: &str) -> io::Result<()> {
        let (megabytes, milliseconds) = (self.bytes as f64 / 1e6, self.time.as_secs_f64() * 1e3);
        writeln!(
            out,
            "{name:<24}{:>6}{megabytes:>10.2}{milliseconds:>12.1}{:>10.1}",
            self.files,
            self.speed()
        )
    }
}

/// A way from VMT to a language, or from the text in that language back to VMT.
struct Way {
    name: &'static str,
    language: &'static str,
    back: bool,
}

const WAYS: &[Way] = &[
    Way { name: "vmt -> vmt", language: "vmt", back: false },
    Way { name: "vmt -> btor2", language: "btor2", back: false },
    Way { name: "btor2 -> vmt", language: "btor2", back: true },
    Way { name: "vmt -> chc", language: "chc", back: false },
    Way { name: "chc -> vmt", language: "chc", back: true },
];

fn converted(bytes: &[u8], from: &str, to: &str) -> Option<Vec<u8>> {
    let mut terms = Terms::new();
    let (from, to) = (Format::named(from)?, Format::named(to)?);
    let model: Model = (from.read)(&mut terms, Source { bytes, base: 0 }, &mut Vec::new())?;
    (to.write)(&mut terms, &model, &Options::default()).ok()
}

/// The time for a way; none for a file that cannot go it.
fn measured(way: &Way, bytes: &[u8]) -> Option<Duration> {
    let there = converted(bytes, "vmt", way.language)?;
    let (bytes, from, to) =
        if way.back { (&there[..], way.language, "vmt") } else { (bytes, "vmt", way.language) };
    let (clock, wall, mut rounds) = (Clock::now(), Instant::now(), 0);
    while wall.elapsed() < LONG {
        converted(bytes, from, to)?;
        rounds += 1;
    }
    Some(clock.elapsed() / rounds)
}

/// pyvmt on the same files, one process each.
fn peer(out: &mut impl Write, settings: &Settings, files: &[(PathBuf, u64)]) -> Result<ExitCode, Error> {
    let there = Program::new(&settings.python).args(["-c", "import pyvmt"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        writeln!(out, "pyvmt: skipped, {} does not have it (--python names another)", settings.python)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (mut theirs, mut ours) = (Total::default(), Total::default());
    let mut failed: BTreeMap<String, usize> = BTreeMap::new();
    for (path, size) in files {
        let bytes = fs::read(path).map_err(|e| Error::Io(format!("read {}", path.display()), e))?;
        let own = measured(&WAYS[0], &bytes);
        let limit = settings.seconds.to_string();
        let output =
            Program::new("timeout").arg(&limit).arg(&settings.python).args(["-c", PEER]).arg(path).output();
        let output = output.map_err(|e| Error::Io("start pyvmt".into(), e))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let times: Vec<f64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match (&times[..], own) {
            ([reading, writing], Some(own)) => {
                theirs.extend(Some((*size as usize, Duration::from_secs_f64(reading + writing))));
                ours.extend(Some((*size as usize, own)));
            }
            _ => *failed.entry(reason(&String::from_utf8_lossy(&output.stderr))).or_default() += 1,
        }
    }
    theirs.print(out, "pyvmt, vmt -> vmt")?;
    ours.print(out, "the same files, ours")?;
    for (reason, count) in &failed {
        writeln!(out, "pyvmt could not take {count} files: {reason}")?;
    }
    writeln!(out, "ratio {:.0}", ours.speed() / theirs.speed().max(1e-9))?;
    Ok(ExitCode::SUCCESS)
}

/// What the peer's last line of errors says, without the names of one file.
fn reason(errors: &str) -> String {
    let last = errors.trim_end().lines().next_back().unwrap_or("the time is over, or it gave up");
    let mut parts = last.split('\'');
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let Some(name) = parts.next() {
        // A sort says something, a symbol does not.
        let is_sort = ["Bool", "Int", "Real", "BV{", "Array{"].iter().any(|sort| name.starts_with(sort));
        text.push_str(if is_sort { name } else { "…" });
        text.push_str(parts.next().unwrap_or_default());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_put_together() {
        let error =
            |name: &str| format!("Traceback\n  line\npysmt.Error: Trying to redefine '{name}': was 'Real'\n");
        assert_eq!(reason(&error("x")), "pysmt.Error: Trying to redefine …: was Real");
        assert_eq!(reason(&error("x")), reason(&error("y")));
        assert!(reason("").contains("time is over"));
    }
}
