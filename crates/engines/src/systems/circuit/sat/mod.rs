//! A SAT solver for the questions of IC3: very many, each about a small part of a large circuit.
//!
//! A question names the variables that it is about, its domain; no other variable gets a value above level 0. Where what is
//! left out is a circuit, whose gates have values whatever those of the domain are, the answer is the same as about everything.
//! A clause may be for one question only. Variables are the nodes of the circuit by their numbers, and switches after them.

mod analyze;
mod clauses;
mod order;
mod search;
#[cfg(test)]
mod tests;

use super::super::session::Stopped;
use base::budget::Budget;
use clauses::{Clause, Clauses};
use order::Order;
use ts::aig::{Aig, Lit, Node};

/// A clause that can be taken back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Handle(u32);

#[derive(Clone, Copy)]
struct Watch {
    clause: Clause,
    /// A literal of the clause; if it holds, the clause need not be looked at.
    other: Lit,
}

/// The solver.
pub(super) struct Sat {
    budget: Budget,
    clauses: Clauses,
    /// The clauses to look at when a literal becomes false, by its code.
    watches: Vec<Vec<Watch>>,
    /// By variable: 1 true, -1 false, 0 open.
    values: Vec<i8>,
    levels: Vec<u32>,
    reasons: Vec<Clause>,
    phases: Vec<bool>,
    order: Order,
    /// A variable is in the domain when it has the present number.
    domain: Vec<u32>,
    question: u32,
    trail: Vec<Lit>,
    /// Where the levels begin.
    marks: Vec<usize>,
    head: usize,
    seen: Vec<bool>,
    learnt: Vec<Clause>,
    most_learnt: usize,
    /// What was learnt is in another order than before the question.
    is_reduced: bool,
    handles: Vec<Clause>,
    /// Switches the clause that is for one question.
    once: Option<Lit>,
    /// The assumptions that the last answer, which was no, needs.
    core: Vec<Lit>,
    contradiction: bool,
    conflicts: u32,
    looked: u32,
}

impl Sat {
    /// With the gates that matter.
    pub(super) fn new(aig: &Aig, needed: &[bool], budget: &Budget) -> Sat {
        let mut sat = Sat {
            budget: budget.clone(),
            clauses: Clauses::default(),
            watches: Vec::new(),
            values: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            phases: Vec::new(),
            order: Order::default(),
            domain: Vec::new(),
            question: 0,
            trail: Vec::new(),
            marks: Vec::new(),
            head: 0,
            seen: Vec::new(),
            learnt: Vec::new(),
            most_learnt: search::KEEP,
            is_reduced: false,
            handles: Vec::new(),
            once: None,
            core: Vec::new(),
            contradiction: false,
            conflicts: 0,
            looked: 0,
        };
        sat.resize(aig.nodes().len());
        sat.clause(&[Lit::TRUE]);
        for (number, node) in aig.nodes().iter().enumerate().filter(|(number, _)| needed[*number]) {
            if let Node::And(a, b) = *node {
                let gate = Lit::new(number as u32, false);
                sat.clause(&[!gate, a]);
                sat.clause(&[!gate, b]);
                sat.clause(&[gate, !a, !b]);
            }
        }
        sat
    }

    fn resize(&mut self, variables: usize) {
        self.watches.resize_with(2 * variables, Vec::new);
        self.values.resize(variables, 0);
        self.levels.resize(variables, 0);
        self.reasons.resize(variables, Clause::NONE);
        self.phases.resize(variables, false);
        self.domain.resize(variables, 0);
        self.seen.resize(variables, false);
        self.order.resize(variables);
    }

    /// A new variable.
    pub(super) fn fresh(&mut self) -> Lit {
        let lit = Lit::new(self.values.len() as u32, false);
        self.resize(self.values.len() + 1);
        lit
    }

    /// A clause for all questions from now on.
    pub(super) fn clause(&mut self, lits: &[Lit]) {
        self.add(lits, false);
    }

    /// A clause for all questions until it is taken back.
    pub(super) fn removable(&mut self, lits: &[Lit]) -> Option<Handle> {
        let clause = self.add(lits, false)?;
        self.handles.push(clause);
        Some(Handle(self.handles.len() as u32 - 1))
    }

