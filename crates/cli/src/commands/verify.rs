//! `svarog verify FILE...`.

use super::format_named;
use crate::io::{self, Error};
use crate::status::Status;
use driver::{Answer, Format, Loaded};
use serde_json::json;

/// Verify the properties of a task
///
/// This build has no verification engine yet: a task that is read without errors is answered `unsupported`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The files, read as one script; - is standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// Print one JSON object per query
    #[arg(long)]
    json: bool,
    /// The inputs' format, when their names do not tell
    #[arg(long, value_parser = format_named)]
    from: Option<Format>,
}

pub(crate) fn run(args: &Args) -> Result<Status, Error> {
    let loaded = Loaded::read(io::read_all(&args.files, args.from)?);
    io::complain_about(&loaded.sources, &loaded.findings);
    if loaded.is_bad() {
        let errors = loaded.findings.iter().filter(|f| f.is_error()).count();
        let noun = if errors == 1 { "error" } else { "errors" };
        io::print(&format!("(error \"the input has {errors} {noun}\")\n"))?;
        return Ok(Status::Bad);
    }
    let queries = driver::queries(&loaded);
    if queries.is_empty() {
        io::complain("svarog: the script asks nothing: there is no verify-call");
    }
    let mut status = Status::Fine;
    for query in queries {
        let Answer::Unsupported(reason) = &query.answer;
        status = status.and(Status::Unknown);
        if args.json {
            let object = json!({ "query": query.what, "verdict": query.answer.word(), "reason": reason });
            io::print(&format!("{object}\n"))?;
        } else {
            io::complain(&format!("{}: {reason}", query.what));
            io::print(&format!("{}\n", query.answer.word()))?;
        }
    }
    Ok(status)
}
