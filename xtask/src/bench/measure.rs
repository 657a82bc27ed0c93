//! Runs one measurement in a process of its own, so that memory is that of the measurement alone and what one
//! reader leaves behind does not slow down the next.

use std::ffi::CString;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use crate::registry::Error;

/// Who reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// The kernel of this project: reads and checks sorts.
    Ours,
    /// The same without checking: only S-expressions.
    Trees,
    /// The embedded Z3.
    Z3,
}

impl Reader {
    fn name(self) -> &'static str {
        match self {
            Reader::Ours => "ours",
            Reader::Trees => "trees",
            Reader::Z3 => "z3",
        }
    }
}

/// What one run found.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    /// The time for reading, without that for getting the bytes.
    pub(super) time: Duration,
    /// The bytes read.
    pub(super) bytes: u64,
    /// The most memory the process had, the text included. None where the system does not tell.
    pub(super) peak: Option<u64>,
    /// Files that could not be read.
    pub(super) failed: u64,
}

impl Sample {
    /// Megabytes per second.
    pub(super) fn speed(&self) -> f64 {
        self.bytes as f64 / 1e6 / self.time.as_secs_f64()
    }

    /// Bytes of memory for a byte of text.
    pub(super) fn memory(&self) -> Option<f64> {
        self.peak.map(|peak| peak as f64 / self.bytes as f64)
    }
}

/// The word on the command line that asks for a measurement in this process.
pub(super) const MEASURE: &str = "--measure";

/// Lets a child process read the files, `repeat` times, and takes the fastest.
pub(super) fn in_child(reader: Reader, files: &[&Path], repeat: usize) -> Result<Sample, Error> {
    let program = std::env::current_exe().map_err(|e| Error::Io("find this program".into(), e))?;
    let mut best: Option<Sample> = None;
    for _ in 0..repeat {
        let mut command = Command::new(&program);
        command.args(["bench", "parse", MEASURE, reader.name()]).args(files);
        let output = command.output().map_err(|e| Error::Io("start this program again".into(), e))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let numbers: Vec<u64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [nanos, bytes, peak, failed] = numbers[..] else {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Error::Tool(format!("the measurement of {}", reader.name()), said));
        };
        let sample =
            Sample { time: Duration::from_nanos(nanos), bytes, peak: (peak > 0).then_some(peak), failed };
        if best.is_none_or(|best| sample.time < best.time) {
            best = Some(sample);
        }
    }
    best.ok_or_else(|| Error::Usage("nothing to repeat".into()))
}

/// The child: reads the files and prints nanoseconds, bytes, peak memory and failures.
pub(super) fn child(arguments: &[String]) -> Result<ExitCode, Error> {
    let Some((reader, files)) = arguments.split_first() else {
        return Err(Error::Usage(format!("{MEASURE} READER FILE...")));
    };
    let read: fn(Vec<u8>, bool) -> (Duration, bool) = match reader.as_str() {
        "ours" => ours,
        "trees" => trees,
        _ => z3,
    };
    let (mut time, mut bytes, mut failed) = (Duration::ZERO, 0, 0);
    for file in files {
        let content = fs::read(file).map_err(|e| Error::Io(format!("read {file}"), e))?;
        bytes += content.len() as u64;
        let (spent, good) = read(content, file.ends_with(".vmt"));
        time += spent;
        failed += u64::from(!good);
    }
    let peak = peak_memory().unwrap_or(0);
    writeln!(io::stdout(), "{} {bytes} {peak} {failed}", time.as_nanos())?;
    Ok(ExitCode::SUCCESS)
}

fn ours(content: Vec<u8>, vmt: bool) -> (Duration, bool) {
    let begin = Clock::now();
    let mut sources = diag::SourceMap::default();
    let Ok(file) = sources.add_bytes("input", content) else { return (begin.elapsed(), false) };
    let (mut terms, mut errors) = (smt::term::Terms::new(), Vec::new());
    let mut scope = if vmt { smt::scope::Scope::vmt(&mut terms) } else { smt::scope::Scope::new(&mut terms) };
    let text = smt::sexpr::Text::new(sources.text(file), sources.base(file));
    smt::script::read(&mut terms, &mut scope, text, &mut errors, |_, _, _, _| {});
    // Freeing is not part of reading, neither here nor for the peer.
    let time = begin.elapsed();
    (time, !errors.iter().any(diag::Diagnostic::is_error))
}

fn trees(content: Vec<u8>, _: bool) -> (Duration, bool) {
    let begin = Clock::now();
    let mut sources = diag::SourceMap::default();
    let Ok(file) = sources.add_bytes("input", content) else { return (begin.elapsed(), false) };
    let text = smt::sexpr::Text::new(sources.text(file), sources.base(file));
    let (mut reader, mut tree, mut errors) =
        (smt::sexpr::Reader::new(text), smt::sexpr::Tree::new(), Vec::new());
    while reader.read(&mut tree, &mut errors) {}
    (begin.elapsed(), errors.is_empty())
}

fn z3(mut content: Vec<u8>, _: bool) -> (Duration, bool) {
    content.retain(|&byte| byte != 0);
    let Ok(text) = CString::new(content) else { return (Duration::ZERO, false) };
    let begin = Clock::now();
    let parsed = solver::z3::peer::parse_smtlib2_text(&text);
    let time = begin.elapsed();
    (time, parsed.is_ok())
}

/// Time that this thread has had a processor, which other programs on the machine do not change. All readers work
/// in one thread. Where the system does not tell, and for short times, which it does not count exactly, the time on the
/// clock.
pub(super) struct Clock {
    cpu: Option<Duration>,
    wall: Instant,
}

impl Clock {
    pub(super) fn now() -> Clock {
        Clock { cpu: processor_time(), wall: Instant::now() }
    }

    pub(super) fn elapsed(&self) -> Duration {
        const SHORT: Duration = Duration::from_millis(200);
        let wall = self.wall.elapsed();
        match (processor_time(), self.cpu) {
            (Some(now), Some(then)) if wall > SHORT => now.saturating_sub(then),
            _ => wall,
        }
    }
}

fn processor_time() -> Option<Duration> {
    let line = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    line.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// The most memory this process ever had, in bytes, where the system has a `/proc`.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}
