//! Control: state variables with few values that say where an execution is. Each combination of values that executions may
//! reach is a location, each pair of locations with a step between them an edge.

use super::super::SystemProblem;
use super::super::session::{Session, Stopped};
use base::budget::Budget;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::simplify::{Simplifier, is_value};
use smt::sort::SortId;
use smt::subst::{constants, postorder_of};
use smt::term::{TermId, Terms};
use std::time::Duration;
use ts::{State, System};

/// More locations than this are no control any more.
const MOST_LOCATIONS: usize = 250;
/// More edges than this neither.
const MOST_EDGES: usize = 2000;
/// So much of the time may be spent on one choice of variables.
const SHARE: u32 = 30;
/// When there is no limit.
const UNLIMITED: Duration = Duration::from_secs(60);

/// Values of the variables that say where an execution is.
pub(super) type Values = Vec<Option<TermId>>;

/// A system as a graph of locations.
#[derive(Clone, Debug, Default)]
pub(super) struct Control {
    /// The variables that say where an execution is, and the others.
    pub(super) place: Vec<State>,
    pub(super) data: Vec<State>,
    /// The values of the former at each location; none where a value matters neither there nor later.
    pub(super) locations: Vec<Values>,
    /// The locations where executions begin: the first so many.
    pub(super) entries: usize,
    /// The steps from each location.
    pub(super) steps: Vec<Vec<usize>>,
}

impl Control {
    /// The finest graph that is small. There is always one: a single location.
    pub(super) fn of(
        terms: &mut Terms,
        problem: &SystemProblem<'_>,
        claim: TermId,
    ) -> Result<Control, Stopped> {
        let system = problem.system;
        let discrete = discrete(terms, system);
        let fixed = fixed(terms, system);
        let all = |_: &State| true;
        let begins = |state: &State| fixed.contains(&state.now);
        let wide = |state: &State| terms.fun(state.now).result != SortId::BOOL;
        let truth = |state: &State| !wide(state);
        let choices: [&dyn Fn(&State) -> bool; 4] = [&all, &truth, &begins, &wide];
        let choices: Vec<Vec<State>> =
            choices.iter().map(|chosen| discrete.iter().copied().filter(|s| chosen(s)).collect()).collect();
        let mut tried: Vec<Vec<State>> = Vec::new();
        for place in choices.into_iter().filter(|place: &Vec<State>| !place.is_empty()) {
            if tried.contains(&place) {
                continue;
            }
            let time = problem.budget.remaining().unwrap_or(UNLIMITED) / SHARE;
            let budget = problem.budget.part(time);
            match Enumeration::new(terms, problem, &budget, claim, &place)?.run(terms) {
                Ok(Some(control)) => return Ok(control),
                Err(stopped) if problem.budget.is_over() => return Err(stopped),
                Ok(None) | Err(_) => tried.push(place),
            }
        }
        let single =
            Control { data: system.states.clone(), locations: vec![Vec::new()], ..Control::default() };
        Ok(Control { entries: 1, steps: vec![vec![0]], ..single })
    }

    /// True when an execution may be at both locations, as far as the variables say.
    pub(super) fn meet(&self, one: usize, other: usize) -> bool {
        let mut values = self.locations[one].iter().zip(&self.locations[other]);
        values.all(|(left, right)| left.is_none() || right.is_none() || left == right)
    }
}

