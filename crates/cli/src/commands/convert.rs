//! `svarog convert IN -o OUT`.

use super::{data_model, format_named};
use crate::io::{self, Error};
use crate::preprocess;
use crate::status::Status;
use driver::{ConvertError, DataModel, Format, ModelOptions, Reshape};

/// Convert a task from one language to another
///
/// Examples: svarog convert program.k2 -o program.svlib; svarog convert system.vmt -o system.btor2; svarog convert --core
/// extended.vmt -o core.vmt; svarog convert --safety --property 2 live.btor2 -o safe.aig; svarog convert program.c -o
/// program.dot draws control-flow automata
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
    /// The sizes of types in a C program
    #[arg(long, value_name = "ILP32|LP64", default_value = "LP64", value_parser = data_model)]
    data_model: DataModel,
    /// Write integers as bit-vectors of this width, where the target or `--safety` has no integers
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(1..))]
    int_width: Option<u32>,
    /// Write this property of a transition system only
    #[arg(long, value_name = "INDEX")]
    property: Option<u64>,
    /// Make LTL formulas and live properties with several formulas live properties with one formula, and conditions on every
    /// step part of the first state and of steps: from extended to core VMT-LIB
    #[arg(long)]
    core: bool,
    /// Make LTL formulas and live properties invariants, by looking for executions that repeat a state; for systems with
    /// finitely many states
    #[arg(long)]
    safety: bool,
}

pub(crate) fn run(args: &Args) -> Result<Status, Error> {
    let to = args.to.or_else(|| Format::of_path(&args.output)).unwrap_or(Format::SvLib);
    let options = ModelOptions { int_width: args.int_width };
    let reshape = Reshape { property: args.property, core: args.core, safety: args.safety };
    let is_c = args.from.or_else(|| Format::of_path(&args.input)) == Some(Format::C);
    let result = if is_c && to == Format::Dot {
        driver::draw_c(&preprocess::read(&args.input, args.from, args.data_model)?).map(String::into_bytes)
    } else {
        driver::convert(io::read(&args.input, args.from)?, to, reshape, &options)
    };
    match result {
        Ok(bytes) => {
            io::write(&args.output, &bytes)?;
            Ok(Status::Fine)
        }
        Err(ConvertError::Bad(sources, findings)) => {
            io::complain_about(&sources, &findings);
            Ok(Status::of_refused(&findings))
        }
        Err(ConvertError::NoWay(message)) => {
            io::complain(&format!("unsupported: {message}"));
            Ok(Status::Unknown)
        }
    }
}
