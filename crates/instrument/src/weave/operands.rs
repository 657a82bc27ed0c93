//! Operations that speak of variables in scope and stand between operands with effects and their operator.
//!
//! With one operand, the operation stands behind it: `-f()` becomes `-({ T r = f(); operation r; })`. C leaves the order of several
//! operands open, so they become statements in the order of the automaton: `f() + g()` becomes `({ a = (f()); b = (g()); operation
//! a + b; })`, and a call likewise.

use super::sort::Sorted;
use super::{Said, Weaver};
use crate::plan::{Insertion, Piece};
use cfront::ast::{BinaryOp, ExprId, ExprKind, FunctionId, UnaryOp};
use cfront::types::Ty;
use diag::Span;
use std::collections::btree_map::Entry;

/// An operator whose operands are evaluated by statements before it.
pub(super) struct Operands {
    names: Vec<String>,
    texts: Vec<Said>,
}

const EFFECTS: &str = "an operand has effects, and it speaks of variables in scope";

impl Weaver<'_> {
    /// Puts an operation between the operands of an expression and its operator.
    pub(super) fn behind_operands(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        insertion: &Insertion,
        sorted: &mut Sorted<'_>,
    ) -> Result<(), &'static str> {
        use UnaryOp as U;
        let only = match self.unit.exprs[expr].kind {
            ExprKind::Unary(U::Neg | U::Plus | U::BitNot | U::Not | U::Deref, inner)
            | ExprKind::Cast(inner)
            | ExprKind::Arrow(inner, _) => Some(inner),
            ExprKind::Index(array, index) if self.context.is_pure(array) => Some(index),
            _ => None,
        };
        if let Some(only) = only {
            let text = self.text_after(function, only, insertion, Some(only), sorted)?;
            sorted.in_place.entry(only).or_default().after.push((text, Some(insertion.from)));
            return Ok(());
        }
        let operands = self.several(expr).ok_or(EFFECTS)?;
        if let Entry::Vacant(entry) = sorted.operands.entry(expr) {
            let mut names = Vec::new();
            for (_, ty) in &operands {
                let name = self.scratch(function, *ty);
                names.push(name.ok_or("the type of a value has no name outside of the function")?);
            }
            entry.insert(Operands { names, texts: Vec::new() });
        }
        let Some(found) = sorted.operands.get_mut(&expr) else { return Err(EFFECTS) };
        let mut text = String::new();
        for piece in &insertion.text {
            match piece {
                Piece::Text(more) => text.push_str(more),
                Piece::Result => return Err("it has no value yet"),
                &Piece::Capture(capture) => {
                    let capture = self.unit.peeled(capture);
                    let is_it = |(operand, _): &(ExprId, Ty)| self.unit.peeled(*operand) == capture;
                    let index = operands.iter().position(is_it).ok_or(EFFECTS)?;
                    text.push_str(&found.names[index]);
                }
            }
        }
        found.texts.push((text, Some(insertion.from)));
        Ok(())
    }

    /// The operands that can be evaluated by statements, with the types of their values.
    fn several(&mut self, expr: ExprId) -> Option<Vec<(ExprId, Ty)>> {
        match self.unit.exprs[expr].kind {
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Comma, ..) => None,
            ExprKind::Binary(_, left, right) => {
                Some([left, right].map(|operand| (operand, self.unit.promoted(operand))).to_vec())
            }
            ExprKind::Call(callee, list) if self.context.is_pure(callee) => {
                let args = self.unit.args(list).to_vec();
                let types = self.arg_types(callee, &args)?;
                Some(args.into_iter().zip(types).collect())
            }
            _ => None,
        }
    }

    /// Writes the statements; inside of what stands around the expression, so this comes between.
    pub(super) fn say_operands(&mut self, sorted: &Sorted<'_>) {
        for (&expr, found) in &sorted.operands {
            if let Some(site) = sorted.sites.get(&expr)
                && let Some(&insertion) = site.before.iter().chain(&site.after).next()
            {
                self.refuse(self.unit.exprs[expr].span, insertion, EFFECTS);
                continue;
            }
            self.operator_behind(expr, found);
        }
    }

    fn operator_behind(&mut self, expr: ExprId, found: &Operands) -> Option<()> {
        let span = self.expr_span(expr);
        let from = found.texts.iter().find_map(|(_, from)| *from);
        let texts: String = found.texts.iter().map(|(text, _)| format!("{text} ")).collect();
        let names = &found.names;
        let next = |name: &str| format!("); {name} = (");
        match self.unit.exprs[expr].kind {
            ExprKind::Binary(_, left, _) => {
                let operator = self.token_from(self.expr_span(left).end)?.span;
                let sign = self.tokens_text(operator)?;
                self.edits.open(span, format!("({{ {} = (", names[0]), from);
                self.edits.replace(operator, next(&names[1]), from);
                self.edits.close(span, format!("); {texts}{} {sign} {}; }})", names[0], names[1]), from);
            }
            ExprKind::Call(callee, list) => {
                let args = self.unit.args(list).to_vec();
                let name = match self.unit.exprs[self.unit.peeled(callee)].kind {
                    ExprKind::Name(entity) => self.renamed(self.unit.name(self.unit.entities[entity].name)),
                    _ => self.tokens_text(self.expr_span(callee))?,
                };
                let open = self.token_from(self.expr_span(callee).end)?.span;
                self.edits.replace(Span::new(span.start, open.end), format!("({{ {} = (", names[0]), from);
                for (arg, name) in args.iter().zip(&names[1..]) {
                    let comma = self.token_from(self.expr_span(*arg).end)?.span;
                    self.edits.replace(comma, next(name), from);
                }
                let close = self.token_before(span.end)?.span;
                self.edits.replace(close, format!("); {texts}{name}({}); }})", names.join(", ")), from);
            }
            _ => {}
        }
        Some(())
    }
}
