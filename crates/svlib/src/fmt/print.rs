//! Writes the pieces of one top-level S-expression after the other.
//!
//! A list that fits is copied in one go. Every other one gets a [`Frame`] on a stack, and each of its elements is
//! placed in turn: behind what is there, or on a new line. Where an element goes depends only on the tokens and on
//! which comments have a line of their own, never on the layout that was read. Hence formatting twice changes
//! nothing: the second time the tokens are the same, and comments are where they were left.

use super::align::Aligner;
use super::forms::{Arg, COMMAND, Form, FormId, TERM, form};
use super::piece::{Piece, Pieces, Shape};
use diag::Span;
use smt::sexpr::Text;

/// The columns of a line.
const WIDTH: u32 = 100;
/// Lists nested more deeply than this column are not indented further, so that deep ones stay readable and the
/// output is never much larger than the input.
const DEEPEST: u32 = 60;
/// Enough for every indentation.
const SPACES: &str = "                                                                ";

/// A list that is being written on several lines.
struct Frame {
    /// The column of its opening parenthesis.
    column: u32,
    /// The column of its elements that begin a line.
    indent: u32,
    /// Elements placed so far, keyword and value counted as one.
    items: u32,
    /// While a value is due: its column if it has to begin a line.
    value: Option<u32>,
    form: FormId,
    /// It is a list of elements without a head.
    data: bool,
    /// A line holds as many elements as fit.
    fill: bool,
    /// Something in it has begun a line.
    below: bool,
}

/// The text written so far and where in it we are.
pub(super) struct Printer<'a> {
    text: Text<'a>,
    out: String,
    column: u32,
    /// The line ends with a comment, so that nothing more can stand on it.
    ended: bool,
    /// The column that the line begins at.
    indent: u32,
    stack: Vec<Frame>,
    aligner: Aligner,
    /// The element that the comments at hand stand before; looked up once for all of them.
    ahead: usize,
}

impl<'a> Printer<'a> {
    pub(super) fn new(text: Text<'a>) -> Self {
        let (out, stack, aligner) = (String::new(), Vec::new(), Aligner::default());
        Printer { text, out, column: 0, ended: false, indent: 0, stack, aligner, ahead: 0 }
    }

