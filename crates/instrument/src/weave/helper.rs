//! Generated functions: one for each operator, types and operations, defined before the first function that needs it.

use super::sort::Site;
use super::types::word;
use crate::plan::{Insertion, Piece};
use cfront::ast::{BinaryOp, ExprId, Unit};
use cfront::types::Ty;
use diag::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The functions that were generated.
pub(super) struct Helpers {
    by_content: FxHashMap<String, String>,
    /// Names that the program has already, as far as ours could be like them.
    taken: FxHashSet<String>,
    given: FxHashSet<String>,
    /// Functions by what they are made from, so that most need not be written again to be found.
    made: FxHashMap<Kind, FxHashMap<Vec<usize>, String>>,
}

/// An operator, with the types of what goes in and out.
pub(super) type Kind = (&'static str, [Ty; 3]);

impl Helpers {
    /// The function that was made of the same.
    pub(super) fn known(&self, kind: &Kind, code: &[usize]) -> Option<String> {
        self.made.get(kind)?.get(code).cloned()
    }

    /// Remembers what a function was made of.
    pub(super) fn remember(&mut self, kind: Kind, code: Vec<usize>, name: &str) {
        self.made.entry(kind).or_default().insert(code, name.to_owned());
    }

    pub(super) fn new(unit: &Unit) -> Helpers {
        let names = unit.entities.iter().map(|entity| unit.name(entity.name));
        let labels = unit.labels.iter().map(|label| unit.name(label.name));
        let ours = names.chain(labels).filter(|name| name.starts_with("__svarog"));
        Helpers {
            by_content: FxHashMap::default(),
            taken: ours.map(str::to_owned).collect(),
            given: FxHashSet::default(),
            made: FxHashMap::default(),
        }
    }

    /// A name that the program does not have.
    pub(super) fn fresh(&self, stem: &str) -> String {
        let mut name = stem.to_owned();
        let mut number = 1;
        while self.taken.contains(&name) {
            number += 1;
            name = format!("{stem}_{number}");
        }
        name
    }

    /// The function with this content, and its definition if it is new. `define` is given the name.
    pub(super) fn get(&mut self, stem: &str, define: impl Fn(&str) -> String) -> (String, Option<String>) {
        let content = define("");
        if let Some(name) = self.by_content.get(&content) {
            return (name.clone(), None);
        }
        let mut name = format!("__svarog_{stem}");
        let mut number = 1;
        while self.taken.contains(&name) || self.given.contains(&name) {
            number += 1;
            name = format!("__svarog_{stem}_{number}");
        }
        self.given.insert(name.clone());
        self.by_content.insert(content, name.clone());
        let definition = define(&name);
        (name, Some(definition))
    }
}

/// The name of an operator in names of functions.
pub(super) fn stem(op: BinaryOp) -> &'static str {
    use BinaryOp::*;
    match op {
        Mul => "mul",
        Div => "div",
        Rem => "rem",
        Add => "add",
        Sub => "sub",
        Shl => "shl",
        Shr => "shr",
        Lt => "lt",
        Gt => "gt",
        Le => "le",
        Ge => "ge",
        Eq => "eq",
        Ne => "ne",
        BitAnd => "and",
        BitXor => "xor",
        BitOr => "or",
        And => "land",
        Or => "lor",
        Comma => "comma",
    }
}

/// A name made of an operator and types, each type once in a row.
pub(super) fn name_of(stem: &str, types: &[String]) -> String {
    let mut words: Vec<String> = types.iter().map(|text| word(text)).collect();
    words.dedup();
    words.retain(|word| !word.is_empty());
    format!("{stem}_{}", words.join("_"))
}

/// An operation's text with names for what it captures.
pub(super) fn named_text(
    unit: &Unit,
    insertion: &Insertion,
    operands: &[(ExprId, &str)],
    result: Option<&str>,
) -> Option<String> {
    let mut out = String::new();
    for piece in &insertion.text {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Result => out.push_str(result?),
            &Piece::Capture(expr) => {
                let expr = unit.peeled(expr);
                let found = operands.iter().find(|(operand, _)| unit.peeled(*operand) == expr);
                match found {
                    Some((_, name)) => out.push_str(name),
                    // A constant is the same everywhere.
                    None => out.push_str(&constant_text(unit, expr)?),
                }
            }
        }
    }
    Some(out)
}

fn constant_text(unit: &Unit, expr: ExprId) -> Option<String> {
    let value = unit.int_value(expr)?;
    let kind = unit.types.int_kind(unit.exprs[expr].ty)?;
    // The smallest value of a type cannot be written with a sign before a constant; this way every value can.
    let value = if value < 0 { format!("(-{} - 1)", -(value + 1)) } else { value.to_string() };
    let suffix = if kind.is_unsigned() { "ULL" } else { "LL" };
    Some(match value.strip_suffix(" - 1)") {
        Some(start) => format!("(({}){start}{suffix} - 1))", kind.text()),
        None => format!("(({}){value}{suffix})", kind.text()),
    })
}

/// What the operations of a place are made of, as numbers: shared texts by their addresses, operands by their positions. The
/// first number tells variants apart. None if there is more to it.
pub(super) fn code_of(
    unit: &Unit,
    variant: usize,
    site: &Site<'_>,
    operands: &[(ExprId, &str)],
) -> Option<Vec<usize>> {
    let mut out = Vec::with_capacity(24);
    out.push(variant);
    for (part, insertions) in [&site.before, &site.after, &site.yes, &site.no].into_iter().enumerate() {
        out.push(part);
        for piece in insertions.iter().flat_map(|insertion| &insertion.text) {
            out.push(match piece {
                Piece::Text(text) => text.as_ptr().addr(),
                Piece::Result => 4,
                &Piece::Capture(expr) => {
                    let expr = unit.peeled(expr);
                    5 + operands.iter().position(|(operand, _)| unit.peeled(*operand) == expr)?
                }
            });
        }
    }
    Some(out)
}

/// Where the operations of a place are from: the first stands for all.
pub(super) fn from_of(insertions: &[&Insertion]) -> Option<Span> {
    insertions.first().map(|insertion| insertion.from)
}
