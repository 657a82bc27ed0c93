//! Expressions to edges, in the order of evaluation.

use super::build::{Builder, Task};
use super::{Exit, ExitKind, LocId, Op};
use crate::ast::{BinaryOp, EntityId, EntityKind, ExprId, ExprKind, UnaryOp};
use crate::types::{Ty, TypeKind};

impl Builder<'_> {
    /// True when the value is an address: an array or function.
    fn is_address(&self, expr: ExprId) -> bool {
        matches!(self.unit.types.kind(self.unit.exprs[expr].ty), TypeKind::Array(..) | TypeKind::Function(_))
    }

    pub(super) fn value(&mut self, expr: ExprId) {
        use Task as T;
        match self.unit.exprs[expr].kind {
            ExprKind::Error
            | ExprKind::Constant
            | ExprKind::String(_)
            | ExprKind::Name(_)
            | ExprKind::FunctionName
            | ExprKind::SizeofExpr(_)
            | ExprKind::SizeofType(_)
            | ExprKind::Alignof
            | ExprKind::Offsetof(_)
            | ExprKind::TypesCompatible
            | ExprKind::LabelAddress(_) => {}
            ExprKind::Paren(inner) | ExprKind::Chosen(inner) | ExprKind::Unary(UnaryOp::Extension, inner) => {
                self.tasks.push(T::Value(inner));
            }
            ExprKind::Unary(UnaryOp::AddressOf, inner) => self.tasks.push(T::Place(inner)),
            ExprKind::Unary(UnaryOp::Deref, _) | ExprKind::Index(..) | ExprKind::Arrow(..) => {
                let is_element = matches!(self.unit.exprs[expr].kind, ExprKind::Index(..));
                let op = match self.is_address(expr) {
                    false => Some(Op::Eval(expr)),
                    true => is_element.then_some(Op::Place(expr)),
                };
                self.tasks.extend(op.map(T::Emit));
                self.address_parts(expr);
            }
            ExprKind::Member(base, _) => {
                if !self.unit.is_named(expr) && !self.is_address(expr) {
                    self.tasks.push(T::Emit(Op::Eval(expr)));
                }
                self.tasks.push(T::Place(base));
            }
            ExprKind::Unary(
                UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec,
                target,
            ) => self.plan([T::Place(target), T::Emit(Op::Eval(expr))]),
            ExprKind::Unary(_, inner) | ExprKind::VaArg(inner) => {
                self.plan([T::Value(inner), T::Emit(Op::Eval(expr))]);
            }
            ExprKind::Cast(inner) => {
                let is_void = self.unit.exprs[expr].ty == Ty::VOID;
                self.tasks.extend((!is_void).then_some(T::Emit(Op::Eval(expr))));
                self.tasks.push(T::Value(inner));
            }
            ExprKind::Binary(BinaryOp::Comma, left, right) => self.plan([T::Value(left), T::Value(right)]),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
                let (yes, no, join) = (self.fresh(), self.fresh(), self.fresh());
                self.plan([
                    T::Branch(expr, yes, no),
                    T::At(yes),
                    T::EmitTo(Op::Truth(expr, true), join),
                    T::At(no),
                    T::EmitTo(Op::Truth(expr, false), join),
                    T::At(join),
                ]);
            }
            ExprKind::Binary(_, left, right) => {
                self.plan([T::Value(left), T::Value(right), T::Emit(Op::Eval(expr))]);
            }
            ExprKind::Assign(target, value) | ExprKind::CompoundAssign(_, target, value) => {
                self.plan([T::Place(target), T::Value(value), T::Emit(Op::Eval(expr))]);
            }
            ExprKind::Conditional(cond, then, other) => self.conditional(expr, cond, then, other),
            ExprKind::Call(callee, list) => {
                let unit = self.unit;
                if self
                    .called(callee)
                    .is_some_and(|entity| unit.name(unit.entities[entity].name) == "__builtin_constant_p")
                {
                    return;
                }
                self.tasks.push(T::Call(expr));
                self.tasks.extend(unit.args(list).iter().rev().map(|&argument| T::Value(argument)));
                self.tasks.push(T::Value(callee));
            }
            ExprKind::CompoundLiteral(init) => {
                let mut parts = Vec::new();
                self.unit.init_exprs(init, &mut parts);
                self.tasks.push(T::Emit(Op::Eval(expr)));
                self.tasks.extend(parts.into_iter().rev().map(T::Value));
            }
            ExprKind::Statement(block) => self.tasks.push(T::Stmt(block)),
        }
    }

    /// Plans the evaluation of what the address of a place is made of.
    fn address_parts(&mut self, expr: ExprId) {
        match self.unit.exprs[expr].kind {
            ExprKind::Unary(UnaryOp::Deref, pointer) | ExprKind::Arrow(pointer, _) => {
                self.tasks.push(Task::Value(pointer));
            }
            ExprKind::Index(array, index) => self.plan([Task::Value(array), Task::Value(index)]),
            _ => {}
        }
    }

    pub(super) fn place(&mut self, expr: ExprId) {
        match self.unit.exprs[expr].kind {
            ExprKind::Paren(inner) | ExprKind::Chosen(inner) | ExprKind::Unary(UnaryOp::Extension, inner) => {
                self.tasks.push(Task::Place(inner));
            }
            ExprKind::Member(base, _) => self.tasks.push(Task::Place(base)),
            ExprKind::Unary(UnaryOp::Deref, _) | ExprKind::Arrow(..) => self.address_parts(expr),
            ExprKind::Index(..) => {
                self.tasks.push(Task::Emit(Op::Place(expr)));
                self.address_parts(expr);
            }
            _ => self.tasks.push(Task::Value(expr)),
        }
    }

    fn conditional(&mut self, expr: ExprId, cond: ExprId, then: Option<ExprId>, other: ExprId) {
        use Task as T;
        let (yes, no, join) = (self.fresh(), self.fresh(), self.fresh());
        self.plan([T::At(no), T::Value(other), T::EmitTo(Op::Choose(expr, other), join), T::At(join)]);
        match then {
            Some(then) => self.plan([
                T::Branch(cond, yes, no),
                T::At(yes),
                T::Value(then),
                T::EmitTo(Op::Choose(expr, then), join),
            ]),
            // The condition is the value too, and is evaluated once.
            None => self.plan([
                T::Value(cond),
                T::Test(cond, yes, no),
                T::At(yes),
                T::EmitTo(Op::Choose(expr, cond), join),
            ]),
        }
    }

    pub(super) fn branch(&mut self, expr: ExprId, yes: LocId, no: LocId) {
        use Task as T;
        let expr = self.unit.peeled(expr);
        match self.unit.exprs[expr].kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.tasks.push(T::Branch(inner, no, yes)),
            ExprKind::Binary(BinaryOp::And, left, right) => {
                let middle = self.fresh();
                self.plan([T::Branch(left, middle, no), T::At(middle), T::Branch(right, yes, no)]);
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                let middle = self.fresh();
                self.plan([T::Branch(left, yes, middle), T::At(middle), T::Branch(right, yes, no)]);
            }
            ExprKind::Binary(BinaryOp::Comma, left, right) => {
                self.plan([T::Value(left), T::Branch(right, yes, no)]);
            }
            // A comparison is what is assumed, not a value that is assumed to be true.
            ExprKind::Binary(op, left, right) if op.is_comparison() => {
                self.plan([T::Value(left), T::Value(right), T::Test(expr, yes, no)]);
            }
            _ => self.plan([T::Value(expr), T::Test(expr, yes, no)]),
        }
    }

    /// Two edges, or one if the condition is constant.
    pub(super) fn test(&mut self, expr: ExprId, yes: LocId, no: LocId) {
        use crate::ast::Value;
        let known = match self.unit.value(expr) {
            Some(Value::Int(value)) => Some(value != 0),
            Some(Value::Float(value)) => Some(value != 0.0),
            _ => None,
        };
        if known != Some(false) {
            self.edge(Op::Assume(expr, true), yes);
        }
        if known != Some(true) {
            self.edge(Op::Assume(expr, false), no);
        }
        self.cut();
    }

    /// The function that is called by its name.
    fn called(&self, callee: ExprId) -> Option<EntityId> {
        let mut callee = self.unit.peeled(callee);
        while let ExprKind::Unary(UnaryOp::Deref | UnaryOp::AddressOf, inner) = self.unit.exprs[callee].kind {
            callee = self.unit.peeled(inner);
        }
        match self.unit.exprs[callee].kind {
            ExprKind::Name(entity) => {
                matches!(self.unit.entities[entity].kind, EntityKind::Function(_)).then_some(entity)
            }
            _ => None,
        }
    }

    pub(super) fn call(&mut self, expr: ExprId) {
        let ExprKind::Call(callee, _) = self.unit.exprs[expr].kind else { return };
        let edge = self.emit(Op::Call(expr));
        let Some(entity) = self.called(callee) else { return };
        let entity = &self.unit.entities[entity];
        let name = self.unit.name(entity.name);
        if matches!(name.trim_start_matches('_'), "setjmp" | "sigsetjmp" | "longjmp" | "siglongjmp") {
            self.unsupported.push(("jumps between functions", self.unit.exprs[expr].span));
        }
        // A definition in the program decides by itself whether it returns, whatever its name is.
        let is_defined = entity.definition.is_some();
        let kind = match name.strip_prefix("__builtin_").unwrap_or(name) {
            "exit" | "pthread_exit" if !is_defined => ExitKind::Exit(expr),
            "_exit" | "_Exit" | "quick_exit" if !is_defined => ExitKind::QuickExit(expr),
            // Where it is not defined, the error function of older tasks ends the program like `abort`.
            "abort" | "__assert_fail" | "__assert" | "__VERIFIER_error" | "trap" if !is_defined => {
                ExitKind::Abort(expr)
            }
            _ if entity.flags.is_noreturn => ExitKind::NoReturn(expr),
            _ => return,
        };
        self.exits.push(Exit { edge, kind });
        self.cut();
    }
}
