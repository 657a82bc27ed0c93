//! Sizes, alignments and the layout of records, as GNU C has them on x86.

use super::{ArrayLen, Field, FieldId, RecordId, Ty, TypeKind, Types};
use crate::model::{DataModel, Layout};
use base::intern::SymbolId;
use diag::Span;

/// A member as it is declared.
#[derive(Clone, Debug)]
pub struct FieldSpec {
    /// The name, if it has one.
    pub name: Option<SymbolId>,
    /// The type.
    pub ty: Ty,
    /// Bits, for bit-fields.
    pub width: Option<u32>,
    /// An alignment that is asked for; zero otherwise.
    pub align: u32,
    /// True when attributes take its padding away.
    pub is_packed: bool,
    /// Where it is declared.
    pub span: Span,
}

/// What attributes and pragmas say about a whole record.
#[derive(Clone, Copy, Default, Debug)]
pub struct Packing {
    /// `__attribute__((packed))`
    pub is_packed: bool,
    /// `__attribute__((aligned(n)))`; zero otherwise.
    pub align: u32,
    /// `#pragma pack(n)`; zero otherwise.
    pub limit: u32,
}

fn round_up(value: u64, to: u64) -> u64 {
    value.div_ceil(to.max(1)).saturating_mul(to.max(1))
}

impl Types {
    /// The size of a type and its alignment as a member; none for what is incomplete or variable.
    #[must_use]
    pub fn layout(&self, ty: Ty) -> Option<Layout> {
        let word = self.model.word();
        let mut count: u64 = 1;
        let mut ty = ty;
        let mut align = 0;
        let layout = loop {
            if align == 0 {
                align = self.nodes[ty.index()].align;
            }
            break match self.kind(ty) {
                TypeKind::Error => return None,
                TypeKind::Void | TypeKind::Function(_) => Layout { size: 1, align: 1 },
                TypeKind::Int(kind) => self.model.int_layout(kind),
                TypeKind::Float(kind) => self.model.float_layout(kind),
                TypeKind::Complex(kind) => {
                    let part = self.model.float_layout(kind);
                    Layout { size: part.size * 2, ..part }
                }
                TypeKind::ComplexInt(kind) => {
                    let part = self.model.int_layout(kind);
                    Layout { size: part.size * 2, ..part }
                }
                TypeKind::VaList => Layout { size: if word == 8 { 24 } else { 4 }, align: word as u32 },
                TypeKind::Pointer(_) => Layout { size: word, align: word as u32 },
                TypeKind::Array(of, ArrayLen::Known(len)) => {
                    count = count.saturating_mul(len);
                    ty = of;
                    continue;
                }
                TypeKind::Array(..) => return None,
                TypeKind::Record(id) if self.records[id].is_complete => self.records[id].layout,
                TypeKind::Record(_) => return None,
                TypeKind::Enum(id) if !self.enums[id].is_complete => return None,
                TypeKind::Enum(id) => self.model.int_layout(self.enums[id].kind),
                TypeKind::Vector(of, len) => {
                    let size = self.layout(of)?.size.saturating_mul(u64::from(len));
                    Layout { size, align: size.next_power_of_two().min(1 << 28) as u32 }
                }
            };
        };
        let align = if align == 0 { layout.align } else { align };
        Some(Layout { size: layout.size.saturating_mul(count), align })
    }

    /// True when the type has a size, even if only execution tells it.
    #[must_use]
    pub fn is_complete(&self, mut ty: Ty) -> bool {
        loop {
            match self.kind(ty) {
                TypeKind::Void | TypeKind::Array(_, ArrayLen::Unknown) => return false,
                TypeKind::Record(id) => return self.records[id].is_complete,
                TypeKind::Enum(id) => return self.enums[id].is_complete,
                TypeKind::Array(of, _) => ty = of,
                _ => return true,
            }
        }
    }

    /// True when the size is known only to an execution.
    #[must_use]
    pub fn is_variable(&self, mut ty: Ty) -> bool {
        loop {
            match self.kind(ty) {
                TypeKind::Array(_, ArrayLen::Variable(_) | ArrayLen::Star) => return true,
                TypeKind::Array(of, _) => ty = of,
                _ => return false,
            }
        }
    }

    /// The alignment that `__alignof__` (not `_Alignof`) has for a type: that of a variable, not of a member.
    #[must_use]
    pub fn preferred_align(&self, ty: Ty) -> Option<u32> {
        let layout = self.layout(ty)?;
        let mut element = ty;
        while let TypeKind::Array(of, _) = self.kind(element) {
            element = of;
        }
        let is_wide = self.model == DataModel::Ilp32
            && self.nodes[element.index()].align == 0
            && self.layout(element)?.size == 8;
        let is_number =
            matches!(self.kind(element), TypeKind::Int(_) | TypeKind::Float(_) | TypeKind::Enum(_));
        Some(if is_wide && is_number { 8 } else { layout.align })
    }