    /// Takes back a clause. What was learnt from it stays, so it must follow from what remains.
    pub(super) fn remove(&mut self, handle: Handle) {
        let clause = std::mem::replace(&mut self.handles[handle.0 as usize], Clause::NONE);
        if clause != Clause::NONE {
            self.leave();
            self.clauses.delete(clause);
        }
    }

    /// Adds a clause at level 0; its place unless it is a single literal, holds already or contradicts what is known. A clause
    /// with a switch is never made shorter than that.
    fn add(&mut self, lits: &[Lit], keep_switch: bool) -> Option<Clause> {
        self.leave();
        let mut open: Vec<Lit> = lits.to_vec();
        open.sort_unstable();
        open.dedup();
        let holds = |pair: &[Lit]| pair[0] == !pair[1];
        if open.windows(2).any(holds) || open.iter().any(|&lit| self.value(lit) > 0) {
            return None;
        }
        open.retain(|&lit| self.value(lit) == 0);
        match open[..] {
            [] => self.contradiction = true,
            [single] => {
                debug_assert!(!keep_switch, "a switch is no fact");
                self.enqueue(single, Clause::NONE);
                self.contradiction |= self.propagate().is_some();
            }
            _ => {
                let clause = self.clauses.add(&open, None);
                self.watch(clause);
                return Some(clause);
            }
        }
        None
    }

    fn watch(&mut self, clause: Clause) {
        let (first, second) = (self.clauses.lit(clause, 0), self.clauses.lit(clause, 1));
        self.watches[first.code() as usize].push(Watch { clause, other: second });
        self.watches[second.code() as usize].push(Watch { clause, other: first });
    }

    /// The value of a literal: positive for true, negative for false, zero for none.
    fn value(&self, lit: Lit) -> i8 {
        let value = self.values[lit.node() as usize];
        if lit.is_negated() { -value } else { value }
    }

    /// True when the literal holds in the last answer, which was yes.
    pub(super) fn holds(&self, lit: Lit) -> bool {
        self.value(lit) > 0
    }

    /// True when the last answer, which was no, needs this assumption.
    pub(super) fn needs(&self, lit: Lit) -> bool {
        self.core.binary_search(&lit).is_ok()
    }

    /// True when the clauses are satisfiable together with the assumptions and one more clause, as far as the domain goes.
    /// Variables of assumptions and of the clause belong to it.
    pub(super) fn is_sat(
        &mut self,
        assumptions: &[Lit],
        once: Option<&[Lit]>,
        domain: &[u32],
    ) -> Result<bool, Stopped> {
        self.leave();
        self.core.clear();
        self.collect();
        let mut all = Vec::with_capacity(assumptions.len() + 1);
        let mut temporary = None;
        if let Some(lits) = once
            && lits.iter().all(|&lit| self.value(lit) <= 0)
        {
            if lits.iter().all(|&lit| self.value(lit) < 0) {
                return Ok(false);
            }
            let switch = self.switch();
            all.push(switch);
            temporary = self.add(&[&[!switch], lits].concat(), true);
        }
        all.extend(assumptions);
        self.enter(&all, once.unwrap_or(&[]), domain);
        let before = self.learnt.len();
        self.is_reduced = false;
        let answer = if self.contradiction { Ok(false) } else { self.search(&all) };
        if let Some(clause) = temporary {
            self.clauses.delete(clause);
            self.forget_since(before, all[0]);
        }
        answer
    }

    /// The same without a further clause, unless there are more conflicts.
    pub(super) fn decides(
        &mut self,
        assumptions: &[Lit],
        domain: &[u32],
        conflicts: u64,
    ) -> Result<Option<bool>, Stopped> {
        self.leave();
        self.core.clear();
        self.collect();
        self.enter(assumptions, &[], domain);
        if self.contradiction { Ok(Some(false)) } else { self.round(assumptions, conflicts) }
    }

    /// A switch for one question; it serves again until it is known to be off.
    fn switch(&mut self) -> Lit {
        match self.once {
            Some(lit) if self.value(lit) == 0 => lit,
            _ => {
                let lit = self.fresh();
                self.once = Some(lit);
                lit
            }
        }
    }

