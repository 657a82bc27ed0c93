//! Types in patterns: `(unsigned char)$x`, `(struct node *)$x`, `(size_t)$x`.

use super::ast::CastTo;
use super::parse::{P, Parser};
use cfront::DataModel;
use cfront::token::T;
use diag::codes;

/// Words that begin a type of the language.
const WORDS: &[&str] = &[
    // tidy: sorted
    "_Bool", "char", "double", "enum", "float", "int", "long", "short", "signed", "struct", "union",
    "unsigned", "void",
    // tidy: end
];

impl Parser<'_> {
    /// The type in parentheses that begins here, if it is one. A name of the program is taken for a type when an operand
    /// follows.
    pub(super) fn cast(&mut self) -> P<Option<CastTo>> {
        let span = self.span();
        let token = |at: usize| self.words.tokens.get(at).copied();
        let text = |at: usize| token(at).map_or("", |token| self.slice(token.span));
        let mut at = self.at + 1;
        let is_name = !WORDS.contains(&text(at));
        let mut words = Vec::new();
        while token(at)
            .is_some_and(|token| token.kind != T::Eof && token.kind != T::RParen && token.kind != T::Star)
        {
            words.push(text(at).to_owned());
            at += 1;
        }
        let mut pointers = 0;
        while token(at).is_some_and(|token| token.kind == T::Star) {
            pointers += 1;
            at += 1;
        }
        let is_closed = token(at).is_some_and(|token| token.kind == T::RParen);
        let follows = token(at + 1).map_or(T::Eof, |token| token.kind);
        if is_name {
            let is_type = token(self.at + 1).is_some_and(|token| token.kind == T::Ident)
                && words.len() == 1
                && !words[0].starts_with('$')
                && is_closed
                && matches!(follows, T::Ident | T::Number | T::LParen);
            // `$_` is an identifier, and so are the words behind a pattern.
            let is_word = follows == T::Ident && ["after", "before", "or", "where"].contains(&text(at + 1));
            if !is_type || is_word {
                return Ok(None);
            }
        }
        if !is_closed {
            return self.fail(codes::I001, span, "this parenthesis begins a type that is not closed");
        }
        let mut base = words.join(" ");
        if !is_name {
            // One spelling for each type.
            let unit = cfront::parse(format!("extern {base} *x;").as_bytes(), 0, DataModel::Lp64);
            let known = unit.entities.iter().find(|entity| unit.name(entity.name) == "x");
            let to = known.filter(|_| !unit.is_bad()).and_then(|entity| unit.types.pointee(entity.ty));
            let Some(to) = to else {
                return self.fail(codes::I001, span, format!("`{base}` is no type of C"));
            };
            base = unit.types.text(&unit.names, to);
        }
        self.at = at + 1;
        Ok(Some(CastTo { base, is_name, pointers }))
    }
}
