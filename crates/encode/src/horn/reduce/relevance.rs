//! Which arguments decide something. One that no condition reads, and that only goes on to others of its kind, is left out
//! (the states that remain are derived exactly if they were before); so is what a value becomes where ways meet, if nobody
//! reads it afterwards.

use super::clause::{Clause, Condition, Head};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::subst::free_vars;
use smt::term::{TermId, Terms};

/// Values that variables get where ways meet: for each variable what it is, and the conditions that say so.
struct Meeting {
    values: FxHashMap<TermId, Vec<TermId>>,
}

impl Meeting {
    /// The variables that a clause has for meeting ways only. Each is said by one condition, at most once in each case,
    /// so that leaving it out changes nothing for the others.
    fn of(terms: &Terms, clause: &Clause) -> Meeting {
        let arguments: FxHashSet<TermId> = clause.atoms.iter().flat_map(|atom| &atom.1).copied().collect();
        let mut values: FxHashMap<TermId, Vec<TermId>> = FxHashMap::default();
        let mut refused: FxHashSet<TermId> = FxHashSet::default();
        for condition in &clause.conditions {
            let Condition::Way(_, cases) = condition else { continue };
            let mut here: FxHashMap<TermId, Vec<TermId>> = FxHashMap::default();
            for case in cases {
                let mut seen = FxHashSet::default();
                for (variable, value) in case.iter().filter_map(|&formula| said(terms, formula)) {
                    if !seen.insert(variable) {
                        refused.insert(variable);
                    }
                    here.entry(variable).or_default().push(value);
                }
            }
            for (variable, found) in here {
                if values.insert(variable, found).is_some() {
                    refused.insert(variable);
                }
            }
        }
        values.retain(|variable, _| !refused.contains(variable) && !arguments.contains(variable));
        Meeting { values }
    }

    /// The variable that a formula only says the value of.
    fn says(&self, terms: &Terms, formula: TermId) -> Option<TermId> {
        said(terms, formula).map(|pair| pair.0).filter(|variable| self.values.contains_key(variable))
    }

    /// The variables that a clause reads, given which arguments of predicates are relevant.
    fn read(&self, terms: &Terms, clause: &Clause, relevant: &[Vec<bool>]) -> FxHashSet<TermId> {
        let mut todo: Vec<TermId> = Vec::new();
        for condition in &clause.conditions {
            match condition {
                Condition::Plain(formula) => todo.push(*formula),
                Condition::Way(way, cases) => {
                    todo.push(*way);
                    todo.extend(cases.iter().flatten().filter(|&&f| self.says(terms, f).is_none()));
                }
            }
        }
        match &clause.head {
            Head::Formula(formula) => todo.push(*formula),
            Head::Atom((number, args)) => {
                todo.extend(args.iter().zip(&relevant[*number]).filter(|pair| *pair.1).map(|pair| *pair.0));
            }
        }
        let mut found = FxHashSet::default();
        while let Some(term) = todo.pop() {
            for variable in free_vars(terms, term) {
                if found.insert(variable) {
                    todo.extend(self.values.get(&variable).into_iter().flatten());
                }
            }
        }
        found
    }
}

/// The variable and the value of an equation `(= variable value)`.
fn said(terms: &Terms, formula: TermId) -> Option<(TermId, TermId)> {
    match (terms.op(formula), terms.args(formula)) {
        (Op::Eq, &[variable, value])
            if terms.variable(variable).is_some() && !free_vars(terms, value).contains(&variable) =>
        {
            Some((variable, value))
        }
        _ => None,
    }
}

/// Leaves out what decides nothing in clauses. Which arguments of each predicate are left; constants are not.
pub(super) fn slice(
    terms: &Terms,
    clauses: &mut [Clause],
    values: &[Option<Vec<Option<TermId>>>],
    arities: &[usize],
) -> Vec<Vec<bool>> {
    let mut relevant: Vec<Vec<bool>> = arities.iter().map(|&arity| vec![false; arity]).collect();
    let constant = |number: usize, i: usize| values[number].as_ref().is_some_and(|v| v[i].is_some());
    let meetings: Vec<Meeting> = clauses.iter().map(|clause| Meeting::of(terms, clause)).collect();
    loop {
        let mut grown = false;
        for (clause, meeting) in clauses.iter().zip(&meetings) {
            let read = meeting.read(terms, clause, &relevant);
            let mut times: FxHashMap<TermId, usize> = FxHashMap::default();
            for &arg in clause.atoms.iter().flat_map(|atom| &atom.1) {
                *times.entry(arg).or_default() += 1;
            }
            for (number, args) in &clause.atoms {
                for (i, &arg) in args.iter().enumerate().filter(|(i, _)| !constant(*number, *i)) {
                    // A variable that stands in two places compares them.
                    let decides = terms.variable(arg).is_none() || read.contains(&arg) || times[&arg] > 1;
                    grown |= decides && !std::mem::replace(&mut relevant[*number][i], true);
                }
            }
        }
        if !grown {
            break;
        }
    }
    for (clause, meeting) in clauses.iter_mut().zip(&meetings) {
        let read = meeting.read(terms, clause, &relevant);
        for condition in &mut clause.conditions {
            if let Condition::Way(_, cases) = condition {
                let needed =
                    |&f: &TermId| meeting.says(terms, f).is_none_or(|variable| read.contains(&variable));
                cases.iter_mut().for_each(|case| case.retain(needed));
            }
        }
    }
    relevant
}
