//! Simplification while terms are built. A step of a program whose inputs are known is then a literal again, so a loop
//! that decides nothing is followed without asking a solver.
//!
//! Only what is equal in every model is replaced: where SMT-LIB leaves a value open, the term stays.

use smt::eval::Evaluator;
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::rebuild;
use smt::term::{Const, Role, TermId, Terms};

/// The budget of one evaluation.
const FUEL: u64 = 100_000;

/// The term `old` with these arguments in place of its own, simplified. The arguments have the sorts of the old ones.
pub(super) fn apply(terms: &mut Terms, old: TermId, args: &[TermId]) -> TermId {
    if args.is_empty() {
        return old;
    }
    let op = terms.op(old);
    match op {
        Op::And => return junction(terms, Op::And, args),
        Op::Or => return junction(terms, Op::Or, args),
        Op::Not => return terms.not(args[0]),
        Op::Implies => return implies(terms, args),
        Op::Ite => return ite(terms, args[0], args[1], args[2]),
        Op::Eq | Op::Le | Op::Ge if args.len() == 2 && args[0] == args[1] => return TermId::TRUE,
        Op::Lt | Op::Gt | Op::Distinct if args.len() == 2 && args[0] == args[1] => return TermId::FALSE,
        Op::Eq if args.len() == 2 && terms.sort(args[0]) == SortId::BOOL => return iff(terms, args),
        Op::Select => return select(terms, old, args),
        Op::Store => return store(terms, old, args),
        _ => {}
    }
    if let Some(value) = small(terms, op, args) {
        return value;
    }
    if args.iter().all(|&arg| is_value(terms, arg)) && is_computable(terms, old) {
        let term = rebuild(terms, old, args);
        return computed(terms, term).unwrap_or(term);
    }
    match op {
        Op::Add => sum(terms, old, args),
        Op::Sub if args.len() == 2 && terms.sort(old) == SortId::INT => difference(terms, old, args),
        Op::Mul => product(terms, old, args),
        _ => rebuild(terms, old, args),
    }
}

/// The conjunction of two formulas.
pub(super) fn both(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    match (a, b) {
        (TermId::TRUE, other) | (other, TermId::TRUE) => other,
        (TermId::FALSE, _) | (_, TermId::FALSE) => TermId::FALSE,
        _ if a == b => a,
        _ if terms.not(a) == b => TermId::FALSE,
        _ => terms.and(&[a, b]),
    }
}

/// Conjunction or disjunction of any number of formulas.
pub(super) fn junction(terms: &mut Terms, op: Op, args: &[TermId]) -> TermId {
    let (unit, zero) =
        if op == Op::And { (TermId::TRUE, TermId::FALSE) } else { (TermId::FALSE, TermId::TRUE) };
    let mut kept: Vec<TermId> = Vec::with_capacity(args.len());
    for &arg in args {
        if arg == zero || (args.len() < 8 && kept.contains(&terms.not(arg))) {
            return zero;
        }
        if arg != unit && (args.len() >= 8 || !kept.contains(&arg)) {
            kept.push(arg);
        }
    }
    match kept[..] {
        [] => unit,
        [one] => one,
        // Formulas are the arguments of both.
        _ => terms.app(op, &kept).unwrap_or(zero),
    }
}

fn implies(terms: &mut Terms, args: &[TermId]) -> TermId {
    let Some((&last, before)) = args.split_last() else { return TermId::TRUE };
    let mut cases: Vec<TermId> = before.iter().map(|&arg| terms.not(arg)).collect();
    cases.push(last);
    junction(terms, Op::Or, &cases)
}

fn iff(terms: &mut Terms, args: &[TermId]) -> TermId {
    match (args[0], args[1]) {
        (TermId::TRUE, other) | (other, TermId::TRUE) => other,
        (TermId::FALSE, other) | (other, TermId::FALSE) => terms.not(other),
        (a, b) if terms.not(a) == b => TermId::FALSE,
        (a, b) => equal(terms, a, b),
    }
}

/// Equality of two terms of one sort.
pub(super) fn equal(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    if a == b {
        return TermId::TRUE;
    }
    if is_value(terms, a) && is_value(terms, b) && has_unique_values(terms, a) {
        return TermId::FALSE;
    }
    terms.app(Op::Eq, &[a, b]).unwrap_or(TermId::FALSE)
}

/// `ite` with the obvious simplifications.
pub(super) fn ite(terms: &mut Terms, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
    match condition {
        TermId::TRUE => return then,
        TermId::FALSE => return otherwise,
        _ if then == otherwise => return then,
        _ => {}
    }
    match (then, otherwise) {
        (TermId::TRUE, TermId::FALSE) => condition,
        (TermId::FALSE, TermId::TRUE) => terms.not(condition),
        // Both branches have one sort.
        _ => terms.app(Op::Ite, &[condition, then, otherwise]).unwrap_or(TermId::ERROR),
    }
}

/// True for literals, and negations and quotients of them.
pub(super) fn is_value(terms: &Terms, term: TermId) -> bool {
    match terms.op(term) {
        Op::True | Op::False | Op::Const => true,
        Op::Neg => terms.op(terms.args(term)[0]) == Op::Const,
        Op::Div => terms.args(term).iter().all(|&arg| terms.op(arg) == Op::Const),
        _ => false,
    }
}

