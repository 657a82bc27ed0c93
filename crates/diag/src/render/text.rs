//! Plain text: one header line that tools can match (`file:line:column: severity[CODE]: message`), then the
//! source line with carets. Lines are cut to a window, so no input makes the output large.

use crate::{Diagnostic, SourceMap, Span};
use std::fmt::Write;

/// Renders one diagnostic; the text ends with a line break.
#[must_use]
pub fn text(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let mut out = String::new();
    let place = sources.locate(diagnostic.span.start);
    let (severity, code) = (diagnostic.severity.word(), diagnostic.code);
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{}:{}:{}: {severity}[{code}]: {}",
        place.file, place.line, place.column, diagnostic.message
    );
    snippet(&mut out, sources, diagnostic.span, place.line);
    for note in &diagnostic.notes {
        match note.span {
            Some(span) => {
                let place = sources.locate(span.start);
                let _ =
                    writeln!(out, "{}:{}:{}: note: {}", place.file, place.line, place.column, note.message);
                snippet(&mut out, sources, span, place.line);
            }
            None => {
                let _ = writeln!(out, "  = note: {}", note.message);
            }
        }
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, "  = help: {help}");
    }
    out
}

fn snippet(out: &mut String, sources: &SourceMap, span: Span, line: usize) {
    let (window, column) = sources.line_window(span.start);
    let shown: String = window.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let wanted = sources.slice(span).lines().next().unwrap_or_default().chars().take(200).count().max(1);
    let carets = wanted.min(shown.chars().count().saturating_sub(column)).max(1);
    let number = line.to_string();
    let gutter = " ".repeat(number.len());
    let _ = writeln!(out, " {number} | {shown}");
    let _ = writeln!(out, " {gutter} | {}{}", " ".repeat(column), "^".repeat(carets));
}
