//! From the system back to the program.

use super::flat::Act;
use super::{Code, Encoded, Place};
use rustc_hash::FxHashMap;
use smt::eval::{Assignment, Evaluator};
use smt::subst::replace;
use smt::term::{FunId, Role, TermId, Terms};
use smt::value::Value;
use svlib::interp::{Execution, Taken};
use ts::Trace;

/// A formula over program variables at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// The place.
    pub place: Place,
    /// What holds there.
    pub formula: TermId,
}

/// The program at the beginning of a step.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The place.
    pub place: Place,
    /// The values of program variables that the trace tells.
    pub values: Vec<(FunId, Value)>,
}

impl Encoded {
    /// What an invariant of the system says at each place, about the program's variables.
    pub fn invariants(&self, terms: &mut Terms, invariant: TermId) -> Vec<At> {
        let mut map = FxHashMap::default();
        for (variable, state) in &self.variables {
            map.insert(terms.constant_term(state.now), terms.constant_term(*variable));
        }
        let mut found = Vec::new();
        for (number, &place) in self.places.iter().enumerate() {
            for (i, bit) in self.bits.iter().enumerate() {
                map.insert(terms.constant_term(bit.now), terms.bool(number >> i & 1 == 1));
            }
            found.push(At { place, formula: replace(terms, invariant, &map) });
        }
        found
    }

    /// Where the program is at the beginning of each step of a trace; none when the program counter has no place there.
    #[must_use]
    pub fn visits(&self, trace: &Trace) -> Option<Vec<Visit>> {
        trace.steps.iter().map(|step| self.visit(step)).collect()
    }

    fn visit(&self, step: &Assignment) -> Option<Visit> {
        let mut number = 0;
        for (i, bit) in self.bits.iter().enumerate() {
            if step.get(bit.now)? == &Value::Bool(true) {
                number |= 1 << i;
            }
        }
        let place = *self.places.get(number)?;
        let values = self
            .variables
            .iter()
            .filter_map(|(variable, state)| Some((*variable, step.get(state.now)?.clone())))
            .collect();
        Some(Visit { place, values })
    }
}

/// Why a trace is no execution of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoExecution {
    /// It has no step, or the program counter has no place in one.
    Nowhere,
    /// A term cannot be evaluated, in words.
    Unevaluated(String),
    /// The program does not go where the trace goes.
    Elsewhere,
}

impl Encoded {
    /// The execution that a trace of the system is, up to the first check that fails or to the end of the trace: everything that
    /// the program leaves open is decided in it.
    ///
    /// # Errors
    /// When the trace is none of the system.
    pub fn execution(&self, terms: &mut Terms, trace: &Trace) -> Result<Execution, NoExecution> {
        let visits = self.visits(trace).ok_or(NoExecution::Nowhere)?;
        let first = visits.first().ok_or(NoExecution::Nowhere)?;
        let code = &self.code[first.place.query];
        let mut defaults = FxHashMap::default();
        for &variable in code.globals.iter().chain(self.variables.iter().map(|(variable, _)| variable)) {
            if let Some(value) = Value::default_of(terms, terms.fun(variable).result) {
                defaults.insert(variable, value);
            }
        }
        let model = trace
            .rigid
            .funs()
            .into_iter()
            .filter_map(|fun| Some((fun, trace.rigid.interpretation(fun)?.clone())));
        let mut walker = Walker {
            terms,
            encoded: self,
            code,
            env: trace.rigid.clone(),
            execution: Execution {
                model: model.collect(),
                globals: Vec::new(),
                entry: code.entry,
                steps: Vec::new(),
            },
        };
        for (variable, value) in &first.values {
            walker.env.set(*variable, value.clone());
        }
        let known = |env: &Assignment, list: &[FunId]| -> Vec<(FunId, Value)> {
            let value = |&v: &FunId| Some((v, env.get(v).or_else(|| defaults.get(&v))?.clone()));
            list.iter().filter_map(value).collect()
        };
        walker.execution.globals = known(&walker.env, &code.globals);
        let open = known(&walker.env, &code.open);
        walker.execution.steps.push(Taken::InitProcVars(code.entry, open));
        for (step, visit) in trace.steps.iter().zip(&visits) {
            if !walker.step(step, visit)? {
                break;
            }
        }
        Ok(walker.execution)
    }
}

