//! Facts about types as C text that needs no header.

use crate::ia::ast::Attribute;
use cfront::ast::Unit;
use cfront::types::{IntKind, Ty};

/// A fact about a type. What the type does not have is 0.
pub(crate) fn text(unit: &Unit, ty: Ty, attribute: Attribute) -> String {
    let types = &unit.types;
    let kind = types.int_kind(ty);
    match (attribute, kind) {
        (Attribute::Type, _) => types.text(&unit.names, ty),
        (Attribute::Bits, Some(kind)) => types.model.bits(kind).to_string(),
        (Attribute::Max, Some(kind)) => max(unit, kind),
        (Attribute::Min, Some(kind)) => min(unit, kind),
        (Attribute::Size, _) => types.layout(ty).map_or(0, |layout| layout.size).to_string(),
        (Attribute::Bits, None) => types.layout(ty).map_or(0, |layout| 8 * layout.size).to_string(),
        (Attribute::Max | Attribute::Min | Attribute::Len, _) => "0".to_owned(),
    }
}

fn suffix(kind: IntKind) -> &'static str {
    use IntKind::*;
    match kind {
        UInt => "U",
        Long => "L",
        ULong => "UL",
        LongLong => "LL",
        ULongLong => "ULL",
        _ => "",
    }
}

fn max(unit: &Unit, kind: IntKind) -> String {
    use IntKind::*;
    let bits = unit.types.model.bits(kind);
    match kind {
        Bool => "1".to_owned(),
        // There are no constants of these types.
        Int128 => "((__int128)(((unsigned __int128)1 << 127) - 1))".to_owned(),
        UInt128 => "(~(unsigned __int128)0)".to_owned(),
        _ => {
            let value =
                if kind.is_unsigned() { u128::MAX >> (128 - bits) } else { u128::MAX >> (129 - bits) };
            format!("{value}{}", suffix(kind))
        }
    }
}

fn min(unit: &Unit, kind: IntKind) -> String {
    if kind.is_unsigned() {
        return format!("0{}", suffix(kind));
    }
    // The smallest value has no constant: it is the negation of one that is too large.
    format!("(-{} - 1)", max(unit, kind))
}