/// The variables whose next values are all written down: truth values, and what is only ever set to values.
fn discrete(terms: &Terms, system: &System) -> Vec<State> {
    let nodes = postorder_of(terms, system.trans.iter().copied());
    let mut free: FxHashSet<TermId> = FxHashSet::default();
    let nexts: FxHashMap<_, _> = system.states.iter().map(|state| (state.next, state.now)).collect();
    let next_of = |term: TermId| terms.applied(term).and_then(|fun| nexts.get(&fun));
    for &node in &nodes {
        for (i, &arg) in terms.args(node).iter().enumerate() {
            let Some(now) = next_of(arg) else { continue };
            let set = match (terms.op(node), terms.args(node)) {
                (Op::Eq, &[left, right]) => is_choice(terms, *now, if i == 0 { right } else { left }),
                _ => false,
            };
            if !set {
                free.insert(arg);
            }
        }
    }
    let is_discrete = |state: &&State| {
        let sort = terms.fun(state.next).result;
        sort == SortId::BOOL
            || nodes.iter().any(|&n| terms.applied(n) == Some(state.next))
                && !free.iter().any(|&n| terms.applied(n) == Some(state.next))
    };
    system.states.iter().filter(is_discrete).copied().collect()
}

/// True for a choice between values and the variable itself.
fn is_choice(terms: &Terms, now: smt::term::FunId, term: TermId) -> bool {
    let mut todo = vec![term];
    let mut seen = FxHashSet::default();
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        match (terms.op(term), terms.args(term)) {
            (Op::Ite, &[_, then, otherwise]) => todo.extend([then, otherwise]),
            _ if is_value(terms, term) || terms.applied(term) == Some(now) => {}
            _ => return false,
        }
    }
    true
}

/// The variables whose first value is written down.
fn fixed(terms: &Terms, system: &System) -> FxHashSet<smt::term::FunId> {
    let (mut found, mut todo) = (FxHashSet::default(), system.init.clone());
    while let Some(term) = todo.pop() {
        let args = terms.args(term);
        match terms.op(term) {
            Op::And => todo.extend(args),
            Op::Not => found.extend(terms.applied(args[0])),
            Op::Eq if args.iter().any(|&arg| is_value(terms, arg)) => {
                found.extend(args.iter().filter_map(|&arg| terms.applied(arg)));
            }
            _ => found.extend(terms.applied(term)),
        }
    }
    found
}

/// The values of variables in all answers of a solver.
struct Enumeration<'a> {
    system: &'a System,
    claim: TermId,
    first: Session<'a>,
    step: Session<'a>,
    control: Control,
    now: Vec<TermId>,
    next: Vec<TermId>,
    edges: usize,
}

impl<'a> Enumeration<'a> {
    fn new(
        terms: &mut Terms,
        problem: &SystemProblem<'a>,
        budget: &'a Budget,
        claim: TermId,
        place: &[State],
    ) -> Result<Enumeration<'a>, Stopped> {
        let system = problem.system;
        let mut first = Session::open(problem.solver, budget)?;
        let mut step = Session::open(problem.solver, budget)?;
        for formulas in [&system.axioms, &system.invar] {
            first.assert_all(terms, formulas)?;
            step.assert_all(terms, formulas)?;
        }
        first.assert_all(terms, &system.init)?;
        step.assert_all(terms, &system.trans)?;
        let data = system.states.iter().filter(|state| !place.contains(state)).copied().collect();
        let now = place.iter().map(|state| terms.constant_term(state.now)).collect();
        let next = place.iter().map(|state| terms.constant_term(state.next)).collect();
        let control = Control { place: place.to_vec(), data, ..Control::default() };
        Ok(Enumeration { system, claim, first, step, control, now, next, edges: 0 })
    }

    /// The graph, or nothing if it is large.
    fn run(mut self, terms: &mut Terms) -> Result<Option<Control>, Stopped> {
        let mut numbers: FxHashMap<Values, usize> = FxHashMap::default();
        let first = [&self.system.axioms[..], &self.system.init, &self.system.invar].concat();
        let wanted = mentioned(terms, &first, &self.now);
        let Some(entries) = all(terms, &mut self.first, &[], &wanted)? else { return Ok(None) };
        for values in entries {
            numbers.insert(values.clone(), self.control.locations.len());
            self.control.locations.push(values);
        }
        self.control.entries = self.control.locations.len();
        let mut at = 0;
        while at < self.control.locations.len() {
            let Some(wanted) = self.decided(terms, at) else { return Ok(None) };
            let here = equations(terms, &self.now, &self.control.locations[at])?;
            let Some(found) = all(terms, &mut self.step, &here, &wanted)? else { return Ok(None) };
            self.edges += found.len();
            let mut steps = Vec::with_capacity(found.len());
            for values in found {
                let number = *numbers.entry(values.clone()).or_insert(self.control.locations.len());
                if number == self.control.locations.len() {
                    self.control.locations.push(values);
                }
                steps.push(number);
            }
            self.control.steps.push(steps);
            if self.control.locations.len() > MOST_LOCATIONS || self.edges > MOST_EDGES {
                return Ok(None);
            }
            at += 1;
        }
        Ok(Some(self.control))
    }

    /// The next values that matter after a location; nothing if a value that was thought not to matter does.
    fn decided(&self, terms: &mut Terms, at: usize) -> Option<Vec<Option<TermId>>> {
        let known = self.now.iter().zip(&self.control.locations[at]);
        let map = known.filter_map(|(&now, &value)| Some((now, value?))).collect();
        let mut simplifier = Simplifier::with(map);
        let formulas = [&self.system.trans[..], &self.system.invar, &[self.claim]].concat();
        let formulas: Vec<TermId> = formulas.iter().map(|&f| simplifier.apply(terms, f)).collect();
        let left = mentioned(terms, &formulas, &self.now);
        left.iter().all(Option::is_none).then(|| mentioned(terms, &formulas, &self.next))
    }
}

