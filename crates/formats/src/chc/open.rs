//! Quantifiers whose variables a clause can bind: what holds for some value in a body, or for all values in a head or of a
//! whole clause, holds if the clause does for all of them.

use super::below::Looks;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::subst::{rebuild, replace};
use smt::term::{TermId, Terms};

/// The body of nested quantifiers of one kind, and their variables under the names that `name` gives them.
pub(super) fn opened(
    terms: &mut Terms,
    quantified: TermId,
    mut name: impl FnMut(&mut Terms, TermId) -> TermId,
) -> TermId {
    let (op, mut body, mut map) = (terms.op(quantified), quantified, FxHashMap::default());
    while terms.op(body) == op {
        let Some((&inner, vars)) = terms.args(body).split_last() else { break };
        let vars = vars.to_vec();
        for var in vars {
            let new = name(terms, var);
            // A variable that is bound again is another one from there on.
            map.insert(var, new);
        }
        body = inner;
    }
    map.retain(|var, new| var != new);
    replace(terms, body, &map)
}

/// A variable like another one, with a name of its own: the same name may be bound elsewhere in the clause.
pub(super) fn renamed(terms: &mut Terms, var: TermId) -> TermId {
    let wish = terms.variable(var).map_or("x", |name| terms.names.text(name)).to_owned();
    crate::names::new_var(terms, &wish, terms.sort(var))
}

/// A part of a formula, and false if it is negated there.
type Part = (TermId, bool);

enum Step {
    Visit(Part),
    /// A connective whose arguments are done.
    Connect(Part, Vec<Option<bool>>),
    /// A quantifier whose body, with new variables, is done.
    Open(Part, Part),
}

/// A constraint of a body without the quantifiers whose variables the clause can bind, which are added to `vars`. All sorts
/// have elements, so it does not matter that variables are there for a part only.
pub(super) fn freed(
    terms: &mut Terms,
    looks: &mut Looks<'_>,
    vars: &mut Vec<TermId>,
    constraint: TermId,
) -> TermId {
    if !looks.below(terms, constraint).quantified {
        return constraint;
    }
    // Variables that nothing else was so far get their names at the end, all at once.
    let mut late: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut taken: FxHashSet<TermId> = vars.iter().copied().collect();
    let mut done: FxHashMap<Part, TermId> = FxHashMap::default();
    let mut todo = vec![Step::Visit((constraint, true))];
    while let Some(step) = todo.pop() {
        match step {
            Step::Visit(part) if done.contains_key(&part) => {}
            Step::Visit((term, positive)) => {
                let part = (term, positive);
                if !looks.below(terms, term).quantified {
                    done.insert(part, term);
                } else if matches!((terms.op(term), positive), (Op::Exists, true) | (Op::Forall, false)) {
                    let body = opened(terms, term, |terms, var| {
                        let new = renamed(terms, var);
                        vars.push(new);
                        if taken.insert(var) {
                            late.insert(var, new);
                            return var;
                        }
                        new
                    });
                    todo.extend([Step::Open(part, (body, positive)), Step::Visit((body, positive))]);
                } else if let Some(signs) = signs(terms, term, positive) {
                    let signed = terms.args(term).iter().zip(&signs);
                    let inner: Vec<Step> =
                        signed.filter_map(|(&arg, sign)| sign.map(|sign| Step::Visit((arg, sign)))).collect();
                    todo.push(Step::Connect(part, signs));
                    todo.extend(inner);
                } else {
                    done.insert(part, term);
                }
            }
            Step::Connect(part, signs) => {
                let image = |(&arg, sign): (&TermId, &Option<bool>)| {
                    sign.and_then(|sign| done.get(&(arg, sign)).copied()).unwrap_or(arg)
                };
                let args: Vec<TermId> = terms.args(part.0).iter().zip(&signs).map(image).collect();
                done.insert(part, rebuild(terms, part.0, &args));
            }
            Step::Open(part, body) => {
                let body = done.get(&body).copied().unwrap_or(body.0);
                done.insert(part, body);
            }
        }
    }
    let freed = done.get(&(constraint, true)).copied().unwrap_or(constraint);
    replace(terms, freed, &late)
}

/// Which arguments of a connective are negated if it is or is not; none for one that counts both ways, and nothing for what
/// is no connective, or has only such arguments.
fn signs(terms: &Terms, term: TermId, positive: bool) -> Option<Vec<Option<bool>>> {
    let count = terms.args(term).len();
    match terms.op(term) {
        Op::Not => Some(vec![Some(!positive)]),
        Op::And | Op::Or => Some(vec![Some(positive); count]),
        Op::Implies => Some((1..=count).map(|at| Some((at == count) == positive)).collect()),
        Op::Ite => Some(vec![None, Some(positive), Some(positive)]),
        _ => None,
    }
}
