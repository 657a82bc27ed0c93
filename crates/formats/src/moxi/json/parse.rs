//! JSON as a flat list of values.

/// A place and what is wrong there.
pub(super) type Fault = (u32, &'static str);

/// A value in JSON: strings and numbers have their text, lists and objects the positions of what is in them.
pub(super) enum Json {
    Word(String),
    List(Vec<usize>),
    Object(Vec<(String, usize)>),
}

/// All values, with the places at which they begin.
pub(super) struct Document {
    pub(super) values: Vec<(Json, u32)>,
}

impl Document {
    pub(super) fn field(&self, value: usize, name: &str) -> Option<usize> {
        match &self.values[value].0 {
            Json::Object(items) => items.iter().find(|item| item.0 == name).map(|item| item.1),
            _ => None,
        }
    }

    pub(super) fn need(
        &self,
        value: usize,
        name: &'static str,
        message: &'static str,
    ) -> Result<usize, Fault> {
        self.field(value, name).ok_or((self.values[value].1, message))
    }

    pub(super) fn items(&self, value: Option<usize>) -> &[usize] {
        match value.map(|value| &self.values[value].0) {
            Some(Json::List(items)) => items,
            _ => &[],
        }
    }

    pub(super) fn word(&self, value: usize) -> Result<&str, Fault> {
        match &self.values[value].0 {
            Json::Word(word) => Ok(word),
            _ => Err((self.values[value].1, "expected a string or number")),
        }
    }
}

/// Reads JSON.
pub(super) fn parse(text: &str) -> Result<Document, (usize, &'static str)> {
    let bytes = text.as_bytes();
    let mut values: Vec<(Json, u32)> = Vec::new();
    // Lists and objects that are open, and the key that waits for its value.
    let mut open: Vec<(usize, Option<String>)> = Vec::new();
    let mut at = 0;
    loop {
        at = skip(bytes, at);
        let Some(&byte) = bytes.get(at) else { return Err((at, "the file ends inside of a value")) };
        let begin = at;
        let made = match byte {
            b'[' | b'{' => {
                at += 1;
                let empty = if byte == b'[' { Json::List(Vec::new()) } else { Json::Object(Vec::new()) };
                values.push((empty, begin as u32));
                open.push((values.len() - 1, None));
                at = skip(bytes, at);
                if bytes.get(at) != Some(&if byte == b'[' { b']' } else { b'}' }) {
                    at = key(text, at, &values, &mut open)?;
                    continue;
                }
                at += 1;
                open.pop().map_or(0, |(position, _)| position)
            }
            b'"' => {
                let (word, end) = string(text, at)?;
                at = end;
                values.push((Json::Word(word), begin as u32));
                values.len() - 1
            }
            _ => {
                while bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)) {
                    at += 1;
                }
                if at == begin {
                    return Err((at, "expected a value"));
                }
                values.push((Json::Word(text[begin..at].to_owned()), begin as u32));
                values.len() - 1
            }
        };
        // A value is over; it may be the last of what is open.
        let mut done = made;
        loop {
            let Some((container, name)) = open.last_mut() else {
                return match skip(bytes, at) == bytes.len() {
                    true => Ok(Document { values }),
                    false => Err((at, "expected the end of the file")),
                };
            };
            let close = match &mut values[*container].0 {
                Json::List(items) => {
                    items.push(done);
                    b']'
                }
                Json::Object(items) => {
                    items.push((name.take().unwrap_or_default(), done));
                    b'}'
                }
                Json::Word(_) => b']',
            };
            at = skip(bytes, at);
            match bytes.get(at) {
                Some(b',') => {
                    at = key(text, skip(bytes, at + 1), &values, &mut open)?;
                    break;
                }
                Some(&found) if found == close => {
                    at += 1;
                    done = *container;
                    open.pop();
                }
                _ => return Err((at, "expected `,` or the end of a list or object")),
            }
        }
    }
}

fn skip(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// Reads a key and its colon, if an object is open.
fn key(
    text: &str,
    at: usize,
    values: &[(Json, u32)],
    open: &mut [(usize, Option<String>)],
) -> Result<usize, (usize, &'static str)> {
    let Some((container, name)) = open.last_mut() else { return Ok(at) };
    if !matches!(values[*container].0, Json::Object(_)) {
        return Ok(at);
    }
    let (word, end) = string(text, at)?;
    *name = Some(word);
    let colon = skip(text.as_bytes(), end);
    if text.as_bytes().get(colon) != Some(&b':') {
        return Err((colon, "expected `:`"));
    }
    Ok(colon + 1)
}

/// Reads a string.
fn string(text: &str, at: usize) -> Result<(String, usize), (usize, &'static str)> {
    let Some(rest) = text.get(at..).and_then(|rest| rest.strip_prefix('"')) else {
        return Err((at, "expected a string"));
    };
    let (mut word, mut letters) = (String::new(), rest.char_indices());
    while let Some((i, letter)) = letters.next() {
        match letter {
            '"' => return Ok((word, at + 1 + i + 1)),
            '\\' => match letters.next().map(|escaped| escaped.1) {
                Some('n') => word.push('\n'),
                Some('t') => word.push('\t'),
                Some(c @ ('"' | '\\' | '/')) => word.push(c),
                Some('u') => {
                    let digits: String = letters.by_ref().take(4).map(|letter| letter.1).collect();
                    let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    word.push(code.ok_or((at + i, "this is no character"))?);
                }
                _ => return Err((at + i, "unknown escape")),
            },
            letter => word.push(letter),
        }
    }
    Err((at, "the string is not closed"))
}
