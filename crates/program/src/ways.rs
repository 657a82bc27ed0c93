//! The ways from a visit of a statement to the next one: what the loop of a lasso is made of.
//!
//! The walk starts in any state at the statement and passes through calls. It comes back when control is at the
//! statement again, in the same call or in a deeper one of the same procedure: what is below on the call stack is not
//! looked at, because a way that returns from the call it started in does not count. Where ways end without coming back
//! is noted as a [`Demand`] that cannot be met.
//!
//! Cycles that avoid the statement are treated in one of two manners ([`Cycles`]). Either they are abstracted by the
//! invariants and ranking functions at their heads: then everything that all ways need is said. Or they are unrolled a few
//! times, and ways that go on for longer are left out: then the ways that are found are real ones.

use crate::graph::Graph;
use crate::layout::Layout;
use crate::merge::{Fresh, State};
use crate::notes::Note;
use crate::program::{Procedure, Program};
use crate::rank::descends;
use crate::walk::substitute;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::term::{FunId, TermId, Terms};
use std::collections::BTreeSet;
use std::rc::Rc;
use svlib::code::{Op, Pc};
use svlib::flow::{head_stmt, loops_among, visit_of};
use svlib::syntax::{ProcId, PropertyKind, StmtId};

/// What is done about cycles that avoid the statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cycles {
    /// They are abstracted by their annotations.
    Abstracted,
    /// They are unrolled so many times at most.
    Unrolled(usize),
}

/// What a demand is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The way does not return from the call it started in.
    Stays,
    /// An assumption does not cut the way off.
    Passes,
    /// The way does not visit what it has to avoid.
    Avoids,
    /// An invariant on the way holds.
    Invariant,
    /// A ranking function of a loop on the way decreases.
    Decreases,
    /// What was assumed at the beginning holds again when the way comes back.
    Again,
}

/// Something that has to hold so that all ways come back.
#[derive(Clone, Debug)]
pub struct Demand {
    /// Where.
    pub stmt: StmtId,
    /// What.
    pub what: What,
    /// The condition under which control is there.
    pub guard: TermId,
    /// What has to hold.
    pub goal: TermId,
}

/// The ways from a statement back to it.
#[derive(Default)]
pub struct Ways {
    /// What holds at the beginning.
    pub start: Vec<TermId>,
    /// Each variable at the beginning, with the constant that stands for its value; those that no way changes are
    /// marked.
    pub values: Vec<(FunId, TermId, bool)>,
    /// What all ways need in order to come back.
    pub demands: Vec<Demand>,
    /// The condition of coming back, and what holds then; none when no way does.
    pub back: Option<(TermId, Vec<TermId>)>,
    /// For each Boolean constant that stands for ways that meet: the implication that says what it means.
    pub definitions: FxHashMap<TermId, TermId>,
    /// What is not covered; if there is something, nothing is known about all ways.
    pub open: Vec<String>,
}

/// The statement at which ways begin and end.
#[derive(Clone, Debug)]
pub struct Head<'h> {
    /// The statement.
    pub stmt: StmtId,
    /// What is assumed at the beginning and demanded at the end.
    pub holds: &'h [TermId],
    /// What must not be visited on the way.
    pub avoid: &'h [StmtId],
}

/// So many instructions are walked at most.
const MANY_STEPS: usize = 20_000;
/// So many calls are open at most.
const MANY_CALLS: usize = 40;

/// The ways from a statement back to it; none when it is never visited. The annotations of the program that are used
/// are invariants and ranking functions at the heads of other loops.
#[must_use]
pub fn ways(terms: &mut Terms, program: &Program<'_>, head: &Head<'_>, cycles: Cycles) -> Option<Ways> {
    let proc = program.proc(program.script.stmts[head.stmt].proc)?;
    let pc = visit_of(&proc.code, head.stmt)?;
    let mut search = Search {
        terms,
        program,
        head,
        place: (proc.id, pc),
        cycles,
        fresh: Fresh::default(),
        found: Ways::default(),
        back: Vec::new(),
        stack: Vec::new(),
        plans: FxHashMap::default(),
        steps: 0,
    };
    search.run(proc, pc);
    let Search { mut found, fresh, .. } = search;
    found.definitions = fresh.definitions;
    Some(found)
}

/// A procedure prepared for walking from an instruction: the statement is a dead end in it.
struct Plan {
    proc: Procedure,
    layout: Layout,
    graph: Graph,
    start: Pc,
}

/// A call that is being walked.
struct Frame {
    plan: Rc<Plan>,
    incoming: Vec<Vec<State>>,
    /// The states in which the call returns.
    exits: Vec<State>,
}

