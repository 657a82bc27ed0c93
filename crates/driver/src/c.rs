//! C programs: read, checked, drawn. A program that went through a preprocessor keeps its own text, and findings are shown
//! there.

use crate::convert::ConvertError;
use crate::lint::LintReport;
use cfront::DataModel;
use cfront::ast::Unit;
use diag::{Diagnostic, FileId, SourceMap, Span, codes};

/// A C program.
pub struct CSource {
    /// The name, as the user gave it.
    pub name: String,
    /// The user's text.
    pub text: Vec<u8>,
    /// What a preprocessor made of it, if it had to.
    pub preprocessed: Option<Vec<u8>>,
    /// The sizes of types.
    pub model: DataModel,
}

/// A C program that was read.
pub struct CProgram {
    /// The texts.
    pub sources: SourceMap,
    /// The program. Its places are in what was parsed.
    pub unit: Unit,
    /// What was noticed, with places in the user's text where they are known.
    pub findings: Vec<Diagnostic>,
}

impl CProgram {
    /// True when the program cannot be used.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        self.findings.iter().any(Diagnostic::is_error)
    }
}

/// Adds a text; what is too large is reported at the beginning of an empty one.
fn add(sources: &mut SourceMap, name: &str, bytes: &[u8]) -> Result<FileId, Box<Diagnostic>> {
    sources
        .add_binary(name, bytes)
        .map_err(|error| Box::new(Diagnostic::new(codes::SMT005, Span::default(), error.to_string())))
}

/// Reads a program into a map of sources.
fn read_into(sources: &mut SourceMap, source: &CSource) -> Result<(Unit, Vec<Diagnostic>), Box<Diagnostic>> {
    let own = add(sources, &source.name, &source.text)?;
    let Some(text) = &source.preprocessed else {
        let mut unit = cfront::parse(&source.text, sources.base(own), source.model);
        let findings = std::mem::take(&mut unit.findings);
        return Ok((unit, findings));
    };
    let file = add(sources, &format!("{} (preprocessed)", source.name), text)?;
    let mut unit = cfront::parse(text, sources.base(file), source.model);
    let findings = std::mem::take(&mut unit.findings);
    let places = Places::new(&unit, sources, source, text, sources.base(file), own);
    // Warnings about headers are nobody's concern here.
    let is_wanted = |finding: &Diagnostic| finding.is_error() || places.is_own(finding.span);
    let findings = findings.into_iter().filter(is_wanted).map(|finding| places.back(finding));
    let mut findings: Vec<Diagnostic> = findings.collect();
    findings.sort_by_key(|f| (f.span.start, f.span.end, f.code));
    Ok((unit, findings))
}

/// Findings about a program that was read into a map of sources as its first texts, at their places in the user's text.
pub(crate) fn shown(
    findings: Vec<Diagnostic>,
    source: &CSource,
    unit: &Unit,
    sources: &SourceMap,
) -> Vec<Diagnostic> {
    let mut files = sources.files();
    let (Some(text), Some(own), Some(file)) = (&source.preprocessed, files.next(), files.next()) else {
        return findings;
    };
    let places = Places::new(unit, sources, source, text, sources.base(file), own);
    findings.into_iter().map(|finding| places.back(finding)).collect()
}

/// Reads a program.
///
/// # Errors
/// A finding when the text is too large to have places.
pub fn read_c(source: &CSource) -> Result<CProgram, Box<Diagnostic>> {
    let mut sources = SourceMap::default();
    let (unit, findings) = read_into(&mut sources, source)?;
    Ok(CProgram { sources, unit, findings })
}

/// The control-flow automata of a program as a graph.
///
/// # Errors
/// The texts and findings of a program that cannot be used.
pub fn draw_c(source: &CSource) -> Result<String, ConvertError> {
    let program = match read_c(source) {
        Ok(program) if !program.is_bad() => program,
        Ok(program) => return Err(ConvertError::Bad(Box::new(program.sources), program.findings)),
        Err(error) => return Err(ConvertError::NoWay(error.message)),
    };
    let text = source.preprocessed.as_ref().unwrap_or(&source.text);
    // What was parsed is the last text that was added.
    let base = program.sources.files().last().map_or(0, |file| program.sources.base(file));
    Ok(cfront::cfa::dot(&program.unit, text, base))
}

