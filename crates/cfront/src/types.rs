//! Types: interned, so that equal ids mean equal types, with qualifiers in the id.
//!
//! Types are a graph that input can make as deep as it likes (a typedef of a typedef of a pointer), so nothing here
//! recurses on their depth.

mod compat;
mod layout;
mod print;

pub use layout::{FieldSpec, Packing};

use crate::ast::{EntityId, ExprId};
use crate::model::DataModel;
use base::hash::{IdTable, hash_of};
use base::id::IdVec;
use base::intern::SymbolId;
use diag::Span;

base::define_id!(
    /// A struct or union.
    pub struct RecordId;
);
base::define_id!(
    /// An enumeration.
    pub struct EnumId;
);
base::define_id!(
    /// A member of a struct or union.
    pub struct FieldId;
);
base::define_id!(
    /// The parameters and result of a function type.
    pub struct SignatureId;
);

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "each is the type of its name")]
pub enum IntKind {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
}

impl IntKind {
    /// True when it has no negative values. Plain `char` is signed.
    #[must_use]
    pub fn is_unsigned(self) -> bool {
        use IntKind::*;
        matches!(self, Bool | UChar | UShort | UInt | ULong | ULongLong | UInt128)
    }

    /// The conversion rank.
    #[must_use]
    pub fn rank(self) -> u8 {
        use IntKind::*;
        match self {
            Bool => 0,
            Char | SChar | UChar => 1,
            Short | UShort => 2,
            Int | UInt => 3,
            Long | ULong => 4,
            LongLong | ULongLong => 5,
            Int128 | UInt128 => 6,
        }
    }

    /// The signed type of the same rank.
    #[must_use]
    pub fn to_signed(self) -> IntKind {
        use IntKind::*;
        match self {
            UChar => SChar,
            UShort => Short,
            UInt => Int,
            ULong => Long,
            ULongLong => LongLong,
            UInt128 => Int128,
            other => other,
        }
    }

    /// The unsigned type of the same rank.
    #[must_use]
    pub fn to_unsigned(self) -> IntKind {
        use IntKind::*;
        match self {
            Char | SChar => UChar,
            Short => UShort,
            Int => UInt,
            Long => ULong,
            LongLong => ULongLong,
            Int128 => UInt128,
            other => other,
        }
    }

    /// The type as it is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        use IntKind::*;
        match self {
            Bool => "_Bool",
            Char => "char",
            SChar => "signed char",
            UChar => "unsigned char",
            Short => "short",
            UShort => "unsigned short",
            Int => "int",
            UInt => "unsigned int",
            Long => "long",
            ULong => "unsigned long",
            LongLong => "long long",
            ULongLong => "unsigned long long",
            Int128 => "__int128",
            UInt128 => "unsigned __int128",
        }
    }
}

/// A floating type, in the order in which conversions go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "each is the type of its name")]
pub enum FloatKind {
    Float16,
    Float,
    Float32,
    Double,
    Float32x,
    Float64,
    LongDouble,
    Float64x,
    Float128,
    Decimal32,
    Decimal64,
    Decimal128,
}

impl FloatKind {
    /// The type as it is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        use FloatKind::*;
        match self {
            Float16 => "_Float16",
            Float => "float",
            Float32 => "_Float32",
            Double => "double",
            Float32x => "_Float32x",
            Float64 => "_Float64",
            LongDouble => "long double",
            Float64x => "_Float64x",
            Float128 => "_Float128",
            Decimal32 => "_Decimal32",
            Decimal64 => "_Decimal64",
            Decimal128 => "_Decimal128",
        }
    }
}

/// `const`.
pub const CONST: u32 = 1;
/// `volatile`.
pub const VOLATILE: u32 = 2;
/// `restrict`.
pub const RESTRICT: u32 = 4;
/// `_Atomic`.
pub const ATOMIC: u32 = 8;

/// A type with its qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ty(u32);

impl Ty {
    /// The type of what could not be typed; it fits everywhere, so that an error is reported once.
    pub const ERROR: Ty = Ty(0);
    /// `void`.
    pub const VOID: Ty = Ty(1 << 4);
    /// `char`.
    pub const CHAR: Ty = Ty::int(IntKind::Char);
    /// `int`.
    pub const INT: Ty = Ty::int(IntKind::Int);

    /// An integer type.
    #[must_use]
    pub const fn int(kind: IntKind) -> Ty {
        Ty((2 + kind as u32) << 4)
    }

    /// A floating type.
    #[must_use]
    pub const fn float(kind: FloatKind) -> Ty {
        Ty((16 + kind as u32) << 4)
    }

    /// The qualifiers.
    #[must_use]
    pub fn quals(self) -> u32 {
        self.0 & 15
    }

