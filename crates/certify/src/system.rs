//! Evidence about transition systems: certificates by questions to a solver, traces by evaluation.
//!
//! The questions are those of the definition of an execution ([`ts::system`]) and of nothing else: no pass and no engine
//! is asked. What cannot be evaluated in a trace (a quantifier over integers, say) is asked of the solver with the values
//! of the trace put in.

use crate::bits::{self, Said};
use crate::question::conjuncts;
use crate::replay::{Judged, Rejection};
use base::budget::Budget;
use smt::print::term_text;
use smt::products::products;
use smt::term::{TermId, Terms};
use solver::{CheckResult, FullSolver, Limits, SolverError};
use std::ops::Range;
use std::time::Duration;
use ts::passes::count::count;
use ts::passes::lasso::{is_complete, lasso};
use ts::passes::rank::rank;
use ts::trace::Fault;
use ts::unroll::Unrolling;
use ts::{Certificate, Property, PropertyKind, Reduction, System, Trace};

/// Judges a certificate. One of a live property is about a system that is made here, from the system itself.
pub fn check_certificate(
    terms: &mut Terms,
    system: &System,
    property: &Property,
    certificate: Certificate,
    solver: &mut dyn FullSolver,
    budget: &Budget,
) -> Judged {
    let reduced = match certificate.reduction {
        Reduction::None => Ok(System { properties: vec![property.clone()], ..system.clone() }),
        Reduction::Lasso if !is_complete(terms, system) => {
            Err("an execution of a system with infinitely many states need not repeat one")
        }
        Reduction::Lasso => lasso(terms, system, property).map(|lasso| lasso.system),
        Reduction::Count(bound) => count(terms, system, property, bound),
        Reduction::Rank(components) => rank(terms, system, property, &components).map(|ranked| ranked.system),
    };
    let system = match reduced {
        Ok(reduced) => reduced,
        Err(reason) => return Judged::Rejected(Rejection::Condition(reason.into())),
    };
    let PropertyKind::Invariant(formula) = system.properties[0].kind else {
        let reason = "the certificate is one of an invariant, and the property is none";
        return Judged::Rejected(Rejection::Condition(reason.into()));
    };
    if let Err(reason) = speaks_of_a_step(terms, &system, certificate.invariant) {
        return Judged::Rejected(Rejection::Condition(reason));
    }
    // Who names a solver wants its word.
    let bits = solver.name() == DEFAULT && bits::agree(terms, &system, &[certificate.invariant, formula]);
    let mut asked = Asked { terms, system: &system, solver, budget, unrolling: Unrolling::new(), bits };
    match certificate.depth {
        0 => asked.inductive(certificate.invariant, formula),
        depth => asked.inductive_after(depth, certificate.invariant, formula),
    }
}

/// An invariant may use what an invariant property may use: of next versions, and of a symbol that nobody knows, nothing can be
/// said. The inputs of each step are others, and in every question they are any.
fn speaks_of_a_step(terms: &Terms, system: &System, invariant: TermId) -> Result<(), String> {
    let only = System { invar: vec![invariant], ..System::default() };
    let (states, inputs, rigid) = (system.states.clone(), system.inputs.clone(), system.rigid.clone());
    let only = System { states, inputs, rigid, ..only };
    match ts::verify(terms, &only).first() {
        Some(flaw) => Err(format!("the invariant of the certificate is none: {}", flaw.message(terms))),
        None => Ok(()),
    }
}

/// A system and a solver that is asked about it.
pub(crate) struct Asked<'a> {
    terms: &'a mut Terms,
    system: &'a System,
    solver: &'a mut dyn FullSolver,
    budget: &'a Budget,
    unrolling: Unrolling,
    /// Whether questions may be put to a SAT solver.
    bits: bool,
}

impl<'a> Asked<'a> {
    /// Questions that an SMT solver alone answers.
    pub(crate) fn new(
        terms: &'a mut Terms,
        system: &'a System,
        solver: &'a mut dyn FullSolver,
        budget: &'a Budget,
    ) -> Asked<'a> {
        Asked { terms, system, solver, budget, unrolling: Unrolling::new(), bits: false }
    }
}

