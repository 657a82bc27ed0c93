//! Terms made smaller without changing what they mean: values are put in, what is computed from values is computed, and
//! connectives that decide nothing are left out.
//!
//! Linear in the size of the term graph; what is shared is looked at once. A term whose value SMT-LIB leaves open, such as a
//! quotient by zero, stays as it is.

use crate::eval::Evaluator;
use crate::op::Op;
use crate::sort::SortId;
use crate::subst::{rebuild, replace};
use crate::term::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Steps that computing one term may take; its arguments are values, so this is plenty.
const FUEL: u64 = 1_000;

/// Parts of a part are taken up only if they are not more, so that a long chain of connectives stays a chain: taking up all of
/// them at each link would be quadratic.
const MANY: usize = 64;

/// Simplifies terms that share parts, with terms in the place of others.
#[derive(Clone, Debug, Default)]
pub struct Simplifier {
    map: FxHashMap<TermId, TermId>,
    done: FxHashMap<TermId, TermId>,
}

impl Simplifier {
    /// What is put in the place of terms, which are constants or formulas; both have equal sorts.
    #[must_use]
    pub fn with(map: FxHashMap<TermId, TermId>) -> Simplifier {
        Simplifier { done: map.clone(), map }
    }

    /// A simpler term that means the same after the replacement.
    pub fn apply(&mut self, terms: &mut Terms, root: TermId) -> TermId {
        let mut todo = vec![(root, false)];
        while let Some((term, ready)) = todo.pop() {
            if self.done.contains_key(&term) {
                continue;
            }
            if terms.op(term).is_binder() {
                // Below binders names may have to change, which the kernel knows how to do.
                let new = if self.map.is_empty() { term } else { replace(terms, term, &self.map) };
                self.done.insert(term, new);
                continue;
            }
            if !ready && !terms.args(term).is_empty() {
                todo.push((term, true));
                todo.extend(terms.args(term).iter().map(|&arg| (arg, false)));
                continue;
            }
            let args: Vec<TermId> = terms.args(term).iter().map(|arg| self.done[arg]).collect();
            let new = simpler(terms, term, &args);
            self.done.insert(term, new);
        }
        self.done[&root]
    }
}

/// A simpler term that means the same.
pub fn simplify(terms: &mut Terms, root: TermId) -> TermId {
    Simplifier::default().apply(terms, root)
}

/// True for literals and negated ones: terms that are written like their values.
#[must_use]
pub fn is_value(terms: &Terms, term: TermId) -> bool {
    match terms.op(term) {
        Op::True | Op::False => true,
        Op::Neg => terms.literal(terms.args(term)[0]).is_some(),
        _ => terms.literal(term).is_some(),
    }
}

/// `term` with other arguments, which are simplified already.
fn simpler(terms: &mut Terms, term: TermId, args: &[TermId]) -> TermId {
    let found = match (terms.op(term), args) {
        (Op::And, _) => Some(joined(terms, args, true)),
        (Op::Or, _) => Some(joined(terms, args, false)),
        (Op::Not, &[arg]) => Some(terms.not(arg)),
        (Op::Implies, [conditions @ .., conclusion]) => {
            let mut parts: Vec<TermId> = conditions.iter().map(|&condition| terms.not(condition)).collect();
            parts.push(*conclusion);
            Some(joined(terms, &parts, false))
        }
        (Op::Ite, &[condition, then, otherwise]) => chosen(terms, condition, then, otherwise),
        (Op::Eq, &[left, right]) => equal(terms, left, right),
        (Op::Distinct | Op::Xor, &[left, right]) if terms.sort(left) == SortId::BOOL => {
            let right = terms.not(right);
            equal(terms, left, right)
        }
        (Op::Distinct, &[left, right]) => equal(terms, left, right).map(|same| terms.not(same)),
        _ => None,
    };
    found.or_else(|| computed(terms, term, args)).unwrap_or_else(|| rebuild(terms, term, args))
}

