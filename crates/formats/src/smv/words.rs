//! Operators on words, and conversions.

use super::types::{Ty, Val};
use dashu_int::UBig;
use smt::check::RankError;
use smt::op::Op;
use smt::term::{TermId, Terms};

type Made = Result<Val, String>;

/// A term that is well-sorted by construction; if not, a message instead of it.
pub(super) fn app(terms: &mut Terms, op: Op, args: &[TermId]) -> Result<TermId, String> {
    terms.app(op, args).map_err(|error| rank(terms, op, &error, args))
}

fn indexed(terms: &mut Terms, op: Op, indices: &[u32], args: &[TermId]) -> Result<TermId, String> {
    terms.app_indexed(op, indices, args).map_err(|error| rank(terms, op, &error, args))
}

fn rank(terms: &Terms, op: Op, error: &RankError, args: &[TermId]) -> String {
    error.message(terms, op.name(), args)
}

/// An operator on two words of one type.
pub(super) fn binary(
    terms: &mut Terms,
    mark: &str,
    a: TermId,
    b: TermId,
    (signed, width): (bool, u32),
) -> Made {
    let ty = Ty::Word(signed, width);
    let pick = |unsigned: Op, with_sign: Op| if signed { with_sign } else { unsigned };
    let op = match mark {
        "&" => Op::BvAnd,
        "|" => Op::BvOr,
        "xor" => Op::BvXor,
        "xnor" | "<->" => Op::BvXnor,
        "+" => Op::BvAdd,
        "-" => Op::BvSub,
        "*" => Op::BvMul,
        "/" => pick(Op::BvUdiv, Op::BvSdiv),
        "mod" => pick(Op::BvUrem, Op::BvSrem),
        "->" => {
            let not = app(terms, Op::BvNot, &[a])?;
            return Ok(Val::Term(app(terms, Op::BvOr, &[not, b])?, ty));
        }
        "<" | "<=" | ">" | ">=" => {
            let op = match mark {
                "<" => pick(Op::BvUlt, Op::BvSlt),
                "<=" => pick(Op::BvUle, Op::BvSle),
                ">" => pick(Op::BvUgt, Op::BvSgt),
                _ => pick(Op::BvUge, Op::BvSge),
            };
            return Ok(Val::bool(app(terms, op, &[a, b])?));
        }
        _ => return Err(format!("`{mark}` is not for words")),
    };
    Ok(Val::Term(app(terms, op, &[a, b])?, ty))
}

/// `a :: b`.
pub(super) fn concat(terms: &mut Terms, a: (TermId, u32), b: (TermId, u32)) -> Made {
    let width = a.1.checked_add(b.1).ok_or("the word is too long")?;
    Ok(Val::Term(app(terms, Op::Concat, &[a.0, b.0])?, Ty::Word(false, width)))
}

/// `a[high:low]`.
pub(super) fn bits(terms: &mut Terms, a: (TermId, u32), high: u32, low: u32) -> Made {
    if high < low || high >= a.1 {
        return Err(format!("the bits {high} to {low} are not in a word of {} bits", a.1));
    }
    Ok(Val::Term(indexed(terms, Op::Extract, &[high, low], &[a.0])?, Ty::Word(false, high - low + 1)))
}

/// `a << n` and `a >> n`, where `n` is a word of any width; what is shifted out is gone, also by amounts beyond the width.
pub(super) fn shift(terms: &mut Terms, left: bool, a: (TermId, bool, u32), n: (TermId, u32)) -> Made {
    let (a, signed, width) = a;
    let whole = width.max(n.1);
    let wide = extended(terms, a, signed && !left, width, whole)?;
    let amount = extended(terms, n.0, false, n.1, whole)?;
    let op = match (left, signed) {
        (true, _) => Op::BvShl,
        (false, true) => Op::BvAshr,
        (false, false) => Op::BvLshr,
    };
    let shifted = app(terms, op, &[wide, amount])?;
    let shifted =
        if whole > width { indexed(terms, Op::Extract, &[width - 1, 0], &[shifted])? } else { shifted };
    Ok(Val::Term(shifted, Ty::Word(signed, width)))
}

fn extended(terms: &mut Terms, term: TermId, signed: bool, from: u32, to: u32) -> Result<TermId, String> {
    if from == to {
        return Ok(term);
    }
    indexed(terms, if signed { Op::SignExtend } else { Op::ZeroExtend }, &[to - from], &[term])
}

/// `extend(a, n)`: with the sign for signed words.
pub(super) fn extend(terms: &mut Terms, a: (TermId, bool, u32), by: u32) -> Made {
    let width = a.2.checked_add(by).ok_or("the word is too long")?;
    Ok(Val::Term(extended(terms, a.0, a.1, a.2, width)?, Ty::Word(a.1, width)))
}

/// `resize(a, n)`: a signed word that becomes shorter keeps its sign.
pub(super) fn resize(terms: &mut Terms, a: (TermId, bool, u32), width: u32) -> Made {
    let (term, signed, from) = a;
    if width == 0 {
        return Err("a word has one bit at least".into());
    }
    if width >= from {
        return extend(terms, a, width - from);
    }
    let made = if !signed {
        indexed(terms, Op::Extract, &[width - 1, 0], &[term])?
    } else {
        let sign = indexed(terms, Op::Extract, &[from - 1, from - 1], &[term])?;
        match width {
            1 => sign,
            _ => {
                let rest = indexed(terms, Op::Extract, &[width - 2, 0], &[term])?;
                app(terms, Op::Concat, &[sign, rest])?
            }
        }
    };
    Ok(Val::Term(made, Ty::Word(signed, width)))
}

/// `toint`.
pub(super) fn to_int(terms: &mut Terms, term: TermId, ty: &Ty) -> Made {
    let made = match ty {
        Ty::Int => term,
        Ty::Word(true, _) => app(terms, Op::SbvToInt, &[term])?,
        Ty::Word(false, _) => app(terms, Op::UbvToInt, &[term])?,
        Ty::Bool => {
            let (one, zero) = (terms.int(1), terms.int(0));
            app(terms, Op::Ite, &[term, one, zero])?
        }
        _ => return Err(format!("`toint` is not for {}", ty.text())),
    };
    Ok(Val::Term(made, Ty::Int))
}

/// `word1`.
pub(super) fn word1(terms: &mut Terms, term: TermId) -> Made {
    let (one, zero) = (terms.bits(1, UBig::ONE), terms.bits(1, UBig::ZERO));
    Ok(Val::Term(app(terms, Op::Ite, &[term, one, zero])?, Ty::Word(false, 1)))
}

/// `bool`.
pub(super) fn to_bool(terms: &mut Terms, term: TermId, ty: &Ty) -> Made {
    let zero = match ty {
        Ty::Bool => return Ok(Val::bool(term)),
        Ty::Word(_, 1) => terms.bits(1, UBig::ZERO),
        Ty::Int => terms.int(0),
        _ => return Err(format!("`bool` is not for {}", ty.text())),
    };
    let equal = app(terms, Op::Eq, &[term, zero])?;
    Ok(Val::bool(terms.not(equal)))
}