/// Sorts for which different value terms are different values.
fn has_unique_values(terms: &Terms, term: TermId) -> bool {
    let sort = terms.sort(term);
    sort == SortId::BOOL || sort == SortId::INT || terms.sorts.width(sort).is_some()
}

fn is_computable(terms: &Terms, term: TermId) -> bool {
    if terms.op(term).is_binder() {
        return false;
    }
    match terms.applied(term) {
        Some(fun) => matches!(terms.fun(fun).role, Role::Defined(..) | Role::Recursive(_)),
        None => true,
    }
}

/// The value of a ground term as a literal; none where SMT-LIB leaves it open or it has no literal.
fn computed(terms: &mut Terms, term: TermId) -> Option<TermId> {
    let mut evaluator = Evaluator::new(terms).with_fuel(FUEL);
    let value = evaluator.eval(term, &mut ()).ok()?;
    if evaluator.unspecified().is_some() {
        return None;
    }
    Some(value.to_term(terms))
}

/// A literal that fits into a machine word.
fn small_int(terms: &Terms, term: TermId) -> Option<i128> {
    let nat = |term| match terms.literal(term) {
        Some(Const::Nat(value)) => i64::try_from(value).ok().map(i128::from),
        _ => None,
    };
    if terms.op(term) == Op::Neg { nat(terms.args(term)[0]).map(|value| -value) } else { nat(term) }
}

/// The operators of most loops on small literals, without the evaluator.
fn small(terms: &mut Terms, op: Op, args: &[TermId]) -> Option<TermId> {
    let &[a, b] = args else { return None };
    let (a, b) = (small_int(terms, a)?, small_int(terms, b)?);
    let number = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::IntDiv if b != 0 => a.div_euclid(b),
        Op::Mod if b != 0 => a.rem_euclid(b),
        _ => {
            let truth = match op {
                Op::Lt => a < b,
                Op::Le => a <= b,
                Op::Gt => a > b,
                Op::Ge => a >= b,
                Op::Eq => a == b,
                Op::Distinct => a != b,
                _ => return None,
            };
            return Some(terms.bool(truth));
        }
    };
    Some(terms.int(number))
}

/// A sum with its integer literals added up, also those of a sum inside it.
fn sum(terms: &mut Terms, old: TermId, args: &[TermId]) -> TermId {
    if terms.sort(old) != SortId::INT {
        return rebuild(terms, old, args);
    }
    let (mut rest, mut literal) = (Vec::with_capacity(args.len() + 1), 0i128);
    for &arg in args {
        let inner = if terms.op(arg) == Op::Add { terms.args(arg).to_vec() } else { vec![arg] };
        for part in inner {
            match small_int(terms, part).and_then(|value| literal.checked_add(value)) {
                Some(value) => literal = value,
                None => rest.push(part),
            }
        }
    }
    if literal != 0 {
        rest.push(terms.int(literal));
    }
    match rest[..] {
        [] => terms.int(0),
        [one] => one,
        // All parts are integers.
        _ => terms.app(Op::Add, &rest).unwrap_or(TermId::ERROR),
    }
}

/// `x - c` as `x + -c`, so that literals of both kinds are added up.
fn difference(terms: &mut Terms, old: TermId, args: &[TermId]) -> TermId {
    if args[0] == args[1] {
        return terms.int(0);
    }
    match small_int(terms, args[1]) {
        Some(value) => {
            let negated = terms.int(-value);
            sum(terms, old, &[args[0], negated])
        }
        None => rebuild(terms, old, args),
    }
}

fn product(terms: &mut Terms, old: TermId, args: &[TermId]) -> TermId {
    if let &[a, b] = args {
        match (small_int(terms, a), small_int(terms, b)) {
            (Some(0), _) => return a,
            (_, Some(0)) => return b,
            (Some(1), _) => return b,
            (_, Some(1)) => return a,
            _ => {}
        }
    }
    rebuild(terms, old, args)
}

/// Reading an array past writes to other places.
fn select(terms: &mut Terms, old: TermId, args: &[TermId]) -> TermId {
    let (mut array, index) = (args[0], args[1]);
    loop {
        match terms.op(array) {
            Op::ConstArray => return terms.args(array)[0],
            Op::Store => {
                let &[inner, at, value] = terms.args(array) else { break };
                if at == index {
                    return value;
                }
                let apart = is_value(terms, at) && is_value(terms, index) && has_unique_values(terms, index);
                if !apart {
                    break;
                }
                array = inner;
            }
            _ => break,
        }
    }
    rebuild(terms, old, &[array, index])
}

/// Writing to a place that was just written.
fn store(terms: &mut Terms, old: TermId, args: &[TermId]) -> TermId {
    if terms.op(args[0]) == Op::Store
        && let &[inner, at, _] = terms.args(args[0])
        && at == args[1]
    {
        return rebuild(terms, old, &[inner, at, args[2]]);
    }
    rebuild(terms, old, args)
}
