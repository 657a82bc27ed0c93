//! Where things are in the sources, and what is wrong with them.
//!
//! Readers return [`Diagnostic`]s and never print; [`render`] turns them into text, JSON or SARIF. Every
//! diagnostic has a stable code from the one table in [`codes`], and every code a page for `svarog explain`.

pub mod codes;
pub mod render;
mod source;

pub use codes::Code;
pub use source::{FileId, Location, SourceMap, Span, TooLarge};

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The input can be used, but something about it is suspicious.
    Warning,
    /// The input cannot be used as it is.
    Error,
}

impl Severity {
    /// The word printed for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A replacement of source text that repairs a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// A remark that belongs to a diagnostic, with or without a place of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Where, if the remark is about a place.
    pub span: Option<Span>,
    /// The remark, a lower-case phrase.
    pub message: String,
}

/// One finding in the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Its stable code.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// Where it is.
    pub span: Span,
    /// What is wrong, a lower-case phrase.
    pub message: String,
    /// Other places and remarks.
    pub notes: Vec<Note>,
    /// What to do about it, if that is known.
    pub help: Option<String>,
    /// Edits that repair it, if that can be done mechanically.
    pub fix: Vec<Edit>,
}

impl Diagnostic {
    /// A finding with the severity that its code has in the table.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        let message = shortened(message.into());
        Self {
            code,
            severity: code.severity(),
            span,
            message,
            notes: Vec::new(),
            help: None,
            fix: Vec::new(),
        }
    }

    /// Adds a remark at a place.
    #[must_use]
    pub fn note_at(mut self, span: Span, message: impl Into<String>) -> Self {
        self.notes.push(Note { span: Some(span), message: shortened(message.into()) });
        self
    }

    /// Adds a remark.
    #[must_use]
    pub fn note(mut self, message: impl Into<String>) -> Self {
        self.notes.push(Note { span: None, message: shortened(message.into()) });
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, message: impl Into<String>) -> Self {
        self.help = Some(shortened(message.into()));
        self
    }

    /// Adds advice if there is any.
    #[must_use]
    pub fn help_opt(mut self, message: Option<String>) -> Self {
        self.help = message.map(shortened).or(self.help);
        self
    }

    /// Adds an edit that repairs the finding.
    #[must_use]
    pub fn edit(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fix.push(Edit { span, text: text.into() });
        self
    }

    /// True when the input cannot be used.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// A message may quote a symbol, and a symbol may be a gigabyte; nobody reads more than this.
fn shortened(mut message: String) -> String {
    const LIMIT: usize = 1000;
    if message.len() > LIMIT {
        message.truncate(message.floor_char_boundary(LIMIT));
        message.push('…');
    }
    message
}

/// The candidate most like `wanted`, for "did you mean": at most a third of the letters differ.
pub fn closest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = wanted.chars().count();
    if length > 64 {
        return None;
    }
    // At least one letter is the same: otherwise `p` would be like every other name of one letter.
    let limit = (length / 3).max(1).min(length.saturating_sub(1));
    let mut best = None;
    for candidate in candidates {
        if candidate.chars().count().abs_diff(length) > limit || candidate == wanted {
            continue;
        }
        let distance = edit_distance(wanted, candidate);
        if distance <= limit && best.is_none_or(|(d, c)| (distance, candidate) < (d, c)) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            next[j] = replace.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                next[j] = next[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_stay_short() {
        let finding =
            Diagnostic::new(codes::SMT012, Span::default(), "ä".repeat(10_000)).help("x".repeat(10_000));
        assert!(finding.message.len() <= 1003 && finding.message.ends_with('…'));
        assert!(finding.help.is_some_and(|help| help.len() <= 1003));
    }

    #[test]
    fn did_you_mean() {
        assert_eq!(closest("bvad", ["bvand", "bvadd", "bvor"]), Some("bvadd"));
        assert_eq!(closest("selct", ["store", "select"]), Some("select"));
        assert_eq!(closest("xyzzy", ["store", "select"]), None);
        assert_eq!(edit_distance("ab", "ba"), 1);
    }
}
