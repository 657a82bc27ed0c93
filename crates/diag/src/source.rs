//! Source files in one address space of bytes, so that a span is 8 bytes and names its file by itself.

base::define_id!(
    /// A file in a [`SourceMap`].
    pub struct FileId;
);

use crate::{Diagnostic, codes};
use base::id::Id;
use std::sync::OnceLock;

/// A range of bytes in the address space of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` up to, not including, `end`.
    #[must_use]
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The range from the beginning of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Span) -> Self {
        Self { start: self.start, end: other.end.max(self.start) }
    }

    /// The empty range right after this one.
    #[must_use]
    pub fn after(self) -> Self {
        Self { start: self.end, end: self.end }
    }

    /// The empty range right before this one.
    #[must_use]
    pub fn before(self) -> Self {
        Self { start: self.start, end: self.start }
    }
}

/// All sources together would pass the 4 GiB that spans can address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the input is larger than 4 GiB in all")
    }
}

impl std::error::Error for TooLarge {}

/// A place as a person reads it. Lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location<'a> {
    /// The file's name as it was given.
    pub file: &'a str,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

struct SourceFile {
    name: String,
    text: String,
    base: u32,
    /// Where line breaks are, once somebody has asked for a line: many findings about a long file would count them each.
    breaks: OnceLock<Vec<u32>>,
}

impl SourceFile {
    fn breaks(&self) -> &[u32] {
        let is_break = |(at, byte): (usize, u8)| (byte == b'\n').then_some(at as u32);
        self.breaks.get_or_init(|| self.text.bytes().enumerate().filter_map(is_break).collect())
    }
}

