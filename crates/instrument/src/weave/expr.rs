//! Expressions that are rewritten in place: operands and results go through generated functions.

use super::Weaver;
use super::context::Role;
use super::helper::{Kind, code_of, from_of, name_of, named_text, stem};
use super::sort::Site;
use crate::plan::{Insertion, Piece};
use cfront::ast::{BinaryOp, ExprId, ExprKind, FunctionId, UnaryOp};
use cfront::types::{Ty, TypeKind};
use diag::Span;

/// Statements for a generated function.
pub(super) struct Body {
    pub(super) before: String,
    pub(super) after: String,
}

impl Body {
    /// A function that returns the value of an operation; `local` declares `__r`, which what comes after it may read.
    pub(super) fn function(&self, header: &str, local: &str, operation: &str) -> String {
        let Body { before, after } = self;
        match after.is_empty() {
            true => format!("static {header} {{ {before}return {operation}; }}"),
            false => format!("static {header} {{ {before}{local} = {operation}; {after}return __r; }}"),
        }
    }
}

/// Names of parameters.
pub(super) const PARAMS: [&str; 2] = ["__x0", "__x1"];

const UNNAMED: &str = "the type of a value has no name outside of the function";
const UNKNOWN: &str = "it captures something that is not known here";

impl Weaver<'_> {
    pub(super) fn site(&mut self, function: FunctionId, expr: ExprId, site: &Site<'_>) {
        if self.must_stay(expr) {
            return;
        }
        let is_comparison =
            matches!(self.unit.exprs[expr].kind, ExprKind::Binary(op, ..) if op.is_comparison());
        if !is_comparison && (!site.yes.is_empty() || !site.no.is_empty()) {
            self.test(function, expr, site);
        }
        if is_comparison || !site.before.is_empty() || !site.after.is_empty() {
            self.operation(function, expr, site);
        }
    }

    /// True for what must be constant, although it is an operand that is evaluated.
    pub(super) fn must_stay(&self, expr: ExprId) -> bool {
        if self.unit.value(expr).is_none() {
            return false;
        }
        if matches!(self.context.root(expr), Some((_, _, Role::Asm))) {
            return true;
        }
        let mut at = expr;
        while let Some(parent) = self.context.expr_parent[at] {
            if let ExprKind::Call(callee, _) = self.unit.exprs[parent].kind {
                let callee = self.unit.peeled(callee);
                return matches!(self.unit.exprs[callee].kind, ExprKind::Name(entity)
                    if self.unit.entities[entity].flags.is_builtin);
            }
            if self.unit.value(parent).is_none() {
                return false;
            }
            at = parent;
        }
        false
    }

    fn operation(&mut self, function: FunctionId, expr: ExprId, site: &Site<'_>) {
        use UnaryOp as U;
        match self.unit.exprs[expr].kind {
            ExprKind::Unary(op @ (U::PreInc | U::PreDec | U::PostInc | U::PostDec), target) => {
                let binary = if matches!(op, U::PreInc | U::PostInc) { BinaryOp::Add } else { BinaryOp::Sub };
                let is_post = matches!(op, U::PostInc | U::PostDec);
                self.update(function, expr, site, target, None, binary, is_post);
            }
            ExprKind::CompoundAssign(op, target, value) => {
                self.update(function, expr, site, target, Some(value), op, false);
            }
            ExprKind::Binary(op, left, right)
                if !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Comma) =>
            {
                let text = format!("__x0 {} __x1", op.text());
                self.operator(function, expr, site, &[left, right], stem(op), &text);
            }
            ExprKind::Unary(op @ (U::Neg | U::Plus | U::BitNot | U::Not), inner) => {
                let (stem, sign) = match op {
                    U::Neg => ("neg", "-"),
                    U::Plus => ("plus", "+"),
                    U::BitNot => ("not", "~"),
                    _ => ("lnot", "!"),
                };
                self.operator(function, expr, site, &[inner], stem, &format!("{sign}__x0"));
            }
            ExprKind::Call(callee, list) => {
                let args = self.unit.args(list).to_vec();
                self.call(function, expr, site, callee, &args);
            }
            ExprKind::Index(array, index) => self.index(function, expr, site, array, index),
            ExprKind::Assign(target, value) => {
                self.results(function, expr, site, &[(target, PARAMS[0])]);
                self.wrap(function, value, "value", &site.before, &[(value, PARAMS[0])], None);
            }
            ExprKind::Unary(U::Deref, inner) | ExprKind::Arrow(inner, _) => {
                self.results(function, expr, site, &[]);
                self.wrap(function, inner, "pointer", &site.before, &[(inner, PARAMS[0])], None);
            }
            ExprKind::Cast(inner) => {
                self.results(function, expr, site, &[]);
                self.wrap(function, inner, "operand", &site.before, &[(inner, PARAMS[0])], None);
            }
            _ => {
                self.results(function, expr, site, &[]);
                if let Some(&insertion) = site.before.first() {
                    let span = self.expr_span(expr);
                    self.refuse(span, insertion, "nothing can stand before this kind of expression");
                }
            }
        }
    }

    /// The statements before and after an operator, with names for what they capture.
    pub(super) fn body(
        &mut self,
        expr: ExprId,
        site: &Site<'_>,
        operands: &[(ExprId, &str)],
        old: bool,
    ) -> Option<Body> {
        let mut body = Body { before: String::new(), after: String::new() };
        let mut parts = vec![(&site.before, 0), (&site.after, 1)];
        if !site.yes.is_empty() || !site.no.is_empty() {
            parts.extend([(&site.yes, 2), (&site.no, 3)]);
        }
        for (insertions, part) in parts {
            match part {
                2 => body.after.push_str("if (__r) { "),
                3 => body.after.push_str("} else { "),
                _ => {}
            }
            for insertion in insertions {
                // Operands that are overwritten have their old values before only.
                let known = if part > 0 && old { &[] } else { operands };
                let Some(text) = named_text(self.unit, insertion, known, (part > 0).then_some("__r")) else {
                    let span = self.expr_span(expr);
                    self.refuse(span, insertion, UNKNOWN);
                    return None;
                };
                let into = if part == 0 { &mut body.before } else { &mut body.after };
                into.push_str(&text);
                into.push(' ');
            }
            if part == 3 {
                body.after.push_str("} ");
            }
        }
        Some(body)
    }

    /// Reports that a type has no name, with the first operation of a site.
    pub(super) fn refuse_type(&mut self, expr: ExprId, site: &Site<'_>) {
        let all = [&site.before, &site.after, &site.yes, &site.no];
        if let Some(&insertion) = all.into_iter().flatten().next() {
            let span = self.expr_span(expr);
            self.refuse(span, insertion, UNNAMED);
        }
    }

    /// Defines a generated function before the function that needs it, unless it is there already.
    pub(super) fn define(
        &mut self,
        function: FunctionId,
        stem: &str,
        from: Option<Span>,
        definition: impl Fn(&str) -> String,
    ) -> String {
        let (name, text) = self.helpers.get(stem, definition);
        if let Some(text) = text {
            let span = self.types.outermost(self.unit.functions[function].span);
            self.edits.open(span, format!("{text}\n"), from);
        }
        name
    }

    /// The declaration of a parameter for a value.
    pub(super) fn param(&mut self, ty: Ty, name: &str) -> Option<String> {
        self.types.declaration(self.unit, ty, name)
    }

    /// `a + b` to `f(a, b)`, `-a` to `f(a)`.
    fn operator(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        site: &Site<'_>,
        operands: &[ExprId],
        stem: &'static str,
        operation: &str,
    ) {
        let named: Vec<(ExprId, &str)> = operands.iter().copied().zip(PARAMS).collect();
        let mut types = [Ty::ERROR; 3];
        for (ty, &operand) in types.iter_mut().zip(operands) {
            *ty = self.passed_type(operand);
        }
        types[2] = self.unit.value_type(expr);
        let code = code_of(self.unit, 0, site, &named);
        let known = code.as_ref().and_then(|code| self.helpers.known(&(stem, types), code));
        let from = from_of(&site.before).or(from_of(&site.after));
        let name = match known {
            Some(name) => name,
            None => {
                let Some(name) =
                    self.operator_function(function, expr, site, &named, (stem, types), operation)
                else {
                    return;
                };
                if let Some(code) = code {
                    self.helpers.remember((stem, types), code, &name);
                }
                name
            }
        };
        let span = self.expr_span(expr);
        match operands {
            &[left, right] => {
                let end = self.expr_span(left).end;
                let Some(token) = self.token_from(end) else { return };
                // Arguments have no order, and compilers like the last one first. Operands have none either, but what
                // has an effect on the left comes before the right everywhere.
                let is_ordered = !self.context.is_pure(left) && self.unit.value(right).is_none();
                let ty = self.passed_type(left);
                match is_ordered.then(|| self.scratch(function, ty)).flatten() {
                    Some(fresh) => {
                        self.edits.open(span, format!("({fresh} = "), from);
                        self.edits.replace(token.span, format!(", {name}({fresh}, "), from);
                        self.edits.close(span, "))".into(), from);
                        return;
                    }
                    None => {
                        self.edits.open(span, format!("{name}("), from);
                        self.edits.replace(token.span, ", ".into(), from);
                    }
                }
            }
            _ => {
                let Some(token) = self.token_from(span.start) else { return };
                self.edits.replace(token.span, format!("{name}("), from);
            }
        }
        self.edits.close(span, ")".into(), from);
    }

    /// The function that an operator becomes.
    fn operator_function(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        site: &Site<'_>,
        named: &[(ExprId, &str)],
        (stem, types): Kind,
        operation: &str,
    ) -> Option<String> {
        let body = self.body(expr, site, named, false)?;
        let mut params = Vec::new();
        let mut words = Vec::new();
        for (&(_, name), &ty) in named.iter().zip(&types) {
            let (Some(param), Some(text)) = (self.param(ty, name), self.param(ty, "")) else {
                self.refuse_type(expr, site);
                return None;
            };
            params.push(param);
            words.push(text);
        }
        let list = params.join(", ");
        let (Some(header), Some(local)) =
            (self.param(types[2], &format!("@({list})")), self.param(types[2], "__r"))
        else {
            self.refuse_type(expr, site);
            return None;
        };
        let define = |name: &str| body.function(&header.replacen('@', name, 1), &local, operation);
        let from = from_of(&site.before).or(from_of(&site.after));
        Some(self.define(function, &name_of(stem, &words), from, define))
    }

    /// A condition that is no comparison: its value goes through a function.
    fn test(&mut self, function: FunctionId, expr: ExprId, site: &Site<'_>) {
        let mut branches = String::from("if (__x0) { ");
        for (insertions, end) in [(&site.yes, "} else { "), (&site.no, "} ")] {
            for insertion in insertions {
                match named_text(self.unit, insertion, &[(expr, PARAMS[0])], Some(PARAMS[0])) {
                    Some(text) => {
                        branches.push_str(&text);
                        branches.push(' ');
                    }
                    None => {
                        let span = self.expr_span(expr);
                        return self.refuse(span, insertion, UNKNOWN);
                    }
                }
            }
            branches.push_str(end);
        }
        let from = from_of(&site.yes).or(from_of(&site.no));
        if !self.through(function, expr, "test", &branches, from) {
            self.refuse_type(expr, site);
        }
    }

    /// What comes after an expression: its value goes through a function.
    fn results(&mut self, function: FunctionId, expr: ExprId, site: &Site<'_>, more: &[(ExprId, &str)]) {
        self.wrap(function, expr, "result", &site.after, more, Some(PARAMS[0]));
    }

    /// Lets the value of an expression go through a function with these operations.
    fn wrap(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        stem: &str,
        insertions: &[&Insertion],
        operands: &[(ExprId, &str)],
        result: Option<&str>,
    ) {
        let mut text = String::new();
        for insertion in insertions {
            match named_text(self.unit, insertion, operands, result) {
                Some(more) => {
                    text.push_str(&more);
                    text.push(' ');
                }
                None => {
                    let span = self.expr_span(expr);
                    return self.refuse(span, insertion, UNKNOWN);
                }
            }
        }
        if text.is_empty() {
            return;
        }
        let from = from_of(insertions);
        if !self.through(function, expr, stem, &text, from)
            && let Some(&insertion) = insertions.first()
        {
            let span = self.expr_span(expr);
            self.refuse(span, insertion, UNNAMED);
        }
    }

    /// `e` to `f(e)`, where `f` executes statements and returns its argument. False if there is no way.
    fn through(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        stem: &str,
        statements: &str,
        from: Option<Span>,
    ) -> bool {
        let ty = self.passed_type(expr);
        let span = self.expr_span(expr);
        if let (Some(param), Some(text)) = (self.param(ty, PARAMS[0]), self.param(ty, "")) {
            let Some(header) = self.param(ty, &format!("@({param})")) else { return false };
            let define = |name: &str| {
                let header = header.replacen('@', name, 1);
                format!("static {header} {{ {statements}return __x0; }}")
            };
            let name = self.define(function, &name_of(stem, &[text]), from, define);
            self.edits.open(span, format!("{name}("), from);
            self.edits.close(span, ")".into(), from);
            return true;
        }
        // A pointer to something without a name: the function gets the address only.
        if !matches!(self.unit.types.kind(ty), TypeKind::Pointer(_)) || !self.context.is_pure(expr) {
            return false;
        }
        let Some(copy) = self.tokens_text(span) else { return false };
        let define = |name: &str| format!("static void {name}(const volatile void *__x0) {{ {statements}}}");
        let name = self.define(function, &format!("{stem}_voidp"), from, define);
        self.edits.open(span, format!("({name}({copy}), "), from);
        self.edits.close(span, ")".into(), from);
        true
    }

    /// `a[i]`: checks go to the index.
    fn index(&mut self, function: FunctionId, expr: ExprId, site: &Site<'_>, array: ExprId, index: ExprId) {
        self.results(function, expr, site, &[]);
        let is_pointer = |weaver: &mut Self, e: ExprId| {
            let ty = weaver.passed_type(e);
            matches!(weaver.unit.types.kind(ty), TypeKind::Pointer(_))
        };
        let (array, index) = if is_pointer(self, array) { (array, index) } else { (index, array) };
        let base = self.unit.peeled(array);
        let captures_base = |insertion: &&Insertion| {
            insertion
                .text
                .iter()
                .any(|piece| matches!(piece, Piece::Capture(e) if self.unit.peeled(*e) == base))
        };
        if !site.before.iter().any(captures_base) {
            return self.wrap(function, index, "index", &site.before, &[(index, PARAMS[0])], None);
        }
        let before = Site { before: site.before.clone(), ..Site::default() };
        let named = [(index, PARAMS[0]), (array, PARAMS[1])];
        let Some(body) = self.body(expr, &before, &named, false) else { return };
        let ty = self.unit.value_type(index);
        let array_ty = self.unit.value_type(array);
        let base = self.param(array_ty, PARAMS[1]);
        let base = base.unwrap_or_else(|| format!("const volatile void *{}", PARAMS[1]));
        let copy = self.tokens_text(self.expr_span(array)).filter(|_| self.context.is_pure(array));
        let (Some(param), Some(copy)) = (self.param(ty, PARAMS[0]), copy) else {
            return self.refuse_type(expr, site);
        };
        let Some(header) = self.param(ty, &format!("@({param}, {base})")) else { return };
        let define = |name: &str| {
            let header = header.replacen('@', name, 1);
            format!("static {header} {{ {}return __x0; }}", body.before)
        };
        let from = from_of(&site.before);
        let name = self.define(function, "index_of", from, define);
        let span = self.expr_span(index);
        self.edits.open(span, format!("{name}("), from);
        self.edits.close(span, format!(", {copy})"), from);
    }
}
