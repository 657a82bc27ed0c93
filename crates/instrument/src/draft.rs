//! Texts of operations that places with the same operation share: what is captured is filled in for each place.

use std::rc::Rc;

/// A piece of an operation's text before it is known what is captured.
pub(crate) enum Draft {
    Text(Rc<str>),
    Capture(usize),
    Result,
}

/// The text of an operation.
pub(crate) struct Drafted {
    pub(crate) pieces: Vec<Draft>,
    pub(crate) is_local: bool,
}

/// The text of an operation while it is made.
#[derive(Default)]
pub(crate) struct Writer {
    pieces: Vec<Draft>,
    /// Text behind the last piece.
    text: String,
    pub(crate) is_local: bool,
}

impl Writer {
    pub(crate) fn text(&mut self, more: &str) {
        self.text.push_str(more);
    }

    pub(crate) fn piece(&mut self, piece: Draft) {
        if !self.text.is_empty() {
            self.pieces.push(Draft::Text(std::mem::take(&mut self.text).into()));
        }
        self.pieces.push(piece);
    }

    pub(crate) fn finish(mut self) -> Drafted {
        if !self.text.is_empty() {
            self.pieces.push(Draft::Text(self.text.into()));
        }
        Drafted { pieces: self.pieces, is_local: self.is_local }
    }
}
