//! Operators.

use super::fold;
use crate::ast::{BinaryOp, Expr, ExprId, ExprKind, UnaryOp, Value};
use crate::parse::Parser;
use crate::types::{Ty, TypeKind};
use diag::{Span, codes};

impl Parser<'_> {
    pub(crate) fn unary(&mut self, op: UnaryOp, operand: ExprId, span: Span) -> ExprId {
        use UnaryOp::*;
        let ty = self.unit.exprs[operand].ty;
        if self.unit.types.is_error(ty) {
            return self.make(ExprKind::Unary(op, operand), Ty::ERROR, span, None);
        }
        match op {
            Extension => self.wrap(ExprKind::Unary(op, operand), operand, span),
            AddressOf => self.address_of(operand, span),
            Deref => self.deref(operand, span),
            PreInc | PreDec | PostInc | PostDec => self.increment(op, operand, span),
            Not => {
                self.require_scalar(operand);
                let value =
                    self.unit.value(operand).and_then(|value| fold::unary(&self.unit.types, op, value, ty));
                let ty = match self.unit.types.kind(ty) {
                    TypeKind::Vector(..) => ty.bare(),
                    _ => Ty::INT,
                };
                self.make(ExprKind::Unary(op, operand), ty, span, value)
            }
            Real | Imag => {
                let ty = match self.unit.types.kind(ty) {
                    TypeKind::Complex(kind) => Ty::float(kind),
                    TypeKind::ComplexInt(kind) => Ty::int(kind),
                    TypeKind::Float(_) | TypeKind::Int(_) | TypeKind::Enum(_) => ty.bare(),
                    _ => return self.bad_operand(op_text(op), operand, span),
                };
                self.make(ExprKind::Unary(op, operand), ty, span, None)
            }
            Plus | Neg | BitNot => self.arithmetic(op, operand, span),
        }
    }

    fn arithmetic(&mut self, op: UnaryOp, operand: ExprId, span: Span) -> ExprId {
        let ty = self.promoted(operand);
        let is_fine = match self.unit.types.kind(ty) {
            TypeKind::Int(_) | TypeKind::Vector(..) | TypeKind::Complex(_) | TypeKind::ComplexInt(_) => true,
            TypeKind::Float(_) => op != UnaryOp::BitNot,
            _ => false,
        };
        if !is_fine {
            return self.bad_operand(op_text(op), operand, span);
        }
        let value = self.converted_value(operand, ty).and_then(|v| fold::unary(&self.unit.types, op, v, ty));
        self.make(ExprKind::Unary(op, operand), ty, span, value)
    }

    fn bad_operand(&mut self, op: &str, operand: ExprId, span: Span) -> ExprId {
        let ty = self.unit.exprs[operand].ty;
        let message = format!("`{op}` cannot have an operand of type {}", self.shown(ty));
        self.error(codes::C006, span, message);
        self.erroneous(span)
    }

    /// The value of an expression, converted to a type.
    pub(crate) fn converted_value(&self, expr: ExprId, to: Ty) -> Option<Value> {
        let value = self.unit.value(expr)?;
        let value = match value {
            // An array or function at a known address is a pointer with that value.
            Value::Place(address) => match self.unit.types.kind(self.unit.exprs[expr].ty) {
                TypeKind::Array(..) | TypeKind::Function(_) => Value::Int(address),
                _ => return None,
            },
            value => value,
        };
        fold::convert(&self.unit.types, value, self.unit.exprs[expr].ty, to)
    }

    fn address_of(&mut self, operand: ExprId, span: Span) -> ExprId {
        let Expr { ty, .. } = self.unit.exprs[operand];
        let value = match self.unit.value(operand) {
            Some(Value::Place(address)) => Some(Value::Int(address)),
            _ => None,
        };
        let is_place = self.is_place(operand) || self.unit.types.is_function(ty);
        // GNU C takes the address of a void.
        if !is_place && ty.bare() != Ty::VOID {
            self.error(codes::C010, span, "the address of something that is not in memory");
        } else if self.unit.bit_field(operand).is_some() {
            self.error(codes::C010, span, "the address of a bit-field");
        }
        let ty = self.unit.types.pointer(ty);
        self.make(ExprKind::Unary(UnaryOp::AddressOf, operand), ty, span, value)
    }

    fn deref(&mut self, operand: ExprId, span: Span) -> ExprId {
        let pointer = self.value_type(operand);
        let Some(to) = self.unit.types.pointee(pointer) else {
            return self.bad_operand("*", operand, span);
        };
        let value = match self.converted_value(operand, pointer) {
            Some(Value::Int(address)) => Some(Value::Place(address)),
            _ => None,
        };
        self.make(ExprKind::Unary(UnaryOp::Deref, operand), to, span, value)
    }

    fn increment(&mut self, op: UnaryOp, operand: ExprId, span: Span) -> ExprId {
        self.require_target(operand);
        let ty = self.unit.exprs[operand].ty;
        let is_fine = match self.unit.types.kind(ty) {
            TypeKind::Pointer(to) => self.is_steppable(to, span),
            _ => {
                self.unit.types.is_arithmetic(ty) || matches!(self.unit.types.kind(ty), TypeKind::Vector(..))
            }
        };
        if !is_fine {
            return self.bad_operand(op_text(op), operand, span);
        }
        let ty = self.value_type(operand);
        self.make(ExprKind::Unary(op, operand), ty, span, None)
    }

    /// True when pointers to the type can be moved; GNU C moves pointers to void and functions by bytes.
    pub(crate) fn is_steppable(&mut self, to: Ty, span: Span) -> bool {
        let is_fine = to.bare() == Ty::VOID || self.unit.types.is_complete(to);
        if !is_fine {
            let message = format!("the size of {} is not known here", self.shown(to));
            self.error(codes::C011, span, message);
        }
        // The error was reported.
        true
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let span = self.unit.exprs[left].span.to(self.unit.exprs[right].span);
        let kind = ExprKind::Binary(op, left, right);
        if op == BinaryOp::Comma {
            let ty = self.value_type(right);
            return self.make(kind, ty, span, None);
        }
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            return self.logical(op, left, right, span);
        }
        match self.binary_type(op, left, right, span) {
            Some((ty, operands)) => {
                let value = self.binary_value(op, left, right, operands);
                self.make(kind, ty, span, value)
            }
            None => self.make(kind, Ty::ERROR, span, None),
        }
    }

    fn logical(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        self.require_scalar(left);
        self.require_scalar(right);
        let truth = |p: &Self, expr| p.unit.value(expr).and_then(fold::truth);
        let decides = op == BinaryOp::Or;
        let value = match (truth(self, left), truth(self, right)) {
            (Some(left), _) if left == decides => Some(decides),
            (Some(_), right) => right,
            (None, _) => None,
        };
        let value = value.map(|truth| Value::Int(i128::from(truth)));
        self.make(ExprKind::Binary(op, left, right), Ty::INT, span, value)
    }

    fn binary_value(&self, op: BinaryOp, left: ExprId, right: ExprId, operands: Ty) -> Option<Value> {
        let right_ty = match op {
            BinaryOp::Shl | BinaryOp::Shr => self.unit.exprs[right].ty,
            _ => operands,
        };
        let is_pointer = |expr| self.unit.types.pointee(self.unit.exprs[expr].ty).is_some();
        if is_pointer(left) || is_pointer(right) {
            return self.pointer_value(op, left, right);
        }
        let a = self.converted_value(left, operands)?;
        let b = self.converted_value(right, right_ty)?;
        fold::binary(&self.unit.types, op, a, b, operands)
    }

    /// Arithmetic on addresses that are numbers.
    fn pointer_value(&self, op: BinaryOp, left: ExprId, right: ExprId) -> Option<Value> {
        let (a, b) = (self.unit.int_value(left)?, self.unit.int_value(right)?);
        let size = |expr: ExprId| {
            let to = self.unit.types.pointee(self.unit.exprs[expr].ty)?;
            self.unit.types.layout(to).map(|layout| i128::from(layout.size))
        };
        let wrap =
            |value| Some(Value::Int(fold::wrap(&self.unit.types, value, self.unit.types.model.size_kind())));
        match (op, size(left), size(right)) {
            (BinaryOp::Add, Some(size), None) => wrap(a.checked_add(b.checked_mul(size)?)?),
            (BinaryOp::Add, None, Some(size)) => wrap(b.checked_add(a.checked_mul(size)?)?),
            (BinaryOp::Sub, Some(size), None) => wrap(a.checked_sub(b.checked_mul(size)?)?),
            (BinaryOp::Sub, Some(size), Some(_)) => Some(Value::Int(a.checked_sub(b)?.checked_div(size)?)),
            (op, ..) if op.is_comparison() => {
                fold::binary(&self.unit.types, op, Value::Int(a), Value::Int(b), Ty::ERROR)
            }
            _ => None,
        }
    }

    /// The type of the result, and the one in which it is computed.
    pub(crate) fn binary_type(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        span: Span,
    ) -> Option<(Ty, Ty)> {
        use BinaryOp::*;
        let (a, b) = (self.promoted(left), self.promoted(right));
        if self.unit.types.is_error(a) || self.unit.types.is_error(b) {
            return None;
        }
        let common = self.unit.types.common(a, b);
        let is_int = |p: &Self, ty| p.unit.types.int_kind(ty).is_some();
        let is_vector = |p: &Self, ty| matches!(p.unit.types.kind(ty), TypeKind::Vector(..));
        let result = match op {
            Shl | Shr if is_int(self, a) && is_int(self, b) => Some((a, a)),
            Shl | Shr if is_vector(self, a) => Some((a, a)),
            Rem | BitAnd | BitXor | BitOr => {
                common.filter(|&ty| is_int(self, ty) || is_vector(self, ty)).map(|ty| (ty, ty))
            }
            Mul | Div => common.map(|ty| (ty, ty)),
            Add | Sub => common.map(|ty| (ty, ty)).or_else(|| self.pointer_sum(op, a, b, span)),
            op if op.is_comparison() => self.comparison(a, b, common),
            _ => None,
        };
        if result.is_none() {
            let message = format!(
                "`{}` cannot have operands of types {} and {}",
                op.text(),
                self.shown(a),
                self.shown(b)
            );
            self.error(codes::C006, span, message);
        }
        result
    }

    fn pointer_sum(&mut self, op: BinaryOp, a: Ty, b: Ty, span: Span) -> Option<(Ty, Ty)> {
        let types = &self.unit.types;
        match (types.pointee(a), types.pointee(b)) {
            (Some(to), None) if types.int_kind(b).is_some() => {
                self.is_steppable(to, span);
                Some((a, a))
            }
            (None, Some(to)) if types.int_kind(a).is_some() && op == BinaryOp::Add => {
                self.is_steppable(to, span);
                Some((b, b))
            }
            (Some(x), Some(y)) if op == BinaryOp::Sub => {
                if !types.same_pointee(x, y) && x.bare() != Ty::VOID && y.bare() != Ty::VOID {
                    return None;
                }
                self.is_steppable(x, span);
                Some((Ty::int(self.unit.types.model.difference_kind()), a))
            }
            _ => None,
        }
    }

    fn comparison(&mut self, a: Ty, b: Ty, common: Option<Ty>) -> Option<(Ty, Ty)> {
        if let Some(common) = common {
            let is_vector = matches!(self.unit.types.kind(common), TypeKind::Vector(..));
            return Some((if is_vector { common } else { Ty::INT }, common));
        }
        let types = &self.unit.types;
        let is_pointer = |ty| types.pointee(ty).is_some();
        let is_int = |ty| types.int_kind(ty).is_some();
        // Pointers of different types, and pointers and integers, are compared with a warning.
        match () {
            () if is_pointer(a) && (is_pointer(b) || is_int(b)) => Some((Ty::INT, a)),
            () if is_pointer(b) && is_int(a) => Some((Ty::INT, b)),
            () => None,
        }
    }

    pub(crate) fn choice(&mut self, condition: ExprId, then: Option<ExprId>, other: ExprId) -> ExprId {
        self.require_scalar(condition);
        let yes = then.unwrap_or(condition);
        let span = self.unit.exprs[condition].span.to(self.unit.exprs[other].span);
        let kind = ExprKind::Conditional(condition, then, other);
        let ty = self.choice_type(yes, other, span);
        let chosen = match self.unit.value(condition).and_then(fold::truth) {
            Some(true) => Some(yes),
            Some(false) => Some(other),
            None => None,
        };
        let value = chosen.and_then(|chosen| self.converted_value(chosen, ty));
        self.make(kind, ty, span, value)
    }

    fn choice_type(&mut self, yes: ExprId, no: ExprId, span: Span) -> Ty {
        let (a, b) = (self.promoted(yes), self.promoted(no));
        if self.unit.types.is_error(a) || self.unit.types.is_error(b) {
            return Ty::ERROR;
        }
        if let Some(common) = self.unit.types.common(a, b) {
            return common;
        }
        let types = &self.unit.types;
        match (types.pointee(a), types.pointee(b)) {
            _ if a == Ty::VOID || b == Ty::VOID => Ty::VOID,
            (Some(_), _) if self.is_null(no) => a,
            (_, Some(_)) if self.is_null(yes) => b,
            (Some(x), Some(y)) => {
                let quals = types.element_quals(x) | types.element_quals(y);
                let to = match () {
                    () if types.same_pointee(x, y) => self.unit.types.composite(x, y),
                    () if x.bare() == Ty::VOID || y.bare() == Ty::VOID => Ty::VOID,
                    // A mismatch, which is a warning.
                    () => Ty::VOID,
                };
                let to = self.unit.types.qualify(to, quals);
                self.unit.types.pointer(to)
            }
            (Some(_), None) if types.int_kind(b).is_some() => a,
            (None, Some(_)) if types.int_kind(a).is_some() => b,
            _ if types.compatible(a, b) => a,
            _ => {
                let message = format!("the two cases have types {} and {}", self.shown(a), self.shown(b));
                self.error(codes::C006, span, message);
                Ty::ERROR
            }
        }
    }

    pub(crate) fn size_of_type(&mut self, ty: Ty, span: Span) -> ExprId {
        let value = self.size_value(ty, span);
        let size = Ty::int(self.unit.types.model.size_kind());
        self.make(ExprKind::SizeofType(ty), size, span, value)
    }

    pub(crate) fn size_of_expr(&mut self, expr: ExprId, span: Span) -> ExprId {
        let ty = self.unit.exprs[expr].ty;
        let value = self.size_value(ty, span);
        if self.unit.bit_field(expr).is_some() {
            self.error(codes::C006, span, "the size of a bit-field");
        }
        let size = Ty::int(self.unit.types.model.size_kind());
        self.make(ExprKind::SizeofExpr(expr), size, span, value)
    }

    fn size_value(&mut self, ty: Ty, span: Span) -> Option<Value> {
        if let Some(layout) = self.unit.types.layout(ty) {
            return Some(Value::Int(i128::from(layout.size)));
        }
        if !self.unit.types.is_variable(ty) && !self.unit.types.is_error(ty) {
            let message = format!("the size of {} is not known here", self.shown(ty));
            self.error(codes::C011, span, message);
        }
        None
    }

    pub(crate) fn align_of_type(&mut self, ty: Ty, span: Span, is_gnu: bool) -> ExprId {
        let types = &self.unit.types;
        let align =
            if is_gnu { types.preferred_align(ty) } else { types.layout(ty).map(|layout| layout.align) };
        let value = align.map(|align| Value::Int(i128::from(align)));
        let size = Ty::int(types.model.size_kind());
        self.make(ExprKind::Alignof, size, span, value)
    }

    pub(crate) fn align_of_expr(&mut self, expr: ExprId, span: Span, is_gnu: bool) -> ExprId {
        let ty = self.unit.exprs[expr].ty;
        self.align_of_type(ty, span, is_gnu)
    }

    pub(crate) fn cast(&mut self, ty: Ty, operand: ExprId, span: Span) -> ExprId {
        let from = self.value_type(operand);
        let to = self.unit.types.unaligned(ty).bare();
        let types = &self.unit.types;
        let is_error = types.is_error(from) || types.is_error(to);
        let is_float = |ty| matches!(types.kind(ty), TypeKind::Float(_) | TypeKind::Complex(_));
        let is_pointer = |ty| types.pointee(ty).is_some();
        let is_vector = |ty| matches!(types.kind(ty), TypeKind::Vector(..));
        let is_fine = is_error
            || to == Ty::VOID
            || (is_vector(to) || is_vector(from))
            || (types.is_scalar(from)
                && types.is_scalar(to)
                && !(is_float(from) && is_pointer(to))
                && !(is_pointer(from) && is_float(to)))
            // GNU C: to a union from one of its members' types, and to the same struct.
            || matches!(types.kind(to), TypeKind::Record(_))
            || types.kind(to) == types.kind(from);
        if !is_fine {
            let message = format!("{} cannot be converted to {}", self.shown(from), self.shown(to));
            self.error(codes::C006, span, message);
        }
        let value = self.converted_value(operand, to);
        self.make(ExprKind::Cast(operand), to, span, value)
    }

    /// True when the expression is a place in memory (or a register variable).
    pub(crate) fn is_place(&self, expr: ExprId) -> bool {
        let mut expr = self.unit.peeled(expr);
        loop {
            match self.unit.exprs[expr].kind {
                // A member of a value is no place; one of a place is.
                ExprKind::Member(base, _) => expr = self.unit.peeled(base),
                ExprKind::Unary(UnaryOp::Real | UnaryOp::Imag, inner) => expr = self.unit.peeled(inner),
                ExprKind::Name(entity) => {
                    use crate::ast::EntityKind;
                    return matches!(
                        self.unit.entities[entity].kind,
                        EntityKind::Variable(_) | EntityKind::Parameter
                    );
                }
                ExprKind::Index(..) | ExprKind::Arrow(..) | ExprKind::Unary(UnaryOp::Deref, _) => {
                    return true;
                }
                ExprKind::String(_)
                | ExprKind::FunctionName
                | ExprKind::CompoundLiteral(_)
                | ExprKind::VaArg(_)
                | ExprKind::Error => return true,
                _ => return false,
            }
        }
    }
}

/// An operator as it is written.
pub(crate) fn op_text(op: UnaryOp) -> &'static str {
    use UnaryOp::*;
    match op {
        Plus => "+",
        Neg => "-",
        BitNot => "~",
        Not => "!",
        AddressOf => "&",
        Deref => "*",
        PreInc | PostInc => "++",
        PreDec | PostDec => "--",
        Real => "__real__",
        Imag => "__imag__",
        Extension => "__extension__",
    }
}
