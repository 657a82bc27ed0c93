//! `svarog verify FILE...` and `svarog verify -`.

use super::common::Common;
use super::format_named;
use crate::control::Control;
use crate::io::{self, Error};
use crate::processes::Processes;
use crate::status::Status;
use clap::ValueEnum;
use diag::{SourceMap, Span};
use driver::{
    Answer, Channels, Dialogue, Format, Loaded, Response, Said, SessionOptions, Speech, Verdict,
    VerifyOptions,
};
use serde_json::{Value, json};

/// Verify the properties of a task
///
/// Several files of a program are read as one script. `svarog verify -` is a session: commands on standard input are answered
/// as they come. Of a transition system (`svarog list formats`) every property is answered, with its number if there are
/// several. Engines run as processes of their own, several at once; `correct` and `incorrect` are printed only after the
/// checker has accepted the evidence, anything else is `unknown` with the reason on standard error.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The files; - is a session on standard input
    #[arg(required = true)]
    files: Vec<String>,
    #[command(flatten)]
    common: Common,
    /// Use these engines only, separated by commas (`svarog list engines`)
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = engine)]
    engine: Vec<String>,
    /// How many engines run at once; as many as the machine has cores if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// The seed of random decisions
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Produce witnesses, whatever the script says
    #[arg(long)]
    produce_witnesses: bool,
    /// Where (get-witness) writes: stdout, stderr or a file; wins over the script's option
    #[arg(long, value_name = "CHANNEL")]
    witness_output_channel: Option<String>,
    /// Let the script name files for its witnesses, responses and diagnostics
    #[arg(long)]
    allow_file_output: bool,
    /// Write the witness of each answer to this file
    #[arg(long, value_name = "FILE")]
    witness: Option<String>,
    /// The form of evidence about transition systems
    #[arg(long, value_enum, default_value = "own")]
    witness_format: WitnessFormat,
    /// Look at this property of a transition system only
    #[arg(long, value_name = "INDEX")]
    property: Option<u64>,
    /// Let the engines look at programs and systems as they are, not at smaller ones
    #[arg(long)]
    no_preprocess: bool,
    /// Print one JSON object per query
    #[arg(long)]
    json: bool,
    /// Say on standard error how long what took
    #[arg(long)]
    stats: bool,
    /// The inputs' format, when their names do not tell
    #[arg(long, value_parser = format_named)]
    from: Option<Format>,
}

/// The form of evidence about transition systems.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WitnessFormat {
    /// That of the task's language where it has one, else VMT-LIB
    Own,
    /// VMT-LIB
    Vmt,
}

/// An engine's name on the command line.
fn engine(name: &str) -> Result<String, String> {
    let programs = driver::ENGINES.iter().map(|info| info.name);
    let mut known: Vec<&str> = programs.chain(driver::SYSTEM_ENGINES.iter().map(|info| info.name)).collect();
    known.extend(driver::HORN_ENGINES.iter().map(|info| info.name));
    if known.contains(&name) {
        return Ok(name.into());
    }
    known.sort_unstable();
    known.dedup();
    Err(format!("expected some of {}", known.join(", ")))
}

impl Args {
    fn options(&self) -> (VerifyOptions, SessionOptions) {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let verify = VerifyOptions {
            jobs: self.jobs.map_or_else(cores, usize::from),
            engines: self.engine.clone(),
            seed: self.seed,
            property: self.property,
            preprocess: !self.no_preprocess,
            own_evidence: self.witness_format == WitnessFormat::Own
                && (self.witness.is_some() || self.produce_witnesses),
            inputs: self.files.clone(),
            ..self.common.options()
        };
        let session = SessionOptions {
            produce_witnesses: self.produce_witnesses || self.witness.is_some(),
            allow_file_output: self.allow_file_output,
            version: verify.version.clone(),
        };
        (verify, session)
    }

    /// Workers, and what they have to do with signals.
    fn workers(&self) -> Processes {
        let interrupted = Answer::without(Verdict::Unknown("interrupted".into()));
        let last_words =
            if self.json { json_line(&interrupted, None, None, None) } else { "unknown\n".into() };
        Processes::new(last_words, self.common.worker_program.clone())
    }
}

