//! One execution, step by step: a seed or given values decide what the system leaves open.
//!
//! A system need not be functional, inputs may be constrained and a state may have no successor; so every step is asked of a
//! solver, with what was drawn as assumptions. Those that stand in the way are dropped, given values excepted. Inputs are
//! settled together with the state after them: an execution ends only where no choice leads on.
//!
//! A step that is settled is forgotten: the next one is asked about in a scope of its own with the values put in, so a step costs
//! what its own formulas cost. Only where something has no value, such as a function, the solver keeps all steps.

use super::session::{Execution, Stopped};
use base::budget::Budget;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::eval::Assignment;
use smt::op::Op;
use smt::print::term_text;
use smt::simplify::Simplifier;
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use svlib::interp::values::{Pool, Rng};
use ts::passes::functional::{Initial, first_values, next_values};
use ts::{PropertyKind, System, Trace};

/// How to execute.
pub struct Settings<'a> {
    /// The seed of what is drawn.
    pub seed: u64,
    /// Values instead of drawn ones, in the order in which [`Open`] asks for them.
    pub given: Option<Vec<Value>>,
    /// So many steps at most, the first state included.
    pub steps: usize,
    /// The solver.
    pub solver: &'a str,
    /// The time.
    pub budget: Budget,
}

/// How an execution ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// It has as many steps as were asked for.
    Steps,
    /// The given values are used up.
    Given,
    /// The last step violates the invariant property of this index.
    Violated(u64),
    /// No step can follow the last one; where given values are the reason, those of these symbols.
    Stuck(Vec<FunId>),
    /// There is no initial state; where given values are the reason, those of these symbols.
    NoStart(Vec<FunId>),
}

/// What a system leaves open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Open {
    /// In the first step: rigid constants and state variables without an initial value.
    pub first: Vec<FunId>,
    /// In every later step: state variables without a next value.
    pub later: Vec<FunId>,
    /// In every step, after those.
    pub inputs: Vec<FunId>,
}

impl Open {
    /// What the system leaves open.
    pub fn of(terms: &mut Terms, system: &System) -> Open {
        let without = |valued: Vec<(usize, TermId)>| {
            let valued: FxHashSet<usize> = valued.into_iter().map(|(position, _)| position).collect();
            let free = system.states.iter().enumerate().filter(move |(i, _)| !valued.contains(i));
            free.map(|(_, state)| state.now).collect::<Vec<_>>()
        };
        let rigid = system.rigid.iter().copied().filter(|&fun| terms.fun(fun).params.is_empty());
        let mut first: Vec<FunId> = rigid.collect();
        first.extend(without(first_values(terms, system, Initial::Terms).values));
        Open { first, later: without(next_values(terms, system).values), inputs: system.inputs.clone() }
    }
}

/// Where values for what is open come from.
enum Choice {
    Drawn(Pool, Rng),
    Given(std::vec::IntoIter<Value>),
}

impl Choice {
    fn new(terms: &mut Terms, system: &System, open: &Open, settings: &Settings<'_>) -> Choice {
        if let Some(values) = &settings.given {
            return Choice::Given(values.clone().into_iter());
        }
        let symbols = open.first.iter().chain(&open.later).chain(&open.inputs);
        let mut sorts: Vec<SortId> = symbols.map(|&fun| terms.fun(fun).result).collect();
        sorts.sort_unstable();
        sorts.dedup();
        let texts: Vec<TermId> =
            system.init.iter().chain(&system.trans).chain(&system.invar).copied().collect();
        Choice::Drawn(Pool::new(terms, &sorts, &texts), Rng::new(settings.seed))
    }

    /// Values for the symbols; nothing when those that were given are used up.
    fn values(&mut self, terms: &Terms, symbols: &[FunId]) -> Option<Vec<Option<Value>>> {
        match self {
            Choice::Drawn(pool, rng) => {
                Some(symbols.iter().map(|&fun| pool.draw(rng, terms.fun(fun).result)).collect())
            }
            Choice::Given(values) if values.len() < symbols.len() => None,
            Choice::Given(values) => Some(values.take(symbols.len()).map(Some).collect()),
        }
    }

    /// One of several ways at random; the solver decides where values are given.
    fn way(&mut self, count: usize) -> Option<usize> {
        match self {
            Choice::Drawn(_, rng) => Some(rng.below(count)),
            Choice::Given(_) => None,
        }
    }
}

