//! Decides by exhaustive exploration whether the properties of a program hold.
//!
//! The graph has a node for each combination of a calling context (procedure, arguments, globals at the call), a place
//! and values. A call is an edge into its context; each way in which the context can be left gives an edge from
//! the call to the place behind it. So recursion needs no stack, and programs whose recursion never ends are
//! decided as well.

use super::eval::{NoValue, Scope, Value, all};
use super::flat::{Code, Instr, Pc, Visit, compile};
use super::infinite;
use super::syntax::{Arg, Program, Property, Tag, Term, Var};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// What is decided about a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// A property is violated: which one.
    Violated(String),
    /// No execution violates a property.
    Fine,
    /// There is more than the limits allow, and no violation in what was explored.
    TooBig,
}

/// How much is explored.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// So many nodes at most.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { nodes: 50_000 }
    }
}

/// Judges the program.
pub fn judge(program: &Program, limits: Limits) -> Judgement {
    let graph = Graph::explore(program, limits);
    if let Some(violation) = graph.violation {
        return Judgement::Violated(violation);
    }
    let mut infinite = None;
    program.walk(&mut |_, stmt| {
        for property in &stmt.properties {
            let tag = stmt.tag.expect("a statement with a property has a tag");
            let violated = match property {
                Property::NotRecurring => infinite::recurs(&graph, tag),
                Property::Recurring => infinite::stops_recurring(&graph, tag),
                _ => continue,
            };
            let word = if *property == Property::Recurring { ":recurring" } else { ":not-recurring" };
            if violated && infinite.is_none() {
                infinite = Some(format!("{word} of t{tag}"));
            }
        }
    });
    match infinite {
        Some(violation) => Judgement::Violated(violation),
        None if graph.complete => Judgement::Fine,
        None => Judgement::TooBig,
    }
}

/// Where control is when a procedure is over; its node keeps outputs and globals only.
pub(super) const EXIT: Pc = Pc::MAX;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Node {
    pub(super) context: usize,
    pub(super) pc: Pc,
    pub(super) values: Rc<[Value]>,
}

/// A call of a procedure with certain arguments and globals.
pub(super) struct Context {
    pub(super) proc: usize,
    pub(super) entry: usize,
    callers: Vec<usize>,
    pub(super) exits: Vec<usize>,
}

/// An edge between nodes.
pub(super) enum Edge {
    Step(usize, usize),
    /// Into a context.
    Call(usize, usize),
    /// From a call by way of an exit of its context to the place behind it.
    Over(usize, usize, usize),
}

/// What was explored.
pub(super) struct Graph {
    pub(super) code: Rc<[Code]>,
    pub(super) nodes: Vec<Node>,
    pub(super) contexts: Vec<Context>,
    pub(super) edges: Vec<Edge>,
    pub(super) complete: bool,
    pub(super) violation: Option<String>,
}

struct Explorer<'p> {
    program: &'p Program,
    graph: Graph,
    known: BTreeMap<Node, usize>,
    /// Contexts by procedure and values at the entry.
    called: BTreeMap<(usize, Rc<[Value]>), usize>,
    todo: VecDeque<usize>,
}

/// Why a node has no successors.
enum Stop {
    Violated(String),
    TooBig,
}

impl From<NoValue> for Stop {
    fn from(_: NoValue) -> Stop {
        Stop::TooBig
    }
}

impl Graph {
    pub(super) fn explore(program: &Program, limits: Limits) -> Graph {
        let code = (0..program.procs.len()).map(|proc| compile(program, proc)).collect();
        let graph = Graph {
            code,
            nodes: Vec::new(),
            contexts: Vec::new(),
            edges: Vec::new(),
            complete: true,
            violation: None,
        };
        let (known, called, todo) = (BTreeMap::new(), BTreeMap::new(), VecDeque::new());
        let mut explorer = Explorer { program, graph, known, called, todo };
        explorer.start();
        while let Some(node) = explorer.todo.pop_front() {
            match explorer.expand(node) {
                Ok(()) => {}
                Err(Stop::TooBig) => explorer.graph.complete = false,
                Err(Stop::Violated(what)) => {
                    explorer.graph.violation = Some(what);
                    break;
                }
            }
            if explorer.graph.nodes.len() > limits.nodes {
                explorer.graph.complete = false;
                break;
            }
        }
        explorer.graph
    }

    pub(super) fn proc(&self, node: usize) -> usize {
        self.contexts[self.nodes[node].context].proc
    }

    /// True when the tag is visited at the node.
    pub(super) fn visits(&self, node: usize, tag: Tag) -> bool {
        let Node { pc, .. } = self.nodes[node];
        pc != EXIT
            && matches!(&self.code[self.proc(node)].instrs[pc], Instr::Visit(visit) if visit.tag == tag)
    }
}

