//! Bytes with places: numbers, blanks, ends of lines, and the coded differences of the binary form.

use diag::{Code, Diagnostic, Span, codes};

/// The result of reading something.
pub(super) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// A literal and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub(super) code: u32,
    pub(super) at: u32,
    pub(super) length: u32,
}

/// A file under reading.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    base: u32,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], base: u32) -> Cursor<'a> {
        Cursor { bytes, base, at: 0 }
    }

    pub(super) fn fail<T>(
        &self,
        code: Code,
        from: usize,
        to: usize,
        message: impl Into<String>,
    ) -> Parsed<T> {
        let (from, to) = (from.min(self.bytes.len()), to.min(self.bytes.len()));
        let span = Span::new(self.base + from as u32, self.base + to as u32);
        Err(Box::new(Diagnostic::new(code, span, message)))
    }

    /// A failure at the next byte.
    fn expected<T>(&self, what: &str) -> Parsed<T> {
        let found = match self.bytes.get(self.at) {
            None => "the end of the file".to_owned(),
            Some(b'\n') => "the end of the line".to_owned(),
            Some(b' ') => "a blank".to_owned(),
            Some(byte) if byte.is_ascii_graphic() => format!("`{}`", *byte as char),
            Some(byte) => format!("the byte {byte:#04X}"),
        };
        let end = (self.at + 1).min(self.bytes.len());
        self.fail(codes::AIG001, self.at, end, format!("expected {what}, found {found}"))
    }

    pub(super) fn is_over(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Takes this byte if it comes next.
    pub(super) fn accept(&mut self, byte: u8) -> bool {
        let fits = self.peek() == Some(byte);
        self.at += usize::from(fits);
        fits
    }

    pub(super) fn blank(&mut self, before: &str) -> Parsed<()> {
        if self.accept(b' ') { Ok(()) } else { self.expected(&format!("a blank before {before}")) }
    }

    /// The end of a line; that of the file counts as one.
    pub(super) fn end(&mut self) -> Parsed<()> {
        self.accept(b'\r');
        if self.accept(b'\n') || self.is_over() { Ok(()) } else { self.expected("the end of the line") }
    }

    /// True at the end of a line.
    pub(super) fn is_end(&self) -> bool {
        matches!(self.peek(), None | Some(b'\n' | b'\r'))
    }

    pub(super) fn number(&mut self, what: &str) -> Parsed<Placed> {
        let start = self.at;
        let mut value: u64 = 0;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            value = (value * 10 + u64::from(digit - b'0')).min(1 << 40);
            self.at += 1;
        }
        if self.at == start {
            return self.expected(what);
        }
        match u32::try_from(value) {
            Ok(code) => Ok(Placed { code, at: start as u32, length: (self.at - start) as u32 }),
            Err(_) => self.fail(codes::AIG001, start, self.at, format!("{what} is too large")),
        }
    }

    /// A difference: seven bits in each byte, the lowest first; the highest bit says that more come.
    pub(super) fn difference(&mut self) -> Parsed<u32> {
        let start = self.at;
        let mut value: u64 = 0;
        for shift in (0..35).step_by(7) {
            let Some(byte) = self.peek() else { return self.expected("a gate in binary") };
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                match u32::try_from(value) {
                    Ok(value) => return Ok(value),
                    Err(_) => break,
                }
            }
        }
        self.fail(codes::AIG001, start, self.at, "a difference of literals is too large")
    }

    /// The rest of the line, without its end.
    pub(super) fn rest(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        self.at += length;
        rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length])
    }
}
