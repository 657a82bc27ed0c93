//! Evidence about transition systems as text, which VMT-LIB leaves open: `docs/vmt-evidence.md` is the proposal.
//!
//! A certificate is a VMT-LIB file: the system with the invariant as one more property, and `set-info` that says what it
//! shows. A trace gives the values of one step after the other, as SMT-LIB writes models. Both name symbols as the system
//! does, so a system in which a symbol has a name that cannot be written has no evidence in this form.

mod certificate;
mod recurrence;
mod trace;

pub use certificate::{Certified, read_certificate, write_certificate};
pub use trace::{read_trace, write_trace};

use diag::{Diagnostic, Span, codes};

/// `set-info` of a text, which is read key by key.
struct Info<'a> {
    entries: &'a [(String, String, Span)],
    /// Where to report what is not there.
    whole: Span,
    errors: &'a mut Vec<Diagnostic>,
}

impl<'a> Info<'a> {
    fn error(&mut self, span: Span, message: String) {
        self.errors.push(Diagnostic::new(codes::VMT011, span, message));
    }

    /// The value of a key that occurs at most once.
    fn find(&mut self, key: &str) -> Option<(&'a str, Span)> {
        let entries = self.entries;
        let mut found = entries.iter().filter(|entry| entry.0 == key);
        let first = found.next().map(|(_, value, span)| (value.as_str(), *span));
        if let Some((.., span)) = found.next() {
            self.error(*span, format!("`{key}` is given twice"));
        }
        first
    }

    /// Says that something has to be there.
    fn missing(&mut self, key: &str) {
        let whole = self.whole;
        self.error(whole, format!("`(set-info {key} …)` is missing"));
    }

    /// Checks what kind of evidence the text is.
    fn expect(&mut self, kind: &str) {
        match self.find(":vmt-evidence") {
            Some((found, span)) if found != kind => {
                self.error(span, format!("expected a {kind}, found `{found}`"));
            }
            Some(_) => {}
            None => self.missing(":vmt-evidence"),
        }
    }

    /// A number, if the key is there.
    fn number(&mut self, key: &str) -> Option<u64> {
        let (value, span) = self.find(key)?;
        let number = value.parse().ok().filter(|_| value.bytes().all(|byte| byte.is_ascii_digit()));
        if number.is_none() {
            self.error(span, format!("`{key}` needs a number"));
        }
        number
    }

    /// A number that has to be there.
    fn needed(&mut self, key: &str) -> Option<u64> {
        if self.entries.iter().all(|entry| entry.0 != key) {
            self.missing(key);
            return None;
        }
        self.number(key)
    }
}