/// The texts that spans point into.
#[derive(Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file. Its first byte has the address [`SourceMap::base`].
    ///
    /// # Errors
    /// When spans could not address it any more.
    pub fn add(&mut self, name: impl Into<String>, text: String) -> Result<FileId, TooLarge> {
        let base = self.next_base();
        if base + text.len() as u64 >= u64::from(u32::MAX) {
            return Err(TooLarge);
        }
        self.files.push(SourceFile { name: name.into(), text, base: base as u32, breaks: OnceLock::new() });
        Ok(FileId::from_index(self.files.len() - 1))
    }

    /// Adds a file as it was read, which need not be text.
    ///
    /// # Errors
    /// A diagnostic with a place: the first byte that is no UTF-8, or the beginning of a file that is too large.
    /// The file is added all the same, with its bad bytes replaced or without its content, so that the place can
    /// be shown.
    pub fn add_bytes(&mut self, name: impl Into<String>, bytes: Vec<u8>) -> Result<FileId, Box<Diagnostic>> {
        let name = name.into();
        let (text, bad) = match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let bytes = error.as_bytes();
                // What stands before the place is not changed by the replacement, so neither is the place.
                (String::from_utf8_lossy(bytes).into_owned(), Some((at as u32, bytes[at])))
            }
        };
        let Ok(file) = self.add(name.clone(), text) else {
            let start = self.add(name, String::new()).map_or(0, |file| self.base(file));
            let error = Diagnostic::new(codes::SMT005, Span::new(start, start), TooLarge.to_string());
            return Err(Box::new(
                error.help("split the input into several files that are read one after the other"),
            ));
        };
        let Some((at, byte)) = bad else { return Ok(file) };
        let start = self.base(file) + at;
        let span = Span::new(start, start + char::REPLACEMENT_CHARACTER.len_utf8() as u32);
        let error =
            Diagnostic::new(codes::SMT001, span, format!("the byte {byte:#04X} is not valid UTF-8 here"));
        Err(Box::new(error.help("convert the file to UTF-8, if it is a text file")))
    }

    /// Adds a file that may be binary. Bytes that make it no text are shown as question marks, one for each, so that places
    /// are offsets in the file whatever it holds.
    ///
    /// # Errors
    /// When spans could not address it any more.
    pub fn add_binary(&mut self, name: impl Into<String>, bytes: &[u8]) -> Result<FileId, TooLarge> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|&byte| if byte.is_ascii() { byte as char } else { '?' }).collect(),
        };
        self.add(name, text)
    }

    /// Appends text to the file added last, which is how a session's input grows.
    ///
    /// # Errors
    /// When spans could not address it any more.
    pub fn append(&mut self, text: &str) -> Result<(), TooLarge> {
        if self.next_base() + text.len() as u64 >= u64::from(u32::MAX) {
            return Err(TooLarge);
        }
        if let Some(file) = self.files.last_mut() {
            file.text.push_str(text);
            file.breaks = OnceLock::new();
        }
        Ok(())
    }

    /// One byte lies between two files, so that the end of one is not the beginning of the next.
    fn next_base(&self) -> u64 {
        self.files.last().map_or(0, |f| u64::from(f.base) + f.text.len() as u64 + 1)
    }

    /// The address of the file's first byte.
    #[must_use]
    pub fn base(&self, file: FileId) -> u32 {
        self.files[file.index()].base
    }

    /// The file's text.
    #[must_use]
    pub fn text(&self, file: FileId) -> &str {
        &self.files[file.index()].text
    }

    /// The file's name.
    #[must_use]
    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.index()].name
    }

    /// All files in the order they were added.
    pub fn files(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.files.len()).map(FileId::from_index)
    }

    /// The file that an address belongs to.
    #[must_use]
    pub fn file_at(&self, address: u32) -> Option<FileId> {
        let index = self.files.partition_point(|f| f.base <= address);
        index.checked_sub(1).map(FileId::from_index)
    }

    /// The text under a span; empty when the span is of another map.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        let Some(file) = self.file_at(span.start) else { return "" };
        let file = &self.files[file.index()];
        file.text
            .get((span.start - file.base) as usize..(span.end.max(span.start) - file.base) as usize)
            .unwrap_or("")
    }

    /// The offset of an address in its file, moved back to the beginning of a character.
    fn offset(&self, address: u32) -> Option<(&SourceFile, usize)> {
        let file = &self.files[self.file_at(address)?.index()];
        let mut offset = ((address - file.base) as usize).min(file.text.len());
        while !file.text.is_char_boundary(offset) {
            offset -= 1;
        }
        Some((file, offset))
    }

    /// The place of an address as a person reads it.
    #[must_use]
    pub fn locate(&self, address: u32) -> Location<'_> {
        let Some((file, offset)) = self.offset(address) else {
            return Location { file: "", line: 1, column: 1 };
        };
        let breaks = file.breaks();
        let before = breaks.partition_point(|&at| (at as usize) < offset);
        let start = before.checked_sub(1).map_or(0, |last| breaks[last] as usize + 1);
        let column = file.text[start..offset].chars().count() + 1;
        Location { file: &file.name, line: before + 1, column }
    }

    /// The line that holds an address, cut to a window around it so that a line of a gigabyte stays printable,
    /// and the number of characters in the window before the address.
    #[must_use]
    pub fn line_window(&self, address: u32) -> (&str, usize) {
        const BEFORE: usize = 60;
        const AFTER: usize = 80;
        let Some((file, offset)) = self.offset(address) else { return ("", 0) };
        let text = &file.text;
        let floor = offset.saturating_sub(BEFORE);
        let mut start =
            text.as_bytes()[floor..offset].iter().rposition(|&b| b == b'\n').map_or(floor, |i| floor + i + 1);
        while !text.is_char_boundary(start) {
            start += 1;
        }
        let ceiling = (offset + AFTER).min(text.len());
        let mut end =
            text.as_bytes()[offset..ceiling].iter().position(|&b| b == b'\n').map_or(ceiling, |i| offset + i);
        while !text.is_char_boundary(end) {
            end += 1;
        }
        (text[start..end].trim_end_matches('\r'), text[start..offset].chars().count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let mut map = SourceMap::default();
        let a = map.add("a", "one\ntwö x\n".into()).unwrap();
        let b = map.add("b", "three".into()).unwrap();
        assert_eq!(map.base(a), 0);
        let x = 4 + "twö ".len() as u32;
        assert_eq!(map.locate(x), Location { file: "a", line: 2, column: 5 });
        assert_eq!(map.line_window(x), ("twö x", 4));
        assert_eq!(map.locate(map.base(b) + 2), Location { file: "b", line: 1, column: 3 });
        assert_eq!(map.slice(Span::new(map.base(b), map.base(b) + 5)), "three");
    }

    #[test]
    fn lines_are_counted_again_when_a_file_grows() {
        let mut map = SourceMap::default();
        let file = map.add("grows", "\na".into()).unwrap();
        assert_eq!(map.locate(map.base(file)), Location { file: "grows", line: 1, column: 1 });
        assert_eq!(map.locate(map.base(file) + 1), Location { file: "grows", line: 2, column: 1 });
        map.append("b\n\nc").unwrap();
        assert_eq!(map.locate(map.base(file) + 5), Location { file: "grows", line: 4, column: 1 });
    }

    #[test]
    fn bytes_that_are_no_text_have_a_place() {
        let mut map = SourceMap::default();
        assert!(map.add_bytes("good", "caf\u{e9}".into()).is_ok());
        let error = map.add_bytes("bad", b"(a)\n\xc3\xa9 caf\xe9 \xff\n".to_vec()).unwrap_err();
        assert_eq!(map.locate(error.span.start), Location { file: "bad", line: 2, column: 6 });
        let text = crate::render::text(&map, &error);
        let expected = "bad:2:6: error[SMT001]: the byte 0xE9 is not valid UTF-8 here\n \
                        2 | \u{e9} caf\u{fffd} \u{fffd}\n   |      ^\n  = help: convert the file to UTF-8, if it is a text file\n";
        assert_eq!(text, expected);
        // A character that is cut off at the end.
        let error = map.add_bytes("cut", b"ab\xe2\x82".to_vec()).unwrap_err();
        assert_eq!(map.locate(error.span.start), Location { file: "cut", line: 1, column: 3 });
    }

    #[test]
    fn binary_files_have_one_place_per_byte() {
        let mut map = SourceMap::default();
        let file = map.add_binary("x", b"aig 1\n\xff\x80\xc3\xa9ab\n").unwrap();
        assert_eq!(map.text(file), "aig 1\n????ab\n");
        assert_eq!(map.locate(10), Location { file: "x", line: 2, column: 5 });
        let file = map.add_binary("y", "caf\u{e9}".as_bytes()).unwrap();
        assert_eq!(map.text(file), "caf\u{e9}");
    }

    #[test]
    fn long_lines_are_windows() {
        let mut map = SourceMap::default();
        map.add("long", "x".repeat(1_000_000)).unwrap();
        let (line, column) = map.line_window(500_000);
        assert_eq!((line.len(), column), (140, 60));
    }
}
