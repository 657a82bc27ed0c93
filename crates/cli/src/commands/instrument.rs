//! `svarog instrument PROG.c --spec NAME|FILE.ia` and `svarog instrument --strip OUT.c`.

use super::data_model;
use crate::io::{self, Error};
use crate::preprocess;
use crate::status::Status;
use driver::{DataModel, Format, Harness, InstrumentError, Origin, SpecSource};
use serde_json::{Value, json};

/// Weave a specification into a C program, so that it becomes reachability of an error function
///
/// A program with directives goes through the system's preprocessor (`cc -E`) first, and what comes out of that is
/// instrumented. Everything that is not instrumented stays byte for byte; --strip gives back the input, also the file before
/// the preprocessor. What the specification does not cover in the program is said on standard error. Nothing is
/// written if anything is wrong. Exit status: 0 written, 2 bad input or usage, 3 an operation has no place in the text.
///
/// Examples: svarog instrument program.c --spec no-overflow -o checked.c; svarog instrument program.c --spec own.ia --map
/// map.json; svarog instrument --strip checked.c; svarog instrument program.c --spec termination --harness afl -o fuzz.c
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program; - is standard input
    input: String,
    /// The specification: a name of `svarog list specs`, or a file
    #[arg(long, value_name = "NAME|FILE.ia", required_unless_present_any = ["strip", "property"])]
    spec: Option<String>,
    /// The specification for a property file of SV-COMP
    #[arg(long, value_name = "FILE.prp", conflicts_with_all = ["spec", "strip"])]
    property: Option<String>,
    /// Turn an option of the specification on, or off with `no-` before its name
    #[arg(long = "with", value_name = "OPTION", value_delimiter = ',', conflicts_with = "strip")]
    options: Vec<String>,
    /// Where to write; - is standard output
    #[arg(short, long, default_value = "-")]
    output: String,
    /// Write where every new piece came from, as JSON (docs/instrument.md)
    #[arg(long, value_name = "FILE", conflicts_with = "strip")]
    map: Option<String>,
    /// Add a driver with which this tool runs the program
    #[arg(long, value_name = "afl|klee|libfuzzer", value_parser = harness, conflicts_with = "strip")]
    harness: Option<Harness>,
    /// Give back the program that was instrumented
    #[arg(long, conflicts_with = "spec")]
    strip: bool,
    /// The sizes of types
    #[arg(long, value_name = "ILP32|LP64", default_value = "LP64", value_parser = data_model)]
    data_model: DataModel,
}

fn harness(name: &str) -> Result<Harness, String> {
    let found = driver::HARNESSES.iter().find(|(known, _)| *known == name);
    found.map(|(_, harness)| *harness).ok_or_else(|| {
        let known: Vec<&str> = driver::HARNESSES.iter().map(|(name, _)| *name).collect();
        format!("expected one of {}", known.join(", "))
    })
}

pub(crate) fn run(args: &Args) -> Result<Status, Error> {
    if args.strip {
        return strip(args);
    }
    if args.output == "-" && args.map.as_deref() == Some("-") {
        return Err(Error::Usage("the program and its map cannot both go to standard output".into()));
    }
    let spec = spec(args)?;
    let source = preprocess::read(&args.input, Some(Format::C), args.data_model)?;
    let done = match driver::instrument(&source, &spec, args.harness) {
        Ok(done) => done,
        Err(InstrumentError::Bad(sources, findings)) => {
            io::complain_about(&sources, &findings);
            let is_bad = findings.iter().any(|f| f.is_error() && f.code != diag::codes::W001);
            return Ok(if is_bad { Status::Bad } else { Status::Unknown });
        }
        Err(InstrumentError::NoOption(name, known)) => {
            let known = if known.is_empty() { "it has none".into() } else { known.join(", ") };
            return Err(Error::Usage(format!("{} has no option `{name}`: {known}", spec.name)));
        }
        Err(InstrumentError::TooLarge(message)) => return Err(Error::Usage(message)),
    };
    io::complain_about(&done.sources, &done.findings);
    if let Some(file) = &args.map {
        // The map comes first: without its program it is useless, the other way round it would be missed.
        io::write(file, format!("{:#}\n", map(args, &spec, &done.map)))?;
    }
    io::write(&args.output, &done.text)?;
    Ok(Status::Fine)
}

/// The specification that was asked for.
fn spec(args: &Args) -> Result<SpecSource, Error> {
    let options = args.options.iter().map(|name| match name.strip_prefix("no-") {
        Some(name) => (name.to_owned(), false),
        None => (name.clone(), true),
    });
    let options = options.collect();
    let read = |name: &str| std::fs::read(name).map_err(|e| Error::Read(name.into(), e));
    let shipped = match (&args.spec, &args.property) {
        (_, Some(file)) => {
            let text = String::from_utf8_lossy(&read(file)?).into_owned();
            let found = driver::spec_of_property(&text);
            found.map_err(|what| Error::Usage(format!("no specification ships for the property {what}")))?
        }
        (Some(name), None) => match driver::SPECS.iter().find(|spec| spec.name == name) {
            Some(spec) => spec,
            None if name.contains(['.', '/']) => {
                return Ok(SpecSource { name: name.clone(), text: read(name)?, options });
            }
            None => {
                let known: Vec<&str> = driver::SPECS.iter().map(|spec| spec.name).collect();
                return Err(Error::Usage(format!(
                    "no specification is called {name}; those that ship are {}; a file has a name with a dot",
                    known.join(", ")
                )));
            }
        },
        (None, None) => return Err(Error::Usage("give a specification with --spec".into())),
    };
    Ok(SpecSource { name: format!("{}.ia", shipped.name), text: shipped.text.into(), options })
}

/// The origins of pieces as JSON.
fn map(args: &Args, spec: &SpecSource, pieces: &[Origin]) -> Value {
    let piece = |piece: &Origin| {
        let mut object = json!({
            "kind": piece.kind,
            "output": [piece.output.0, piece.output.1],
            "input": [piece.input.0, piece.input.1],
            "file": piece.line.0,
            "line": piece.line.1,
        });
        if let (Some((start, end, line)), Some(fields)) = (piece.transition, object.as_object_mut()) {
            fields.insert("transition".into(), json!({ "bytes": [start, end], "line": line }));
        }
        object
    };
    json!({
        "input": args.input,
        "specification": spec.name,
        "pieces": pieces.iter().map(piece).collect::<Vec<Value>>(),
    })
}

fn strip(args: &Args) -> Result<Status, Error> {
    let input = io::read(&args.input, Some(Format::C))?;
    match driver::strip(&input.bytes) {
        Ok(text) => {
            io::write(&args.output, &text)?;
            Ok(Status::Fine)
        }
        Err(error) => {
            io::complain(&format!("{}: {error}", input.name));
            Ok(Status::Bad)
        }
    }
}
