//! Bounded unrolling: calls are inlined, loops run a number of times, and ways that meet become one state.
//!
//! A node is a call with its callers, an instruction, and how often each loop around it was entered by its head. Nodes
//! are executed in an order in which all ways to a node come before it (a list of numbers, compared from the left), so
//! the result is linear in the bound for a loop. Rounds in which nothing has to be decided by a solver do not count
//! for the bound: a loop whose inputs are known is simply run.

use super::compiled::{Compiled, Place, UNKNOWN};
use super::shape::{Shape, Shapes};
use super::state::{Book, Decision, Entry, Given, LogId, State};
use base::budget::Budget;
use rustc_hash::FxHashMap;
use smt::term::{TermId, Terms};
use std::collections::BTreeMap;
use std::rc::Rc;
use svlib::code::{Op, Pc};
use svlib::syntax::StmtId;

/// How far a program is unrolled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Rounds of a loop, and nested calls of a procedure, that need decisions.
    pub(super) rounds: u32,
    /// Instructions in all.
    pub(super) nodes: usize,
    /// Whether leaps are tried: then a loop with an invariant needs no rounds.
    pub(super) leaps: bool,
    /// True when the entry's `:requires` is assumed.
    pub(super) assumed: bool,
}

/// So many calls may be open.
const MOST_CALLS: u32 = 1_000;
/// A statement with a contract is begun in hypothetical states at so many places.
pub(super) const MOST_LEAPS: u32 = 8;
/// How often the budget is looked at.
const LOOK: usize = 256;

/// A round of a loop.
#[derive(Clone, Copy)]
pub(super) struct Round {
    number: u32,
    /// How many rounds needed decisions.
    decided: u32,
    events: u32,
}

/// A call that is not over.
pub(super) struct Call {
    /// The key of the node that made it.
    prefix: Vec<u32>,
    pub(super) proc: usize,
    caller: Option<(Node, Rc<Vec<TermId>>)>,
    /// The values at its entry of the ranking functions that this call has to go below.
    pub(super) measured: Option<Rc<Vec<Vec<TermId>>>>,
    /// Statements that run from a state which their contract allows.
    pub(super) hypothetical: Vec<StmtId>,
    pub(super) depth: u32,
    decided: u32,
    events: u32,
}

/// A place in the unrolled program.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) call: Rc<Call>,
    pub(super) pc: Pc,
    rounds: Vec<Round>,
}

impl Node {
    fn key(&self, shape: &Shape<'_>) -> Vec<u32> {
        let order = &shape.order[self.pc];
        let mut key = Vec::with_capacity(self.call.prefix.len() + 2 * order.len());
        key.extend_from_slice(&self.call.prefix);
        for (i, &number) in order.iter().enumerate() {
            key.push(number);
            key.extend(self.rounds.get(i).map(|round| round.number));
        }
        key
    }

    /// True when this is a later visit of the head of a loop.
    pub(super) fn is_again(&self) -> bool {
        self.rounds.last().is_some_and(|round| round.number > 0)
    }
}

/// A violation that may be possible.
pub(super) struct Suspect {
    /// When it happens.
    pub(super) condition: TermId,
    pub(super) log: LogId,
}

/// What one exploration found.
pub(super) struct Explored {
    pub(super) book: Book,
    pub(super) suspects: Vec<Suspect>,
    /// The conditions under which a way goes on that was cut, because it has too many rounds or nested calls.
    pub(super) cuts: Vec<TermId>,
    /// True when not all was looked at, because there are too many instructions or no time is left.
    pub(super) unfinished: bool,
}

/// Nodes that wait for being executed. Mostly there is one, which needs no key.
#[derive(Default)]
struct Pending {
    one: Option<(Node, State)>,
    more: BTreeMap<Vec<u32>, (Node, Vec<State>)>,
}

