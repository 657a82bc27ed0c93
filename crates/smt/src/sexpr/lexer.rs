//! Characters to tokens, as section 3.1 of SMT-LIB 2.7 defines them.

use super::{Kind, Text, Tree};
use diag::{Diagnostic, Span, codes};

/// A token with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token {
    /// `(` at an address.
    Open(u32),
    /// `)` at an address.
    Close(u32),
    /// Everything that is neither a parenthesis nor a comment.
    Atom(Kind, Span),
    /// A comment from its semicolon to the end of the line, without the line break.
    Comment(Span),
}

// What a byte can be part of.
const SPACE: u8 = 1;
const DIGIT: u8 = 2;
/// Letters and the other characters of simple symbols.
const LETTER: u8 = 4;
/// A colon: part of a symbol when it is not the first character.
const INNER: u8 = 8;

const CLASS: [u8; 256] = {
    let mut table = [0u8; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        table[i] = match b {
            b' ' | b'\t' | b'\n' | b'\r' => SPACE,
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'~' | b'!' | b'@' | b'$' | b'%' | b'^' | b'&' | b'*' | b'_' | b'-' | b'+' | b'=' | b'<'
            | b'>' | b'.' | b'?' | b'/' => LETTER,
            // Not in the standard, yet found in real files. The printer puts bars around them.
            b'\'' => LETTER,
            b':' => INNER,
            _ => 0,
        };
        i += 1;
    }
    table
};

#[inline]
fn is(byte: u8, classes: u8) -> bool {
    CLASS[byte as usize] & classes != 0
}

/// True for what separates tokens and is none.
#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    CLASS[byte as usize] == SPACE
}

/// True for a byte that has no place outside of comments, strings and quoted symbols.
fn is_stray(byte: u8) -> bool {
    CLASS[byte as usize] == 0 && !matches!(byte, b'(' | b')' | b'|' | b'#' | b'"' | b';')
}

/// True when `text` may stand as a symbol without bars, reserved words aside.
#[must_use]
pub fn is_simple_symbol(text: &str) -> bool {
    let bytes = text.as_bytes();
    !bytes.is_empty() && !is(bytes[0], DIGIT) && bytes.iter().all(|&b| is(b, LETTER | DIGIT) && b != b'\'')
}

