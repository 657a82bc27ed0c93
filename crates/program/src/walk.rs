//! Walks the code of a procedure without its back edges and notes what has to hold on the way.
//!
//! At the head of a loop everything that the loop can modify becomes new and its invariant is assumed; whoever comes to
//! the head has to show the invariant. A statement with a contract is walked from any state that its precondition
//! allows, up to its end; what comes after it starts from any state that its postcondition allows. A call is replaced by
//! the contract of its procedure. What has no annotation is abstracted by `true`.

use crate::graph::Graph;
use crate::layout::Layout;
use crate::merge::{Fresh, State};
use crate::notes::{Note, Notes, Origin};
use crate::program::{Procedure, Program};
use crate::vc::{CONTRACT, Conditions, Obligation, Place, Roots, assumable};
use rustc_hash::FxHashMap;
use smt::subst::{constants, replace};
use smt::term::{FunId, Role, TermId, Terms};
use std::collections::BTreeSet;
use std::rc::Rc;
use svlib::code::{Op, Pc};
use svlib::flow::head_stmt;
use svlib::syntax::{PropertyKind, StmtId};

/// Guards with more conjuncts get a name.
const LONG: usize = 32;

pub(crate) struct Walk<'w, 's> {
    pub(crate) terms: &'w mut Terms,
    pub(crate) program: &'w Program<'s>,
    pub(crate) proc: &'w Procedure,
    pub(crate) roots: &'w Roots,
    found: &'w mut Conditions,
    pub(crate) fresh: &'w mut Fresh,
    pub(crate) layout: Layout,
    pub(crate) graph: Graph,
    /// The states that come to each instruction.
    incoming: Vec<Vec<State>>,
    /// What holds throughout the region.
    pub(crate) assumed: Rc<Vec<TermId>>,
}

impl<'w, 's> Walk<'w, 's> {
    pub(crate) fn new(
        terms: &'w mut Terms,
        program: &'w Program<'s>,
        proc: &'w Procedure,
        roots: &'w Roots,
        found: &'w mut Conditions,
        fresh: &'w mut Fresh,
    ) -> Self {
        let mut layout = Layout::of(terms, program, proc, &[]);
        for root in roots.iter().filter(|(place, _)| place.0 == proc.id) {
            layout.include(terms, program, proc, &root.1.params);
        }
        let graph = Graph::of(program, proc, &|pc| roots.contains_key(&(proc.id, pc)));
        let incoming = vec![Vec::new(); proc.code.instrs.len()];
        Walk { terms, program, proc, roots, found, fresh, layout, graph, incoming, assumed: Rc::default() }
    }

    pub(crate) fn run(mut self) {
        if !self.graph.is_complete() {
            self.open("the code of a procedure cannot be cut into pieces without cycles");
        }
        self.ranks_are_checked();
        let state = self.entry_state();
        self.go(None, 0, state);
        self.region();
        let mut roots: Vec<Pc> =
            self.roots.keys().filter(|place| place.0 == self.proc.id).map(|place| place.1).collect();
        roots.sort_unstable();
        roots.retain(|&pc| self.graph.loops.reachable[pc]);
        for pc in roots {
            let state = self.root_state(pc);
            self.execute(pc, state);
            self.region();
        }
    }

    /// Walks from where states have come to.
    fn region(&mut self) {
        for i in 0..self.graph.order.len() {
            let pc = self.graph.order[i];
            let states = std::mem::take(&mut self.incoming[pc]);
            let Some(state) = self.fresh.merge(self.terms, states, &self.layout.variables) else { continue };
            let state = match self.graph.loops.headed(pc) {
                Some(number) => self.any_round(number, state),
                None => state,
            };
            self.execute(pc, state);
        }
    }

    /// The conditions do not cover everything.
    pub(crate) fn open(&mut self, why: &str) {
        self.found.open.push(why.into());
    }

    /// The `while` or label that is cut at an instruction, if it is the head of a loop.
    pub(crate) fn head(&self, pc: Pc) -> Option<StmtId> {
        self.graph.loops.headed(pc).and_then(|_| head_stmt(self.program.script, &self.proc.code, pc))
    }

    // ---- states

