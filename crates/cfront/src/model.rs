//! Data models: what the sizes of the basic types are. Both are those of GNU C on x86.

use crate::types::{FloatKind, IntKind};

/// A data model, by the name that task definitions use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
    /// `long` and pointers have 64 bits.
    #[default]
    Lp64,
}

/// Bytes, and the alignment in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The size.
    pub size: u64,
    /// The alignment, a power of two.
    pub align: u32,
}

impl DataModel {
    /// The model of that name, in capitals or not.
    #[must_use]
    pub fn named(name: &str) -> Option<DataModel> {
        match name.to_ascii_uppercase().as_str() {
            "ILP32" => Some(DataModel::Ilp32),
            "LP64" => Some(DataModel::Lp64),
            _ => None,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }

    /// The bytes of `long` and of a pointer.
    #[must_use]
    pub fn word(self) -> u64 {
        match self {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }

    /// The bits of an integer type.
    #[must_use]
    pub fn bits(self, kind: IntKind) -> u32 {
        match kind {
            IntKind::Bool | IntKind::Char | IntKind::SChar | IntKind::UChar => 8,
            IntKind::Short | IntKind::UShort => 16,
            IntKind::Int | IntKind::UInt => 32,
            IntKind::Long | IntKind::ULong => self.word() as u32 * 8,
            IntKind::LongLong | IntKind::ULongLong => 64,
            IntKind::Int128 | IntKind::UInt128 => 128,
        }
    }

    /// How an integer type lies in memory, as a member of a record.
    #[must_use]
    pub fn int_layout(self, kind: IntKind) -> Layout {
        let size = u64::from(self.bits(kind) / 8);
        let align = if self == DataModel::Ilp32 { size.min(4) } else { size };
        Layout { size, align: align as u32 }
    }

    /// How a floating type lies in memory, as a member of a record.
    #[must_use]
    pub fn float_layout(self, kind: FloatKind) -> Layout {
        let (size, align) = match kind {
            FloatKind::Float16 => (2, 2),
            FloatKind::Float | FloatKind::Float32 | FloatKind::Decimal32 => (4, 4),
            FloatKind::Double | FloatKind::Float64 | FloatKind::Float32x | FloatKind::Decimal64 => (8, 8),
            FloatKind::LongDouble | FloatKind::Float64x => match self {
                DataModel::Ilp32 => (12, 4),
                DataModel::Lp64 => (16, 16),
            },
            FloatKind::Float128 | FloatKind::Decimal128 => return Layout { size: 16, align: 16 },
        };
        Layout { size, align: if self == DataModel::Ilp32 { align.min(4) } else { align } }
    }

    /// The type of `sizeof`.
    #[must_use]
    pub fn size_kind(self) -> IntKind {
        match self {
            DataModel::Ilp32 => IntKind::UInt,
            DataModel::Lp64 => IntKind::ULong,
        }
    }

    /// The type of a difference of pointers.
    #[must_use]
    pub fn difference_kind(self) -> IntKind {
        self.size_kind().to_signed()
    }

    /// The type of a wide character.
    #[must_use]
    pub fn wide_kind(self) -> IntKind {
        match self {
            DataModel::Ilp32 => IntKind::Long,
            DataModel::Lp64 => IntKind::Int,
        }
    }
}
