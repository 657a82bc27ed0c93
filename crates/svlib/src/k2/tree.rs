//! K2 text to a flat tree of S-expressions.
//!
//! The S-expressions of K2 are not quite those of SMT-LIB: a symbol may begin with a digit, a bar inside a
//! quoted symbol is written `\|`, and a string is a symbol. Hence a lexer of its own; the tree has the shape
//! that [`smt::sexpr::Tree`] has, nodes in preorder that know where their next sibling is.

use diag::{Diagnostic, Span, codes};
use smt::sexpr::{Lexer, Text};
use std::borrow::Cow;

/// Index of a node.
pub(super) type NodeIdx = u32;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    List,
    /// A symbol or number without bars. Only such a one can be a word of the language.
    Word,
    /// A symbol between bars.
    Quoted,
    /// A string, which is a symbol that has quotes in its name.
    String,
    Keyword,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    span: Span,
    next: NodeIdx,
    kind: Kind,
}

/// A K2 text and its tree.
pub(super) struct Source<'a> {
    text: &'a str,
    base: u32,
    nodes: Vec<Node>,
}

impl<'a> Source<'a> {
    /// Reads the whole text. Lexical problems and unbalanced parentheses go to `errors`.
    pub(super) fn read(text: Text<'a>, errors: &mut Vec<Diagnostic>) -> Self {
        let (text, base) = whole(text);
        let mut source = Self { text, base, nodes: Vec::new() };
        let mut open: Vec<NodeIdx> = Vec::new();
        let mut lexer = K2Lexer { text, base, at: 0 };
        while let Some(token) = lexer.next() {
            if errors.len() >= super::MANY {
                break;
            }
            match token {
                Ok((Token::Open, span)) => {
                    open.push(source.nodes.len() as u32);
                    source.push(Kind::List, span);
                }
                Ok((Token::Close, span)) => match open.pop() {
                    Some(list) => source.close(list, span.end),
                    None => errors.push(Diagnostic::new(codes::K2001, span, "this `)` closes nothing")),
                },
                Ok((Token::Atom(kind), span)) => source.push(kind, span),
                Err(error) => errors.push(*error),
            }
        }
        if let Some(&innermost) = open.last() {
            let span = source.span(innermost);
            let message = match open.len() {
                1 => "this list is not closed at the end of the input".to_string(),
                n => format!("{n} lists are not closed at the end of the input"),
            };
            errors.push(Diagnostic::new(codes::K2001, span, message).help("add the missing `)`"));
        }
        source
    }

    fn push(&mut self, kind: Kind, span: Span) {
        let next = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { span, next, kind });
    }

    fn close(&mut self, list: NodeIdx, end: u32) {
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[list as usize];
        node.span.end = end;
        node.next = next;
    }

    /// The number of bytes.
    pub(super) fn text_len(&self) -> usize {
        self.text.len()
    }

    /// The place right after the last byte.
    pub(super) fn end(&self) -> Span {
        let end = self.base + self.text.len() as u32;
        Span::new(end, end)
    }

    pub(super) fn span(&self, node: NodeIdx) -> Span {
        self.nodes[node as usize].span
    }

    pub(super) fn kind(&self, node: NodeIdx) -> Kind {
        self.nodes[node as usize].kind
    }

    pub(super) fn is_list(&self, node: NodeIdx) -> bool {
        self.kind(node) == Kind::List
    }

    /// True for whatever can name something.
    pub(super) fn is_symbol(&self, node: NodeIdx) -> bool {
        matches!(self.kind(node), Kind::Word | Kind::Quoted | Kind::String)
    }

    /// The forms of the file.
    pub(super) fn roots(&self) -> Vec<NodeIdx> {
        self.siblings(0, self.nodes.len() as u32)
    }

    /// The direct children of a list.
    pub(super) fn children(&self, node: NodeIdx) -> Vec<NodeIdx> {
        self.siblings(node + 1, self.nodes[node as usize].next)
    }

    fn siblings(&self, mut at: NodeIdx, end: NodeIdx) -> Vec<NodeIdx> {
        let mut all = Vec::new();
        while at < end {
            all.push(at);
            at = self.nodes[at as usize].next;
        }
        all
    }

    /// The word that a list begins with, if it begins with one.
    pub(super) fn head(&self, node: NodeIdx) -> Option<&'a str> {
        let first = node + 1;
        (self.is_list(node) && first < self.nodes[node as usize].next).then(|| self.word(first)).flatten()
    }

    /// The text of a word, which is never a quoted symbol.
    pub(super) fn word(&self, node: NodeIdx) -> Option<&'a str> {
        (self.kind(node) == Kind::Word).then(|| self.slice(node))
    }

    fn slice(&self, node: NodeIdx) -> &'a str {
        let span = self.span(node);
        &self.text[(span.start - self.base) as usize..(span.end - self.base) as usize]
    }

    /// What a symbol is called: without bars, with escapes undone. The text of a keyword without its colon.
    pub(super) fn name(&self, node: NodeIdx) -> Cow<'a, str> {
        let text = self.slice(node);
        match self.kind(node) {
            Kind::Quoted => unescape(&text[1..text.len() - 1], "\\|", "|"),
            Kind::String => unescape(text, "\\\"", "\""),
            Kind::Keyword => Cow::Borrowed(&text[1..]),
            Kind::Word | Kind::List => Cow::Borrowed(text),
        }
    }
}

