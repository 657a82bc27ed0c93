//! Structs, unions and enumerations.

use super::{Attrs, P, Parser};
use crate::ast::{Entity, EntityFlags, EntityKind};
use crate::model::Layout;
use crate::scope::Tag;
use crate::token::T;
use crate::types::{EnumId, Enumeration, FieldSpec, IntKind, Packing, Record, RecordId, Ty, TypeKind};
use base::intern::SymbolId;
use diag::{Span, codes};

impl Parser<'_> {
    /// `struct tag { … }`, `struct tag`, and the same with `union`.
    pub(crate) fn record(&mut self) -> P<Ty> {
        let keyword = self.next();
        let is_union = keyword.kind == T::Union;
        let mut attrs = Attrs::default();
        self.attributes(&mut attrs)?;
        let tag = (self.kind() == T::Ident).then(|| self.next());
        let span = tag.map_or(keyword.span, |tag| tag.span);
        let tag = tag.map(|tag| tag.name);
        if self.kind() != T::LBrace {
            let Some(tag) = tag else { return Err(self.unexpected("a tag or `{`")) };
            // `struct tag;` declares a new type in its scope.
            let is_forward = self.kind() == T::Semi;
            let known = if is_forward { self.scopes.tags.get_here(tag) } else { self.scopes.tags.get(tag) };
            let id = match known {
                Some(Tag::Record(id)) if self.unit.types.records[id].is_union == is_union => id,
                Some(_) => {
                    self.wrong_tag(tag, span);
                    self.new_record(None, is_union, span)
                }
                None => self.new_record(Some(tag), is_union, span),
            };
            return Ok(self.unit.types.make(TypeKind::Record(id)));
        }
        let id = match tag.and_then(|tag| self.scopes.tags.get_here(tag)) {
            Some(Tag::Record(id)) if self.unit.types.records[id].is_union == is_union => {
                if self.unit.types.records[id].is_complete {
                    let message = format!("a second definition of `{}`", self.tag_text(tag));
                    self.error(codes::C008, span, message);
                    self.new_record(None, is_union, span)
                } else {
                    id
                }
            }
            Some(_) => {
                tag.into_iter().for_each(|tag| self.wrong_tag(tag, span));
                self.new_record(None, is_union, span)
            }
            None => self.new_record(tag, is_union, span),
        };
        let start = self.next().span;
        let fields = self.members()?;
        self.expect(T::RBrace)?;
        self.attributes(&mut attrs)?;
        let packing =
            Packing { is_packed: attrs.is_packed, align: attrs.align, limit: self.packs.at(start.start) };
        self.unit.types.records[id].is_transparent = attrs.is_transparent;
        self.unit.types.complete(id, fields, packing);
        Ok(self.unit.types.make(TypeKind::Record(id)))
    }

    fn tag_text(&self, tag: Option<SymbolId>) -> String {
        tag.map_or_else(String::new, |tag| self.name_text(tag).to_owned())
    }

    fn wrong_tag(&mut self, tag: SymbolId, span: Span) {
        let message = format!("`{}` is the tag of another kind of type", self.name_text(tag));
        self.error(codes::C008, span, message);
    }

    fn new_record(&mut self, tag: Option<SymbolId>, is_union: bool, span: Span) -> RecordId {
        let id = self.unit.types.records.push(Record {
            tag,
            is_union,
            span,
            fields: Vec::new(),
            is_complete: false,
            layout: Layout { size: 0, align: 1 },
            is_transparent: false,
        });
        if let Some(tag) = tag {
            self.scopes.tags.set(tag, Tag::Record(id));
        }
        id
    }

    fn members(&mut self) -> P<Vec<FieldSpec>> {
        let mut fields = Vec::new();
        while !matches!(self.kind(), T::RBrace | T::Eof) {
            if self.accept(T::Semi) {
                continue;
            }
            if self.kind() == T::StaticAssert {
                self.static_assert()?;
                continue;
            }
            self.member(&mut fields)?;
        }
        let mut names: Vec<(SymbolId, Span)> =
            fields.iter().filter_map(|field: &FieldSpec| Some((field.name?, field.span))).collect();
        names.sort();
        for pair in names.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let message = format!("a second member `{}`", self.name_text(pair[1].0));
            self.error(codes::C008, pair[1].1, message);
        }
        Ok(fields)
    }

    /// One declaration of members.
    fn member(&mut self, fields: &mut Vec<FieldSpec>) -> P<()> {
        let specs = self.specifiers()?;
        let base = self.attributed(specs.ty, &specs.attrs);
        if self.kind() == T::Semi {
            self.next();
            // An anonymous struct or union; anything else without a name declares nothing.
            if let TypeKind::Record(id) = self.unit.types.kind(base)
                && (self.unit.types.records[id].tag.is_none() || !specs.has_tag)
            {
                let (align, is_packed) = (specs.attrs.align, specs.attrs.is_packed);
                fields.push(FieldSpec {
                    name: None,
                    ty: base,
                    width: None,
                    align,
                    is_packed,
                    span: specs.span,
                });
            }
            return Ok(());
        }
        loop {
            let mut attrs = specs.attrs;
            let (name, ty, span) = if self.kind() == T::Colon {
                (None, base, self.span())
            } else {
                let declared = self.declarator(base, false)?;
                let span = declared.name.map_or(declared.span, |name| name.span);
                attrs.is_packed |= declared.attrs.is_packed;
                attrs.align = attrs.align.max(declared.attrs.align);
                (declared.name.map(|token| token.name), declared.ty, span)
            };
            let mut width = None;
            if self.accept(T::Colon) {
                let expr = self.nested(|p| p.conditional())?;
                width = Some(self.bit_width(expr, ty));
            }
            self.attributes(&mut attrs)?;
            let ty = self.attributed(ty, &attrs);
            self.check_member(ty, span);
            let (align, is_packed) = (attrs.align, attrs.is_packed);
            fields.push(FieldSpec { name, ty, width, align, is_packed, span });
            if !self.accept(T::Comma) {
                break;
            }
        }
        self.expect(T::Semi)?;
        Ok(())
    }

    fn check_member(&mut self, ty: Ty, span: Span) {
        let is_flexible = matches!(self.unit.types.kind(ty), TypeKind::Array(..));
        if self.unit.types.is_function(ty) || (!is_flexible && !self.unit.types.is_complete(ty)) {
            let message = format!("a member cannot have the type {}", self.shown(ty));
            self.error(codes::C011, span, message);
        }
    }

    fn bit_width(&mut self, expr: crate::ast::ExprId, ty: Ty) -> u32 {
        let span = self.unit.exprs[expr].span;
        let Some(kind) = self.unit.types.int_kind(ty) else {
            if !self.unit.types.is_error(ty) {
                let message = format!("a bit-field of {}, which is no integer type", self.shown(ty));
                self.error(codes::C006, span, message);
            }
            return 1;
        };
        let bits = if kind == IntKind::Bool { 1 } else { self.unit.types.model.bits(kind) };
        let Some(width) = self.require_int(expr) else { return 1 };
        if width < 0 || width > i128::from(bits) {
            self.error(codes::C009, span, format!("{width} bits of {}", self.shown(ty)));
            return 1;
        }
        width as u32
    }

    /// `enum tag { … }` or `enum tag`.
    pub(crate) fn enumeration(&mut self) -> P<Ty> {
        let keyword = self.next();
        let mut attrs = Attrs::default();
        self.attributes(&mut attrs)?;
        let tag = (self.kind() == T::Ident).then(|| self.next());
        let span = tag.map_or(keyword.span, |tag| tag.span);
        let tag = tag.map(|tag| tag.name);
        let is_definition = self.kind() == T::LBrace;
        if tag.is_none() && !is_definition {
            return Err(self.unexpected("a tag or `{`"));
        }
        let known = tag.and_then(|tag| {
            if is_definition { self.scopes.tags.get_here(tag) } else { self.scopes.tags.get(tag) }
        });
        let id = match known {
            Some(Tag::Enum(id)) if !is_definition || !self.unit.types.enums[id].is_complete => id,
            Some(Tag::Enum(_)) => {
                let message = format!("a second definition of `{}`", self.tag_text(tag));
                self.error(codes::C008, span, message);
                self.new_enum(None, span)
            }
            Some(Tag::Record(_)) => {
                tag.into_iter().for_each(|tag| self.wrong_tag(tag, span));
                self.new_enum(None, span)
            }
            None => self.new_enum(tag, span),
        };
        if is_definition {
            self.next();
            self.enumerators(id, &mut attrs)?;
        }
        Ok(self.unit.types.make(TypeKind::Enum(id)))
    }

    fn new_enum(&mut self, tag: Option<SymbolId>, span: Span) -> EnumId {
        let constants = Vec::new();
        let kind = IntKind::UInt;
        let id = self.unit.types.enums.push(Enumeration { tag, span, kind, is_complete: false, constants });
        if let Some(tag) = tag {
            self.scopes.tags.set(tag, Tag::Enum(id));
        }
        id
    }

    fn enumerators(&mut self, id: EnumId, attrs: &mut Attrs) -> P<()> {
        let mut next: i128 = 0;
        let mut ty = Ty::INT;
        let mut constants = Vec::new();
        while self.kind() != T::RBrace {
            let token = self.expect(T::Ident)?;
            self.attributes(&mut Attrs::default())?;
            if self.accept(T::Assign) {
                let expr = self.nested(|p| p.conditional())?;
                next = self.require_int(expr).unwrap_or(next);
                ty = self.promoted(expr);
            }
            if !self.fits(next, IntKind::Int) {
                ty = if self.unit.types.int_kind(ty).is_some_and(|kind| self.fits(next, kind)) {
                    ty
                } else {
                    Ty::int(self.fitting(next))
                };
            } else {
                ty = Ty::INT;
            }
            if self.scopes.ordinary.get_here(token.name).is_some() {
                let message = format!("a second declaration of `{}`", self.name_text(token.name));
                self.error(codes::C008, token.span, message);
            }
            let entity = self.unit.entities.push(Entity {
                name: token.name,
                kind: EntityKind::Constant(next),
                ty,
                span: token.span,
                flags: EntityFlags::default(),
                definition: None,
                initialised: None,
                scope: self.functions.last().map(|context| context.function),
            });
            self.scopes.ordinary.set(token.name, entity);
            constants.push(entity);
            next = next.wrapping_add(1);
            if !self.accept(T::Comma) {
                break;
            }
        }
        self.expect(T::RBrace)?;
        self.attributes(attrs)?;
        self.finish_enum(id, constants, attrs.is_packed);
        Ok(())
    }

    /// The type of an enumeration holds all its constants; those that are no `int` have it too.
    fn finish_enum(&mut self, id: EnumId, constants: Vec<crate::ast::EntityId>, is_packed: bool) {
        let value = |p: &Self, id| match p.unit.entities[id].kind {
            EntityKind::Constant(value) => value,
            _ => 0,
        };
        let low = constants.iter().map(|&id| value(self, id)).min().unwrap_or(0);
        let high = constants.iter().map(|&id| value(self, id)).max().unwrap_or(0);
        use IntKind as I;
        let narrow: &[IntKind] = if is_packed { &[I::UChar, I::SChar, I::UShort, I::Short] } else { &[] };
        let wide = [I::UInt, I::Int, I::ULong, I::Long, I::ULongLong, I::LongLong, I::UInt128, I::Int128];
        let holds = |kind: &&IntKind| {
            self.fits(low, **kind) && self.fits(high, **kind) && (low < 0) != kind.is_unsigned()
        };
        let kind = narrow.iter().chain(&wide).find(holds).copied().unwrap_or(I::Int128);
        let ty = self.unit.types.make(TypeKind::Enum(id));
        for &constant in &constants {
            if !self.fits(value(self, constant), I::Int) {
                self.unit.entities[constant].ty = ty;
            }
        }
        let enumeration = &mut self.unit.types.enums[id];
        enumeration.kind = kind;
        enumeration.constants = constants;
        enumeration.is_complete = true;
    }

    /// The smallest type from `int` on that holds a value.
    fn fitting(&self, value: i128) -> IntKind {
        use IntKind as I;
        let kinds = [I::Int, I::UInt, I::Long, I::ULong, I::LongLong, I::ULongLong, I::Int128];
        kinds.into_iter().find(|&kind| self.fits(value, kind)).unwrap_or(I::Int128)
    }
}