/// The constants that formulas mention; none in the places of the others.
fn mentioned(terms: &Terms, formulas: &[TermId], of: &[TermId]) -> Vec<Option<TermId>> {
    let used: FxHashSet<TermId> = formulas.iter().flat_map(|&formula| constants(terms, formula)).collect();
    of.iter().map(|&constant| used.contains(&constant).then_some(constant)).collect()
}

/// That terms have values.
pub(super) fn equations(
    terms: &mut Terms,
    of: &[TermId],
    values: &[Option<TermId>],
) -> Result<Vec<TermId>, Stopped> {
    let mut found = Vec::with_capacity(of.len());
    for (&term, &value) in of.iter().zip(values) {
        found.push(match value {
            None => continue,
            Some(TermId::TRUE) => term,
            Some(TermId::FALSE) => terms.not(term),
            Some(value) => {
                terms.app(Op::Eq, &[term, value]).map_err(|_| Stopped("a value has another sort".into()))?
            }
        });
    }
    Ok(found)
}

/// All values of the terms under the assumptions, or nothing if there are many.
fn all(
    terms: &mut Terms,
    session: &mut Session<'_>,
    assumptions: &[TermId],
    of: &[Option<TermId>],
) -> Result<Option<Vec<Values>>, Stopped> {
    let switch = terms.fresh("others", SortId::BOOL);
    let switch = terms.constant_term(switch);
    let mut assumptions = assumptions.to_vec();
    assumptions.push(switch);
    let asked: Vec<TermId> = of.iter().flatten().copied().collect();
    let mut found = Vec::new();
    while session.is_sat(terms, &assumptions)? {
        if found.len() > MOST_LOCATIONS {
            return Ok(None);
        }
        let mut values = Vec::with_capacity(asked.len());
        for &term in &asked {
            // A truth value that the solver does not mention may be any.
            let any = (terms.sort(term) == SortId::BOOL).then_some(TermId::FALSE);
            let value = session.value(terms, term)?.map(|value| value.to_term(terms));
            let Some(value) = value.or(any) else { return Ok(None) };
            values.push(Some(value));
        }
        let mut same = equations(terms, &asked, &values)?;
        same.push(switch);
        let same = terms.and(&same);
        let others = terms.not(same);
        session.assert(terms, others)?;
        let mut values = values.into_iter();
        found.push(of.iter().map(|wanted| wanted.and_then(|_| values.next().flatten())).collect());
    }
    Ok(Some(found))
}