/// An answer as JSON; the fields are documented in `docs/json.md`.
fn json_line(
    answer: &Answer,
    property: Option<u64>,
    place: Option<Value>,
    witness_file: Option<&str>,
) -> String {
    let report = &answer.report;
    let mut seconds: serde_json::Map<String, Value> =
        report.phases.iter().map(|(name, time)| (name.clone(), json!(time.as_secs_f64()))).collect();
    seconds.insert("total".into(), json!(report.total.as_secs_f64()));
    let object = json!({
        "place": place,
        "property": property,
        "verdict": answer.verdict.word(),
        "reason": reason(answer),
        "certified": matches!(answer.verdict, Verdict::Correct | Verdict::Incorrect),
        "engine": report.engine,
        "solver": report.solver,
        "checker": report.checker,
        "seconds": seconds,
        "peak_kib": report.peak_kib,
        "reused": report.reused,
        "notes": answer.notes,
        "witness": answer.witness,
        "witness_file": witness_file.filter(|_| answer.witness.is_some()),
    });
    format!("{object}\n")
}

/// How long what took, one line each.
fn stats(answer: &Answer, place: &str) -> String {
    let report = &answer.report;
    let how = if report.reused { " (answered before)" } else { "" };
    let mut text = format!("{place}: {}{how}\n", answer.verdict.word());
    let total = ("total".to_string(), report.total);
    for (name, time) in report.phases.iter().chain([&total]) {
        text.push_str(&format!("  {name:<12}{:>10.3} s\n", time.as_secs_f64()));
    }
    if let Some(kib) = report.peak_kib {
        text.push_str(&format!("  {:<12}{:>10.1} MiB\n", "memory", kib as f64 / 1024.0));
    }
    text
}

fn reason(answer: &Answer) -> Option<&str> {
    match &answer.verdict {
        Verdict::Unknown(reason) | Verdict::Unsupported(reason) => Some(reason),
        _ => None,
    }
}

/// Prints responses and keeps the exit status and the witnesses.
struct Speaker<'a> {
    args: &'a Args,
    control: &'a Control,
    status: Status,
    witnesses: String,
    failed: Option<Error>,
}

