//! Places that are read and written at once: `x += e`, `x++` and the like.
//!
//! A variable, or a member of one, is written by its name: `x = f(x, e)`, so that no address is taken that was not taken
//! before and bit-fields and registers work. Any other place is found once, and its address is passed.

use super::Weaver;
use super::expr::PARAMS;
use super::helper::{Kind, code_of, from_of, name_of, stem};
use super::sort::Site;
use cfront::ast::{BinaryOp, ExprId, ExprKind, FunctionId, UnaryOp};
use cfront::types::{ATOMIC, CONST, Ty};

impl Weaver<'_> {
    /// True when a place may be found twice: nothing in it has an effect, and nothing in it can go wrong that is checked.
    fn is_repeatable(&self, expr: ExprId) -> bool {
        self.context.is_pure(expr)
            && self.unit.parts(expr).iter().all(|&part| {
                matches!(
                    self.unit.exprs[part].kind,
                    ExprKind::Name(_)
                        | ExprKind::Member(..)
                        | ExprKind::Arrow(..)
                        | ExprKind::Index(..)
                        | ExprKind::Unary(UnaryOp::Deref, _)
                        | ExprKind::Paren(_)
                        | ExprKind::Constant
                )
            })
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one expression")]
    pub(super) fn update(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        site: &Site<'_>,
        target: ExprId,
        value: Option<ExprId>,
        op: BinaryOp,
        is_post: bool,
    ) {
        let is_field = self.unit.bit_field(target).is_some();
        if self.unit.is_named(target) || is_field && self.is_repeatable(target) {
            self.update_by_name(function, expr, site, target, value, op, is_post);
        } else if is_field {
            self.refuse_type(expr, site);
        } else {
            self.update_by_address(function, expr, site, target, value, op, is_post);
        }
    }

    /// The parameters besides the place, and the operation.
    fn operand(&mut self, value: Option<ExprId>, op: BinaryOp) -> Option<(Vec<String>, Vec<String>, String)> {
        let Some(value) = value else { return Some((vec![], vec![], format!("__x0 {} 1", op.text()))) };
        let ty = self.passed_type(value);
        let (param, text) = (self.param(ty, PARAMS[1])?, self.param(ty, "")?);
        Some((vec![param], vec![text], format!("__x0 {} __x1", op.text())))
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one expression")]
    fn update_by_name(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        site: &Site<'_>,
        target: ExprId,
        value: Option<ExprId>,
        op: BinaryOp,
        is_post: bool,
    ) {
        let ty = self.passed_type(target);
        let mut named = vec![(target, PARAMS[0])];
        named.extend(value.map(|value| (value, PARAMS[1])));
        let from = from_of(&site.before).or(from_of(&site.after));
        let stem = if value.is_none() { if op == BinaryOp::Add { "inc" } else { "dec" } } else { stem(op) };
        let value_ty = value.map_or(Ty::ERROR, |value| self.passed_type(value));
        let computed = match self.unit.operation_type(expr) {
            Some(computed) if site.after.is_empty() => computed,
            _ => ty,
        };
        let kind = (stem, [ty, value_ty, computed]);
        let code = code_of(self.unit, 1, site, &named);
        let known = code.as_ref().and_then(|code| self.helpers.known(&kind, code));
        let name = match known {
            Some(name) => name,
            None => {
                let made = self.update_function(function, expr, site, &named, kind, op);
                let Some(name) = made else { return };
                if let Some(code) = code {
                    self.helpers.remember(kind, code, &name);
                }
                name
            }
        };
        let (span, place) = (self.expr_span(expr), self.expr_span(target));
        let Some(copy) = self.tokens_text(place) else { return self.refuse_type(expr, site) };
        if value.is_some() {
            let Some(token) = self.token_from(place.end) else { return };
            self.edits.replace(token.span, format!("= {name}({copy}, "), from);
            self.edits.close(span, ")".into(), from);
        } else if !is_post {
            let Some(token) = self.token_from(span.start) else { return };
            self.edits.replace(token.span, format!("({copy} = {name}("), from);
            self.edits.close(span, "))".into(), from);
        } else {
            let Some(token) = self.token_from(place.end) else { return };
            if self.context.is_unused(self.unit, expr) {
                self.edits.open(span, format!("({copy} = {name}("), from);
                self.edits.replace(token.span, "))".into(), from);
                return;
            }
            let Some(fresh) = self.scratch(function, ty) else { return self.refuse_type(expr, site) };
            self.edits.open(span, format!("({fresh} = "), from);
            self.edits.replace(token.span, format!(", {copy} = {name}({fresh}), {fresh})"), from);
        }
    }

    /// The function that gives the new value of a place that is written by its name.
    fn update_function(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        site: &Site<'_>,
        named: &[(ExprId, &str)],
        (stem, [ty, _, computed]): Kind,
        op: BinaryOp,
    ) -> Option<String> {
        let body = self.body(expr, site, named, true)?;
        let value = named.get(1).map(|(value, _)| *value);
        let parts = (self.param(ty, PARAMS[0]), self.param(ty, ""), self.operand(value, op));
        let (Some(first), Some(word), Some((more, mut words, operation))) = parts else {
            self.refuse_type(expr, site);
            return None;
        };
        words.insert(0, word);
        let params: Vec<String> = std::iter::once(first).chain(more).collect();
        let header = self.param(computed, &format!("@({})", params.join(", ")));
        let (Some(header), Some(local)) = (header, self.param(computed, "__r")) else {
            self.refuse_type(expr, site);
            return None;
        };
        let define = |name: &str| body.function(&header.replacen('@', name, 1), &local, &operation);
        let from = from_of(&site.before).or(from_of(&site.after));
        Some(self.define(function, &name_of(stem, &words), from, define))
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one expression")]
    fn update_by_address(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        site: &Site<'_>,
        target: ExprId,
        value: Option<ExprId>,
        op: BinaryOp,
        is_post: bool,
    ) {
        let mut named = vec![(target, PARAMS[0])];
        named.extend(value.map(|value| (value, PARAMS[1])));
        let Some(body) = self.body(expr, site, &named, true) else { return };
        let place_ty = self.unit.exprs[target].ty;
        let ty = self.unit.value_type(target);
        let parts = (self.param(place_ty, "*__p"), self.param(ty, ""), self.operand(value, op));
        let (Some(first), Some(word), Some((more, mut words, operation))) = parts else {
            return self.refuse_type(expr, site);
        };
        if place_ty.quals() & CONST != 0 {
            return self.refuse_type(expr, site);
        }
        words.insert(0, word);
        let params: Vec<String> = std::iter::once(first).chain(more).collect();
        let header = self.param(ty, &format!("@({})", params.join(", ")));
        let (Some(header), Some(old), Some(new)) = (header, self.param(ty, "__x0"), self.param(ty, "__r"))
        else {
            return self.refuse_type(expr, site);
        };
        // Others may write an atomic place at the same time: it is changed by the operator itself.
        let write = match (place_ty.quals() & ATOMIC != 0, value) {
            (false, _) => format!("*__p = {operation}"),
            (true, None) => format!("*__p {}= 1", op.text()),
            (true, Some(_)) => format!("*__p {}= __x1", op.text()),
        };
        let define = |name: &str| {
            let header = header.replacen('@', name, 1);
            let start = format!("static {header} {{ {old} = *__p; {}", body.before);
            let result = if is_post { "__x0" } else { "__r" };
            match (body.after.is_empty(), is_post) {
                (true, false) => format!("{start}return {write}; }}"),
                (true, true) => format!("{start}{write}; return __x0; }}"),
                (false, _) => format!("{start}{new} = {write}; {}return {result}; }}", body.after),
            }
        };
        let from = from_of(&site.before).or(from_of(&site.after));
        let stem = match (value, op, is_post) {
            (Some(_), ..) => format!("{}_at", stem(op)),
            (None, BinaryOp::Add, true) => "postinc_at".into(),
            (None, BinaryOp::Add, false) => "inc_at".into(),
            (None, _, true) => "postdec_at".into(),
            (None, _, false) => "dec_at".into(),
        };
        let name = self.define(function, &name_of(&stem, &words), from, define);
        let (span, place) = (self.expr_span(expr), self.expr_span(target));
        let begin = format!("{name}(&(");
        if value.is_some() {
            let Some(token) = self.token_from(place.end) else { return };
            self.edits.open(span, begin, from);
            self.edits.replace(token.span, "), ".into(), from);
            self.edits.close(span, ")".into(), from);
        } else if is_post {
            let Some(token) = self.token_from(place.end) else { return };
            self.edits.open(span, begin, from);
            self.edits.replace(token.span, "))".into(), from);
        } else {
            let Some(token) = self.token_from(span.start) else { return };
            self.edits.replace(token.span, begin, from);
            self.edits.close(span, "))".into(), from);
        }
    }
}
