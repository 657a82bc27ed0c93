//! Compatible and composite types.

use super::{ArrayLen, Signature, Ty, TypeKind, Types};
use rustc_hash::FxHashSet;

/// Composite types differ near the outside: after so many parts the first type is as good as the composite.
const COMPOSITE_PARTS: u32 = 1000;

/// And so many levels deep.
const COMPOSITE_LEVELS: u32 = 32;

impl Types {
    /// True when two types are compatible, qualifiers of the outermost level included.
    #[must_use]
    pub fn compatible(&self, a: Ty, b: Ty) -> bool {
        let mut todo = vec![(a, b)];
        // Types share parts, so that there may be many more ways through a pair than pairs.
        let mut seen = FxHashSet::default();
        while let Some((a, b)) = todo.pop() {
            if a == b || self.is_error(a) || self.is_error(b) || !seen.insert((a, b)) {
                continue;
            }
            if a.quals() != b.quals() || !self.same_shape(a, b, &mut todo) {
                return false;
            }
        }
        true
    }

    /// Compares the outermost level and leaves the rest in `todo`.
    fn same_shape(&self, a: Ty, b: Ty, todo: &mut Vec<(Ty, Ty)>) -> bool {
        match (self.kind(a), self.kind(b)) {
            (TypeKind::Pointer(a), TypeKind::Pointer(b)) => todo.push((a, b)),
            (TypeKind::Array(a, x), TypeKind::Array(b, y)) => {
                if let (ArrayLen::Known(x), ArrayLen::Known(y)) = (x, y)
                    && x != y
                {
                    return false;
                }
                todo.push((a, b));
            }
            (TypeKind::Function(a), TypeKind::Function(b)) => {
                return self.same_signature(self.signature(a), self.signature(b), todo);
            }
            (TypeKind::Enum(id), TypeKind::Int(kind)) | (TypeKind::Int(kind), TypeKind::Enum(id)) => {
                return self.enums[id].kind == kind;
            }
            (a, b) => return a == b,
        }
        true
    }

    fn same_signature(&self, a: &Signature, b: &Signature, todo: &mut Vec<(Ty, Ty)>) -> bool {
        todo.push((a.result.bare(), b.result.bare()));
        if a.is_old || b.is_old {
            return true;
        }
        if a.params.len() != b.params.len() || a.is_variadic != b.is_variadic {
            return false;
        }
        todo.extend(a.params.iter().zip(&b.params).map(|(a, b)| (a.bare(), b.bare())));
        true
    }

    /// True when two types are the same except for qualifiers of what pointers point to directly.
    #[must_use]
    pub fn same_pointee(&self, a: Ty, b: Ty) -> bool {
        self.compatible(a.bare(), b.bare())
    }

    /// The composite of two compatible types: what either of them knows.
    pub fn composite(&mut self, a: Ty, b: Ty) -> Ty {
        self.composite_to(a, b, COMPOSITE_LEVELS, &mut { COMPOSITE_PARTS })
    }

    fn composite_to(&mut self, a: Ty, b: Ty, depth: u32, parts: &mut u32) -> Ty {
        if a == b || depth == 0 || *parts == 0 || self.is_error(b) {
            return a;
        }
        *parts -= 1;
        let quals = a.quals();
        match (self.kind(a), self.kind(b)) {
            (TypeKind::Pointer(x), TypeKind::Pointer(y)) => {
                let to = self.composite_to(x, y, depth - 1, parts);
                self.pointer(to).with(quals)
            }
            (TypeKind::Array(x, m), TypeKind::Array(y, n)) => {
                let of = self.composite_to(x, y, depth - 1, parts);
                let len = match (m, n) {
                    (ArrayLen::Known(_), _) => m,
                    (_, ArrayLen::Known(_)) => n,
                    (ArrayLen::Unknown, other) | (other, _) => other,
                };
                self.array(of, len).with(quals)
            }
            (TypeKind::Function(x), TypeKind::Function(y)) => {
                let (x, y) = (self.signature(x).clone(), self.signature(y).clone());
                let signature = self.composite_signature(x, y, depth, parts);
                self.function(signature).with(quals)
            }
            _ => a,
        }
    }

    fn composite_signature(&mut self, x: Signature, y: Signature, depth: u32, parts: &mut u32) -> Signature {
        let result = self.composite_to(x.result, y.result, depth - 1, parts);
        let (known, other) = if x.is_old { (y, x) } else { (x, y) };
        let mut params = known.params;
        if !other.is_old {
            for (param, other) in params.iter_mut().zip(other.params) {
                *param = self.composite_to(*param, other, depth - 1, parts);
            }
        }
        Signature { result, params, ..known }
    }
}
