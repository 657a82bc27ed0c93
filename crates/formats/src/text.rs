//! Bytes as text.

use crate::Source;
use diag::{Diagnostic, Span, codes};

/// The text of a source, or a report of the first byte that is none.
pub(crate) fn utf8<'a>(source: Source<'a>, errors: &mut Vec<Diagnostic>) -> Option<&'a str> {
    match std::str::from_utf8(source.bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let at = source.base + error.valid_up_to() as u32;
            errors.push(Diagnostic::new(
                codes::SMT001,
                Span::new(at, at + 1),
                "the byte here is not valid UTF-8",
            ));
            None
        }
    }
}
