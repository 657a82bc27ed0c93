//! SARIF 2.1.0, the interchange format of static-analysis results.

use crate::codes::CODES;
use crate::{Diagnostic, SourceMap, Span};
use serde_json::{Value, json};

/// One SARIF log with one run of `svarog` in the given version.
#[must_use]
pub fn sarif(sources: &SourceMap, diagnostics: &[Diagnostic], version: &str) -> Value {
    let used: Vec<_> = CODES.iter().filter(|info| diagnostics.iter().any(|d| d.code == info.code)).collect();
    let rules: Vec<Value> = used
        .iter()
        .map(|info| {
            json!({
                "id": info.code.name(),
                "shortDescription": { "text": info.title() },
                "help": { "text": info.page, "markdown": info.page },
                "defaultConfiguration": { "level": info.severity.word() },
            })
        })
        .collect();
    let results: Vec<Value> = diagnostics.iter().map(|d| result(sources, d)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "svarog", "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(sources: &SourceMap, diagnostic: &Diagnostic) -> Value {
    let related: Vec<Value> = diagnostic
        .notes
        .iter()
        .filter_map(|note| {
            let mut place = location(sources, note.span?);
            place["message"] = json!({ "text": note.message });
            Some(place)
        })
        .collect();
    json!({
        "ruleId": diagnostic.code.name(),
        "level": diagnostic.severity.word(),
        "message": { "text": diagnostic.message },
        "locations": [location(sources, diagnostic.span)],
        "relatedLocations": related,
    })
}

fn location(sources: &SourceMap, span: Span) -> Value {
    let (start, end) = (sources.locate(span.start), sources.locate(span.end));
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": start.file },
            "region": {
                "startLine": start.line,
                "startColumn": start.column,
                "endLine": end.line,
                "endColumn": end.column,
            },
        },
    })
}
