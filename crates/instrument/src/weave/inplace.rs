//! Operations that speak of variables in scope and belong inside an expression: they stand there, as a statement expression.
//!
//! `e` becomes `({ operation e; })` if the operation comes before it, and `({ T r = e; operation r; })` if it comes after it; a
//! condition `c` with something on one of its ways becomes `(c ? ({ operation 1; }) : ({ 0; }))`. What an operation after an
//! expression captures has been evaluated by then, and may have changed since: it is kept in a variable of the function.

use super::context::is_pure_node;
use super::sort::Sorted;
use super::{Said, Weaver};
use crate::plan::{Insertion, Piece, When};
use cfront::ast::{ExprId, ExprKind, FunctionId, UnaryOp};
use cfront::types::{Ty, TypeKind};

/// The name of an expression's value behind it.
const RESULT: &str = "__svarog_r";

/// Operations at an expression.
#[derive(Default)]
pub(super) struct InPlace {
    pub(super) before: Vec<Said>,
    pub(super) after: Vec<Said>,
    yes: Vec<Said>,
    no: Vec<Said>,
}

impl Weaver<'_> {
    /// Puts an operation at an expression, in place.
    pub(super) fn in_place(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        when: When,
        insertion: &Insertion,
        sorted: &mut Sorted<'_>,
    ) -> Result<(), &'static str> {
        if self.must_stay(expr) {
            return Ok(());
        }
        // Before something is assigned its value is known.
        if let (When::Before, ExprKind::Assign(_, value)) = (when, self.unit.exprs[expr].kind) {
            let text = self.text_after(function, value, insertion, Some(value), sorted)?;
            sorted.in_place.entry(value).or_default().after.push((text, Some(insertion.from)));
            return Ok(());
        }
        if when == When::After {
            let text = self.text_after(function, expr, insertion, None, sorted)?;
            sorted.in_place.entry(expr).or_default().after.push((text, Some(insertion.from)));
            return Ok(());
        }
        let is_first = |&part: &ExprId| part == expr || is_pure_node(self.unit, part);
        if !self.unit.parts(expr).iter().all(is_first) {
            return self.behind_operands(function, expr, insertion, sorted);
        }
        let text = self.plain_text(insertion, None).ok_or("what it captures has effects")?;
        // An element may be a place, which a statement expression is none of; its index is a value.
        let at = match self.unit.exprs[expr].kind {
            ExprKind::Index(array, index) => {
                let ty = self.unit.value_type(array);
                if self.unit.types.pointee(ty).is_some() { index } else { array }
            }
            _ => expr,
        };
        sorted.in_place.entry(at).or_default().before.push((text, Some(insertion.from)));
        Ok(())
    }

    /// Puts an operation on a way of a condition, in place.
    pub(super) fn in_condition(
        &mut self,
        expr: ExprId,
        truth: bool,
        insertion: &Insertion,
        sorted: &mut Sorted<'_>,
    ) -> Result<(), &'static str> {
        let text = self.plain_text(insertion, None).ok_or("what it captures has effects")?;
        let place = sorted.in_place.entry(expr).or_default();
        if truth { &mut place.yes } else { &mut place.no }.push((text, Some(insertion.from)));
        Ok(())
    }

    /// An operation's text after an expression. `own` is a capture that is the expression's value.
    pub(super) fn text_after(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        insertion: &Insertion,
        own: Option<ExprId>,
        sorted: &mut Sorted<'_>,
    ) -> Result<String, &'static str> {
        let ty = self.passed_type(expr);
        let has_value = self.unit.types.kind(ty) != TypeKind::Void;
        if has_value && self.types.declaration(self.unit, ty, RESULT).is_none() {
            return Err("the type of a value has no name outside of the function");
        }
        let own = own.map(|own| self.unit.peeled(own));
        let mut out = String::new();
        for piece in &insertion.text {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Result if has_value => out.push_str(RESULT),
                Piece::Result => return Err("it has no value"),
                &Piece::Capture(capture) if own == Some(self.unit.peeled(capture)) => out.push_str(RESULT),
                &Piece::Capture(capture) => out.push_str(&self.kept(function, expr, capture, sorted)?),
            }
        }
        Ok(out)
    }

    /// How the value of something that was captured is written after an expression of which it is a part.
    pub(super) fn kept(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        capture: ExprId,
        sorted: &mut Sorted<'_>,
    ) -> Result<String, &'static str> {
        let capture = self.unit.peeled(capture);
        let written = match self.unit.exprs[expr].kind {
            ExprKind::Assign(target, _) | ExprKind::CompoundAssign(_, target, _) => Some(target),
            ExprKind::Unary(
                UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec,
                target,
            ) => Some(target),
            _ => None,
        };
        // What is written has its new value, and a constant has no other; neither need, or can, be kept.
        let is_written = written.is_some_and(|target| self.unit.peeled(target) == capture);
        if is_written || self.unit.value(capture).is_some() {
            if !self.context.is_pure(capture) {
                return Err("what it captures has effects");
            }
            let text = self.tokens_text(self.expr_span(capture)).ok_or("what it captures has no text")?;
            return Ok(format!("({text})"));
        }
        // A name of a function is a value that does not change.
        if let ExprKind::Name(entity) = self.unit.exprs[capture].kind
            && self.unit.types.callee(self.unit.entities[entity].ty).is_some()
        {
            return Ok(self.unit.name(self.unit.entities[entity].name).to_owned());
        }
        if let Some(name) = sorted.kept.get(&capture) {
            return Ok(name.clone());
        }
        let ty = self.passed_type(capture);
        let name =
            self.scratch(function, ty).ok_or("the type of a value has no name outside of the function")?;
        sorted.kept.insert(capture, name.clone());
        Ok(name)
    }

    pub(super) fn begin_in_place(&mut self, sorted: &Sorted<'_>) {
        for (&expr, name) in &sorted.kept {
            let span = self.expr_span(expr);
            // An index may be two expressions with a comma between.
            self.edits.open(span, format!("({name} = ("), None);
        }
        for (&expr, place) in &sorted.in_place {
            let span = self.expr_span(expr);
            let from = from_of(place);
            if !place.yes.is_empty() || !place.no.is_empty() {
                self.edits.open(span, "((".into(), from);
            }
            if !place.before.is_empty() || !place.after.is_empty() {
                self.edits.open(span, "({ ".into(), from);
            }
            for (text, from) in &place.before {
                self.edits.open(span, format!("{text} "), *from);
            }
            if !place.after.is_empty() {
                let ty = self.passed_type(expr);
                let result = self.result_of(ty);
                self.edits.open(span, result.map_or_else(String::new, |text| format!("{text} = ")), from);
            }
        }
    }

    pub(super) fn end_in_place(&mut self, sorted: &Sorted<'_>) {
        for (&expr, place) in &sorted.in_place {
            let span = self.expr_span(expr);
            let from = from_of(place);
            if !place.before.is_empty() || !place.after.is_empty() {
                self.edits.close(span, ";".into(), from);
            }
            for (text, from) in &place.after {
                self.edits.close(span, format!(" {text}"), *from);
            }
            if !place.after.is_empty() {
                let ty = self.passed_type(expr);
                let has_value = self.result_of(ty).is_some();
                self.edits.close(span, if has_value { format!(" {RESULT};") } else { String::new() }, from);
            }
            if !place.before.is_empty() || !place.after.is_empty() {
                self.edits.close(span, " })".into(), from);
            }
            if !place.yes.is_empty() || !place.no.is_empty() {
                let words =
                    |said: &[Said]| said.iter().map(|(text, _)| format!("{text} ")).collect::<String>();
                let (yes, no) = (words(&place.yes), words(&place.no));
                self.edits.close(span, format!(") ? ({{ {yes}1; }}) : ({{ {no}0; }}))"), from);
            }
        }
        for &expr in sorted.kept.keys() {
            let span = self.expr_span(expr);
            self.edits.close(span, "))".into(), None);
        }
    }

    /// The declaration of a value's name, if there is a value.
    fn result_of(&self, ty: Ty) -> Option<String> {
        if self.unit.types.kind(ty) == TypeKind::Void {
            return None;
        }
        self.types.declaration(self.unit, ty, RESULT)
    }
}

fn from_of(place: &InPlace) -> Option<diag::Span> {
    let all = [&place.before, &place.after, &place.yes, &place.no];
    all.into_iter().flatten().find_map(|(_, from)| *from)
}
