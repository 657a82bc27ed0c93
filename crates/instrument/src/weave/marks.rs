//! Marks around what is woven in, and the way back.
//!
//! Inserted text stands between two comments, ` /*@0{…*/` and `/*@0}*/`; the first holds the bytes that the text stands for,
//! if any. The number is one for which `/*@` and the number occur nowhere in the input, so marks cannot be mistaken, even if the input
//! is itself an output. The blank belongs to the mark: without it a mark behind a division would begin a comment of the
//! other kind. The output begins with a comment that tells the number. When the input was made by a preprocessor, the
//! text before that stands in a comment at the end.

/// How marks begin.
pub(super) const LEAD: &[u8] = b"/*@";

/// Why an output cannot be stripped.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StripError {
    /// The text does not begin with the mark of an output.
    NoOutput,
    /// A mark is broken: the byte where.
    Broken(usize),
    /// A piece begins and does not end: the byte where.
    Open(usize),
}

impl std::fmt::Display for StripError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StripError::NoOutput => {
                f.write_str("the text does not begin with the mark of an instrumented program")
            }
            StripError::Broken(at) => write!(f, "the mark at byte {at} is broken"),
            StripError::Open(at) => write!(f, "the piece that begins at byte {at} does not end"),
        }
    }
}

impl std::error::Error for StripError {}

/// The marks of one output.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    lead: String,
}

impl Marks {
    /// Marks that occur in none of the texts.
    pub(super) fn new<'a>(texts: impl Iterator<Item = &'a [u8]> + Clone) -> Marks {
        let mut used: Vec<u64> = Vec::new();
        for text in texts {
            for at in find_all(text, LEAD) {
                used.extend(numbers(&text[at + LEAD.len()..]));
            }
        }
        used.sort_unstable();
        let free = (0u64..).find(|n| used.binary_search(n).is_err()).unwrap_or(0);
        Marks { lead: format!("/*@{free}") }
    }

    pub(super) fn head(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.lead.as_bytes());
        out.extend_from_slice(b" instrumented by svarog*/\n");
    }

    pub(super) fn open(&self, replaced: &[u8], out: &mut Vec<u8>) {
        out.push(b' ');
        out.extend_from_slice(self.lead.as_bytes());
        out.push(b'{');
        encode(replaced, out);
        out.extend_from_slice(b"*/");
    }

    pub(super) fn close(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.lead.as_bytes());
        out.extend_from_slice(b"}*/");
    }

    /// The text that a preprocessor got.
    pub(super) fn original(&self, text: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(self.lead.as_bytes());
        out.push(b'=');
        encode(text, out);
        out.extend_from_slice(b"*/\n");
    }
}

/// The numbers that a text begins with, each digit after the first giving one more.
fn numbers(text: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let digits = text.iter().take(18).take_while(|byte| byte.is_ascii_digit());
    digits.scan(0, |number, digit| {
        *number = *number * 10 + u64::from(digit - b'0');
        Some(*number)
    })
}

/// Where a text occurs in another.
pub(super) fn find_all<'a>(text: &'a [u8], wanted: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = find(&text[from..], wanted)? + from;
        from = at + 1;
        Some(at)
    })
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let (&first, rest) = wanted.split_first()?;
    let mut from = 0;
    loop {
        let at = text[from..].iter().position(|&byte| byte == first)? + from;
        if text[at + 1..].starts_with(rest) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Bytes as they may stand in a comment on one line.
fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in bytes {
        if matches!(byte, b' '..=b'~') && !b"%*/\\?@".contains(&byte) {
            out.push(byte);
        } else {
            out.extend([b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
    }
}

fn decode(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let hex = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'%' {
            let [high, low, tail @ ..] = tail else { return None };
            out.push(hex(*high)? << 4 | hex(*low)?);
            rest = tail;
        } else {
            out.push(byte);
            rest = tail;
        }
    }
    Some(())
}

/// The input of an output, byte for byte.
///
/// # Errors
/// What is no output, or one whose marks were changed.
pub fn strip(text: &[u8]) -> Result<Vec<u8>, StripError> {
    let digits = text.strip_prefix(LEAD).ok_or(StripError::NoOutput)?;
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let lead = &text[..LEAD.len() + digits];
    if digits == 0 || text.get(lead.len()) != Some(&b' ') {
        return Err(StripError::NoOutput);
    }
    let mut at = find(text, b"\n").ok_or(StripError::NoOutput)? + 1;
    let mut out = Vec::with_capacity(text.len());
    let mut open: Vec<usize> = Vec::new();
    while let Some(found) = find(&text[at..], lead) {
        let mark = at + found;
        let inside = &text[mark + lead.len() + 1..];
        let kind = text.get(mark + lead.len()).copied().ok_or(StripError::Broken(mark))?;
        let len = find(inside, b"*/").ok_or(StripError::Broken(mark))?;
        let end = mark + lead.len() + 1 + len + 2;
        if open.is_empty() {
            let kept = if kind == b'{' { text[at..mark].strip_suffix(b" ") } else { Some(&text[at..mark]) };
            out.extend_from_slice(kept.ok_or(StripError::Broken(mark))?);
        }
        match kind {
            b'{' => {
                if open.is_empty() {
                    decode(&inside[..len], &mut out).ok_or(StripError::Broken(mark))?;
                }
                open.push(mark);
            }
            b'}' if open.pop().is_some() => {}
            b'=' if open.is_empty() => {
                out.clear();
                decode(&inside[..len], &mut out).ok_or(StripError::Broken(mark))?;
                return Ok(out);
            }
            _ => return Err(StripError::Broken(mark)),
        }
        at = end;
    }
    if let Some(&mark) = open.first() {
        return Err(StripError::Open(mark));
    }
    out.extend_from_slice(&text[at..]);
    Ok(out)
}