fn unescape<'a>(text: &'a str, escaped: &str, plain: &str) -> Cow<'a, str> {
    if text.contains(escaped) { Cow::Owned(text.replace(escaped, plain)) } else { Cow::Borrowed(text) }
}

/// The characters of a text and the address of the first one.
fn whole(text: Text<'_>) -> (&str, u32) {
    // The kernel's lexer knows where a text begins, and having met every token, where it ends.
    let mut lexer = Lexer::new(text);
    let base = lexer.position();
    lexer.by_ref().for_each(drop);
    (text.slice(Span::new(base, lexer.position())), base)
}

enum Token {
    Open,
    Close,
    Atom(Kind),
}

/// A token with its place, or what is wrong with it.
type Lexed = Result<(Token, Span), Box<Diagnostic>>;

struct K2Lexer<'a> {
    text: &'a str,
    base: u32,
    at: usize,
}

fn wrong(span: Span, message: &str, help: &str) -> Lexed {
    Err(Box::new(Diagnostic::new(codes::K2001, span, message).help(help)))
}

/// True for the characters of symbols without bars.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "._+-*=%/?!$~&^<>@".contains(c)
}

impl K2Lexer<'_> {
    fn span(&self, start: usize) -> Span {
        Span::new(self.base + start as u32, self.base + self.at as u32)
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_while(&mut self, wanted: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !wanted(c)).unwrap_or(rest.len());
    }

    fn skip_blank(&mut self) {
        loop {
            self.skip_while(|c| c.is_ascii_whitespace());
            if !self.rest().starts_with(';') {
                return;
            }
            self.skip_while(|c| c != '\n');
        }
    }

    /// Steps over a symbol between two marks; a mark after a backslash does not end it.
    fn quoted(&mut self, start: usize, mark: u8, kind: Kind) -> Lexed {
        let bytes = self.text.as_bytes();
        self.at += 1;
        while let Some(&byte) = bytes.get(self.at) {
            self.at += 1;
            if byte == mark && bytes[self.at - 2] != b'\\' {
                return Ok((Token::Atom(kind), self.span(start)));
            }
        }
        let first = Span::new(self.base + start as u32, self.base + start as u32 + 1);
        let message = "this symbol is not closed before the end of the input";
        wrong(first, message, &format!("add the closing `{}`", char::from(mark)))
    }

    /// `#x…` or `#b…`.
    fn bits(&mut self, start: usize) -> Lexed {
        self.at += 1;
        self.skip_while(is_word);
        let digits = &self.text[start + 1..self.at];
        let good = match digits.as_bytes() {
            [b'x', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit),
            [b'b', digits @ ..] => !digits.is_empty() && digits.iter().all(|d| matches!(d, b'0' | b'1')),
            _ => false,
        };
        if good {
            return Ok((Token::Atom(Kind::Word), self.span(start)));
        }
        let help = "a symbol that begins with `#` must stand between bars: |…|";
        wrong(self.span(start), "expected digits after `#x` or `#b`", help)
    }

    fn next(&mut self) -> Option<Lexed> {
        self.skip_blank();
        let start = self.at;
        let c = self.rest().chars().next()?;
        Some(match c {
            '(' | ')' => {
                self.at += 1;
                Ok((if c == '(' { Token::Open } else { Token::Close }, self.span(start)))
            }
            '|' => self.quoted(start, b'|', Kind::Quoted),
            '"' => self.quoted(start, b'"', Kind::String),
            '#' => self.bits(start),
            ':' => {
                self.at += 1;
                self.skip_while(is_word);
                if self.at > start + 1 {
                    Ok((Token::Atom(Kind::Keyword), self.span(start)))
                } else {
                    wrong(self.span(start), "a `:` without the keyword's name", "add the name")
                }
            }
            c if is_word(c) => {
                self.skip_while(is_word);
                Ok((Token::Atom(Kind::Word), self.span(start)))
            }
            c => {
                self.at += c.len_utf8();
                let shown = if c.is_control() { format!("{c:?}") } else { format!("`{c}`") };
                let help = "a symbol that holds it must stand between bars: |…|";
                wrong(self.span(start), &format!("the character {shown} cannot begin a symbol"), help)
            }
        })
    }
}
