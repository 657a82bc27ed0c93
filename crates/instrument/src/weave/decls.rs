//! Operations beside declarations.

use super::Weaver;
use super::context::Parent;
use super::sort::Sorted;
use crate::plan::{Insertion, When};
use cfront::ast::{DeclId, EntityKind, ExprId, FunctionId, InitKind, StmtKind, Storage};
use cfront::types::TypeKind;

impl Weaver<'_> {
    /// Beside a declaration: before or after the whole statement, if the others in it have no effect; or else at the initialiser,
    /// or at the next one. `is_value` says that it is about the value that the variable gets.
    pub(super) fn beside_decl(
        &mut self,
        function: FunctionId,
        (decl, is_value): (DeclId, bool),
        when: When,
        insertion: &Insertion,
        sorted: &mut Sorted<'_>,
    ) -> Result<(), &'static str> {
        let stmt = self.context.decl_stmt[decl].ok_or("it is not in a function")?;
        let StmtKind::Decl(list) = self.unit.stmts[stmt].kind else { return Err("it is no statement") };
        let outer = match self.context.stmt_parent[stmt] {
            Parent::Block(_) => None,
            Parent::ForInit(outer) => Some(outer),
            _ => return Err("the declaration is a part of another statement"),
        };
        let decls = self.unit.decl_list(list);
        let at = decls.iter().position(|&other| other == decl).unwrap_or(0);
        let between = match when {
            When::Before => &decls[..=at],
            When::After => &decls[at + 1..],
        };
        let acting = between.iter().copied().find(|&other| !self.is_pure_decl(other));
        let value = self.init_value(decl);
        let (text, at) = match (when, value, acting) {
            (When::Before, Some(value), Some(_)) if is_value && self.is_scalar(decl) => {
                let text = self.text_after(function, value, insertion, Some(value), sorted)?;
                sorted.in_place.entry(value).or_default().after.push((text, Some(insertion.from)));
                return Ok(());
            }
            (When::Before, _, None) => (self.plain_text(insertion, None), None),
            (When::After, Some(value), _) => {
                (Some(self.text_behind(function, value, insertion, sorted)?), acting)
            }
            (When::After, None, _) => (self.plain_text(insertion, None), acting),
            (When::Before, _, Some(_)) => return Err("something else in the declaration has effects"),
        };
        let said = (text.ok_or("what it captures has effects")?, Some(insertion.from));
        match (at, when, outer) {
            // What has effects comes later, so that the operation can stand before it.
            (Some(next), ..) => {
                let value = self.init_value(next).filter(|_| self.is_scalar(next));
                let value = value.ok_or("something else in the declaration has effects")?;
                sorted.in_place.entry(value).or_default().before.push(said);
            }
            (None, When::Before, outer) => sorted.stmt(outer.unwrap_or(stmt)).before.push(said),
            (None, When::After, Some(outer)) => sorted.stmt(outer).init.push(said),
            (None, When::After, None) => sorted.stmt(stmt).after.push(said),
        }
        Ok(())
    }

    /// True when a declaration does nothing but begin the life of a variable, with a value or without.
    fn is_pure_decl(&self, decl: DeclId) -> bool {
        let mut exprs = Vec::new();
        if let Some(init) = self.unit.decls[decl].init {
            self.unit.init_exprs(init, &mut exprs);
        }
        exprs.iter().all(|&expr| self.context.is_pure(expr))
    }

    /// The expression that a variable is initialised with.
    fn init_value(&self, decl: DeclId) -> Option<ExprId> {
        match self.unit.inits[self.unit.decls[decl].init?].kind {
            InitKind::Expr(value) => Some(value),
            InitKind::Braces(_) => None,
        }
    }

    /// True when any expression can be the initialiser of a variable: it is no array, and none that lasts.
    fn is_scalar(&self, decl: DeclId) -> bool {
        let Some(entity) = self.unit.decls[decl].entity else { return false };
        let entity = &self.unit.entities[entity];
        entity.kind == EntityKind::Variable(Storage::Automatic)
            && !matches!(self.unit.types.kind(entity.ty), TypeKind::Array(..))
    }
}
