//! Variables inside functions that outlast calls, which a driver has to give their first values again.

use super::Weaver;
use cfront::ast::{Entity, EntityKind, Storage, Unit};
use cfront::types::CONST;
use diag::Span;

/// True for a variable of a function that outlasts its calls and may change.
pub(crate) fn is_lasting(unit: &Unit, entity: &Entity) -> bool {
    entity.kind == EntityKind::Variable(Storage::Static)
        && entity.scope.is_some()
        && unit.types.element_quals(entity.ty) & CONST == 0
}

impl Weaver<'_> {
    /// Adds the plan's attribute behind the declarators of such variables.
    pub(super) fn statics(&mut self) {
        let Some(attribute) = self.plan.statics else { return };
        let unit = &*self.unit;
        let is_lasting = |decl: &&cfront::ast::Decl| {
            decl.entity.is_some_and(|entity| is_lasting(unit, &unit.entities[entity]))
        };
        let declarator = |decl: &cfront::ast::Decl| {
            // What is before an initialiser is its `=`.
            let equals = decl.init.and_then(|init| self.token_before(unit.inits[init].span.start));
            let end = equals.map_or(decl.span.end, |equals| equals.span.start);
            Span::new(decl.span.start, self.token_before(end).map_or(end, |last| last.span.end))
        };
        let places: Vec<Span> = unit.decls.iter().filter(is_lasting).map(declarator).collect();
        for place in places {
            self.edits.close(place, format!(" {attribute}"), None);
        }
    }
}
