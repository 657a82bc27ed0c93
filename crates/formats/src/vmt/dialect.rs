//! Functions that change from step to step, and transition relations given as actions.
//!
//! Descriptions of protocols have relations such as `holds(node, lock)` as their state. In a [`ts::System`] state variables
//! are constants, so such a function becomes a variable whose values are arrays of arrays, and `(holds n l)` becomes
//! `(select (select holds n) l)`. A step is one of the actions, and what an action does not speak of stays as it is; a
//! step in which nothing happens is possible as well.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sort::Sort;
use smt::subst::{postorder, rebuild};
use smt::term::{Fun, FunId, Role, TermId, Terms};
use ts::State;

/// Functions whose applications are replaced, and what has been replaced so far.
#[derive(Default)]
pub(super) struct Arrays {
    constants: FxHashMap<FunId, FunId>,
    done: FxHashMap<TermId, TermId>,
}

impl Arrays {
    /// The constant in the place of a function, of the same name.
    pub(super) fn constant(&mut self, terms: &mut Terms, fun: FunId) -> FunId {
        if let Some(&constant) = self.constants.get(&fun) {
            return constant;
        }
        let Fun { name, params, mut result, .. } = terms.fun(fun).clone();
        for &param in params.iter().rev() {
            result = terms.sorts.mk(Sort::Array(param, result));
        }
        let constant = terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free });
        self.constants.insert(fun, constant);
        constant
    }

    /// The symbol that is used in the system.
    pub(super) fn symbol(&self, fun: FunId) -> FunId {
        self.constants.get(&fun).copied().unwrap_or(fun)
    }

    /// A formula with reads of arrays in the place of applications.
    pub(super) fn rewrite(&mut self, terms: &mut Terms, root: TermId) -> TermId {
        if self.constants.is_empty() {
            return root;
        }
        for term in postorder(terms, root) {
            if self.done.contains_key(&term) {
                continue;
            }
            let args: Vec<TermId> = terms.args(term).iter().map(|arg| self.done[arg]).collect();
            let constant = terms.applied(term).and_then(|fun| self.constants.get(&fun).copied());
            let new = match constant {
                Some(constant) => {
                    let array = terms.constant_term(constant);
                    // Arguments fit, because they fitted the function.
                    let read = |array, &index: &TermId| {
                        terms.app(Op::Select, &[array, index]).unwrap_or(TermId::ERROR)
                    };
                    args.iter().fold(array, read)
                }
                None => rebuild(terms, term, &args),
            };
            self.done.insert(term, new);
        }
        self.done[&root]
    }
}

/// The relation whose steps are those of the actions. What `defined` contains is determined by its definition and not kept.
pub(super) fn relation(
    terms: &mut Terms,
    actions: &[TermId],
    states: &[State],
    defined: &FxHashSet<FunId>,
) -> TermId {
    let mut choices = Vec::new();
    for &action in actions {
        let spoken: FxHashSet<FunId> =
            postorder(terms, action).into_iter().filter_map(|term| terms.applied(term)).collect();
        let mut parts = vec![action];
        for state in states.iter().filter(|state| !spoken.contains(&state.next)) {
            parts.extend((!defined.contains(&state.next)).then(|| kept(terms, *state)));
        }
        choices.push(terms.and(&parts));
    }
    let all: Vec<TermId> = states.iter().map(|state| kept(terms, *state)).collect();
    choices.push(terms.and(&all));
    terms.or(&choices)
}

/// `next = now`.
fn kept(terms: &mut Terms, state: State) -> TermId {
    let (now, next) = (terms.constant_term(state.now), terms.constant_term(state.next));
    // Both versions have one sort, or the state would have been refused.
    terms.app(Op::Eq, &[next, now]).unwrap_or(TermId::ERROR)
}