impl Asked<'_> {
    /// The invariant holds at first, is kept, and implies the property.
    fn inductive(&mut self, invariant: TermId, formula: TermId) -> Judged {
        let mut known = self.at(&self.system.init.clone(), 0);
        known.extend(self.steps(0, &[], 0..0));
        let judged = self.each_implied(&known, invariant, 0, "the invariant does not hold at first");
        if judged != Judged::Confirmed {
            return judged;
        }
        let known = self.steps(1, &[invariant], 0..1);
        let judged = self.each_implied(&known, invariant, 1, "a step does not keep the invariant");
        if judged != Judged::Confirmed {
            return judged;
        }
        let known = self.steps(0, &[invariant], 0..1);
        let goal = self.at(&[formula], 0)[0];
        self.implied(&known, goal, "the invariant does not imply the property")
    }

    /// Invariant and property hold in the first `depth` steps, and in every step after so many that satisfy both.
    fn inductive_after(&mut self, depth: usize, invariant: TermId, formula: TermId) -> Judged {
        let both = self.terms.and(&[invariant, formula]);
        for step in 0..depth {
            // What is shown of a step helps with the next one.
            let mut known = self.at(&self.system.init.clone(), 0);
            known.extend(self.steps(step, &[both], 0..step));
            if step >= FEW && self.first_steps_bit_by_bit(step..depth, known.clone(), both) {
                break;
            }
            let otherwise = "the property or the invariant does not hold in one of the first steps";
            let judged = self.each_implied(&known, both, step, otherwise);
            if judged != Judged::Confirmed {
                return judged;
            }
        }
        let known = self.steps(depth, &[both], 0..depth);
        self.each_implied(&known, both, depth, "so many steps do not keep the invariant and the property")
    }

    /// True when a formula holds in some of the first steps, as far as a SAT solver finds out: one step after the other, so that
    /// what it learns about one helps with the next. What is known is about the steps up to the first of them.
    fn first_steps_bit_by_bit(&mut self, steps: Range<usize>, known: Vec<TermId>, formula: TermId) -> bool {
        if !self.bits {
            return false;
        }
        let mut formulas = known;
        // Before each of these formulas, what is said of its step.
        let mut goals = Vec::with_capacity(steps.len());
        for step in steps.clone() {
            if step > steps.start {
                for &trans in &self.system.trans {
                    formulas.push(self.unrolling.between(self.terms, self.system, trans, step - 1));
                }
                formulas.extend(self.at(&self.system.invar.clone(), step));
            }
            goals.push(formulas.len());
            formulas.extend(self.at(&[formula], step));
        }
        // The other way takes longer; but there has to be time for the question about any steps.
        let part = self.budget.remaining().map(|time| self.budget.part(time - time / TOGETHER));
        let Some(mut said) = Said::new(self.terms, &formulas, &goals, part.as_ref().unwrap_or(self.budget))
        else {
            return false;
        };
        let mut next = 0;
        goals.into_iter().all(|goal| {
            (next..goal).for_each(|at| said.holds(at));
            next = goal + 1;
            said.follows(goal)
        })
    }

    /// Whether the formulas imply what an invariant says about a step: all at once if that is easy, which it mostly is. A large
    /// invariant, one that says something of single bits, say, is easy in parts only, so then one conjunct after the other is
    /// asked for a short time. What is left is asked for long.
    fn each_implied(&mut self, known: &[TermId], invariant: TermId, step: usize, otherwise: &str) -> Judged {
        let mut goals = self.at(&conjuncts(self.terms, invariant), step);
        if goals.len() > 1 {
            let is_soon = self.bits || goals.len() >= MANY;
            let first = if is_soon { self.soon(AT_ONCE) } else { limits(self.budget, ALONE) };
            if self.together(known, &goals, first) || self.bit_by_bit(known, &goals) {
                return Judged::Confirmed;
            }
            goals = match self.easy(known, &goals) {
                Ok(Easy::Left(left)) => left,
                Ok(Easy::Fails(goal)) => {
                    let words = not_implied(self.terms, goal, otherwise);
                    return Judged::Rejected(Rejection::Condition(words));
                }
                Err(error) => return Judged::Open(error.to_string()),
            };
            if goals.len() > 1 && self.together(known, &goals, limits(self.budget, TOGETHER)) {
                return Judged::Confirmed;
            }
        }
        for goal in goals {
            let judged = self.implied(known, goal, otherwise);
            if judged != Judged::Confirmed {
                return judged;
            }
        }
        Judged::Confirmed
    }

    /// True when the formulas imply all of the goals, as far as a new solver finds out within the limits.
    fn together(&mut self, known: &[TermId], goals: &[TermId], limits: Limits) -> bool {
        let all = self.terms.and(goals);
        let negated = self.terms.not(all);
        matches!(self.ask_fresh(known, negated, limits), Ok(CheckResult::Unsat))
    }

    /// True when the formulas imply all of the goals, as far as a SAT solver finds out.
    fn bit_by_bit(&mut self, known: &[TermId], goals: &[TermId]) -> bool {
        let all = self.terms.and(goals);
        let negated = self.terms.not(all);
        let formulas: Vec<TermId> = known.iter().copied().chain([negated]).collect();
        // What holds whatever products are holds.
        if self.bits
            && let Some(made) = products(self.terms, &formulas)
            && bits::contradict(
                self.terms,
                &[made.formulas, made.facts].concat(),
                &self.budget.part(PRODUCTS),
            )
        {
            return true;
        }
        let budget = self.budget.remaining().map(|time| self.budget.part(time - time / TOGETHER));
        self.bits && bits::contradict(self.terms, &formulas, budget.as_ref().unwrap_or(self.budget))
    }

    /// Asks about goals one after the other, which costs little each time, as the solver hears of the formulas once.
    fn easy(&mut self, known: &[TermId], goals: &[TermId]) -> Result<Easy, SolverError> {
        let begin = self.budget.remaining();
        self.solver.push()?;
        for &formula in known {
            self.solver.assert(self.terms, formula)?;
        }
        let (mut found, mut left, mut shown) = (None, Vec::new(), 0);
        for &goal in goals {
            // Not more than half of the time in all, and not if none of them seems to be easy.
            let is_late = begin.zip(self.budget.remaining()).is_some_and(|(then, now)| now < then / 2);
            if is_late || (left.len() >= HARD && shown == 0) {
                left.push(goal);
                continue;
            }
            let negated = self.terms.not(goal);
            let limits = self.soon(EASY);
            self.solver.limits(limits)?;
            self.solver.push()?;
            self.solver.assert(self.terms, negated)?;
            let answer = self.solver.check(self.terms, &[])?;
            self.solver.pop()?;
            match answer {
                CheckResult::Unsat => shown += 1,
                CheckResult::Sat => {
                    found = Some(goal);
                    break;
                }
                CheckResult::Unknown(_) => left.push(goal),
            }
        }
        self.solver.pop()?;
        Ok(found.map_or(Easy::Left(left), Easy::Fails))
    }

    /// So much time, and not more than a part of what is left.
    fn soon(&self, time: Duration) -> Limits {
        let part = self.budget.remaining().map_or(time, |left| (left / TOGETHER).min(time));
        Limits::time(part.max(Duration::from_millis(1)))
    }

    /// An execution of so many steps after the first one, of which nothing is known at its beginning; the formulas hold in
    /// some of its steps.
    fn steps(&mut self, count: usize, formulas: &[TermId], there: Range<usize>) -> Vec<TermId> {
        let mut known = self.system.axioms.clone();
        for step in 0..=count {
            known.extend(self.at(&self.system.invar.clone(), step));
            if step < count {
                for &formula in &self.system.trans {
                    known.push(self.unrolling.between(self.terms, self.system, formula, step));
                }
            }
            if there.contains(&step) {
                known.extend(self.at(formulas, step));
            }
        }
        known
    }

    fn at(&mut self, formulas: &[TermId], step: usize) -> Vec<TermId> {
        formulas.iter().map(|&formula| self.unrolling.at(self.terms, self.system, formula, step)).collect()
    }

    /// Whether the formulas imply the goal: two solvers are asked if one does not know.
    pub(crate) fn implied(&mut self, known: &[TermId], goal: TermId, otherwise: &str) -> Judged {
        let negated = self.terms.not(goal);
        let words = |terms: &Terms| not_implied(terms, goal, otherwise);
        let first = if self.bits { self.soon(AT_ONCE) } else { limits(self.budget, ALONE) };
        let answer = match self.ask_fresh(known, negated, first) {
            Ok(CheckResult::Unknown(_)) if self.bit_by_bit(known, &[goal]) => Ok(CheckResult::Unsat),
            Ok(CheckResult::Unknown(_)) => self.ask(known, negated),
            answer => answer,
        };
        match answer {
            Ok(CheckResult::Unsat) => Judged::Confirmed,
            Ok(CheckResult::Sat) => Judged::Rejected(Rejection::Condition(words(self.terms))),
            Ok(CheckResult::Unknown(reason)) => {
                Judged::Open(format!("whether {} is unknown ({reason})", words(self.terms)))
            }
            Err(error) => Judged::Open(error.to_string()),
        }
    }

    fn ask(&mut self, known: &[TermId], negated: TermId) -> Result<CheckResult, SolverError> {
        self.solver.limits(limits(self.budget, ALONE))?;
        self.solver.push()?;
        for &formula in known.iter().chain([&negated]) {
            self.solver.assert(self.terms, formula)?;
        }
        let answer = self.solver.check(self.terms, &[])?;
        self.solver.pop()?;
        Ok(answer)
    }

    fn ask_fresh(
        &mut self,
        known: &[TermId],
        negated: TermId,
        limits: Limits,
    ) -> Result<CheckResult, SolverError> {
        let mut fresh = solver::open(self.solver.name())?;
        fresh.limits(limits)?;
        for &formula in known.iter().chain([&negated]) {
            fresh.assert(self.terms, formula)?;
        }
        fresh.check(self.terms, &[])
    }
}

