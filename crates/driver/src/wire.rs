//! The words between a supervisor and its workers: frames of a key and a text, `key length\ntext\n`.
//!
//! A worker may die in the middle of a word or print rubbish, so reading never trusts a length or a key.

use std::fmt;

/// A key and its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// What the text is: lower-case letters and hyphens.
    pub key: String,
    /// The text.
    pub text: String,
}

/// Keys are short.
const LONGEST_HEAD: usize = 64;
/// No text is longer than a source map can hold.
const LONGEST_TEXT: usize = u32::MAX as usize;

/// The stream is not made of frames.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Garbled(String);

impl fmt::Display for Garbled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not understood: `{}`", self.0)
    }
}

impl std::error::Error for Garbled {}

impl Frame {
    /// A frame.
    #[must_use]
    pub fn new(key: &str, text: impl Into<String>) -> Frame {
        Frame { key: key.into(), text: text.into() }
    }

    /// The bytes to send.
    #[must_use]
    pub fn encode(&self) -> String {
        format!("{} {}\n{}\n", self.key, self.text.len(), self.text)
    }
}

/// Puts frames together from pieces of any size.
#[derive(Default)]
pub struct Decoder {
    buffer: Vec<u8>,
    /// Bytes of the buffer that are used up.
    used: usize,
}

impl Decoder {
    /// Takes more bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.used > self.buffer.len() / 2 {
            self.buffer.drain(..self.used);
            self.used = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next frame, if it is complete.
    ///
    /// # Errors
    /// When the bytes are not a frame. Nothing after them can be read.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, Garbled> {
        let rest = &self.buffer[self.used..];
        let head = &rest[..rest.len().min(LONGEST_HEAD)];
        let Some(length_of_head) = head.iter().position(|&b| b == b'\n') else {
            return if head.len() < LONGEST_HEAD { Ok(None) } else { Err(garbled(head)) };
        };
        let head = &head[..length_of_head];
        let (key, length) = parse_head(head).ok_or_else(|| garbled(head))?;
        let text = &rest[length_of_head + 1..];
        if text.len() <= length {
            return Ok(None);
        }
        if text[length] != b'\n' {
            return Err(garbled(head));
        }
        let frame = match std::str::from_utf8(&text[..length]) {
            Ok(text) => Frame::new(key, text),
            Err(_) => return Err(garbled(head)),
        };
        self.used += length_of_head + 1 + length + 1;
        Ok(Some(frame))
    }
}

fn parse_head(head: &[u8]) -> Option<(&str, usize)> {
    let (key, length) = std::str::from_utf8(head).ok()?.split_once(' ')?;
    let is_key = !key.is_empty() && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let length = length.parse().ok().filter(|&length| length < LONGEST_TEXT)?;
    is_key.then_some((key, length))
}

fn garbled(head: &[u8]) -> Garbled {
    Garbled(String::from_utf8_lossy(head).chars().take(40).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8], piece: usize) -> Result<Vec<Frame>, Garbled> {
        let (mut decoder, mut frames) = (Decoder::default(), Vec::new());
        for piece in bytes.chunks(piece) {
            decoder.push(piece);
            while let Some(frame) = decoder.next_frame()? {
                frames.push(frame);
            }
        }
        Ok(frames)
    }

    #[test]
    fn what_is_sent_is_received() {
        let frames = [Frame::new("a", ""), Frame::new("witness", "(\n)\n"), Frame::new("note", "ä 3\nx")];
        let bytes: String = frames.iter().map(Frame::encode).collect();
        for piece in [1, 2, 7, 1000] {
            assert_eq!(decode(bytes.as_bytes(), piece).as_deref(), Ok(&frames[..]));
        }
        // A frame that is not complete is no frame.
        assert_eq!(decode(&bytes.as_bytes()[..bytes.len() - 1], 5).map(|f| f.len()), Ok(2));
    }

    #[test]
    fn rubbish_is_noticed() {
        let long = "x".repeat(100);
        for text in
            ["Segmentation fault\n", "a b\n", "a -1\n", "a 99999999999\n", "A 1\nx\n", "a 1\nxy\n", &long]
        {
            assert!(decode(text.as_bytes(), 3).is_err(), "{text}");
        }
        assert!(decode(b"a 1\n\xff\n", 9).is_err());
    }
}