impl Pending {
    fn push(&mut self, shapes: &Shapes<'_>, node: Node, state: State) {
        if self.one.is_none() && self.more.is_empty() {
            self.one = Some((node, state));
            return;
        }
        if let Some((first, state)) = self.one.take() {
            self.insert(shapes, first, state);
        }
        self.insert(shapes, node, state);
    }

    fn insert(&mut self, shapes: &Shapes<'_>, node: Node, state: State) {
        let key = node.key(&shapes.procs[node.call.proc]);
        match self.more.get_mut(&key) {
            None => drop(self.more.insert(key, (node, vec![state]))),
            Some((known, states)) => {
                for (old, new) in known.rounds.iter_mut().zip(&node.rounds) {
                    old.decided = old.decided.max(new.decided);
                    old.events = old.events.max(new.events);
                }
                states.push(state);
            }
        }
    }

    fn pop(&mut self) -> Option<(Node, Vec<State>)> {
        match self.one.take() {
            Some((node, state)) => Some((node, vec![state])),
            None => self.more.pop_first().map(|(_, found)| found),
        }
    }
}

/// An exploration that runs.
pub(super) struct Explorer<'e, 'p> {
    pub(super) terms: &'e mut Terms,
    pub(super) shapes: &'e Shapes<'p>,
    pub(super) bounds: Bounds,
    pub(super) found: Explored,
    pending: Pending,
    by_id: FxHashMap<svlib::syntax::ProcId, usize>,
    pub(super) leapt: FxHashMap<StmtId, u32>,
}

/// Unrolls a program.
pub(super) fn explore(
    terms: &mut Terms,
    shapes: &Shapes<'_>,
    program: &program::Program<'_>,
    bounds: Bounds,
    budget: &Budget,
) -> Explored {
    let by_id = shapes.procs.iter().enumerate().map(|(i, shape)| (shape.proc.id, i)).collect();
    let found = Explored { book: Book::default(), suspects: Vec::new(), cuts: Vec::new(), unfinished: false };
    let pending = Pending::default();
    let mut explorer = Explorer { terms, shapes, bounds, found, pending, by_id, leapt: FxHashMap::default() };
    explorer.start(program);
    let mut count = 0;
    while let Some((node, states)) = explorer.pending.pop() {
        count += 1;
        if count > bounds.nodes || (count % LOOK == 0 && budget.is_over()) {
            explorer.found.unfinished = true;
            break;
        }
        if let Some(state) = explorer.found.book.merge(explorer.terms, states) {
            explorer.execute(&node, state);
        }
        if explorer.found.suspects.last().is_some_and(|suspect| suspect.condition == TermId::TRUE) {
            explorer.found.unfinished = true;
            break;
        }
    }
    explorer.found
}

