//! The code of a query with calls put in place, as a graph, and the places at which it is cut.

use super::live::Live;
use super::properties::Claims;
use super::{MOST, Unsupported};
use program::Program;
use rustc_hash::FxHashSet;
use smt::term::{FunId, Role, TermId, Terms};
use svlib::code;
use svlib::syntax::{ProcId, StmtId};

/// What happens at a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Act {
    /// Nothing.
    Skip,
    /// Goes on only if the term holds.
    Assume(TermId),
    /// Assigns in parallel.
    Assign(Vec<(FunId, TermId)>),
    /// Gives the variables arbitrary values.
    Havoc(Vec<FunId>),
    /// A procedure begins: its outputs and locals have arbitrary values.
    Enter(ProcId, Vec<FunId>),
    /// Gives `at` terms arbitrary values; the program does not notice.
    Forget(Vec<FunId>),
    /// Goes on at the first successor if the term holds, else at the second.
    Branch(TermId),
    /// Goes on at one of the successors.
    Choice,
    /// The terms have to hold.
    Check(Vec<TermId>),
    /// The statement is visited.
    Visit,
}

/// A node with its successors; it has none when the query is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    pub(super) act: Act,
    pub(super) next: Vec<usize>,
    pub(super) stmt: StmtId,
}

/// The graph; its first node is the entry.
#[derive(Clone, Debug, Default)]
pub(super) struct Flat {
    pub(super) nodes: Vec<Node>,
    /// The places: the entry, and a node of every cycle.
    pub(super) cuts: Vec<usize>,
    /// A number for each node that is larger than those of the nodes before it, except behind a cut.
    pub(super) order: Vec<usize>,
    /// Which variables matter where.
    pub(super) live: Live,
    /// What visits of statements mean.
    pub(super) shunned: FxHashSet<StmtId>,
    pub(super) recurring: Vec<FxHashSet<StmtId>>,
}

/// A procedure that is to be put in place.
struct Instance {
    proc: ProcId,
    /// The node that leads to its entry.
    from: Option<usize>,
    /// The node that comes after it.
    to: Option<usize>,
}

struct Inliner<'a, 's> {
    terms: &'a mut Terms,
    program: &'a Program<'s>,
    claims: &'a Claims,
    nodes: Vec<Node>,
    todo: Vec<Instance>,
}

impl Flat {
    pub(super) fn of(terms: &mut Terms, program: &Program<'_>, claims: &Claims) -> Result<Flat, Unsupported> {
        if let Some(proc) = program.procs.iter().find(|proc| proc.recursive) {
            let name = terms.names.text(program.script.procs[proc.id].name);
            return Err(Unsupported::Recursion(name.into()));
        }
        let mut inliner = Inliner { terms, program, claims, nodes: Vec::new(), todo: Vec::new() };
        inliner.todo.push(Instance { proc: program.entry.proc, from: None, to: None });
        while let Some(instance) = inliner.todo.pop() {
            inliner.put(&instance);
            if inliner.nodes.len() > MOST {
                return Err(Unsupported::Large);
            }
        }
        let nodes = std::mem::take(&mut inliner.nodes);
        let mut flat = Flat {
            nodes,
            shunned: claims.shunned.clone(),
            recurring: claims.recurring.clone(),
            ..Flat::default()
        };
        flat.cut();
        flat.live = Live::of(inliner.terms, &flat, &variables(program, claims));
        Ok(flat)
    }

    /// The variables that matter at some place.
    pub(super) fn variables(&self, program: &Program<'_>, claims: &Claims) -> Vec<FunId> {
        let mut found = variables(program, claims);
        found.retain(|&variable| self.cuts.iter().any(|&node| self.live.is_live(node, variable)));
        found
    }

    /// Finds a cut for every cycle, and the order of what is between cuts: a search from the entry meets the first node of
    /// a cycle again while it is still open.
    fn cut(&mut self) {
        let mut state = vec![State::New; self.nodes.len()];
        let mut is_cut = vec![false; self.nodes.len()];
        let (mut todo, mut after) = (vec![(0, 0)], Vec::new());
        state[0] = State::Open;
        is_cut[0] = true;
        while let Some((node, done)) = todo.pop() {
            let Some(&next) = self.nodes[node].next.get(done) else {
                state[node] = State::Closed;
                after.push(node);
                continue;
            };
            todo.push((node, done + 1));
            match state[next] {
                State::New => {
                    state[next] = State::Open;
                    todo.push((next, 0));
                }
                State::Open => is_cut[next] = true,
                State::Closed => {}
            }
        }
        self.order = vec![0; self.nodes.len()];
        for (i, &node) in after.iter().rev().enumerate() {
            self.order[node] = i;
        }
        self.cuts = (0..self.nodes.len()).filter(|&node| is_cut[node]).collect();
    }
}

/// The globals, the variables of the procedures, and `at` terms.
fn variables(program: &Program<'_>, claims: &Claims) -> Vec<FunId> {
    let own = program.procs.iter().flat_map(|proc| program.own_variables(proc.id));
    let remembered = claims.remembered.iter().map(|(fun, ..)| *fun);
    program.globals.iter().copied().chain(own).chain(remembered).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Closed,
}

