//! The tokens of one top-level S-expression with what the printer has to know about them in advance.
//!
//! Tokens lie in one flat vector that is reused from command to command. While they arrive, the width that each
//! list has on one line is summed up, so that the printer decides about a list of any size in one step.

use super::forms::{FormId, Forms, TERM, form};
use smt::sexpr::{Kind, Text, Token};

/// The width of what cannot stand on one line.
pub(super) const BROKEN: u32 = u32::MAX;

/// What a [`Piece`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Open,
    Close,
    Keyword,
    /// Any other atom.
    Atom,
    Comment,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The addresses of the text.
    pub(super) start: u32,
    pub(super) end: u32,
    /// For an opening parenthesis the index of its closing one, for everything else how many closing
    /// parentheses follow at once.
    link: u32,
    /// Columns up to the first line break; of the whole list for an opening parenthesis.
    pub(super) width: u32,
    pub(super) shape: Shape,
    /// Line breaks before the token: 0, 1, or 2 for more.
    pub(super) breaks: u8,
    /// For an opening parenthesis: the row that belongs to the head.
    pub(super) form: FormId,
    /// For an opening parenthesis: nothing in it is a list.
    pub(super) simple: bool,
}

/// A list that is not closed yet.
struct OpenList {
    index: u32,
    width: u32,
    /// Elements so far, keyword and value counted as one.
    items: u32,
    /// The last element is a keyword that a value may follow.
    keyword: bool,
    form: FormId,
    simple: bool,
}

/// The tokens up to the end of a top-level S-expression or comment.
#[derive(Default)]
pub(super) struct Pieces {
    list: Vec<Piece>,
    open: Vec<OpenList>,
}

impl Pieces {
    /// Forgets all pieces and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.open.clear();
    }

    /// True when no list is open, so that the pieces can be printed.
    pub(super) fn complete(&self) -> bool {
        self.open.is_empty()
    }

    /// Appends a token. False when it is a parenthesis that closes nothing.
    pub(super) fn push(&mut self, token: Token, text: Text<'_>, breaks: u8, forms: &Forms) -> bool {
        let index = self.list.len() as u32;
        let (shape, start, end) = match token {
            Token::Open(at) => (Shape::Open, at, at + 1),
            Token::Close(at) => (Shape::Close, at, at + 1),
            Token::Atom(Kind::Keyword, span) => (Shape::Keyword, span.start, span.end),
            Token::Atom(_, span) => (Shape::Atom, span.start, span.end),
            Token::Comment(span) => (Shape::Comment, span.start, span.end),
        };
        let mut piece =
            Piece { start, end, link: 0, width: end - start, shape, breaks, form: TERM, simple: true };
        match token {
            Token::Open(_) => {
                self.open.push(OpenList {
                    index,
                    width: 2,
                    items: 0,
                    keyword: false,
                    form: TERM,
                    simple: true,
                });
            }
            Token::Close(_) => {
                if self.open.is_empty() {
                    return false;
                }
                self.close(index);
            }
            Token::Atom(kind, span) => {
                let word = text.slice(span);
                let mut whole = piece.width;
                if matches!(kind, Kind::String | Kind::Quoted) {
                    let (first, more) = first_line(word);
                    piece.width = first;
                    whole = if more { BROKEN } else { first };
                }
                if let Some(list) = self.open.last_mut() {
                    if list.items == 0 && kind == Kind::Symbol {
                        list.form = forms.find(word);
                    }
                    list.add(whole, shape);
                }
            }
            Token::Comment(_) => {
                if let Some(list) = self.open.last_mut() {
                    list.width = BROKEN;
                }
            }
        }
        self.list.push(piece);
        true
    }

    /// Records what is now known about the innermost open list, whose end has the index `close`.
    fn close(&mut self, close: u32) {
        let Some(list) = self.open.pop() else { return };
        let arguments = list.items.saturating_sub(1);
        let width = if arguments > form(list.form).most { BROKEN } else { list.width };
        let piece = &mut self.list[list.index as usize];
        piece.link = close;
        piece.width = width;
        piece.form = list.form;
        piece.simple = list.simple;
        if let Some(parent) = self.open.last_mut() {
            parent.add(width, Shape::Open);
        }
    }

    /// To be called before printing: looks what follows each piece.
    pub(super) fn finish(&mut self) {
        let mut closing = 0;
        for piece in self.list.iter_mut().rev() {
            if piece.shape != Shape::Open {
                piece.link = closing;
            }
            closing = if piece.shape == Shape::Close { closing + 1 } else { 0 };
        }
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, index: usize) -> &Piece {
        &self.list[index]
    }

    /// The pieces of a list, parentheses included.
    pub(super) fn list(&self, open: usize) -> &[Piece] {
        &self.list[open..=self.list[open].link as usize]
    }

    /// The first piece at or after an index that is not a comment.
    pub(super) fn code_from(&self, index: usize) -> usize {
        let comments = self.list[index..].iter().take_while(|piece| piece.shape == Shape::Comment);
        index + comments.count()
    }

    /// The index of the last piece of the element that begins at an index.
    fn last(&self, index: usize) -> usize {
        let piece = &self.list[index];
        if piece.shape == Shape::Open { piece.link as usize } else { index }
    }

    /// The columns that an element takes on one line, with the parentheses that close after it.
    pub(super) fn reach(&self, index: usize) -> u32 {
        let closing = self.list[self.last(index)].link;
        self.list[index].width.saturating_add(closing)
    }

    /// The value of a keyword in a list: what follows, unless that is a keyword or the end of the list.
    pub(super) fn value(&self, keyword: usize) -> Option<usize> {
        let next = self.code_from(keyword + 1);
        let shape = self.list.get(next)?.shape;
        matches!(shape, Shape::Open | Shape::Atom).then_some(next)
    }
}

impl OpenList {
    /// Counts in an element.
    fn add(&mut self, width: u32, shape: Shape) {
        let space = u32::from(self.items > 0);
        self.width = self.width.saturating_add(space).saturating_add(width);
        let value = std::mem::replace(&mut self.keyword, shape == Shape::Keyword);
        if !value || shape == Shape::Keyword {
            self.items += 1;
        }
        self.simple &= shape != Shape::Open;
    }
}

/// The columns of a text's first line, and whether there are more lines.
fn first_line(text: &str) -> (u32, bool) {
    let line = text.split('\n').next().unwrap_or_default();
    (line.chars().count() as u32, line.len() < text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_small() {
        assert_eq!(size_of::<Piece>(), 20);
    }
}
