//! One JSON array with an object per diagnostic. The fields are stable and documented in `docs/json.md`.

use crate::{Diagnostic, SourceMap, Span};
use serde_json::{Value, json};

/// All diagnostics as a JSON array.
#[must_use]
pub fn json(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Value {
    diagnostics.iter().map(|d| object(sources, d)).collect()
}

fn object(sources: &SourceMap, diagnostic: &Diagnostic) -> Value {
    let notes: Vec<Value> = diagnostic
        .notes
        .iter()
        .map(|note| json!({ "message": note.message, "place": note.span.map(|span| place(sources, span)) }))
        .collect();
    let fix: Vec<Value> = diagnostic
        .fix
        .iter()
        .map(|edit| json!({ "place": place(sources, edit.span), "text": edit.text }))
        .collect();
    json!({
        "code": diagnostic.code.name(),
        "severity": diagnostic.severity.word(),
        "message": diagnostic.message,
        "place": place(sources, diagnostic.span),
        "notes": notes,
        "help": diagnostic.help,
        "fix": fix,
    })
}

fn place(sources: &SourceMap, span: Span) -> Value {
    let (start, end) = (sources.locate(span.start), sources.locate(span.end));
    let base = sources.file_at(span.start).map_or(0, |file| sources.base(file));
    json!({
        "file": start.file,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "offset": span.start.saturating_sub(base),
        "length": span.end.saturating_sub(span.start),
    })
}
