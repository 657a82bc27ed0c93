//! Sets of states that are never left: the same questions as the checker of lassos asks.
//!
//! The largest conjunction of given formulas that each round preserves is found by leaving out what a round does not
//! preserve. It is the smallest such set around a state; if some way leaves even that, all others that the formulas
//! could describe are left, too.

use super::Target;
use super::wander::Sample;
use base::budget::Budget;
use program::{Cycles, Head, Program, Ways, decided, ways, with_definitions};
use rustc_hash::FxHashMap;
use smt::eval::Interpretation;
use smt::op::Op;
use smt::subst::replace;
use smt::term::{TermId, Terms};
use smt::value::Value;
use solver::{CheckResult, FullSolver, Limits, SolverError};
use std::time::Duration;

/// Loops on the way are followed for so many rounds.
const ROUNDS: usize = 12;
/// The time of one question.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time for leaving formulas out, where quantifiers make each question slow.
const MINIMISING: Duration = Duration::from_secs(4);

/// Asks about the ways of a program.
pub(super) struct Asker<'a, 's> {
    /// The program without the annotations of the task.
    pub(super) program: &'a Program<'s>,
    pub(super) solver: Box<dyn FullSolver>,
    pub(super) budget: Budget,
}

/// The ways for a list of formulas, of which some are in the set.
struct Round {
    ways: Ways,
    /// What is known at the beginning without the formulas.
    fixed: Vec<TermId>,
    back: (TermId, Vec<TermId>),
}

impl Asker<'_, '_> {
    /// The variables that a round can change; none when nothing comes back.
    pub(super) fn changing(&self, terms: &mut Terms, target: &Target) -> Option<Vec<smt::term::FunId>> {
        let head = Head { stmt: target.head, holds: &[], avoid: &target.avoid };
        let mut found = ways(terms, self.program, &head, Cycles::Abstracted)?;
        if found.back.is_none() {
            found = ways(terms, self.program, &head, Cycles::Unrolled(ROUNDS))?;
        }
        found.back.as_ref()?;
        let is_variable = |fun| matches!(terms.fun(fun).role, smt::term::Role::Variable(..));
        Some(found.values.iter().filter(|v| !v.2 && is_variable(v.0)).map(|v| v.0).collect())
    }

    fn round(
        &self,
        terms: &mut Terms,
        target: &Target,
        sample: &Sample,
        formulas: &[TermId],
        cycles: Cycles,
    ) -> Option<Round> {
        let head = Head { stmt: target.head, holds: formulas, avoid: &target.avoid };
        let mut ways = ways(terms, self.program, &head, cycles)?;
        let back = ways.back.take()?;
        let mut fixed = self.program.axioms.clone();
        for &(variable, constant, kept) in &ways.values {
            if let (true, Some(value)) = (kept, sample.state.get(&variable)) {
                let value = value.to_term(terms);
                fixed.extend(terms.app(Op::Eq, &[constant, value]));
            }
        }
        for (fun, meaning) in &sample.execution.model {
            if let Interpretation::Value(value) = meaning {
                let (constant, value) = (terms.constant_term(*fun), value.to_term(terms));
                fixed.extend(terms.app(Op::Eq, &[constant, value]));
            }
        }
        Some(Round { ways, fixed, back })
    }

    /// A set of states around the sample that is never left, as some of the formulas that hold there. Those that come
    /// last are left out first.
    pub(super) fn all_come_back(
        &mut self,
        terms: &mut Terms,
        target: &Target,
        sample: &Sample,
        formulas: &[TermId],
    ) -> Result<Option<Vec<TermId>>, SolverError> {
        let Some(round) = self.round(terms, target, sample, formulas, Cycles::Abstracted) else {
            return Ok(None);
        };
        if !round.ways.open.is_empty() {
            return Ok(None);
        }
        let mut set = vec![true; formulas.len()];
        if !self.preserve(terms, &round, &mut set)? || !self.is_closed(terms, &round, &set)? {
            return Ok(None);
        }
        for number in (0..set.len()).rev() {
            if !self.budget.is_over() && std::mem::take(&mut set[number]) {
                set[number] = !self.is_closed(terms, &round, &set)?;
            }
        }
        Ok(Some(chosen(formulas, &set)))
    }