/// Executes the system. What is given has to be of the right sorts, or the message says where it is not.
///
/// # Errors
/// A message when the solver gives up or the time is over.
pub fn execute(
    terms: &mut Terms,
    system: &System,
    open: &Open,
    settings: &Settings<'_>,
) -> Result<(Trace, Ended), String> {
    let choice = Choice::new(terms, system, open, settings);
    let is_constant = |&fun: &FunId| terms.fun(fun).params.is_empty();
    let (constants, functions): (Vec<FunId>, Vec<FunId>) =
        system.rigid.iter().partition(|fun| is_constant(fun));
    let execution = Execution::open(system, settings.solver, &settings.budget);
    let made = execution.and_then(|execution| {
        let mut run = Run {
            execution,
            open,
            choice,
            constants,
            forgets: functions.is_empty(),
            known: Simplifier::default(),
            past: Trace::default(),
            step: 0,
        };
        let ended = run.all(terms, settings.steps.max(1))?;
        Ok((run.trace(terms, &ended)?, ended))
    });
    made.map_err(|stopped| stopped.0)
}

struct Run<'a> {
    /// What is asked: the steps of which the solver knows.
    execution: Execution<'a>,
    open: &'a Open,
    choice: Choice,
    /// The rigid constants.
    constants: Vec<FunId>,
    /// True as long as everything that was settled is a value. Then earlier steps say nothing of later ones, and the solver
    /// hears of one step and the next, with the values put in.
    forgets: bool,
    /// Puts values in.
    known: Simplifier,
    /// The steps of which the solver does not know any more, and the values of the state that it begins with.
    past: Trace,
    /// The step, of those that the solver knows of, whose state is settled and whose inputs are not.
    step: usize,
}

/// Assumptions with the symbols that they are about.
type Wishes = Vec<(TermId, Option<FunId>)>;

/// Symbols with their values.
type Settled = Vec<(FunId, Value)>;