struct Search<'w, 's> {
    terms: &'w mut Terms,
    program: &'w Program<'s>,
    head: &'w Head<'w>,
    place: (ProcId, Pc),
    cycles: Cycles,
    fresh: Fresh,
    found: Ways,
    back: Vec<State>,
    /// The procedures of the open calls.
    stack: Vec<ProcId>,
    plans: FxHashMap<(ProcId, Pc), Rc<Plan>>,
    steps: usize,
}

impl Search<'_, '_> {
    fn run(&mut self, proc: &Procedure, pc: Pc) {
        let plan = self.plan(proc, pc + 1);
        let env: Vec<TermId> = plan.layout.variables.clone().iter().map(|&v| self.new_value(v)).collect();
        let mut state = State { guard: TermId::TRUE, facts: 0, env: Rc::new(env) };
        let first = state.env.clone();
        take_snapshots(&plan.layout, self.head.stmt, &mut state);
        self.found.start =
            self.head.holds.iter().map(|&term| self.eval(&plan.layout, &state, term)).collect();
        if let Some(end) = self.call(&plan, state) {
            self.demand(proc.body, What::Stays, &end, TermId::FALSE);
        }
        let back = std::mem::take(&mut self.back);
        let back = self.fresh.merge(self.terms, back, &plan.layout.variables);
        let changed = self.program.changed_around(proc, pc);
        for (slot, &variable) in plan.layout.variables.iter().enumerate() {
            let kept = match &back {
                Some(back) => back.env[slot] == first[slot],
                None => changed.as_ref().is_some_and(|changed| !changed.contains(&variable)),
            };
            self.found.values.push((variable, first[slot], kept));
        }
        let Some(mut back) = back else { return };
        take_snapshots(&plan.layout, self.head.stmt, &mut back);
        let again: Vec<TermId> =
            self.head.holds.iter().map(|&term| self.eval(&plan.layout, &back, term)).collect();
        for &goal in &again {
            self.demand(self.head.stmt, What::Again, &back, goal);
        }
        self.found.back = Some((back.guard, again));
    }

    fn plan(&mut self, proc: &Procedure, start: Pc) -> Rc<Plan> {
        if let Some(plan) = self.plans.get(&(proc.id, start)) {
            return plan.clone();
        }
        let mut proc = proc.clone();
        if proc.id == self.place.0 {
            proc.code.instrs[self.place.1].op = Op::Return;
        }
        let (script, notes) = (self.program.script, |stmt| self.program.notes(stmt));
        let wanted = |pc| {
            head_stmt(script, &proc.code, pc).is_some_and(|stmt| notes(stmt).has(PropertyKind::Invariant))
        };
        let loops = loops_among(&proc.code, start, &|_| true, &wanted);
        let layout = Layout::of(self.terms, self.program, &proc, &[]);
        let graph = Graph::plain(&proc, loops);
        let plan = Rc::new(Plan { proc, layout, graph, start });
        self.plans.insert((plan.proc.id, start), plan.clone());
        plan
    }

    /// Walks a call; the states in which it returns.
    fn call(&mut self, plan: &Rc<Plan>, state: State) -> Option<State> {
        self.stack.push(plan.proc.id);
        let incoming = vec![Vec::new(); plan.proc.code.instrs.len()];
        let mut frame = Frame { plan: plan.clone(), incoming, exits: Vec::new() };
        self.go(&mut frame, None, plan.start, state);
        let rounds = match self.cycles {
            Cycles::Abstracted => 1,
            Cycles::Unrolled(rounds) => rounds,
        };
        for _ in 0..rounds {
            for &pc in &plan.graph.order {
                let states = std::mem::take(&mut frame.incoming[pc]);
                let Some(state) = self.fresh.merge(self.terms, states, &plan.layout.variables) else {
                    continue;
                };
                self.steps += 1;
                if self.steps > MANY_STEPS {
                    self.open("the way from the statement back to it is too long");
                    break;
                }
                let state = match plan.graph.loops.headed(pc) {
                    Some(number) if self.cycles == Cycles::Abstracted => self.any_round(plan, number, state),
                    _ => Some(state),
                };
                if let Some(state) = state {
                    self.execute(&mut frame, pc, state);
                }
            }
        }
        if frame.incoming.iter().any(|states| !states.is_empty()) {
            self.open("ways from the statement that are very long are left out");
        }
        self.stack.pop();
        self.fresh.merge(self.terms, frame.exits, &plan.layout.variables)
    }

    fn open(&mut self, reason: &str) {
        if !self.found.open.iter().any(|old| old == reason) {
            self.found.open.push(reason.into());
        }
    }

    // ---- states

