//! `svarog explain CODE`.

use crate::io::{self, Error};
use crate::status::Status;
use diag::Code;

/// Explain a diagnostic code, with an example and its repair
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The code, such as SV107; all codes with their titles when it is missing
    code: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<Status, Error> {
    let Some(wanted) = &args.code else {
        let lines: String =
            diag::codes::CODES.iter().map(|info| format!("{} {}\n", info.code, info.title())).collect();
        io::print(&lines)?;
        return Ok(Status::Fine);
    };
    let Some(code) = Code::find(wanted) else {
        let known = diag::codes::CODES.iter().map(|info| info.code.name());
        let help = diag::closest(&wanted.to_uppercase(), known).map(|name| format!("; did you mean {name}?"));
        let help = help.unwrap_or_else(|| "; `svarog explain` lists all codes".into());
        return Err(Error::Usage(format!("there is no code {wanted}{help}")));
    };
    io::print(code.info().page)?;
    Ok(Status::Fine)
}
