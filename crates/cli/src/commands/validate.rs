//! `svarog validate TASK... WITNESS`.

use super::common::Common;
use crate::io::{self, Error};
use crate::processes::Processes;
use crate::status::Status;
use driver::{Format, Input, Validation};
use serde_json::json;

/// Judge a witness for a task: confirmed, rejected or unknown
///
/// Violation witnesses are replayed step by step; correctness witnesses are judged by verification conditions and a
/// solver, in a process of its own. Exit status: 0 confirmed, 1 rejected, 2 bad input, 3 unknown.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The files of the task, and the witness as the last one
    #[arg(required = true, num_args = 2.., value_names = ["TASK", "WITNESS"])]
    files: Vec<String>,
    #[command(flatten)]
    common: Common,
    /// Print one JSON object per query
    #[arg(long)]
    json: bool,
}

fn line(args: &Args, result: &Validation) -> String {
    match args.json {
        true => format!("{}\n", json!({ "result": result.word(), "reason": result.reason() })),
        false => format!("{}\n", result.word()),
    }
}

pub(crate) fn run(args: &Args) -> Result<Status, Error> {
    let last_words = line(args, &Validation::Unknown("interrupted".into()));
    let mut workers = Processes::new(last_words, args.common.worker_program.clone());
    let control = workers.control();
    control.open(None);
    let mut inputs = io::read_all(&args.files, Some(Format::SvLib))?;
    let Some(witness) = inputs.pop() else {
        return Err(Error::Usage("a task and a witness are needed".into()));
    };
    let (mut status, mut failed) = (None, None);
    let say = |result: Validation| {
        if let Some(reason) = result.reason().filter(|_| !args.json) {
            io::complain(reason);
        }
        let said = control.answer(|| io::print(line(args, &result)));
        failed = failed.take().or(said.err());
        let this = match result {
            Validation::Confirmed => Status::Fine,
            Validation::Rejected(_) => Status::Violated,
            Validation::Unknown(_) => Status::Unknown,
        };
        status = Some(status.map_or(this, |status: Status| status.and(this)));
    };
    let options = args.common.options();
    let (sources, findings) = match (inputs.as_slice(), Format::of_path(&args.files[0])) {
        ([_], Some(format @ (Format::System(_) | Format::SmtLib))) => {
            let task = Input { format, ..inputs.remove(0) };
            driver::validate_model(task, witness, &options, &mut workers, say)
        }
        _ => driver::validate(inputs, witness, &options, &mut workers, say),
    };
    if let Some(error) = failed {
        return Err(error);
    }
    if status.is_none() && findings.iter().any(diag::Diagnostic::is_error) {
        io::complain_about(&sources, &findings);
        return Ok(Status::of_refused(&findings));
    }
    status.ok_or_else(|| Error::Usage("the task has no verify-call".into()))
}
