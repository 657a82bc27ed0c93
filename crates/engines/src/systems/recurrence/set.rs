//! The set in which rounds begin: of what holds in an example, what each round keeps.

use super::super::session::{Session, Stopped};
use super::round::{Map, Path, Round, is_number};
use base::budget::Budget;
use rustc_hash::FxHashSet;
use smt::op::Op;
use smt::simplify::{is_value, simplify};
use smt::sort::SortId;
use smt::subst::{postorder, postorder_of, replace};
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use std::time::Duration;
use ts::System;

/// So many formulas are candidates.
const CANDIDATES: usize = 200;
/// It is looked ahead so many rounds, as long as formulas are not larger than this.
const ROUNDS: usize = 3;
const LARGE: usize = 100;
/// Differences are those of so many variables.
const COMPARED: usize = 8;
/// The time of one question, and the time for leaving out what is not needed.
const PATIENCE: Duration = Duration::from_secs(1);
const SMALLER: Duration = Duration::from_secs(3);

/// Asks about rounds of a system.
pub(super) struct Asker<'a> {
    pub(super) system: &'a System,
    pub(super) solver: &'a str,
    pub(super) budget: &'a Budget,
}

impl Asker<'_> {
    /// A set that each round keeps and that makes each round what it has to be.
    pub(super) fn set(
        &self,
        terms: &mut Terms,
        path: &mut Path<'_>,
        round: &Round,
        formulas: &[TermId],
        predicates: &[TermId],
    ) -> Result<Option<TermId>, Stopped> {
        let mut set = self.candidates(terms, path, round, predicates);
        let last = &round.steps[round.steps.len() - 1];
        let mut candidates: Vec<(TermId, TermId)> = Vec::with_capacity(set.len());
        for candidate in set.drain(..) {
            let again = replace(terms, candidate, last);
            candidates.push((candidate, simplify(terms, again)));
        }
        if !self.kept(terms, &mut candidates)? {
            return Ok(None);
        }
        let demands = self.demands(terms, round, formulas);
        if !self.implies(terms, &candidates, demands)? {
            return Ok(None);
        }
        self.smaller(terms, &mut candidates, demands)?;
        let set: Vec<TermId> = candidates.iter().map(|candidate| candidate.0).collect();
        Ok(Some(terms.and(&set)))
    }

    /// What holds at the beginning of the example and may be in the set; what is wanted most comes first.
    fn candidates(
        &self,
        terms: &mut Terms,
        path: &mut Path<'_>,
        round: &Round,
        predicates: &[TermId],
    ) -> Vec<TermId> {
        let mut list = round.guards.clone();
        let states: Vec<FunId> = self.system.states.iter().map(|state| state.now).collect();
        for &guard in &round.guards {
            // What is different is smaller or larger.
            let differ = if terms.op(guard) == Op::Not { terms.args(guard)[0] } else { guard };
            if let &[left, right] = terms.args(differ)
                && matches!(terms.op(differ), Op::Eq | Op::Distinct)
                && is_number(terms.sort(left))
            {
                list.extend([Op::Lt, Op::Gt].iter().filter_map(|&op| terms.app(op, &[left, right]).ok()));
            }
        }
        for &predicate in predicates {
            list.extend([predicate, terms.not(predicate)]);
        }
        // A variable that grows by something goes on growing as long as that is not negative.
        let last = &round.steps[round.steps.len() - 1];
        for &fun in states.iter().filter(|&&fun| is_number(terms.fun(fun).result)).collect::<Vec<_>>() {
            let symbol = terms.constant_term(fun);
            let ops = [Op::Ge, Op::Le, Op::Gt, Op::Lt];
            for formula in ops.map(|op| terms.app(op, &[last[&symbol], symbol])).into_iter().flatten() {
                let formula = simplify(terms, formula);
                list.extend((formula != TermId::TRUE).then_some(formula));
            }
        }
        self.later(terms, last, &mut list);
        let begin = &mut path.values[0];
        let rigid = self.system.rigid.iter().copied().filter(|&fun| terms.fun(fun).params.is_empty());
        let symbols: Vec<FunId> = states.iter().copied().chain(rigid).collect();
        for fun in symbols {
            let symbol = terms.constant_term(fun);
            let Some(value) = begin.value(terms, symbol) else { continue };
            let value = value.to_term(terms);
            let ops: &[Op] = if is_number(terms.sort(symbol)) { &[Op::Ge, Op::Le] } else { &[Op::Eq] };
            match terms.sort(symbol) {
                SortId::BOOL => list.extend([symbol, terms.not(symbol)]),
                _ => list.extend(ops.iter().filter_map(|&op| terms.app(op, &[symbol, value]).ok())),
            }
        }
        let numbers = states.into_iter().filter(|&fun| is_number(terms.fun(fun).result)).take(COMPARED);
        let numbers: Vec<TermId> =
            numbers.collect::<Vec<FunId>>().into_iter().map(|fun| terms.constant_term(fun)).collect();
        for (i, &left) in numbers.iter().enumerate() {
            for &right in &numbers[..i] {
                let Ok(difference) = terms.app(Op::Sub, &[left, right]) else { continue };
                let Some(value) = begin.value(terms, difference) else { continue };
                let value: TermId = Value::to_term(&value, terms);
                let ops = [Op::Ge, Op::Le];
                list.extend(ops.iter().filter_map(|&op| terms.app(op, &[difference, value]).ok()));
            }
        }
        let mut seen = FxHashSet::default();
        list.retain(|&term| seen.insert(term) && begin.truth(terms, term) == Some(true));
        list.truncate(CANDIDATES);
        list
    }

    /// Adds what has to hold now for formulas to hold after one round, after two of them and so on.
    fn later(&self, terms: &mut Terms, last: &Map, list: &mut Vec<TermId>) {
        // Products of products are more than the solver knows about.
        let is_product = |terms: &Terms, term: TermId| {
            terms.op(term) == Op::Mul
                && terms.args(term).iter().filter(|&&arg| !is_value(terms, arg)).count() > 1
        };
        if postorder_of(terms, last.values().copied()).into_iter().any(|term| is_product(terms, term)) {
            return;
        }
        let mut seen: FxHashSet<TermId> = list.iter().copied().collect();
        let mut level = list.clone();
        for _ in 0..ROUNDS {
            let mut next = Vec::new();
            for formula in level {
                let before = replace(terms, formula, last);
                let before = simplify(terms, before);
                let is_small = list.len() < CANDIDATES / 2 && postorder(terms, before).len() <= LARGE;
                if before != TermId::TRUE && is_small && seen.insert(before) {
                    list.push(before);
                    next.push(before);
                }
            }
            level = next;
        }
    }

    /// Leaves out what a round does not keep. False when that is not known.
    fn kept(&self, terms: &mut Terms, candidates: &mut Vec<(TermId, TermId)>) -> Result<bool, Stopped> {
        loop {
            let again: Vec<TermId> = candidates.iter().map(|candidate| candidate.1).collect();
            let all = terms.and(&again);
            let mut session = self.asked(terms, candidates, all)?;
            match session.is_sat_within(terms, &[], PATIENCE)? {
                Some(false) => return Ok(true),
                Some(true) => {
                    let before = candidates.len();
                    let mut left = Vec::with_capacity(before);
                    for &(candidate, again) in candidates.iter() {
                        if again == TermId::TRUE || session.holds(terms, again)? != Some(false) {
                            left.push((candidate, again));
                        }
                    }
                    *candidates = left;
                    if candidates.len() == before {
                        return Ok(false);
                    }
                }
                None => return self.kept_alone(terms, candidates),
            }
        }
    }

    /// The same one by one, where all at once is too much for the solver.
    fn kept_alone(&self, terms: &mut Terms, candidates: &mut Vec<(TermId, TermId)>) -> Result<bool, Stopped> {
        loop {
            let before = candidates.len();
            let mut number = 0;
            while let Some(&(_, again)) = candidates.get(number) {
                let mut session = self.asked(terms, candidates, again)?;
                match session.refutes(terms, &[], PATIENCE)? {
                    true => number += 1,
                    false => {
                        candidates.remove(number);
                    }
                }
            }
            if candidates.len() == before {
                return Ok(true);
            }
        }
    }

    /// That each step of the round is one, and that each formula is violated.
    fn demands(&self, terms: &mut Terms, round: &Round, formulas: &[TermId]) -> TermId {
        let last = round.steps.len() - 1;
        let mut demands = Vec::new();
        for (number, step) in round.steps[..last].iter().enumerate() {
            let mut around: Map = step.clone();
            for state in &self.system.states {
                let (now, next) = (terms.constant_term(state.now), terms.constant_term(state.next));
                around.insert(next, round.steps[number + 1][&now]);
            }
            for &formula in self.system.invar.iter().chain(&self.system.trans) {
                demands.push(replace(terms, formula, &around));
            }
        }
        for &formula in formulas {
            let mut violated = Vec::new();
            for step in &round.steps[..last] {
                let holds = replace(terms, formula, step);
                violated.push(terms.not(holds));
            }
            demands.push(terms.or(&violated));
        }
        let all = terms.and(&demands);
        simplify(terms, all)
    }

    fn implies(
        &self,
        terms: &mut Terms,
        candidates: &[(TermId, TermId)],
        goal: TermId,
    ) -> Result<bool, Stopped> {
        Ok(goal == TermId::TRUE || self.asked(terms, candidates, goal)?.refutes(terms, &[], PATIENCE)?)
    }

    /// A solver that is to find a state of the set in which the goal does not hold.
    fn asked(
        &self,
        terms: &mut Terms,
        candidates: &[(TermId, TermId)],
        goal: TermId,
    ) -> Result<Session<'_>, Stopped> {
        let mut session = Session::open(self.solver, self.budget)?;
        session.assert_all(terms, &self.system.axioms)?;
        for &(candidate, _) in candidates {
            session.assert(terms, candidate)?;
        }
        let missed = terms.not(goal);
        session.assert(terms, missed)?;
        Ok(session)
    }

    /// Leaves out what is not needed, the last ones first.
    fn smaller(
        &self,
        terms: &mut Terms,
        candidates: &mut Vec<(TermId, TermId)>,
        demands: TermId,
    ) -> Result<(), Stopped> {
        let patience = self.budget.part(SMALLER);
        for number in (0..candidates.len()).rev() {
            if patience.is_over() {
                break;
            }
            let left = candidates.remove(number);
            let again = candidates.iter().map(|candidate| candidate.1);
            let goal: Vec<TermId> = again.chain([demands]).collect();
            let goal = terms.and(&goal);
            if !self.implies(terms, candidates, goal)? {
                candidates.insert(number, left);
            }
        }
        Ok(())
    }
}
