//! Operators.

use super::types::{Ty, Val};
use super::words::{self, app};
use dashu_int::{IBig, UBig};
use rustc_hash::FxHashMap;
use smt::eval::Evaluator;
use smt::op::Op;
use smt::term::{TermId, Terms};
use smt::value::Value;

/// A temporal operator reaches no further than so many steps: each is a part of the formula.
const STEPS: u32 = 1000;

type Made = Result<Val, String>;

/// A single value, or a message.
pub(super) fn one(val: Val) -> Result<(TermId, Ty), String> {
    match val {
        Val::Term(term, ty) => Ok((term, ty)),
        other => Err(format!("{} cannot be used here", other.text())),
    }
}

/// A Boolean value.
pub(super) fn boolean(terms: &mut Terms, val: Val) -> Result<TermId, String> {
    match one(val)? {
        (term, Ty::Bool) => Ok(term),
        (term, Ty::Int) => truth(terms, term).ok_or_else(|| "expected boolean, found integer".into()),
        (_, ty) => Err(format!("expected boolean, found {}", ty.text())),
    }
}

/// A choice between the numbers 0 and 1 as a truth value: old models write them so.
fn truth(terms: &mut Terms, root: TermId) -> Option<TermId> {
    let (zero, one) = (terms.int(0), terms.int(1));
    choices(terms, root, |_, leaf| match leaf {
        _ if leaf == zero => Some(TermId::FALSE),
        _ if leaf == one => Some(TermId::TRUE),
        _ => None,
    })
}

/// A choice between values with other values in their place.
pub(super) fn choices(
    terms: &mut Terms,
    root: TermId,
    leaf: impl Fn(&mut Terms, TermId) -> Option<TermId>,
) -> Option<TermId> {
    let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut todo = vec![root];
    while let Some(&term) = todo.last() {
        let made = match (terms.op(term), terms.args(term)) {
            (Op::Ite, &[test, then, other]) => match (known.get(&then), known.get(&other)) {
                (Some(&then), Some(&other)) => terms.app(Op::Ite, &[test, then, other]).ok()?,
                _ => {
                    todo.extend([then, other]);
                    continue;
                }
            },
            _ => leaf(terms, term)?,
        };
        known.insert(term, made);
        todo.pop();
    }
    known.get(&root).copied()
}

/// The number that a constant expression is.
pub(super) fn constant(terms: &Terms, val: &Val) -> Result<IBig, String> {
    if let Val::Term(term, Ty::Int | Ty::Word(..)) = val
        && let Ok(value) = Evaluator::new(terms).eval(*term, &mut ())
    {
        match value {
            Value::Int(number) => return Ok(number),
            Value::BitVec { value, .. } => return Ok(IBig::from(value)),
            _ => {}
        }
    }
    Err("expected a constant number".into())
}

/// A constant that fits into 32 bits.
pub(super) fn small(terms: &Terms, val: &Val) -> Result<u32, String> {
    u32::try_from(constant(terms, val)?).map_err(|_| "the number is negative or too large".into())
}

/// Two values as values of one type.
pub(super) fn unify(terms: &mut Terms, a: Val, b: Val) -> Result<(TermId, TermId, Ty), String> {
    let ((a, first), (b, second)) = (one(a)?, one(b)?);
    match (&first, &second) {
        _ if first == second => Ok((a, b, first)),
        (Ty::Bool, Ty::Int) if let Some(b) = truth(terms, b) => Ok((a, b, Ty::Bool)),
        (Ty::Int, Ty::Bool) if let Some(a) = truth(terms, a) => Ok((a, b, Ty::Bool)),
        (Ty::Int, Ty::Real) => Ok((app(terms, Op::ToReal, &[a])?, b, Ty::Real)),
        (Ty::Real, Ty::Int) => Ok((a, app(terms, Op::ToReal, &[b])?, Ty::Real)),
        _ => Err(format!("{} and {} do not go together", first.text(), second.text())),
    }
}

/// An operator before its operand.
pub(super) fn prefix(terms: &mut Terms, mark: &str, val: Val) -> Made {
    let (mut term, mut ty) = one(val)?;
    if let (Ty::Int, false) = (&ty, mark == "-")
        && let Some(made) = truth(terms, term)
    {
        (term, ty) = (made, Ty::Bool);
    }
    match (mark, &ty) {
        ("!", Ty::Bool) => Ok(Val::bool(terms.not(term))),
        ("!", Ty::Word(..)) => Ok(Val::Term(app(terms, Op::BvNot, &[term])?, ty)),
        ("-", Ty::Int | Ty::Real) => Ok(Val::Term(app(terms, Op::Neg, &[term])?, ty)),
        ("-", Ty::Word(..)) => Ok(Val::Term(app(terms, Op::BvNeg, &[term])?, ty)),
        (_, Ty::Bool) => {
            let op = match mark {
                "X" => Op::LtlNext,
                "G" => Op::LtlGlobally,
                "F" => Op::LtlFinally,
                "Y" => Op::LtlYesterday,
                "Z" => Op::LtlWeakYesterday,
                "H" => Op::LtlHistorically,
                "O" => Op::LtlOnce,
                _ => return Err(format!("`{mark}` is not supported")),
            };
            Ok(Val::bool(app(terms, op, &[term])?))
        }
        _ => Err(format!("`{mark}` is not for {}", ty.text())),
    }
}

