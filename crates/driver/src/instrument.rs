//! `instrument`: a specification is woven into a C program, or taken out of it again.

use crate::c::{CSource, read_c, shown};
use cfront::DataModel;
use cfront::ast::Unit;
use cfront::cfa::Cfa;
use diag::{Diagnostic, FileId, SourceMap, Span, codes};
use instrument::plan::Plan;
use instrument::weave::{MapPiece, Program, Woven};

pub use instrument::harness::{HARNESSES, Harness};
pub use instrument::specs::{SPECS, Shipped};
pub use instrument::weave::{StripError, strip};

/// A specification as it was given.
pub struct SpecSource {
    /// The name of its file, or the name under which it ships.
    pub name: String,
    /// Its text.
    pub text: Vec<u8>,
    /// Options of the specification that are turned on or off.
    pub options: Vec<(String, bool)>,
}

/// The summary and the options of a shipped specification, each with its state and what it means.
#[must_use]
pub fn spec_summary(spec: &Shipped) -> (String, Vec<(String, bool, String)>) {
    let read = instrument::ia::parse(spec.text, 0).spec;
    let options = read.options.into_iter().map(|option| (option.name, option.is_on, option.summary));
    (read.summary, options.collect())
}

/// An instrumented program.
pub struct Instrumented {
    /// Its text.
    pub text: Vec<u8>,
    /// Where its pieces came from.
    pub map: Vec<Origin>,
    /// The texts that findings are about.
    pub sources: SourceMap,
    /// What was noticed: above all what the specification does not cover in this program.
    pub findings: Vec<Diagnostic>,
}

/// Where a piece of the output came from.
pub struct Origin {
    /// `inserted`, `replaced` or `moved`.
    pub kind: &'static str,
    /// The first byte in the output and the one after the last.
    pub output: (usize, usize),
    /// The bytes of the input that it stands for, or the place before which it stands.
    pub input: (u32, u32),
    /// The file and line of the input that it is at.
    pub line: (String, u32),
    /// The transition: bytes and line of the specification's file.
    pub transition: Option<(u32, u32, u32)>,
}

/// Why nothing was written.
pub enum InstrumentError {
    /// The program or the specification has errors, or an operation has no place.
    Bad(Box<SourceMap>, Vec<Diagnostic>),
    /// An option that the specification does not have.
    NoOption(String, Vec<String>),
    /// The text is too large.
    TooLarge(String),
}

/// The shipped specification for a property file of SV-COMP, or what the file says if there is none.
///
/// # Errors
/// The property, which is not understood.
pub fn spec_of_property(text: &str) -> Result<&'static Shipped, String> {
    let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let inside = squeezed.split_once("LTL(").map_or("", |(_, rest)| rest).trim_end_matches(')');
    let name = match inside {
        "G!overflow" => "no-overflow",
        "Fend" => "termination",
        "Gvalid-memcleanup" => "memory-cleanup",
        "Gvalid-free" => "valid-free",
        _ if inside.starts_with("G!call(") => "unreach-call",
        _ => return Err(text.trim().to_owned()),
    };
    instrument::specs::named(name).ok_or_else(|| text.trim().to_owned())
}

