//! Finds where top-level S-expressions end while their text still arrives, in time linear in the text.
//!
//! A session reads from a pipe in pieces of any size. The splitter looks at each byte once and says where the
//! first complete S-expression ends, so that the reader is called only on whole ones.

/// Where in a token the text so far ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Between,
    Atom,
    Quoted,
    String,
    /// After a quote inside or at the end of a string: another quote would continue it.
    StringEnd,
    Comment,
}

/// The scanner's state between two pieces of text.
#[derive(Clone, Debug)]
pub struct Splitter {
    state: State,
    depth: u64,
}

impl Default for Splitter {
    fn default() -> Self {
        Self { state: State::Between, depth: 0 }
    }
}

impl Splitter {
    /// Reads on through `piece`. Returns how many bytes of it belong to the S-expression that they complete, or
    /// none when all of it was used and none is complete. Call again with the rest of the piece.
    pub fn push(&mut self, piece: &[u8]) -> Option<usize> {
        for (i, &byte) in piece.iter().enumerate() {
            let before = self.state;
            self.state = self.step(byte);
            // After a number or symbol, `#` begins the next token.
            let ended_before = self.depth == 0
                && matches!(before, State::Atom | State::StringEnd)
                && (before != self.state || byte == b'#')
                && !(before == State::StringEnd && self.state == State::String);
            let closed = match byte {
                b'(' if self.opens(before) => {
                    if ended_before {
                        self.state = State::Between;
                        return Some(i);
                    }
                    self.depth += 1;
                    false
                }
                b')' if self.opens(before) => {
                    self.depth = self.depth.saturating_sub(1);
                    self.depth == 0
                }
                b'|' if before == State::Quoted => self.depth == 0,
                _ => false,
            };
            if closed {
                return Some(i + 1);
            }
            if ended_before {
                // The byte begins something new; it is looked at again in the next call.
                self.state = State::Between;
                return Some(i);
            }
        }
        None
    }

    /// True while an S-expression has begun and is not complete.
    #[must_use]
    pub fn inside(&self) -> bool {
        self.depth > 0 || !matches!(self.state, State::Between | State::Comment)
    }

    fn opens(&self, before: State) -> bool {
        matches!(before, State::Between | State::Atom | State::StringEnd)
    }

    fn step(&self, byte: u8) -> State {
        match (self.state, byte) {
            (State::Comment, b'\n') => State::Between,
            (State::Comment, _) => State::Comment,
            (State::Quoted, b'|') => State::Between,
            (State::Quoted, _) => State::Quoted,
            (State::String, b'"') => State::StringEnd,
            (State::String, _) => State::String,
            (State::StringEnd, b'"') => State::String,
            (_, b'"') => State::String,
            (_, b'|') => State::Quoted,
            (_, b';') => State::Comment,
            (_, b' ' | b'\t' | b'\n' | b'\r' | b'(' | b')') => State::Between,
            _ => State::Atom,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits `text` fed in pieces of `size` bytes.
    fn split(text: &str, size: usize) -> Vec<String> {
        let (mut splitter, mut current, mut out) = (Splitter::default(), String::new(), Vec::new());
        for piece in text.as_bytes().chunks(size) {
            let mut rest = piece;
            while let Some(length) = splitter.push(rest) {
                current.push_str(std::str::from_utf8(&rest[..length]).unwrap());
                out.push(std::mem::take(&mut current).trim().to_string());
                rest = &rest[length..];
            }
            current.push_str(std::str::from_utf8(rest).unwrap());
        }
        out
    }

    #[test]
    fn pieces_of_any_size() {
        let text = "(a (b \")\" |)(| ; )\n c)correct (x)\"s\"\"t\" |q r| (y ; (\n)\n";
        let expected = ["(a (b \")\" |)(| ; )\n c)", "correct", "(x)", "\"s\"\"t\"", "|q r|", "(y ; (\n)"];
        // The first list holds one more level that `c)` closes only in part.
        let text = text.replacen("; )\n c)", "; )\n c))", 1);
        let expected: Vec<String> = expected.iter().map(|s| s.replacen("; )\n c)", "; )\n c))", 1)).collect();
        for size in 1..text.len() {
            assert_eq!(split(&text, size), expected, "pieces of {size}");
        }
    }
}
