//! What formulas speak of. Each term is looked at once, however many formulas share it.

use base::id::{Id, IdMap};
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
    pub(super) of: IdMap<FunId, Mask>,
    /// By term, up to the last one that was asked for. What a term is made of is older than the term.
    below: Vec<Mask>,
}

impl Default for Kinds {
    fn default() -> Self {
        Kinds { of: IdMap::new(0), below: Vec::new() }
    }
}

impl Kinds {
    /// The kinds that occur in a term.
    pub(super) fn mask(&mut self, terms: &Terms, root: TermId) -> Mask {
        for at in self.below.len()..=root.index() {
            let term = TermId::from_index(at);
            let own = self.own(terms, term);
            let mask = terms.args(term).iter().fold(own, |mask, arg| mask | self.below[arg.index()]);
            self.below.push(mask);
        }
        self.below[root.index()]
    }

    fn own(&self, terms: &Terms, term: TermId) -> Mask {
        match terms.applied(term) {
            Some(fun) => self.of[fun],
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
            let has = |arg: &&TermId| self.below[arg.index()] & kinds != 0;
            term = *terms.args(term).iter().find(has)?;
        }
        Some(term)
    }

    /// Says that inputs are state variables now.
    pub(super) fn promote(&mut self, inputs: &[FunId]) {
        for &input in inputs {
            self.of.set(input, NOW);
        }
        self.below.clear();
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
