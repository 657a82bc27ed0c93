//! The canonical layout of S-expression files: SV-LIB scripts and witnesses, SMT-LIB, VMT, Horn clauses, K2.
//!
//! Only white space changes. Symbols, strings and numerals stay as they are written, and so do comments, each
//! where it was: at the end of a line, or on a line of its own before what followed it.
//!
//! A form that fits on its line stays there, except that statements which hold others show their structure; all
//! others are broken as the table in `forms` says. Up to one empty line is kept between elements that have lines
//! of their own. No step depends on the depth of the input by recursion, and all of them together are linear in
//! its length: `piece` measures every list while it is read, `print` looks at each token once more.

mod align;
mod forms;
mod piece;
mod print;

use diag::{Diagnostic, Span};
use forms::Forms;
use piece::Pieces;
use print::Printer;
use smt::sexpr::{Lexer, Reader, Text, Token, Tree};

/// The text in its canonical layout. Formatting the result again changes nothing.
///
/// # Errors
///
/// What the reader has to say about tokens and parentheses, if that is anything; nothing is formatted then.
pub fn format(text: Text<'_>) -> Result<String, Vec<Diagnostic>> {
    layout(text).ok_or_else(|| problems(text))
}

/// The formatted text; none when a token is wrong or parentheses do not match.
fn layout(text: Text<'_>) -> Option<String> {
    let (mut lexer, forms) = (Lexer::new(text), Forms::new());
    // The text is written one top-level S-expression at a time, so memory holds no more tokens than that.
    let (mut pieces, mut printer) = (Pieces::default(), Printer::new(text));
    let mut end = lexer.position();
    while let Some(token) = lexer.next() {
        let token = token.ok()?;
        let breaks = line_breaks(text.slice(Span::new(end, start(token))));
        end = lexer.position();
        if !pieces.push(token, text, breaks, &forms) {
            return None;
        }
        if pieces.complete() {
            pieces.finish();
            printer.print(&pieces);
            pieces.clear();
        }
    }
    pieces.complete().then(|| printer.finish())
}

/// What the reader says about a text that has no layout.
fn problems(text: Text<'_>) -> Vec<Diagnostic> {
    let (mut reader, mut tree, mut errors) = (Reader::new(text), Tree::new(), Vec::new());
    while reader.read(&mut tree, &mut errors) {}
    errors
}

fn start(token: Token) -> u32 {
    match token {
        Token::Open(at) | Token::Close(at) => at,
        Token::Atom(_, span) | Token::Comment(span) => span.start,
    }
}

/// The line breaks in the space between two tokens: 0, 1, or 2 for more.
fn line_breaks(space: &str) -> u8 {
    let breaks = space.bytes().filter(|&byte| byte == b'\n').take(2);
    breaks.count() as u8
}
