//! Declarations and function definitions.

use super::{Attrs, Declared, FunctionContext, P, Param, Parser, Specs};
use crate::ast::{Decl, DeclId, EntityId, Function, FunctionId, Item, Stmt, StmtKind};
use crate::token::T;
use crate::types::Ty;
use base::id::Id;
use diag::{Diagnostic, Span, codes};
use rustc_hash::FxHashMap;

impl Parser<'_> {
    pub(crate) fn translation_unit(&mut self) {
        while self.kind() != T::Eof {
            let before = self.at;
            if self.top().is_err() {
                while self.scopes.ordinary.depth() > 0 {
                    self.scopes.leave();
                }
                self.functions.clear();
                self.pending.clear();
                self.done.clear();
                self.skip_broken();
                if self.at == before || self.kind() == T::RBrace {
                    // A brace that closes nothing.
                    self.next();
                }
            }
        }
        self.tentative();
    }

    fn top(&mut self) -> P<()> {
        let start = self.span();
        match self.kind() {
            T::Semi => {
                self.next();
                return Ok(());
            }
            T::Asm => {
                self.next();
                while matches!(self.kind(), T::Volatile | T::Goto | T::Inline) {
                    self.next();
                }
                self.skip_parens()?;
                self.expect(T::Semi)?;
                let span = self.since(start);
                self.unit.items.push(Item::Asm(span));
                return Ok(());
            }
            _ => {}
        }
        let starts = self.starts_declaration()
            || self.kind() == T::Star
            || (self.kind() == T::Ident && self.ahead(1) == T::LParen);
        // A name that is no type, followed by another one: most likely a type that was not declared.
        if !starts && self.kind() == T::Ident {
            let token = self.token();
            if matches!(self.ahead(1), T::Ident | T::Star) {
                let message = format!("the type `{}` is not declared", self.name_text(token.name));
                self.error(codes::C005, token.span, message);
                return Err(super::Bail);
            }
        } else if !starts {
            return Err(self.unexpected("a declaration"));
        }
        let mut decls = Vec::new();
        let function = self.declaration(&mut decls)?;
        self.unit.items.extend(decls.into_iter().map(Item::Decl));
        self.unit.items.extend(function.map(Item::Function));
        Ok(())
    }

    /// A declaration, or a function definition, which is returned.
    pub(crate) fn declaration(&mut self, decls: &mut Vec<DeclId>) -> P<Option<FunctionId>> {
        while self.kind() == T::Extension && self.ahead(1) == T::StaticAssert {
            self.next();
        }
        if self.kind() == T::StaticAssert {
            self.static_assert()?;
            return Ok(None);
        }
        let specs = self.specifiers()?;
        let base = self.attributed(specs.ty, &specs.attrs);
        if self.accept(T::Semi) {
            let span = specs.span;
            decls.push(self.unit.decls.push(Decl { entity: None, span, specifiers: span, init: None }));
            return Ok(None);
        }
        let mut is_first = true;
        loop {
            let mut declared = self.declarator(base, false)?;
            self.trailing(&mut declared.attrs)?;
            if is_first && self.starts_body(&declared) {
                return self.definition(&specs, declared).map(Some);
            }
            is_first = false;
            decls.push(self.init_declarator(&specs, declared)?);
            if !self.accept(T::Comma) {
                break;
            }
            self.attributes(&mut Attrs::default())?;
        }
        self.expect(T::Semi)?;
        Ok(None)
    }

    /// True when a function's body, or the declarations of its parameters, follow.
    fn starts_body(&self, declared: &Declared) -> bool {
        let Some(params) = &declared.params else { return false };
        match self.kind() {
            T::LBrace => true,
            T::Assign | T::Comma | T::Semi => false,
            _ => params.is_old && !params.list.is_empty() && self.starts_declaration(),
        }
    }

    fn init_declarator(&mut self, specs: &Specs, declared: Declared) -> P<DeclId> {
        let start = declared.span;
        let mut ty = self.attributed(declared.ty, &declared.attrs);
        if specs.is_auto {
            return self.auto_declarator(specs, declared);
        }
        let align = specs.attrs.align.max(declared.attrs.align);
        if specs.storage == Some(T::Typedef) && align != 0 {
            ty = self.unit.types.aligned(ty, align);
        }
        let Some(name) = declared.name else { return Err(self.unexpected("a name")) };
        let has_init = self.kind() == T::Assign;
        let entity = self.declare(specs, &declared.attrs, name, ty, has_init);
        let mut init = None;
        if self.accept(T::Assign) {
            let (id, complete) = self.nested(|p| p.initialiser(ty))?;
            init = Some(id);
            self.complete_by_init(entity, complete);
        }
        self.check_complete(entity, specs);
        let span = self.since(start);
        let decl = self.unit.decls.push(Decl { entity: Some(entity), span, specifiers: specs.span, init });
        if init.is_some() {
            self.unit.entities[entity].initialised = Some(decl);
        }
        Ok(decl)
    }

    /// `__auto_type x = e;`
    fn auto_declarator(&mut self, specs: &Specs, declared: Declared) -> P<DeclId> {
        let Some(name) = declared.name else { return Err(self.unexpected("a name")) };
        self.expect(T::Assign)?;
        let expr = self.assignment()?;
        let ty = self.value_type(expr);
        let span = self.unit.exprs[expr].span;
        let entity = self.declare(specs, &declared.attrs, name, ty.with(specs.ty.quals()), true);
        let init = self.unit.inits.push(crate::ast::Init { kind: crate::ast::InitKind::Expr(expr), span });
        let span = self.since(declared.span);
        let decl = self.unit.decls.push(Decl {
            entity: Some(entity),
            span,
            specifiers: specs.span,
            init: Some(init),
        });
        self.unit.entities[entity].initialised = Some(decl);
        Ok(decl)
    }

    /// `_Static_assert(e, "…");`
    pub(crate) fn static_assert(&mut self) -> P<()> {
        let start = self.next().span;
        self.expect(T::LParen)?;
        let expr = self.conditional()?;
        if self.accept(T::Comma) {
            while self.kind() == T::Str {
                self.next();
            }
        }
        self.expect(T::RParen)?;
        let span = self.since(start);
        if self.require_int(expr) == Some(0) {
            self.error(codes::C009, span, "the assertion is false");
        }
        self.accept(T::Semi);
        Ok(())
    }

    /// A function definition, from the declarations of its parameters on.
    fn definition(&mut self, specs: &Specs, declared: Declared) -> P<FunctionId> {
        let Declared { name: Some(name), params: Some(mut params), .. } = declared else {
            return Err(self.unexpected("a name"));
        };
        let function = FunctionId::from_index(self.unit.functions.len());
        let placeholder = self.unit.stmts.push(Stmt { kind: StmtKind::Error, span: name.span });
        let ty = declared.ty;
        if params.is_old {
            self.scopes.enter();
            let result = self.old_declarations(&mut params.list);
            self.scopes.leave();
            result?;
        }
        let entity = self.declare(specs, &declared.attrs, name, ty, true);
        if self.unit.entities[entity].definition.is_some() {
            let message = format!("a second definition of `{}`", self.name_text(name.name));
            self.error(codes::C008, name.span, message);
        }
        self.unit.entities[entity].definition = Some(function);
        self.check_result(ty, name.span);
        let head = self.since(specs.span);
        self.unit.functions.push(Function {
            entity,
            params: Vec::new(),
            body: placeholder,
            span: head,
            head,
            labels: Vec::new(),
        });
        let result = self.unit.types.callee(ty).map_or(Ty::ERROR, |signature| signature.result);
        self.functions.push(FunctionContext {
            function,
            result,
            labels: Vec::new(),
            named_labels: FxHashMap::default(),
            local_labels: Vec::new(),
            loops: 0,
            switches: Vec::new(),
            breakable: 0,
        });
        self.scopes.enter();
        self.unit.functions[function].params = self.bind_all(&params.list, function);
        let body = self.nested(|p| p.block());
        self.scopes.leave();
        let labels = self.functions.pop().map_or_else(Vec::new, |context| context.labels);
        self.check_labels(&labels);
        let body = body?;
        let span = self.since(specs.span);
        let definition = &mut self.unit.functions[function];
        definition.body = body;
        definition.span = span;
        definition.labels = labels;
        Ok(function)
    }

    fn check_result(&mut self, ty: Ty, span: Span) {
        let Some(result) = self.unit.types.callee(ty).map(|signature| signature.result) else { return };
        if result.bare() != Ty::VOID && !self.unit.types.is_complete(result) {
            let message = format!("the function returns the incomplete type {}", self.shown(result));
            self.error(codes::C011, span, message);
        }
    }

    fn bind_all(&mut self, params: &[Param], function: FunctionId) -> Vec<EntityId> {
        let mut entities = Vec::with_capacity(params.len());
        for param in params {
            let entity = match (param.entity, param.name) {
                (Some(entity), Some(name)) => {
                    self.scopes.ordinary.set(name, entity);
                    entity
                }
                (None, Some(name)) => self.bind_parameter(name, param.ty, param.span),
                _ => continue,
            };
            let ty = self.unit.entities[entity].ty;
            if !self.unit.types.is_complete(ty) {
                let message = format!("a parameter of the incomplete type {}", self.shown(ty));
                self.error(codes::C011, param.span, message);
            }
            self.unit.entities[entity].scope = Some(function);
            entities.push(entity);
        }
        entities
    }

    /// The declarations between an old declarator and the body.
    fn old_declarations(&mut self, params: &mut [Param]) -> P<()> {
        while self.kind() != T::LBrace && self.starts_declaration() {
            let specs = self.specifiers()?;
            let base = self.attributed(specs.ty, &specs.attrs);
            if self.accept(T::Semi) {
                continue;
            }
            loop {
                let mut declared = self.declarator(base, false)?;
                self.trailing(&mut declared.attrs)?;
                let ty = self.attributed(declared.ty, &declared.attrs);
                let ty = self.adjusted(ty);
                let Some(name) = declared.name else { return Err(self.unexpected("a name")) };
                match params.iter_mut().find(|param| param.name == Some(name.name)) {
                    Some(param) => {
                        param.ty = ty;
                        param.span = name.span;
                    }
                    None => {
                        let message = format!("`{}` is no parameter", self.name_text(name.name));
                        self.error(codes::C008, name.span, message);
                    }
                }
                if !self.accept(T::Comma) {
                    break;
                }
            }
            self.expect(T::Semi)?;
        }
        Ok(())
    }

    fn check_labels(&mut self, labels: &[crate::ast::LabelId]) {
        for &label in labels {
            let label = &self.unit.labels[label];
            if label.target.is_none() {
                let message = format!(
                    "the label `{}` is not defined in this function",
                    self.unit.names.text(label.name)
                );
                let span = label.span;
                self.report(Diagnostic::new(codes::C012, span, message));
            }
        }
    }
}
