//! Arguments that are one constant in everything that can be derived, and what follows from that.

use super::clause::{Clause, Condition, Head};
use rustc_hash::FxHashMap;
use smt::eval::{Assignment, Evaluator};
use smt::op::Op;
use smt::subst::replace;
use smt::term::{TermId, Terms};

/// Steps that computing one term may take.
const FUEL: u64 = 2_000;

/// What is known about an argument: nothing derives it yet, it is one constant, or anything.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Unseen,
    One(TermId),
    Any,
}

impl Value {
    fn join(self, other: Value) -> Value {
        match (self, other) {
            (Value::Unseen, other) | (other, Value::Unseen) => other,
            _ if self == other => self,
            _ => Value::Any,
        }
    }
}

/// Puts constants in place, and leaves out clauses that derive nothing. For each predicate the constants among its
/// arguments; none for a predicate that cannot be derived.
pub(super) fn propagate(
    terms: &mut Terms,
    clauses: &mut Vec<Clause>,
    arities: &[usize],
) -> Vec<Option<Vec<Option<TermId>>>> {
    let mut derived = vec![false; arities.len()];
    let mut values: Vec<Vec<Value>> = arities.iter().map(|&arity| vec![Value::Unseen; arity]).collect();
    loop {
        let mut grown = false;
        for clause in clauses.iter() {
            let Some(clause) = instance(terms, clause, &derived, &values) else { continue };
            let Head::Atom((number, args)) = clause.head else { continue };
            grown |= !std::mem::replace(&mut derived[number], true);
            for (value, arg) in values[number].iter_mut().zip(args) {
                let new = computed(terms, arg).map_or(Value::Any, Value::One);
                let joined = value.join(new);
                grown |= joined != *value;
                *value = joined;
            }
        }
        if !grown {
            break;
        }
    }
    let old = std::mem::take(clauses);
    clauses.extend(old.iter().filter_map(|clause| instance(terms, clause, &derived, &values)));
    let constant = |value: &Value| match value {
        Value::One(term) => Some(*term),
        _ => None,
    };
    let of = |(derived, values): (bool, Vec<Value>)| derived.then(|| values.iter().map(constant).collect());
    derived.into_iter().zip(values).map(of).collect()
}

/// A clause with what is known about the arguments of its predicates put in place; none when it derives nothing.
fn instance(terms: &mut Terms, clause: &Clause, derived: &[bool], values: &[Vec<Value>]) -> Option<Clause> {
    if clause.atoms.iter().any(|atom| !derived[atom.0]) {
        return None;
    }
    let (mut map, mut equal) = (FxHashMap::default(), Vec::new());
    for (number, args) in &clause.atoms {
        for (&arg, value) in args.iter().zip(&values[*number]) {
            let Value::One(constant) = *value else { continue };
            if terms.variable(arg).is_none() {
                equal.push((arg, constant));
            } else if *map.entry(arg).or_insert(constant) != constant {
                return None;
            }
        }
    }
    let mut clause = clause.replaced(terms, &map);
    for (arg, constant) in equal {
        // Both have the sort of the argument; what cannot be said is no condition.
        let arg = replace(terms, arg, &map);
        clause.conditions.extend(terms.app(Op::Eq, &[arg, constant]).ok().map(Condition::Plain));
    }
    let mut conditions = Vec::new();
    for condition in clause.conditions {
        match condition {
            Condition::Plain(formula) => match computed(terms, formula) {
                Some(TermId::TRUE) => {}
                Some(TermId::FALSE) => return None,
                _ => conditions.push(Condition::Plain(formula)),
            },
            Condition::Way(way, mut cases) => {
                cases.retain_mut(|case| {
                    case.retain(|&formula| computed(terms, formula) != Some(TermId::TRUE));
                    !case.iter().any(|&formula| computed(terms, formula) == Some(TermId::FALSE))
                });
                conditions.push(Condition::Way(way, cases));
            }
        }
    }
    clause.conditions = conditions;
    match clause.head {
        Head::Formula(formula) if computed(terms, formula) == Some(TermId::TRUE) => None,
        _ => Some(clause),
    }
}

/// The constant that a term without variables is; none when it depends on something, or is not specified.
fn computed(terms: &mut Terms, term: TermId) -> Option<TermId> {
    if is_literal(terms, term) {
        return Some(term);
    }
    if terms.has_vars(term) {
        return None;
    }
    let mut evaluator = Evaluator::new(terms).with_fuel(FUEL);
    let value = evaluator.eval(term, &mut Assignment::default()).ok()?;
    if evaluator.unspecified().is_some() {
        return None;
    }
    let constant = value.to_term(terms);
    (is_literal(terms, constant) && terms.sort(constant) == terms.sort(term)).then_some(constant)
}

fn is_literal(terms: &Terms, term: TermId) -> bool {
    match terms.op(term) {
        Op::True | Op::False => true,
        Op::Neg => terms.args(term).iter().all(|&arg| terms.literal(arg).is_some()),
        _ => terms.literal(term).is_some(),
    }
}