    /// A set of states around the sample in which whoever decides can stay, likewise.
    pub(super) fn some_comes_back(
        &mut self,
        terms: &mut Terms,
        target: &Target,
        sample: &Sample,
        formulas: &[TermId],
    ) -> Result<Option<Vec<TermId>>, SolverError> {
        let Some(round) = self.round(terms, target, sample, formulas, Cycles::Unrolled(ROUNDS)) else {
            return Ok(None);
        };
        let mut set = vec![true; formulas.len()];
        let mut found = self.can_stay(terms, &round, &set)?;
        if !found && self.preserve(terms, &round, &mut set)? {
            found = self.can_stay(terms, &round, &set)?;
        }
        if !found {
            return Ok(None);
        }
        let patience = self.budget.part(MINIMISING);
        for number in (0..set.len()).rev() {
            if !patience.is_over() && std::mem::take(&mut set[number]) {
                set[number] = !self.can_stay(terms, &round, &set)?;
            }
        }
        Ok(Some(chosen(formulas, &set)))
    }

    /// Leaves out what a round does not preserve. False when that is not known.
    fn preserve(&mut self, terms: &mut Terms, round: &Round, set: &mut [bool]) -> Result<bool, SolverError> {
        let (guard, again) = &round.back;
        loop {
            if self.budget.is_over() {
                return Ok(false);
            }
            let goal = terms.and(&chosen(again, set));
            let mut question = self.known(round, set);
            question.push(*guard);
            let mut question = with_definitions(terms, &round.ways.definitions, question, goal);
            question.push(terms.not(goal));
            let answer = self.ask(terms, &question)?;
            let mut less = false;
            if answer == CheckResult::Sat {
                for (number, &goal) in again.iter().enumerate() {
                    if set[number] && self.solver.value(terms, goal)? == Some(Value::Bool(false)) {
                        set[number] = false;
                        less = true;
                    }
                }
            }
            self.solver.pop()?;
            match answer {
                CheckResult::Unsat => return Ok(true),
                CheckResult::Sat if less => {}
                _ => return Ok(false),
            }
        }
    }

    fn known(&self, round: &Round, set: &[bool]) -> Vec<TermId> {
        let mut known = chosen(&round.ways.start, set);
        known.extend(&round.fixed);
        known
    }

    /// All ways from the set come back to it.
    fn is_closed(&mut self, terms: &mut Terms, round: &Round, set: &[bool]) -> Result<bool, SolverError> {
        let mut cases = Vec::new();
        let demands = round.ways.demands.iter().filter(|demand| demand.what != program::What::Again);
        for demand in demands {
            let missed = terms.not(demand.goal);
            cases.push(terms.and(&[demand.guard, missed]));
        }
        let again = terms.and(&chosen(&round.back.1, set));
        let missed = terms.not(again);
        cases.push(terms.and(&[round.back.0, missed]));
        // All cases are Boolean.
        let some = match cases[..] {
            [one] => one,
            _ => terms.app(Op::Or, &cases).unwrap_or(TermId::TRUE),
        };
        let mut question = with_definitions(terms, &round.ways.definitions, self.known(round, set), some);
        question.push(some);
        let answer = self.ask(terms, &question)?;
        self.solver.pop()?;
        Ok(answer == CheckResult::Unsat)
    }

    /// From each state of the set some way comes back to it.
    fn can_stay(&mut self, terms: &mut Terms, round: &Round, set: &[bool]) -> Result<bool, SolverError> {
        let mut way = chosen(&round.back.1, set);
        way.push(round.back.0);
        let way = with_definitions(terms, &round.ways.definitions, way, TermId::TRUE);
        let (mut map, mut bound) = (FxHashMap::default(), Vec::new());
        for (number, constant) in decided(terms, &round.ways, &way).into_iter().enumerate() {
            let name = terms.names.intern(&format!("#decided{number}"));
            let variable = terms.var(name, terms.sort(constant));
            map.insert(constant, variable);
            bound.push(variable);
        }
        let taken = terms.and(&way);
        let taken = replace(terms, taken, &map);
        let mut never = terms.not(taken);
        if !bound.is_empty() {
            let Ok(all) = terms.bind(Op::Forall, &bound, never) else { return Ok(false) };
            never = all;
        }
        let mut question = self.known(round, set);
        question.push(never);
        let answer = self.ask(terms, &question)?;
        self.solver.pop()?;
        Ok(answer == CheckResult::Unsat)
    }

    /// Opens a level with the formulas and asks whether they hold together.
    fn ask(&mut self, terms: &Terms, formulas: &[TermId]) -> Result<CheckResult, SolverError> {
        let time = self.budget.remaining().map_or(PATIENCE, |time| time.min(PATIENCE));
        self.solver.limits(Limits::time(time))?;
        self.solver.push()?;
        for &formula in formulas.iter().filter(|&&formula| formula != TermId::TRUE) {
            self.solver.assert(terms, formula)?;
        }
        self.solver.check(terms, &[])
    }
}

/// Those of the list that are in the set.
fn chosen(list: &[TermId], set: &[bool]) -> Vec<TermId> {
    list.iter().zip(set).filter(|(_, chosen)| **chosen).map(|(&term, _)| term).collect()
}