    /// The type with these qualifiers besides.
    #[must_use]
    pub fn with(self, quals: u32) -> Ty {
        Ty(self.0 | quals)
    }

    /// The type without qualifiers.
    #[must_use]
    pub fn bare(self) -> Ty {
        Ty(self.0 & !15)
    }

    fn index(self) -> usize {
        (self.0 >> 4) as usize
    }
}

/// How many elements an array has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayLen {
    /// `[]`
    Unknown,
    /// A constant.
    Known(u64),
    /// A variable length.
    Variable(ExprId),
    /// `[*]`
    Star,
}

/// What a type is, without qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "each is the type of its name")]
pub enum TypeKind {
    Error,
    Void,
    Int(IntKind),
    Float(FloatKind),
    Complex(FloatKind),
    ComplexInt(IntKind),
    /// `__builtin_va_list`
    VaList,
    Pointer(Ty),
    Array(Ty, ArrayLen),
    Function(SignatureId),
    Record(RecordId),
    Enum(EnumId),
    /// GNU vectors: elements and their number.
    Vector(Ty, u32),
}

/// A function type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    /// The type of the result.
    pub result: Ty,
    /// The types of the parameters.
    pub params: Vec<Ty>,
    /// True when more arguments may follow.
    pub is_variadic: bool,
    /// True when nothing is known about the parameters: `f()`.
    pub is_old: bool,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// The tag, if it has one.
    pub tag: Option<SymbolId>,
    /// True for unions.
    pub is_union: bool,
    /// Where the tag, or else the keyword, is.
    pub span: Span,
    /// The members, once it is complete.
    pub fields: Vec<FieldId>,
    /// True once its members are known.
    pub is_complete: bool,
    /// Its size and alignment in bytes, once it is complete.
    pub layout: crate::model::Layout,
    /// Arguments of any member's type are taken for a parameter of this type.
    pub is_transparent: bool,
}

/// A member.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name; anonymous members have none.
    pub name: Option<SymbolId>,
    /// The declared type.
    pub ty: Ty,
    /// Bits, for bit-fields.
    pub width: Option<u32>,
    /// The place in bits from the beginning of the record.
    pub offset: u64,
    /// Where it is declared.
    pub span: Span,
    /// The record that it is in.
    pub record: RecordId,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// The tag, if it has one.
    pub tag: Option<SymbolId>,
    /// Where the tag, or else the keyword, is.
    pub span: Span,
    /// The integer type that it is compatible with.
    pub kind: IntKind,
    /// True once its constants are known.
    pub is_complete: bool,
    /// The constants.
    pub constants: Vec<EntityId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Node {
    kind: TypeKind,
    /// An alignment that an attribute asks for; zero otherwise.
    align: u32,
}

/// All types of a translation unit.
#[derive(Clone, Debug)]
pub struct Types {
    /// Sizes of the basic types.
    pub model: DataModel,
    nodes: Vec<Node>,
    table: IdTable<u32>,
    signatures: IdVec<SignatureId, Signature>,
    signature_table: IdTable<SignatureId>,
    /// Structs and unions.
    pub records: IdVec<RecordId, Record>,
    /// Their members.
    pub fields: IdVec<FieldId, Field>,
    /// Enumerations.
    pub enums: IdVec<EnumId, Enumeration>,
}

const INTS: [IntKind; 14] = {
    use IntKind::*;
    [Bool, Char, SChar, UChar, Short, UShort, Int, UInt, Long, ULong, LongLong, ULongLong, Int128, UInt128]
};

const FLOATS: [FloatKind; 12] = {
    use FloatKind::*;
    [
        Float16, Float, Float32, Double, Float32x, Float64, LongDouble, Float64x, Float128, Decimal32,
        Decimal64, Decimal128,
    ]
};

impl Types {
    /// The basic types.
    #[must_use]
    pub fn new(model: DataModel) -> Types {
        let mut types = Types {
            model,
            nodes: Vec::new(),
            table: IdTable::default(),
            signatures: IdVec::new(),
            signature_table: IdTable::default(),
            records: IdVec::new(),
            fields: IdVec::new(),
            enums: IdVec::new(),
        };
        types.make(TypeKind::Error);
        types.make(TypeKind::Void);
        for kind in INTS {
            types.make(TypeKind::Int(kind));
        }
        for kind in FLOATS {
            types.make(TypeKind::Float(kind));
        }
        types
    }

    fn intern(&mut self, node: Node) -> Ty {
        let hash = hash_of(&node);
        let nodes = &self.nodes;
        if let Some(found) = self.table.find(hash, |index| nodes[index as usize] == node) {
            return Ty(found << 4);
        }
        let index = self.nodes.len() as u32;
        self.nodes.push(node);
        self.table.insert(hash, index);
        Ty(index << 4)
    }

