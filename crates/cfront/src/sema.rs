//! The rules of the language: types of expressions, conversions, constants, declarations.
//!
//! What GNU C accepts with a warning is accepted here without one, unless it is likely to be a mistake that changes
//! what is verified; what it refuses is an error.

mod access;
mod assign;
mod builtin;
mod control;
mod conv;
mod decl;
mod fold;
mod ops;

pub(crate) use control::Switch;

use crate::ast::{Expr, ExprId, ExprKind, Value};
use crate::parse::Parser;
use crate::types::{FloatKind, Ty, TypeKind};
use diag::{Span, codes};

impl Parser<'_> {
    /// Makes an expression.
    pub(crate) fn make(&mut self, kind: ExprKind, ty: Ty, span: Span, value: Option<Value>) -> ExprId {
        let value = match value {
            // Values of wider types than double are not computed.
            Some(Value::Float(_)) if !self.is_double(ty) => 0,
            Some(value) => {
                self.unit.values.push(value);
                self.unit.values.len() as u32
            }
            None => 0,
        };
        self.unit.exprs.push(Expr { kind, ty, span, value })
    }

    fn is_double(&self, ty: Ty) -> bool {
        use FloatKind::*;
        matches!(self.unit.types.kind(ty), TypeKind::Float(Float | Float32 | Double | Float32x | Float64))
    }

    /// What stands for an expression with an error.
    pub(crate) fn erroneous(&mut self, span: Span) -> ExprId {
        self.make(ExprKind::Error, Ty::ERROR, span, None)
    }

    /// The value of an expression that has to be an integer constant.
    pub(crate) fn require_int(&mut self, expr: ExprId) -> Option<i128> {
        let value = self.unit.int_value(expr);
        let Expr { ty, span, .. } = self.unit.exprs[expr];
        if value.is_none() && !self.unit.types.is_error(ty) {
            self.error(codes::C009, span, "this has to be an integer constant");
        }
        value
    }

    /// Complains about a condition that has no truth value.
    pub(crate) fn require_scalar(&mut self, expr: ExprId) {
        let ty = self.value_type(expr);
        if !self.unit.types.is_scalar(ty) {
            let span = self.unit.exprs[expr].span;
            let message = format!("{} has no truth value", self.shown(ty));
            self.error(codes::C006, span, message);
        }
    }
}
