//! The words of one line, with their places. Words are separated by one blank, as the format's reference demands: a second
//! blank would be an empty word.

use diag::{Code, Diagnostic, Span, codes};

/// The result of reading something; a failure is reported and the line is dropped.
pub(super) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// The format's largest number of bits.
const MAX_WIDTH: u64 = i32::MAX as u64;

/// The format's largest number of a line.
const MAX_ID: u64 = 1 << 40;

/// A line under reading.
pub(super) struct Line<'a> {
    bytes: &'a [u8],
    /// The address of the first byte.
    base: u32,
    at: usize,
    /// Where the last word began.
    start: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new(bytes: &'a [u8], base: u32) -> Line<'a> {
        Line { bytes, base, at: 0, start: 0 }
    }

    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.base + start as u32, self.base + end as u32)
    }

    /// The place of the last word.
    pub(super) fn last(&self) -> Span {
        self.span(self.start, self.at)
    }

    /// A failure at the last word.
    pub(super) fn fail<T>(&self, code: Code, message: impl Into<String>) -> Parsed<T> {
        Err(Box::new(Diagnostic::new(code, self.last(), message)))
    }

    /// True when nothing but a comment is left.
    fn is_over(&self) -> bool {
        matches!(self.bytes.get(self.at), None | Some(b';'))
    }

    /// The next word; what it is supposed to be is for the message when there is none.
    fn word(&mut self, expected: &str) -> Parsed<&'a [u8]> {
        let separated = self.at > 0 && self.bytes.get(self.at) == Some(&b' ');
        self.start = self.at + usize::from(separated);
        let rest = if separated || self.at == 0 { &self.bytes[self.start..] } else { &[] };
        let length = rest.iter().position(|&byte| matches!(byte, b' ' | b'\t' | b';')).unwrap_or(rest.len());
        if length > 0 {
            self.at = self.start + length;
            return Ok(&rest[..length]);
        }
        let found = match self.bytes.get(self.start) {
            None => "the end of the line",
            Some(b';') => "a comment",
            Some(b'\t') => "a tab",
            Some(_) => "a second blank",
        };
        self.at = (self.start + 1).min(self.bytes.len());
        self.fail(codes::BTOR001, format!("expected {expected}, found {found}"))
    }

    /// A word of letters.
    pub(super) fn keyword(&mut self, expected: &str) -> Parsed<&'a [u8]> {
        let word = self.word(expected)?;
        if !word.iter().all(u8::is_ascii_lowercase) {
            return self.fail(codes::BTOR001, format!("expected {expected}, found `{}`", shown(word)));
        }
        Ok(word)
    }

    /// Digits of a constant.
    pub(super) fn digits(&mut self) -> Parsed<&'a [u8]> {
        self.word("the digits of the constant")
    }

    fn number(&mut self, word: &[u8], expected: &str, limit: u64) -> Parsed<u64> {
        if word.is_empty() || !word.iter().all(u8::is_ascii_digit) {
            return self.fail(codes::BTOR001, format!("expected {expected}, found `{}`", shown(word)));
        }
        if word[0] == b'0' && word.len() > 1 {
            return self.fail(codes::BTOR001, "a number must not begin with zero");
        }
        let parsed = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
        match parsed {
            Some(number) if number < limit => Ok(number),
            _ => self.fail(codes::BTOR005, format!("{} is too large, the limit is {limit}", shown(word))),
        }
    }

    /// A number of bits, or a position among bits.
    pub(super) fn count(&mut self, expected: &str) -> Parsed<u32> {
        let word = self.word(expected)?;
        Ok(self.number(word, expected, MAX_WIDTH)? as u32)
    }

    /// The number of a line.
    pub(super) fn id(&mut self, expected: &str) -> Parsed<u64> {
        let word = self.word(expected)?;
        match self.number(word, expected, MAX_ID)? {
            0 => self.fail(codes::BTOR003, "line numbers begin with 1"),
            id => Ok(id),
        }
    }

    /// The number of a line with or without a minus before it.
    pub(super) fn operand(&mut self, expected: &str) -> Parsed<(bool, u64)> {
        let word = self.word(expected)?;
        let (negated, digits) = word.strip_prefix(b"-").map_or((false, word), |digits| (true, digits));
        match self.number(digits, expected, MAX_ID)? {
            0 => self.fail(codes::BTOR003, "line numbers begin with 1"),
            id => Ok((negated, id)),
        }
    }

    /// The symbol at the end of the line, if there is one; after it only a comment may come.
    pub(super) fn symbol(&mut self) -> Parsed<Option<&'a [u8]>> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() || rest.starts_with(b" ;") {
            return Ok(None);
        }
        if !rest.starts_with(b" ") {
            self.start = self.at;
            self.at = self.bytes.len();
            return self.fail(codes::BTOR001, "expected a blank or the end of the line");
        }
        // A symbol may contain a semicolon: only one after a blank begins a comment.
        let rest = &rest[1..];
        let length = rest.iter().position(|&byte| matches!(byte, b' ' | b'\t')).unwrap_or(rest.len());
        (self.start, self.at) = (self.at + 1, self.at + 1 + length);
        if length == 0 {
            return self.fail(codes::BTOR001, "expected a symbol or the end of the line after the blank");
        }
        let (word, after) = rest.split_at(length);
        if !after.is_empty() && !after.starts_with(b" ;") && !after.starts_with(b"\t;") {
            (self.start, self.at) = (self.at, self.bytes.len());
            return self.fail(codes::BTOR001, "expected the end of the line after the symbol");
        }
        Ok(Some(word))
    }

    /// True for a line that says nothing; a tab before its first word is an error.
    pub(super) fn is_blank(&mut self) -> Parsed<bool> {
        let blanks = self.bytes.iter().take_while(|&&byte| byte == b' ').count();
        self.bytes = &self.bytes[blanks..];
        self.base += blanks as u32;
        if self.bytes.first() == Some(&b'\t') {
            (self.start, self.at) = (0, 1);
            return self.fail(codes::BTOR001, "expected a line number, found a tab");
        }
        Ok(self.is_over())
    }
}

/// Bytes of the file as text.
pub(super) fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(word).into_owned()
}
