//! `svarog convert IN -o OUT`.

use super::format_named;
use crate::io::{self, Error};
use crate::status::Status;
use driver::{ConvertError, Format};

/// Convert a task from one language to another
///
/// Example: svarog convert program.k2 -o program.svlib
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The task; - is standard input
    input: String,
    /// Where to write; - is standard output
    #[arg(short, long, default_value = "-")]
    output: String,
    /// The input's format, when its name does not tell
    #[arg(long, value_parser = format_named)]
    from: Option<Format>,
    /// The output's format, when its name does not tell
    #[arg(long, value_parser = format_named)]
    to: Option<Format>,
}

pub(crate) fn run(args: &Args) -> Result<Status, Error> {
    let to = args.to.or_else(|| Format::of_path(&args.output)).unwrap_or(Format::SvLib);
    match driver::convert(io::read(&args.input, args.from)?, to) {
        Ok(text) => {
            io::write(&args.output, &text)?;
            Ok(Status::Fine)
        }
        Err(ConvertError::Bad(sources, findings)) => {
            io::complain_about(&sources, &findings);
            Ok(Status::Bad)
        }
        Err(ConvertError::NoWay(message)) => {
            io::complain(&format!("unsupported: {message}"));
            Ok(Status::Unknown)
        }
    }
}
