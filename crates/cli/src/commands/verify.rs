//! `svarog verify FILE...` and `svarog verify -`.

use super::format_named;
use super::validate::EntryRequires;
use crate::io::{self, Error};
use crate::status::Status;
use driver::{Dialogue, Format, Loaded, Response, Said, SessionOptions, Verdict, VerifyOptions};
use serde_json::json;
use std::time::Duration;

/// Verify the properties of a task
///
/// Several files are read as one script. `svarog verify -` is a session: commands on standard input are answered as they
/// come. This build looks for violations by concrete executions only; `incorrect` is printed after the trace was
/// replayed by the checker, anything else is `unknown` with the reason on standard error.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The files; - is a session on standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// Seconds for each query
    #[arg(long, default_value_t = 10)]
    timeout: u64,
    /// The seed of random decisions
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Whether the :requires of the called procedure is checked or assumed
    #[arg(long, value_enum, default_value = "check")]
    entry_requires: EntryRequires,
    /// Produce witnesses, whatever the script says
    #[arg(long)]
    produce_witnesses: bool,
    /// Where (get-witness) writes: stdout, stderr or a file; wins over the script's option
    #[arg(long, value_name = "CHANNEL")]
    witness_output_channel: Option<String>,
    /// Let the script name a file for its witnesses
    #[arg(long)]
    allow_file_output: bool,
    /// Write the witness of each answer to this file
    #[arg(long, value_name = "FILE")]
    witness: Option<String>,
    /// Print one JSON object per query
    #[arg(long)]
    json: bool,
    /// The inputs' format, when their names do not tell
    #[arg(long, value_parser = format_named)]
    from: Option<Format>,
}

impl Args {
    fn options(&self) -> (VerifyOptions, SessionOptions) {
        let version = env!("CARGO_PKG_VERSION").to_string();
        let verify = VerifyOptions {
            timeout: Duration::from_secs(self.timeout),
            seed: self.seed,
            assume_entry_requires: self.entry_requires == EntryRequires::Assume,
            version: version.clone(),
            inputs: self.files.clone(),
        };
        let produce_witnesses = self.produce_witnesses || self.witness.is_some();
        (verify, SessionOptions { produce_witnesses, allow_file_output: self.allow_file_output, version })
    }
}

/// Prints responses and keeps the exit status and the witnesses.
struct Speaker<'a> {
    args: &'a Args,
    status: Status,
    witnesses: String,
    failed: Option<Error>,
}

impl Speaker<'_> {
    fn say(&mut self, response: &Response) {
        let result = self.try_say(response);
        self.failed = self.failed.take().or(result.err());
    }

    fn try_say(&mut self, response: &Response) -> Result<(), Error> {
        match response {
            Response::Answer(answer) => {
                for note in &answer.notes {
                    io::complain(&format!("note: {note}"));
                }
                let reason = match &answer.verdict {
                    Verdict::Unknown(reason) | Verdict::Unsupported(reason) => Some(reason),
                    _ => None,
                };
                self.status = self.status.and(match &answer.verdict {
                    Verdict::Correct => Status::Fine,
                    Verdict::Incorrect => Status::Violated,
                    Verdict::Unknown(_) | Verdict::Unsupported(_) => Status::Unknown,
                });
                if let Some(witness) = &answer.witness {
                    self.witnesses.push_str(witness);
                    self.witnesses.push('\n');
                }
                if self.args.json {
                    let certified = matches!(answer.verdict, Verdict::Correct | Verdict::Incorrect);
                    let object = json!({
                        "verdict": answer.verdict.word(),
                        "reason": reason,
                        "certified": certified,
                        "notes": answer.notes,
                        "witness": answer.witness,
                    });
                    return io::print(&format!("{object}\n"));
                }
                if let Some(reason) = reason {
                    io::complain(reason);
                }
                io::print(&format!("{response}\n"))
            }
            _ if self.args.json => Ok(()),
            Response::Witness(text, of_script) => match self.channel(of_script.as_deref()) {
                "stdout" => io::print(&format!("{text}\n")),
                "stderr" => {
                    io::complain(text);
                    Ok(())
                }
                file => io::write(file, &format!("{text}\n")),
            },
            // An error response (no witness for `unknown`, say) does not change what the verdicts say.
            _ => io::print(&format!("{response}\n")),
        }
    }

    fn channel<'b>(&'b self, of_script: Option<&'b str>) -> &'b str {
        self.args.witness_output_channel.as_deref().or(of_script).unwrap_or("stdout")
    }

    fn finish(self) -> Result<Status, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if let Some(file) = &self.args.witness
            && !self.witnesses.is_empty()
        {
            io::write(file, &self.witnesses)?;
        }
        Ok(self.status)
    }
}

pub(crate) fn run(args: &Args) -> Result<Status, Error> {
    let speaker = Speaker { args, status: Status::Fine, witnesses: String::new(), failed: None };
    if args.files.len() == 1 && args.files[0] == "-" && args.from.is_none_or(|f| f == Format::SvLib) {
        return converse(args, speaker);
    }
    let mut speaker = speaker;
    let mut loaded = Loaded::read(io::read_all(&args.files, args.from)?);
    io::complain_about(&loaded.sources, &loaded.findings);
    if loaded.is_bad() {
        let errors = loaded.findings.iter().filter(|f| f.is_error()).count();
        let noun = if errors == 1 { "error" } else { "errors" };
        io::print(&format!("(error \"the input has {errors} {noun}\")\n"))?;
        return Ok(Status::Bad);
    }
    let (options, session) = args.options();
    driver::answer_all(&mut loaded, options, session, |response| speaker.say(&response));
    speaker.finish()
}

/// Reads standard input piece by piece and answers each command when it is complete.
fn converse(args: &Args, mut speaker: Speaker<'_>) -> Result<Status, Error> {
    let (options, session) = args.options();
    let mut dialogue = Dialogue::new("<stdin>", options, session);
    let mut hear = |sources: &diag::SourceMap, said: Said| match said {
        Said::Response(response) => speaker.say(&response),
        Said::Findings(findings) => {
            if findings.iter().any(diag::Diagnostic::is_error) {
                speaker.status = speaker.status.and(Status::Bad);
            }
            io::complain_about(sources, &findings);
        }
    };
    io::read_pieces(|piece| dialogue.push(piece, &mut hear))?;
    dialogue.end(&mut hear);
    speaker.finish()
}
