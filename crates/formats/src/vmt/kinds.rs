//! What formulas speak of. Each term is looked at once, however many formulas share it.

use base::id::IdMap;
use rustc_hash::FxHashMap;
use smt::op::Theory;
use smt::term::{FunId, Role, TermId, Terms};

/// A set of kinds of symbols.
pub(super) type Mask = u8;

/// State variables.
pub(super) const NOW: Mask = 1;
/// Next versions of state variables.
pub(super) const NEXT: Mask = 2;
/// Inputs.
pub(super) const INPUT: Mask = 4;
/// Temporal operators.
pub(super) const TEMPORAL: Mask = 8;

/// The kinds of symbols (a symbol without one is rigid), and what is below terms.
pub(super) struct Kinds {
    pub(super) of: FxHashMap<FunId, Mask>,
    below: IdMap<TermId, Mask>,
}

/// What is below a term was not looked at yet.
const UNKNOWN: Mask = Mask::MAX;

impl Default for Kinds {
    fn default() -> Self {
        Kinds { of: FxHashMap::default(), below: IdMap::new(UNKNOWN) }
    }
}

impl Kinds {
    /// The kinds that occur in a term.
    pub(super) fn mask(&mut self, terms: &Terms, root: TermId) -> Mask {
        let mut todo = vec![(root, false)];
        while let Some((term, ready)) = todo.pop() {
            if self.below[term] != UNKNOWN {
                continue;
            }
            if !ready {
                todo.push((term, true));
                todo.extend(terms.args(term).iter().map(|&arg| (arg, false)));
                continue;
            }
            let mask =
                terms.args(term).iter().fold(self.own(terms, term), |mask, arg| mask | self.below[*arg]);
            self.below.set(term, mask);
        }
        self.below[root]
    }

    fn own(&self, terms: &Terms, term: TermId) -> Mask {
        match terms.applied(term) {
            Some(fun) => self.of.get(&fun).copied().unwrap_or(0),
            None if terms.op(term).info().theory == Theory::Ltl => TEMPORAL,
            None => 0,
        }
    }

    /// The first term below `root` that is itself of one of these kinds.
    pub(super) fn find(&mut self, terms: &Terms, root: TermId, kinds: Mask) -> Option<TermId> {
        let mut term = root;
        if self.mask(terms, term) & kinds == 0 {
            return None;
        }
        while self.own(terms, term) & kinds == 0 {
            let has = |arg: &&TermId| self.below[**arg] & kinds != 0;
            term = *terms.args(term).iter().find(has)?;
        }
        Some(term)
    }

    /// Says that inputs are state variables now.
    pub(super) fn promote(&mut self, inputs: &[FunId]) {
        self.of.extend(inputs.iter().map(|&input| (input, NOW)));
        self.below = IdMap::new(UNKNOWN);
    }
}

/// The constant that a term is, if it is a declared one.
pub(super) fn constant(terms: &Terms, term: TermId) -> Option<FunId> {
    let fun = terms.applied(term).filter(|_| terms.args(term).is_empty())?;
    (terms.fun(fun).role == Role::Free).then_some(fun)
}

/// The declared function that a term applies to different variables, which is how annotations speak of functions.
pub(super) fn function(terms: &Terms, term: TermId) -> Option<FunId> {
    let fun = terms.applied(term).filter(|&fun| terms.fun(fun).role == Role::Free)?;
    let args = terms.args(term);
    let different =
        args.iter().enumerate().all(|(i, arg)| terms.variable(*arg).is_some() && !args[..i].contains(arg));
    different.then_some(fun)
}