/// Weaves a specification into a program.
///
/// # Errors
/// When either has errors, or when an operation has no place in the text; nothing is left out.
pub fn instrument(
    source: &CSource,
    spec: &SpecSource,
    harness: Option<Harness>,
) -> Result<Instrumented, InstrumentError> {
    let program = read_c(source).map_err(|error| InstrumentError::TooLarge(error.message))?;
    let (mut sources, mut unit, mut findings) = (program.sources, program.unit, program.findings);
    // What was parsed is the last text that was added.
    let parsed = sources.files().last().map_or(0, |file| sources.base(file));
    let file = sources
        .add_binary(&spec.name, &spec.text)
        .map_err(|error| InstrumentError::TooLarge(error.to_string()))?;
    let text = String::from_utf8_lossy(&spec.text);
    let mut read = instrument::ia::parse(&text, sources.base(file));
    findings.append(&mut read.findings);
    for (name, is_on) in &spec.options {
        match read.spec.options.iter_mut().find(|option| option.name == *name) {
            Some(option) => option.is_on = *is_on,
            None => {
                let known = read.spec.options.iter().map(|option| option.name.clone()).collect();
                return Err(InstrumentError::NoOption(name.clone(), known));
            }
        }
    }
    if findings.iter().any(Diagnostic::is_error) {
        return Err(InstrumentError::Bad(Box::new(sources), findings));
    }
    let cfas = cfront::cfa::automata(&unit);
    let mut plan = instrument::plan(&mut unit, &cfas, &read.spec);
    findings.extend(shown(std::mem::take(&mut plan.findings), source, &unit, &sources));
    let (input, original) = match &source.preprocessed {
        Some(text) => (text, Some(&source.text[..])),
        None => (&source.text, None),
    };
    let mut woven = weave(&mut unit, input, parsed, original, &cfas, &plan);
    if let (Some(harness), Ok(first)) = (harness, &woven) {
        // A driver is about everything that is in the output, so the output is read.
        let output = cfront::parse(&first.text, 0, source.model);
        instrument::harness::add(&mut plan, &output, harness);
        woven = weave(&mut unit, input, parsed, original, &cfas, &plan);
    }
    let woven = woven.and_then(|woven| match invalid(&woven, source.model) {
        None => Ok(woven),
        Some(problem) => Err(vec![problem]),
    });
    match woven {
        Ok(Woven { text, pieces }) => {
            let lines = Lines::new(&unit, input, parsed, &sources, file, &source.name);
            let map = pieces.iter().map(|piece| lines.origin(piece)).collect();
            Ok(Instrumented { text, map, sources, findings })
        }
        Err(problems) => {
            findings.extend(shown(problems, source, &unit, &sources));
            Err(InstrumentError::Bad(Box::new(sources), findings))
        }
    }
}

/// What is wrong with an output: an operation may name what the program does not have at its place.
fn invalid(woven: &Woven, model: DataModel) -> Option<Diagnostic> {
    let output = cfront::parse(&woven.text, 0, model);
    let error = output.findings.iter().find(|finding| finding.is_error())?;
    let at = error.span.start as usize;
    let piece = woven.pieces.iter().find(|piece| (piece.output.0..piece.output.1.max(1)).contains(&at));
    let message = format!("the output is no C program: {}", error.message);
    let problem = Diagnostic::new(codes::W002, piece.map_or(Span::default(), |piece| piece.input), message);
    let from = piece.and_then(|piece| piece.from).filter(|from| *from != Span::default());
    Some(match from {
        Some(from) => problem.note_at(from, "the operation is this one"),
        None => problem,
    })
}

fn weave(
    unit: &mut Unit,
    text: &[u8],
    base: u32,
    original: Option<&[u8]>,
    cfas: &[Cfa],
    plan: &Plan,
) -> Result<Woven, Vec<Diagnostic>> {
    instrument::weave::weave(Program { unit, text, base, original, cfas }, plan)
}

/// Places in the input and in the specification.
struct Lines<'a> {
    unit: &'a Unit,
    /// Where the lines of the input end.
    ends: Vec<u32>,
    parsed: u32,
    sources: &'a SourceMap,
    file: FileId,
    own: &'a str,
}

impl<'a> Lines<'a> {
    fn new(
        unit: &'a Unit,
        input: &[u8],
        parsed: u32,
        sources: &'a SourceMap,
        file: FileId,
        own: &'a str,
    ) -> Lines<'a> {
        let ends =
            input.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| parsed + at as u32);
        Lines { unit, ends: ends.collect(), parsed, sources, file, own }
    }

    /// How many lines end before an address.
    fn lines_before(&self, address: u32) -> u32 {
        self.ends.partition_point(|&end| end < address) as u32
    }

    /// The file and line that an address came from.
    fn line(&self, address: u32) -> (String, u32) {
        let lines = self.lines_before(address);
        match self.unit.lines.marker_at(address) {
            Some(marker) => {
                let file = &self.unit.lines.files[marker.file as usize];
                (file.clone(), marker.line.saturating_add(lines - self.lines_before(marker.start)))
            }
            None => (self.own.to_owned(), lines + 1),
        }
    }

    fn origin(&self, piece: &MapPiece) -> Origin {
        let Span { start, end } = piece.input;
        let base = self.sources.base(self.file);
        let transition = piece.from.filter(|from| *from != Span::default()).map(|from| {
            let line = self.sources.locate(from.start).line as u32;
            (from.start - base, from.end - base, line)
        });
        Origin {
            kind: piece.kind.name(),
            output: piece.output,
            input: (start - self.parsed, end - self.parsed),
            line: self.line(start),
            transition,
        }
    }
}
