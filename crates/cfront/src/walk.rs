//! Walks over expressions: what an expression is made of.

use crate::ast::{ExprId, ExprKind, InitId, InitKind, Unit};

impl Unit {
    /// Appends the operands of an expression in the order in which they are written. Statement expressions have none:
    /// what is inside is statements.
    pub fn operands(&self, expr: ExprId, out: &mut Vec<ExprId>) {
        match self.exprs[expr].kind {
            ExprKind::Error
            | ExprKind::Constant
            | ExprKind::String(_)
            | ExprKind::Name(_)
            | ExprKind::FunctionName
            | ExprKind::SizeofType(_)
            | ExprKind::Alignof
            | ExprKind::Offsetof(_)
            | ExprKind::TypesCompatible
            | ExprKind::Statement(_)
            | ExprKind::LabelAddress(_) => {}
            ExprKind::Paren(inner)
            | ExprKind::Unary(_, inner)
            | ExprKind::Member(inner, _)
            | ExprKind::Arrow(inner, _)
            | ExprKind::Cast(inner)
            | ExprKind::SizeofExpr(inner)
            | ExprKind::Chosen(inner)
            | ExprKind::VaArg(inner) => out.push(inner),
            ExprKind::Binary(_, left, right)
            | ExprKind::Assign(left, right)
            | ExprKind::CompoundAssign(_, left, right)
            | ExprKind::Index(left, right) => out.extend([left, right]),
            ExprKind::Conditional(condition, then, other) => {
                out.push(condition);
                out.extend(then);
                out.push(other);
            }
            ExprKind::Call(callee, list) => {
                out.push(callee);
                out.extend(self.args(list));
            }
            ExprKind::CompoundLiteral(init) => self.init_exprs(init, out),
        }
    }

    /// Appends the expressions of an initialiser, those in braces included.
    pub fn init_exprs(&self, init: InitId, out: &mut Vec<ExprId>) {
        // Braces are nested to a limited depth, items are not limited in number.
        let mut todo = vec![init];
        while let Some(init) = todo.pop() {
            match self.inits[init].kind {
                InitKind::Expr(expr) => out.push(expr),
                InitKind::Braces(list) => todo.extend(self.items_of(list).iter().rev().map(|item| item.init)),
            }
        }
    }

    /// An expression and everything that it is made of.
    #[must_use]
    pub fn parts(&self, root: ExprId) -> Vec<ExprId> {
        let mut all = vec![root];
        let mut next = 0;
        while next < all.len() {
            let expr = all[next];
            next += 1;
            self.operands(expr, &mut all);
        }
        all
    }
}
