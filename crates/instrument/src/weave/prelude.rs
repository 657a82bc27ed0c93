//! What comes before the first function: variables of automata, declarations that are missing; and new names for functions
//! of the program that must not count.

use super::Weaver;
use crate::plan::Piece;
use base::intern::SymbolId;
use cfront::DataModel;
use cfront::ast::{Entity, EntityId, EntityKind, ExprKind, Item, Storage};
use cfront::token::T;
use cfront::types::Ty;
use diag::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Functions that inserted text may call without declaring them, and their declarations. `SIZE` is the type of sizes,
/// `SSIZE` the signed one.
pub const KNOWN: &[(&str, &str)] = &[
    // tidy: sorted
    ("__VERIFIER_assume", "extern void __VERIFIER_assume(int);"),
    ("__VERIFIER_nondet_bool", "extern _Bool __VERIFIER_nondet_bool(void);"),
    ("__VERIFIER_nondet_char", "extern char __VERIFIER_nondet_char(void);"),
    ("__VERIFIER_nondet_double", "extern double __VERIFIER_nondet_double(void);"),
    ("__VERIFIER_nondet_float", "extern float __VERIFIER_nondet_float(void);"),
    ("__VERIFIER_nondet_int", "extern int __VERIFIER_nondet_int(void);"),
    ("__VERIFIER_nondet_long", "extern long __VERIFIER_nondet_long(void);"),
    ("__VERIFIER_nondet_longlong", "extern long long __VERIFIER_nondet_longlong(void);"),
    ("__VERIFIER_nondet_pointer", "extern void *__VERIFIER_nondet_pointer(void);"),
    ("__VERIFIER_nondet_short", "extern short __VERIFIER_nondet_short(void);"),
    ("__VERIFIER_nondet_uchar", "extern unsigned char __VERIFIER_nondet_uchar(void);"),
    ("__VERIFIER_nondet_uint", "extern unsigned int __VERIFIER_nondet_uint(void);"),
    ("__VERIFIER_nondet_ulong", "extern unsigned long __VERIFIER_nondet_ulong(void);"),
    ("__VERIFIER_nondet_ulonglong", "extern unsigned long long __VERIFIER_nondet_ulonglong(void);"),
    ("__VERIFIER_nondet_ushort", "extern unsigned short __VERIFIER_nondet_ushort(void);"),
    ("_exit", "extern void _exit(int);"),
    ("abort", "extern void abort(void);"),
    ("atexit", "extern int atexit(void (*)(void));"),
    ("free", "extern void free(void *);"),
    ("malloc", "extern void *malloc(SIZE);"),
    ("memcmp", "extern int memcmp(const void *, const void *, SIZE);"),
    ("memcpy", "extern void *memcpy(void *, const void *, SIZE);"),
    ("memset", "extern void *memset(void *, int, SIZE);"),
    ("reach_error", "extern void reach_error(void);"),
    ("read", "extern SSIZE read(int, void *, SIZE);"),
    ("strlen", "extern SIZE strlen(const char *);"),
    // tidy: end
];

