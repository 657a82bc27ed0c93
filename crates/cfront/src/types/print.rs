//! Types as C writes them.

use super::{ATOMIC, ArrayLen, CONST, RESTRICT, Ty, TypeKind, Types, VOLATILE};
use base::intern::{Interner, SymbolId};

/// Types are printed for people; below this many levels they are not read any more.
const LEVELS: u32 = 24;

/// Qualifiers, each with a blank after it.
fn quals_text(quals: u32) -> String {
    let words = [(CONST, "const "), (VOLATILE, "volatile "), (RESTRICT, "restrict "), (ATOMIC, "_Atomic ")];
    words.iter().filter(|(bit, _)| quals & bit != 0).map(|(_, word)| *word).collect()
}

impl Types {
    /// The type as it is written, without a name.
    #[must_use]
    pub fn text(&self, names: &Interner, ty: Ty) -> String {
        self.declaration(names, ty, "")
    }

    /// A declaration of `name` with the type.
    #[must_use]
    pub fn declaration(&self, names: &Interner, ty: Ty, name: &str) -> String {
        self.levels(names, ty, name, LEVELS)
    }

    fn levels(&self, names: &Interner, mut ty: Ty, name: &str, levels: u32) -> String {
        let mut declarator = name.to_owned();
        let mut after_pointer = false;
        for _ in 0..levels {
            let bracket = |declarator: String| {
                if after_pointer { format!("({declarator})") } else { declarator }
            };
            match self.kind(ty) {
                TypeKind::Pointer(to) => {
                    let quals = quals_text(ty.quals());
                    declarator = format!("*{quals}{declarator}");
                    (ty, after_pointer) = (to, true);
                }
                TypeKind::Array(of, len) => {
                    let len = match len {
                        ArrayLen::Known(len) => len.to_string(),
                        ArrayLen::Unknown => String::new(),
                        ArrayLen::Variable(_) | ArrayLen::Star => "*".to_owned(),
                    };
                    declarator = format!("{}[{len}]", bracket(declarator));
                    (ty, after_pointer) = (of, false);
                }
                TypeKind::Function(id) => {
                    let signature = self.signature(id);
                    let mut params: Vec<String> =
                        signature.params.iter().map(|&ty| self.levels(names, ty, "", levels / 2)).collect();
                    if signature.is_variadic {
                        params.push("...".to_owned());
                    }
                    if params.is_empty() && !signature.is_old {
                        params.push("void".to_owned());
                    }
                    declarator = format!("{}({})", bracket(declarator), params.join(", "));
                    (ty, after_pointer) = (signature.result, false);
                }
                _ => break,
            }
        }
        let base = format!("{}{}", quals_text(ty.quals()), self.base_text(names, ty));
        if declarator.is_empty() { base } else { format!("{base} {declarator}") }
    }

    fn base_text(&self, names: &Interner, ty: Ty) -> String {
        let tagged = |keyword: &str, tag: Option<SymbolId>| {
            tag.map_or_else(|| format!("{keyword} <unnamed>"), |tag| format!("{keyword} {}", names.text(tag)))
        };
        match self.kind(ty) {
            TypeKind::Error => "<error>".to_owned(),
            TypeKind::Void => "void".to_owned(),
            TypeKind::Int(kind) => kind.text().to_owned(),
            TypeKind::Float(kind) => kind.text().to_owned(),
            TypeKind::Complex(kind) => format!("_Complex {}", kind.text()),
            TypeKind::ComplexInt(kind) => format!("_Complex {}", kind.text()),
            TypeKind::VaList => "__builtin_va_list".to_owned(),
            TypeKind::Record(id) => {
                let record = &self.records[id];
                tagged(if record.is_union { "union" } else { "struct" }, record.tag)
            }
            TypeKind::Enum(id) => tagged("enum", self.enums[id].tag),
            TypeKind::Vector(of, len) => format!("{} vector of {len}", self.base_text(names, of)),
            TypeKind::Pointer(_) | TypeKind::Array(..) | TypeKind::Function(_) => "…".to_owned(),
        }
    }
}
