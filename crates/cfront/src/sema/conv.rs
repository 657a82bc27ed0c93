//! Conversions: promotions and the usual arithmetic conversions.

use crate::ast::{ExprId, ExprKind, Unit};
use crate::parse::Parser;
use crate::types::{FieldId, FloatKind, IntKind, Ty, TypeKind, Types};

impl Unit {
    /// The member if an expression is a bit-field.
    #[must_use]
    pub fn bit_field(&self, expr: ExprId) -> Option<FieldId> {
        match self.exprs[self.peeled(expr)].kind {
            ExprKind::Member(_, field) | ExprKind::Arrow(_, field) => {
                self.types.fields[field].width.map(|_| field)
            }
            _ => None,
        }
    }

    /// The bit-field whose value an expression has: assignments to bit-fields and the like have no more bits than these.
    #[must_use]
    pub fn narrow_value(&self, mut expr: ExprId) -> Option<FieldId> {
        use crate::ast::{BinaryOp, StmtKind, UnaryOp as U};
        loop {
            expr = self.peeled(expr);
            expr = match self.exprs[expr].kind {
                ExprKind::Assign(target, _) | ExprKind::CompoundAssign(_, target, _) => target,
                ExprKind::Unary(U::PreInc | U::PreDec | U::PostInc | U::PostDec, target) => target,
                ExprKind::Binary(BinaryOp::Comma, _, last) => last,
                ExprKind::Statement(block) => {
                    let StmtKind::Block(list) = self.stmts[block].kind else { return None };
                    match self.stmts[*self.block(list).last()?].kind {
                        StmtKind::Expr(last) => last,
                        _ => return None,
                    }
                }
                _ => return self.bit_field(expr),
            };
        }
    }

    /// The integer type that a value of an integer type is promoted to.
    #[must_use]
    pub fn promoted_kind(&self, expr: ExprId) -> Option<IntKind> {
        let kind = self.types.int_kind(self.exprs[expr].ty)?;
        if let Some(field) = self.narrow_value(expr)
            && let Some(width) = self.types.fields[field].width
        {
            return Some(self.types.promote_bits(kind, width));
        }
        Some(self.types.promote(kind))
    }

    /// The type of an expression's value: qualifiers go, arrays and functions become pointers.
    pub fn value_type(&mut self, expr: ExprId) -> Ty {
        let ty = self.exprs[expr].ty;
        let ty = self.types.decay(ty);
        self.types.unaligned(ty)
    }

    /// The type of an expression's value after the integer promotions.
    pub fn promoted(&mut self, expr: ExprId) -> Ty {
        match self.promoted_kind(expr) {
            Some(kind) => Ty::int(kind),
            None => self.value_type(expr),
        }
    }

    /// The type in which a binary operator, an assignment with an operator, an increment or a unary operator computes.
    /// It differs from the expression's type for comparisons and assignments.
    pub fn operation_type(&mut self, expr: ExprId) -> Option<Ty> {
        use crate::ast::{BinaryOp as B, UnaryOp as U};
        match self.exprs[expr].kind {
            ExprKind::Unary(U::PreInc | U::PreDec | U::PostInc | U::PostDec, operand) => {
                let ty = self.promoted(operand);
                Some(self.types.common(ty, Ty::INT).unwrap_or(ty))
            }
            ExprKind::Unary(U::Plus | U::Neg | U::BitNot, operand) => Some(self.promoted(operand)),
            ExprKind::Binary(B::Shl | B::Shr, left, _)
            | ExprKind::CompoundAssign(B::Shl | B::Shr, left, _) => Some(self.promoted(left)),
            ExprKind::Binary(B::And | B::Or | B::Comma, ..) => None,
            ExprKind::Binary(_, left, right) | ExprKind::CompoundAssign(_, left, right) => {
                let (left, right) = (self.promoted(left), self.promoted(right));
                self.types.common(left, right)
            }
            _ => None,
        }
    }
}

