//! `svarog lint FILE...`.

use super::{data_model, format_named};
use crate::io::{self, Error};
use crate::preprocess;
use crate::status::Status;
use clap::ValueEnum;
use driver::{DataModel, Format, LintReport};

/// Check well-formedness and report smells, each with code and place
///
/// Several SV-LIB files are read as one script, in the order given. Exit status: 0 nothing worse than warnings, 1 only
/// tags are missing that witnesses need (or warnings with --deny-warnings), 2 the input cannot be used.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The files; - is standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// How to print the findings
    #[arg(long, value_enum, default_value = "text")]
    output_format: Output,
    /// Short for --output-format json
    #[arg(long, conflicts_with = "output_format")]
    json: bool,
    /// Repair what can be repaired, in place: missing tags, header lines, old spellings
    #[arg(long)]
    fix: bool,
    /// Exit with status 1 if there are warnings
    #[arg(long)]
    deny_warnings: bool,
    /// The sizes of types in C programs
    #[arg(long, value_name = "ILP32|LP64", default_value = "LP64", value_parser = data_model)]
    data_model: DataModel,
    /// The inputs' format, when their names do not tell
    #[arg(long, value_parser = format_named)]
    from: Option<Format>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    Text,
    Json,
    Sarif,
}

pub(crate) fn run(args: &Args) -> Result<Status, Error> {
    if args.fix && args.files.iter().any(|name| name == "-") {
        return fix_stdin(args);
    }
    let is_c = |name: &String| args.from.or_else(|| Format::of_path(name)) == Some(Format::C);
    if args.files.iter().any(is_c) {
        return lint_c(args);
    }
    let mut report = driver::lint(io::read_all(&args.files, args.from)?);
    if args.fix && !report.is_bad() {
        for (name, text) in &report.fixed {
            io::write(name, text)?;
        }
        // What is printed is what is left after the repair.
        report = driver::lint(io::read_all(&args.files, args.from)?);
    }
    print(args, &report)?;
    Ok(status(args, &report))
}

/// C programs are checked by themselves, each with its own preprocessing.
fn lint_c(args: &Args) -> Result<Status, Error> {
    if args.fix {
        return Err(Error::Usage("nothing in C programs can be repaired mechanically".into()));
    }
    let read = |name: &String| match args.from.or_else(|| Format::of_path(name)) {
        Some(Format::C) => preprocess::read(name, args.from, args.data_model),
        _ => Err(Error::Usage("C programs are checked apart from other inputs".into())),
    };
    let programs = args.files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let report = driver::lint_c(&programs);
    print(args, &report)?;
    Ok(status(args, &report))
}

fn print(args: &Args, report: &LintReport) -> Result<(), Error> {
    let output = if args.json { Output::Json } else { args.output_format };
    let text = match output {
        Output::Text => report.findings.iter().map(|f| diag::render::text(&report.sources, f)).collect(),
        Output::Json => format!("{:#}\n", diag::render::json(&report.sources, &report.findings)),
        Output::Sarif => {
            format!(
                "{:#}\n",
                diag::render::sarif(&report.sources, &report.findings, env!("CARGO_PKG_VERSION"))
            )
        }
    };
    io::print(&text)
}

/// Standard input is repaired to standard output; what is left goes to standard error.
fn fix_stdin(args: &Args) -> Result<Status, Error> {
    if args.files.len() > 1 {
        return Err(Error::Usage("--fix repairs standard input or files, not both at once".into()));
    }
    let mut input = io::read("-", args.from)?;
    let mut report = driver::lint(vec![input.clone()]);
    if !report.is_bad() {
        if let Some((_, text)) = report.fixed.pop() {
            input.bytes = text.into_bytes();
        }
        io::print(&input.bytes)?;
        report = driver::lint(vec![input]);
    }
    io::complain_about(&report.sources, &report.findings);
    Ok(status(args, &report))
}

fn status(args: &Args, report: &LintReport) -> Status {
    if report.is_bad() {
        Status::Bad
    } else if report.lacks_tags() || (args.deny_warnings && !report.findings.is_empty()) {
        Status::Violated
    } else {
        Status::Fine
    }
}
