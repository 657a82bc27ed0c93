//! Edits of a text: what stands where, in which order, and how the output is put together.
//!
//! Edits belong to parts of the syntax: text at the beginning of a part, at its end, or in the place of a token. Parts nest,
//! so those that begin at one place are ordered from the outside in, and those that end at one place from the inside out. A range may be moved:
//! its bytes stand elsewhere, with the edits in it.

use super::marks::Marks;
use diag::Span;

/// What kind of edit it is; at one place in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Class {
    /// At the end of a part.
    Close,
    /// In the place of a part that is moved.
    Take,
    /// At the beginning of a part.
    Open,
    /// In the place of something.
    Replace,
}

/// A piece of inserted text.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Part {
    /// Text.
    Text(String),
    /// A range of the input, with its edits.
    Moved(Span),
}

/// An edit.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Edit {
    class: Class,
    /// What is replaced; empty for insertions.
    span: Span,
    /// The length of the part that the edit belongs to.
    extent: u32,
    /// Text, and what comes behind it.
    text: String,
    parts: Vec<Part>,
    from: Option<Span>,
}

/// What became of a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceKind {
    /// It is new.
    Inserted,
    /// It stands for something else in the input.
    Replaced,
    /// It was elsewhere in the input.
    Moved,
}

impl PieceKind {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PieceKind::Inserted => "inserted",
            PieceKind::Replaced => "replaced",
            PieceKind::Moved => "moved",
        }
    }
}

/// A piece of the output that the input does not have at this place.
#[derive(Clone, PartialEq, Debug)]
pub struct MapPiece {
    /// What became of it.
    pub kind: PieceKind,
    /// The first byte in the output and the one after the last, without marks.
    pub output: (usize, usize),
    /// The place in the input, as addresses.
    pub input: Span,
    /// The transition in the automaton's file, if there is one.
    pub from: Option<Span>,
}

/// Edits of one text.
#[derive(Default)]
pub(super) struct Edits {
    list: Vec<Edit>,
}

impl Edits {
    /// Text at the beginning of a part.
    pub(super) fn open(&mut self, part: Span, text: String, from: Option<Span>) {
        self.push(Class::Open, part.before(), part.end - part.start, (text, Vec::new()), from);
    }

    pub(super) fn open_parts(&mut self, part: Span, parts: Vec<Part>, from: Option<Span>) {
        self.push(Class::Open, part.before(), part.end - part.start, (String::new(), parts), from);
    }

    /// Text at the end of a part.
    pub(super) fn close(&mut self, part: Span, text: String, from: Option<Span>) {
        self.push(Class::Close, part.after(), part.end - part.start, (text, Vec::new()), from);
    }

    pub(super) fn close_parts(&mut self, part: Span, parts: Vec<Part>, from: Option<Span>) {
        self.push(Class::Close, part.after(), part.end - part.start, (String::new(), parts), from);
    }

    /// Text in the place of something.
    pub(super) fn replace(&mut self, span: Span, text: String, from: Option<Span>) {
        self.push(Class::Replace, span, span.end - span.start, (text, Vec::new()), from);
    }

    /// Text in the place of a part that is moved elsewhere.
    pub(super) fn take(&mut self, part: Span, text: String) {
        self.push(Class::Take, part, part.end - part.start, (text, Vec::new()), None);
    }

    fn push(
        &mut self,
        class: Class,
        span: Span,
        extent: u32,
        (text, parts): (String, Vec<Part>),
        from: Option<Span>,
    ) {
        self.list.push(Edit { class, span, extent, text, parts, from });
    }

    fn texts(&self) -> impl Iterator<Item = &[u8]> + Clone {
        let more = self.list.iter().flat_map(|edit| &edit.parts).filter_map(|part| match part {
            Part::Text(text) => Some(text.as_bytes()),
            Part::Moved(_) => None,
        });
        self.list.iter().map(|edit| edit.text.as_bytes()).chain(more)
    }

    /// The edited text. `original` is what the text was made of by a preprocessor.
    pub(super) fn render(
        mut self,
        text: &[u8],
        base: u32,
        original: Option<&[u8]>,
    ) -> (Vec<u8>, Vec<MapPiece>) {
        // Edits of one part at one place keep their order.
        self.list.sort_by_cached_key(|edit| {
            let nesting = match edit.class {
                Class::Close => edit.extent,
                Class::Take | Class::Open | Class::Replace => u32::MAX - edit.extent,
            };
            (edit.span.start, edit.class, nesting)
        });
        let marks = Marks::new(std::iter::once(text).chain(self.texts()));
        let mut out = Vec::with_capacity(text.len() * 2);
        marks.head(&mut out);
        let mut renderer = Renderer { edits: &self.list, text, base, marks: &marks, out, pieces: Vec::new() };
        renderer.run();
        let Renderer { mut out, pieces, .. } = renderer;
        if let Some(original) = original {
            marks.original(original, &mut out);
        }
        (out, pieces)
    }
}