impl Types {
    /// The integer promotions.
    #[must_use]
    pub fn promote(&self, kind: IntKind) -> IntKind {
        if kind.rank() < IntKind::Int.rank() { IntKind::Int } else { kind }
    }

    /// The same for a bit-field of some width.
    #[must_use]
    pub fn promote_bits(&self, kind: IntKind, width: u32) -> IntKind {
        let int = self.model.bits(IntKind::Int);
        match () {
            () if width < int || (width == int && !kind.is_unsigned()) => IntKind::Int,
            () if width == int => IntKind::UInt,
            () => self.promote(kind),
        }
    }

    /// The type that the usual arithmetic conversions give two promoted types; none unless both are numbers.
    pub fn common(&mut self, a: Ty, b: Ty) -> Option<Ty> {
        if let (Some(a), Some(b)) = (self.int_kind(a), self.int_kind(b)) {
            return Some(Ty::int(self.common_int(self.promote(a), self.promote(b))));
        }
        let (a, b) = (self.kind(a), self.kind(b));
        if let (TypeKind::Vector(..), _) = (a, b) {
            return Some(self.make(a));
        }
        if let (_, TypeKind::Vector(..)) = (a, b) {
            return Some(self.make(b));
        }
        let float = |kind| match kind {
            TypeKind::Float(kind) | TypeKind::Complex(kind) => Some(kind),
            _ => None,
        };
        let is_number = |kind| {
            matches!(
                kind,
                TypeKind::Int(_)
                    | TypeKind::Enum(_)
                    | TypeKind::Float(_)
                    | TypeKind::Complex(_)
                    | TypeKind::ComplexInt(_)
            )
        };
        if !is_number(a) || !is_number(b) {
            return None;
        }
        let is_complex = |kind| matches!(kind, TypeKind::Complex(_) | TypeKind::ComplexInt(_));
        let complex = is_complex(a) || is_complex(b);
        match (float(a), float(b)) {
            (None, None) => {
                let int = |types: &Types, kind| match kind {
                    TypeKind::Int(kind) | TypeKind::ComplexInt(kind) => kind,
                    TypeKind::Enum(id) => types.enums[id].kind,
                    _ => IntKind::Int,
                };
                let kind = self.common_int(int(self, a), int(self, b));
                Some(self.make(TypeKind::ComplexInt(kind)))
            }
            (x, y) => {
                let kind = match (x, y) {
                    (Some(x), Some(y)) => wider(x, y),
                    (Some(x), None) | (None, Some(x)) => x,
                    (None, None) => FloatKind::Double,
                };
                Some(self.make(if complex { TypeKind::Complex(kind) } else { TypeKind::Float(kind) }))
            }
        }
    }

    /// The common type of two promoted integer types.
    #[must_use]
    pub fn common_int(&self, a: IntKind, b: IntKind) -> IntKind {
        if a.is_unsigned() == b.is_unsigned() {
            return if a.rank() >= b.rank() { a } else { b };
        }
        let (unsigned, signed) = if a.is_unsigned() { (a, b) } else { (b, a) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if self.model.bits(signed) > self.model.bits(unsigned) {
            signed
        } else {
            signed.to_unsigned()
        }
    }
}

/// The wider of two floating types; of two that are equally wide the one of a fixed format.
fn wider(a: FloatKind, b: FloatKind) -> FloatKind {
    a.max(b)
}

impl Parser<'_> {
    pub(crate) fn value_type(&mut self, expr: ExprId) -> Ty {
        self.unit.value_type(expr)
    }

    pub(crate) fn promoted(&mut self, expr: ExprId) -> Ty {
        self.unit.promoted(expr)
    }

    /// True when an integer type holds a value.
    pub(crate) fn fits(&self, value: i128, kind: IntKind) -> bool {
        let bits = self.unit.types.model.bits(kind);
        match (kind.is_unsigned(), bits) {
            (true, 128) => value >= 0,
            (true, _) => value >= 0 && value >> bits == 0,
            (false, 128) => true,
            (false, _) => value >> (bits - 1) == 0 || value >> (bits - 1) == -1,
        }
    }
}
