//! `fmt`: the canonical layout of one text.

use crate::input::Input;
use diag::{Diagnostic, SourceMap};
use smt::sexpr::Text;

/// The text of the input in canonical layout, or what is wrong with it.
///
/// # Errors
/// When the text is no sequence of S-expressions.
pub fn layout(input: Input) -> (SourceMap, Result<String, Vec<Diagnostic>>) {
    let mut sources = SourceMap::default();
    let result = match sources.add_bytes(input.name, input.bytes) {
        Ok(file) => svlib::fmt::format(Text::new(sources.text(file), sources.base(file))),
        Err(error) => Err(vec![*error]),
    };
    (sources, result)
}