    /// Ends the last line and returns the text.
    pub(super) fn finish(mut self) -> String {
        self.aligner.flush(&mut self.out);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    /// Writes complete lists, atoms and comments of the top level.
    pub(super) fn print(&mut self, pieces: &Pieces) {
        self.ahead = 0;
        let mut at = 0;
        while at < pieces.len() {
            let piece = pieces.get(at);
            match piece.shape {
                Shape::Comment => self.comment(pieces, at),
                Shape::Close => self.close(),
                Shape::Open => {
                    let role = self.place(pieces, at);
                    if fits(self.column, pieces.reach(at)) {
                        let list = pieces.list(at);
                        self.flat(list);
                        at += list.len();
                        continue;
                    }
                    self.open(pieces, at, role);
                }
                Shape::Atom | Shape::Keyword => {
                    self.place(pieces, at);
                    self.word(piece);
                }
            }
            at += 1;
        }
    }

    /// Goes to where the element at an index begins. Returns what it is to the list around it.
    fn place(&mut self, pieces: &Pieces, at: usize) -> Arg {
        let piece = pieces.get(at);
        let (column, ended) = (self.column, self.ended);
        let Some(frame) = self.stack.last_mut() else {
            self.line(0, piece.breaks > 1);
            return Arg::Plain;
        };
        if let Some(indent) = frame.value.take() {
            if !ended && (piece.shape == Shape::Atom || fits(column + 1, pieces.reach(at))) {
                self.space();
            } else {
                frame.below = true;
                self.line(indent, false);
            }
            return Arg::Plain;
        }
        let row = form(frame.form);
        let position = frame.items;
        frame.items += 1;
        let behind = !ended && frame.has_room(row, position, column + 1, pieces, at);
        if piece.shape == Shape::Keyword && pieces.value(at).is_some() {
            let deeper = if behind && position > 0 { 0 } else { 2 };
            frame.value = Some((frame.indent + deeper).min(DEEPEST));
        }
        let role = if frame.data { Arg::Plain } else { row.arg(position) };
        if behind {
            if position > 0 {
                self.space();
            }
        } else {
            // A line that was only begun because the one before is full is no place for an empty one.
            let gap = piece.breaks > 1 && frame.below && (ended || !frame.fill);
            let indent = frame.indent_of(row, position, piece);
            frame.below = true;
            self.line(indent, gap);
        }
        role
    }

    /// Begins a list on several lines; `role` says what it is to the list around it.
    fn open(&mut self, pieces: &Pieces, at: usize, role: Arg) {
        let piece = pieces.get(at);
        let head = pieces.get(pieces.code_from(at + 1)).shape;
        let data = role != Arg::Plain || matches!(head, Shape::Open | Shape::Keyword);
        let row = match piece.form {
            _ if data => TERM,
            TERM if self.stack.is_empty() => COMMAND,
            found => found,
        };
        let fill = role == Arg::Fill || (piece.simple && matches!(row, TERM | COMMAND));
        let column = self.column;
        let indent = (column + if data { 1 } else { 2 }).min(DEEPEST);
        self.stack.push(Frame { column, indent, items: 0, value: None, form: row, data, fill, below: false });
        self.out.push('(');
        self.column += 1;
    }

    fn close(&mut self) {
        let Some(frame) = self.stack.pop() else { return };
        if self.ended {
            self.line(frame.column.min(DEEPEST), false);
        }
        self.out.push(')');
        self.column += 1;
    }

    fn comment(&mut self, pieces: &Pieces, at: usize) {
        let piece = pieces.get(at);
        if piece.breaks == 0 && !self.out.is_empty() {
            self.aligner.comment(&mut self.out, self.column, self.indent);
        } else {
            if self.ahead <= at {
                self.ahead = pieces.code_from(at);
            }
            let (indent, gap) = match self.stack.last_mut() {
                None => (0, true),
                Some(frame) => {
                    let gap = frame.below && frame.value.is_none();
                    frame.below = true;
                    let indent = frame.indent_of(form(frame.form), frame.items, pieces.get(self.ahead));
                    (frame.value.unwrap_or(indent), gap)
                }
            };
            self.line(indent, gap && piece.breaks > 1);
        }
        let words = self.text.slice(Span::new(piece.start, piece.end));
        self.out.push_str(words.trim_end());
        self.ended = true;
    }

    /// Writes a list on the line.
    fn flat(&mut self, list: &[Piece]) {
        let mut glued = true;
        for piece in list {
            match piece.shape {
                Shape::Close => self.out.push(')'),
                _ if !glued => self.out.push(' '),
                _ => {}
            }
            match piece.shape {
                Shape::Open => self.out.push('('),
                Shape::Close => {}
                _ => self.out.push_str(self.text.slice(Span::new(piece.start, piece.end))),
            }
            glued = piece.shape == Shape::Open;
        }
        self.column += list[0].width;
    }

    /// Writes an atom as it is.
    fn word(&mut self, piece: &Piece) {
        let word = self.text.slice(Span::new(piece.start, piece.end));
        self.out.push_str(word);
        match word.rfind('\n') {
            Some(last) => self.column = word[last + 1..].chars().count() as u32,
            None => self.column += piece.width,
        }
    }

    fn space(&mut self) {
        self.out.push(' ');
        self.column += 1;
    }

    /// Begins a line, after an empty one if `gap` says so. The first line of the text has begun already.
    fn line(&mut self, indent: u32, gap: bool) {
        if !self.out.is_empty() {
            self.aligner.line_end(&mut self.out, gap);
            self.out.push_str(if gap { "\n\n" } else { "\n" });
        }
        self.out.push_str(&SPACES[..indent as usize]);
        self.column = indent;
        self.indent = indent;
        self.ended = false;
    }
}

impl Frame {
    /// Whether an element stays on the line; `column` is where it would begin.
    fn has_room(&self, row: &Form, position: u32, column: u32, pieces: &Pieces, at: usize) -> bool {
        if position == 0 {
            return true;
        }
        let piece = pieces.get(at);
        let kept = !self.below && position <= row.keep;
        if !kept && !self.fill {
            return false;
        }
        if piece.shape == Shape::Keyword
            && let Some(value) = pieces.value(at)
        {
            let atom = pieces.get(value).shape == Shape::Atom;
            return (kept && atom) || fits(column + piece.width + 1, pieces.reach(value));
        }
        if kept && (piece.shape != Shape::Open || (row.hug && position == row.keep)) {
            return true;
        }
        fits(column, pieces.reach(at))
    }

    /// Where an element begins a line, or a comment before it.
    fn indent_of(&self, row: &Form, position: u32, piece: &Piece) -> u32 {
        let again = row.chain && position == row.keep + 1;
        if again && piece.shape == Shape::Open && piece.form == self.form {
            return self.column.min(DEEPEST);
        }
        self.indent
    }
}

/// Whether something of a width ends on the line that it begins at a column.
fn fits(column: u32, width: u32) -> bool {
    column.saturating_add(width) <= WIDTH
}
