//! The way back from what the task demands: what has to hold one way earlier, and another one, until nothing is new.

use super::paths::{Step, Target, instance};
use super::{Claims, Failure};
use crate::houdini::groups::conjuncts;
use base::budget::Budget;
use encode::horn::{Encoding, Meaning};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::subst::{constants, postorder};
use smt::term::{TermId, Terms};
use solver::{CheckResult, FullSolver, Limits};
use std::time::Duration;

/// The time of one question at most.
const PATIENCE: Duration = Duration::from_secs(2);
/// More formulas than this are too many.
const MOST_LEMMAS: usize = 150;
/// Larger formulas than this say nothing to anybody.
const LARGE: usize = 1500;

/// How the search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reached {
    /// Going further back than so many ways demands nothing new.
    Closed(usize),
    /// What is demanded so many ways back is false where executions begin.
    Violation(usize),
    /// The limit; one can go on.
    Limit,
    /// There are too many formulas, or too large ones.
    TooMuch,
}

/// The search.
pub(crate) struct Back<'a> {
    encoding: &'a Encoding,
    steps: Vec<Step>,
    /// What is assumed about each predicate.
    pub(crate) claims: Claims,
    /// What is demanded of each predicate.
    pub(crate) lemmas: Claims,
    solver: Box<dyn FullSolver>,
    budget: Budget,
    /// What is demanded at the ends of ways that are looked at next: the way and the formula.
    demands: Vec<(usize, TermId)>,
    /// How far it went.
    ways: usize,
    fresh: usize,
}