    fn new_value(&mut self, variable: FunId) -> TermId {
        let (name, sort) = (self.terms.fun_name(variable).to_string(), self.terms.fun(variable).result);
        self.fresh.constant(self.terms, &name, sort)
    }

    fn eval(&mut self, layout: &Layout, state: &State, term: TermId) -> TermId {
        substitute(self.terms, &mut self.fresh, term, &|fun| layout.slot(fun).map(|slot| state.env[slot]))
    }

    fn demand(&mut self, stmt: StmtId, what: What, state: &State, goal: TermId) {
        if goal != TermId::TRUE && state.guard != TermId::FALSE {
            self.found.demands.push(Demand { stmt, what, guard: state.guard, goal });
        }
    }

    /// Any state in which the head of a loop may be; none when nobody says that the loop ends.
    fn any_round(&mut self, plan: &Plan, number: usize, mut state: State) -> Option<State> {
        let (program, layout) = (self.program, &plan.layout);
        let inside = &plan.graph.loops.loops[number];
        let stmt = head_stmt(program.script, &plan.proc.code, inside.head);
        let ranked = stmt.filter(|&stmt| program.notes(stmt).ranks().next().is_some());
        let Some(stmt) = ranked else {
            self.open("a loop on the way from the statement back to it has no ranking function");
            return None;
        };
        let mut slots: BTreeSet<usize> =
            program.targets(&plan.proc, &inside.nodes).into_iter().filter_map(|v| layout.slot(v)).collect();
        for &pc in &inside.nodes {
            let instr = &plan.proc.code.instrs[pc];
            if instr.op == Op::Visit {
                slots.extend(layout.taken_at(instr.stmt).map(|taken| taken.0));
            }
        }
        for slot in slots {
            let value = self.new_value(layout.variables[slot]);
            state.set(slot, value);
        }
        take_snapshots(layout, stmt, &mut state);
        for note in program.notes(stmt).of(PropertyKind::Invariant) {
            for &term in &note.terms {
                let formula = self.eval(layout, &state, term);
                state.assume(self.terms, formula);
            }
        }
        Some(state)
    }

    // ---- steps

    fn go(&mut self, frame: &mut Frame, from: Option<Pc>, to: Pc, mut state: State) {
        if state.guard == TermId::FALSE {
            return;
        }
        let plan = frame.plan.clone();
        if (plan.proc.id, to) == self.place {
            return self.back.push(state);
        }
        if self.cycles != Cycles::Abstracted {
            return frame.incoming[to].push(state);
        }
        let loops = &plan.graph.loops;
        let within = |number: usize| from.is_some_and(|from| loops.loops[number].contains(from));
        if let Some(number) = loops.headed(to)
            && let Some(stmt) = head_stmt(self.program.script, &plan.proc.code, to)
        {
            self.arrive(&plan, stmt, within(number), &mut state);
        }
        for number in loops.around(to).filter(|&number| !within(number)) {
            frame.incoming[loops.loops[number].head].push(state.clone());
        }
        if loops.headed(to).is_none() {
            frame.incoming[to].push(state);
        }
    }

    /// Control comes to the head of a loop on the way.
    fn arrive(&mut self, plan: &Plan, stmt: StmtId, back: bool, state: &mut State) {
        let program = self.program;
        if back {
            for note in program.notes(stmt).ranks() {
                self.rank(plan, stmt, note, state);
            }
        }
        let mut here = state.clone();
        take_snapshots(&plan.layout, stmt, &mut here);
        for note in program.notes(stmt).of(PropertyKind::Invariant) {
            for &term in &note.terms {
                let goal = self.eval(&plan.layout, &here, term);
                self.demand(stmt, What::Invariant, state, goal);
            }
        }
    }

    fn rank(&mut self, plan: &Plan, stmt: StmtId, note: &Note, state: &State) {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for &term in &note.terms {
            new.push(self.eval(&plan.layout, state, term));
            let before = plan.layout.at_visit(self.terms, stmt, term);
            old.push(self.eval(&plan.layout, state, before));
        }
        let goal = descends(self.terms, &old, &new);
        self.demand(stmt, What::Decreases, state, goal);
    }

