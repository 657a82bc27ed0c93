//! The C front end: it answers, its places are in the text, and every expression has a type.

use cfront::DataModel;
use std::hash::{DefaultHasher, Hash, Hasher};

pub(super) fn run(bytes: &[u8]) -> Result<u64, String> {
    let unit = cfront::parse(bytes, 3, DataModel::Lp64);
    let end = 3 + bytes.len() as u32;
    let mut mark = DefaultHasher::new();
    for finding in &unit.findings {
        if finding.span.start < 3 || finding.span.end > end {
            return Err(format!("a place outside of the text: {finding:?}"));
        }
        finding.code.name().hash(&mut mark);
    }
    for expr in &unit.exprs {
        if expr.span.start > expr.span.end || expr.span.end > end {
            return Err(format!("a place outside of the text: {expr:?}"));
        }
        if unit.types.is_error(expr.ty) && !unit.is_bad() {
            return Err(format!("no type and no error: {expr:?}"));
        }
    }
    (unit.exprs.len().min(20), unit.stmts.len().min(20), unit.functions.len().min(4)).hash(&mut mark);
    Ok(mark.finish())
}