    pub(crate) fn new_value(&mut self, slot: usize) -> TermId {
        let variable = self.layout.variables[slot];
        let (name, sort) = (self.terms.fun_name(variable).to_string(), self.terms.fun(variable).result);
        self.fresh.constant(self.terms, &name, sort)
    }

    fn arbitrary(&mut self) -> State {
        let env = (0..self.layout.variables.len()).map(|slot| self.new_value(slot)).collect();
        State { guard: TermId::TRUE, facts: 0, env: Rc::new(env) }
    }

    fn entry_state(&mut self) -> State {
        let mut state = self.arbitrary();
        let entry = &self.program.entry;
        if entry.only && entry.proc == self.proc.id {
            let inputs = &self.program.script.procs[self.proc.id].inputs;
            for (&input, &arg) in inputs.iter().zip(&entry.args) {
                self.assign(&mut state, input, arg);
            }
        }
        let (program, proc) = (self.program, self.proc);
        let notes = program.notes(proc.body);
        let modified = || program.modified(proc, proc.body);
        let mut assumed = Vec::new();
        for note in usable(self.terms, notes, PropertyKind::Requires, &CONTRACT, &modified) {
            for &term in &note.terms {
                assumed.push(self.eval(&state, term));
            }
        }
        self.assumed = Rc::new(assumed);
        state
    }

    fn root_state(&mut self, pc: Pc) -> State {
        let mut state = self.arbitrary();
        let predicate = self.root_term(pc, &state);
        self.assumed = Rc::new(vec![predicate]);
        if let Some(stmt) = self.head(pc) {
            self.take_snapshots(stmt, &mut state);
        }
        state
    }

    fn root_term(&mut self, pc: Pc, state: &State) -> TermId {
        let root = &self.roots[&(self.proc.id, pc)];
        let mut args = Vec::with_capacity(root.params.len());
        for &param in &root.params {
            args.push(match self.layout.slot(param) {
                Some(slot) => state.env[slot],
                None => self.terms.constant_term(param),
            });
        }
        // The predicate was declared for these parameters.
        self.terms.call(root.predicate, &args).unwrap_or(TermId::TRUE)
    }

    /// Any state in which the head of a loop may be: what the loop modifies is new, the invariant holds.
    fn any_round(&mut self, number: usize, mut state: State) -> State {
        let head = self.graph.loops.loops[number].head;
        let stmt = head_stmt(self.program.script, &self.proc.code, head);
        let mut nodes = self.graph.loops.loops[number].nodes.clone();
        if let Some(stmt) = stmt {
            nodes.extend(self.program.covered(self.proc, stmt));
        }
        let modified = self.forget(&mut state, &nodes);
        if let Some(stmt) = stmt {
            self.take_snapshots(stmt, &mut state);
            self.assume_invariants(stmt, &modified, &mut state);
        }
        state
    }

    fn assume_invariants(&mut self, stmt: StmtId, modified: &BTreeSet<FunId>, state: &mut State) {
        let kind = PropertyKind::Invariant;
        for note in usable(self.terms, self.program.notes(stmt), kind, &[kind], &|| modified.clone()) {
            self.assume_all(&note.terms, state);
        }
    }

    pub(crate) fn assume_all(&mut self, formulas: &[TermId], state: &mut State) {
        for &formula in formulas {
            let formula = self.eval(state, formula);
            state.assume(self.terms, formula);
        }
    }

    /// Gives new values to what instructions modify, snapshots included.
    pub(crate) fn forget(&mut self, state: &mut State, nodes: &[Pc]) -> BTreeSet<FunId> {
        let modified = self.program.targets(self.proc, nodes);
        let mut slots = self.snapshots_in(nodes);
        slots.extend(modified.iter().filter_map(|&v| self.layout.slot(v)));
        for slot in slots {
            let value = self.new_value(slot);
            state.set(slot, value);
        }
        modified
    }

    /// The snapshots that instructions take.
    pub(crate) fn snapshots_in(&self, nodes: &[Pc]) -> BTreeSet<usize> {
        let instrs = nodes.iter().map(|&pc| &self.proc.code.instrs[pc]);
        let visits = instrs.filter(|instr| instr.op == Op::Visit).map(|instr| instr.stmt);
        let taken = |stmt| self.layout.taken_at(stmt).map(|t| t.0).chain(self.layout.visited(stmt));
        visits.flat_map(taken).collect()
    }

