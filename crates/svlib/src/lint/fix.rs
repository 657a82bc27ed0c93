//! Applying the edits that findings offer.

use diag::{Edit, FileId, SourceMap};

/// The text of a file with the edits that lie in it. Edits must be sorted by place; one that overlaps an earlier
/// one is left out, and the next run finds it again.
#[must_use]
pub fn apply_fixes(sources: &SourceMap, file: FileId, edits: &[Edit]) -> String {
    let (text, base) = (sources.text(file), sources.base(file));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits.iter().filter(|edit| sources.file_at(edit.span.start) == Some(file)) {
        let (start, end) = ((edit.span.start - base) as usize, (edit.span.end - base) as usize);
        if start < done || end > text.len() {
            continue;
        }
        out.push_str(&text[done..start]);
        out.push_str(&edit.text);
        done = end;
    }
    out.push_str(&text[done..]);
    out
}