/// Where the next blank or parenthesis is, or the end of the text: eight bytes at a time.
#[inline]
pub(crate) fn word_end(bytes: &[u8], start: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let mut at = start;
    while let Some(chunk) = bytes.get(at..at + 8).and_then(|chunk| chunk.first_chunk()) {
        let word = u64::from_le_bytes(*chunk);
        // The two parentheses differ in the lowest bit.
        let paren = (word ^ (ONES * b'(' as u64)) & (ONES * 0xfe);
        let blank = word.wrapping_sub(ONES * (b' ' as u64 + 1)) & !word;
        let found = (blank | (paren.wrapping_sub(ONES) & !paren)) & HIGH;
        if found != 0 {
            // What lies below the first bit that is found is no blank and no parenthesis; control characters are stray.
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = &bytes[at..];
    at + rest.iter().position(|&byte| byte <= b' ' || matches!(byte, b'(' | b')')).unwrap_or(rest.len())
}

/// True when a word that ends at a blank or parenthesis is one symbol without bars.
pub(crate) fn is_symbol(word: &[u8]) -> bool {
    word.first().is_some_and(|&first| is(first, LETTER))
        && word.iter().all(|&b| is(b, LETTER | DIGIT | INNER))
}

/// The symbol, keyword or numeral that begins at `start`, and where it ends; none for anything with more rules.
#[inline]
fn plain_atom(bytes: &[u8], start: usize) -> Option<(Kind, usize)> {
    let (first, rest) = bytes[start..].split_first()?;
    let while_in = |classes: u8| rest.iter().position(|&byte| !is(byte, classes)).unwrap_or(rest.len());
    let (kind, length, ends) = match CLASS[*first as usize] {
        LETTER => {
            let length = while_in(LETTER | DIGIT | INNER);
            (Kind::Symbol, length, rest.get(length).is_none_or(u8::is_ascii))
        }
        DIGIT => {
            let length = while_in(DIGIT);
            (Kind::Numeral, length, rest.get(length).is_none_or(|&byte| !is(byte, LETTER | INNER)))
        }
        INNER => {
            let length = while_in(LETTER | DIGIT | INNER);
            (Kind::Keyword, length, length > 0)
        }
        _ if *first == b'|' => {
            let length = rest.iter().position(|byte| matches!(byte, b'|' | b'\\'))?;
            (Kind::Quoted, length + 1, rest[length] == b'|')
        }
        _ => return None,
    };
    ends.then_some((kind, start + 1 + length))
}

/// A token, or a problem behind a pointer: results are passed around by the million, and nearly all are tokens.
type Scanned = Result<Token, Box<Diagnostic>>;

/// Splits text into tokens; comments are tokens too, because the formatter keeps them.
pub struct Lexer<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    base: u32,
    /// Where the last token begins.
    start: usize,
}

impl<'a> Lexer<'a> {
    /// A lexer of the whole text.
    #[must_use]
    pub fn new(text: Text<'a>) -> Self {
        // A mark of the byte order, which some editors write, is no part of the text.
        let at = if text.text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { bytes: text.text.as_bytes(), text: text.text, at, base: text.base, start: at }
    }

    /// The address up to which the text has been read.
    #[must_use]
    pub fn position(&self) -> u32 {
        self.base + self.at as u32
    }

    /// The position in the text.
    #[inline]
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes on at another position.
    #[inline]
    pub(super) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// After a problem: the token that has it, or none when it is only about a stray character.
    pub(super) fn malformed(&self) -> Option<Span> {
        let stray = self.bytes.get(self.start).is_none_or(|&b| is_stray(b) && b.is_ascii());
        (!stray).then(|| self.span(self.start))
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.base + start as u32, self.base + self.at as u32)
    }

    fn skip_while(&mut self, classes: u8) {
        let mut at = self.at;
        while at < self.bytes.len() && is(self.bytes[at], classes) {
            at += 1;
        }
        self.at = at;
    }

    /// Steps over an opening mark to its closing one; false when the text ends before.
    fn skip_past(&mut self, mark: u8) -> bool {
        match self.bytes[self.at + 1..].iter().position(|&b| b == mark) {
            Some(length) => {
                self.at += length + 2;
                true
            }
            None => {
                self.at = self.bytes.len();
                false
            }
        }
    }

    #[cold]
    fn unterminated(&self, start: usize, what: &str, mark: char) -> Box<Diagnostic> {
        let first = Span::new(self.base + start as u32, self.base + start as u32 + 1);
        let message = format!("this {what} is not closed before the end of the input");
        Box::new(Diagnostic::new(codes::SMT003, first, message).help(format!("add the closing `{mark}`")))
    }

    /// A malformed token that ends here.
    #[cold]
    fn bad(&self, start: usize, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(codes::SMT002, self.span(start), message))
    }

    fn quoted(&mut self, start: usize) -> Scanned {
        if !self.skip_past(b'|') {
            return Err(self.unterminated(start, "quoted symbol", '|'));
        }
        if let Some(offset) = self.bytes[start..self.at].iter().position(|&b| b == b'\\') {
            let at = self.base + (start + offset) as u32;
            let message = "a quoted symbol has no backslash";
            return Err(Box::new(Diagnostic::new(codes::SMT002, Span::new(at, at + 1), message)));
        }
        Ok(Token::Atom(Kind::Quoted, self.span(start)))
    }

    fn string(&mut self, start: usize) -> Scanned {
        loop {
            if !self.skip_past(b'"') {
                return Err(self.unterminated(start, "string", '"'));
            }
            if self.bytes.get(self.at) != Some(&b'"') {
                return Ok(Token::Atom(Kind::String, self.span(start)));
            }
        }
    }

    /// `#x…` or `#b…`.
    fn bits(&mut self, start: usize) -> Scanned {
        let (kind, ok): (Kind, fn(&u8) -> bool) = match self.bytes.get(start + 1) {
            Some(b'x') => (Kind::Hex, u8::is_ascii_hexdigit),
            Some(b'b') => (Kind::Binary, |b| matches!(b, b'0' | b'1')),
            _ => {
                self.at += 1;
                self.skip_while(LETTER | DIGIT | INNER);
                return Err(self.bad(start, "expected `#x` and hexadecimal digits or `#b` and binary digits"));
            }
        };
        self.at += 2;
        self.skip_while(LETTER | DIGIT | INNER);
        let digits = &self.bytes[start + 2..self.at];
        if digits.is_empty() || !digits.iter().all(ok) {
            let what = if kind == Kind::Hex { "hexadecimal" } else { "binary" };
            return Err(self.bad(start, format!("expected {what} digits only")));
        }
        Ok(Token::Atom(kind, self.span(start)))
    }

    fn number(&mut self, start: usize) -> Scanned {
        self.skip_while(DIGIT);
        let mut kind = Kind::Numeral;
        if self.bytes.get(self.at) == Some(&b'.')
            && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit)
        {
            self.at += 1;
            self.skip_while(DIGIT);
            kind = Kind::Decimal;
        }
        if self.bytes.get(self.at).is_some_and(|&b| is(b, LETTER | INNER)) {
            self.skip_while(LETTER | DIGIT | INNER);
            let error = self.bad(start, "a number ends here, but more characters follow");
            let help = "separate them by a space, or put a symbol that begins with a digit between bars";
            return Err(Box::new(error.help(help)));
        }
        Ok(Token::Atom(kind, self.span(start)))
    }

    #[cold]
    fn unexpected(&mut self, start: usize) -> Box<Diagnostic> {
        let c = self.text[start..].chars().next().unwrap_or('\u{fffd}');
        self.at += c.len_utf8();
        let span = self.span(start);
        // What follows and cannot begin a token either is part of the same problem.
        while self.bytes.get(self.at).is_some_and(|&b| is_stray(b) && b.is_ascii()) {
            self.at += 1;
        }
        let shown = if c.is_control() { format!("{c:?}") } else { format!("`{c}`") };
        let error =
            Diagnostic::new(codes::SMT002, span, format!("the character {shown} cannot begin a token"));
        Box::new(error.help("a symbol that holds it must stand between bars: |…|"))
    }

    /// A word with characters outside of ASCII, which would be a symbol if it stood between bars.
    #[cold]
    fn foreign(&mut self, start: usize) -> Box<Diagnostic> {
        while self.bytes.get(self.at).is_some_and(|&b| !b.is_ascii() || is(b, LETTER | DIGIT | INNER)) {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        let c = word.chars().find(|c| !c.is_ascii()).unwrap_or('\u{fffd}');
        let message = format!("the character `{c}` cannot stand in a symbol without bars");
        let help =
            if word.len() <= 60 { format!("write |{word}|") } else { "write the symbol between bars".into() };
        Box::new(self.bad(start, message).help(help))
    }

    /// Reads on into `tree` for as long as there are blanks, parentheses, symbols, keywords and numerals without a problem,
    /// which is nearly always; [`Lexer::token`] knows what comes then. True when a top-level S-expression is complete.
    pub(super) fn plain(&mut self, tree: &mut Tree) -> bool {
        let mut at = self.at;
        let complete = loop {
            let Some(&byte) = self.bytes.get(at) else { break false };
            if CLASS[byte as usize] == SPACE {
                at += 1;
                continue;
            }
            let start = self.base + at as u32;
            match byte {
                b'(' => {
                    at += 1;
                    tree.push(Kind::List, Span::new(start, start + 1));
                    continue;
                }
                b')' if tree.close(start + 1) => at += 1,
                _ => {
                    let Some((kind, end)) = plain_atom(self.bytes, at) else { break false };
                    at = end;
                    tree.push(kind, Span::new(start, self.base + end as u32));
                }
            }
            if tree.open.is_empty() {
                break true;
            }
        };
        self.at = at;
        complete
    }

    /// The next token.
    pub(super) fn token(&mut self) -> Option<Scanned> {
        self.skip_while(SPACE);
        let start = self.at;
        self.start = start;
        let byte = *self.bytes.get(start)?;
        Some(match byte {
            b'(' => {
                self.at += 1;
                Ok(Token::Open(self.base + start as u32))
            }
            b')' => {
                self.at += 1;
                Ok(Token::Close(self.base + start as u32))
            }
            _ if is(byte, LETTER) => {
                self.skip_while(LETTER | DIGIT | INNER);
                if self.bytes.get(self.at).is_some_and(|b| !b.is_ascii()) {
                    return Some(Err(self.foreign(start)));
                }
                Ok(Token::Atom(Kind::Symbol, self.span(start)))
            }
            b'0'..=b'9' => self.number(start),
            b'|' => self.quoted(start),
            b'#' => self.bits(start),
            b'"' => self.string(start),
            b':' => {
                self.at += 1;
                self.skip_while(LETTER | DIGIT | INNER);
                if self.at == start + 1 {
                    Err(self.bad(start, "expected a keyword's name after `:`"))
                } else {
                    Ok(Token::Atom(Kind::Keyword, self.span(start)))
                }
            }
            b';' => {
                let rest = &self.bytes[start..];
                self.at = rest.iter().position(|&b| b == b'\n').map_or(self.bytes.len(), |n| start + n);
                Ok(Token::Comment(self.span(start)))
            }
            _ if byte.is_ascii() => Err(self.unexpected(start)),
            _ => Err(self.foreign(start)),
        })
    }
}

impl Iterator for Lexer<'_> {
    type Item = Result<Token, Diagnostic>;

    #[expect(
        clippy::result_large_err,
        reason = "nearly every item is a token; an error is moved once, to its list"
    )]
    fn next(&mut self) -> Option<Self::Item> {
        self.token().map(|token| token.map_err(|error| *error))
    }
}
