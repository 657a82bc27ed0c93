//! Primary expressions: names, literals, and the forms that look like calls but take types.

use super::{P, Parser};
use crate::ast::{ExprId, ExprKind, StringLiteral, Value};
use crate::literal::{self, Number, Prefix};
use crate::token::T;
use crate::types::{ArrayLen, CONST, Ty, TypeKind};
use diag::{Span, codes};

impl Parser<'_> {
    pub(crate) fn primary(&mut self) -> P<ExprId> {
        let token = self.token();
        match token.kind {
            T::Ident => {
                self.next();
                Ok(self.name(token))
            }
            T::Number => {
                self.next();
                Ok(self.number(token.span))
            }
            T::Char => {
                self.next();
                Ok(self.character(token.span))
            }
            T::Str => Ok(self.string()),
            T::FuncName => {
                self.next();
                Ok(self.function_name(token.span))
            }
            T::AmpAmp => {
                self.next();
                let name = self.expect(T::Ident)?;
                let label = self.label_used(name);
                let ty = self.unit.types.pointer(Ty::VOID);
                let span = token.span.to(name.span);
                Ok(self.make(ExprKind::LabelAddress(label), ty, span, None))
            }
            T::Generic => self.nested(|p| p.generic()),
            T::BuiltinChoose => self.nested(|p| p.choose()),
            T::BuiltinOffsetof => self.nested(|p| p.offsetof()),
            T::BuiltinTypesCompatible => self.nested(|p| p.types_compatible()),
            T::BuiltinVaArg => self.nested(|p| p.va_arg()),
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn number(&mut self, span: Span) -> ExprId {
        let model = self.unit.types.model;
        let (ty, value) = match literal::number(self.slice(span), model) {
            Ok(Number::Int(kind, value)) => (Ty::int(kind), Some(value)),
            Ok(Number::Float(kind, value)) => (Ty::float(kind), Some(value)),
            Ok(Number::Imaginary(kind)) => (self.unit.types.make(TypeKind::Complex(kind)), None),
            Ok(Number::ImaginaryInt(kind)) => (self.unit.types.make(TypeKind::ComplexInt(kind)), None),
            Err(message) => {
                self.error(codes::C001, span, message);
                (Ty::ERROR, None)
            }
        };
        self.make(ExprKind::Constant, ty, span, value)
    }

    fn character(&mut self, span: Span) -> ExprId {
        let model = self.unit.types.model;
        let (ty, value) = match literal::character(self.slice(span), model) {
            Ok((kind, value)) => (Ty::int(kind), Some(Value::Int(value))),
            Err(message) => {
                self.error(codes::C001, span, message);
                (Ty::ERROR, None)
            }
        };
        self.make(ExprKind::Constant, ty, span, value)
    }

    /// Neighbouring string literals are one; a wide one makes all wide.
    pub(crate) fn string(&mut self) -> ExprId {
        let first = self.at;
        while self.kind() == T::Str {
            self.next();
        }
        let spans: Vec<Span> = self.unit.tokens[first..self.at].iter().map(|token| token.span).collect();
        let mut prefix = Prefix::None;
        for &span in &spans {
            let (own, _) = literal::unquote(self.slice(span));
            prefix = if own == Prefix::None { prefix } else { own };
        }
        let mut units = Vec::new();
        for &span in &spans {
            let (_, body) = literal::unquote(self.slice(span));
            if let Err(message) = literal::units(body, prefix, &mut units) {
                self.error(codes::C001, span, message);
            }
        }
        let span = spans.first().map_or_else(|| self.span(), |&first| self.since(first));
        let element = Ty::int(prefix.kind(self.unit.types.model));
        let ty = self.unit.types.array(element, ArrayLen::Known(units.len() as u64 + 1));
        self.unit.strings.push(StringLiteral { units });
        self.make(ExprKind::String(self.unit.strings.len() as u32 - 1), ty, span, None)
    }

    fn function_name(&mut self, span: Span) -> ExprId {
        let length = self.functions.last().map_or(0, |context| {
            let entity = self.unit.functions[context.function].entity;
            self.name_text(self.unit.entities[entity].name).len()
        });
        let ty = self.unit.types.array(Ty::CHAR.with(CONST), ArrayLen::Known(length as u64 + 1));
        self.make(ExprKind::FunctionName, ty, span, None)
    }

    /// `_Generic(e, T: a, default: b)`
    fn generic(&mut self) -> P<ExprId> {
        let start = self.next().span;
        self.expect(T::LParen)?;
        let control = self.assignment()?;
        let wanted = self.value_type(control);
        let (mut chosen, mut default) = (None, None);
        while self.accept(T::Comma) {
            let ty = if self.accept(T::Default) { None } else { Some(self.type_name()?) };
            self.expect(T::Colon)?;
            let expr = self.assignment()?;
            match ty {
                None => default = Some(expr),
                Some(ty) if chosen.is_none() && self.unit.types.compatible(ty, wanted) => chosen = Some(expr),
                Some(_) => {}
            }
        }
        self.expect(T::RParen)?;
        let span = self.since(start);
        match chosen.or(default) {
            Some(expr) => Ok(self.wrap(ExprKind::Chosen(expr), expr, span)),
            None => {
                let message = format!("no case for {}", self.shown(wanted));
                self.error(codes::C006, span, message);
                Ok(self.erroneous(span))
            }
        }
    }

    fn choose(&mut self) -> P<ExprId> {
        let start = self.next().span;
        self.expect(T::LParen)?;
        let condition = self.assignment()?;
        self.expect(T::Comma)?;
        let yes = self.assignment()?;
        self.expect(T::Comma)?;
        let no = self.assignment()?;
        self.expect(T::RParen)?;
        let span = self.since(start);
        let Some(value) = self.require_int(condition) else { return Ok(self.erroneous(span)) };
        let expr = if value != 0 { yes } else { no };
        Ok(self.wrap(ExprKind::Chosen(expr), expr, span))
    }

    fn types_compatible(&mut self) -> P<ExprId> {
        let start = self.next().span;
        self.expect(T::LParen)?;
        let a = self.type_name()?;
        self.expect(T::Comma)?;
        let b = self.type_name()?;
        self.expect(T::RParen)?;
        let span = self.since(start);
        let (a, b) = (self.unit.types.unaligned(a).bare(), self.unit.types.unaligned(b).bare());
        let value = Value::Int(i128::from(self.unit.types.compatible(a, b)));
        Ok(self.make(ExprKind::TypesCompatible, Ty::INT, span, Some(value)))
    }

    fn va_arg(&mut self) -> P<ExprId> {
        let start = self.next().span;
        self.expect(T::LParen)?;
        let list = self.assignment()?;
        self.expect(T::Comma)?;
        let ty = self.type_name()?;
        self.expect(T::RParen)?;
        let span = self.since(start);
        Ok(self.make(ExprKind::VaArg(list), ty, span, None))
    }

    /// `__builtin_offsetof(T, a.b[i])`
    fn offsetof(&mut self) -> P<ExprId> {
        let start = self.next().span;
        self.expect(T::LParen)?;
        let ty = self.type_name()?;
        self.expect(T::Comma)?;
        let mut at = ty;
        let mut offset: Option<i128> = Some(0);
        let mut is_first = true;
        loop {
            let token = self.token();
            if is_first || self.accept(T::Dot) {
                let name = self.expect(T::Ident)?;
                let Some(path) = self.field_path(at, name) else { break };
                for field in path {
                    let field = &self.unit.types.fields[field];
                    at = field.ty;
                    offset = offset.map(|offset| offset + i128::from(field.offset / 8));
                }
            } else if self.accept(T::LBracket) {
                let index = self.expression()?;
                self.expect(T::RBracket)?;
                let TypeKind::Array(of, _) = self.unit.types.kind(at) else {
                    let message = format!("{} is no array", self.shown(at));
                    self.error(codes::C006, token.span, message);
                    break;
                };
                let size = self.unit.types.layout(of).map(|layout| i128::from(layout.size));
                let index = self.unit.int_value(index);
                offset = offset.zip(size).zip(index).and_then(|((o, s), i)| o.checked_add(s.checked_mul(i)?));
                at = of;
            } else {
                break;
            }
            is_first = false;
        }
        self.expect(T::RParen)?;
        let span = self.since(start);
        let kind = self.unit.types.model.size_kind();
        Ok(self.make(ExprKind::Offsetof(ty), Ty::int(kind), span, offset.map(Value::Int)))
    }

    /// `(T){…}`; the position is at the brace.
    pub(crate) fn compound_literal(&mut self, ty: Ty, start: Span) -> P<ExprId> {
        let (init, ty) = self.nested(|p| p.initialiser(ty))?;
        let span = self.since(start);
        Ok(self.make(ExprKind::CompoundLiteral(init), ty, span, None))
    }

    /// `({ … })`; the position is at the brace.
    pub(crate) fn statement_expression(&mut self, start: Span) -> P<ExprId> {
        if self.functions.is_empty() {
            self.error(codes::C002, start, "a statement expression outside of a function");
        }
        let block = self.block()?;
        self.expect(T::RParen)?;
        let span = self.since(start);
        let last = match self.unit.stmts[block].kind {
            crate::ast::StmtKind::Block(list) => self.unit.block(list).last().copied(),
            _ => None,
        };
        let ty = last.map_or(Ty::VOID, |last| self.statement_value(last));
        Ok(self.make(ExprKind::Statement(block), ty, span, None))
    }

    /// The type of a statement expression that ends with a statement.
    fn statement_value(&mut self, mut stmt: crate::ast::StmtId) -> Ty {
        use crate::ast::StmtKind;
        while let StmtKind::Label(_, inner) = self.unit.stmts[stmt].kind {
            stmt = inner;
        }
        match self.unit.stmts[stmt].kind {
            StmtKind::Expr(expr) => self.value_type(expr),
            _ => Ty::VOID,
        }
    }

    /// An expression in parentheses.
    pub(crate) fn paren(&mut self, inner: ExprId, span: Span) -> ExprId {
        self.wrap(ExprKind::Paren(inner), inner, span)
    }

    /// An expression that is another one, written differently.
    pub(crate) fn wrap(&mut self, kind: ExprKind, inner: ExprId, span: Span) -> ExprId {
        let crate::ast::Expr { ty, value, .. } = self.unit.exprs[inner];
        self.unit.exprs.push(crate::ast::Expr { kind, ty, span, value })
    }

    /// True for `0` and `(void *)0`.
    pub(crate) fn is_null(&self, expr: ExprId) -> bool {
        if self.unit.int_value(expr) != Some(0) {
            return false;
        }
        let peeled = self.unit.peeled(expr);
        let Some(pointee) = self.unit.types.pointee(self.unit.exprs[peeled].ty) else {
            return self.unit.types.int_kind(self.unit.exprs[peeled].ty).is_some();
        };
        // Only a cast of an integer makes a pointer a null pointer constant.
        let ExprKind::Cast(inner) = self.unit.exprs[peeled].kind else { return false };
        let inner = self.unit.exprs[inner].ty;
        pointee == Ty::VOID && self.unit.types.int_kind(inner).is_some()
    }
}