struct Renderer<'a> {
    edits: &'a [Edit],
    text: &'a [u8],
    base: u32,
    marks: &'a Marks,
    out: Vec<u8>,
    pieces: Vec<MapPiece>,
}

/// A range that is being written.
struct Frame {
    next: usize,
    last: usize,
    cursor: u32,
    end: u32,
    /// The part that was taken away last.
    taken: Span,
    /// The piece that this range is.
    piece: Option<usize>,
    /// The edit that is being written, the next of its parts, and where it began.
    edit: Option<(usize, usize, usize)>,
}

impl Renderer<'_> {
    fn run(&mut self) {
        let end = self.base + self.text.len() as u32;
        let mut frames = vec![Frame {
            next: 0,
            last: self.edits.len(),
            cursor: self.base,
            end,
            taken: Span::default(),
            piece: None,
            edit: None,
        }];
        while let Some(frame) = frames.last_mut() {
            if let Some(inner) = self.step(frame) {
                frames.push(inner);
            } else if frame.edit.is_none() && frame.next >= frame.last {
                let rest = Span::new(frame.cursor, frame.end);
                self.copy(rest);
                if let Some(piece) = frame.piece {
                    self.pieces[piece].output.1 = self.out.len();
                }
                frames.pop();
            }
        }
    }

    fn copy(&mut self, span: Span) {
        let (start, end) = ((span.start - self.base) as usize, (span.end - self.base) as usize);
        self.out.extend_from_slice(&self.text[start..end.max(start)]);
    }

    /// Goes on with a range. What is moved into it is written first.
    fn step(&mut self, frame: &mut Frame) -> Option<Frame> {
        let Some((index, part, began)) = frame.edit else {
            if frame.next < frame.last {
                self.begin(frame);
            }
            return None;
        };
        let edit = &self.edits[index];
        match edit.parts.get(part) {
            Some(Part::Text(text)) => {
                self.out.extend_from_slice(text.as_bytes());
                frame.edit = Some((index, part + 1, began));
                None
            }
            Some(&Part::Moved(span)) => {
                frame.edit = Some((index, part + 1, began));
                let start = self.out.len();
                self.pieces.push(MapPiece {
                    kind: PieceKind::Moved,
                    output: (start, start),
                    input: span,
                    from: None,
                });
                Some(Frame { piece: Some(self.pieces.len() - 1), ..self.moved(span) })
            }
            None => {
                self.finish(edit, began);
                frame.edit = None;
                None
            }
        }
    }

    fn begin(&mut self, frame: &mut Frame) {
        let index = frame.next;
        let edit = &self.edits[index];
        frame.next += 1;
        // What lies in a part that was taken away is written where that was moved to.
        let ends_taken = edit.class == Class::Close
            && edit.span.start == frame.taken.end
            && edit.extent <= frame.taken.end - frame.taken.start;
        if edit.span.start < frame.cursor || ends_taken {
            return;
        }
        if edit.class == Class::Take {
            frame.taken = edit.span;
        }
        self.copy(Span::new(frame.cursor, edit.span.start));
        frame.cursor = edit.span.end;
        let (start, end) = ((edit.span.start - self.base) as usize, (edit.span.end - self.base) as usize);
        self.marks.open(&self.text[start..end], &mut self.out);
        frame.edit = Some((index, 0, self.out.len()));
        self.out.extend_from_slice(edit.text.as_bytes());
    }

    fn finish(&mut self, edit: &Edit, began: usize) {
        let kind = if edit.span.start == edit.span.end { PieceKind::Inserted } else { PieceKind::Replaced };
        let output = (began, self.out.len());
        self.pieces.push(MapPiece { kind, output, input: edit.span, from: edit.from });
        self.marks.close(&mut self.out);
    }

    fn moved(&self, span: Span) -> Frame {
        let extent = span.end - span.start;
        let next =
            self.edits.partition_point(|edit| (edit.span.start, edit.class) < (span.start, Class::Open));
        let last = self.edits.partition_point(|edit| {
            let key = (edit.span.start, edit.class);
            key < (span.end, Class::Close) || key == (span.end, Class::Close) && edit.extent <= extent
        });
        let (cursor, end) = (span.start, span.end);
        Frame { next, last, cursor, end, taken: Span::default(), piece: None, edit: None }
    }
}