impl<'p> Explorer<'_, 'p> {
    pub(super) fn shape(&self, call: &Call) -> &Shape<'p> {
        &self.shapes.procs[call.proc]
    }

    fn start(&mut self, program: &program::Program<'_>) {
        let mut env = vec![UNKNOWN; self.shapes.shared];
        let mut given = Given::new();
        for (slot, &global) in program.globals.iter().enumerate().take(self.shapes.globals) {
            env[slot] = self.found.book.arbitrary(self.terms, global);
            given.push((global, env[slot]));
        }
        self.found.book.log.push(Entry::Decision(0, Decision::Globals(given)));
        let state = State { guard: TermId::TRUE, env: Rc::new(env), events: 0, log: 0 };
        let Some(&proc) = self.by_id.get(&program.entry.proc) else { return };
        let call = Call {
            prefix: Vec::new(),
            proc,
            caller: None,
            measured: None,
            hypothetical: Vec::new(),
            depth: 1,
            decided: 0,
            events: 0,
        };
        let slot = |_: &Terms, fun| match program.globals.iter().position(|&global| global == fun) {
            Some(slot) => Place::At(slot),
            None => Place::NoVariable,
        };
        let mut args = Vec::new();
        for &arg in &program.entry.args {
            let arg = Compiled::new(self.terms, arg, &slot);
            args.push(arg.eval(self.terms, &state.env));
        }
        self.enter(call, &args, state);
    }

    /// Begins a call: inputs are the arguments, outputs and locals are arbitrary.
    fn enter(&mut self, call: Call, args: &[TermId], mut state: State) {
        let shape = &self.shapes.procs[call.proc];
        let mut env: Vec<TermId> = state.env[..self.shapes.shared].to_vec();
        env.resize(shape.size, UNKNOWN);
        for (&slot, &arg) in shape.inputs.iter().zip(args) {
            env[slot] = arg;
        }
        let mut given = Given::new();
        for &(variable, slot) in &shape.fresh {
            env[slot] = self.found.book.arbitrary(self.terms, variable);
            given.push((variable, env[slot]));
        }
        for &(slot, anywhere) in &shape.looks_back {
            if let Some(anywhere) = anywhere {
                env[slot] = env[anywhere];
            }
        }
        state.env = Rc::new(env);
        state.log = self.found.book.decide(state.log, Decision::Call(shape.proc.id, given));
        let rounds = shape.around[0].iter().map(|_| Round { number: 0, decided: 0, events: state.events });
        let node = Node { call: Rc::new(call), pc: 0, rounds: rounds.collect() };
        self.push(node, state);
    }

    fn push(&mut self, node: Node, state: State) {
        if !state.is_empty() {
            self.pending.push(self.shapes, node, state);
        }
    }

    /// The node that comes after a step to `to`; none when that is beyond the bounds.
    pub(super) fn next(&self, node: &Node, to: Pc, events: u32) -> Option<Node> {
        let shape = &self.shapes.procs[node.call.proc];
        let (from, target) = (&shape.around[node.pc], &shape.around[to]);
        let common = from.iter().zip(target).take_while(|(a, b)| a == b).count();
        let mut rounds = node.rounds[..common].to_vec();
        if common == target.len()
            && let Some(round) = rounds.last_mut()
            && shape.loops.loops[target[common - 1]].head == to
        {
            let decided = round.decided + u32::from(round.events != events);
            if decided > self.bounds.rounds {
                return None;
            }
            *round = Round { number: round.number + 1, decided, events };
        }
        rounds.extend(target[common..].iter().map(|_| Round { number: 0, decided: 0, events }));
        Some(Node { call: node.call.clone(), pc: to, rounds })
    }

    pub(super) fn go(&mut self, node: &Node, to: Pc, mut state: State) {
        if state.is_empty() {
            return;
        }
        self.compare_ranks(node, to, &mut state);
        match self.next(node, to, state.events) {
            Some(next) => self.push(next, state),
            None => self.found.cuts.push(state.guard),
        }
    }

    fn execute(&mut self, node: &Node, mut state: State) {
        let shape = &self.shapes.procs[node.call.proc];
        let pc = node.pc;
        let (instr, step) = (&shape.code().instrs[pc], &shape.instrs[pc]);
        match &instr.op {
            Op::Begin => return self.begin(node, instr.stmt, state),
            Op::Visit => return self.visit(node, instr.stmt, state),
            Op::End => return self.end(node, instr.stmt, state),
            Op::Assume(_) => {
                let condition = step.terms[0].eval(self.terms, &state.env);
                state.assume(self.terms, condition);
            }
            Op::Assign(pairs) => {
                let values: Vec<TermId> =
                    step.terms.iter().map(|term| term.eval(self.terms, &state.env)).collect();
                for ((&slot, value), pair) in step.targets.iter().zip(values).zip(pairs) {
                    let sort = self.terms.fun(pair.0).result;
                    let value = self.terms.coerce(value, sort).unwrap_or(value);
                    state.set(slot, value);
                }
            }
            Op::Havoc(variables) => {
                let mut given = Given::new();
                for (&variable, &slot) in variables.iter().zip(&step.targets) {
                    let value = self.found.book.arbitrary(self.terms, variable);
                    state.set(slot, value);
                    given.push((variable, value));
                }
                state.log = self.found.book.decide(state.log, Decision::Havoc(given));
            }
            Op::Branch(_, target) => {
                let condition = step.terms[0].eval(self.terms, &state.env);
                let negated = self.terms.not(condition);
                let mut other = state.clone();
                other.assume(self.terms, negated);
                self.go(node, *target, other);
                state.assume(self.terms, condition);
            }
            Op::Jump(target) => return self.go(node, *target, state),
            Op::Choice(targets) => {
                state.events += u32::from(targets.len() > 1);
                for (i, &target) in targets.iter().enumerate() {
                    let mut state = state.clone();
                    state.log = self.found.book.decide(state.log, Decision::Choice(i as u32));
                    self.choose(node, target, state);
                }
                return;
            }
            Op::Call(callee, ..) => return self.call(node, *callee, state),
            Op::Return => return self.leave(node, state),
        }
        self.go(node, pc + 1, state);
    }

    /// An alternative of a choice: which one it is must be told by the guard where the ways meet again.
    fn choose(&mut self, node: &Node, target: Pc, mut state: State) {
        let chosen = self.found.book.constant(self.terms, "choice", smt::sort::SortId::BOOL);
        state.assume(self.terms, chosen);
        self.go(node, target, state);
    }

    fn call(&mut self, node: &Node, callee: svlib::syntax::ProcId, state: State) {
        let Some(&proc) = self.by_id.get(&callee) else { return };
        let shape = &self.shapes.procs[node.call.proc];
        let step = &shape.instrs[node.pc];
        let args: Vec<TermId> = step.terms.iter().map(|term| term.eval(self.terms, &state.env)).collect();
        let mut before = Some(&node.call);
        while let Some(call) = before.filter(|call| call.proc != proc) {
            before = call.caller.as_ref().map(|caller| &caller.0.call);
        }
        let decided = before.map_or(0, |call| call.decided + u32::from(call.events != state.events));
        if decided > self.bounds.rounds || node.call.depth >= MOST_CALLS {
            self.found.cuts.push(state.guard);
            return;
        }
        let call = Call {
            prefix: node.key(shape),
            proc,
            caller: Some((node.clone(), state.env.clone())),
            measured: self.measured_by(node, proc, &state),
            hypothetical: Vec::new(),
            depth: node.call.depth + 1,
            decided,
            events: state.events,
        };
        self.enter(call, &args, state);
    }

    /// Ends a call: the caller goes on with its own variables and the results.
    fn leave(&mut self, node: &Node, mut state: State) {
        let Some((caller, env)) = &node.call.caller else { return };
        let shape = &self.shapes.procs[node.call.proc];
        let mut after = (**env).clone();
        after[..self.shapes.shared].copy_from_slice(&state.env[..self.shapes.shared]);
        let targets = &self.shapes.procs[caller.call.proc].instrs[caller.pc].targets;
        for (&slot, &output) in targets.iter().zip(&shape.outputs) {
            after[slot] = state.env[output];
        }
        state.env = Rc::new(after);
        self.go(caller, caller.pc + 1, state);
    }

    /// The call again, with a statement in it that runs from a hypothetical state.
    pub(super) fn hypothetical(&self, node: &Node, stmt: StmtId) -> Node {
        let call = &node.call;
        let mut hypothetical = call.hypothetical.clone();
        hypothetical.push(stmt);
        let call = Call {
            prefix: node.key(self.shape(call)),
            proc: call.proc,
            caller: call.caller.clone(),
            measured: call.measured.clone(),
            hypothetical,
            depth: call.depth,
            decided: call.decided,
            events: call.events,
        };
        Node { call: Rc::new(call), pc: node.pc, rounds: node.rounds.clone() }
    }
}