impl Weaver<'_> {
    /// Everything that stands before the first function.
    pub(super) fn prelude(&mut self) {
        let first = self.unit.items.iter().find_map(|item| match item {
            Item::Function(id) => Some(self.unit.functions[*id].span),
            _ => None,
        });
        let end = self.base + self.text.len() as u32;
        let first = first.unwrap_or(Span::new(end, end));
        let mut lines = self.missing(first);
        lines.extend(self.plan.globals.iter().cloned());
        if !lines.is_empty() {
            self.edits.open(first, format!("{}\n", lines.join("\n")), None);
        }
        let mut tail = self.plan.tail.clone();
        tail.extend(self.plan.bodies.iter().filter_map(|(name, body)| self.definition_of(name, body)));
        if !tail.is_empty() {
            let end = Span::new(end, end);
            self.edits.close(end, format!("\n{}\n", tail.join("\n")), None);
        }
    }

    /// The definition of a function that the program does not define; none if it does.
    fn definition_of(&self, name: &str, body: &str) -> Option<String> {
        let unit = &*self.unit;
        let is_one = |entity: &&Entity| {
            matches!(entity.kind, EntityKind::Function(_)) && unit.name(entity.name) == name
        };
        let entity = unit.entities.iter().find(is_one)?;
        if unit.entities.iter().filter(is_one).any(|entity| entity.definition.is_some()) {
            return None;
        }
        let signature = unit.types.callee(entity.ty)?;
        let param = |(index, &ty): (usize, &Ty)| self.types.declaration(unit, ty, &format!("__x{index}"));
        let mut params = signature.params.iter().enumerate().map(param).collect::<Option<Vec<_>>>()?;
        if signature.is_old {
            params.clear();
        } else if signature.is_variadic {
            params.push("...".into());
        } else if params.is_empty() {
            params.push("void".into());
        }
        let declarator = format!("{}({})", self.renamed(name), params.join(", "));
        let header = self.types.declaration(unit, signature.result, &declarator)?;
        Some(format!("{header} {{ {body} }}"))
    }

    /// Declarations of known functions that inserted text uses and the program does not declare before its first function.
    fn missing(&self, first: Span) -> Vec<String> {
        let mut words: FxHashSet<&str> = FxHashSet::default();
        let texts = self.plan.insertions.iter().flat_map(|insertion| &insertion.text);
        let texts = texts.filter_map(|piece| match piece {
            Piece::Text(text) => Some(&**text),
            _ => None,
        });
        // Most operations stand at many places.
        let texts: FxHashSet<&str> = texts.collect();
        let declared = self.plan.globals.iter().map(String::as_str);
        let locals = self.plan.locals.iter().map(|(_, text)| text.as_str());
        let tail = self.plan.tail.iter().map(String::as_str);
        for text in texts.into_iter().chain(declared).chain(locals).chain(tail) {
            words.extend(text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
        }
        let mut by_name: FxHashMap<&str, EntityId> = FxHashMap::default();
        for (id, entity) in self.unit.entities.iter_enumerated() {
            if matches!(entity.kind, EntityKind::Function(_)) && !entity.flags.is_implicit {
                by_name.entry(self.unit.name(entity.name)).or_insert(id);
            }
        }
        let is_narrow = self.unit.types.model == DataModel::Ilp32;
        let spelled = |text: &str| {
            let (size, signed) = if is_narrow { ("unsigned int", "int") } else { ("unsigned long", "long") };
            text.replace("SSIZE", signed).replace("SIZE", size)
        };
        let mut lines = Vec::new();
        for (name, declaration) in KNOWN.iter().filter(|(name, _)| words.contains(name)) {
            let is_renamed = self.plan.renamed.iter().any(|(old, _)| old == name);
            match by_name.get(name).filter(|_| !is_renamed) {
                Some(&id)
                    if self.unit.entities[id].span.start < first.start
                        && !self.unit.entities[id].flags.is_builtin => {}
                Some(&id) => {
                    let entity = &self.unit.entities[id];
                    let is_static = entity.kind == EntityKind::Function(Storage::Static);
                    let storage = if is_static { "static " } else { "extern " };
                    let own = self.types.declaration(self.unit, entity.ty, name);
                    lines.push(own.map_or_else(|| spelled(declaration), |text| format!("{storage}{text};")));
                }
                None => lines.push(spelled(declaration)),
            }
        }
        lines
    }

    /// The name that a function of the program has in the output.
    pub(super) fn renamed(&self, name: &str) -> String {
        let found = self.plan.renamed.iter().find(|(old, _)| old == name);
        found.map_or_else(|| name.to_owned(), |(_, new)| self.helpers.fresh(new))
    }

    /// New names for functions of the program, wherever they are named.
    pub(super) fn renames(&mut self) {
        for (old, new) in &self.plan.renamed {
            let new = self.helpers.fresh(new);
            let entities: BTreeSet<EntityId> = self
                .unit
                .entities
                .iter_enumerated()
                .filter(|(_, entity)| {
                    self.unit.name(entity.name) == old && matches!(entity.kind, EntityKind::Function(_))
                })
                .map(|(id, _)| id)
                .collect();
            let Some(name) = entities.first().map(|&id| self.unit.entities[id].name) else { continue };
            let mut places: BTreeSet<Span> = BTreeSet::new();
            for expr in &self.unit.exprs {
                if matches!(expr.kind, ExprKind::Name(entity) if entities.contains(&entity)) {
                    places.insert(expr.span);
                }
            }
            let is_one = |entity: Option<EntityId>| entity.is_some_and(|entity| entities.contains(&entity));
            for decl in self.unit.decls.iter().filter(|decl| is_one(decl.entity)) {
                places.extend(self.name_in(decl.span, name));
            }
            for function in self.unit.functions.iter().filter(|f| entities.contains(&f.entity)) {
                places.extend(self.name_in(function.head, name));
            }
            for place in places {
                self.edits.replace(place, new.clone(), None);
            }
        }
    }

    /// The token of a declared name in its declarator.
    fn name_in(&self, span: Span, name: SymbolId) -> Option<Span> {
        let tokens = &self.unit.tokens;
        let first = tokens.partition_point(|token| token.span.start < span.start);
        let inside = tokens[first..].iter().take_while(|token| token.span.end <= span.end);
        let mut before = None;
        for token in inside {
            let is_tag = matches!(before, Some(T::Struct | T::Union | T::Enum));
            if token.kind == T::Ident && token.name == name && !is_tag {
                return Some(token.span);
            }
            before = Some(token.kind);
        }
        None
    }
}