impl Explorer<'_> {
    fn start(&mut self) {
        let main = self.program.procs.len() - 1;
        let mut starts = vec![Vec::new()];
        let nothing = BTreeMap::new();
        for arg in &self.program.args {
            let values = match arg {
                Arg::Literal(term) => {
                    Scope { values: &[], globals: 0, at: &nothing }.eval(term).into_iter().collect()
                }
                Arg::Constant(sort, low, high) => all(*sort, *low, *high),
            };
            starts = product(&starts, &values);
        }
        let globals = vec![Value::Open; self.program.globals.len()];
        for inputs in starts {
            self.context(main, inputs, &globals);
        }
    }

    /// The context of a call.
    fn context(&mut self, proc: usize, inputs: Vec<Value>, globals: &[Value]) -> usize {
        let mut values = inputs;
        values.resize(self.graph.code[proc].size, Value::Open);
        values.extend_from_slice(globals);
        let values: Rc<[Value]> = values.into();
        if let Some(&context) = self.called.get(&(proc, values.clone())) {
            return context;
        }
        let context = self.graph.contexts.len();
        self.called.insert((proc, values.clone()), context);
        let entry = self.graph.nodes.len();
        self.graph.contexts.push(Context { proc, entry, callers: Vec::new(), exits: Vec::new() });
        self.node(Node { context, pc: 0, values });
        context
    }

    fn node(&mut self, node: Node) -> usize {
        if let Some(&number) = self.known.get(&node) {
            return number;
        }
        let number = self.graph.nodes.len();
        self.known.insert(node.clone(), number);
        self.graph.nodes.push(node);
        self.todo.push_back(number);
        number
    }

    fn step(&mut self, from: usize, pc: Pc, values: Rc<[Value]>) {
        let context = self.graph.nodes[from].context;
        let to = self.node(Node { context, pc, values });
        self.graph.edges.push(Edge::Step(from, to));
    }

    fn expand(&mut self, number: usize) -> Result<(), Stop> {
        let Node { context, pc, values } = self.graph.nodes[number].clone();
        let proc = self.graph.contexts[context].proc;
        if pc == EXIT {
            self.graph.contexts[context].exits.push(number);
            for caller in self.graph.contexts[context].callers.clone() {
                self.go_over(caller, number);
            }
            return Ok(());
        }
        let codes = self.graph.code.clone();
        let code = &codes[proc];
        let globals = code.size;
        let scope = Scope { values: &values, globals, at: &code.at };
        let place = |var: Var| match var {
            Var::Local(number) => number,
            Var::Global(number) => globals + number,
        };
        let next = match &code.instrs[pc] {
            Instr::Check(tag, word, term) => {
                judged(scope, *tag, word, term)?;
                vec![(pc + 1, values.clone())]
            }
            Instr::Visit(visit) => vec![(pc + 1, visited(scope, visit)?)],
            Instr::Forget(places) => {
                let mut changed = values.to_vec();
                changed[places.clone()].fill(Value::Open);
                vec![(pc + 1, changed.into())]
            }
            Instr::Assume(term) if scope.truth(term)? => vec![(pc + 1, values.clone())],
            Instr::Assume(_) => Vec::new(),
            Instr::Assign(pairs) => {
                let mut changed = values.to_vec();
                for (var, term) in pairs {
                    changed[place(*var)] = scope.eval(term)?;
                }
                vec![(pc + 1, changed.into())]
            }
            Instr::Draw(draw) => {
                let mut states = vec![values.to_vec()];
                for &var in &draw.vars {
                    let domain = all(self.program.decl(proc, var).sort, draw.low, draw.high);
                    let with = |state: &Vec<Value>, value: &Value| {
                        let mut state = state.clone();
                        state[place(var)] = value.clone();
                        state
                    };
                    states = states
                        .iter()
                        .flat_map(|s| domain.iter().map(|v| with(s, v)).collect::<Vec<_>>())
                        .collect();
                }
                states.into_iter().map(|state| (pc + 1, state.into())).collect()
            }
            Instr::Call(callee, args, _) => return self.call(number, *callee, args),
            Instr::Branch(term, target) => {
                vec![(if scope.truth(term)? { pc + 1 } else { *target }, values.clone())]
            }
            Instr::Jump(target) => vec![(*target, values.clone())],
            Instr::Choice(targets) => targets.iter().map(|target| (*target, values.clone())).collect(),
            Instr::Exit => {
                let first = self.program.procs[proc].inputs.len();
                let outputs = first..first + self.program.procs[proc].outputs.len();
                let kept: Vec<Value> = values[outputs].iter().chain(&values[globals..]).cloned().collect();
                vec![(EXIT, kept.into())]
            }
        };
        for (pc, values) in next {
            self.step(number, pc, values);
        }
        Ok(())
    }

    fn call(&mut self, caller: usize, callee: usize, args: &[Term]) -> Result<(), Stop> {
        let values = self.graph.nodes[caller].values.clone();
        let proc = self.graph.proc(caller);
        let code = &self.graph.code[proc];
        let scope = Scope { values: &values, globals: code.size, at: &code.at };
        let inputs: Result<Vec<Value>, NoValue> = args.iter().map(|arg| scope.eval(arg)).collect();
        let globals = &values[code.size..];
        let context = self.context(callee, inputs?, globals);
        self.measure(caller, context)?;
        self.graph.contexts[context].callers.push(caller);
        self.graph.edges.push(Edge::Call(caller, self.graph.contexts[context].entry));
        for exit in self.graph.contexts[context].exits.clone() {
            self.go_over(caller, exit);
        }
        Ok(())
    }

    /// Decision 5: between the entry of the caller and the entry of the callee the ranking functions decrease.
    fn measure(&self, caller: usize, context: usize) -> Result<(), Stop> {
        let Context { proc: callee, entry, .. } = self.graph.contexts[context];
        let proc = self.graph.proc(caller);
        let procs = &self.program.procs;
        if procs[proc].group.is_none() || procs[proc].group != procs[callee].group {
            return Ok(());
        }
        let (code, new) = (&self.graph.code[callee], &self.graph.nodes[entry].values);
        let scope = Scope { values: new, globals: code.size, at: &code.at };
        let old = &self.graph.nodes[caller].values;
        let befores = &self.graph.code[proc].measures;
        for ((terms, _), (_, place)) in code.measures.iter().zip(befores) {
            let tag = procs[callee].body.tag.unwrap_or_default();
            decreased(scope, terms, &old[*place..*place + terms.len()], tag)?;
        }
        Ok(())
    }

    fn go_over(&mut self, caller: usize, exit: usize) {
        let Node { context, pc, values } = self.graph.nodes[caller].clone();
        let code = &self.graph.code[self.graph.contexts[context].proc];
        let Instr::Call(callee, _, results) = &code.instrs[pc] else { return };
        let left = &self.graph.nodes[exit].values;
        let (outputs, globals) = left.split_at(self.program.procs[*callee].outputs.len());
        let mut changed = values.to_vec();
        changed[code.size..].clone_from_slice(globals);
        for (var, value) in results.iter().zip(outputs) {
            match var {
                Var::Local(number) => changed[*number] = value.clone(),
                Var::Global(number) => changed[code.size + number] = value.clone(),
            }
        }
        let to = self.node(Node { context, pc: pc + 1, values: changed.into() });
        self.graph.edges.push(Edge::Over(caller, exit, to));
    }
}

