//! Conjuncts that are equations for symbols, in an order in which they can be put in place.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::subst::functions;
use smt::term::{FunId, TermId, Terms};

/// Conjuncts that define variables, and the others.
pub(super) struct Found {
    /// Variables with their values, a value after those of the variables that it speaks of.
    pub(super) equations: Vec<(usize, TermId)>,
    /// The values that speak of no variable.
    pub(super) plain: FxHashSet<TermId>,
    pub(super) rest: Vec<TermId>,
}

/// Finds one equation for each of some symbols. A cycle of equations defines nothing and is left in the rest.
pub(super) fn equations(
    terms: &Terms,
    conjuncts: &[TermId],
    position: &FxHashMap<FunId, usize>,
    wanted: impl Fn(&Terms, TermId) -> bool,
) -> Found {
    let mut found = Found { equations: Vec::new(), plain: FxHashSet::default(), rest: Vec::new() };
    let mut speaks = Speaks { position, known: FxHashMap::default() };
    let mut taken = FxHashSet::default();
    // Equations whose values speak of variables, with the conjunct they come from.
    let mut open: Vec<(usize, TermId, TermId)> = Vec::new();
    for conjunct in flattened(terms, conjuncts) {
        let sides = sides(terms, conjunct);
        let mut fits = sides.into_iter().flatten().filter_map(|(symbol, value)| {
            let variable = *position.get(&terms.applied(symbol)?)?;
            (!taken.contains(&variable) && wanted(terms, value)).then_some((variable, value))
        });
        match fits.next() {
            Some((variable, value)) => {
                taken.insert(variable);
                if speaks.of_variables(terms, value) {
                    open.push((variable, value, conjunct));
                } else {
                    found.plain.insert(value);
                    found.equations.push((variable, value));
                }
            }
            None => found.rest.push(conjunct),
        }
    }
    order(terms, position, open, &mut found);
    found
}

/// Puts equations behind those of the variables that they speak of; those in or behind a cycle go to the rest.
pub(super) fn order(
    terms: &Terms,
    position: &FxHashMap<FunId, usize>,
    open: Vec<(usize, TermId, TermId)>,
    found: &mut Found,
) {
    let place: FxHashMap<usize, usize> = open.iter().enumerate().map(|(i, entry)| (entry.0, i)).collect();
    let mut waits: Vec<usize> = vec![0; open.len()];
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); open.len()];
    for (i, &(_, value, _)) in open.iter().enumerate() {
        for fun in functions(terms, value) {
            let Some(needed) = position.get(&fun).and_then(|variable| place.get(variable)) else { continue };
            users[*needed].push(i);
            waits[i] += 1;
        }
    }
    let mut ready: Vec<usize> = (0..open.len()).filter(|&i| waits[i] == 0).collect();
    let mut done = vec![false; open.len()];
    while let Some(i) = ready.pop() {
        done[i] = true;
        found.equations.push((open[i].0, open[i].1));
        for &user in &users[i] {
            waits[user] -= 1;
            if waits[user] == 0 {
                ready.push(user);
            }
        }
    }
    found.rest.extend(open.iter().zip(done).filter(|(_, done)| !done).map(|(entry, _)| entry.2));
}

/// Which terms speak of some symbols; each shared term is looked at once.
pub(super) struct Speaks<'a> {
    pub(super) position: &'a FxHashMap<FunId, usize>,
    /// For terms with arguments.
    pub(super) known: FxHashMap<TermId, bool>,
}

impl Speaks<'_> {
    pub(super) fn of_variables(&mut self, terms: &Terms, root: TermId) -> bool {
        let mut todo = vec![(root, false)];
        while let Some((term, ready)) = todo.pop() {
            if ready {
                let below = terms.args(term).iter().any(|&arg| self.of_known(terms, arg));
                let speaks = below || self.itself(terms, term);
                self.known.insert(term, speaks);
            } else if !terms.args(term).is_empty() && !self.known.contains_key(&term) {
                todo.push((term, true));
                let parts = terms.args(term).iter().filter(|&&arg| !terms.args(arg).is_empty());
                todo.extend(parts.map(|&arg| (arg, false)));
            }
        }
        self.of_known(terms, root)
    }

    fn itself(&self, terms: &Terms, term: TermId) -> bool {
        terms.applied(term).is_some_and(|fun| self.position.contains_key(&fun))
    }

    /// The answer for a term that is a symbol or literal, or was looked at.
    fn of_known(&self, terms: &Terms, term: TermId) -> bool {
        if terms.args(term).is_empty() { self.itself(terms, term) } else { self.known[&term] }
    }
}

/// The conjuncts of conjunctions.
pub(super) fn flattened(terms: &Terms, conjuncts: &[TermId]) -> Vec<TermId> {
    let (mut flat, mut seen) = (Vec::new(), FxHashSet::default());
    let mut todo: Vec<TermId> = conjuncts.iter().rev().copied().collect();
    while let Some(term) = todo.pop() {
        match terms.op(term) {
            _ if !seen.insert(term) => {}
            Op::And => todo.extend(terms.args(term).iter().rev()),
            Op::True => {}
            _ => flat.push(term),
        }
    }
    flat
}

/// The ways to see a conjunct as an equation for a symbol.
fn sides(terms: &Terms, conjunct: TermId) -> [Option<(TermId, TermId)>; 2] {
    let args = terms.args(conjunct);
    match terms.op(conjunct) {
        Op::App if args.is_empty() => [Some((conjunct, TermId::TRUE)), None],
        Op::Not => [Some((args[0], TermId::FALSE)), None],
        Op::Eq if args.len() == 2 => [Some((args[0], args[1])), Some((args[1], args[0]))],
        _ => [None, None],
    }
}