impl<'a> Back<'a> {
    pub(crate) fn new(
        encoding: &'a Encoding,
        steps: Vec<Step>,
        claims: Claims,
        solver: Box<dyn FullSolver>,
        budget: Budget,
    ) -> Back<'a> {
        let lemmas = vec![Vec::new(); encoding.unknowns.len()];
        let mut demands: Vec<(usize, TermId)> = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            if let Target::Formula(formula) = step.target {
                demands.push((number, formula));
            }
        }
        Back { encoding, steps, claims, lemmas, solver, budget, demands, ways: 0, fresh: 0 }
    }

    /// Why it was not enough.
    pub(crate) fn reason(&self) -> String {
        format!("the property is not inductive over {} ways from cut point to cut point", self.ways)
    }

    /// Goes on until so many ways back.
    pub(crate) fn run(&mut self, terms: &mut Terms, limit: usize) -> Result<Reached, Failure> {
        while self.ways < limit {
            self.ways += 1;
            let mut new: Vec<(usize, TermId)> = Vec::new();
            for (number, demand) in std::mem::take(&mut self.demands) {
                let Some(lemma) = self.lemma(terms, number, demand)? else {
                    return Ok(Reached::Violation(self.ways));
                };
                if let (Some(from), Some(lemma)) = (self.steps[number].from, lemma) {
                    if self.encoding.unknowns[from].meaning == Meaning::Untold {
                        return Err(Failure::Final("a loop without a tag needs an invariant".into()));
                    }
                    self.lemmas[from].push(lemma);
                    new.push((from, lemma));
                    if self.is_too_much(terms, lemma) {
                        return Ok(Reached::TooMuch);
                    }
                }
            }
            if new.is_empty() {
                return Ok(Reached::Closed(self.ways));
            }
            self.demands = self.earlier(terms, &new);
        }
        Ok(Reached::Limit)
    }

    /// What lemmas say without their conditions: if that holds, it is the shorter proof.
    pub(crate) fn conclusions(&self, terms: &Terms) -> Claims {
        let conclusion = |&lemma: &TermId| match (terms.op(lemma), terms.args(lemma)) {
            (Op::Implies, &[_, conclusion]) => Some(conclusion),
            _ => None,
        };
        let mut found: Claims = Vec::new();
        for lemmas in &self.lemmas {
            let mut all: Vec<TermId> = lemmas.iter().filter_map(conclusion).collect();
            all.sort_unstable();
            all.dedup();
            all.retain(|conclusion| !lemmas.contains(conclusion));
            found.push(all);
        }
        found
    }

    fn is_too_much(&self, terms: &Terms, lemma: TermId) -> bool {
        let count: usize = self.lemmas.iter().map(Vec::len).sum();
        count > MOST_LEMMAS || postorder(terms, lemma).len() > LARGE
    }

    /// What new formulas demand at the ends of the ways that lead to them.
    fn earlier(&self, terms: &mut Terms, new: &[(usize, TermId)]) -> Vec<(usize, TermId)> {
        let mut found = Vec::new();
        for (number, step) in self.steps.iter().enumerate() {
            let Target::Unknown(to, args) = &step.target else { continue };
            for &(_, lemma) in new.iter().filter(|(at, _)| at == to) {
                let params = &self.encoding.unknowns[*to].params;
                found.push((number, instance(terms, params, args, lemma)));
            }
        }
        found
    }

    /// What has to hold where a way begins so that a formula holds at its end; `Some(None)` if that is known already, and
    /// nothing at all if executions begin there and it does not hold.
    fn lemma(
        &mut self,
        terms: &mut Terms,
        number: usize,
        demand: TermId,
    ) -> Result<Option<Option<TermId>>, Failure> {
        if demand == TermId::TRUE {
            return Ok(Some(None));
        }
        let step = self.steps[number].clone();
        let mut formulas = step.guard.clone();
        if let Some(from) = step.from {
            formulas.extend(self.claims[from].iter().chain(&self.lemmas[from]));
        }
        formulas.push(terms.not(demand));
        Ok(match (self.ask(terms, &formulas)?, step.from) {
            (CheckResult::Unsat, _) => Some(None),
            (CheckResult::Sat, None) => None,
            (CheckResult::Unknown(_), None) => Some(None),
            (_, Some(_)) => Some(Some(self.before(terms, &step, demand)?)),
        })
    }

    fn ask(&mut self, terms: &Terms, formulas: &[TermId]) -> Result<CheckResult, Failure> {
        if self.budget.is_over() {
            return Err(Failure::Final("the time is over".into()));
        }
        let time = self.budget.remaining().map_or(PATIENCE, |left| left.min(PATIENCE));
        self.solver.limits(Limits::time(time))?;
        self.solver.push()?;
        for &formula in formulas {
            self.solver.assert(terms, formula)?;
        }
        let answer = self.solver.check(terms, &[])?;
        self.solver.pop()?;
        Ok(answer)
    }

    /// `guard => demand`, for everything that may be decided on the way. Decisions that only conditions speak of, and that
    /// can be made in every state, are left out with these conditions.
    fn before(&mut self, terms: &mut Terms, step: &Step, demand: TermId) -> Result<TermId, Failure> {
        let (mut guard, mut conclusion) = (step.guard.clone(), demand);
        while let (Op::Implies, &[condition, rest]) = (terms.op(conclusion), terms.args(conclusion)) {
            guard.extend(conjuncts(terms, condition));
            conclusion = rest;
        }
        let mut decided: FxHashSet<TermId> = step.open.clone();
        for constant in constants(terms, conclusion) {
            decided.remove(&constant);
        }
        let (mut kept, mut rest): (Vec<TermId>, Vec<TermId>) =
            guard.iter().partition(|&&formula| !speaks_of(terms, formula, &decided));
        while let Some(first) = rest.pop() {
            // Conditions that belong together because they speak of the same decisions.
            let (mut together, mut about) = (vec![first], decisions(terms, first, &decided));
            while let Some(i) = rest.iter().position(|&formula| speaks_of(terms, formula, &about)) {
                let next = rest.remove(i);
                about.extend(decisions(terms, next, &decided));
                together.push(next);
            }
            if !self.is_always_possible(terms, &together, &about, &step.open)? {
                kept.extend(together);
            }
        }
        kept.dedup();
        let condition = terms.and(&kept);
        let lemma = match condition {
            TermId::TRUE => conclusion,
            // Both are formulas.
            _ => terms.app(Op::Implies, &[condition, conclusion]).unwrap_or(conclusion),
        };
        Ok(self.quantified(terms, lemma, &step.open))
    }

    /// True when decisions that make these conditions true exist in every state.
    fn is_always_possible(
        &mut self,
        terms: &mut Terms,
        conditions: &[TermId],
        about: &FxHashSet<TermId>,
        open: &FxHashSet<TermId>,
    ) -> Result<bool, Failure> {
        let all: Vec<TermId> = conditions.iter().flat_map(|&formula| constants(terms, formula)).collect();
        if all.iter().any(|constant| open.contains(constant) && !about.contains(constant)) {
            return Ok(false);
        }
        if all.iter().all(|constant| about.contains(constant)) {
            return Ok(self.ask(terms, conditions)?.is_sat());
        }
        let possible = terms.and(conditions);
        let impossible = terms.not(possible);
        let never = self.quantified(terms, impossible, open);
        Ok(self.ask(terms, &[never])?.is_unsat())
    }

    /// A formula for all values of the constants that are not given.
    fn quantified(&mut self, terms: &mut Terms, formula: TermId, open: &FxHashSet<TermId>) -> TermId {
        let mut found: Vec<TermId> = constants(terms, formula);
        found.retain(|constant| open.contains(constant));
        if found.is_empty() {
            return formula;
        }
        let (mut map, mut vars) = (FxHashMap::default(), Vec::new());
        for constant in found {
            // No name of a script is taken: a name that is declared already is not used.
            let name = loop {
                let text = format!("any.{}", self.fresh);
                self.fresh += 1;
                let name = terms.names.intern(&text);
                if !terms.funs().any(|fun| terms.fun(fun).name == name) {
                    break name;
                }
            };
            let var = terms.var(name, terms.sort(constant));
            map.insert(constant, var);
            vars.push(var);
        }
        let body = smt::subst::replace(terms, formula, &map);
        // The body is a formula, and the names are new.
        terms.bind(Op::Forall, &vars, body).unwrap_or(TermId::TRUE)
    }
}

/// The decisions that a formula speaks of.
fn decisions(terms: &Terms, formula: TermId, decided: &FxHashSet<TermId>) -> FxHashSet<TermId> {
    constants(terms, formula).into_iter().filter(|constant| decided.contains(constant)).collect()
}

fn speaks_of(terms: &Terms, formula: TermId, decided: &FxHashSet<TermId>) -> bool {
    constants(terms, formula).iter().any(|constant| decided.contains(constant))
}