    fn execute(&mut self, frame: &mut Frame, pc: Pc, mut state: State) {
        let plan = frame.plan.clone();
        let (layout, instr) = (&plan.layout, &plan.proc.code.instrs[pc]);
        match &instr.op {
            Op::Begin | Op::End => {}
            Op::Visit => {
                if self.head.avoid.contains(&instr.stmt) {
                    return self.demand(instr.stmt, What::Avoids, &state, TermId::FALSE);
                }
                take_snapshots(layout, instr.stmt, &mut state);
            }
            Op::Assume(term) => {
                let holds = self.eval(layout, &state, *term);
                self.demand(instr.stmt, What::Passes, &state, holds);
                state.assume(self.terms, holds);
            }
            Op::Assign(pairs) => {
                let values: Vec<TermId> =
                    pairs.iter().map(|pair| self.eval(layout, &state, pair.1)).collect();
                for (pair, value) in pairs.iter().zip(values) {
                    assign(self.terms, layout, &mut state, pair.0, value);
                }
            }
            Op::Havoc(variables) => {
                for &variable in variables {
                    let value = self.new_value(variable);
                    assign(self.terms, layout, &mut state, variable, value);
                }
            }
            Op::Branch(condition, target) => {
                let condition = self.eval(layout, &state, *condition);
                let mut other = state.clone();
                let negated = self.terms.not(condition);
                other.assume(self.terms, negated);
                self.go(frame, Some(pc), *target, other);
                state.assume(self.terms, condition);
            }
            Op::Jump(target) => return self.go(frame, Some(pc), *target, state),
            Op::Choice(targets) => {
                for &target in targets {
                    self.go(frame, Some(pc), target, state.clone());
                }
                return;
            }
            Op::Call(callee, args, results) => match self.enter(layout, *callee, args, results, state) {
                Some(after) => state = after,
                None => return,
            },
            Op::Return => return frame.exits.push(state),
        }
        self.go(frame, Some(pc), pc + 1, state);
    }

    /// Walks through a call; the states after it.
    fn enter(
        &mut self,
        layout: &Layout,
        callee: ProcId,
        args: &[TermId],
        results: &[FunId],
        mut state: State,
    ) -> Option<State> {
        let callee = self.program.proc(callee)?;
        let open = self.stack.iter().filter(|&&proc| proc == callee.id).count();
        // In the procedure of the statement a second call may come to it, a third one would be recursion without it.
        let allowed = if callee.id == self.place.0 { 2 } else { 1 };
        if open >= allowed || self.stack.len() >= MANY_CALLS {
            self.open("there is recursion on the way from the statement back to it");
            return None;
        }
        let plan = self.plan(callee, 0);
        let variables = plan.layout.variables.clone();
        let env: Vec<TermId> = variables.iter().map(|&v| self.new_value(v)).collect();
        let mut inside = State { guard: state.guard, facts: state.facts, env: Rc::new(env) };
        for &global in &self.program.globals {
            if let (Some(from), Some(to)) = (layout.slot(global), plan.layout.slot(global)) {
                inside.set(to, state.env[from]);
            }
        }
        for (&input, &arg) in self.program.script.procs[callee.id].inputs.iter().zip(args) {
            let value = self.eval(layout, &state, arg);
            assign(self.terms, &plan.layout, &mut inside, input, value);
        }
        let after = self.call(&plan, inside)?;
        state.guard = after.guard;
        for &global in &self.program.globals {
            if let (Some(to), Some(from)) = (layout.slot(global), plan.layout.slot(global)) {
                state.set(to, after.env[from]);
            }
        }
        for (&result, &output) in results.iter().zip(&self.program.script.procs[callee.id].outputs) {
            if let Some(from) = plan.layout.slot(output) {
                assign(self.terms, layout, &mut state, result, after.env[from]);
            }
        }
        Some(state)
    }
}

fn assign(terms: &mut Terms, layout: &Layout, state: &mut State, variable: FunId, value: TermId) {
    let Some(slot) = layout.slot(variable) else { return };
    let sort = terms.fun(variable).result;
    let value = terms.coerce(value, sort).unwrap_or(value);
    state.set(slot, value);
}

fn take_snapshots(layout: &Layout, stmt: StmtId, state: &mut State) {
    for (slot, variable) in layout.taken_at(stmt).collect::<Vec<_>>() {
        if let Some(from) = layout.slot(variable) {
            let value = state.env[from];
            state.set(slot, value);
        }
    }
}

/// The constants of formulas that the beginning does not fix: decisions on the way, and where ways meet.
#[must_use]
pub fn decided(terms: &Terms, ways: &Ways, formulas: &[TermId]) -> Vec<TermId> {
    let given: FxHashSet<TermId> = ways.values.iter().map(|value| value.1).collect();
    let mut found = BTreeSet::new();
    for &formula in formulas {
        for constant in smt::subst::constants(terms, formula) {
            let is_ours = |fun: FunId| terms.fun_name(fun).starts_with('#');
            if !given.contains(&constant) && terms.applied(constant).is_some_and(is_ours) {
                found.insert(constant);
            }
        }
    }
    found.into_iter().collect()
}
