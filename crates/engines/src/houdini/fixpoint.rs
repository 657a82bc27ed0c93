//! The largest set of candidates that holds: all that fail where control comes to their place, or are not kept under the
//! assumption of the others, are dropped until none does (Houdini).
//!
//! Each candidate is put into the program once, as `(=> selector candidate)`. So the conditions are computed once; a
//! candidate is assumed by assuming its selector and dropped by denying it, and the model of one failed condition drops
//! every candidate that is false in it.

use super::groups::{Goal, Group, groups};
use super::sites::Site;
use base::budget::Budget;
use program::{Note, Origin, Program, Roots, conditions};
use rustc_hash::FxHashMap;
use smt::eval::{Assignment, Evaluator};
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::constants;
use smt::term::{Fun, Role, TermId, Terms};
use smt::value::Value;
use solver::{CheckResult, FullSolver, Limits, SolverError};
use std::time::Duration;
use svlib::syntax::At;

/// A formula that may hold at a site.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Candidate {
    /// The number of the site.
    pub(crate) site: usize,
    /// What may hold there.
    pub(crate) formula: TermId,
}

/// Why the search ended without an answer.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// The time is over.
    Time,
    /// The conditions do not cover everything, or the solver is broken.
    Failed(String),
}

impl From<SolverError> for Stopped {
    fn from(error: SolverError) -> Stopped {
        Stopped::Failed(error.to_string())
    }
}

/// Steps that the evaluation of one candidate may take.
const FUEL: u64 = 20_000;

/// Goals that are asked about together.
const MANY_TOGETHER: usize = 150;
/// The time of a question with quantifiers: what follows, follows soon.
const QUANTIFIED: Duration = Duration::from_millis(400);

/// The conditions of a program with candidates, and which of the candidates are left.
pub(crate) struct Fixpoint {
    pub(super) solver: Box<dyn FullSolver>,
    pub(super) budget: Budget,
    /// The time of one question at most.
    pub(super) patience: Duration,
    axioms: Vec<TermId>,
    pub(super) groups: Vec<Group>,
    pub(super) selectors: Vec<TermId>,
    /// Which candidates are left.
    pub(crate) alive: Vec<bool>,
}

impl Fixpoint {
    /// Puts candidates into the program, which has only the task's annotations before and after.
    pub(crate) fn new(
        terms: &mut Terms,
        program: &mut Program<'_>,
        sites: &[Site],
        candidates: &[Candidate],
        solver: Box<dyn FullSolver>,
        budget: &Budget,
    ) -> Result<Fixpoint, Stopped> {
        let mut selectors = Vec::with_capacity(candidates.len());
        let mut notes: Vec<Vec<TermId>> = vec![Vec::new(); sites.len()];
        for (number, candidate) in candidates.iter().enumerate() {
            let selector = selector(terms, number);
            selectors.push(selector);
            let guarded = terms.app(Op::Implies, &[selector, candidate.formula]);
            notes[candidate.site].push(guarded.unwrap_or(TermId::TRUE));
        }
        for (site, terms) in sites.iter().zip(notes) {
            if !terms.is_empty() {
                let note = Note { kind: site.kind, terms, origin: Origin::Added, at: At::default().0 };
                program.annotate(site.stmt, note);
            }
        }
        let found = conditions(terms, program, &Roots::default());
        program.forget_added();
        if let Some(reason) = found.open.first() {
            return Err(Stopped::Failed(reason.clone()));
        }
        let numbers = selectors.iter().enumerate().map(|(number, &selector)| (selector, number)).collect();
        let mut groups = groups(terms, &found, &numbers);
        groups.iter_mut().for_each(|group| group.without_quantifiers(terms));
        let alive = vec![true; candidates.len()];
        let (budget, patience) = (budget.clone(), Duration::from_secs(1));
        Ok(Fixpoint { solver, budget, patience, axioms: found.axioms, groups, selectors, alive })
    }