/// An operator between its operands.
pub(super) fn infix(terms: &mut Terms, mark: &str, a: Val, b: Val) -> Made {
    match mark {
        "in" => return Ok(Val::bool(member(terms, a, b)?)),
        ".." => return Ok(Val::Range(constant(terms, &a)?, constant(terms, &b)?)),
        "::" => {
            let ((a, first), (b, second)) = (one(a)?, one(b)?);
            let (Ty::Word(_, m), Ty::Word(_, n)) = (&first, &second) else {
                return Err(format!("`::` is not for {} and {}", first.text(), second.text()));
            };
            return words::concat(terms, (a, *m), (b, *n));
        }
        "<<" | ">>" => return shift(terms, mark == "<<", a, b),
        "=" | "!=" if matches!((&a, &b), (Val::List(..), Val::List(..))) => {
            let equal = same_elements(terms, a, b)?;
            return Ok(Val::bool(if mark == "=" { equal } else { terms.not(equal) }));
        }
        _ => {}
    }
    let (mut a, mut b, mut ty) = unify(terms, a, b)?;
    if ty == Ty::Int
        && matches!(mark, "&" | "|" | "xor" | "xnor" | "->" | "<->" | "U" | "V" | "R" | "S" | "T")
        && let (Some(first), Some(second)) = (truth(terms, a), truth(terms, b))
    {
        (a, b, ty) = (first, second, Ty::Bool);
    }
    match (mark, &ty) {
        ("=" | "!=", _) => {
            let equal = app(terms, Op::Eq, &[a, b])?;
            Ok(Val::bool(if mark == "=" { equal } else { terms.not(equal) }))
        }
        (_, Ty::Word(signed, width)) => words::binary(terms, mark, a, b, (*signed, *width)),
        (_, Ty::Bool) => logic(terms, mark, a, b),
        (_, Ty::Int | Ty::Real) => arithmetic(terms, mark, a, b, ty),
        _ => Err(format!("`{mark}` is not for {}", ty.text())),
    }
}

/// What says that two arrays over ranges have the same elements.
fn same_elements(terms: &mut Terms, a: Val, b: Val) -> Result<TermId, String> {
    let (mut todo, mut found) = (vec![(a, b)], Vec::new());
    while let Some(pair) = todo.pop() {
        match pair {
            (Val::List(a), Val::List(b)) => {
                if a.low != b.low || a.items.len() != b.items.len() {
                    return Err("arrays with different indices do not go together".into());
                }
                todo.extend(a.items.iter().cloned().zip(b.items.iter().cloned()).rev());
            }
            (a, b) => {
                let (a, b, _) = unify(terms, a, b)?;
                found.push(app(terms, Op::Eq, &[a, b])?);
            }
        }
    }
    Ok(terms.and(&found))
}

fn logic(terms: &mut Terms, mark: &str, a: TermId, b: TermId) -> Made {
    let op = match mark {
        "&" => Op::And,
        "|" => Op::Or,
        "xor" => Op::Xor,
        "<->" | "xnor" => Op::Eq,
        "->" => Op::Implies,
        "U" => Op::LtlUntil,
        "V" | "R" => Op::LtlRelease,
        "S" => Op::LtlSince,
        "T" => {
            // What was triggered is what did not fail since.
            let (a, b) = (terms.not(a), terms.not(b));
            let since = app(terms, Op::LtlSince, &[a, b])?;
            return Ok(Val::bool(terms.not(since)));
        }
        _ => return Err(format!("`{mark}` is not for boolean")),
    };
    Ok(Val::bool(app(terms, op, &[a, b])?))
}

fn arithmetic(terms: &mut Terms, mark: &str, a: TermId, b: TermId, ty: Ty) -> Made {
    let op = match (mark, &ty) {
        ("+", _) => Op::Add,
        ("-", _) => Op::Sub,
        ("*", _) => Op::Mul,
        ("/", Ty::Real) => Op::Div,
        ("/", Ty::Int) => return truncated(terms, Op::IntDiv, a, b),
        ("mod", Ty::Int) => return truncated(terms, Op::Mod, a, b),
        ("<" | "<=" | ">" | ">=", _) => {
            let op = match mark {
                "<" => Op::Lt,
                "<=" => Op::Le,
                ">" => Op::Gt,
                _ => Op::Ge,
            };
            return Ok(Val::bool(app(terms, op, &[a, b])?));
        }
        _ => return Err(format!("`{mark}` is not for {}", ty.text())),
    };
    Ok(Val::Term(app(terms, op, &[a, b])?, ty))
}