impl Inliner<'_, '_> {
    fn add(&mut self, act: Act, next: Vec<usize>, stmt: StmtId) -> usize {
        self.nodes.push(Node { act, next, stmt });
        self.nodes.len() - 1
    }

    /// Puts a procedure in place: node `base + pc` is its instruction `pc`, other nodes come behind.
    fn put(&mut self, instance: &Instance) {
        let Some(proc) = self.program.proc(instance.proc) else { return };
        let base = self.nodes.len();
        if let Some(from) = instance.from {
            self.nodes[from].next = vec![base];
        }
        let instrs = &proc.code.instrs;
        for (pc, instr) in instrs.iter().enumerate() {
            let next = proc.code.successors(pc).into_iter().map(|pc| base + pc).collect();
            self.add(Act::Skip, next, instr.stmt);
        }
        let is_entry = instance.to.is_none();
        for (pc, instr) in instrs.iter().enumerate() {
            let (node, stmt) = (base + pc, instr.stmt);
            let act = match &instr.op {
                code::Op::Assume(term) => Act::Assume(*term),
                code::Op::Assign(pairs) => Act::Assign(
                    pairs.iter().map(|&(variable, term)| (variable, self.fit(variable, term))).collect(),
                ),
                code::Op::Havoc(variables) => Act::Havoc(variables.clone()),
                code::Op::Branch(term, _) => Act::Branch(*term),
                code::Op::Choice(_) => Act::Choice,
                code::Op::Begin if is_entry && stmt == proc.body => Act::Check(self.claims.begin.clone()),
                code::Op::End if is_entry && stmt == proc.body => Act::Check(self.claims.end.clone()),
                code::Op::Visit => self.visit(node, stmt),
                code::Op::Call(callee, args, results) => self.call(node, *callee, args, results),
                code::Op::Return => {
                    self.nodes[node].next.extend(instance.to);
                    Act::Skip
                }
                code::Op::Begin | code::Op::End | code::Op::Jump(_) => Act::Skip,
            };
            self.nodes[node].act = act;
        }
    }

    /// A visit first notes what `at` terms will mean, then checks, then counts.
    fn visit(&mut self, node: usize, stmt: StmtId) -> Act {
        let noted: Vec<(FunId, FunId)> = self
            .claims
            .remembered
            .iter()
            .filter(|(_, _, stmts)| stmts.contains(&stmt))
            .map(|(fun, variable, _)| (*fun, *variable))
            .collect();
        let values: Vec<(FunId, TermId)> =
            noted.into_iter().map(|(fun, variable)| (fun, self.terms.constant_term(variable))).collect();
        let checks = self.claims.visit.get(&stmt).cloned().unwrap_or_default();
        let after = std::mem::take(&mut self.nodes[node].next);
        let counted = self.add(Act::Visit, after, stmt);
        let checked = self.add(Act::Check(checks), vec![counted], stmt);
        self.nodes[node].next = vec![checked];
        Act::Assign(values)
    }

    /// A call: inputs get the arguments, everything else of the procedure is arbitrary, and results are taken at the end.
    fn call(&mut self, node: usize, callee: ProcId, args: &[TermId], results: &[FunId]) -> Act {
        let stmt = self.nodes[node].stmt;
        let proc = &self.program.script.procs[callee];
        let arbitrary: Vec<FunId> = proc.outputs.iter().chain(&proc.locals).copied().collect();
        let given: Vec<(FunId, TermId)> =
            proc.inputs.iter().zip(args).map(|(&input, &arg)| (input, self.fit(input, arg))).collect();
        let taken: Vec<(FunId, FunId)> = results.iter().copied().zip(proc.outputs.iter().copied()).collect();
        let taken: Vec<(FunId, TermId)> = taken
            .into_iter()
            .map(|(result, output)| {
                let value = self.terms.constant_term(output);
                (result, self.fit(result, value))
            })
            .collect();
        let after = std::mem::take(&mut self.nodes[node].next);
        let to = self.add(Act::Assign(taken), after, stmt);
        let forgotten = self.remembered_in(callee);
        let from = self.add(Act::Forget(forgotten), Vec::new(), stmt);
        let enter = self.add(Act::Enter(callee, arbitrary), vec![from], stmt);
        self.nodes[node].next = vec![enter];
        self.todo.push(Instance { proc: callee, from: Some(from), to: Some(to) });
        Act::Assign(given)
    }

    /// The `at` terms whose tags are in a procedure.
    fn remembered_in(&self, proc: ProcId) -> Vec<FunId> {
        let inside =
            |stmts: &[StmtId]| stmts.iter().any(|&stmt| self.program.script.stmts[stmt].proc == proc);
        self.claims.remembered.iter().filter(|(_, _, stmts)| inside(stmts)).map(|(fun, ..)| *fun).collect()
    }

    /// The term in the sort of the variable: an integer may stand where a real is wanted.
    fn fit(&mut self, variable: FunId, term: TermId) -> TermId {
        debug_assert!(matches!(self.terms.fun(variable).role, Role::Variable(..) | Role::At(..)));
        let sort = self.terms.fun(variable).result;
        self.terms.coerce(term, sort).unwrap_or(term)
    }
}