    /// Drops candidates until the rest holds.
    pub(crate) fn run(&mut self, terms: &mut Terms) -> Result<(), Stopped> {
        // What fails at once is dropped before it is assumed anywhere.
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        order.sort_by_key(|&number| (self.groups[number].back, self.groups[number].used.len(), number));
        loop {
            let Some(&number) = order.iter().find(|&&number| !self.groups[number].settled) else {
                return Ok(());
            };
            self.groups[number].settled = true;
            let killed = self.settle(terms, number)?;
            for group in &mut self.groups {
                if group.settled && killed.iter().any(|number| group.used.binary_search(number).is_ok()) {
                    group.settled = false;
                }
            }
        }
    }

    pub(super) fn time(&mut self, patience: Duration) -> Result<(), Stopped> {
        if self.budget.is_over() {
            return Err(Stopped::Time);
        }
        let time = self.budget.remaining().map_or(patience, |left| left.min(patience));
        Ok(self.solver.limits(Limits::time(time))?)
    }

    /// Opens a level with the hypotheses of a group. Candidates that are gone say nothing; those that are left are
    /// assumed here, unless each question says which ones it assumes.
    pub(super) fn open(&mut self, terms: &mut Terms, number: usize, assumed: bool) -> Result<(), Stopped> {
        let hypotheses = self.groups[number].hypotheses.clone();
        self.open_with(terms, number, assumed, &hypotheses)
    }

    fn open_with(
        &mut self,
        terms: &mut Terms,
        number: usize,
        assumed: bool,
        hypotheses: &[TermId],
    ) -> Result<(), Stopped> {
        self.solver.push()?;
        let group = &self.groups[number];
        for &used in &group.used {
            let selector = self.selectors[used];
            if !self.alive[used] {
                let denied = terms.not(selector);
                self.solver.assert(terms, denied)?;
            } else if assumed {
                self.solver.assert(terms, selector)?;
            }
        }
        for &formula in self.axioms.iter().chain(hypotheses) {
            self.solver.assert(terms, formula)?;
        }
        Ok(())
    }

    /// Drops what fails in a group, and returns it. What was dropped stays assumed until the next pass: a state that
    /// refutes a candidate does so under fewer assumptions, too.
    fn settle(&mut self, terms: &mut Terms, number: usize) -> Result<Vec<usize>, Stopped> {
        let mut killed = Vec::new();
        loop {
            let before = killed.len();
            self.open(terms, number, true)?;
            self.pass(terms, number, &mut killed)?;
            self.solver.pop()?;
            let group = &self.groups[number];
            if !killed[before..].iter().any(|number| group.used.binary_search(number).is_ok()) {
                return Ok(killed);
            }
        }
    }

    /// Asks about all goals together; where the solver does not know, about fewer of them.
    fn pass(&mut self, terms: &mut Terms, number: usize, killed: &mut Vec<usize>) -> Result<(), Stopped> {
        let goals = &self.groups[number].goals;
        let all = goals.iter().copied().filter(|goal| goal.candidate.is_some_and(|c| self.alive[c]));
        // Quantified goals are hard enough one at a time, and no model refutes them.
        let (quantified, plain): (Vec<Goal>, Vec<Goal>) = all.partition(|goal| terms.has_vars(goal.formula));
        let mut todo: Vec<Vec<Goal>> = quantified.into_iter().map(|goal| vec![goal]).collect();
        todo.extend(plain.chunks(MANY_TOGETHER).map(<[Goal]>::to_vec));
        while let Some(mut goals) = todo.pop() {
            goals.retain(|goal| goal.candidate.is_some_and(|candidate| self.alive[candidate]));
            if goals.is_empty() {
                continue;
            }
            let quantified = terms.has_vars(goals[0].formula);
            let patience = if quantified { QUANTIFIED } else { self.patience };
            self.time(patience)?;
            self.solver.push()?;
            let failing = failing(terms, &goals);
            self.solver.assert(terms, failing)?;
            let answer = self.solver.check(terms, &[])?;
            let mut false_now = Vec::new();
            if answer.is_sat() {
                let model = self.solver.model(terms)?;
                false_now = false_in(terms, model, &goals);
            }
            self.solver.pop()?;
            if answer.is_unsat() {
                continue;
            }
            if false_now.is_empty() && goals.len() > 1 {
                let rest = goals.split_off(goals.len() / 2);
                todo.extend([rest, goals]);
                continue;
            }
            if false_now.is_empty() {
                false_now.extend(goals[0].candidate);
            }
            for &candidate in &false_now {
                self.alive[candidate] = false;
            }
            killed.extend(false_now);
            todo.push(goals);
        }
        Ok(())
    }

