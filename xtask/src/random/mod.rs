//! `cargo xtask random [--count N] [--seed S] [--timeout SECS] [--binary PATH] [--proofs]
//! [--preprocess]`: random programs, answers compared with the truth.
//!
//! The programs and their truth come from [`testkit::programs`]: an exploration of all executions, which shares no
//! code with the product. The program under test runs as a child process, so that crashes and hangs are findings like
//! wrong answers. A finding is made small and printed with its seed, and the exit status is 1.
//!
//! Without `--proofs`, `svarog verify` answers: `correct` is wrong if an execution violates a property, `incorrect`
//! is wrong if none does and no annotation is modular (decision 3: a true annotation may be too weak).
//! With `--proofs`, `svarog validate` judges made-up correctness witnesses: for a program with a violation none may
//! be confirmed. With `--preprocess`, the answer of `svarog verify` without preprocessing takes the place of the truth.

mod child;
mod compare;
mod preprocess;
mod proofs;
mod table;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::registry::{Command, Error};
use child::Child;
use table::Table;
use testkit::programs::syntax::Program;
use testkit::programs::{generate, smaller};

pub(crate) const COMMAND: Command = Command {
    name: "random",
    about: "Compares answers with the truth on random programs: `random [--count N] [--seed S] [--timeout SECS] [--binary PATH] [--proofs] [--preprocess]`.",
    run,
};

/// So long a finding is made smaller.
const SHRINKING: Duration = Duration::from_secs(60);

/// What the command line says.
struct Options {
    count: u64,
    seed: u64,
    timeout: u64,
    binary: Option<PathBuf>,
    against: Against,
}

/// What answers are compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Against {
    Truth,
    Proofs,
    Whole,
}

/// How one program went: the truth, the answer, and what is wrong with it.
struct Trial {
    truth: &'static str,
    answer: &'static str,
    wrong: Option<String>,
}

fn options(arguments: &[String]) -> Result<Options, Error> {
    let mut options = Options { count: 200, seed: 0, timeout: 5, binary: None, against: Against::Truth };
    let mut arguments = arguments.iter();
    while let Some(option) = arguments.next() {
        if let "--proofs" | "--preprocess" = option.as_str() {
            options.against = if option == "--proofs" { Against::Proofs } else { Against::Whole };
            continue;
        }
        let value = arguments.next().ok_or_else(|| Error::Usage(format!("`{option}` needs a value")))?;
        let number = || value.parse().map_err(|_| Error::Usage(format!("`{value}` is no number")));
        match option.as_str() {
            "--count" => options.count = number()?,
            "--seed" => options.seed = number()?,
            "--timeout" => options.timeout = number()?,
            "--binary" => options.binary = Some(PathBuf::from(value)),
            _ => return Err(Error::Usage(format!("no option `{option}`; {}", COMMAND.about))),
        }
    }
    Ok(options)
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let options = options(arguments)?;
    let child = Child::new(options.binary.clone(), options.timeout)?;
    let trial = |program: &Program, seed: u64| match options.against {
        Against::Proofs => proofs::trial(&child, program, seed),
        Against::Truth => compare::trial(&child, program),
        Against::Whole => preprocess::trial(&child, program),
    };
    let (mut table, mut findings, mut out) = (Table::default(), 0, io::stdout());
    for seed in options.seed..options.seed.saturating_add(options.count) {
        let program = generate(seed);
        let result = trial(&program, seed)?;
        table.count(&program, &result);
        if (seed - options.seed) % 100 == 99 {
            // Somebody may be waiting; if nobody listens nothing is lost.
            let _ = writeln!(io::stderr(), "{} programs, {findings} findings", seed - options.seed + 1);
        }
        if options.against == Against::Whole && result.truth != result.answer {
            writeln!(out, "seed {seed}: {}, but {} without preprocessing", result.answer, result.truth)?;
        }
        if let Some(wrong) = result.wrong {
            findings += 1;
            writeln!(out, "WRONG seed {seed}: {wrong}\n{program}")?;
            out.flush()?;
            let still = |program: &Program| Ok(trial(program, seed)?.wrong);
            let (small, wrong) = shrink(program, &still)?;
            writeln!(out, "small: {}\n{small}", wrong.unwrap_or_default())?;
        }
    }
    write!(out, "{table}")?;
    writeln!(out, "{} programs, {findings} findings", options.count)?;
    Ok(ExitCode::from(u8::from(findings > 0)))
}

/// The smallest program found for which something is wrong still, and what.
fn shrink(
    mut program: Program,
    still: &dyn Fn(&Program) -> Result<Option<String>, Error>,
) -> Result<(Program, Option<String>), Error> {
    let deadline = Instant::now() + SHRINKING;
    let mut wrong = None;
    'search: loop {
        for candidate in smaller(&program) {
            if Instant::now() > deadline {
                break 'search;
            }
            if let Some(found) = still(&candidate)? {
                (program, wrong) = (candidate, Some(found));
                continue 'search;
            }
        }
        break;
    }
    Ok((program, wrong))
}