/// What came out of asking about goals one by one.
enum Easy {
    /// All but these are implied.
    Left(Vec<TermId>),
    /// This one is not.
    Fails(TermId),
}

fn not_implied(terms: &Terms, goal: TermId, otherwise: &str) -> String {
    let text: String = term_text(terms, goal).chars().take(200).collect();
    format!("{otherwise}: {text}")
}

/// The solver that is asked if nobody names one.
const DEFAULT: &str = "z3";
/// In so many of the first steps it is mostly easy to see what holds.
const FEW: usize = 4;
/// An invariant with so many conjuncts is a large one.
const MANY: usize = 50;
/// So long all conjuncts of a large invariant are asked for together before they are asked for one by one, and so long one of them.
const AT_ONCE: Duration = Duration::from_secs(1);
const EASY: Duration = Duration::from_millis(500);
/// So long it is tried to do without multipliers.
const PRODUCTS: Duration = Duration::from_secs(5);
/// If so many of them are not shown, and none is, the others are not asked about.
const HARD: usize = 3;
/// So much of the time that is left is for all conjuncts of an invariant together.
const TOGETHER: u32 = 4;
/// And so much for one of them, or for few.
const ALONE: u32 = 2;

fn limits(budget: &Budget, part: u32) -> Limits {
    match budget.remaining() {
        Some(time) => Limits::time((time / part).max(Duration::from_millis(1))),
        None => Limits::default(),
    }
}

/// Judges a counterexample.
#[must_use]
pub fn check_system_trace(terms: &Terms, system: &System, property: &Property, trace: &Trace) -> Judged {
    match trace.check(terms, system, property) {
        Ok(()) => Judged::Confirmed,
        Err(fault @ (Fault::Unevaluated(..) | Fault::Temporal)) => Judged::Open(fault.message(terms)),
        Err(fault) => Judged::Rejected(Rejection::OtherEnd(fault.message(terms))),
    }
}
