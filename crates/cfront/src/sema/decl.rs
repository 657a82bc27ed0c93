//! Declarations: linkage, redeclarations, completion.

use crate::ast::{Entity, EntityFlags, EntityId, EntityKind, Storage};
use crate::parse::{Attrs, Parser, Specs};
use crate::token::{T, Token};
use crate::types::{ArrayLen, Ty, TypeKind};
use diag::{Diagnostic, codes};

impl Parser<'_> {
    /// Declares a name. What has linkage is one entity however often it is declared.
    pub(crate) fn declare(
        &mut self,
        specs: &Specs,
        attrs: &Attrs,
        name: Token,
        ty: Ty,
        is_definition: bool,
    ) -> EntityId {
        let is_function = self.unit.types.is_function(ty);
        let is_local = self.scopes.ordinary.depth() > 0;
        let storage = match specs.storage {
            Some(T::Static) => Storage::Static,
            Some(T::Extern) => Storage::External,
            _ if is_function || !is_local => Storage::External,
            _ => Storage::Automatic,
        };
        let kind = match specs.storage {
            Some(T::Typedef) => EntityKind::Typedef,
            _ if is_function => EntityKind::Function(storage),
            _ => EntityKind::Variable(storage),
        };
        let is_linked = kind != EntityKind::Typedef
            && (!is_local || specs.storage == Some(T::Extern) || (is_function && !is_definition));
        let flags = EntityFlags {
            is_noreturn: specs.attrs.is_noreturn || attrs.is_noreturn,
            cleanup: attrs.cleanup.or(specs.attrs.cleanup),
            is_constructor: specs.attrs.is_constructor || attrs.is_constructor,
            is_destructor: specs.attrs.is_destructor || attrs.is_destructor,
            is_thread_local: specs.is_thread,
            ..Default::default()
        };
        let here = self.scopes.ordinary.get_here(name.name);
        let old = here.or_else(|| if is_linked { self.linked.get(&name.name).copied() } else { None });
        if let Some(old) = old
            && let Some(entity) = self.redeclare(old, kind, ty, name, flags)
        {
            if here.is_none() {
                self.scopes.ordinary.set(name.name, entity);
            }
            return entity;
        }
        let entity = self.unit.entities.push(Entity {
            name: name.name,
            kind,
            ty,
            span: name.span,
            flags,
            definition: None,
            initialised: None,
            scope: self.functions.last().map(|context| context.function),
        });
        self.scopes.ordinary.set(name.name, entity);
        if is_linked {
            self.linked.insert(name.name, entity);
        }
        entity
    }

    /// Another declaration of a name in the same scope; none if it takes the name for something new.
    fn redeclare(
        &mut self,
        old: EntityId,
        kind: EntityKind,
        ty: Ty,
        name: Token,
        flags: EntityFlags,
    ) -> Option<EntityId> {
        let before = &self.unit.entities[old];
        let (old_ty, old_span) = (before.ty, before.span);
        let was_guessed =
            before.flags.is_implicit || before.flags.is_builtin || self.unit.types.is_error(old_ty);
        let is_same_kind = match (before.kind, kind) {
            (EntityKind::Typedef, EntityKind::Typedef) => true,
            (EntityKind::Function(_), EntityKind::Function(_)) => true,
            (EntityKind::Variable(a), EntityKind::Variable(b)) => {
                a != Storage::Automatic && b != Storage::Automatic
            }
            _ => false,
        };
        if was_guessed {
            // The call that declared it guessed; from now on it is known.
            let entity = &mut self.unit.entities[old];
            entity.kind = kind;
            entity.ty = ty;
            entity.flags = flags;
            entity.span = name.span;
            return Some(old);
        }
        // Bodies of functions that are declared elsewhere may differ in what is not said there.
        let is_compatible = is_same_kind && self.compatible_declarations(old_ty, ty);
        if !is_compatible {
            let text = self.name_text(name.name);
            let message = if is_same_kind {
                format!("`{text}` was declared with the type {}, now {}", self.shown(old_ty), self.shown(ty))
            } else {
                format!("a second declaration of `{text}`")
            };
            let finding = Diagnostic::new(codes::C008, name.span, message);
            self.report(finding.note_at(old_span, "the first one is here"));
            return None;
        }
        let composite = self.unit.types.composite(old_ty, ty);
        let entity = &mut self.unit.entities[old];
        entity.ty = composite;
        entity.flags.is_noreturn |= flags.is_noreturn;
        entity.flags.is_constructor |= flags.is_constructor;
        entity.flags.is_destructor |= flags.is_destructor;
        Some(old)
    }

    fn compatible_declarations(&mut self, a: Ty, b: Ty) -> bool {
        let (a, b) = (self.unit.types.unaligned(a), self.unit.types.unaligned(b));
        self.unit.types.compatible(a, b)
    }

    /// An initialiser tells the size of an array.
    pub(crate) fn complete_by_init(&mut self, entity: EntityId, ty: Ty) {
        let declared = self.unit.entities[entity].ty;
        if let TypeKind::Array(_, ArrayLen::Unknown) = self.unit.types.kind(declared) {
            self.unit.entities[entity].ty = ty;
        }
    }

    /// A variable that is not outside of functions needs a type with a size now.
    pub(crate) fn check_complete(&mut self, entity: EntityId, specs: &Specs) {
        let Entity { ty, kind, span, .. } = self.unit.entities[entity];
        let EntityKind::Variable(_) = kind else { return };
        let is_later = self.scopes.ordinary.depth() == 0 || specs.storage == Some(T::Extern);
        let is_void = ty.bare() == Ty::VOID && specs.storage != Some(T::Extern);
        if is_void || (!is_later && !self.unit.types.is_complete(ty)) {
            let message = format!("a variable of the incomplete type {}", self.shown(ty));
            self.error(codes::C011, span, message);
            self.unit.entities[entity].ty = Ty::ERROR;
        }
    }

    /// At the end, variables outside of functions that are only declared are defined: `int a[];` has one element.
    pub(crate) fn tentative(&mut self) {
        let ids: Vec<EntityId> = self.unit.entities.ids().collect();
        for id in ids {
            let Entity { ty, kind, span, scope, .. } = self.unit.entities[id];
            if !matches!(kind, EntityKind::Variable(Storage::Static)) || scope.is_some() {
                continue;
            }
            if let TypeKind::Array(of, ArrayLen::Unknown) = self.unit.types.kind(ty) {
                let one = self.unit.types.array(of, ArrayLen::Known(1));
                self.unit.entities[id].ty = one;
            } else if !self.unit.types.is_complete(ty) && !self.unit.types.is_error(ty) {
                let message = format!("a variable of the incomplete type {}", self.shown(ty));
                self.error(codes::C011, span, message);
            }
        }
    }
}
