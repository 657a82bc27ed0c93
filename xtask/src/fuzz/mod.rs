//! In-process fuzzing of every reader: damaged copies of real files must be refused or obey the reader's laws.
//!
//! Executions run on a thread with a small stack, so that recursion on the input is found at little depth, and a
//! panic is caught and reported with its input. A target is one function in [`targets`] and one row there.

mod seeds;
mod targets;

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::registry::{Command, Error};
use targets::{TARGETS, Target};
use testkit::Rng;

pub(crate) const COMMAND: Command = Command {
    name: "fuzz",
    about: "Feeds damaged files to every reader: fuzz [--seconds N] [--target NAME] [--seed N] [--out FILE].",
    run,
};

/// Deep enough for honest work, too small for recursion on the input.
const STACK: usize = 512 * 1024;

struct Options {
    seconds: u64,
    target: Option<String>,
    seed: u64,
    out: Option<PathBuf>,
}

fn options(arguments: &[String]) -> Result<Options, Error> {
    let mut options = Options { seconds: 60, target: None, seed: 1, out: None };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let value = rest.next().ok_or_else(|| Error::Usage(format!("{argument} needs a value")))?;
        let number = || value.parse().map_err(|_| Error::Usage(format!("{value} is no number")));
        match argument.as_str() {
            "--seconds" => options.seconds = number()?,
            "--seed" => options.seed = number()?,
            "--target" => options.target = Some(value.clone()),
            "--out" => options.out = Some(value.into()),
            _ => return Err(Error::Usage(format!("no option {argument}"))),
        }
    }
    Ok(options)
}

/// A broken law, or a panic.
struct Finding {
    target: &'static str,
    message: String,
    input: Vec<u8>,
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let options = options(arguments)?;
    let wanted: Vec<&Target> =
        TARGETS.iter().filter(|t| options.target.as_ref().is_none_or(|name| name == t.name)).collect();
    if wanted.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|t| t.name).collect();
        return Err(Error::Usage(format!("the targets are {}", names.join(", "))));
    }
    let share = Duration::from_secs(options.seconds) / wanted.len() as u32;
    let mut findings = 0;
    for target in wanted {
        let seed = options.seed;
        let spawned = std::thread::Builder::new().stack_size(STACK).spawn(move || fuzz(target, share, seed));
        let joined = spawned.map_err(|e| Error::Io("start a thread".into(), e))?.join();
        let (count, found) = joined.map_err(|_| Error::Tool("fuzz".into(), "the thread died".into()))?;
        writeln!(io::stdout(), "{:8} {count:>9} executions, {} findings", target.name, found.len())?;
        findings += found.len();
        for finding in found {
            report(&finding, options.out.as_deref())?;
        }
    }
    Ok(if findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn fuzz(target: &'static Target, time: Duration, seed: u64) -> (u64, Vec<Finding>) {
    let seeds = seeds::of(target.endings);
    let (mut rng, end, mut count) = (Rng::new(seed), Instant::now() + time, 0);
    let mut findings = Vec::new();
    std::panic::set_hook(Box::new(|_| {}));
    // Whole files first: what is wrong with them needs no damage.
    let mut whole = seeds.iter();
    while Instant::now() < end && findings.len() < 5 {
        let input = match whole.next() {
            Some(seed) => seed.clone(),
            None => {
                let seed: &Vec<u8> = rng.choose(seeds.as_slice());
                testkit::mutate(seed, &mut rng, target.tokens)
            }
        };
        count += 1;
        let result = catch_unwind(AssertUnwindSafe(|| (target.check)(&input)));
        let message = match result {
            Ok(Ok(())) => continue,
            Ok(Err(law)) => law,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
                format!("panic: {}", text.unwrap_or_default())
            }
        };
        findings.push(Finding { target: target.name, message, input });
    }
    let _ = std::panic::take_hook();
    (count, findings)
}

fn report(finding: &Finding, out: Option<&std::path::Path>) -> Result<(), Error> {
    let Finding { target, message, input } = finding;
    let message: String = message.chars().take(2000).collect();
    writeln!(io::stdout(), "FINDING in {target}: {message}")?;
    match out {
        Some(path) => {
            std::fs::write(path, input).map_err(|e| Error::Io(format!("write {}", path.display()), e))?;
            writeln!(io::stdout(), "the input is in {}", path.display())?;
        }
        None => {
            let hex: String = input.iter().take(4000).map(|byte| format!("{byte:02x}")).collect();
            writeln!(io::stdout(), "the input ({} bytes) in hexadecimal: {hex}", input.len())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_law_and_a_panic_are_found() {
        fn law(input: &[u8]) -> Result<(), String> {
            if input.contains(&b'\x7f') { Err("a law".into()) } else { Ok(()) }
        }
        fn panics(input: &[u8]) -> Result<(), String> {
            assert!(input.len() < 10, "too long");
            Ok(())
        }
        static LAW: Target = Target { name: "law", endings: &["svlib"], tokens: &["\x7f"], check: law };
        static PANIC: Target = Target { name: "panic", endings: &["svlib"], tokens: &[], check: panics };
        let (_, found) = fuzz(&LAW, Duration::from_secs(5), 1);
        assert_eq!(found[0].message, "a law");
        let (_, found) = fuzz(&PANIC, Duration::from_secs(5), 1);
        assert_eq!(found[0].message, "panic: too long");
    }
}