    /// Gives a record its members.
    pub fn complete(&mut self, record: RecordId, specs: Vec<FieldSpec>, packing: Packing) {
        let is_union = self.records[record].is_union;
        let mut place = Placement { bits: 0, size: 0, align: 1, is_union, packing };
        let mut fields = Vec::with_capacity(specs.len());
        for spec in specs {
            let offset = self.place(&mut place, &spec);
            if spec.width.is_some() && spec.name.is_none() {
                continue;
            }
            let FieldSpec { name, ty, width, span, .. } = spec;
            fields.push(self.fields.push(Field { name, ty, width, offset, span, record }));
        }
        let align = place.align.max(packing.align);
        let size = round_up(place.size.div_ceil(8), u64::from(align));
        let record = &mut self.records[record];
        record.fields = fields;
        record.is_complete = true;
        record.layout = Layout { size, align };
    }

    /// The place of a member in bits, after those that were placed.
    fn place(&self, place: &mut Placement, spec: &FieldSpec) -> u64 {
        // A flexible array has no size; what it is made of has an alignment.
        let layout = match self.kind(spec.ty) {
            TypeKind::Array(of, len) if !matches!(len, ArrayLen::Known(_)) => {
                Layout { size: 0, align: self.layout(of).map_or(1, |of| of.align) }
            }
            _ => self.layout(spec.ty).unwrap_or(Layout { size: 0, align: 1 }),
        };
        let is_packed = spec.is_packed || place.packing.is_packed;
        let has_own_align = self.nodes[spec.ty.index()].align != 0;
        let mut align = if is_packed && !has_own_align { 1 } else { layout.align };
        align = align.max(spec.align);
        if place.packing.limit != 0 {
            align = align.min(place.packing.limit);
        }
        match spec.width {
            Some(width) => place.bit_field(width, layout, align, is_packed, spec.name.is_some()),
            None => place.member(layout.size.saturating_mul(8), align),
        }
    }
}

struct Placement {
    bits: u64,
    size: u64,
    align: u32,
    is_union: bool,
    packing: Packing,
}

impl Placement {
    fn put(&mut self, start: u64, bits: u64) -> u64 {
        let end = start.saturating_add(bits);
        self.size = self.size.max(end);
        if !self.is_union {
            self.bits = end;
        }
        start
    }

    fn member(&mut self, bits: u64, align: u32) -> u64 {
        self.align = self.align.max(align);
        let start = round_up(self.bits, u64::from(align) * 8);
        self.put(start, bits)
    }

    /// A bit-field does not cross more units of its type than the type itself would.
    fn bit_field(&mut self, width: u32, unit: Layout, align: u32, is_packed: bool, is_named: bool) -> u64 {
        let align_bits = u64::from(align) * 8;
        if width == 0 {
            let unit_bits = u64::from(unit.align.max(1)) * 8;
            let start = round_up(self.bits, unit_bits);
            return self.put(start, 0);
        }
        if is_named {
            self.align = self.align.max(align);
        }
        let mut start = self.bits;
        let limited = self.packing.limit != 0;
        let spans = (start % align_bits + u64::from(width)).div_ceil(align_bits);
        if !is_packed && !limited && spans > (unit.size * 8).div_ceil(align_bits) {
            start = round_up(start, align_bits);
        }
        self.put(start, u64::from(width))
    }
}

impl Types {
    /// The member of a record by name, looked for in anonymous members too: the path to it.
    #[must_use]
    pub fn find_field(&self, record: RecordId, name: SymbolId) -> Option<Vec<FieldId>> {
        // Records inside records: as many levels as anonymous records are written inside each other.
        let mut todo: Vec<(RecordId, Vec<FieldId>)> = vec![(record, Vec::new())];
        while let Some((record, path)) = todo.pop() {
            let fields = &self.records[record].fields;
            if let Some(&found) = fields.iter().find(|&&id| self.fields[id].name == Some(name)) {
                let mut path = path;
                path.push(found);
                return Some(path);
            }
            for &id in fields.iter().rev() {
                if let (None, TypeKind::Record(inner)) = (self.fields[id].name, self.kind(self.fields[id].ty))
                {
                    let mut path = path.clone();
                    path.push(id);
                    todo.push((inner, path));
                }
            }
        }
        None
    }
}
