//! Words of the language.

use diag::{Diagnostic, Span, codes};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A name or keyword, or text between double quotes, which is never a keyword.
    Word,
    Quoted,
    /// A number, a word constant, a fraction.
    Literal,
    /// Punctuation or an operator.
    Mark(&'static str),
    /// The end of the text.
    End,
}

/// Longer marks stand before their beginnings.
const MARKS: &[&str] = &[
    "<->", ">>>", "<<<", ":=", "::", "->", "..", "!=", "<=", ">=", "<<", ">>", ":", ";", ",", ".", "(", ")",
    "[", "]", "{", "}", "!", "&", "|", "=", "<", ">", "+", "-", "*", "/", "?", "@",
];

/// A text with the position in it.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    base: u32,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, base: u32) -> Lexer<'a> {
        Lexer { text, at: 0, base }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn span(&self, from: usize) -> Span {
        Span::new(self.base + from as u32, self.base + self.at as u32)
    }

    /// The next token and its place; a character that belongs to none is reported and passed over.
    pub(super) fn next(&mut self, errors: &mut Vec<Diagnostic>) -> (Token, Span) {
        self.skip(errors);
        let (from, rest) = (self.at, self.rest());
        let Some(first) = rest.chars().next() else { return (Token::End, self.span(from)) };
        if first.is_ascii_alphabetic() || first == '_' {
            if (rest.starts_with("f'") || rest.starts_with("F'"))
                && rest[2..].starts_with(|c: char| c.is_ascii_digit())
            {
                self.at +=
                    2 + rest[2..].find(|c: char| !c.is_ascii_digit() && c != '/').unwrap_or(rest.len() - 2);
                return (Token::Literal, self.span(from));
            }
            self.at += word_length(rest);
            return (Token::Word, self.span(from));
        }
        if first.is_ascii_digit() {
            self.at += literal_length(rest);
            return (Token::Literal, self.span(from));
        }
        if first == '"' {
            let length = rest[1..].find(['"', '\n']).filter(|&end| rest[1 + end..].starts_with('"'));
            match length {
                Some(length) => self.at += length + 2,
                None => {
                    self.at += 1;
                    errors.push(Diagnostic::new(
                        codes::SMV001,
                        self.span(from),
                        "this quote is not closed on its line",
                    ));
                }
            }
            return (Token::Quoted, self.span(from));
        }
        if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            self.at += mark.len();
            return (Token::Mark(mark), self.span(from));
        }
        self.at += first.len_utf8();
        errors.push(Diagnostic::new(
            codes::SMV001,
            self.span(from),
            format!("`{first}` has no meaning here"),
        ));
        self.next_after_error(errors)
    }

    /// After a strange character the rest of its kind is passed over too, so that this ends soon.
    fn next_after_error(&mut self, errors: &mut Vec<Diagnostic>) -> (Token, Span) {
        let strange = |c: char| !c.is_ascii_alphanumeric() && !c.is_whitespace() && !"_\"".contains(c);
        let known = |rest: &str| MARKS.iter().any(|mark| rest.starts_with(mark));
        while self.rest().starts_with(strange) && !known(self.rest()) {
            self.at += self.rest().chars().next().map_or(1, char::len_utf8);
        }
        let from = self.at;
        self.skip(errors);
        match self.rest().is_empty() {
            true => (Token::End, self.span(from)),
            // The place after the strange characters stands for them.
            false => (Token::Mark("@"), self.span(from)),
        }
    }

    /// Passes over white space and comments.
    fn skip(&mut self, errors: &mut Vec<Diagnostic>) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("--") || trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("/--") {
                match trimmed.find("--/") {
                    Some(end) => self.at += end + 3,
                    None => {
                        let from = self.at;
                        self.at = self.text.len();
                        let span = Span::new(self.base + from as u32, self.base + from as u32 + 3);
                        errors.push(Diagnostic::new(codes::SMV001, span, "this comment is not closed"));
                    }
                }
            } else {
                return;
            }
        }
    }
}

/// The length of a name: a minus belongs to it if a letter or digit follows.
fn word_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let part = |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || b"_$#\\".contains(b));
    let mut end = 1;
    while part(end) || (bytes.get(end) == Some(&b'-') && part(end + 1)) {
        end += 1;
    }
    end
}

/// The length of a number: `12`, `1.5`, `1.5e-3`, `0ud8_12`, `0sb_101`.
fn literal_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    if bytes[0] == b'0' {
        let sign = usize::from(bytes.get(1).is_some_and(|b| b"us".contains(b)));
        if bytes.get(1 + sign).is_some_and(|b| b"bBoOdDhH".contains(b)) {
            let mut end = digits(2 + sign);
            if bytes.get(end) == Some(&b'_') {
                while bytes.get(end).is_some_and(|b| b.is_ascii_hexdigit() || *b == b'_') {
                    end += 1;
                }
                return end;
            }
        }
    }
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if bytes.get(end).is_some_and(|b| b"eE".contains(b)) {
        let sign = usize::from(bytes.get(end + 1).is_some_and(|b| b"+-".contains(b)));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1 + sign);
        }
    }
    end
}
