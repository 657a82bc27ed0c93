//! From bytes to tokens. The whole text is made tokens at once, 16 bytes each; literals are decoded when they are used.
//!
//! Comments and line breaks are what lies between tokens, so nothing is lost: every byte is in a token or in a gap.

use crate::lines::{LineMap, Packs, unexpected};
use crate::token::{KEYWORDS, T, Token};
use base::id::Id;
use base::intern::{Interner, SymbolId};
use diag::{Diagnostic, Span, codes};

/// A text as tokens.
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) names: Interner,
    pub(crate) lines: LineMap,
    pub(crate) packs: Packs,
    pub(crate) findings: Vec<Diagnostic>,
}

const IDENT_START: u8 = 1;
const IDENT: u8 = 2;
const SPACE: u8 = 4;

/// What each byte may be. Bytes of characters outside of ASCII are letters, as in GNU C.
static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let byte = i as u8;
        if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80 {
            table[i] = IDENT_START | IDENT;
        } else if byte.is_ascii_digit() {
            table[i] = IDENT;
        } else if matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) {
            table[i] = SPACE;
        }
        i += 1;
    }
    table
};

struct Lexer<'a> {
    text: &'a [u8],
    /// The same as a string, if it is one: checked once, not for each word.
    string: Option<&'a str>,
    base: u32,
    at: usize,
    keywords: Vec<T>,
    out: Lexed,
}

/// A text as tokens, for languages that are written with the words of C.
pub struct Words {
    /// The tokens; the last one is [`T::Eof`].
    pub tokens: Vec<Token>,
    /// Their names.
    pub names: Interner,
    /// What was noticed, by place.
    pub findings: Vec<Diagnostic>,
}

/// All tokens of a text whose first byte has the address `base`.
#[must_use]
pub fn words(text: &str, base: u32) -> Words {
    let Lexed { tokens, names, findings, .. } = lex(text.as_bytes(), base);
    Words { tokens, names, findings }
}