/// What a term is whose arguments are values.
fn computed(terms: &mut Terms, term: TermId, args: &[TermId]) -> Option<TermId> {
    if args.is_empty() || terms.applied(term).is_some() || !args.iter().all(|&arg| is_value(terms, arg)) {
        return None;
    }
    let term = rebuild(terms, term, args);
    if is_value(terms, term) {
        return Some(term);
    }
    let mut evaluator = Evaluator::new(terms).with_fuel(FUEL);
    let value = evaluator.eval(term, &mut ()).ok()?;
    if evaluator.unspecified().is_some() {
        return None;
    }
    let value = value.to_term(terms);
    (terms.sort(value) == terms.sort(term) && is_value(terms, value)).then_some(value)
}

/// A conjunction or disjunction without parts that decide nothing or come twice.
fn joined(terms: &mut Terms, args: &[TermId], all: bool) -> TermId {
    let (op, neutral, deciding) = match all {
        true => (Op::And, TermId::TRUE, TermId::FALSE),
        false => (Op::Or, TermId::FALSE, TermId::TRUE),
    };
    let (mut parts, mut seen) = (Vec::new(), FxHashSet::default());
    for &arg in args {
        let is_short = terms.op(arg) == op && terms.args(arg).len() <= MANY;
        let inner = if is_short { terms.args(arg).to_vec() } else { vec![arg] };
        for part in inner.into_iter().filter(|&part| part != neutral) {
            if part == deciding || seen.contains(&terms.not(part)) {
                return deciding;
            }
            if seen.insert(part) {
                parts.push(part);
            }
        }
    }
    if all { terms.and(&parts) } else { terms.or(&parts) }
}

fn chosen(terms: &mut Terms, condition: TermId, then: TermId, otherwise: TermId) -> Option<TermId> {
    match (condition, then, otherwise) {
        (TermId::TRUE, _, _) => Some(then),
        (TermId::FALSE, _, _) => Some(otherwise),
        _ if then == otherwise => Some(then),
        (_, TermId::TRUE, TermId::FALSE) => Some(condition),
        (_, TermId::FALSE, TermId::TRUE) => Some(terms.not(condition)),
        (_, TermId::TRUE, _) => Some(joined(terms, &[condition, otherwise], false)),
        (_, TermId::FALSE, _) => {
            let not = terms.not(condition);
            Some(joined(terms, &[not, otherwise], true))
        }
        (_, _, TermId::FALSE) => Some(joined(terms, &[condition, then], true)),
        (_, _, TermId::TRUE) => {
            let not = terms.not(condition);
            Some(joined(terms, &[not, then], false))
        }
        _ => None,
    }
}

/// An equation that is decided, is about truth, or compares a choice between values with a value.
fn equal(terms: &mut Terms, left: TermId, right: TermId) -> Option<TermId> {
    if left == right {
        return Some(TermId::TRUE);
    }
    if terms.sort(left) == SortId::BOOL {
        return match (left, right) {
            (TermId::TRUE, other) | (other, TermId::TRUE) => Some(other),
            (TermId::FALSE, other) | (other, TermId::FALSE) => Some(terms.not(other)),
            _ if terms.not(left) == right => Some(TermId::FALSE),
            _ => None,
        };
    }
    let (choice, value) = if is_value(terms, right) { (left, right) } else { (right, left) };
    if terms.op(choice) != Op::Ite || !is_value(terms, value) {
        return None;
    }
    selected(terms, choice, value)
}

/// When a chain of choices between values is a value.
fn selected(terms: &mut Terms, choice: TermId, value: TermId) -> Option<TermId> {
    let (mut links, mut last) = (Vec::new(), choice);
    while let (Op::Ite, &[condition, then, otherwise]) = (terms.op(last), terms.args(last)) {
        if !is_value(terms, then) {
            break;
        }
        links.push((condition, compared(terms, then, value)?));
        last = otherwise;
    }
    if links.is_empty() {
        return None;
    }
    let mut found = compared(terms, last, value)?;
    for (condition, same) in links.into_iter().rev() {
        found = chosen(terms, condition, same, found)?;
    }
    Some(found)
}

/// Whether a term is a value.
fn compared(terms: &mut Terms, term: TermId, value: TermId) -> Option<TermId> {
    if term == value {
        return Some(TermId::TRUE);
    }
    let equation = terms.app(Op::Eq, &[term, value]).ok()?;
    if !is_value(terms, term) {
        return Some(equation);
    }
    let args = terms.args(equation).to_vec();
    computed(terms, equation, &args)
}