    fn take_snapshots(&mut self, stmt: StmtId, state: &mut State) {
        self.set_visited(stmt, true, state);
        for (slot, variable) in self.layout.taken_at(stmt).collect::<Vec<_>>() {
            if let Some(from) = self.layout.slot(variable) {
                let value = state.env[from];
                state.set(slot, value);
            }
        }
    }

    fn set_visited(&mut self, stmt: StmtId, visited: bool, state: &mut State) {
        if let Some(slot) = self.layout.visited(stmt) {
            state.set(slot, self.terms.bool(visited));
        }
    }

    // ---- terms

    /// A term in a state. What a variable was at a tag of another procedure is unknown.
    pub(crate) fn eval(&mut self, state: &State, term: TermId) -> TermId {
        let layout = &self.layout;
        substitute(self.terms, self.fresh, term, &|fun| layout.slot(fun).map(|slot| state.env[slot]))
    }

    pub(crate) fn oblige(&mut self, place: Place, note: Option<&Note>, state: &State, goal: TermId) {
        if goal == TermId::TRUE || state.guard == TermId::FALSE {
            return;
        }
        let (note, assumed) = (note.cloned(), self.assumed.clone());
        self.found.obligations.push(Obligation { place, note, assumed, guard: state.guard, goal });
    }

    /// All annotations of a kind at a statement have to hold, and then do.
    pub(crate) fn check(&mut self, place: Place, kind: PropertyKind, state: &mut State) {
        let program = self.program;
        let mut goals = Vec::new();
        for note in program.notes(place.stmt).of(kind) {
            for &term in &note.terms {
                let goal = self.eval(state, term);
                self.oblige(place, Some(note), state, goal);
                goals.push(goal);
            }
        }
        for goal in goals {
            state.assume(self.terms, goal);
        }
    }

    // ---- steps

    /// States come from an instruction to another one.
    pub(crate) fn go(&mut self, from: Option<Pc>, to: Pc, mut state: State) {
        if state.guard == TermId::FALSE {
            return;
        }
        let within = |walk: &Self, number: usize| {
            from.is_some_and(|from| walk.graph.loops.loops[number].contains(from))
        };
        if let Some(stmt) = self.head(to)
            && let Some(number) = self.graph.loops.headed(to)
        {
            let back = within(self, number);
            self.arrive(from, stmt, back, &mut state);
        }
        if self.roots.contains_key(&(self.proc.id, to)) {
            let goal = self.root_term(to, &state);
            let stmt = self.proc.code.instrs[to].stmt;
            let place = Place { proc: self.proc.id, pc: from, stmt, back: false };
            return self.oblige(place, None, &state, goal);
        }
        for number in self.graph.loops.around(to).collect::<Vec<_>>() {
            let head = self.graph.loops.loops[number].head;
            if within(self, number) {
                continue;
            }
            // A loop that is entered anew starts anew.
            if let Some(stmt) = self.head(head) {
                self.set_visited(stmt, false, &mut state);
            }
            if !self.roots.contains_key(&(self.proc.id, head)) {
                self.incoming[head].push(state.clone());
            }
        }
        if self.graph.loops.headed(to).is_none() {
            self.incoming[to].push(state);
        }
    }

    /// Control comes to the head of a loop: its invariants hold, and on the way back its ranking functions decreased.
    fn arrive(&mut self, from: Option<Pc>, stmt: StmtId, back: bool, state: &mut State) {
        let place = Place { proc: self.proc.id, pc: from, stmt, back };
        if back {
            self.check_ranks(place, state);
        }
        let mut here = state.clone();
        self.take_snapshots(stmt, &mut here);
        self.check(place, PropertyKind::Invariant, &mut here);
        (state.guard, state.facts) = (here.guard, here.facts);
    }