/// The findings in C programs.
#[must_use]
pub fn lint_c(programs: &[CSource]) -> LintReport {
    let mut report = LintReport { sources: SourceMap::default(), findings: Vec::new(), fixed: Vec::new() };
    for program in programs {
        match read_into(&mut report.sources, program) {
            Ok((_, findings)) => report.findings.extend(findings),
            Err(error) => report.findings.push(*error),
        }
    }
    report
}

/// The way from preprocessed text back to the user's.
struct Places<'a> {
    unit: &'a Unit,
    sources: &'a SourceMap,
    source: &'a CSource,
    text: &'a [u8],
    base: u32,
    own: FileId,
    /// Where the lines of the user's text begin.
    starts: Vec<usize>,
}

impl<'a> Places<'a> {
    fn new(
        unit: &'a Unit,
        sources: &'a SourceMap,
        source: &'a CSource,
        text: &'a [u8],
        base: u32,
        own: FileId,
    ) -> Places<'a> {
        let ends = source.text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Places { unit, sources, source, text, base, own, starts }
    }

    /// The file and line that a place in the preprocessed text came from.
    fn origin(&self, span: Span) -> Option<(&str, u32)> {
        let is_here = span.start >= self.base && (span.start - self.base) as usize <= self.text.len();
        if is_here { self.unit.lines.origin(self.text, self.base, span.start) } else { None }
    }

    /// True when a place came from the user's text.
    fn is_own(&self, span: Span) -> bool {
        self.origin(span).is_some_and(|(file, _)| file == self.source.name)
    }

    /// A finding at its place in the user's text.
    fn back(&self, mut finding: Diagnostic) -> Diagnostic {
        let Some((file, line)) = self.origin(finding.span) else { return finding };
        if file == self.source.name
            && let Some(span) = self.locate(finding.span, line)
        {
            finding.span = span;
        } else {
            finding = finding.note(format!("this is line {line} of {file}"));
        }
        for note in &mut finding.notes {
            let Some(span) = note.span else { continue };
            let Some((file, line)) = self.origin(span) else { continue };
            if file == self.source.name {
                note.span = self.locate(span, line).or(note.span);
            }
        }
        finding
    }

    /// The same text in the user's line: as often as it occurs before it in the preprocessed line. If a macro made it, the
    /// whole line is the place.
    fn locate(&self, span: Span, line: u32) -> Option<Span> {
        let (start, end) = ((span.start - self.base) as usize, (span.end - self.base) as usize);
        let first = self.text[..start].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let last =
            self.text[start..].iter().position(|&byte| byte == b'\n').map_or(self.text.len(), |n| start + n);
        let wanted = &self.text[start..end.clamp(start, last)];
        let own = *self.starts.get((line as usize).checked_sub(1)?)?;
        let row = self.source.text.get(own..)?.split(|&byte| byte == b'\n').next()?;
        let base = self.sources.base(self.own);
        let whole = {
            let indent = row.len() - row.trim_ascii_start().len();
            let end = own + row.trim_ascii_end().len().max(indent);
            Span::new(base + (own + indent) as u32, base + end as u32)
        };
        if wanted.is_empty() {
            return Some(whole);
        }
        let before =
            occurrences(&self.text[first..last], wanted).take_while(|&at| first + at < start).count();
        let found = occurrences(row, wanted).nth(before);
        Some(found.map_or(whole, |at| {
            let start = base + (own + at) as u32;
            Span::new(start, start + wanted.len() as u32)
        }))
    }
}

/// Where a text occurs in a line.
fn occurrences<'a>(line: &'a [u8], wanted: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    line.windows(wanted.len()).enumerate().filter(move |(_, window)| *window == wanted).map(|(at, _)| at)
}
