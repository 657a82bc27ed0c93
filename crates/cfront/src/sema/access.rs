//! Names, members, elements and calls.

use super::builtin;
use crate::ast::{Entity, EntityFlags, EntityId, EntityKind, Expr, ExprId, ExprKind, List, Storage, Value};
use crate::parse::Parser;
use crate::token::{T, Token};
use crate::types::{FieldId, Signature, Ty, TypeKind};
use diag::{Diagnostic, Span, codes};

impl Parser<'_> {
    /// A name in an expression.
    pub(crate) fn name(&mut self, token: Token) -> ExprId {
        let span = token.span;
        let Some(entity) = self.scopes.ordinary.get(token.name) else { return self.undeclared(token) };
        let Entity { kind, ty, .. } = self.unit.entities[entity];
        match kind {
            EntityKind::Typedef => {
                let message = format!("`{}` is a type", self.name_text(token.name));
                self.error(codes::C002, span, message);
                self.erroneous(span)
            }
            EntityKind::Constant(value) => {
                self.make(ExprKind::Name(entity), ty, span, Some(Value::Int(value)))
            }
            _ => self.make(ExprKind::Name(entity), ty, span, None),
        }
    }

    /// A name without a declaration: a function that the compiler knows, or one that a call declares.
    fn undeclared(&mut self, token: Token) -> ExprId {
        let name = self.name_text(token.name).to_owned();
        let is_call = self.kind() == T::LParen;
        if let Some(code) = builtin::signature(&name, is_call) {
            let ty = self.builtin_type(code);
            let flags = EntityFlags {
                is_builtin: true,
                is_noreturn: builtin::is_noreturn(&name),
                ..Default::default()
            };
            let entity = self.implicit(token, ty, flags);
            if !name.starts_with("__") {
                self.warn_implicit(&name, token.span);
            }
            return self.make(ExprKind::Name(entity), ty, token.span, None);
        }
        if is_call {
            let signature =
                Signature { result: Ty::INT, params: Vec::new(), is_variadic: false, is_old: true };
            let ty = self.unit.types.function(signature);
            let flags = EntityFlags { is_implicit: true, ..Default::default() };
            let entity = self.implicit(token, ty, flags);
            self.warn_implicit(&name, token.span);
            return self.make(ExprKind::Name(entity), ty, token.span, None);
        }
        let known = (0..self.unit.entities.len()).rev().take(2000).map(|index| {
            let id: EntityId = base::id::Id::from_index(index);
            self.name_text(self.unit.entities[id].name)
        });
        let close = diag::closest(&name, known).map(|close| format!("did you mean `{close}`?"));
        let finding = Diagnostic::new(codes::C005, token.span, format!("`{name}` is not declared"));
        self.report(finding.help_opt(close));
        // One report is enough: from now on it is something of unknown type.
        let entity = self.implicit(token, Ty::ERROR, EntityFlags::default());
        self.make(ExprKind::Name(entity), Ty::ERROR, token.span, None)
    }

    fn warn_implicit(&mut self, name: &str, span: Span) {
        let message = format!("`{name}` is called but not declared");
        self.report(Diagnostic::new(codes::C101, span, message));
    }

    fn implicit(&mut self, token: Token, ty: Ty, flags: EntityFlags) -> EntityId {
        if let Some(&entity) = self.linked.get(&token.name) {
            self.scopes.ordinary.set(token.name, entity);
            return entity;
        }
        let is_function = self.unit.types.is_function(ty);
        let entity = self.unit.entities.push(Entity {
            name: token.name,
            kind: if is_function {
                EntityKind::Function(Storage::External)
            } else {
                EntityKind::Variable(Storage::External)
            },
            ty,
            span: token.span,
            flags,
            definition: None,
            initialised: None,
            scope: None,
        });
        self.linked.insert(token.name, entity);
        self.scopes.ordinary.set(token.name, entity);
        entity
    }

    /// The member of a record type by name, through anonymous members; complains if there is none.
    pub(crate) fn field_path(&mut self, ty: Ty, name: Token) -> Option<Vec<FieldId>> {
        if self.unit.types.is_error(ty) {
            return None;
        }
        let TypeKind::Record(record) = self.unit.types.kind(ty) else {
            let message = format!("{} has no members", self.shown(ty));
            self.error(codes::C007, name.span, message);
            return None;
        };
        if !self.unit.types.records[record].is_complete {
            let message = format!("the members of {} are not known here", self.shown(ty));
            self.error(codes::C011, name.span, message);
            return None;
        }
        let path = self.unit.types.find_field(record, name.name);
        if path.is_none() {
            let types = &self.unit.types;
            let fields = types.records[record].fields.iter().filter_map(|&id| types.fields[id].name);
            let close =
                diag::closest(self.name_text(name.name), fields.map(|name| self.unit.names.text(name)));
            let close = close.map(|close| format!("did you mean `{close}`?"));
            let message = format!("{} has no member `{}`", self.shown(ty), self.name_text(name.name));
            self.report(Diagnostic::new(codes::C007, name.span, message).help_opt(close));
        }
        path
    }

    /// `e.name` or `e->name`.
    pub(crate) fn member_access(&mut self, base: ExprId, is_arrow: bool, name: Token) -> ExprId {
        let start = self.unit.exprs[base].span;
        let span = start.to(name.span);
        let (record, value) = if is_arrow {
            let ty = self.value_type(base);
            let Some(to) = self.unit.types.pointee(ty) else {
                if !self.unit.types.is_error(ty) {
                    let message =
                        format!("`->` needs a pointer to a struct or union, not {}", self.shown(ty));
                    self.error(codes::C007, span, message);
                }
                return self.erroneous(span);
            };
            (to, self.converted_value(base, ty))
        } else {
            (self.unit.exprs[base].ty, self.unit.value(base))
        };
        let Some(path) = self.field_path(record, name) else { return self.erroneous(span) };
        let mut address = match value {
            Some(Value::Int(address)) if is_arrow => Some(address),
            Some(Value::Place(address)) if !is_arrow => Some(address),
            _ => None,
        };
        let mut quals = record.quals();
        let mut expr = base;
        for (step, &field) in path.iter().enumerate() {
            let crate::types::Field { ty, offset, .. } = self.unit.types.fields[field];
            address = address.map(|address| address + i128::from(offset / 8));
            let ty = self.unit.types.qualify(ty, quals);
            quals |= ty.quals();
            let kind = if is_arrow && step == 0 {
                ExprKind::Arrow(expr, field)
            } else {
                ExprKind::Member(expr, field)
            };
            expr = self.make(kind, ty, span, address.map(Value::Place));
        }
        expr
    }

    /// `a[i]`
    pub(crate) fn index(&mut self, array: ExprId, index: ExprId, close: Span) -> ExprId {
        let span = self.unit.exprs[array].span.to(close);
        let (a, b) = (self.value_type(array), self.value_type(index));
        let types = &self.unit.types;
        if types.is_error(a) || types.is_error(b) {
            return self.make(ExprKind::Index(array, index), Ty::ERROR, span, None);
        }
        if let TypeKind::Vector(of, _) = types.kind(a) {
            return self.make(ExprKind::Index(array, index), of, span, None);
        }
        let to = match (types.pointee(a), types.pointee(b)) {
            (Some(to), _) if types.int_kind(b).is_some() => to,
            (None, Some(to)) if types.int_kind(a).is_some() => to,
            _ => {
                let message = format!("an element of {} at {}", self.shown(a), self.shown(b));
                self.error(codes::C006, span, message);
                return self.erroneous(span);
            }
        };
        self.is_steppable(to, span);
        let size = self.unit.types.layout(to).map(|layout| i128::from(layout.size));
        let value = match (self.converted_value(array, a), self.unit.int_value(index), size) {
            (Some(Value::Int(at)), Some(index), Some(size)) => {
                index.checked_mul(size).and_then(|bytes| at.checked_add(bytes)).map(Value::Place)
            }
            _ => None,
        };
        self.make(ExprKind::Index(array, index), to, span, value)
    }

    /// A call whose arguments are those in `arguments` from `first` on. The closing parenthesis was just taken.
    pub(crate) fn call(&mut self, callee: ExprId, first: usize) -> ExprId {
        let span = self.since(self.unit.exprs[callee].span);
        let list = List { start: self.unit.lists.len() as u32, len: (self.arguments.len() - first) as u32 };
        self.unit.lists.extend(self.arguments.drain(first..));
        let kind = ExprKind::Call(callee, list);
        let Expr { ty, kind: callee_kind, .. } = self.unit.exprs[callee];
        if self.unit.types.is_error(ty) {
            return self.make(kind, Ty::ERROR, span, None);
        }
        let Some(signature) = self.unit.types.callee(ty) else {
            let message = format!("{} is no function", self.shown(ty));
            self.error(codes::C013, span, message);
            return self.make(kind, Ty::ERROR, span, None);
        };
        let result = signature.result.bare();
        if !signature.is_old {
            let signature = signature.clone();
            self.check_arguments(&signature, list, span);
        }
        if let ExprKind::Name(entity) = callee_kind
            && self.unit.entities[entity].flags.is_builtin
        {
            return self.builtin_call(entity, kind, list, result, span);
        }
        self.make(kind, result, span, None)
    }

    fn check_arguments(&mut self, signature: &Signature, list: List, span: Span) {
        let (wanted, given) = (signature.params.len(), list.len as usize);
        if given < wanted || (given > wanted && !signature.is_variadic) {
            let some = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
            let least = if signature.is_variadic { "at least " } else { "" };
            let message = format!("the function takes {least}{}, the call has {given}", some(wanted));
            self.error(codes::C013, span, message);
        }
        for (position, &param) in signature.params.iter().enumerate().take(given) {
            let argument = self.unit.lists[list.start as usize + position];
            self.require_assignable(param, argument);
        }
    }
}