    fn execute(&mut self, pc: Pc, mut state: State) {
        let proc = self.proc;
        let instr = &proc.code.instrs[pc];
        let splits = matches!(instr.op, Op::Branch(..) | Op::Choice(_)) && state.facts > 1;
        if splits || state.facts > LONG {
            self.fresh.shorten(self.terms, &mut state);
        }
        match &instr.op {
            Op::Begin => return self.begin(pc, instr.stmt, state),
            Op::Visit => self.visit(pc, instr.stmt, &mut state),
            Op::End => {
                let place = Place { proc: proc.id, pc: Some(pc), stmt: instr.stmt, back: false };
                self.check(place, PropertyKind::Ensures, &mut state);
                if self.graph.stops[pc] {
                    return;
                }
                self.keep_promise_only(instr.stmt, &mut state);
            }
            Op::Assume(term) => self.assume_all(&[*term], &mut state),
            Op::Assign(pairs) => {
                let values: Vec<TermId> = pairs.iter().map(|pair| self.eval(&state, pair.1)).collect();
                for (pair, value) in pairs.iter().zip(values) {
                    self.assign(&mut state, pair.0, value);
                }
            }
            Op::Havoc(variables) => {
                for &variable in variables {
                    if let Some(slot) = self.layout.slot(variable) {
                        let value = self.new_value(slot);
                        state.set(slot, value);
                    }
                }
            }
            Op::Branch(condition, target) => {
                let condition = self.eval(&state, *condition);
                let mut other = state.clone();
                let negated = self.terms.not(condition);
                other.assume(self.terms, negated);
                self.go(Some(pc), *target, other);
                state.assume(self.terms, condition);
            }
            Op::Jump(target) => return self.go(Some(pc), *target, state),
            Op::Choice(targets) => {
                for &target in targets {
                    self.go(Some(pc), target, state.clone());
                }
                return;
            }
            Op::Call(callee, args, results) => self.call(pc, *callee, args, results, &mut state),
            Op::Return => return,
        }
        self.go(Some(pc), pc + 1, state);
    }

    pub(crate) fn assign(&mut self, state: &mut State, variable: FunId, value: TermId) {
        let Some(slot) = self.layout.slot(variable) else { return };
        let sort = self.terms.fun(variable).result;
        let value = self.terms.coerce(value, sort).unwrap_or(value);
        state.set(slot, value);
    }

    fn visit(&mut self, pc: Pc, stmt: StmtId, state: &mut State) {
        self.take_snapshots(stmt, state);
        let place = Place { proc: self.proc.id, pc: Some(pc), stmt, back: false };
        if self.head(pc).is_none() && self.program.notes(stmt).has(PropertyKind::Invariant) {
            self.check(place, PropertyKind::Invariant, state);
            // The invariant of a `while` or label stands for its rounds, elsewhere it is a check.
            if head_stmt(self.program.script, &self.proc.code, pc).is_some() {
                let nodes = self.program.covered(self.proc, stmt);
                let modified = self.forget(state, &nodes);
                self.take_snapshots(stmt, state);
                self.assume_invariants(stmt, &modified, state);
            }
        }
        self.check(place, PropertyKind::CheckTrue, state);
    }
}

/// A term with program symbols replaced; those without a value become new constants.
pub(crate) fn substitute(
    terms: &mut Terms,
    fresh: &mut Fresh,
    term: TermId,
    value: &dyn Fn(FunId) -> Option<TermId>,
) -> TermId {
    let mut map = FxHashMap::default();
    for constant in constants(terms, term) {
        let Some(fun) = terms.applied(constant) else { continue };
        let is_program = matches!(terms.fun(fun).role, Role::Variable(..) | Role::At(..));
        match value(fun) {
            Some(value) => drop(map.insert(constant, value)),
            None if is_program => {
                let name = terms.fun_name(fun).to_string();
                let value = fresh.constant(terms, &name, terms.sort(constant));
                map.insert(constant, value);
            }
            None => {}
        }
    }
    replace(terms, term, &map)
}

/// The annotations of a kind that may be used, with who else of the task speaks about the same.
pub(crate) fn usable<'n>(
    terms: &Terms,
    notes: &'n Notes,
    kind: PropertyKind,
    speaks: &[PropertyKind],
    modified: &dyn Fn() -> BTreeSet<FunId>,
) -> Vec<&'n Note> {
    let task_speaks = speaks.iter().any(|&kind| notes.task_has(kind));
    if !task_speaks || notes.of(kind).all(|note| note.origin == Origin::Task) {
        return notes.of(kind).collect();
    }
    let modified = modified();
    notes.of(kind).filter(|note| assumable(terms, note, &modified)).collect()
}
