//! Declarators: pointers, arrays and functions around a name, read inside out.

use super::{Attrs, P, Parser};
use crate::ast::{Entity, EntityFlags, EntityId, EntityKind, ExprId};
use crate::token::{T, Token};
use crate::types::{ArrayLen, Signature, Ty, TypeKind};
use base::intern::SymbolId;
use diag::{Span, codes};

/// A parameter of a function declarator.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) name: Option<SymbolId>,
    pub(crate) ty: Ty,
    pub(crate) span: Span,
    pub(crate) entity: Option<EntityId>,
}

/// A declarator with the type that it makes of its base.
pub(crate) struct Declared {
    pub(crate) name: Option<Token>,
    pub(crate) ty: Ty,
    /// The parameters of the function that is declared, if it is one.
    pub(crate) params: Option<Params>,
    pub(crate) attrs: Attrs,
    pub(crate) span: Span,
}

/// Parameters as they are written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params {
    pub(crate) list: Vec<Param>,
    pub(crate) is_variadic: bool,
    /// `f()` or `f(a, b)`: no types.
    pub(crate) is_old: bool,
}

enum Chunk {
    Pointer(u32),
    Array(ArrayLen),
    Function(Params),
}

impl Parser<'_> {
    /// A declarator; one without a name only if `is_abstract`.
    pub(crate) fn declarator(&mut self, base: Ty, is_abstract: bool) -> P<Declared> {
        let start = self.span();
        let mut chunks = Vec::new();
        let mut attrs = Attrs::default();
        let name = self.chunks(&mut chunks, &mut attrs, is_abstract)?;
        let (ty, params) = self.apply(base, chunks);
        let span = if self.last_span().end >= start.start { self.since(start) } else { start.before() };
        Ok(Declared { name, ty, params, attrs, span })
    }

    /// The parts of a declarator, those nearest to the name first.
    fn chunks(&mut self, chunks: &mut Vec<Chunk>, attrs: &mut Attrs, is_abstract: bool) -> P<Option<Token>> {
        let mut pointers = Vec::new();
        loop {
            match self.kind() {
                T::Star => {
                    self.next();
                    pointers.push(self.qualifiers(attrs)?);
                }
                T::Attribute => self.attributes(attrs)?,
                T::Caret => return Err(self.unexpected("a declarator")),
                _ => break,
            }
        }
        let name = match self.kind() {
            // Specifiers have taken their typedef, so a name here is declared, even if it is a typedef outside.
            T::Ident => Some(self.next()),
            T::LParen if !is_abstract || !self.is_parameter_list() => {
                self.next();
                let name = self.nested(|p| p.chunks(chunks, attrs, is_abstract))?;
                self.expect(T::RParen)?;
                name
            }
            _ if is_abstract => None,
            _ => return Err(self.unexpected("a name")),
        };
        loop {
            match self.kind() {
                T::LBracket => chunks.push(self.array_part()?),
                T::LParen => chunks.push(Chunk::Function(self.nested(|p| p.parameters())?)),
                _ => break,
            }
        }
        // The pointer next to the name is the last one written.
        chunks.extend(pointers.into_iter().rev().map(Chunk::Pointer));
        Ok(name)
    }

    /// True when a parenthesis opens parameters, not a declarator inside.
    fn is_parameter_list(&self) -> bool {
        matches!(self.ahead(1), T::RParen | T::Ellipsis)
            || (self.ahead(1) != T::Attribute
                && (self.starts_type(1) || super::specs::is_storage_word(self.ahead(1))))
    }

    fn array_part(&mut self) -> P<Chunk> {
        self.next();
        let mut is_static = self.accept(T::Static);
        // Qualifiers of a parameter that is a pointer; they do not change its type outside of the function.
        self.qualifiers(&mut Attrs::default())?;
        is_static |= self.accept(T::Static);
        if self.accept(T::RBracket) {
            return Ok(Chunk::Array(ArrayLen::Unknown));
        }
        if !is_static && self.kind() == T::Star && self.ahead(1) == T::RBracket {
            self.next();
            self.next();
            return Ok(Chunk::Array(ArrayLen::Star));
        }
        let size = self.nested(|p| p.assignment())?;
        self.expect(T::RBracket)?;
        Ok(Chunk::Array(self.array_len(size)))
    }

    fn array_len(&mut self, size: ExprId) -> ArrayLen {
        let span = self.unit.exprs[size].span;
        let ty = self.value_type(size);
        if self.unit.types.is_error(ty) {
            return ArrayLen::Known(1);
        }
        if self.unit.types.int_kind(ty).is_none() {
            self.error(
                codes::C006,
                span,
                format!("the size of an array is an integer, not {}", self.shown(ty)),
            );
            return ArrayLen::Known(1);
        }
        match self.unit.int_value(size) {
            Some(value) => match u64::try_from(value) {
                Ok(value) => ArrayLen::Known(value),
                Err(_) => {
                    self.error(codes::C009, span, format!("an array cannot have {value} elements"));
                    ArrayLen::Known(1)
                }
            },
            None => ArrayLen::Variable(size),
        }
    }

    /// Parameters in parentheses.
    fn parameters(&mut self) -> P<Params> {
        self.next();
        let mut params = Params::default();
        if self.accept(T::RParen) {
            params.is_old = true;
            return Ok(params);
        }
        if self.kind() == T::Void && self.ahead(1) == T::RParen {
            self.next();
            self.next();
            return Ok(params);
        }
        if self.kind() == T::Ident && self.typedef(self.token()).is_none() {
            return self.old_parameters(params);
        }
        self.scopes.enter();
        let result = self.parameter_types(&mut params);
        self.scopes.leave();
        result?;
        // `(void)` through a typedef.
        if let [Param { ty, name: None, .. }] = params.list[..]
            && ty.bare() == Ty::VOID
        {
            params.list.clear();
        }
        Ok(params)
    }

    /// Names only, whose declarations follow the declarator.
    fn old_parameters(&mut self, mut params: Params) -> P<Params> {
        params.is_old = true;
        loop {
            let token = self.expect(T::Ident)?;
            params.list.push(Param { name: Some(token.name), ty: Ty::INT, span: token.span, entity: None });
            if !self.accept(T::Comma) {
                break;
            }
        }
        self.expect(T::RParen)?;
        Ok(params)
    }

    fn parameter_types(&mut self, params: &mut Params) -> P<()> {
        loop {
            if self.accept(T::Ellipsis) {
                params.is_variadic = true;
                break;
            }
            let specs = self.specifiers()?;
            let base = self.attributed(specs.ty, &specs.attrs);
            let declared = match self.kind() {
                T::Comma | T::RParen => {
                    Declared { name: None, ty: base, params: None, attrs: Attrs::default(), span: specs.span }
                }
                _ => {
                    let mut declared = self.declarator(base, true)?;
                    self.trailing(&mut declared.attrs)?;
                    declared
                }
            };
            let ty = self.attributed(declared.ty, &declared.attrs);
            let ty = self.adjusted(ty);
            let span = declared.name.map_or(declared.span, |name| name.span);
            let name = declared.name.map(|token| token.name);
            let entity = name.map(|name| self.bind_parameter(name, ty, span));
            params.list.push(Param { name, ty, span, entity });
            if !self.accept(T::Comma) {
                break;
            }
        }
        self.expect(T::RParen)?;
        Ok(())
    }

    /// Declares a parameter in the innermost scope.
    pub(crate) fn bind_parameter(&mut self, name: SymbolId, ty: Ty, span: Span) -> EntityId {
        let entity = self.unit.entities.push(Entity {
            name,
            kind: EntityKind::Parameter,
            ty,
            span,
            flags: EntityFlags::default(),
            definition: None,
            initialised: None,
            scope: self.functions.last().map(|context| context.function),
        });
        self.scopes.ordinary.set(name, entity);
        entity
    }

    /// The type of a parameter: arrays and functions are pointers.
    pub(crate) fn adjusted(&mut self, ty: Ty) -> Ty {
        match self.unit.types.kind(ty) {
            TypeKind::Array(of, _) => self.unit.types.pointer(of),
            TypeKind::Function(_) => self.unit.types.pointer(ty),
            _ => ty,
        }
    }

    /// The type that the parts of a declarator make of its base.
    fn apply(&mut self, base: Ty, chunks: Vec<Chunk>) -> (Ty, Option<Params>) {
        let mut ty = base;
        let mut params = None;
        for chunk in chunks.into_iter().rev() {
            params = None;
            ty = match chunk {
                Chunk::Pointer(quals) => self.unit.types.pointer(ty).with(quals),
                Chunk::Array(len) => self.array_of(ty, len),
                Chunk::Function(list) => {
                    let signature = Signature {
                        result: ty,
                        params: if list.is_old {
                            Vec::new()
                        } else {
                            list.list.iter().map(|param| param.ty).collect()
                        },
                        is_variadic: list.is_variadic,
                        is_old: list.is_old,
                    };
                    if matches!(self.unit.types.kind(ty), TypeKind::Function(_) | TypeKind::Array(..)) {
                        let span = self.last_span();
                        let message = format!("a function cannot return {}", self.shown(ty));
                        self.error(codes::C006, span, message);
                    }
                    params = Some(list);
                    self.unit.types.function(signature)
                }
            };
        }
        (ty, params)
    }

    fn array_of(&mut self, of: Ty, len: ArrayLen) -> Ty {
        let kind = self.unit.types.kind(of);
        let is_bad = matches!(kind, TypeKind::Function(_) | TypeKind::Void);
        if is_bad || (matches!(kind, TypeKind::Array(..)) && !self.unit.types.is_complete(of)) {
            let span = self.last_span();
            self.error(codes::C006, span, format!("an array cannot have elements of {}", self.shown(of)));
            return self.unit.types.array(Ty::ERROR, len);
        }
        self.unit.types.array(of, len)
    }
}
