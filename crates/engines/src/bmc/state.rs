//! Symbolic states, what they become where ways meet, and how they came about.

use super::compiled::UNKNOWN;
use super::fold::{both, equal, ite, junction};
use base::intern::SymbolId;
use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use std::rc::Rc;
use svlib::syntax::ProcId;

/// A set of states: under which condition, and what each variable is.
#[derive(Clone)]
pub(super) struct State {
    pub(super) guard: TermId,
    pub(super) env: Rc<Vec<TermId>>,
    /// How many decisions that need a solver were made on the way.
    pub(super) events: u32,
    /// How it came about.
    pub(super) log: LogId,
}

impl State {
    /// The states in which a formula holds as well.
    pub(super) fn assume(&mut self, terms: &mut Terms, formula: TermId) {
        if formula != TermId::TRUE {
            self.guard = both(terms, self.guard, formula);
            self.events += 1;
        }
    }

    pub(super) fn set(&mut self, slot: usize, term: TermId) {
        if self.env[slot] != term {
            Rc::make_mut(&mut self.env)[slot] = term;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.guard == TermId::FALSE
    }
}

/// Position of an entry in the log.
pub(super) type LogId = usize;

/// Variables and what they are.
pub(super) type Given = Vec<(FunId, TermId)>;

/// Something that a trace says.
pub(super) enum Decision {
    /// The globals at the beginning.
    Globals(Given),
    /// A call: outputs and locals.
    Call(ProcId, Given),
    /// A `havoc`.
    Havoc(Given),
    /// A `choice`.
    Choice(u32),
    /// A leap at a tag.
    Leap(SymbolId, Given),
}

/// How a state came about; what was before it has a smaller number.
pub(super) enum Entry {
    /// By a decision in the state before.
    Decision(LogId, Decision),
    /// From one of several ways, each with the condition under which it is that one.
    Ways(Vec<(TermId, LogId)>),
}

/// New constants, what is known about those that stand for meeting ways, and the log.
#[derive(Default)]
pub(super) struct Book {
    count: usize,
    /// For a Boolean constant the implication that says what it means.
    pub(super) definitions: FxHashMap<TermId, TermId>,
    pub(super) log: Vec<Entry>,
}

impl Book {
    /// A new constant that no script can name.
    pub(super) fn constant(&mut self, terms: &mut Terms, name: &str, sort: SortId) -> TermId {
        let name = terms.names.intern(&format!("#{name}.{}", self.count));
        self.count += 1;
        let fun = terms.declare(Fun { name, params: Box::new([]), result: sort, role: Role::Free });
        terms.constant_term(fun)
    }

    /// An arbitrary value for a variable.
    pub(super) fn arbitrary(&mut self, terms: &mut Terms, variable: FunId) -> TermId {
        let (name, sort) = (terms.fun_name(variable).to_string(), terms.fun(variable).result);
        self.constant(terms, &name, sort)
    }

    /// Writes down a decision.
    pub(super) fn decide(&mut self, before: LogId, decision: Decision) -> LogId {
        self.log.push(Entry::Decision(before, decision));
        self.log.len() - 1
    }

    /// The union of sets of states; none when all are empty. Variables that differ get a new constant.
    pub(super) fn merge(&mut self, terms: &mut Terms, mut states: Vec<State>) -> Option<State> {
        states.retain(|state| !state.is_empty());
        if states.len() < 2 {
            return states.pop();
        }
        let events = states.iter().map(|state| state.events).max().unwrap_or(0);
        if let [a, b] = &states[..]
            && let Some((guard, condition)) = split(terms, a.guard, b.guard)
        {
            return Some(self.choose(terms, guard, condition, a, b, events));
        }
        let mut env = (*states[0].env).clone();
        let mut cases: Vec<Vec<TermId>> = states.iter().map(|state| vec![state.guard]).collect();
        for (slot, value) in env.iter_mut().enumerate() {
            if states.iter().all(|state| state.env[slot] == *value) {
                continue;
            }
            if states.iter().any(|state| state.env[slot] == UNKNOWN) {
                *value = UNKNOWN;
                continue;
            }
            let joined = self.constant(terms, "meet", terms.sort(*value));
            for (case, state) in cases.iter_mut().zip(&states) {
                case.push(equal(terms, joined, state.env[slot]));
            }
            *value = joined;
        }
        let cases: Vec<TermId> = cases.iter().map(|case| junction(terms, Op::And, case)).collect();
        let definition = junction(terms, Op::Or, &cases);
        let log = self.ways(cases.into_iter().zip(states.iter().map(|state| state.log)).collect());
        let guard = self.constant(terms, "way", SortId::BOOL);
        // Both are formulas.
        let meaning = terms.app(Op::Implies, &[guard, definition]).unwrap_or(TermId::FALSE);
        self.definitions.insert(guard, meaning);
        Some(State { guard, env: Rc::new(env), events, log })
    }

    /// Two ways that parted by one condition and meet again: no new constants are needed.
    fn choose(
        &mut self,
        terms: &mut Terms,
        guard: TermId,
        condition: TermId,
        a: &State,
        b: &State,
        events: u32,
    ) -> State {
        let mut state = State { guard, env: a.env.clone(), events, log: a.log };
        for slot in 0..a.env.len() {
            let (x, y) = (a.env[slot], b.env[slot]);
            if x != y {
                let value = if x == UNKNOWN || y == UNKNOWN { UNKNOWN } else { ite(terms, condition, x, y) };
                state.set(slot, value);
            }
        }
        let negated = terms.not(condition);
        state.log = self.ways(vec![(condition, a.log), (negated, b.log)]);
        state
    }

    fn ways(&mut self, ways: Vec<(TermId, LogId)>) -> LogId {
        let first = ways[0].1;
        if ways.iter().all(|way| way.1 == first) {
            return first;
        }
        self.log.push(Entry::Ways(ways));
        self.log.len() - 1
    }
}

/// If two conditions are `g` with `c` and `g` with its negation: `g` and `c`.
fn split(terms: &mut Terms, a: TermId, b: TermId) -> Option<(TermId, TermId)> {
    let parts = |guard: TermId| match (terms.op(guard), terms.args(guard)) {
        (Op::And, &[first, last]) => [(TermId::TRUE, guard), (first, last)],
        _ => [(TermId::TRUE, guard); 2],
    };
    let (a, b) = (parts(a), parts(b));
    for (i, (guard, condition)) in a.into_iter().enumerate() {
        if b[i].0 == guard && terms.not(condition) == b[i].1 {
            return Some((guard, condition));
        }
    }
    None
}
