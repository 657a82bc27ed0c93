//! Operations: C statements with a few words that mean more.

use super::ast::{ATTRIBUTES, Side, Subject, TextPiece};
use super::parse::{P, Parser};
use cfront::token::{T, Token};
use diag::{Span, codes};

impl Parser<'_> {
    /// The text of an operation. Blanks and comments become one blank.
    pub(super) fn operation(&mut self, block: Span) -> P<Vec<TextPiece>> {
        let tokens = self.tokens_in(block);
        let mut out = Pieces::default();
        // For parentheses that are open: whether they are those of an assertion, and whether it needs braces.
        let mut open: Vec<Option<bool>> = Vec::new();
        let mut index = 0;
        let mut end = tokens.first().map_or(block.start, |token| token.span.start);
        while let Some(&token) = tokens.get(index) {
            if token.span.start > end {
                out.text(" ");
            }
            let kind = |ahead: usize| tokens.get(index + ahead).map(|token| token.kind);
            let word = self.slice(token.span).to_owned();
            let is_call = kind(1) == Some(T::LParen);
            let is_empty_call = is_call && kind(2) == Some(T::RParen);
            let mut taken = 1;
            match word.as_str() {
                "assert" if is_call => {
                    // An `else` behind it must not become its own.
                    let is_nested = !out.is_at_statement();
                    out.text(if is_nested { "{ if (!(" } else { "if (!(" });
                    open.push(Some(is_nested));
                    taken = 2;
                }
                "choice" | "save_state" | "same_state" if is_empty_call => {
                    match word.as_str() {
                        "choice" => out.text("__VERIFIER_nondet_bool()"),
                        "save_state" => out.piece(TextPiece::SaveState),
                        _ => out.piece(TextPiece::SameState),
                    }
                    taken = 3;
                }
                "(" => {
                    open.push(None);
                    out.text("(");
                }
                ")" => match open.pop() {
                    Some(None) => out.text(")"),
                    Some(Some(is_nested)) if kind(1) == Some(T::Semi) => {
                        out.text(if is_nested { ")) reach_error(); }" } else { ")) reach_error();" });
                        taken = 2;
                    }
                    Some(Some(_)) => {
                        return self.fail(
                            codes::I001,
                            token.span,
                            "an assertion is a statement: `;` is missing",
                        );
                    }
                    None => return self.fail(codes::I001, token.span, "this parenthesis was never opened"),
                },
                _ if word.starts_with('$') => taken = self.dollar(&tokens[index..], &mut out)?,
                _ if token.kind == T::Ident => {
                    let var = self.vars.iter().position(|var| var.name == word);
                    let is_member = index > 0 && matches!(tokens[index - 1].kind, T::Dot | T::Arrow);
                    out.piece(match var {
                        Some(var) if !is_member => TextPiece::Var(var),
                        _ if is_member => TextPiece::Text(word),
                        _ => TextPiece::Name(word),
                    });
                }
                _ => out.text(&word),
            }
            index += taken;
            end = tokens[index - 1].span.end;
        }
        if !open.is_empty() {
            return self.fail(codes::I001, block, "a parenthesis of this operation is never closed");
        }
        Ok(out.pieces)
    }

    /// `$x`, `$result`, `$x.min`, `$op.max`: how many tokens it is.
    fn dollar(&mut self, tokens: &[Token], out: &mut Pieces) -> P<usize> {
        let span = tokens[0].span;
        let name = self.slice(span).trim_start_matches('$').to_owned();
        let capture = self.captures.iter().position(|capture| *capture == name);
        let attribute = match tokens {
            [_, dot, attribute, ..] if dot.kind == T::Dot => Some(attribute.span),
            _ => None,
        };
        if name == "result" && attribute.is_none() {
            if self.side == Side::Before {
                return self.fail(codes::I005, span, "the result is not known before the operation");
            }
            out.piece(TextPiece::Result);
            return Ok(1);
        }
        let subject = match capture {
            Some(capture) => Subject::Capture(capture),
            None if name == "op" && attribute.is_some() => Subject::Op,
            None => {
                let names = self.captures.clone();
                return self.unknown("capture", &name, span, names.iter().map(String::as_str));
            }
        };
        let Some(attribute) = attribute else {
            if let Subject::Capture(capture) = subject {
                out.piece(TextPiece::Capture(capture));
            }
            return Ok(1);
        };
        let word = self.slice(attribute).to_owned();
        match ATTRIBUTES.iter().find(|(name, _)| *name == word) {
            Some((_, attribute)) => {
                out.piece(TextPiece::Attribute(subject, *attribute));
                Ok(3)
            }
            None => self.unknown("attribute", &word, attribute, ATTRIBUTES.iter().map(|(name, _)| *name)),
        }
    }
}

/// Pieces, with texts put together.
#[derive(Default)]
struct Pieces {
    pieces: Vec<TextPiece>,
}

impl Pieces {
    /// True at the beginning of a statement that is none's part.
    fn is_at_statement(&self) -> bool {
        match self.pieces.last() {
            Some(TextPiece::Text(text)) => {
                text.trim_end().is_empty() || text.trim_end().ends_with([';', '{', '}'])
            }
            Some(_) => false,
            None => true,
        }
    }

    fn text(&mut self, more: &str) {
        match self.pieces.last_mut() {
            Some(TextPiece::Text(text)) => text.push_str(more),
            _ => self.pieces.push(TextPiece::Text(more.to_owned())),
        }
    }

    fn piece(&mut self, piece: TextPiece) {
        match piece {
            TextPiece::Text(text) => self.text(&text),
            piece => self.pieces.push(piece),
        }
    }
}
