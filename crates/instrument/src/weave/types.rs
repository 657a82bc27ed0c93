//! Types as they are written where helper functions stand.

use cfront::ast::{EntityKind, Item, Unit};
use cfront::types::{ArrayLen, RecordId, Ty, TypeKind};
use diag::Span;
use rustc_hash::FxHashMap;

/// How types are written outside of functions.
pub(super) struct TypeTexts {
    /// Names for records without a tag.
    records: FxHashMap<RecordId, String>,
    /// Where functions are defined, in order.
    functions: Vec<Span>,
}

/// Below this many levels types are not written.
const LEVELS: usize = 24;

impl TypeTexts {
    pub(super) fn new(unit: &Unit) -> TypeTexts {
        let functions = unit.items.iter().filter_map(|item| match item {
            Item::Function(id) => Some(unit.functions[*id].span),
            _ => None,
        });
        let mut texts = TypeTexts { records: FxHashMap::default(), functions: functions.collect() };
        for entity in &unit.entities {
            if entity.kind != EntityKind::Typedef || entity.scope.is_some() || entity.ty.quals() != 0 {
                continue;
            }
            if let TypeKind::Record(id) = unit.types.kind(entity.ty) {
                texts.records.entry(id).or_insert_with(|| unit.name(entity.name).to_owned());
            }
        }
        texts
    }

    /// The function outside of functions that a place is in.
    pub(super) fn outermost(&self, span: Span) -> Span {
        let index = self.functions.partition_point(|f| f.start <= span.start);
        index.checked_sub(1).map_or(span, |index| self.functions[index])
    }

    /// A declaration of a name with a type, unless the type has no name outside of functions.
    pub(super) fn declaration(&self, unit: &Unit, ty: Ty, name: &str) -> Option<String> {
        self.levels(unit, ty, name, LEVELS)
    }

    fn levels(&self, unit: &Unit, mut ty: Ty, name: &str, levels: usize) -> Option<String> {
        let mut declarator = name.to_owned();
        let mut after_pointer = false;
        for _ in 0..levels {
            let quals = quals_text(ty);
            match unit.types.kind(ty) {
                TypeKind::Pointer(to) => {
                    declarator = format!("*{quals}{declarator}");
                    (ty, after_pointer) = (to, true);
                }
                TypeKind::Array(of, ArrayLen::Known(len)) => {
                    let inner = if after_pointer { format!("({declarator})") } else { declarator };
                    declarator = format!("{inner}[{len}]");
                    (ty, after_pointer) = (of, false);
                }
                TypeKind::Array(of, ArrayLen::Unknown) => {
                    let inner = if after_pointer { format!("({declarator})") } else { declarator };
                    declarator = format!("{inner}[]");
                    (ty, after_pointer) = (of, false);
                }
                TypeKind::Function(id) => {
                    let signature = unit.types.signature(id);
                    let mut params = Vec::new();
                    for &param in &signature.params {
                        params.push(self.levels(unit, param, "", levels / 2)?);
                    }
                    if signature.is_old {
                        params.clear();
                    } else if signature.is_variadic {
                        params.push("...".to_owned());
                    } else if params.is_empty() {
                        params.push("void".to_owned());
                    }
                    let inner = if after_pointer { format!("({declarator})") } else { declarator };
                    declarator = format!("{inner}({})", params.join(", "));
                    (ty, after_pointer) = (signature.result, false);
                }
                _ => {
                    let base = self.base(unit, ty)?;
                    let space = if declarator.is_empty() { "" } else { " " };
                    return Some(format!("{quals}{base}{space}{declarator}"));
                }
            }
        }
        None
    }

    fn base(&self, unit: &Unit, ty: Ty) -> Option<String> {
        let kind = unit.types.kind(ty);
        Some(match kind {
            TypeKind::Void => "void".to_owned(),
            TypeKind::Int(kind) => kind.text().to_owned(),
            TypeKind::Float(kind) => kind.text().to_owned(),
            TypeKind::Complex(kind) => format!("_Complex {}", kind.text()),
            TypeKind::VaList => "__builtin_va_list".to_owned(),
            TypeKind::Record(id) => {
                let record = &unit.types.records[id];
                let keyword = if record.is_union { "union" } else { "struct" };
                let index = self.functions.partition_point(|f| f.start <= record.span.start);
                let is_local =
                    index.checked_sub(1).is_some_and(|i| record.span.start < self.functions[i].end);
                match (record.tag, self.records.get(&id)) {
                    (Some(tag), _) if !is_local => format!("{keyword} {}", unit.name(tag)),
                    (_, Some(name)) if !is_local => name.clone(),
                    _ => return None,
                }
            }
            // The type that an enumeration is compatible with has a name everywhere.
            TypeKind::Enum(id) => unit.types.enums[id].kind.text().to_owned(),
            _ => return None,
        })
    }
}

/// Qualifiers, each with a blank after it.
fn quals_text(ty: Ty) -> String {
    use cfront::types::{ATOMIC, CONST, RESTRICT, VOLATILE};
    let words = [(CONST, "const "), (VOLATILE, "volatile "), (RESTRICT, "restrict "), (ATOMIC, "_Atomic ")];
    words.iter().filter(|(bit, _)| ty.quals() & bit != 0).map(|(_, word)| *word).collect()
}

/// A type as a part of a name.
pub(super) fn word(text: &str) -> String {
    let mut out = String::new();
    for part in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '*').filter(|part| !part.is_empty()) {
        let part = match part {
            "unsigned" => "u",
            other => other,
        };
        out.push_str(&part.replace('*', "p"));
    }
    out.truncate(24);
    out
}
