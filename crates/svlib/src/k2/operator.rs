//! The operators of expressions: one table, and what each of them is for operands of each type.
//!
//! The meaning follows the operands' type, and both operands have the same one: K2 converts nothing silently.
//! Division of integers rounds towards zero and the remainder has the dividend's sign, as in C and as the
//! bit-vector operators have it. Floating-point operations round to nearest, ties to even.

use super::tree::NodeIdx;
use super::types::{Ty, TyId};
use super::{Cx, Typed};
use diag::codes;
use smt::op::Op;
use smt::term::TermId;

/// An operator of K2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KOp {
    Add,
    And,
    BitAnd,
    BitNot,
    BitOr,
    BitXor,
    Div,
    Eq,
    Floor,
    Ge,
    Gt,
    IsFinite,
    IsInf,
    IsNan,
    IsNormal,
    IsSubnormal,
    IsZero,
    Ite,
    Le,
    LeftShift,
    Lt,
    MapGet,
    MapSet,
    Mul,
    Neg,
    Not,
    Or,
    Rem,
    RightShift,
    Sub,
}

/// Name, operator, number of operands.
pub(super) static OPERATORS: &[(&str, KOp, usize)] = &[
    // tidy: sorted
    ("add", KOp::Add, 2),
    ("and", KOp::And, 2),
    ("bitand", KOp::BitAnd, 2),
    ("bitnot", KOp::BitNot, 1),
    ("bitor", KOp::BitOr, 2),
    ("bitxor", KOp::BitXor, 2),
    ("div", KOp::Div, 2),
    ("eq", KOp::Eq, 2),
    ("floor", KOp::Floor, 1),
    ("ge", KOp::Ge, 2),
    ("gt", KOp::Gt, 2),
    ("isfinite", KOp::IsFinite, 1),
    ("isinf", KOp::IsInf, 1),
    ("isnan", KOp::IsNan, 1),
    ("isnormal", KOp::IsNormal, 1),
    ("issubnormal", KOp::IsSubnormal, 1),
    ("iszero", KOp::IsZero, 1),
    ("ite", KOp::Ite, 3),
    ("le", KOp::Le, 2),
    ("lshift", KOp::LeftShift, 2),
    ("lt", KOp::Lt, 2),
    ("mapget", KOp::MapGet, 2),
    ("mapset", KOp::MapSet, 3),
    ("mul", KOp::Mul, 2),
    ("neg", KOp::Neg, 1),
    ("not", KOp::Not, 1),
    ("or", KOp::Or, 2),
    ("rem", KOp::Rem, 2),
    ("rshift", KOp::RightShift, 2),
    ("sub", KOp::Sub, 2),
    // tidy: end
];

impl KOp {
    /// The operator of that name, with the number of its operands.
    pub(super) fn find(name: &str) -> Option<(KOp, usize)> {
        let row = OPERATORS.binary_search_by_key(&name, |row| row.0).ok()?;
        Some((OPERATORS[row].1, OPERATORS[row].2))
    }

    pub(super) fn name(self) -> &'static str {
        OPERATORS.iter().find(|row| row.1 == self).map_or("", |row| row.0)
    }
}

/// How operands of a numeric type are computed with.
#[derive(Clone, Copy)]
enum Domain {
    Int,
    Real,
    Unsigned,
    Signed,
    Float,
}