/// Follows a trace through the program.
struct Walker<'a> {
    terms: &'a Terms,
    encoded: &'a Encoded,
    code: &'a Code,
    env: Assignment,
    execution: Execution,
}

impl Walker<'_> {
    fn value(&self, env: &mut Assignment, term: TermId) -> Result<Value, NoExecution> {
        let value = Evaluator::new(self.terms).eval(term, env);
        value.map_err(|error| NoExecution::Unevaluated(error.message(self.terms)))
    }

    fn holds(&mut self, term: TermId) -> Result<bool, NoExecution> {
        let mut env = std::mem::take(&mut self.env);
        let value = self.value(&mut env, term);
        self.env = env;
        Ok(value? == Value::Bool(true))
    }

    /// Goes from the place of a step to the next one; false when a check fails on the way, or the program ends.
    fn step(&mut self, step: &Assignment, visit: &Visit) -> Result<bool, NoExecution> {
        for (variable, value) in &visit.values {
            self.env.set(*variable, value.clone());
        }
        let (code, mut node) = (self.code, visit.place.node);
        let place = self.encoded.places.iter().position(|place| *place == visit.place);
        let decided = &self.encoded.decided[place.ok_or(NoExecution::Nowhere)?];
        loop {
            let text = &code.flat.nodes[node];
            let mut next = text.next.first().copied();
            match &text.act {
                Act::Skip | Act::Visit => {}
                Act::Assume(term) => {
                    if !self.holds(*term)? {
                        // The last step of a trace need not have a successor.
                        return Ok(false);
                    }
                }
                Act::Assign(pairs) => {
                    let mut env = std::mem::take(&mut self.env);
                    let values: Result<Vec<(FunId, Value)>, NoExecution> =
                        pairs.iter().map(|&(v, term)| Ok((v, self.value(&mut env, term)?))).collect();
                    self.env = env;
                    for (variable, value) in values? {
                        self.env.set(variable, value);
                    }
                }
                Act::Havoc(list) | Act::Enter(_, list) | Act::Forget(list) => {
                    let mut given = Vec::new();
                    for &variable in list {
                        // What does not matter keeps the value that it has.
                        if let Some(&term) = decided.drawn.get(&(node, variable)) {
                            let value = self.value(&mut step.clone(), term)?;
                            self.env.set(variable, value);
                        }
                        given.extend(self.env.get(variable).map(|value| (variable, value.clone())));
                    }
                    given.retain(|(variable, _)| !matches!(self.terms.fun(*variable).role, Role::At(..)));
                    match &text.act {
                        Act::Havoc(_) => self.execution.steps.push(Taken::Havoc(given)),
                        Act::Enter(proc, _) => self.execution.steps.push(Taken::InitProcVars(*proc, given)),
                        _ => {}
                    }
                }
                Act::Branch(term) => {
                    let way = usize::from(!self.holds(*term)?);
                    next = text.next.get(way).copied();
                }
                Act::Choice => {
                    let tests = decided.tests.get(&node).ok_or(NoExecution::Elsewhere)?;
                    let mut taken = None;
                    for (i, &test) in tests.iter().enumerate() {
                        if taken.is_none() && self.value(&mut step.clone(), test)? == Value::Bool(true) {
                            taken = Some(i);
                        }
                    }
                    let taken = taken.ok_or(NoExecution::Elsewhere)?;
                    self.execution.steps.push(Taken::Choice(taken as u32));
                    next = text.next.get(taken).copied();
                }
                Act::Check(checks) => {
                    for &check in checks {
                        if !self.holds(check)? {
                            return Ok(false);
                        }
                    }
                }
            }
            let Some(after) = next else { return Ok(false) };
            node = after;
            if code.flat.cuts.binary_search(&node).is_ok() {
                return Ok(true);
            }
        }
    }
}