impl Run<'_> {
    fn all(&mut self, terms: &mut Terms, steps: usize) -> Result<Ended, Stopped> {
        let first = &self.open.first;
        let Some(mut wishes) = self.wishes(terms, first, 0)? else {
            return Err(Stopped("there are fewer values than the first step needs".into()));
        };
        let system = self.execution.system;
        self.execution.session.push()?;
        self.execution.session.assert_all(terms, &system.axioms)?;
        self.execution.assert_at(terms, &system.init, 0)?;
        self.execution.assert_at(terms, &system.invar, 0)?;
        if !self.solve(terms, &[], &mut wishes)? {
            return Ok(Ended::NoStart(self.given(&wishes)));
        }
        let (constants, states) = (self.constants.clone(), self.states());
        let settled = self.settle(terms, [(&constants, 0), (&states, 0)])?;
        for (fun, value) in &settled[0] {
            self.past.rigid.set(*fun, value.clone());
        }
        self.go_on(terms, settled, [0, 0])?;
        loop {
            if let Some(ended) = self.one(terms, steps)? {
                return Ok(ended);
            }
        }
    }

    /// Goes on to the state that the second part of what was settled is about, the first one being what came before it. If all
    /// of that is known, only the values stay.
    fn go_on(&mut self, terms: &mut Terms, settled: [Settled; 2], at: [usize; 2]) -> Result<(), Stopped> {
        if !self.forgets {
            let [before, state] = settled;
            self.fix(terms, &before, at[0])?;
            self.fix(terms, &state, at[1])?;
            self.step = at[1];
            return Ok(());
        }
        let [_, state] = settled;
        let (mut map, mut begin) = (FxHashMap::default(), Assignment::new());
        for &fun in &self.constants {
            let value = self.past.rigid.get(fun).map(|value| value.to_term(terms));
            map.extend(value.map(|value| (terms.constant_term(fun), value)));
        }
        for (fun, value) in state {
            let symbol = terms.constant_term(fun);
            map.insert(self.execution.at(terms, symbol, 0), value.to_term(terms));
            begin.set(fun, value);
        }
        self.known = Simplifier::with(map);
        self.past.steps.push(begin);
        self.step = 0;
        self.execution.session.pop()?;
        self.execution.session.push()?;
        for &formula in &self.execution.system.invar {
            let formula = self.at(terms, formula, 0);
            self.execution.session.assert(terms, formula)?;
        }
        Ok(())
    }

    /// How many steps there are before the one whose inputs are not settled.
    fn made(&self) -> usize {
        self.past.steps.len().saturating_sub(1) + self.step
    }

    /// A formula about a step, with what is known put in.
    fn at(&mut self, terms: &mut Terms, formula: TermId, step: usize) -> TermId {
        let formula = self.execution.at(terms, formula, step);
        self.put(terms, formula)
    }

    fn put(&mut self, terms: &mut Terms, formula: TermId) -> TermId {
        self.known.apply(terms, formula)
    }

    /// Settles the inputs of the step, and the state after it if there is one.
    fn one(&mut self, terms: &mut Terms, steps: usize) -> Result<Option<Ended>, Stopped> {
        let (step, open) = (self.step, self.open);
        let inputs = self.wishes(terms, &open.inputs, step)?;
        let mut wishes = inputs.clone().unwrap_or_default();
        let mut ended = if inputs.is_none() { Some(Ended::Given) } else { None };
        if ended.is_none() && self.made() + 1 < steps {
            let go = self.successor(terms, &mut wishes)?;
            match self.wishes(terms, &open.later, step + 1)? {
                Some(later) => wishes.extend(later),
                None => ended = Some(Ended::Given),
            }
            if ended.is_none() && self.solve(terms, &[go], &mut wishes)? {
                if let Some(violated) = self.violated(terms)? {
                    return Ok(Some(violated));
                }
                let states = self.states();
                let settled = self.settle(terms, [(&open.inputs, step), (&states, step + 1)])?;
                if let (true, Some(last)) = (self.forgets, self.past.steps.last_mut()) {
                    for (fun, value) in &settled[0] {
                        last.set(*fun, value.clone());
                    }
                }
                if !self.forgets {
                    self.execution.session.assert(terms, go)?;
                }
                self.go_on(terms, settled, [step, step + 1])?;
                return Ok(None);
            }
            ended = ended.or_else(|| Some(Ended::Stuck(self.given(&wishes))));
        }
        let mut wishes = inputs.unwrap_or_default();
        if !self.solve(terms, &[], &mut wishes)? {
            return Ok(Some(Ended::Stuck(self.given(&wishes))));
        }
        let violated = self.violated(terms)?;
        Ok(violated.or(ended).or(Some(Ended::Steps)))
    }

    /// What follows the step, if `go` holds; one way of each disjunction is wished for.
    fn successor(&mut self, terms: &mut Terms, wishes: &mut Wishes) -> Result<TermId, Stopped> {
        let (step, system) = (self.step, self.execution.system);
        let go = terms.fresh("go", SortId::BOOL);
        let go = terms.constant_term(go);
        let not = terms.not(go);
        let mut parts = Vec::new();
        for &formula in &system.trans {
            let formula = self.execution.unrolling.between(terms, system, formula, step);
            let formula = self.put(terms, formula);
            if terms.op(formula) == Op::Or {
                let ways = terms.args(formula);
                wishes.extend(self.choice.way(ways.len()).map(|way| (ways[way], None)));
            }
            parts.push(formula);
        }
        for &formula in &system.invar {
            parts.push(self.at(terms, formula, step + 1));
        }
        for formula in parts {
            let guarded = terms.or(&[not, formula]);
            self.execution.session.assert(terms, guarded)?;
        }
        Ok(go)
    }

    fn states(&self) -> Vec<FunId> {
        self.execution.system.states.iter().map(|state| state.now).collect()
    }

    /// Equations with the values chosen for the symbols in a step.
    fn wishes(
        &mut self,
        terms: &mut Terms,
        symbols: &[FunId],
        step: usize,
    ) -> Result<Option<Wishes>, Stopped> {
        let Some(values) = self.choice.values(terms, symbols) else { return Ok(None) };
        let mut wishes = Wishes::new();
        for (&fun, value) in symbols.iter().zip(values) {
            let Some(value) = value else { continue };
            let symbol = terms.constant_term(fun);
            let (symbol, value) = (self.execution.at(terms, symbol, step), value.to_term(terms));
            wishes.push((equation(terms, fun, symbol, value)?, Some(fun)));
        }
        Ok(Some(wishes))
    }

    /// The symbols whose given values contradict the rest.
    fn given(&self, wishes: &Wishes) -> Vec<FunId> {
        match self.choice {
            Choice::Given(_) => wishes.iter().filter_map(|wish| wish.1).collect(),
            Choice::Drawn(..) => Vec::new(),
        }
    }

    /// True when there is a model. Wishes in the way are dropped; given values are not, and those in the way are left.
    fn solve(&mut self, terms: &Terms, hard: &[TermId], wishes: &mut Wishes) -> Result<bool, Stopped> {
        let session = &mut self.execution.session;
        for round in 0.. {
            let assumed: Vec<TermId> = hard.iter().copied().chain(wishes.iter().map(|wish| wish.0)).collect();
            if session.is_sat(terms, &assumed)? {
                return Ok(true);
            }
            let core: FxHashSet<TermId> = session.core()?.into_iter().collect();
            if matches!(self.choice, Choice::Given(_)) {
                wishes.retain(|wish| core.contains(&wish.0));
                break;
            }
            let before = wishes.len();
            wishes.retain(|wish| !core.contains(&wish.0));
            if wishes.len() == before {
                break;
            }
            if round >= PATIENCE {
                wishes.truncate(wishes.len() / 2);
            }
        }
        Ok(false)
    }

    /// What symbols are, in their steps, in the last model. What cannot be written as a value stays as it is constrained.
    fn settle<const N: usize>(
        &mut self,
        terms: &mut Terms,
        symbols: [(&[FunId], usize); N],
    ) -> Result<[Settled; N], Stopped> {
        let mut settled = [const { Settled::new() }; N];
        for (settled, (symbols, step)) in settled.iter_mut().zip(symbols) {
            for &fun in symbols {
                let symbol = terms.constant_term(fun);
                let symbol = self.execution.at(terms, symbol, step);
                // A truth value that the solver does not mention may be any.
                let any = (terms.fun(fun).result == SortId::BOOL).then_some(Value::Bool(false));
                match self.execution.session.value(terms, symbol)?.or(any) {
                    Some(value) => settled.push((fun, value)),
                    None => self.forgets = false,
                }
            }
        }
        Ok(settled)
    }

    /// Keeps values. What is asserted takes the model away.
    fn fix(&mut self, terms: &mut Terms, settled: &Settled, step: usize) -> Result<(), Stopped> {
        for (fun, value) in settled {
            let (symbol, value) = (terms.constant_term(*fun), value.to_term(terms));
            let symbol = self.execution.at(terms, symbol, step);
            let equal = equation(terms, *fun, symbol, value)?;
            self.execution.session.assert(terms, equal)?;
        }
        Ok(())
    }

    /// The first invariant property that the step violates in the last model, which is then fixed.
    fn violated(&mut self, terms: &mut Terms) -> Result<Option<Ended>, Stopped> {
        for property in &self.execution.system.properties {
            let PropertyKind::Invariant(formula) = property.kind else { continue };
            let holds = self.at(terms, formula, self.step);
            if self.execution.session.holds(terms, holds)? == Some(false) {
                let [inputs] = self.settle(terms, [(&self.open.inputs, self.step)])?;
                self.fix(terms, &inputs, self.step)?;
                let violated = terms.not(holds);
                self.execution.session.assert(terms, violated)?;
                return Ok(Some(Ended::Violated(property.index)));
            }
        }
        Ok(None)
    }

    /// The steps that were made.
    fn trace(&mut self, terms: &mut Terms, ended: &Ended) -> Result<Trace, Stopped> {
        if matches!(ended, Ended::NoStart(_)) {
            return Ok(Trace::default());
        }
        if !self.execution.session.is_sat(terms, &[])? {
            return Err(Stopped("the solver contradicts itself".into()));
        }
        let model = self.execution.session.model(terms)?;
        let mut rest = self.execution.unrolling.trace(self.execution.system, &model, self.step + 1);
        let mut trace = std::mem::take(&mut self.past);
        // The solver does not know what was put in.
        if let (Some(begin), Some(first)) = (trace.steps.pop(), rest.steps.first_mut()) {
            put_in(&begin, first);
        }
        put_in(&trace.rigid, &mut rest.rigid);
        trace.steps.append(&mut rest.steps);
        trace.rigid = rest.rigid;
        trace.complete(terms, self.execution.system);
        Ok(trace)
    }
}

/// Adds values to values.
fn put_in(from: &Assignment, to: &mut Assignment) {
    for fun in from.funs() {
        if let Some(value) = from.get(fun) {
            to.set(fun, value.clone());
        }
    }
}

fn equation(terms: &mut Terms, fun: FunId, symbol: TermId, value: TermId) -> Result<TermId, Stopped> {
    let equation = terms.app(Op::Eq, &[symbol, value]);
    equation.map_err(|_| {
        Stopped(format!("`{}` is no value for `{}`", term_text(terms, value), terms.fun_name(fun)))
    })
}

/// So many times only the wishes in the way are dropped, and then half of the rest, too.
const PATIENCE: usize = 10;
