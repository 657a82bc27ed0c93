//! What is judged at annotated statements, and leaps: the symbolic side of what the interpreter does there.

use super::compiled::{Compiled, UNKNOWN};
use super::explore::{Call, Explorer, MOST_LEAPS, Node, Suspect};
use super::fold::{both, equal, junction};
use super::shape::{LeapPlan, Point, Rank};
use super::state::{Decision, Given, State};
use smt::op::Op;
use smt::term::TermId;
use std::rc::Rc;
use svlib::code::Pc;
use svlib::interp::Abstraction;
use svlib::syntax::StmtId;

impl Explorer<'_, '_> {
    pub(super) fn begin(&mut self, node: &Node, stmt: StmtId, mut state: State) {
        let shapes = self.shapes;
        let shape = &shapes.procs[node.call.proc];
        let Some(point) = shape.point(stmt) else { return self.go(node, node.pc + 1, state) };
        let is_entry = point.is_body && node.call.depth == 1;
        if is_entry && self.bounds.assumed {
            self.assume_all(&point.requires, &mut state);
        } else {
            self.judge(&point.requires, &mut state);
        }
        if node.call.hypothetical.contains(&stmt) {
            // Begun anew after a jump out of it; rare enough to leave it.
            self.found.cuts.push(state.guard);
            return;
        }
        if self.bounds.leaps
            && let Some(plan) = &point.leap
            && plan.kind == Abstraction::Contract
        {
            self.leap_by_contract(node, stmt, point, plan, &state);
        }
        if point.is_body && node.pc == 0 {
            self.measure(&node.call, &shape.measures, true, &mut state);
        }
        self.go(node, node.pc + 1, state);
    }

    pub(super) fn visit(&mut self, node: &Node, stmt: StmtId, mut state: State) {
        let shapes = self.shapes;
        let shape = &shapes.procs[node.call.proc];
        let Some(point) = shape.point(stmt) else { return self.go(node, node.pc + 1, state) };
        save(point, &mut state);
        self.judge(&point.invariants, &mut state);
        self.judge(&point.checks, &mut state);
        self.keep_ranks(&point.ranks, &mut state);
        if self.bounds.leaps
            && let Some(plan) = &point.leap
            && plan.kind == Abstraction::Invariant
        {
            // Every state in which the loop goes on is one that a leap can lead to, so there is no other way on, and
            // the next visit is only judged.
            if shape.loops.headed(node.pc).is_some() && node.is_again() {
                return;
            }
            state = self.leap(point, plan, state);
        }
        self.go(node, node.pc + 1, state);
    }

    pub(super) fn end(&mut self, node: &Node, stmt: StmtId, mut state: State) {
        let shapes = self.shapes;
        if let Some(point) = shapes.procs[node.call.proc].point(stmt) {
            self.judge(&point.ensures, &mut state);
        }
        if !node.call.hypothetical.contains(&stmt) {
            self.go(node, node.pc + 1, state);
        }
    }

    /// The inside of a statement from any state that its contract allows, up to its end.
    fn leap_by_contract(&mut self, node: &Node, stmt: StmtId, point: &Point, plan: &LeapPlan, state: &State) {
        let count = self.leapt.entry(stmt).or_default();
        *count += 1;
        if *count > MOST_LEAPS || state.is_empty() {
            return;
        }
        let shapes = self.shapes;
        let shape = &shapes.procs[node.call.proc];
        let begin = self.hypothetical(node, stmt);
        let Some(visit) = self.next(&begin, node.pc + 1, state.events) else { return };
        let mut state = self.leap(point, plan, state.clone());
        if point.is_body && node.pc == 0 {
            self.measure(&visit.call, &shape.measures, false, &mut state);
        }
        self.go(&visit, visit.pc + 1, state);
    }

    /// The visit of a statement in any state that its annotations allow.
    fn leap(&mut self, point: &Point, plan: &LeapPlan, mut state: State) -> State {
        let mut given = Given::new();
        for &(variable, slot) in &plan.variables {
            let value = self.found.book.arbitrary(self.terms, variable);
            state.set(slot, value);
            given.push((variable, value));
        }
        state.log = self.found.book.decide(state.log, Decision::Leap(plan.tag, given));
        state.events += 1;
        self.assume_all(&point.requires, &mut state);
        save(point, &mut state);
        self.assume_all(&point.invariants, &mut state);
        self.judge(&point.checks, &mut state);
        self.keep_ranks(&point.ranks, &mut state);
        state
    }

    fn assume_all(&mut self, formulas: &[Compiled], state: &mut State) {
        for formula in formulas {
            let formula = formula.eval(self.terms, &state.env);
            if formula != UNKNOWN {
                state.assume(self.terms, formula);
            }
        }
    }

