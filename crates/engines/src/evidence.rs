//! Evidence in the words of a witness.

use smt::term::TermId;
use svlib::syntax::{At, CommandKind, Property, PropertyKind, Script, StmtId, TagAnnotation, TagProperty};

/// The `annotate-tag` that states a property at a statement; none when the statement has no tag. A tag that other
/// statements have too is taken only if there is no better one: the property is then claimed for all of them.
#[must_use]
pub fn annotation(
    script: &Script,
    stmt: StmtId,
    kind: PropertyKind,
    terms: Vec<TermId>,
) -> Option<CommandKind> {
    let tags = &script.stmts[stmt].tags;
    let own = tags.iter().find(|(tag, _)| script.tagged(*tag).count() == 1);
    let (tag, _) = own.or(tags.first())?;
    let property = Property { kind, terms, at: At::default() };
    let meanings = script.tagged(*tag).map(|stmt| (stmt, property.clone())).collect();
    let properties = vec![TagProperty { kind, text: String::new(), meanings }];
    Some(CommandKind::AnnotateTag(TagAnnotation { tag: *tag, properties, attributes: Vec::new() }))
}
