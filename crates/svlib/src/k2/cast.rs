//! Conversions: `cast` keeps the value as far as it can, `bitcast` keeps the bits.
//!
//! Numbers are converted as in C. To a Boolean: whether it is different from zero. To an integer type:
//! rounded towards zero. To a bit-vector: modulo its size. To a floating-point type: to the nearest number.

use super::tree::NodeIdx;
use super::types::{Ty, TyId};
use super::{Cx, Typed};
use diag::codes;
use smt::op::Op;
use smt::term::TermId;

impl Cx<'_> {
    /// `(cast TYPE e)`; none after an error, which is reported.
    pub(super) fn cast(&mut self, node: NodeIdx, value: Typed, ty: TyId) -> Option<Typed> {
        if value.ty == ty {
            return Some(value);
        }
        let (from, to) = (self.types.get(value.ty).clone(), self.types.get(ty).clone());
        let a = value.term;
        let term = match (&from, &to) {
            (Ty::Int | Ty::Real | Ty::Bv(..) | Ty::Fp(..), Ty::Bool) => self.nonzero(node, &from, a)?,
            (Ty::Bool, Ty::Int | Ty::Real | Ty::Bv(..) | Ty::Fp(..)) => self.zero_or_one(node, a, &to)?,
            (&Ty::Bv(signed, old), &Ty::Bv(_, new)) => self.resize(node, a, signed, old, new),
            (&Ty::Bv(signed, _), &Ty::Fp(exponent, mantissa)) => {
                let op = if signed { Op::ToFp } else { Op::ToFpUnsigned };
                self.float_from(node, op, a, exponent, mantissa)
            }
            (Ty::Fp(..) | Ty::Int | Ty::Real, &Ty::Fp(exponent, mantissa)) => {
                let a = if from == Ty::Int { self.terms.to_real(a) } else { a };
                self.float_from(node, Op::ToFp, a, exponent, mantissa)
            }
            (Ty::Fp(..), &Ty::Bv(signed, width)) => {
                let rtz = self.app(node, Op::Rtz, &[]);
                let op = if signed { Op::FpToSbv } else { Op::FpToUbv };
                self.app_indexed(node, op, &[width], &[rtz, a])
            }
            (Ty::Int | Ty::Real | Ty::Bv(..) | Ty::Fp(..), Ty::Int) => self.integer_from(node, &from, a),
            (Ty::Int | Ty::Bv(..), Ty::Real) => {
                let a = self.integer_from(node, &from, a);
                self.terms.to_real(a)
            }
            (Ty::Fp(..), Ty::Real) => self.app(node, Op::FpToReal, &[a]),
            (Ty::Int | Ty::Real, &Ty::Bv(_, width)) => {
                let a = self.integer_from(node, &from, a);
                self.app_indexed(node, Op::IntToBv, &[width], &[a])
            }
            _ => return self.no_cast(node, "cast", value.ty, ty),
        };
        Some(Typed { term, ty })
    }

    /// `(bitcast TYPE e)`; none after an error, which is reported.
    pub(super) fn bitcast(&mut self, node: NodeIdx, value: Typed, ty: TyId) -> Option<Typed> {
        if value.ty == ty {
            return Some(value);
        }
        let term = match (self.types.get(value.ty), self.types.get(ty)) {
            (Ty::Bv(_, old), Ty::Bv(_, new)) if old == new => value.term,
            (&Ty::Bv(_, width), &Ty::Fp(exponent, mantissa)) if width == 1 + exponent + mantissa => {
                self.app_indexed(node, Op::ToFpBits, &[exponent, mantissa + 1], &[value.term])
            }
            (&Ty::Fp(exponent, mantissa), &Ty::Bv(_, width)) if width == 1 + exponent + mantissa => {
                self.app(node, Op::FpToBits, &[value.term])
            }
            (Ty::Bv(..) | Ty::Fp(..), Ty::Bv(..) | Ty::Fp(..)) => {
                let (from, to) = (self.types.text(value.ty), self.types.text(ty));
                self.error(codes::K2002, node, format!("`bitcast` from `{from}` to `{to}`, of another size"));
                return None;
            }
            _ => return self.no_cast(node, "bitcast", value.ty, ty),
        };
        Some(Typed { term, ty })
    }

    fn no_cast(&mut self, node: NodeIdx, word: &str, from: TyId, to: TyId) -> Option<Typed> {
        let (from, to) = (self.types.text(from), self.types.text(to));
        self.error(codes::K2004, node, format!("there is no `{word}` from `{from}` to `{to}`"));
        None
    }

    /// 0 or 1 of a numeric type.
    fn small(&mut self, node: NodeIdx, ty: &Ty, one: bool) -> Option<TermId> {
        let int = self.terms.int(u8::from(one));
        Some(match *ty {
            Ty::Real => self.terms.to_real(int),
            Ty::Bv(_, width) => {
                if !self.charge(node, width as usize / 4) {
                    return None;
                }
                self.terms.bits(width, u8::from(one).into())
            }
            Ty::Fp(exponent, mantissa) if one => {
                let real = self.terms.to_real(int);
                self.float_from(node, Op::ToFp, real, exponent, mantissa)
            }
            Ty::Fp(exponent, mantissa) => {
                self.app_indexed(node, Op::PlusZero, &[exponent, mantissa + 1], &[])
            }
            _ => int,
        })
    }

    fn nonzero(&mut self, node: NodeIdx, ty: &Ty, a: TermId) -> Option<TermId> {
        if matches!(ty, Ty::Fp(..)) {
            let zero = self.app(node, Op::FpIsZero, &[a]);
            return Some(self.app(node, Op::Not, &[zero]));
        }
        let zero = self.small(node, ty, false)?;
        Some(self.app(node, Op::Distinct, &[a, zero]))
    }

    fn zero_or_one(&mut self, node: NodeIdx, a: TermId, ty: &Ty) -> Option<TermId> {
        let (one, zero) = (self.small(node, ty, true)?, self.small(node, ty, false)?);
        Some(self.app(node, Op::Ite, &[a, one, zero]))
    }

    /// A wider bit-vector repeats the sign if the old type has one; a narrower one loses the upper bits.
    fn resize(&mut self, node: NodeIdx, a: TermId, signed: bool, old: u32, new: u32) -> TermId {
        if new < old {
            return self.app_indexed(node, Op::Extract, &[new - 1, 0], &[a]);
        }
        if new == old {
            return a;
        }
        let op = if signed { Op::SignExtend } else { Op::ZeroExtend };
        self.app_indexed(node, op, &[new - old], &[a])
    }

    fn float_from(&mut self, node: NodeIdx, op: Op, a: TermId, exponent: u32, mantissa: u32) -> TermId {
        let rne = self.app(node, Op::Rne, &[]);
        self.app_indexed(node, op, &[exponent, mantissa + 1], &[rne, a])
    }

    /// A number as an integer, rounded towards zero.
    fn integer_from(&mut self, node: NodeIdx, from: &Ty, a: TermId) -> TermId {
        let real = match from {
            Ty::Bv(true, _) => return self.app(node, Op::SbvToInt, &[a]),
            Ty::Bv(false, _) => return self.app(node, Op::UbvToInt, &[a]),
            Ty::Fp(..) => self.app(node, Op::FpToReal, &[a]),
            Ty::Real => a,
            _ => return a,
        };
        let zero = self.terms.int(0);
        let zero = self.terms.to_real(zero);
        let positive = self.app(node, Op::Ge, &[real, zero]);
        let down = self.app(node, Op::ToInt, &[real]);
        let mirrored = self.app(node, Op::Neg, &[real]);
        let mirrored = self.app(node, Op::ToInt, &[mirrored]);
        let up = self.app(node, Op::Neg, &[mirrored]);
        self.app(node, Op::Ite, &[positive, down, up])
    }
}