    /// Sets the domain of a question.
    fn enter(&mut self, assumptions: &[Lit], once: &[Lit], domain: &[u32]) {
        self.question += 1;
        self.order.clear();
        let named = assumptions.iter().chain(once).map(|lit| lit.node());
        for var in domain.iter().copied().chain(named) {
            self.domain[var as usize] = self.question;
            if self.values[var as usize] == 0 {
                self.order.insert(var);
            }
        }
    }

    fn is_inside(&self, lit: Lit) -> bool {
        self.domain[lit.node() as usize] == self.question || self.marks.is_empty()
    }

    /// Deletes what was learnt with a switch.
    fn forget_since(&mut self, before: usize, switch: Lit) {
        let before = if self.is_reduced { 0 } else { before };
        let mut kept = before;
        for at in before..self.learnt.len() {
            let clause = self.learnt[at];
            if self.clauses.lits(clause).any(|lit| lit == !switch) {
                self.clauses.delete(clause);
            } else {
                self.learnt[kept] = clause;
                kept += 1;
            }
        }
        self.learnt.truncate(kept);
    }

    fn enqueue(&mut self, lit: Lit, reason: Clause) {
        let var = lit.node() as usize;
        self.values[var] = if lit.is_negated() { -1 } else { 1 };
        self.levels[var] = self.marks.len() as u32;
        self.reasons[var] = reason;
        self.trail.push(lit);
    }

    fn backtrack(&mut self, level: usize) {
        let Some(&start) = self.marks.get(level) else { return };
        for at in start..self.trail.len() {
            let var = self.take_back(at);
            self.order.insert(var);
        }
        self.cut(level, start);
    }

    /// Goes back to level 0, where the question ends: nothing is left to decide.
    fn leave(&mut self) {
        let Some(&start) = self.marks.first() else { return };
        self.order.clear();
        for at in start..self.trail.len() {
            self.take_back(at);
        }
        self.cut(0, start);
    }

    fn take_back(&mut self, at: usize) -> u32 {
        let lit = self.trail[at];
        self.values[lit.node() as usize] = 0;
        self.phases[lit.node() as usize] = !lit.is_negated();
        lit.node()
    }

    fn cut(&mut self, level: usize, start: usize) {
        self.trail.truncate(start);
        self.marks.truncate(level);
        self.head = start;
    }

    /// Draws all conclusions; a clause that does not hold, if there is one.
    fn propagate(&mut self) -> Option<Clause> {
        while let Some(&lit) = self.trail.get(self.head) {
            self.head += 1;
            let wrong = !lit;
            let mut watches = std::mem::take(&mut self.watches[wrong.code() as usize]);
            let (mut kept, mut conflict) = (0, None);
            for at in 0..watches.len() {
                let watch = watches[at];
                let stays =
                    if conflict.is_some() || self.value(watch.other) > 0 || !self.is_inside(watch.other) {
                        Some(watch)
                    } else {
                        self.visit(watch.clause, wrong, &mut conflict)
                    };
                if let Some(watch) = stays {
                    watches[kept] = watch;
                    kept += 1;
                }
            }
            watches.truncate(kept);
            // A clause never moves its watch to the literal that made it look.
            self.watches[wrong.code() as usize] = watches;
            if conflict.is_some() {
                self.head = self.trail.len();
                return conflict;
            }
        }
        None
    }

    /// Looks at a clause of which a watched literal became false; the watch that stays there, unless it moved.
    fn visit(&mut self, clause: Clause, wrong: Lit, conflict: &mut Option<Clause>) -> Option<Watch> {
        if self.clauses.is_deleted(clause) {
            return None;
        }
        if self.clauses.lit(clause, 0) == wrong {
            self.clauses.swap(clause, 0, 1);
        }
        let first = self.clauses.lit(clause, 0);
        let stays = Some(Watch { clause, other: first });
        if self.value(first) > 0 {
            return stays;
        }
        for position in 2..self.clauses.len(clause) {
            let lit = self.clauses.lit(clause, position);
            if self.value(lit) >= 0 {
                self.clauses.swap(clause, 1, position);
                self.watches[lit.code() as usize].push(Watch { clause, other: first });
                return None;
            }
        }
        if self.value(first) < 0 {
            *conflict = Some(clause);
        } else if self.is_inside(first) {
            self.enqueue(first, clause);
        }
        stays
    }
}
