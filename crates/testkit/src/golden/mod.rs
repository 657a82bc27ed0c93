//! Golden-file tests: an input states the command to run on it, the expected output lies beside it.
//!
//! A test is any file whose leading comments hold one or more run lines, in the comment style of its language
//! (`;`, `//`, `#` or `--`):
//!
//! ```text
//! ; run: svarog lint --json %s
//! ```
//!
//! `%s` is the file, `%d` its folder, `%%` a percent sign; words are quoted as in a shell, and `< FILE` at the
//! end gives the command its standard input. The command runs in the file's folder. Its exit status and its
//! output must equal the neighbour `FILE.expected`; `BLESS=1` in the environment writes that neighbour. A
//! file that cannot carry a comment is tested from another one that can: `# run: svarog lint %d/empty.svlib`.
//!
//! Four things are failures whatever a neighbour says, and cannot be blessed: a command that does not end in
//! time, one that crashes, one that prints without end, and an `.expected` file that no test produces.

mod case;
mod diff;
mod process;
mod render;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A folder of golden tests and how to run them.
///
/// A plain description: take [`Golden::new`] and change the fields that differ.
#[derive(Debug, Clone)]
pub struct Golden {
    /// The program under test, an absolute path.
    pub binary: PathBuf,
    /// The first word of every run line, which stands for the binary.
    pub program: String,
    /// The folder that is searched for tests, with everything below it.
    pub root: PathBuf,
    /// The time one command may take.
    pub timeout: Duration,
    /// Whether to write what the program printed instead of comparing with it.
    pub bless: bool,
}

/// What a successful run did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// The number of tests that agreed with their neighbour.
    pub passed: usize,
    /// The number of neighbours that were written or rewritten.
    pub blessed: usize,
}

/// Every test that failed, in the order of their paths.
#[derive(Debug)]
pub struct Failure {
    /// Path of the test file (or of the folder, if it has no tests) and what is wrong with it.
    pub problems: Vec<(PathBuf, Problem)>,
    /// The number of tests that ran.
    pub total: usize,
}

/// What can be wrong with one test.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// A file or the program could not be used: what was tried, and the system's reason.
    Io(String, std::io::Error),
    /// A run line makes no sense.
    RunLine(String),
    /// There is no `.expected` neighbour.
    MissingExpected,
    /// The neighbour expects something else; the difference, line by line.
    Differs(String),
    /// The command was still running, or its output still open, after the given time.
    Timeout(String, Duration),
    /// The command panicked or was ended by a signal: command, status and what it said last.
    Crash(String, String, String),
    /// The command printed more than the given number of bytes.
    TooMuchOutput(String, usize),
    /// An `.expected` file whose test does not exist or has no run line.
    Orphan,
    /// The folder has no tests at all, so that passing would mean nothing.
    NoTests,
}

impl Golden {
    /// The tests below `root`, run with `binary` under the name `svarog`, 30 seconds each; blessing if the
    /// environment has `BLESS` with a value other than empty or `0`.
    pub fn new(binary: impl Into<PathBuf>, root: impl Into<PathBuf>) -> Golden {
        Golden {
            binary: binary.into(),
            program: "svarog".to_owned(),
            root: root.into(),
            timeout: Duration::from_secs(30),
            bless: std::env::var_os("BLESS").is_some_and(|value| !value.is_empty() && value != "0"),
        }
    }

    /// Runs every test, several at a time.
    pub fn run(&self) -> Result<Summary, Failure> {
        let (cases, mut problems) = case::discover(&self.root);
        if cases.is_empty() && problems.is_empty() {
            problems.push((self.root.clone(), Problem::NoTests));
        }
        let next = AtomicUsize::new(0);
        let results = Mutex::new(Vec::new());
        let worker = || {
            while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                let result = (case.path.clone(), self.run_case(case));
                results.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(result);
            }
        };
        std::thread::scope(|scope| {
            let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
            for _ in 0..threads.min(cases.len()) {
                scope.spawn(worker);
            }
        });
        let mut summary = Summary { passed: 0, blessed: 0 };
        for (path, result) in results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            match result {
                Ok(Verdict::Passed) => summary.passed += 1,
                Ok(Verdict::Blessed) => summary.blessed += 1,
                Err(problem) => problems.push((path, problem)),
            }
        }
        if problems.is_empty() {
            return Ok(summary);
        }
        problems.sort_by(|left, right| left.0.cmp(&right.0));
        Err(Failure { problems, total: cases.len() })
    }

    /// Runs every test, for use as the body of a `#[test]`.
    ///
    /// # Panics
    ///
    /// With the readable list of failures, if there is one.
    pub fn check(&self) {
        if let Err(failure) = self.run() {
            panic!("{failure}");
        }
    }

    fn run_case(&self, case: &case::Case) -> Result<Verdict, Problem> {
        let mut blocks = Vec::new();
        for line in &case.commands {
            let command = case::parse_command(line, &self.program, &case.path).map_err(Problem::RunLine)?;
            let output = process::run(&self.binary, &command, &case.folder, self.timeout)
                .map_err(|error| error.into_problem(line))?;
            if let Some(status) = output.status.crash() {
                let said = render::text(&output.stderr);
                return Err(Problem::Crash(line.clone(), status, said));
            }
            blocks.push((line.as_str(), output));
        }
        let actual = render::render(&blocks, &case.folder);
        let expected = match std::fs::read(&case.expected) {
            Ok(bytes) => Some(render::text(&bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(Problem::Io(format!("read {}", case.expected.display()), error)),
        };
        match expected {
            Some(expected) if expected == actual => Ok(Verdict::Passed),
            _ if self.bless => match std::fs::write(&case.expected, actual) {
                Ok(()) => Ok(Verdict::Blessed),
                Err(error) => Err(Problem::Io(format!("write {}", case.expected.display()), error)),
            },
            None => Err(Problem::MissingExpected),
            Some(expected) => Err(Problem::Differs(diff::diff(&expected, &actual))),
        }
    }
}

/// How a test that did not fail ended.
enum Verdict {
    Passed,
    Blessed,
}

impl Problem {
    /// Whether `BLESS=1` would make it go away.
    fn is_blessable(&self) -> bool {
        matches!(self, Problem::MissingExpected | Problem::Differs(_))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Io(what, error) => write!(f, "could not {what}: {error}"),
            Problem::RunLine(why) => write!(f, "bad run line: {why}"),
            Problem::MissingExpected => write!(f, "has no .expected neighbour"),
            Problem::Differs(diff) => write!(f, "differs (- expected, + actual)\n{diff}"),
            Problem::Timeout(command, limit) => write!(f, "not done after {limit:?}: {command}"),
            Problem::Crash(command, status, stderr) => write!(f, "crashed ({status}): {command}\n{stderr}"),
            Problem::TooMuchOutput(command, limit) => write!(f, "printed more than {limit} bytes: {command}"),
            Problem::Orphan => write!(f, "belongs to no test: its file is missing or has no run line"),
            Problem::NoTests => write!(f, "has no tests: no file with a run line"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "golden tests run: {}, problems: {}", self.total, self.problems.len())?;
        for (path, problem) in &self.problems {
            writeln!(f, "\n{}: {}", path.display(), problem.to_string().trim_end())?;
        }
        if self.problems.iter().any(|(_, problem)| problem.is_blessable()) {
            writeln!(
                f,
                "\nIf the new output is right, run the same command with BLESS=1 and read the diff."
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// The neighbour of a test file: the same name with `.expected` behind it.
fn expected_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".expected");
    PathBuf::from(name)
}