fn product(starts: &[Vec<Value>], values: &[Value]) -> Vec<Vec<Value>> {
    let with = |start: &Vec<Value>, value: &Value| start.iter().chain([value]).cloned().collect();
    starts.iter().flat_map(|start| values.iter().map(move |value| with(start, value))).collect()
}

fn judged(scope: Scope<'_>, tag: Tag, word: &str, term: &Term) -> Result<(), Stop> {
    if scope.truth(term)? { Ok(()) } else { Err(Stop::Violated(format!("{word} of t{tag}"))) }
}

/// The values after the visit of a tag.
fn visited(scope: Scope<'_>, visit: &Visit) -> Result<Rc<[Value]>, Stop> {
    let mut changed = scope.values.to_vec();
    for (var, place) in &visit.saves {
        changed[*place] = match var {
            Var::Local(number) => scope.values[*number].clone(),
            Var::Global(number) => scope.values[scope.globals + number].clone(),
        };
    }
    // The values at this visit are meant by the properties of the visited statement itself.
    let now = changed.clone();
    let scope = Scope { values: &now, ..scope };
    for (word, term) in &visit.checks {
        judged(scope, visit.tag, word, term)?;
    }
    for (terms, place) in &visit.ranks {
        let places = *place..place + terms.len();
        if now[*place] != Value::Open {
            decreased(scope, terms, &now[places.clone()], visit.tag)?;
        }
        for (term, place) in terms.iter().zip(places) {
            changed[place] = scope.eval(term)?;
        }
    }
    Ok(changed.into())
}

fn decreased(scope: Scope<'_>, terms: &[Term], old: &[Value], tag: Tag) -> Result<(), Stop> {
    let violated = || Err(Stop::Violated(format!(":decreases of t{tag}")));
    for (term, old) in terms.iter().zip(old) {
        let (Value::Int(new), Value::Int(old)) = (scope.eval(term)?, old) else { return violated() };
        if new != *old {
            return if *old >= 0 && new < *old { Ok(()) } else { violated() };
        }
    }
    violated()
}