/// All tokens of a text whose first byte has the address `base`. The last one is [`T::Eof`].
pub(crate) fn lex(text: &[u8], base: u32) -> Lexed {
    let mut names = Interner::default();
    let mut keywords = Vec::with_capacity(KEYWORDS.len());
    for (spelling, kind) in KEYWORDS {
        names.intern(spelling);
        keywords.push(*kind);
    }
    let out = Lexed {
        tokens: Vec::with_capacity(text.len() / 4 + 1),
        names,
        lines: LineMap::default(),
        packs: Packs::default(),
        findings: Vec::new(),
    };
    let mut lexer = Lexer { text, string: std::str::from_utf8(text).ok(), base, at: 0, keywords, out };
    lexer.run();
    lexer.out
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.base + start as u32, self.base + self.at as u32)
    }

    fn push(&mut self, kind: T, start: usize) {
        let span = self.span(start);
        self.out.tokens.push(Token { kind, span, name: SymbolId::from_index(0) });
    }

    fn error(&mut self, start: usize, message: impl Into<String>) {
        let span = self.span(start);
        self.out.findings.push(Diagnostic::new(codes::C001, span, message));
    }

    fn run(&mut self) {
        let mut is_line_start = true;
        while self.at < self.text.len() {
            let byte = self.text[self.at];
            if CLASS[byte as usize] & SPACE != 0 {
                is_line_start |= byte == b'\n';
                self.at += 1;
                continue;
            }
            let start = self.at;
            if CLASS[byte as usize] & IDENT_START != 0 {
                self.word(start);
            } else if byte.is_ascii_digit() || (byte == b'.' && self.byte(1).is_ascii_digit()) {
                self.number(start);
            } else if byte == b'#' && is_line_start {
                self.directive(start);
                continue;
            } else if self.comment(start) {
                continue;
            } else if byte == b'"' || byte == b'\'' {
                self.quoted(start);
            } else {
                self.punctuator(start);
            }
            is_line_start = false;
        }
        let end = self.text.len();
        self.push(T::Eof, end);
    }

    fn word(&mut self, start: usize) {
        while CLASS[self.byte(0) as usize] & IDENT != 0 {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        if matches!(self.byte(0), b'"' | b'\'') && matches!(word, b"L" | b"u" | b"U" | b"u8") {
            return self.quoted(start);
        }
        // Bytes outside of ASCII may be of any encoding.
        let name = match self.string.and_then(|text| text.get(start..self.at)) {
            Some(word) => self.out.names.intern(word),
            None => self.out.names.intern(&String::from_utf8_lossy(word)),
        };
        let kind = self.keywords.get(name.index()).copied().unwrap_or(T::Ident);
        let span = self.span(start);
        self.out.tokens.push(Token { kind, span, name });
    }

    /// A preprocessing number: more than a number can be, decoded later.
    fn number(&mut self, start: usize) {
        let is_hex = self.byte(0) == b'0' && matches!(self.byte(1), b'x' | b'X');
        while self.at < self.text.len() {
            let byte = self.byte(0);
            let is_sign = matches!(byte, b'+' | b'-') && self.at > start;
            let before = if is_sign { self.text[self.at - 1] | 0x20 } else { 0 };
            let is_exponent = before == b'p' || (before == b'e' && !is_hex);
            if CLASS[byte as usize] & IDENT == 0 && byte != b'.' && !(is_sign && is_exponent) {
                break;
            }
            self.at += 1;
        }
        self.push(T::Number, start);
    }

    /// A string or character constant; the position is at its prefix or quote.
    fn quoted(&mut self, start: usize) {
        let quote = self.byte(0);
        let kind = if quote == b'"' { T::Str } else { T::Char };
        self.at += 1;
        loop {
            match self.text.get(self.at) {
                Some(b'\\') => self.at = (self.at + 2).min(self.text.len()),
                Some(&byte) if byte == quote => {
                    self.at += 1;
                    return self.push(kind, start);
                }
                Some(b'\n') | None => {
                    self.error(start, format!("{} is not ended in its line", kind.text()));
                    return self.push(kind, start);
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// Skips a comment or a line splice, if there is one.
    fn comment(&mut self, start: usize) -> bool {
        match (self.byte(0), self.byte(1)) {
            (b'/', b'/') => {
                while self.at < self.text.len() && self.text[self.at] != b'\n' {
                    self.at += if self.text[self.at] == b'\\' { 2 } else { 1 };
                }
                self.at = self.at.min(self.text.len());
            }
            (b'/', b'*') => {
                let mut at = start + 2;
                loop {
                    let Some(star) = self.text[at..].iter().position(|&byte| byte == b'*') else {
                        self.at = start + 2;
                        self.error(start, "a comment that is not ended");
                        self.at = self.text.len();
                        break;
                    };
                    at += star + 1;
                    if self.text.get(at) == Some(&b'/') {
                        self.at = at + 1;
                        break;
                    }
                }
            }
            (b'\\', b'\n') => self.at += 2,
            (b'\\', b'\r') => self.at += 2,
            _ => return false,
        }
        true
    }

    /// A line that begins with `#`: a line marker, a pragma, or what should not be there.
    fn directive(&mut self, start: usize) {
        while self.at < self.text.len() && self.text[self.at] != b'\n' {
            self.at += 1;
        }
        let line = &self.text[start..self.at];
        let word = line[1..].trim_ascii_start();
        let next = self.base + (self.at + 1).min(self.text.len()) as u32;
        let span = self.span(start);
        let is_marker = word.first().is_some_and(u8::is_ascii_digit) || word.starts_with(b"line");
        if is_marker && self.out.lines.add(line, next) || word.is_empty() {
            return;
        }
        if word.starts_with(b"pragma") {
            return self.out.packs.read(line, span);
        }
        if !word.starts_with(b"ident") {
            self.out.findings.push(unexpected(span));
        }
    }

    fn punctuator(&mut self, start: usize) {
        let (a, b, c) = (self.byte(0), self.byte(1), self.byte(2));
        let (kind, length) = match (a, b, c) {
            (b'.', b'.', b'.') => (T::Ellipsis, 3),
            (b'<', b'<', b'=') => (T::ShlAssign, 3),
            (b'>', b'>', b'=') => (T::ShrAssign, 3),
            (b'-', b'>', _) => (T::Arrow, 2),
            (b'+', b'+', _) => (T::PlusPlus, 2),
            (b'-', b'-', _) => (T::MinusMinus, 2),
            (b'<', b'<', _) => (T::Shl, 2),
            (b'>', b'>', _) => (T::Shr, 2),
            (b'<', b'=', _) => (T::Le, 2),
            (b'>', b'=', _) => (T::Ge, 2),
            (b'=', b'=', _) => (T::EqEq, 2),
            (b'!', b'=', _) => (T::Ne, 2),
            (b'&', b'&', _) => (T::AmpAmp, 2),
            (b'|', b'|', _) => (T::PipePipe, 2),
            (b'*', b'=', _) => (T::StarAssign, 2),
            (b'/', b'=', _) => (T::SlashAssign, 2),
            (b'%', b'=', _) => (T::PercentAssign, 2),
            (b'+', b'=', _) => (T::PlusAssign, 2),
            (b'-', b'=', _) => (T::MinusAssign, 2),
            (b'&', b'=', _) => (T::AmpAssign, 2),
            (b'^', b'=', _) => (T::CaretAssign, 2),
            (b'|', b'=', _) => (T::PipeAssign, 2),
            (b'<', b':', _) => (T::LBracket, 2),
            (b':', b'>', _) => (T::RBracket, 2),
            (b'<', b'%', _) => (T::LBrace, 2),
            (b'%', b'>', _) => (T::RBrace, 2),
            (b'(', ..) => (T::LParen, 1),
            (b')', ..) => (T::RParen, 1),
            (b'[', ..) => (T::LBracket, 1),
            (b']', ..) => (T::RBracket, 1),
            (b'{', ..) => (T::LBrace, 1),
            (b'}', ..) => (T::RBrace, 1),
            (b'.', ..) => (T::Dot, 1),
            (b'&', ..) => (T::Amp, 1),
            (b'*', ..) => (T::Star, 1),
            (b'+', ..) => (T::Plus, 1),
            (b'-', ..) => (T::Minus, 1),
            (b'~', ..) => (T::Tilde, 1),
            (b'!', ..) => (T::Bang, 1),
            (b'/', ..) => (T::Slash, 1),
            (b'%', ..) => (T::Percent, 1),
            (b'<', ..) => (T::Lt, 1),
            (b'>', ..) => (T::Gt, 1),
            (b'^', ..) => (T::Caret, 1),
            (b'|', ..) => (T::Pipe, 1),
            (b'?', ..) => (T::Question, 1),
            (b':', ..) => (T::Colon, 1),
            (b';', ..) => (T::Semi, 1),
            (b'=', ..) => (T::Assign, 1),
            (b',', ..) => (T::Comma, 1),
            _ => {
                self.at += 1;
                let shown = if a.is_ascii_graphic() {
                    format!("`{}`", a as char)
                } else {
                    format!("the byte {a:#04x}")
                };
                return self.error(start, format!("{shown} is no token of C"));
            }
        };
        self.at += length;
        self.push(kind, start);
    }
}