impl Speaker<'_> {
    fn say(&mut self, speech: &Speech<'_>) {
        self.control.clear();
        let result = match &speech.said {
            Said::Response(response) => self.respond(response, speech),
            Said::Findings(findings) => {
                if findings.iter().any(diag::Diagnostic::is_error) {
                    self.status = self.status.and(Status::Bad);
                }
                complain(&speech.channels, &io::findings_text(speech.sources, findings))
            }
        };
        if result.as_ref().is_err_and(Error::is_broken_pipe) {
            self.control.stop();
        }
        self.failed = self.failed.take().or(result.err());
    }

    fn respond(&mut self, response: &Response, speech: &Speech<'_>) -> Result<(), Error> {
        let regular = speech.channels.regular.as_deref().unwrap_or("stdout");
        match response {
            Response::Answer(answer) => self.answer(answer, speech),
            // The query is answered, though nobody wants to hear it.
            _ if self.args.json => self.control.answer(|| Ok(())),
            Response::Witness(text, of_script) => match self.channel(of_script.as_deref()) {
                "stdout" => io::append(regular, &format!("{text}\n")),
                "stderr" => io::append("stderr", &format!("{text}\n")),
                file => io::write(file, format!("{text}\n")),
            },
            // An error response (no witness for `unknown`, say) does not change what the verdicts say.
            _ => self.control.answer(|| io::append(regular, &format!("{response}\n"))),
        }
    }

    fn answer(&mut self, answer: &Answer, speech: &Speech<'_>) -> Result<(), Error> {
        let mut remarks: String = answer.notes.iter().map(|note| format!("note: {note}\n")).collect();
        self.status = self.status.and(match &answer.verdict {
            Verdict::Correct => Status::Fine,
            Verdict::Incorrect => Status::Violated,
            Verdict::Unknown(_) | Verdict::Unsupported(_) => Status::Unknown,
        });
        if let Some(witness) = &answer.witness {
            self.witnesses.push_str(witness);
            self.witnesses.push('\n');
        }
        if let Some(reason) = reason(answer).filter(|_| !self.args.json) {
            remarks.push_str(&format!("{reason}\n"));
        }
        let (file, line, column) = place(speech.sources, speech.at);
        if self.args.stats {
            remarks.push_str(&stats(answer, &format!("{file}:{line}:{column}")));
        }
        complain(&speech.channels, &remarks)?;
        let (channel, text) = if self.args.json {
            let place = json!({ "file": file, "line": line, "column": column });
            ("stdout", json_line(answer, speech.property, Some(place), self.args.witness.as_deref()))
        } else {
            let regular = speech.channels.regular.as_deref().unwrap_or("stdout");
            let index = speech.property.map(|index| format!("{index} ")).unwrap_or_default();
            (regular, format!("{index}{}\n", answer.verdict.word()))
        };
        self.control.answer(|| io::append(channel, &text))
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

/// Says what is no result.
fn complain(channels: &Channels, text: &str) -> Result<(), Error> {
    if text.is_empty() {
        return Ok(());
    }
    io::append(channels.diagnostic.as_deref().unwrap_or("stderr"), text)
}

fn place(sources: &SourceMap, at: Span) -> (String, usize, usize) {
    let place = sources.locate(at.start);
    (place.file.to_string(), place.line, place.column)
}

pub(crate) fn run(args: &Args) -> Result<Status, Error> {
    let workers = args.workers();
    let control = workers.control();
    let speaker =
        Speaker { args, control: &control, status: Status::Fine, witnesses: String::new(), failed: None };
    if args.files.len() == 1 && args.files[0] == "-" && args.from.is_none_or(|f| f == Format::SvLib) {
        return converse(args, speaker, workers);
    }
    let mut speaker = speaker;
    let is_c = |name: &String| args.from.or_else(|| Format::of_path(name)) == Some(Format::C);
    if args.files.iter().any(is_c) {
        io::complain(
            "this build verifies no C programs; `svarog instrument` prepares them for tools that do",
        );
        return give_up(args, "C programs are not verified".into());
    }
    // Whoever is waiting for an answer waits from the first moment on.
    control.open(None);
    let mut loaded = Loaded::read_task(io::read_all(&args.files, args.from)?);
    io::complain_about(&loaded.sources, &loaded.findings);
    if loaded.is_bad() {
        if let Some(reason) = loaded.unsupported() {
            return give_up(args, reason);
        }
        let errors = loaded.findings.iter().filter(|f| f.is_error()).count();
        let noun = if errors == 1 { "error" } else { "errors" };
        io::print(format!("(error \"the input has {errors} {noun}\")\n"))?;
        return Ok(Status::Bad);
    }
    if args.property.is_some() && !loaded.is_model() {
        return Err(Error::Usage("--property is about transition systems; programs have queries".into()));
    }
    let (options, session) = args.options();
    driver::answer_all(&mut loaded, options, session, workers, |speech| speaker.say(&speech));
    speaker.finish()
}

/// Answers that the input is unsupported; why has been said.
fn give_up(args: &Args, reason: String) -> Result<Status, Error> {
    let verdict = Verdict::Unsupported(reason);
    let line = format!("{}\n", verdict.word());
    io::print(if args.json { json_line(&Answer::without(verdict), None, None, None) } else { line })?;
    Ok(Status::Unknown)
}

/// Reads standard input piece by piece and answers each command when it is complete.
fn converse(args: &Args, mut speaker: Speaker<'_>, workers: Processes) -> Result<Status, Error> {
    let (options, session) = args.options();
    let mut dialogue = Dialogue::new("<stdin>", options, session, workers);
    let mut hear = |speech: Speech<'_>| speaker.say(&speech);
    io::read_pieces(|piece| {
        dialogue.push(piece, &mut hear);
        !dialogue.is_over()
    })?;
    if !dialogue.is_over() {
        dialogue.end(&mut hear);
    }
    speaker.finish()
}