    /// The type of a kind.
    pub fn make(&mut self, kind: TypeKind) -> Ty {
        self.intern(Node { kind, align: 0 })
    }

    /// A pointer to a type.
    pub fn pointer(&mut self, to: Ty) -> Ty {
        self.make(TypeKind::Pointer(to))
    }

    /// An array of a type.
    pub fn array(&mut self, of: Ty, len: ArrayLen) -> Ty {
        self.make(TypeKind::Array(of, len))
    }

    /// A function type.
    pub fn function(&mut self, signature: Signature) -> Ty {
        let hash = hash_of(&signature);
        let known = &self.signatures;
        let id = match self.signature_table.find(hash, |id| known[id] == signature) {
            Some(id) => id,
            None => {
                let id = self.signatures.push(signature);
                self.signature_table.insert(hash, id);
                id
            }
        };
        self.make(TypeKind::Function(id))
    }

    /// The type with an alignment that an attribute asks for.
    pub fn aligned(&mut self, ty: Ty, align: u32) -> Ty {
        self.intern(Node { kind: self.kind(ty), align }).with(ty.quals())
    }

    /// The type without an alignment of its own.
    pub fn unaligned(&mut self, ty: Ty) -> Ty {
        if self.nodes[ty.index()].align == 0 { ty } else { self.make(self.kind(ty)).with(ty.quals()) }
    }

    /// What a type is.
    #[must_use]
    pub fn kind(&self, ty: Ty) -> TypeKind {
        self.nodes[ty.index()].kind
    }

    /// A function type's parameters and result.
    #[must_use]
    pub fn signature(&self, id: SignatureId) -> &Signature {
        &self.signatures[id]
    }

    /// The signature of a function type or of a pointer to one.
    #[must_use]
    pub fn callee(&self, ty: Ty) -> Option<&Signature> {
        match self.kind(ty) {
            TypeKind::Function(id) => Some(self.signature(id)),
            TypeKind::Pointer(to) => match self.kind(to) {
                TypeKind::Function(id) => Some(self.signature(id)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The integer type that a type is or is compatible with: enumerations too.
    #[must_use]
    pub fn int_kind(&self, ty: Ty) -> Option<IntKind> {
        match self.kind(ty) {
            TypeKind::Int(kind) => Some(kind),
            TypeKind::Enum(id) => Some(self.enums[id].kind),
            _ => None,
        }
    }

    /// True for integers, floating and complex numbers.
    #[must_use]
    pub fn is_arithmetic(&self, ty: Ty) -> bool {
        matches!(
            self.kind(ty),
            TypeKind::Int(_)
                | TypeKind::Enum(_)
                | TypeKind::Float(_)
                | TypeKind::Complex(_)
                | TypeKind::ComplexInt(_)
        )
    }

    /// What a pointer points to.
    #[must_use]
    pub fn pointee(&self, ty: Ty) -> Option<Ty> {
        match self.kind(ty) {
            TypeKind::Pointer(to) => Some(to),
            _ => None,
        }
    }

    /// True for what has a truth value.
    #[must_use]
    pub fn is_scalar(&self, ty: Ty) -> bool {
        self.is_arithmetic(ty) || matches!(self.kind(ty), TypeKind::Pointer(_) | TypeKind::Error)
    }

    /// True for the type of erroneous expressions.
    #[must_use]
    pub fn is_error(&self, ty: Ty) -> bool {
        ty.bare() == Ty::ERROR
    }

    /// True for functions.
    #[must_use]
    pub fn is_function(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TypeKind::Function(_))
    }

    /// The qualifiers that count: those of an array are its elements'.
    #[must_use]
    pub fn element_quals(&self, mut ty: Ty) -> u32 {
        let mut quals = ty.quals();
        while let TypeKind::Array(of, _) = self.kind(ty) {
            quals |= of.quals();
            ty = of;
        }
        quals
    }

    /// Adds qualifiers; those of an array go to its elements.
    pub fn qualify(&mut self, ty: Ty, quals: u32) -> Ty {
        if quals == 0 {
            return ty;
        }
        let mut lengths = Vec::new();
        let mut element = ty;
        while let TypeKind::Array(of, len) = self.kind(element) {
            lengths.push(len);
            element = of;
        }
        let mut result = element.with(quals);
        for len in lengths.into_iter().rev() {
            result = self.array(result, len);
        }
        result
    }

    /// The value's type of an expression of this type: arrays and functions become pointers, qualifiers go.
    pub fn decay(&mut self, ty: Ty) -> Ty {
        match self.kind(ty) {
            TypeKind::Array(of, _) => {
                let of = of.with(ty.quals());
                self.pointer(of)
            }
            TypeKind::Function(_) => self.pointer(ty),
            _ => ty.bare(),
        }
    }
}
