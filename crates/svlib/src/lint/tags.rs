//! Section 8.2 (i) and (j): the tags that witnesses need, with edits that add them; and tags that nobody has.

use crate::parse::State;
use crate::syntax::{CommandKind, StmtId, StmtKind};
use diag::{Diagnostic, codes};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::print::symbol_text;
use smt::term::Terms;

/// Reports procedure bodies, loops and labels (SV209) and statements with inline properties (SV210) that have no
/// tag of their own.
pub(super) fn missing_tags(terms: &Terms, state: &State) -> Vec<Diagnostic> {
    let script = &state.script;
    let mut names = Names::new(terms, state);
    let mut found = Vec::new();
    let bodies: FxHashMap<StmtId, &str> =
        script.procs.iter().filter_map(|p| Some((p.body?, terms.names.text(p.name)))).collect();
    for (id, stmt) in script.stmts.iter_enumerated() {
        if stmt.tags.iter().any(|t| state.tagged(t.0).len() == 1) {
            continue;
        }
        let proc = terms.names.text(script.procs[stmt.proc].name);
        let (code, what, wish) = match (&stmt.kind, bodies.get(&id)) {
            (_, Some(name)) => (codes::SV209, "the procedure's body", format!("proc-{name}")),
            (StmtKind::While(..), _) => (codes::SV209, "the loop", format!("{proc}-loop")),
            (StmtKind::Label(label), _) => {
                (codes::SV209, "the label", format!("{proc}-{}", terms.names.text(*label)))
            }
            _ if !stmt.properties.is_empty() => {
                (codes::SV210, "the annotated statement", format!("{proc}-check"))
            }
            _ => continue,
        };
        let tag = symbol_text(&names.fresh(&wish));
        let message = format!("{what} has no tag that only it has");
        let mut finding =
            Diagnostic::new(code, stmt.at.0, message).help("witnesses refer to it by such a tag");
        if let Some((shared, _)) = stmt.tags.first() {
            finding =
                finding.note(format!("the tag `{}` is on other statements too", terms.names.text(*shared)));
        }
        found.push(add_tag(finding, stmt.at.0, stmt.whole.0, &tag));
    }
    found
}

/// A statement that has annotations already gets the tag among them.
fn add_tag(finding: Diagnostic, at: diag::Span, whole: diag::Span, tag: &str) -> Diagnostic {
    if at == whole {
        return finding.edit(at.before(), "(! ").edit(at.after(), format!(" :tag {tag})"));
    }
    let end = diag::Span::new(whole.end - 1, whole.end - 1);
    finding.edit(end, format!(" :tag {tag}"))
}

/// Tags in use, to make new ones.
struct Names {
    used: FxHashSet<String>,
    /// The number given last to each wished name.
    last: FxHashMap<String, usize>,
}

impl Names {
    fn new(terms: &Terms, state: &State) -> Self {
        let tags = state.script.stmts.iter().flat_map(|s| &s.tags).map(|t| terms.names.text(t.0).to_string());
        // A tag that an annotation waits for must not be given to something else.
        let annotated = state.script.commands.iter().filter_map(|command| match &command.kind {
            CommandKind::AnnotateTag(annotation) => Some(terms.names.text(annotation.tag).to_string()),
            _ => None,
        });
        Self { used: tags.chain(annotated).collect(), last: FxHashMap::default() }
    }

    fn fresh(&mut self, wish: &str) -> String {
        let wish = wish.trim_start_matches('#');
        // Counting on from the last number keeps this linear for a script with many loops.
        let last = self.last.entry(wish.to_string()).or_insert(0);
        loop {
            *last += 1;
            let name = if *last == 1 { wish.to_string() } else { format!("{wish}-{last}") };
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Reports annotations of tags that no statement has (SV311).
pub(super) fn unknown_tags(terms: &Terms, state: &State) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for command in &state.script.commands {
        let CommandKind::AnnotateTag(annotation) = &command.kind else { continue };
        if !state.tagged(annotation.tag).is_empty() {
            continue;
        }
        let tag = terms.names.text(annotation.tag);
        let known = state.script.stmts.iter().flat_map(|s| &s.tags).map(|t| terms.names.text(t.0));
        let help = diag::closest(tag, known).map(|name| format!("did you mean `{name}`?"));
        let message = format!("no statement has the tag `{tag}`, so the annotation says nothing");
        found.push(Diagnostic::new(codes::SV311, command.at.0, message).help_opt(help));
    }
    found
}
