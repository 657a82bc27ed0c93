//! `convert`: from one language to another.

use crate::format::Format;
use crate::input::{Input, Loaded, Program};
use diag::{Diagnostic, SourceMap};
use smt::sexpr::Text;

/// Why nothing was written.
pub enum ConvertError {
    /// The input has errors.
    Bad(Box<SourceMap>, Vec<Diagnostic>),
    /// There is no way from the one format to the other.
    NoWay(String),
}

/// The input in the format `to`.
///
/// # Errors
/// When the input has errors or the target cannot express it.
pub fn convert(input: Input, to: Format) -> Result<String, ConvertError> {
    let from = input.format;
    if !to.info().writes || matches!(from, Format::SmtLib | Format::Vmt) {
        let (from, to) = (from.info().name, to.info().name);
        return Err(ConvertError::NoWay(format!("this build converts no {from} to {to}")));
    }
    let loaded = Loaded::read(vec![input]);
    if loaded.is_bad() {
        return Err(ConvertError::Bad(Box::new(loaded.sources), loaded.findings));
    }
    let Program::Script(builder) = &loaded.program else {
        return Err(ConvertError::NoWay("the input holds no program".into()));
    };
    let text = svlib::print::script_text(&loaded.terms, &builder.state.script);
    svlib::fmt::format(Text::new(&text, 0)).map_err(|errors| {
        // The printer wrote it, so this would be a mistake of ours; it is reported rather than hidden.
        let mut sources = SourceMap::default();
        let _ = sources.add("<printed>", text.clone());
        ConvertError::Bad(Box::new(sources), errors)
    })
}
