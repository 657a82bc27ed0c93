//! Assignments and what can be assigned.

use crate::ast::{BinaryOp, Expr, ExprId, ExprKind};
use crate::parse::Parser;
use crate::types::{CONST, Ty, TypeKind};
use diag::{Span, codes};

impl Parser<'_> {
    pub(crate) fn assign(&mut self, target: ExprId, value: ExprId) -> ExprId {
        let span = self.unit.exprs[target].span.to(self.unit.exprs[value].span);
        self.require_target(target);
        let ty = self.unit.exprs[target].ty;
        self.require_assignable(ty, value);
        let ty = self.value_type(target);
        self.make(ExprKind::Assign(target, value), ty, span, None)
    }

    pub(crate) fn compound_assign(&mut self, op: BinaryOp, target: ExprId, value: ExprId) -> ExprId {
        let span = self.unit.exprs[target].span.to(self.unit.exprs[value].span);
        self.require_target(target);
        if let Some((result, _)) = self.binary_type(op, target, value, span) {
            let ty = self.unit.exprs[target].ty;
            self.check_assignable(ty, result, span);
        }
        let ty = self.value_type(target);
        self.make(ExprKind::CompoundAssign(op, target, value), ty, span, None)
    }

    /// Complains unless the expression is a place that can be written.
    pub(crate) fn require_target(&mut self, target: ExprId) {
        let Expr { ty, span, .. } = self.unit.exprs[target];
        if self.unit.types.is_error(ty) {
            return;
        }
        let is_array = matches!(self.unit.types.kind(ty), TypeKind::Array(..) | TypeKind::Function(_));
        if !self.is_place(target) || is_array {
            self.error(codes::C010, span, "this cannot be assigned to");
        } else if self.unit.types.element_quals(ty) & CONST != 0 {
            self.error(codes::C010, span, "this is constant");
        }
    }

    /// Complains unless the value of an expression can be converted to a type by assignment.
    pub(crate) fn require_assignable(&mut self, to: Ty, expr: ExprId) {
        let from = self.value_type(expr);
        let span = self.unit.exprs[expr].span;
        self.check_assignable(to, from, span);
    }

    fn check_assignable(&mut self, to: Ty, from: Ty, span: Span) {
        let to = self.unit.types.unaligned(to).bare();
        if !self.is_assignable(to, from.bare()) {
            let message = format!("{} cannot be converted to {}", self.shown(from), self.shown(to));
            self.error(codes::C006, span, message);
        }
    }

    fn is_assignable(&self, to: Ty, from: Ty) -> bool {
        let types = &self.unit.types;
        if to == from || types.is_error(to) || types.is_error(from) {
            return true;
        }
        let is_pointer = |ty| types.pointee(ty).is_some();
        let is_int = |ty| types.int_kind(ty).is_some();
        match (types.kind(to), types.kind(from)) {
            (_, TypeKind::Void) | (TypeKind::Void, _) => false,
            (TypeKind::Record(id), _) if types.records[id].is_transparent => true,
            (TypeKind::Record(_), _) | (_, TypeKind::Record(_)) => false,
            // Pointers to the elements of a list of arguments, and the list itself.
            (TypeKind::VaList, _) | (_, TypeKind::VaList) => is_pointer(from) || is_pointer(to),
            (TypeKind::Vector(..), _) | (_, TypeKind::Vector(..)) => true,
            // Other pointers, and integers as pointers, are a warning.
            (TypeKind::Pointer(_), _) => is_pointer(from) || is_int(from),
            (_, TypeKind::Pointer(_)) => is_int(to),
            _ => types.is_arithmetic(to) && types.is_arithmetic(from),
        }
    }
}
