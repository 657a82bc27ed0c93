//! `lint`: all findings of reading and of the whole script, and the repaired texts.

use crate::input::{Input, Loaded, Program, is_about_tags};
use diag::{Diagnostic, SourceMap};

/// The findings in the inputs.
pub struct LintReport {
    /// The texts that the findings point into.
    pub sources: SourceMap,
    /// The findings by place.
    pub findings: Vec<Diagnostic>,
    /// For each file that edits would change: its name and new text.
    pub fixed: Vec<(String, String)>,
}

impl LintReport {
    /// True when the inputs cannot be used as they are.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        self.findings.iter().any(|f| f.is_error() && !is_about_tags(f))
    }

    /// True when an SV-LIB script lacks only the tags that make it fully well-formed.
    #[must_use]
    pub fn lacks_tags(&self) -> bool {
        self.findings.iter().any(is_about_tags)
    }
}

/// Reads the inputs and runs all lints.
#[must_use]
pub fn lint(inputs: Vec<Input>) -> LintReport {
    let mut loaded = Loaded::read(inputs);
    if let Program::Script(builder) = &loaded.program {
        loaded.findings.extend(svlib::lint::lint(&loaded.terms, &builder.state));
        loaded.findings.sort_by_key(|f| (f.span.start, f.span.end, f.code));
    }
    let edits = svlib::lint::edits(&loaded.findings);
    let fixed = loaded
        .files
        .iter()
        .map(|&file| (file, svlib::lint::apply_fixes(&loaded.sources, file, &edits)))
        .filter(|(file, text)| text != loaded.sources.text(*file))
        .map(|(file, text)| (loaded.sources.name(file).to_string(), text))
        .collect();
    LintReport { sources: loaded.sources, findings: loaded.findings, fixed }
}