    /// The goals of the task that do not follow: group and position.
    pub(crate) fn failing(&mut self, terms: &mut Terms) -> Result<Vec<(usize, usize)>, Stopped> {
        let mut found = Vec::new();
        for number in 0..self.groups.len() {
            let goals = self.groups[number].goals.clone();
            let mut open = false;
            for (position, goal) in goals.iter().enumerate().filter(|(_, goal)| goal.candidate.is_none()) {
                if !open {
                    self.open(terms, number, true)?;
                    open = true;
                }
                if !self.ask(terms, goal)?.is_unsat() {
                    found.push((number, position));
                }
            }
            if open {
                self.solver.pop()?;
            }
        }
        self.still_failing(terms, found)
    }

    /// The goals that do not follow with all instances of quantified hypotheses either, as far as the solver finds them.
    fn still_failing(
        &mut self,
        terms: &mut Terms,
        mut failing: Vec<(usize, usize)>,
    ) -> Result<Vec<(usize, usize)>, Stopped> {
        let mut follow = Vec::new();
        for &(number, position) in &failing {
            let Some(hypotheses) = self.groups[number].quantified.clone() else { return Ok(failing) };
            let goal = self.groups[number].goals[position];
            self.open_with(terms, number, true, &hypotheses)?;
            let answer = self.ask(terms, &goal)?;
            self.solver.pop()?;
            if !answer.is_unsat() {
                return Ok(failing);
            }
            follow.push((number, position));
        }
        failing.retain(|goal| !follow.contains(goal));
        Ok(failing)
    }

    /// Asks whether a goal of the open group can fail.
    pub(super) fn ask(&mut self, terms: &mut Terms, goal: &Goal) -> Result<CheckResult, Stopped> {
        self.time(self.patience * 2)?;
        self.solver.push()?;
        let negated = terms.not(goal.formula);
        self.solver.assert(terms, negated)?;
        let answer = self.solver.check(terms, &[])?;
        self.solver.pop()?;
        Ok(answer)
    }
}

fn selector(terms: &mut Terms, number: usize) -> TermId {
    let name = terms.names.intern(&format!("#use.{number}"));
    let fun = Fun { name, params: Box::new([]), result: SortId::BOOL, role: Role::Free };
    let fun = terms.declare(fun);
    terms.constant_term(fun)
}

/// At least one of the goals is false.
fn failing(terms: &mut Terms, goals: &[Goal]) -> TermId {
    let negated: Vec<TermId> = goals.iter().map(|goal| terms.not(goal.formula)).collect();
    match negated[..] {
        [one] => one,
        _ => terms.app(Op::Or, &negated).unwrap_or(TermId::TRUE),
    }
}

/// The candidates that are false in a model.
fn false_in(terms: &mut Terms, model: Assignment, goals: &[Goal]) -> Vec<usize> {
    let formulas: Vec<TermId> = goals.iter().map(|goal| goal.formula).collect();
    let holding = true_in(terms, model, &formulas);
    goals.iter().zip(holding).filter(|(_, holds)| !holds).filter_map(|(goal, _)| goal.candidate).collect()
}

/// Which formulas are not false in a model. What the model leaves open may have any value.
pub(super) fn true_in(terms: &mut Terms, mut model: Assignment, formulas: &[TermId]) -> Vec<bool> {
    let mut defaults: FxHashMap<SortId, Option<Value>> = FxHashMap::default();
    for &formula in formulas {
        for constant in constants(terms, formula) {
            let Some(fun) = terms.applied(constant) else { continue };
            if model.interpretation(fun).is_none() {
                let sort = terms.sort(constant);
                let value = defaults.entry(sort).or_insert_with(|| Value::default_of(terms, sort));
                if let Some(value) = value.clone() {
                    model.set(fun, value);
                }
            }
        }
    }
    let mut evaluator = Evaluator::new(terms).with_fuel(FUEL);
    let mut holds = |&formula: &TermId| !matches!(evaluator.holds(formula, &mut model), Ok(false));
    formulas.iter().map(&mut holds).collect()
}
