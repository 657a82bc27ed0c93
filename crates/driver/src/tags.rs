//! Tags for statements that evidence may have to name and that have none of their own.
//!
//! A verdict should not depend on whether a front end wrote enough tags, but a witness can only speak of tags. So
//! queries are answered for the task with the missing tags added, which changes nothing that it means; a witness that
//! does not use them is one for the task as it was written, any other cannot be handed over.

use base::intern::SymbolId;
use smt::sexpr::{Reader, Text, Tree};
use smt::term::Terms;
use std::collections::BTreeMap;
use svlib::syntax::{At, CommandKind, Script, StmtId, StmtKind};

/// What the names of added tags begin with.
const PREFIX: &str = "svarog-added-tag-";

/// The script with a tag of its own at every loop, label, body and statement with a property; none when all have one.
pub(crate) fn complete(terms: &mut Terms, script: &Script) -> Option<Script> {
    let mut uses: BTreeMap<SymbolId, usize> = BTreeMap::new();
    for tag in script.stmts.iter().flat_map(|stmt| &stmt.tags) {
        *uses.entry(tag.0).or_default() += 1;
    }
    let mut annotated: Vec<StmtId> = Vec::new();
    for command in &script.commands {
        if let CommandKind::AnnotateTag(annotation) = &command.kind {
            annotated.extend(annotation.properties.iter().flat_map(|p| &p.meanings).map(|m| m.0));
        }
    }
    annotated.sort_unstable();
    let has_own = |stmt: StmtId| script.stmts[stmt].tags.iter().any(|tag| uses[&tag.0] == 1);
    let is_named = |stmt: StmtId| {
        let text = &script.stmts[stmt];
        matches!(text.kind, StmtKind::While(..) | StmtKind::Label(_))
            || !text.properties.is_empty()
            || script.procs[text.proc].body == Some(stmt)
            || annotated.binary_search(&stmt).is_ok()
    };
    let missing: Vec<StmtId> = script.stmts.ids().filter(|&s| is_named(s) && !has_own(s)).collect();
    if missing.is_empty() {
        return None;
    }
    let mut script = script.clone();
    let mut number = 0;
    for stmt in missing {
        let tag = loop {
            let tag = terms.names.intern(&format!("{PREFIX}{number}"));
            number += 1;
            if !uses.contains_key(&tag) {
                break tag;
            }
        };
        script.stmts[stmt].tags.push((tag, At::default()));
    }
    Some(script)
}

/// True when a witness speaks of an added tag.
pub(crate) fn speaks_of_added(witness: &str) -> bool {
    let text = Text::new(witness, 0);
    let (mut reader, mut tree, mut findings) = (Reader::new(text), Tree::new(), Vec::new());
    while reader.read(&mut tree, &mut findings) {
        for node in 0..tree.len() {
            if !tree.is_list(node) && text.atom(&tree, node).trim_start_matches('|').starts_with(PREFIX) {
                return true;
            }
        }
    }
    false
}
