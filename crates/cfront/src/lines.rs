//! Line markers: where the text that a preprocessor wrote came from.

use diag::{Span, codes};

/// A line of the text from which on lines are those of another file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marker {
    /// The address of the first byte of the line after the marker.
    pub start: u32,
    /// The line that this line was.
    pub line: u32,
    /// The file, an index into [`LineMap::files`].
    pub file: u32,
}

/// Line markers, in the order of the text.
#[derive(Clone, Default, Debug)]
pub struct LineMap {
    /// The names of the files that markers speak of.
    pub files: Vec<String>,
    /// The markers.
    pub markers: Vec<Marker>,
}

impl LineMap {
    /// The marker that an address is under.
    #[must_use]
    pub fn marker_at(&self, address: u32) -> Option<&Marker> {
        let index = self.markers.partition_point(|marker| marker.start <= address);
        index.checked_sub(1).map(|index| &self.markers[index])
    }

    /// The file and line that an address came from; none before the first marker. `text` is the whole text, which begins
    /// at `base`.
    #[must_use]
    pub fn origin(&self, text: &[u8], base: u32, address: u32) -> Option<(&str, u32)> {
        let marker = self.marker_at(address)?;
        let range = (marker.start - base) as usize..((address - base) as usize).min(text.len());
        let lines = text.get(range)?.iter().filter(|&&byte| byte == b'\n').count() as u32;
        Some((&self.files[marker.file as usize], marker.line.saturating_add(lines)))
    }

    /// Adds the marker that is written in a directive: a number, a name in quotes, flags.
    pub(crate) fn add(&mut self, directive: &[u8], next_line: u32) -> bool {
        let text = String::from_utf8_lossy(directive);
        let text = text.trim_start_matches(['#', ' ', '\t']);
        let text = text.strip_prefix("line").unwrap_or(text).trim();
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let Ok(line) = text[..digits].parse() else { return false };
        let rest = text[digits..].trim();
        let file = match rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            Some((name, _)) => self.file(name),
            None => match self.markers.last() {
                Some(last) => last.file,
                None => self.file(""),
            },
        };
        self.markers.push(Marker { start: next_line, line, file });
        true
    }

    fn file(&mut self, name: &str) -> u32 {
        // Markers mostly return to a file that was seen shortly before.
        if let Some(index) = self.files.iter().rposition(|file| file == name) {
            return index as u32;
        }
        self.files.push(name.to_owned());
        self.files.len() as u32 - 1
    }
}

/// `#pragma pack`, which changes the layout of records from its place on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pack {
    pub(crate) start: u32,
    /// The largest alignment of a member in bytes; zero when there is no limit.
    pub(crate) limit: u32,
}

/// Reads pragmas that matter to the language.
#[derive(Default)]
pub(crate) struct Packs {
    pub(crate) list: Vec<Pack>,
    saved: Vec<u32>,
}

impl Packs {
    /// The limit at an address.
    pub(crate) fn at(&self, address: u32) -> u32 {
        let index = self.list.partition_point(|pack| pack.start <= address);
        index.checked_sub(1).map_or(0, |index| self.list[index].limit)
    }

    /// Takes notice of a directive if it is `#pragma pack`.
    pub(crate) fn read(&mut self, directive: &[u8], span: Span) {
        let text = String::from_utf8_lossy(directive);
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        if words.next() != Some("pragma") || words.next() != Some("pack") {
            return;
        }
        let mut limit = self.list.last().map_or(0, |pack| pack.limit);
        let mut is_plain = true;
        for word in words {
            match word {
                "push" => self.saved.push(limit),
                "pop" => limit = self.saved.pop().unwrap_or(0),
                _ => limit = word.parse().unwrap_or(limit),
            }
            is_plain = false;
        }
        let limit = if is_plain { 0 } else { limit };
        self.list.push(Pack { start: span.start, limit });
    }
}

/// The finding for a directive that a preprocessor should have seen.
pub(crate) fn unexpected(span: Span) -> diag::Diagnostic {
    diag::Diagnostic::new(codes::C003, span, "a preprocessing directive in preprocessed text")
        .help("give the file the ending .c, or run it through `cc -E`")
}

/// True when a text has directives that only a preprocessor understands.
#[must_use]
pub fn needs_preprocessor(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n').any(|line| {
        let Some(rest) = line.trim_ascii_start().strip_prefix(b"#") else { return false };
        let rest = rest.trim_ascii_start();
        let words: [&[u8]; 7] = [b"include", b"define", b"undef", b"if", b"el", b"end", b"error"];
        words.iter().any(|word| rest.starts_with(word))
    })
}