/// Division towards zero, and the remainder with the sign of the dividend: those of SMT-LIB for the absolute value of the
/// dividend, with its sign.
fn truncated(terms: &mut Terms, op: Op, a: TermId, b: TermId) -> Made {
    let zero = terms.int(0);
    let sign = app(terms, Op::Ge, &[a, zero])?;
    let positive = app(terms, op, &[a, b])?;
    let minus = app(terms, Op::Neg, &[a])?;
    let negative = app(terms, op, &[minus, b])?;
    let negative = app(terms, Op::Neg, &[negative])?;
    Ok(Val::Term(app(terms, Op::Ite, &[sign, positive, negative])?, Ty::Int))
}

/// `F [2, 5] p`: the operator, about so many steps.
pub(super) fn within(terms: &mut Terms, mark: &str, body: Val, from: &Val, to: &Val) -> Made {
    let (from, to) = (small(terms, from)?, small(terms, to)?);
    if from > to || to > STEPS {
        return Err(format!("the steps {from} to {to} are none, or more than {STEPS}"));
    }
    let body = boolean(terms, body)?;
    let (step, joins) = match mark {
        "F" => (Op::LtlNext, Op::Or),
        "G" => (Op::LtlNext, Op::And),
        "O" => (Op::LtlYesterday, Op::Or),
        _ => (Op::LtlWeakYesterday, Op::And),
    };
    let mut made = body;
    for at in (0..to).rev() {
        made = app(terms, step, &[made])?;
        if at >= from {
            made = app(terms, joins, &[body, made])?;
        }
    }
    Ok(Val::bool(made))
}

fn shift(terms: &mut Terms, left: bool, a: Val, n: Val) -> Made {
    let (a, ty) = one(a)?;
    let Ty::Word(signed, width) = ty else { return Err(format!("a shift is not for {}", ty.text())) };
    let n = match one(n)? {
        (n, Ty::Word(_, own)) => (n, own),
        (n, Ty::Int) => {
            let by = small(terms, &Val::Term(n, Ty::Int))?;
            if by > width {
                return Err(format!("a word of {width} bits cannot be shifted by {by}"));
            }
            // One bit more than the width needs, so that the width itself fits.
            let bits = 33.max(width);
            (terms.bits(bits, UBig::from(by)), bits)
        }
        (_, ty) => return Err(format!("a shift cannot be by {}", ty.text())),
    };
    words::shift(terms, left, (a, signed, width), n)
}

/// A set of all elements.
pub(super) fn union(items: Vec<Val>) -> Val {
    let mut found = Vec::new();
    for item in items {
        match item {
            Val::Any(inner) => found.extend(inner),
            other => found.push((TermId::TRUE, other)),
        }
    }
    Val::Any(found)
}

/// `a` is one of `b`.
pub(super) fn member(terms: &mut Terms, a: Val, b: Val) -> Result<TermId, String> {
    let items = match b {
        Val::Any(items) => items,
        other => vec![(TermId::TRUE, other)],
    };
    let mut found = Vec::new();
    for (guard, item) in items {
        let fits = match item {
            Val::Range(low, high) => {
                let (low, high) = (terms.int(low), terms.int(high));
                let at_least = infix(terms, ">=", a.clone(), Val::Term(low, Ty::Int))?;
                let at_most = infix(terms, "<=", a.clone(), Val::Term(high, Ty::Int))?;
                let both = [boolean(terms, at_least)?, boolean(terms, at_most)?];
                terms.and(&both)
            }
            item => {
                let equal = infix(terms, "=", a.clone(), item)?;
                boolean(terms, equal)?
            }
        };
        found.push(if guard == TermId::TRUE { fits } else { terms.and(&[guard, fits]) });
    }
    Ok(terms.or(&found))
}

/// `case`: conditions and values in turn. The last condition must hold when no other does, so it is not looked at.
pub(super) fn case(terms: &mut Terms, parts: Vec<Val>) -> Made {
    let mut branches = Vec::new();
    let mut parts = parts.into_iter();
    while let (Some(test), Some(value)) = (parts.next(), parts.next()) {
        branches.push((boolean(terms, test)?, value));
    }
    if branches.iter().any(|(_, value)| !matches!(value, Val::Term(..))) {
        return Ok(guarded(terms, branches));
    }
    let Some((_, mut made)) = branches.pop() else { return Err("a case without a branch".into()) };
    for (test, value) in branches.into_iter().rev() {
        let (then, other, ty) = unify(terms, value, made)?;
        made = Val::Term(app(terms, Op::Ite, &[test, then, other])?, ty);
    }
    Ok(made)
}

/// Branches with sets of values.
fn guarded(terms: &mut Terms, branches: Vec<(TermId, Val)>) -> Val {
    let (mut found, mut rest, last) = (Vec::new(), TermId::TRUE, branches.len());
    for (at, (test, value)) in branches.into_iter().enumerate() {
        let guard = if at + 1 == last { rest } else { terms.and(&[rest, test]) };
        match value {
            Val::Any(items) => {
                found.extend(items.into_iter().map(|(inner, item)| (terms.and(&[guard, inner]), item)));
            }
            value => found.push((guard, value)),
        }
        let not = terms.not(test);
        rest = terms.and(&[rest, not]);
    }
    Val::Any(found)
}
