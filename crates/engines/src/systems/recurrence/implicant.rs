//! Why a formula holds in a step: few literals that are true there and imply it.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::eval::{Assignment, Evaluator};
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::replace;
use smt::term::{TermId, Terms};
use smt::value::Value;
use ts::{System, Trace};

/// So often a choice inside of terms is decided: each time those are that stand in no other one.
const DEEP: usize = 200;

/// The values of a step, and of the state after it under the names of next versions.
pub(super) struct Values {
    values: Assignment,
}

impl Values {
    pub(super) fn of(system: &System, trace: &Trace, step: usize) -> Values {
        let mut values = trace.rigid.clone();
        let here = &trace.steps[step];
        for fun in system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied()) {
            if let Some(value) = here.get(fun) {
                values.set(fun, value.clone());
            }
        }
        for state in &system.states {
            if let Some(value) = trace.steps.get(step + 1).and_then(|next| next.get(state.now)) {
                values.set(state.next, value.clone());
            }
        }
        Values { values }
    }

    pub(super) fn value(&mut self, terms: &Terms, term: TermId) -> Option<Value> {
        Evaluator::new(terms).eval(term, &mut self.values).ok()
    }

    pub(super) fn truth(&mut self, terms: &Terms, term: TermId) -> Option<bool> {
        self.value(terms, term)?.as_bool()
    }
}

/// True for what stands between literals.
pub(super) fn is_connective(terms: &Terms, term: TermId) -> bool {
    match terms.op(term) {
        Op::And | Op::Or | Op::Not | Op::Implies | Op::Xor | Op::Ite => terms.sort(term) == SortId::BOOL,
        Op::Eq | Op::Distinct => terms.sort(terms.args(term)[0]) == SortId::BOOL,
        _ => false,
    }
}

/// Adds literals that are true in a step, and that imply that the formula has the truth that it has there. Nothing when it is
/// otherwise, or when that cannot be computed.
pub(super) fn implicant(
    terms: &mut Terms,
    values: &mut Values,
    formula: TermId,
    wanted: bool,
    found: &mut Vec<TermId>,
) -> Option<()> {
    if values.truth(terms, formula)? != wanted {
        return None;
    }
    let (mut todo, mut seen) = (vec![(formula, wanted)], FxHashSet::default());
    while let Some((term, wanted)) = todo.pop() {
        if !seen.insert((term, wanted)) || matches!(terms.op(term), Op::True | Op::False) {
            continue;
        }
        let args = terms.args(term).to_vec();
        // An argument that alone decides: the first with this truth.
        let mut one = |terms: &Terms, truth: bool| {
            args.iter().copied().find(|&arg| values.truth(terms, arg) == Some(truth)).map(|arg| (arg, truth))
        };
        match (terms.op(term), wanted) {
            _ if !is_connective(terms, term) => {
                let atom = decided(terms, values, term, &mut todo)?;
                found.push(if wanted { atom } else { terms.not(atom) });
            }
            (Op::Not, _) => todo.push((args[0], !wanted)),
            (Op::And, true) | (Op::Or, false) => todo.extend(args.iter().rev().map(|&arg| (arg, wanted))),
            (Op::And, false) | (Op::Or, true) => todo.push(one(terms, wanted)?),
            (Op::Implies, _) => {
                let (last, before) = args.split_last()?;
                let open = before.iter().copied().find(|&arg| values.truth(terms, arg) == Some(false));
                match open {
                    Some(arg) if wanted => todo.push((arg, false)),
                    _ => {
                        if !wanted {
                            todo.extend(before.iter().map(|&arg| (arg, true)));
                        }
                        todo.push((*last, wanted));
                    }
                }
            }
            (Op::Ite, _) => {
                let condition = values.truth(terms, args[0])?;
                todo.push((if condition { args[1] } else { args[2] }, wanted));
                todo.push((args[0], condition));
            }
            // Truth values that are compared.
            _ => {
                for arg in args {
                    let truth = values.truth(terms, arg)?;
                    todo.push((arg, truth));
                }
            }
        }
    }
    Some(())
}

/// A literal without choices inside: what they choose in this step is in their place, and why they do is to be said as well.
fn decided(
    terms: &mut Terms,
    values: &mut Values,
    literal: TermId,
    todo: &mut Vec<(TermId, bool)>,
) -> Option<TermId> {
    let mut literal = literal;
    for _ in 0..DEEP {
        let mut chosen: FxHashMap<TermId, TermId> = FxHashMap::default();
        let (mut open, mut seen) = (vec![literal], FxHashSet::default());
        while let Some(term) = open.pop() {
            // What depends on bound variables is different for each of their values.
            if !seen.insert(term) || terms.op(term).is_binder() {
                continue;
            }
            if terms.op(term) != Op::Ite {
                open.extend(terms.args(term));
                continue;
            }
            let &[condition, then, otherwise] = terms.args(term) else { return None };
            let truth = values.truth(terms, condition)?;
            todo.push((condition, truth));
            chosen.insert(term, if truth { then } else { otherwise });
        }
        if chosen.is_empty() {
            break;
        }
        literal = replace(terms, literal, &chosen);
    }
    Some(literal)
}
