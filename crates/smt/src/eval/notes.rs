//! What the machine knows about terms before it evaluates them. Each term is looked at once.

use crate::op::Op;
use crate::term::{Role, TermId, Terms};
use rustc_hash::FxHashMap;

/// Has several parents: its value is worth remembering.
pub(super) const SHARED: u8 = 1;
/// Mentions a bound variable.
pub(super) const OPEN: u8 = 2;
/// An array that is, or is made from, a lambda, so that it need not have a finite value.
pub(super) const LAMBDA: u8 = 4;

/// The notes on terms. Literals and variables have none.
#[derive(Default)]
pub(super) struct Notes {
    marks: FxHashMap<TermId, u8>,
}

fn is_leaf(terms: &Terms, term: TermId) -> bool {
    terms.op(term) != Op::App && terms.args(term).is_empty()
}

/// The body of a function defined without recursion.
fn body(terms: &Terms, term: TermId) -> Option<TermId> {
    match terms.fun(terms.applied(term)?).role {
        Role::Defined(_, body) => Some(body),
        _ => None,
    }
}

impl Notes {
    /// The marks of a term.
    pub(super) fn of(&self, term: TermId) -> u8 {
        self.marks.get(&term).copied().unwrap_or(0)
    }

    /// Takes notes on all terms below `root`. If there are `others`, which may have it as a part, its value is worth
    /// remembering.
    pub(super) fn look(&mut self, terms: &Terms, root: TermId, others: bool) {
        if let Some(mark) = self.marks.get_mut(&root) {
            *mark |= if others { SHARED } else { 0 };
            return;
        }
        let mut todo = vec![(root, false)];
        while let Some((term, ready)) = todo.pop() {
            if is_leaf(terms, term) {
                continue;
            }
            if ready {
                let mark = self.mark(terms, term);
                *self.marks.entry(term).or_default() |= mark;
                continue;
            }
            if let Some(mark) = self.marks.get_mut(&term) {
                *mark |= SHARED;
                continue;
            }
            self.marks.insert(term, 0);
            todo.push((term, true));
            todo.extend(terms.args(term).iter().map(|&arg| (arg, false)));
            // A body called from two places does not have two parents.
            let new = body(terms, term).filter(|body| !self.marks.contains_key(body));
            todo.extend(new.map(|body| (body, false)));
        }
    }

    /// The marks that follow from those of the parts.
    fn mark(&self, terms: &Terms, term: TermId) -> u8 {
        let args = terms.args(term);
        let open = args.iter().any(|&arg| terms.op(arg) == Op::Var || self.of(arg) & OPEN != 0);
        let lambda = match (terms.op(term), args) {
            (Op::Lambda, _) => LAMBDA,
            (Op::Store | Op::Select, [array, ..]) => self.of(*array),
            (Op::Ite, [_, then, other]) => self.of(*then) | self.of(*other),
            (Op::App, _) => body(terms, term).map_or(0, |body| self.of(body)),
            _ => 0,
        };
        (if open { OPEN } else { 0 }) | (lambda & LAMBDA)
    }
}