/// The kernel's operator for one of K2 in a domain; none where K2 has no such operation.
fn arithmetic(op: KOp, domain: Domain) -> Option<Op> {
    use Domain::{Float, Int, Real, Signed, Unsigned};
    Some(match (op, domain) {
        (KOp::Add, Int | Real) => Op::Add,
        (KOp::Add, Signed | Unsigned) => Op::BvAdd,
        (KOp::Add, Float) => Op::FpAdd,
        (KOp::Sub, Int | Real) => Op::Sub,
        (KOp::Sub, Signed | Unsigned) => Op::BvSub,
        (KOp::Sub, Float) => Op::FpSub,
        (KOp::Mul, Int | Real) => Op::Mul,
        (KOp::Mul, Signed | Unsigned) => Op::BvMul,
        (KOp::Mul, Float) => Op::FpMul,
        (KOp::Neg, Int | Real) => Op::Neg,
        (KOp::Neg, Signed | Unsigned) => Op::BvNeg,
        (KOp::Neg, Float) => Op::FpNeg,
        (KOp::Div, Int) => Op::IntDiv,
        (KOp::Div, Real) => Op::Div,
        (KOp::Div, Signed) => Op::BvSdiv,
        (KOp::Div, Unsigned) => Op::BvUdiv,
        (KOp::Div, Float) => Op::FpDiv,
        (KOp::Rem, Int) => Op::Mod,
        (KOp::Rem, Signed) => Op::BvSrem,
        (KOp::Rem, Unsigned) => Op::BvUrem,
        (KOp::Le, Int | Real) => Op::Le,
        (KOp::Le, Signed) => Op::BvSle,
        (KOp::Le, Unsigned) => Op::BvUle,
        (KOp::Le, Float) => Op::FpLeq,
        (KOp::Lt, Int | Real) => Op::Lt,
        (KOp::Lt, Signed) => Op::BvSlt,
        (KOp::Lt, Unsigned) => Op::BvUlt,
        (KOp::Lt, Float) => Op::FpLt,
        (KOp::Ge, Int | Real) => Op::Ge,
        (KOp::Ge, Signed) => Op::BvSge,
        (KOp::Ge, Unsigned) => Op::BvUge,
        (KOp::Ge, Float) => Op::FpGeq,
        (KOp::Gt, Int | Real) => Op::Gt,
        (KOp::Gt, Signed) => Op::BvSgt,
        (KOp::Gt, Unsigned) => Op::BvUgt,
        (KOp::Gt, Float) => Op::FpGt,
        (KOp::LeftShift, Signed | Unsigned) => Op::BvShl,
        (KOp::RightShift, Signed) => Op::BvAshr,
        (KOp::RightShift, Unsigned) => Op::BvLshr,
        (KOp::BitAnd, Signed | Unsigned) => Op::BvAnd,
        (KOp::BitOr, Signed | Unsigned) => Op::BvOr,
        (KOp::BitXor, Signed | Unsigned) => Op::BvXor,
        (KOp::BitNot, Signed | Unsigned) => Op::BvNot,
        (KOp::IsInf, Float) => Op::FpIsInfinite,
        (KOp::IsNan, Float) => Op::FpIsNaN,
        (KOp::IsNormal, Float) => Op::FpIsNormal,
        (KOp::IsSubnormal, Float) => Op::FpIsSubnormal,
        (KOp::IsZero, Float) => Op::FpIsZero,
        _ => return None,
    })
}

