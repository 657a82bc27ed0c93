//! Calls: a generated function gets the arguments, executes what comes before and after, and makes the call.
//!
//! A call by name keeps its arguments as they are written; only the name changes.

use super::Weaver;
use super::helper::{from_of, name_of, named_text};
use super::sort::Site;
use cfront::ast::{EntityId, EntityKind, ExprId, ExprKind, FunctionId, Storage};
use cfront::types::{FloatKind, Ty, TypeKind};

/// Functions that mean something else when they are called from elsewhere.
fn depends_on_caller(name: &str) -> bool {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    matches!(
        name.trim_start_matches('_'),
        "alloca"
            | "alloca_with_align"
            | "setjmp"
            | "sigsetjmp"
            | "vfork"
            | "va_start"
            | "va_end"
            | "va_copy"
            | "va_arg"
            | "frame_address"
            | "return_address"
            | "apply_args"
            | "next_arg"
            | "va_arg_pack"
    )
}

impl Weaver<'_> {
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        site: &Site<'_>,
        callee: ExprId,
        args: &[ExprId],
    ) {
        let entity = match self.unit.exprs[self.unit.peeled(callee)].kind {
            ExprKind::Name(entity) if matches!(self.unit.entities[entity].kind, EntityKind::Function(_)) => {
                Some(entity)
            }
            _ => None,
        };
        let known = entity.map(|entity| self.unit.name(self.unit.entities[entity].name).to_owned());
        if known.as_deref().is_some_and(depends_on_caller) {
            return self.refuse_call(expr, site, "the function depends on where it is called");
        }
        let Some(types) = self.arg_types(callee, args) else {
            return self.refuse_call(expr, site, "what is called is no function");
        };
        let names: Vec<String> = (0..args.len()).map(|index| format!("__x{index}")).collect();
        let mut operands: Vec<(ExprId, &str)> =
            args.iter().copied().zip(names.iter().map(String::as_str)).collect();
        operands.extend(entity.is_none().then_some((callee, "__f")));
        let mut before = String::new();
        let mut after = String::new();
        for (insertions, into, result) in
            [(&site.before, &mut before, None), (&site.after, &mut after, Some("__r"))]
        {
            for insertion in insertions {
                let Some(text) = named_text(self.unit, insertion, &operands, result) else {
                    let span = self.unit.exprs[expr].span;
                    return self.refuse(span, insertion, "it captures something that is no argument");
                };
                into.push_str(&text);
                into.push(' ');
            }
        }
        let mut params = Vec::new();
        if entity.is_none() {
            let ty = self.unit.value_type(callee);
            params.push(self.param(ty, "__f"));
        }
        for (&ty, name) in types.iter().zip(&names) {
            params.push(self.param(ty, name));
        }
        let Some(params) = params.into_iter().collect::<Option<Vec<String>>>() else {
            return self.refuse_type(expr, site);
        };
        let list = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let result = self.unit.exprs[expr].ty.bare();
        let is_void = self.unit.types.kind(result) == TypeKind::Void;
        let (Some(header), Some(local)) =
            (self.param(result, &format!("@({list})")), self.param(result, "__r"))
        else {
            return self.refuse_type(expr, site);
        };
        let target = known.as_deref().map_or_else(|| "__f".to_owned(), |name| self.renamed(name));
        let call = format!("{target}({})", names.join(", "));
        let declaration = match entity {
            Some(entity) => match self.declaration_if_later(function, entity) {
                Some(text) => text,
                None => return self.refuse_type(expr, site),
            },
            None => String::new(),
        };
        let define = |name: &str| {
            let header = header.replacen('@', name, 1);
            match (is_void, after.is_empty()) {
                (true, _) => format!("{declaration}static {header} {{ {before}{call}; {after}}}"),
                (false, true) => format!("{declaration}static {header} {{ {before}return {call}; }}"),
                (false, false) => {
                    format!("{declaration}static {header} {{ {before}{local} = {call}; {after}return __r; }}")
                }
            }
        };
        let stem = known.as_deref().map_or_else(|| "call".to_owned(), |name| name_of("call", &[name.into()]));
        let from = from_of(&site.before).or(from_of(&site.after));
        let name = self.define(function, &stem, from, define);
        let (span, place) = (self.expr_span(expr), self.expr_span(callee));
        if entity.is_some() {
            self.edits.replace(place, name, from);
            return;
        }
        let Some(paren) = self.token_from(place.end) else { return };
        self.edits.open(span, format!("{name}("), from);
        self.edits.replace(paren.span, if args.is_empty() { "" } else { ", " }.into(), from);
    }

    fn refuse_call(&mut self, expr: ExprId, site: &Site<'_>, why: &str) {
        if let Some(&insertion) = site.before.iter().chain(&site.after).next() {
            let span = self.expr_span(expr);
            self.refuse(span, insertion, why);
        }
    }

    /// The types in which arguments are passed.
    pub(super) fn arg_types(&mut self, callee: ExprId, args: &[ExprId]) -> Option<Vec<Ty>> {
        let ty = self.unit.exprs[self.unit.peeled(callee)].ty;
        let signature = self.unit.types.callee(ty)?.clone();
        let mut types = Vec::new();
        for (index, &arg) in args.iter().enumerate() {
            let declared = signature.params.get(index).filter(|_| !signature.is_old);
            types.push(match declared {
                Some(&declared) => declared.bare(),
                None => {
                    let promoted = self.unit.promoted(arg);
                    let is_float = self.unit.types.kind(promoted) == TypeKind::Float(FloatKind::Float);
                    if is_float { Ty::float(FloatKind::Double) } else { promoted }
                }
            });
        }
        Some(types)
    }

    /// The declaration of a function that the program declares only inside the function that calls it, or later.
    fn declaration_if_later(&self, function: FunctionId, entity: EntityId) -> Option<String> {
        let entity = &self.unit.entities[entity];
        let start = self.types.outermost(self.unit.functions[function].span).start;
        if entity.flags.is_builtin || entity.span.start < start {
            return Some(String::new());
        }
        let storage = match entity.kind {
            EntityKind::Function(Storage::Static) => "static ",
            _ => "extern ",
        };
        // A nested function cannot be called from outside.
        if entity.definition.is_some_and(|id| {
            self.types.outermost(self.unit.functions[id].span).start != self.unit.functions[id].span.start
        }) {
            return None;
        }
        let text = self.types.declaration(self.unit, entity.ty, self.unit.name(entity.name))?;
        Some(format!("{storage}{text}; "))
    }
}
