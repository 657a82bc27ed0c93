//! `svarog fmt FILE...`.

use crate::io::{self, Error};
use crate::status::Status;
use driver::Format;

/// Bring files into canonical layout; comments are kept
///
/// Files are rewritten in place, - from standard input to standard output. Works for SV-LIB, witnesses, SMT-LIB and
/// VMT-LIB.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only say which files would change, with exit status 1 if any would
    #[arg(long)]
    check: bool,
    /// The files; - is standard input
    #[arg(required = true)]
    files: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<Status, Error> {
    let mut status = Status::Fine;
    for name in &args.files {
        if let Some(format) = Format::of_path(name).filter(|format| !format.is_lists()) {
            let format = format.info().name;
            return Err(Error::Usage(format!(
                "{name}: {format} is not made of S-expressions, and has no other layout"
            )));
        }
        // Layout looks at S-expressions only, so any of their formats will do.
        let input = io::read(name, Some(Format::SvLib))?;
        let before = if name == "-" { Vec::new() } else { input.bytes.clone() };
        let (sources, result) = driver::layout(input);
        match result {
            Err(findings) => {
                io::complain_about(&sources, &findings);
                status = status.and(Status::Bad);
            }
            Ok(text) if name == "-" && !args.check => io::print(&text)?,
            Ok(text) => {
                let same = match sources.files().next() {
                    Some(file) => sources.text(file) == text,
                    None => before == text.as_bytes(),
                };
                if same {
                    continue;
                }
                if args.check {
                    io::print(format!("{name}\n"))?;
                    status = status.and(Status::Violated);
                } else {
                    io::write(name, &text)?;
                }
            }
        }
    }
    Ok(status)
}