    /// Suspects that one of the formulas is violated. Ways on which it is certainly end here.
    fn judge(&mut self, formulas: &[Compiled], state: &mut State) {
        for formula in formulas {
            let goal = formula.eval(self.terms, &state.env);
            if goal != UNKNOWN {
                self.suspect(goal, state);
            }
        }
    }

    fn suspect(&mut self, goal: TermId, state: &mut State) {
        if goal == TermId::TRUE {
            return;
        }
        let negated = self.terms.not(goal);
        let condition = both(self.terms, state.guard, negated);
        if condition != TermId::FALSE {
            self.found.suspects.push(Suspect { condition, log: state.log });
            state.events += 1;
        }
        if goal == TermId::FALSE {
            state.guard = TermId::FALSE;
        }
    }

    // ---- ranking functions

    fn rank(&mut self, rank: &Rank, state: &State) -> Vec<TermId> {
        rank.terms.iter().map(|term| term.eval(self.terms, &state.env)).collect()
    }

    fn keep_ranks(&mut self, ranks: &[Rank], state: &mut State) {
        for rank in ranks {
            for (i, value) in self.rank(rank, state).into_iter().enumerate() {
                state.set(rank.slot + i, value);
            }
        }
    }

    /// On the way back to a loop head: its ranking functions decreased since the last visit.
    pub(super) fn compare_ranks(&mut self, node: &Node, to: Pc, state: &mut State) {
        let shapes = self.shapes;
        let shape = &shapes.procs[node.call.proc];
        let instr = &shape.code().instrs[to];
        if instr.op != svlib::code::Op::Visit {
            return;
        }
        let ranks = shape.point(instr.stmt).map_or(&[][..], |point| &point.ranks);
        for rank in ranks.iter().filter(|rank| rank.back[node.pc]) {
            let old = state.env[rank.slot..rank.slot + rank.terms.len()].to_vec();
            let new = self.rank(rank, state);
            self.compare(&old, &new, state);
        }
    }

    fn compare(&mut self, old: &[TermId], new: &[TermId], state: &mut State) {
        if old.contains(&UNKNOWN) || new.contains(&UNKNOWN) {
            return;
        }
        let goal = self.descends(old, new);
        self.suspect(goal, state);
    }

    /// Some entries at the front are equal, the next one decreases and was not negative.
    fn descends(&mut self, old: &[TermId], new: &[TermId]) -> TermId {
        let zero = self.terms.int(0);
        let (mut cases, mut front) = (Vec::new(), TermId::TRUE);
        for (&old, &new) in old.iter().zip(new) {
            let positive = self.order(Op::Le, zero, old);
            let smaller = self.order(Op::Lt, new, old);
            cases.push(junction(self.terms, Op::And, &[front, positive, smaller]));
            let same = equal(self.terms, new, old);
            front = both(self.terms, front, same);
        }
        junction(self.terms, Op::Or, &cases)
    }

    /// Ranking functions are integers; anything else was refused by the reader.
    fn order(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let Ok(term) = self.terms.app(op, &[a, b]) else { return TermId::TRUE };
        let args = self.terms.args(term).to_vec();
        super::fold::apply(self.terms, term, &args)
    }

    /// At the entry of a procedure: its ranking functions are below those of the recursive caller.
    fn measure(&mut self, call: &Rc<Call>, measures: &[Rank], compared: bool, state: &mut State) {
        for (i, rank) in measures.iter().enumerate() {
            let new = self.rank(rank, state);
            let old = call.measured.as_ref().filter(|_| compared).and_then(|list| list.get(i)).cloned();
            if let Some(old) = old {
                self.compare(&old, &new, state);
            }
            for (i, value) in new.into_iter().enumerate() {
                state.set(rank.slot + i, value);
            }
        }
    }

    /// The values that the ranking functions of a called procedure have to go below.
    pub(super) fn measured_by(
        &self,
        node: &Node,
        callee: usize,
        state: &State,
    ) -> Option<Rc<Vec<Vec<TermId>>>> {
        let (caller, callee) = (&self.shapes.procs[node.call.proc], &self.shapes.procs[callee]);
        if caller.proc.component != callee.proc.component {
            return None;
        }
        if caller.measures.is_empty() {
            return node.call.measured.clone();
        }
        let values =
            caller.measures.iter().map(|rank| state.env[rank.slot..rank.slot + rank.terms.len()].to_vec());
        Some(Rc::new(values.collect()))
    }
}

/// Remembers what variables are at this visit.
fn save(point: &Point, state: &mut State) {
    for (source, targets) in &point.saves {
        let value = state.env[*source];
        for &target in targets {
            state.set(target, value);
        }
    }
}
