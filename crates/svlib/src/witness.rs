//! Witness files: one parenthesised group of commands per `verify-call`, perhaps after the verdict (section 7).
//!
//! Inserting the commands of the n-th group before the n-th `verify-call` gives the validation task. Without the
//! task only what does not depend on it can be checked.

use crate::parse::{Builder, read_file};
use diag::{Diagnostic, FileId, SourceMap, codes};
use smt::sexpr::{Reader, Text, Tree};
use smt::term::Terms;
use std::ops::Range;

/// True when a file begins like a witness: with a verdict or with a group.
#[must_use]
pub fn looks_like_witness(text: Text<'_>) -> bool {
    let (mut reader, mut tree, mut errors) = (Reader::new(text), Tree::new(), Vec::new());
    reader.read(&mut tree, &mut errors) && is_witness_item(text, &tree)
}

fn is_witness_item(text: Text<'_>, tree: &Tree) -> bool {
    match tree.head(0) {
        Some(head) => tree.is_list(head),
        None => !tree.is_empty() && matches!(text.atom(tree, 0), "correct" | "incorrect" | "()"),
    }
}

/// A task together with a witness.
pub struct ValidationTask {
    /// The script, with the commands of the witness before their queries.
    pub builder: Builder,
    /// One part for each `verify-call`, in order.
    pub parts: Vec<Part>,
}

/// A query and what the witness says about it.
pub struct Part {
    /// The number of the `verify-call`.
    pub command: usize,
    /// The numbers of the commands that came from the witness; none when it has no group for this query.
    pub added: Option<Range<usize>>,
    /// What the witness is a witness of, where it says so.
    pub claim: Option<Claim>,
}

/// What a witness shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// `correct`.
    Correct,
    /// `incorrect`.
    Incorrect,
}

impl Claim {
    /// The word that is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Claim::Correct => "correct",
            Claim::Incorrect => "incorrect",
        }
    }

    /// The claim that a word makes.
    #[must_use]
    pub fn named(word: &str) -> Option<Claim> {
        [Claim::Correct, Claim::Incorrect].into_iter().find(|claim| claim.word() == word)
    }
}

/// A group of a witness file, with the word before it.
struct Group {
    tree: Tree,
    claim: Option<Claim>,
}

/// Reads a task with a witness: each group goes before its `verify-call`.
pub fn read_validation_task(
    terms: &mut Terms,
    sources: &SourceMap,
    task: &[FileId],
    witness: FileId,
) -> (ValidationTask, Vec<Diagnostic>) {
    let (mut builder, mut parts, mut errors) = (Builder::new(terms), Vec::new(), Vec::new());
    let witness = Text::new(sources.text(witness), sources.base(witness));
    let groups = groups(witness, &mut errors);
    let mut groups = groups.iter();
    for &file in task {
        let text = Text::new(sources.text(file), sources.base(file));
        let (mut reader, mut tree) = (Reader::new(text), Tree::new());
        while reader.read(&mut tree, &mut errors) {
            let head = tree.head(0).and_then(|head| text.symbol(&tree, head));
            let group = (head == Some("verify-call")).then(|| groups.next()).flatten();
            let first = builder.state.script.commands.len();
            if let Some(group) = group {
                insert(&mut builder, terms, witness, &group.tree, &mut errors);
            }
            let next = builder.state.script.commands.len();
            if builder.command(terms, text, &tree, &mut errors) && head == Some("verify-call") {
                let command = builder.state.script.commands.len() - 1;
                let claim = group.and_then(|group| group.claim);
                parts.push(Part { command, added: group.map(|_| first..next), claim });
            }
        }
    }
    for group in groups {
        let message = "there is no verify-call for this part of the witness";
        errors.push(Diagnostic::new(codes::SV101, group.tree.span(0), message));
    }
    (ValidationTask { builder, parts }, errors)
}

/// The groups of a witness file. A verdict word belongs to the group after it.
fn groups(text: Text<'_>, errors: &mut Vec<Diagnostic>) -> Vec<Group> {
    let (mut reader, mut tree, mut groups) = (Reader::new(text), Tree::new(), Vec::new());
    let mut claim = None;
    while reader.read(&mut tree, errors) {
        if !is_witness_item(text, &tree) {
            let message = "expected a witness: a list of commands in parentheses";
            errors.push(Diagnostic::new(codes::SV101, tree.span(0), message));
        } else if tree.is_list(0) {
            groups.push(Group { tree: std::mem::take(&mut tree), claim: claim.take() });
        } else {
            claim = Claim::named(text.atom(&tree, 0));
        }
    }
    groups
}

fn insert(
    builder: &mut Builder,
    terms: &mut Terms,
    text: Text<'_>,
    group: &Tree,
    errors: &mut Vec<Diagnostic>,
) {
    for command in group.children(0) {
        // Witnesses of some tools repeat the header of their task.
        let word = group.head(command).and_then(|head| text.symbol(group, head)).unwrap_or_default();
        if !matches!(word, "set-logic" | "set-option") {
            builder.command_at(terms, text, group, command, errors);
        }
    }
}

/// Checks a witness without its task: its shape, and the SMT-LIB commands in it.
pub fn check_alone(terms: &mut Terms, text: Text<'_>) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for Group { tree: group, .. } in groups(text, &mut errors) {
        let mut builder = Builder::new(terms);
        for command in group.children(0) {
            let word = group.head(command).and_then(|head| text.symbol(&group, head)).unwrap_or_default();
            match word {
                "annotate-tag" if group.children(command).count() >= 3 => {}
                "select-trace" => shape_of_trace(text, &group, command, &mut errors),
                _ => {
                    builder.command_at(terms, text, &group, command, &mut errors);
                }
            }
        }
    }
    errors
}

fn shape_of_trace(text: Text<'_>, tree: &Tree, command: u32, errors: &mut Vec<Diagnostic>) {
    static PARTS: &[&str] = &[
        "model",
        "init-global-vars",
        "entry-proc",
        "steps",
        "incorrect-annotation",
        "invalid-step",
        "using-annotation",
    ];
    let mut found = Vec::new();
    for part in tree.children(command).skip(1) {
        let word = tree.head(part).and_then(|head| text.symbol(tree, head)).unwrap_or_default();
        match PARTS.iter().find(|&&name| name == word) {
            Some(&name) => found.push(name),
            None => errors.push(Diagnostic::new(codes::SV101, tree.span(part), "expected a part of a trace")),
        }
    }
    let violated = found.iter().any(|&name| matches!(name, "incorrect-annotation" | "invalid-step"));
    if !violated || !found.contains(&"entry-proc") {
        let message = "a trace needs (entry-proc …) and (incorrect-annotation …) or (invalid-step …)";
        errors.push(Diagnostic::new(codes::SV101, tree.span(command), message));
    }
}

/// Reads a file that is a script or a witness, into the builder if it is a script.
pub fn read_any(builder: &mut Builder, terms: &mut Terms, text: Text<'_>, errors: &mut Vec<Diagnostic>) {
    if looks_like_witness(text) {
        errors.extend(check_alone(terms, text));
    } else {
        read_file(builder, terms, text, errors);
    }
}
