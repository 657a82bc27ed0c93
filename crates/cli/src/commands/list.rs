//! `svarog list`: what this build can do, from the registries.

use crate::io::{self, Error};
use crate::status::Status;
use clap::ValueEnum;
use serde_json::{Value, json};

/// List what this build has: engines, formats, solvers, specifications, lints
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to list
    #[arg(value_enum)]
    what: What,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    Engines,
    Formats,
    Lints,
    Solvers,
    Specs,
}

pub(crate) fn run(args: &Args) -> Result<Status, Error> {
    let rows = rows(args.what);
    if args.json {
        let rows: Vec<Value> = rows
            .into_iter()
            .map(|row| json!({ "name": row[0], "kind": row[1], "summary": row[2] }))
            .collect();
        io::print(format!("{}\n", Value::Array(rows)))?;
        return Ok(Status::Fine);
    }
    if rows.is_empty() {
        io::complain("none in this build");
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    let text: String =
        rows.iter().map(|row| format!("{:first$}  {:second$}  {}\n", row[0], row[1], row[2])).collect();
    io::print(&text)?;
    Ok(Status::Fine)
}

fn rows(what: What) -> Vec<[String; 3]> {
    match what {
        What::Engines => {
            let programs =
                driver::ENGINES.iter().map(|info| (info.name, "programs", info.shows, info.summary));
            let systems =
                driver::SYSTEM_ENGINES.iter().map(|info| (info.name, "systems", info.shows, info.summary));
            let clauses =
                driver::HORN_ENGINES.iter().map(|info| (info.name, "clauses", info.shows, info.summary));
            let row = |(name, of, shows, summary): (&str, &str, &str, &str)| {
                [name.into(), format!("{of}: shows {shows}"), summary.into()]
            };
            programs.chain(systems).chain(clauses).map(row).collect()
        }
        What::Specs => driver::SPECS
            .iter()
            .map(|spec| {
                let (summary, options) = driver::spec_summary(spec);
                let names: Vec<String> = options.into_iter().map(|(name, ..)| name).collect();
                let options = if names.is_empty() {
                    "no options".into()
                } else {
                    format!("--with {}", names.join(","))
                };
                [spec.name.into(), options, summary]
            })
            .collect(),
        What::Formats => driver::formats()
            .iter()
            .map(|info| {
                let ways = match (info.reads, info.writes) {
                    (true, true) => "read, write",
                    (true, false) => "read",
                    (false, _) => "write",
                };
                let endings: Vec<String> = info.endings.iter().map(|e| format!(".{e}")).collect();
                [info.name.into(), ways.into(), format!("{} ({})", info.summary, endings.join(" "))]
            })
            .collect(),
        What::Lints => diag::codes::CODES
            .iter()
            .map(|info| [info.code.to_string(), info.severity.word().into(), info.title().into()])
            .collect(),
        What::Solvers => driver::solvers()
            .iter()
            .map(|info| {
                let version = (info.version)().unwrap_or_else(|error| format!("not usable: {error}"));
                [info.name.into(), format!("{} {version}", info.kind.as_str()), info.summary.into()]
            })
            .collect(),
    }
}
