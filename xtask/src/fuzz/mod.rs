//! `cargo run --release -p xtask -- fuzz`: damages valid inputs and checks what must hold for any input.
//!
//! Everything happens in this process. A panic or a broken law of a target is a finding: its input is made small and
//! written down, and the exit status is 1. Inputs that show something new (see [`targets`]) are damaged further.
//! Executions run on a small stack, so that a recursion over the depth of the input ends the process long before a
//! user would see it. Equal seeds give equal inputs, so the same run with `--current FILE`, which keeps the input under
//! way in a file and is slow, shows what ended the process.

mod hunt;
mod seeds;
mod shrink;
mod targets;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use crate::registry::{Command, Error};
use hunt::Outcome;
use targets::{TARGETS, Target};

pub(crate) const COMMAND: Command = Command {
    name: "fuzz",
    about: "Damages inputs: `fuzz [--seconds N] [--target NAME] [--seed N] [--out FOLDER] [--current FILE]`, all targets if none is named.",
    run,
};

/// What the command line says.
struct Options {
    seconds: u64,
    seed: u64,
    out: Option<PathBuf>,
    current: Option<PathBuf>,
    targets: Vec<&'static Target>,
}

fn options(arguments: &[String]) -> Result<Options, Error> {
    let mut options = Options { seconds: 60, seed: 1, out: None, current: None, targets: Vec::new() };
    let mut arguments = arguments.iter();
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or_else(|| Error::Usage(format!("`{option}` needs a value")))?;
        let number = || value.parse().map_err(|_| Error::Usage(format!("`{value}` is no number")));
        match option.as_str() {
            "--seconds" => options.seconds = number()?,
            "--seed" => options.seed = number()?,
            "--current" => options.current = Some(PathBuf::from(value)),
            "--out" => options.out = Some(PathBuf::from(value)),
            "--target" => {
                let known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
                let target = TARGETS.iter().find(|target| target.name == value);
                let unknown = || Error::Usage(format!("no target `{value}`; there are {}", known.join(", ")));
                options.targets.push(target.ok_or_else(unknown)?);
            }
            _ => return Err(Error::Usage(format!("no option `{option}`; {}", COMMAND.about))),
        }
    }
    if options.targets.is_empty() {
        options.targets = TARGETS.iter().collect();
    }
    Ok(options)
}

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let options = options(arguments)?;
    if let Some(folder) = &options.out {
        std::fs::create_dir_all(folder).map_err(|e| Error::Io(format!("make {}", folder.display()), e))?;
    }
    let share = Duration::from_secs(options.seconds) / options.targets.len() as u32;
    let (mut executions, mut findings) = (0, 0);
    let mut out = io::stdout();
    for target in &options.targets {
        let seeds = seeds::collect(target)?;
        let before = seeds.len();
        let report = hunt::run(target, seeds, options.seed, share, options.current.clone())?;
        executions += report.executions;
        writeln!(
            out,
            "{:<8} {:>10} executions, {before} seeds, {} inputs kept, largest {} KiB",
            target.name,
            report.executions,
            report.kept,
            report.largest / 1024
        )?;
        if let Outcome::Finding { message, input } = report.outcome {
            findings += 1;
            tell(&mut out, target, &message, &input, options.out.as_ref())?;
        }
    }
    writeln!(out, "{executions} executions, {findings} findings")?;
    Ok(ExitCode::from(u8::from(findings > 0)))
}

/// Describes a finding, and writes its input to a file or shows it.
fn tell(
    out: &mut io::Stdout,
    target: &Target,
    message: &str,
    input: &[u8],
    folder: Option<&PathBuf>,
) -> Result<(), Error> {
    writeln!(out, "FINDING in {}: {message}", target.name)?;
    if let Some(folder) = folder {
        let file = folder.join(format!("{}.finding", target.name));
        std::fs::write(&file, input).map_err(|e| Error::Io(format!("write {}", file.display()), e))?;
        writeln!(out, "its input ({} bytes) is in {}", input.len(), file.display())?;
        return Ok(());
    }
    match std::str::from_utf8(input) {
        Ok(text) if text.len() <= 4096 => writeln!(out, "its input is {text:?}")?,
        _ => {
            let shown = input.iter().take(2048).map(|byte| format!("{byte:02x}")).collect::<String>();
            writeln!(
                out,
                "its input ({} bytes, --out writes it to a file) begins with {shown}",
                input.len()
            )?;
        }
    }
    Ok(())
}
