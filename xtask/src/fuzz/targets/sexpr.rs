//! Bytes to S-expressions: the reader never fails without a place, and the splitter that a session uses on pieces of
//! any size cuts a good text where the reader sees S-expressions end.

use diag::SourceMap;
use smt::sexpr::{Reader, Splitter, Text, Tree};
use std::hash::{DefaultHasher, Hash, Hasher};

pub(super) fn run(input: &[u8]) -> Result<u64, String> {
    let mut sources = SourceMap::default();
    let added = sources.add_bytes("input", input.to_vec());
    if let Err(error) = &added {
        if std::str::from_utf8(input).is_ok() {
            return Err("a text is said to be no text".into());
        }
        let _ = diag::render::text(&sources, error);
        // The reader must cope with the text that is shown instead.
    }
    let Some(file) = sources.files().next() else { return Err("the file was not added".into()) };
    let text = sources.text(file);
    let (items, codes, shape) = read(text)?;
    if added.is_ok() && codes.is_empty() {
        let size = 1 + input.len() % 97;
        let pieces = split(text, size)?;
        if pieces != items {
            return Err(format!(
                "in pieces of {size} bytes {} S-expressions are read as {}",
                items.len(),
                pieces.len()
            ));
        }
    }
    let mut hasher = DefaultHasher::new();
    (codes, shape, added.is_ok()).hash(&mut hasher);
    Ok(hasher.finish())
}

/// The top-level S-expressions as text, the codes reported, and a rough shape.
fn read(text: &str) -> Result<(Vec<&str>, Vec<&'static str>, u64), String> {
    let source = Text::new(text, 0);
    let (mut reader, mut tree, mut errors) = (Reader::new(source), Tree::new(), Vec::new());
    let (mut items, mut shape) = (Vec::new(), 0u64);
    while reader.read(&mut tree, &mut errors) {
        items.push(source.slice(tree.span(0)));
        for node in 0..tree.len() {
            shape |= 1 << (tree.kind(node) as u64);
            if tree.next(node) <= node || tree.next(node) > tree.len() {
                return Err(format!("node {node} has its end at {}", tree.next(node)));
            }
            if tree.span(node).end as usize > text.len() {
                return Err("a node ends behind the text".into());
            }
        }
    }
    if errors.iter().any(|error| error.span.end as usize > text.len() || error.message.len() > 4000) {
        return Err("a diagnostic is out of place or too long".into());
    }
    // Roughly how many: 1, 2 to 3, 4 to 7 and so on.
    let shape = shape << 8 | u64::from(items.len().checked_ilog2().unwrap_or(0));
    let mut codes: Vec<&'static str> = errors.iter().map(|error| error.code.name()).collect();
    codes.sort_unstable();
    codes.dedup();
    Ok((items, codes, shape))
}

/// The S-expressions in what the splitter cuts out of a text that arrives in pieces.
fn split(text: &str, size: usize) -> Result<Vec<&str>, String> {
    let (mut splitter, mut begin, mut end) = (Splitter::default(), 0, 0);
    let mut found = Vec::new();
    for piece in text.as_bytes().chunks(size) {
        let mut rest = piece;
        while let Some(length) = splitter.push(rest) {
            end += length;
            rest = &rest[length..];
            let Some(part) = text.get(begin..end) else { return Err("a cut inside a character".into()) };
            let items = read(part)?.0;
            if items.len() != 1 {
                return Err(format!("{} S-expressions in one piece: {part:?}", items.len()));
            }
            found.extend(items);
            begin = end;
        }
        end += rest.len();
    }
    let rest = read(&text[begin..])?.0;
    if splitter.inside() == rest.is_empty() {
        return Err("the splitter does not know whether something has begun".into());
    }
    found.extend(rest);
    Ok(found)
}
