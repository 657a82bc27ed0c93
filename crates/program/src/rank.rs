//! Ranking functions: what has to decrease from one visit of a loop head to the next, and from one call to the next.

use crate::call::Call;
use crate::merge::State;
use crate::notes::Note;
use crate::program::Procedure;
use crate::vc::Place;
use crate::walk::Walk;
use smt::op::Op;
use smt::sort::Sort;
use smt::subst::functions;
use smt::term::{Role, TermId, Terms};

impl Walk<'_, '_> {
    /// Ranking functions that are compared nowhere, though their statement may be visited again, leave the question
    /// open.
    pub(crate) fn ranks_are_checked(&mut self) {
        let (program, proc) = (self.program, self.proc);
        for stmt in proc.visited() {
            let mut ranks = program.notes(stmt).ranks().peekable();
            if ranks.peek().is_none() {
                continue;
            }
            let visit = proc.visit_of(stmt).unwrap_or_default();
            if self.graph.loops.innermost[visit].is_some() && self.head(visit) != Some(stmt) {
                self.open("a ranking function is not at the head of a loop");
            }
            let looks_back = |&fun: &_| matches!(self.terms.fun(fun).role, Role::At(..));
            let terms = ranks.flat_map(|note| &note.terms);
            if terms.flat_map(|&term| functions(self.terms, term)).any(|fun| looks_back(&fun)) {
                self.open("a ranking function looks back");
            }
        }
    }

    /// On the way back to the head of a loop, if it was visited before: control may come into a loop from the side.
    pub(crate) fn check_ranks(&mut self, place: Place, state: &State) {
        let program = self.program;
        let Some(slot) = self.layout.visited(place.stmt) else { return };
        let mut state = state.clone();
        state.assume(self.terms, state.env[slot]);
        let state = &state;
        for note in program.notes(place.stmt).ranks() {
            let (mut old, mut new) = (Vec::new(), Vec::new());
            for &term in &note.terms {
                new.push(self.eval(state, term));
                let before = self.layout.at_visit(self.terms, place.stmt, term);
                old.push(self.eval(state, before));
            }
            let goal = descends(self.terms, &old, &new);
            self.oblige(place, Some(note), state, goal);
        }
    }

    /// A recursive call: the ranking functions of the callee are below those of the procedure at its entry. (If the
    /// body is a loop with these ranking functions, below those of its last visit, which are smaller.)
    pub(crate) fn call_ranks(&mut self, place: Place, callee: &Procedure, call: &Call, state: &State) {
        if callee.component != self.proc.component || !callee.recursive {
            return;
        }
        let program = self.program;
        let own: Vec<&Note> = program.notes(self.proc.body).ranks().collect();
        let theirs: Vec<&Note> = program.notes(callee.body).ranks().collect();
        if own.len() < theirs.len() {
            self.open("a ranking function of a procedure is compared with that of a caller that has none");
        }
        for (own, theirs) in own.iter().zip(&theirs) {
            let (mut old, mut new) = (Vec::new(), Vec::new());
            for &term in &own.terms {
                let at_entry = self.layout.at_visit(self.terms, self.proc.body, term);
                old.push(self.eval(state, at_entry));
            }
            for &term in &theirs.terms {
                new.push(call.term_before(self.terms, self.fresh, term));
            }
            let goal = descends(self.terms, &old, &new);
            self.oblige(place, Some(theirs), state, goal);
        }
    }
}

/// Some entries at the front are equal, the next one decreases and was not negative. Two bit-vectors read as numbers
/// are compared as bit-vectors: it is the same, and solvers know more about it.
pub fn descends(terms: &mut Terms, old: &[TermId], new: &[TermId]) -> TermId {
    let mut cases = Vec::new();
    let mut equal = Vec::new();
    for (&old, &new) in old.iter().zip(new) {
        let mut case = equal.clone();
        case.extend(decreases(terms, old, new));
        cases.push(terms.and(&case));
        equal.push(same(terms, old, new));
    }
    match cases[..] {
        [] => TermId::FALSE,
        [one] => one,
        _ => terms.app(Op::Or, &cases).unwrap_or(TermId::FALSE),
    }
}

/// The old value is not negative, the new one is smaller. Ranking functions are integers; anything else was refused by
/// the reader.
fn decreases(terms: &mut Terms, old: TermId, new: TermId) -> Vec<TermId> {
    if let Some((op, before, after)) = as_bits(terms, old, new) {
        let less = if op == Op::UbvToInt { Op::BvUlt } else { Op::BvSlt };
        let mut all = vec![terms.app(less, &[after, before]).unwrap_or(TermId::FALSE)];
        if let (Op::SbvToInt, &Sort::BitVec(width)) = (op, terms.sorts.get(terms.sort(before))) {
            let zero = terms.bits(width, 0u8.into());
            all.push(terms.app(Op::BvSge, &[before, zero]).unwrap_or(TermId::FALSE));
        }
        return all;
    }
    let zero = terms.int(0);
    let bounded = terms.app(Op::Ge, &[old, zero]).unwrap_or(TermId::FALSE);
    vec![bounded, terms.app(Op::Lt, &[new, old]).unwrap_or(TermId::FALSE)]
}

/// Two entries are equal.
pub fn same(terms: &mut Terms, old: TermId, new: TermId) -> TermId {
    let (old, new) = as_bits(terms, old, new).map_or((old, new), |(_, old, new)| (old, new));
    terms.app(Op::Eq, &[new, old]).unwrap_or(TermId::FALSE)
}

/// The bit-vectors behind two numbers, and how both are read.
fn as_bits(terms: &Terms, old: TermId, new: TermId) -> Option<(Op, TermId, TermId)> {
    let op = terms.op(old);
    let ([before], [after]) = (terms.args(old), terms.args(new)) else { return None };
    let fits = matches!(op, Op::UbvToInt | Op::SbvToInt) && terms.op(new) == op;
    (fits && terms.sort(*before) == terms.sort(*after)).then_some((op, *before, *after))
}