impl Cx<'_> {
    /// Applies an operator to as many operands as it has; none after an error, which is reported.
    pub(super) fn operate(&mut self, node: NodeIdx, op: KOp, args: &[Typed]) -> Option<Typed> {
        match (op, args) {
            (KOp::And | KOp::Or | KOp::Not, _) => self.logical(node, op, args),
            (KOp::Eq, &[a, b]) => self.equal(node, a, b),
            (KOp::Ite, &[condition, a, b]) => self.ite(node, condition, a, b),
            (KOp::MapGet | KOp::MapSet, _) => self.map_access(node, op, args),
            (KOp::Floor, &[a]) => self.floor(node, a),
            (KOp::IsFinite, &[a]) => {
                let nan = self.numeric(node, KOp::IsNan, &[a])?;
                let infinite = self.numeric(node, KOp::IsInf, &[a])?;
                let either = self.app(node, Op::Or, &[nan.term, infinite.term]);
                Some(Typed { term: self.app(node, Op::Not, &[either]), ty: TyId::BOOL })
            }
            _ => self.numeric(node, op, args),
        }
    }

    fn mismatch(&mut self, node: NodeIdx, op: KOp, args: &[Typed]) -> Option<Typed> {
        let types: Vec<String> = args.iter().map(|arg| format!("`{}`", self.types.text(arg.ty))).collect();
        let plural = if args.len() == 1 { "an operand" } else { "operands" };
        let message = format!("`{}` does not take {plural} of type {}", op.name(), types.join(" and "));
        self.error(codes::K2004, node, message);
        None
    }

    fn logical(&mut self, node: NodeIdx, op: KOp, args: &[Typed]) -> Option<Typed> {
        if args.iter().any(|arg| arg.ty != TyId::BOOL) {
            return self.mismatch(node, op, args);
        }
        let kernel = match op {
            KOp::And => Op::And,
            KOp::Or => Op::Or,
            _ => Op::Not,
        };
        let terms: Vec<TermId> = args.iter().map(|arg| arg.term).collect();
        Some(Typed { term: self.app(node, kernel, &terms), ty: TyId::BOOL })
    }

    fn equal(&mut self, node: NodeIdx, a: Typed, b: Typed) -> Option<Typed> {
        if a.ty != b.ty {
            return self.mismatch(node, KOp::Eq, &[a, b]);
        }
        // Floats are compared as numbers: the zeros are equal, and NaN equals nothing.
        let kernel = if matches!(self.types.get(a.ty), Ty::Fp(..)) { Op::FpEq } else { Op::Eq };
        Some(Typed { term: self.app(node, kernel, &[a.term, b.term]), ty: TyId::BOOL })
    }

    fn ite(&mut self, node: NodeIdx, condition: Typed, a: Typed, b: Typed) -> Option<Typed> {
        if condition.ty != TyId::BOOL || a.ty != b.ty {
            return self.mismatch(node, KOp::Ite, &[condition, a, b]);
        }
        Some(Typed { term: self.app(node, Op::Ite, &[condition.term, a.term, b.term]), ty: a.ty })
    }

    fn map_access(&mut self, node: NodeIdx, op: KOp, args: &[Typed]) -> Option<Typed> {
        let Ty::Map(index, element) = *self.types.get(args[0].ty) else {
            return self.mismatch(node, op, args);
        };
        if args[1].ty != index || args.get(2).is_some_and(|value| value.ty != element) {
            return self.mismatch(node, op, args);
        }
        let terms: Vec<TermId> = args.iter().map(|arg| arg.term).collect();
        Some(match op {
            KOp::MapGet => Typed { term: self.app(node, Op::Select, &terms), ty: element },
            _ => Typed { term: self.app(node, Op::Store, &terms), ty: args[0].ty },
        })
    }

    fn floor(&mut self, node: NodeIdx, a: Typed) -> Option<Typed> {
        match self.types.get(a.ty) {
            Ty::Int => Some(a),
            Ty::Real => Some(Typed { term: self.app(node, Op::ToInt, &[a.term]), ty: TyId::INT }),
            Ty::Fp(..) => {
                self.error(codes::K2002, node, "`floor` of a floating-point number");
                None
            }
            _ => self.mismatch(node, KOp::Floor, &[a]),
        }
    }

    fn numeric(&mut self, node: NodeIdx, op: KOp, args: &[Typed]) -> Option<Typed> {
        let ty = args[0].ty;
        let domain = match self.types.get(ty) {
            Ty::Int => Domain::Int,
            Ty::Real => Domain::Real,
            Ty::Bv(true, _) => Domain::Signed,
            Ty::Bv(false, _) => Domain::Unsigned,
            Ty::Fp(..) => Domain::Float,
            _ => return self.mismatch(node, op, args),
        };
        if args.iter().any(|arg| arg.ty != ty) {
            return self.mismatch(node, op, args);
        }
        if op == KOp::Rem && matches!(domain, Domain::Real | Domain::Float) {
            let message = format!("`rem` of operands of type `{}`", self.types.text(ty));
            self.error(codes::K2002, node, message);
            return None;
        }
        let Some(kernel) = arithmetic(op, domain) else { return self.mismatch(node, op, args) };
        let mut terms: Vec<TermId> = args.iter().map(|arg| arg.term).collect();
        let term = match kernel {
            Op::IntDiv | Op::Mod => self.truncating(node, kernel, terms[0], terms[1]),
            Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv => {
                terms.insert(0, self.app(node, Op::Rne, &[]));
                self.app(node, kernel, &terms)
            }
            _ => self.app(node, kernel, &terms),
        };
        let ty = if self.terms.sort(term) == self.types.sort(TyId::BOOL) { TyId::BOOL } else { ty };
        Some(Typed { term, ty })
    }

    /// Quotient or remainder of integers, towards zero. `div` and `mod` of SMT-LIB leave a remainder that is
    /// not negative, which for a dividend that is not negative is the same thing; the other case is mirrored.
    fn truncating(&mut self, node: NodeIdx, op: Op, a: TermId, b: TermId) -> TermId {
        let zero = self.terms.int(0);
        let positive = self.app(node, Op::Ge, &[a, zero]);
        let plain = self.app(node, op, &[a, b]);
        let mirrored = self.app(node, Op::Neg, &[a]);
        let mirrored = self.app(node, op, &[mirrored, b]);
        let mirrored = self.app(node, Op::Neg, &[mirrored]);
        self.app(node, Op::Ite, &[positive, plain, mirrored])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted() {
        assert!(OPERATORS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(
            OPERATORS
                .iter()
                .all(|&(name, op, count)| KOp::find(name) == Some((op, count)) && op.name() == name)
        );
    }
}
