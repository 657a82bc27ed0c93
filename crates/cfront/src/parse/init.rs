//! Initialisers. Which part of the object an item is for is found while it is read, since braces may be left out.

use super::{P, Parser};
use crate::ast::{ExprId, ExprKind, Init, InitId, InitItem, InitKind, List};
use crate::token::T;
use crate::types::{ArrayLen, FieldId, IntKind, Ty, TypeKind};
use diag::codes;

/// A part of the object whose elements or members are given values.
struct Level {
    ty: Ty,
    /// The next element or member.
    index: u64,
    /// Where the part begins, in bits.
    base: u64,
}

/// An element or member.
#[derive(Clone, Copy)]
struct Part {
    ty: Ty,
    offset: u64,
    field: Option<FieldId>,
}

/// Where in an object the next item belongs: the levels from the object to the part that is being filled.
struct Cursor {
    levels: Vec<Level>,
    /// One more than the largest index that was used in the outermost array.
    len: u64,
    repeat: u64,
}

impl Parser<'_> {
    /// An initialiser of something of a type; the type comes back complete if the initialiser tells its size.
    pub(crate) fn initialiser(&mut self, ty: Ty) -> P<(InitId, Ty)> {
        if self.kind() == T::LBrace {
            return self.braces(ty);
        }
        let expr = self.assignment()?;
        let complete = self.init_expr(ty, expr);
        let span = self.unit.exprs[expr].span;
        Ok((self.unit.inits.push(Init { kind: InitKind::Expr(expr), span }), complete))
    }

    /// Checks an expression that gives a value to a whole object.
    fn init_expr(&mut self, ty: Ty, expr: ExprId) -> Ty {
        let TypeKind::Array(of, len) = self.unit.types.kind(ty) else {
            self.require_assignable(ty, expr);
            return ty;
        };
        let given = self.unit.exprs[expr].ty;
        let TypeKind::Array(_, ArrayLen::Known(count)) = self.unit.types.kind(given) else {
            if !self.unit.types.is_error(given) && !self.unit.types.is_error(ty) {
                let span = self.unit.exprs[expr].span;
                let message = format!("{} is no initialiser of {}", self.shown(given), self.shown(ty));
                self.error(codes::C006, span, message);
            }
            return ty;
        };
        if len == ArrayLen::Unknown { self.unit.types.array(of, ArrayLen::Known(count)) } else { ty }
    }

    /// True when a string can fill an array of this type.
    fn takes_string(&self, ty: Ty, expr: ExprId) -> bool {
        let TypeKind::Array(of, _) = self.unit.types.kind(ty) else { return false };
        let expr = self.unit.peeled(expr);
        let ExprKind::String(_) = self.unit.exprs[expr].kind else { return false };
        let TypeKind::Array(unit, _) = self.unit.types.kind(self.unit.exprs[expr].ty) else { return false };
        let is_char = |kind| matches!(kind, Some(IntKind::Char | IntKind::SChar | IntKind::UChar));
        let (a, b) = (self.unit.types.int_kind(of), self.unit.types.int_kind(unit));
        (is_char(a) && is_char(b)) || (a.is_some() && a == b)
    }

    fn braces(&mut self, ty: Ty) -> P<(InitId, Ty)> {
        let start = self.next().span;
        let mut cursor = Cursor { levels: vec![Level { ty, index: 0, base: 0 }], len: 0, repeat: 1 };
        let mut items = Vec::new();
        let mut complete = ty;
        while self.kind() != T::RBrace {
            let item = self.item(&mut cursor)?;
            // A string in braces fills the whole array.
            if let InitKind::Expr(expr) = self.unit.inits[item.init].kind
                && items.is_empty()
                && self.takes_string(ty, expr)
            {
                complete = self.init_expr(ty, expr);
            }
            items.push(item);
            if !self.accept(T::Comma) {
                break;
            }
        }
        self.expect(T::RBrace)?;
        if let TypeKind::Array(of, ArrayLen::Unknown) = self.unit.types.kind(complete) {
            complete = self.unit.types.array(of, ArrayLen::Known(cursor.len)).with(ty.quals());
        }
        let list = List { start: self.unit.init_items.len() as u32, len: items.len() as u32 };
        self.unit.init_items.extend(items);
        let span = self.since(start);
        Ok((self.unit.inits.push(Init { kind: InitKind::Braces(list), span }), complete))
    }

    fn item(&mut self, cursor: &mut Cursor) -> P<InitItem> {
        cursor.repeat = 1;
        self.designators(cursor)?;
        let part = self.next_part(cursor);
        let excess = Part { ty: Ty::ERROR, offset: 0, field: None };
        if self.kind() == T::LBrace {
            let ty = part.unwrap_or(excess).ty;
            let (init, _) = self.nested(|p| p.braces(ty))?;
            return Ok(self.placed(cursor, init, part));
        }
        let expr = self.nested(|p| p.assignment())?;
        let span = self.unit.exprs[expr].span;
        let init = self.unit.inits.push(Init { kind: InitKind::Expr(expr), span });
        let whole = cursor.levels[0].ty;
        if cursor.levels.len() == 1 && cursor.levels[0].index == 0 && self.takes_string(whole, expr) {
            return Ok(self.placed(cursor, init, Some(Part { ty: whole, offset: 0, field: None })));
        }
        let part = part.and_then(|part| self.descend(cursor, part, expr));
        if let Some(part) = part
            && !matches!(self.unit.types.kind(part.ty), TypeKind::Array(..))
        {
            self.require_assignable(part.ty, expr);
        }
        Ok(self.placed(cursor, init, part))
    }

    /// The item at a part, after which the cursor goes on.
    fn placed(&mut self, cursor: &mut Cursor, init: InitId, part: Option<Part>) -> InitItem {
        let is_excess = part.is_none();
        let Part { ty, offset, field } = part.unwrap_or(Part { ty: Ty::ERROR, offset: 0, field: None });
        let repeat = cursor.repeat;
        if let (false, Some(level)) = (is_excess, cursor.levels.last_mut()) {
            let is_union = matches!(self.unit.types.kind(level.ty), TypeKind::Record(id) if self.unit.types.records[id].is_union);
            level.index = if is_union { u64::MAX } else { level.index.saturating_add(repeat) };
        }
        let outer = &cursor.levels[0];
        let used = if cursor.levels.len() == 1 { outer.index } else { outer.index.saturating_add(1) };
        cursor.len = cursor.len.max(used);
        InitItem { init, ty, offset, field, repeat, is_excess }
    }

    /// The element or member that a level is at.
    fn part(&self, level: &Level) -> Option<Part> {
        let types = &self.unit.types;
        match types.kind(level.ty) {
            TypeKind::Array(of, len) => {
                if let ArrayLen::Known(len) = len
                    && level.index >= len
                {
                    return None;
                }
                let size = types.layout(of).map_or(0, |layout| layout.size.saturating_mul(8));
                let offset = level.base.saturating_add(size.saturating_mul(level.index));
                Some(Part { ty: of.with(level.ty.quals()), offset, field: None })
            }
            TypeKind::Vector(of, len) => {
                let size = types.layout(of).map_or(0, |layout| layout.size * 8);
                let offset = level.base.saturating_add(size.saturating_mul(level.index));
                (level.index < u64::from(len)).then_some(Part { ty: of, offset, field: None })
            }
            TypeKind::Record(id) => {
                let id = *types.records[id].fields.get(usize::try_from(level.index).ok()?)?;
                let field = &types.fields[id];
                let offset = level.base.saturating_add(field.offset);
                Some(Part { ty: field.ty, offset, field: Some(id) })
            }
            _ => (level.index == 0).then_some(Part { ty: level.ty, offset: level.base, field: None }),
        }
    }

    /// The next part that has no value yet, going up where a level is full.
    fn next_part(&self, cursor: &mut Cursor) -> Option<Part> {
        loop {
            if let Some(part) = cursor.levels.last().and_then(|level| self.part(level)) {
                return Some(part);
            }
            if cursor.levels.len() == 1 {
                return None;
            }
            cursor.levels.pop();
            if let Some(level) = cursor.levels.last_mut() {
                let is_union = matches!(self.unit.types.kind(level.ty), TypeKind::Record(id) if self.unit.types.records[id].is_union);
                level.index = if is_union { u64::MAX } else { level.index.saturating_add(1) };
            }
        }
    }

    /// Goes into a part that an expression cannot fill as a whole.
    fn descend(&mut self, cursor: &mut Cursor, mut part: Part, expr: ExprId) -> Option<Part> {
        let given = self.value_type(expr);
        loop {
            match self.unit.types.kind(part.ty) {
                TypeKind::Array(..) if self.takes_string(part.ty, expr) => return Some(part),
                TypeKind::Record(_) if self.unit.types.compatible(part.ty.bare(), given) => {
                    return Some(part);
                }
                TypeKind::Vector(..) if self.unit.types.kind(part.ty) == self.unit.types.kind(given) => {
                    return Some(part);
                }
                TypeKind::Array(..) | TypeKind::Record(_) | TypeKind::Vector(..) => {
                    // Nothing can be inside of what has no parts.
                    let level = Level { ty: part.ty, index: 0, base: part.offset };
                    let Some(inner) = self.part(&level) else {
                        if let Some(level) = cursor.levels.last_mut() {
                            level.index = level.index.saturating_add(1);
                        }
                        part = self.next_part(cursor)?;
                        continue;
                    };
                    cursor.levels.push(level);
                    part = inner;
                }
                _ => return Some(part),
            }
        }
    }

    /// Designators, which move the cursor.
    fn designators(&mut self, cursor: &mut Cursor) -> P<()> {
        let is_old = self.kind() == T::Ident && self.ahead(1) == T::Colon;
        if !is_old && !matches!(self.kind(), T::Dot | T::LBracket) {
            return Ok(());
        }
        cursor.levels.truncate(1);
        let mut is_first = true;
        loop {
            if !is_first && matches!(self.kind(), T::Dot | T::LBracket) {
                let Some(part) = cursor.levels.last().and_then(|level| self.part(level)) else {
                    return Err(self.unexpected("a member or element that there is"));
                };
                cursor.levels.push(Level { ty: part.ty, index: 0, base: part.offset });
            }
            match self.kind() {
                T::Dot => {
                    self.next();
                    self.field_designator(cursor)?;
                }
                T::Ident if is_first => {
                    self.field_designator(cursor)?;
                    self.expect(T::Colon)?;
                    return Ok(());
                }
                T::LBracket => self.index_designator(cursor)?,
                T::Assign => {
                    self.next();
                    return Ok(());
                }
                // GNU C allows `[i] value`.
                _ => return Ok(()),
            }
            is_first = false;
        }
    }

    fn field_designator(&mut self, cursor: &mut Cursor) -> P<()> {
        let name = self.expect(T::Ident)?;
        let Some(ty) = cursor.levels.last().map(|level| level.ty) else { return Ok(()) };
        let Some(path) = self.field_path(ty, name) else { return Err(super::Bail) };
        for (step, field) in path.into_iter().enumerate() {
            if step > 0
                && let Some(part) = cursor.levels.last().and_then(|level| self.part(level))
            {
                cursor.levels.push(Level { ty: part.ty, index: 0, base: part.offset });
            }
            let record = self.unit.types.fields[field].record;
            let fields = &self.unit.types.records[record].fields;
            let index = fields.iter().position(|&other| other == field).unwrap_or(0);
            if let Some(level) = cursor.levels.last_mut() {
                level.index = index as u64;
            }
        }
        Ok(())
    }

    fn index_designator(&mut self, cursor: &mut Cursor) -> P<()> {
        let open = self.next().span;
        let low = self.nested(|p| p.conditional())?;
        let high = if self.accept(T::Ellipsis) { Some(self.nested(|p| p.conditional())?) } else { None };
        self.expect(T::RBracket)?;
        let span = self.since(open);
        let first = self.require_int(low);
        let last = high.map_or(first, |high| self.require_int(high));
        let Some(level) = cursor.levels.last_mut() else { return Ok(()) };
        let len = match self.unit.types.kind(level.ty) {
            TypeKind::Array(_, ArrayLen::Known(len)) => len,
            TypeKind::Array(..) => 1 << 40,
            _ => {
                self.error(codes::C006, span, "an index into what is no array");
                return Ok(());
            }
        };
        let (Some(first), Some(last)) = (first, last) else { return Ok(()) };
        if first < 0 || last < first || last >= i128::from(len) {
            self.error(codes::C009, span, "an index outside of the array");
            return Ok(());
        }
        level.index = first as u64;
        cursor.repeat = (last - first) as u64 + 1;
        Ok(())
    }
}
