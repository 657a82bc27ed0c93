//! What a well-formed automaton is:
//!
//! - edges begin and end at its locations, and nothing leaves the exit;
//! - every location except the exit can be reached from the entry;
//! - the edges that leave a location are one, or all of them are assumptions (or assembly that jumps), and two
//!   assumptions about one condition are its two truth values;
//! - edges to the exit are `Return` and `FallOff` and no others are; each of them is an exit of its kind;
//! - nothing leaves the end of a call that does not return;
//! - every cycle goes through a loop head.

use super::{Cfa, ExitKind, LocId, Op};
use base::id::Id;

impl Cfa {
    /// The rules that are violated, as sentences.
    #[must_use]
    pub fn verify(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        self.verify_edges(&mut wrong);
        self.verify_choices(&mut wrong);
        self.verify_exits(&mut wrong);
        self.verify_cycles(&mut wrong);
        wrong
    }

    fn verify_edges(&self, wrong: &mut Vec<String>) {
        for (id, edge) in self.edges.iter_enumerated() {
            if edge.from.index() >= self.locations || edge.to.index() >= self.locations {
                wrong.push(format!("edge {} leads outside", id.index()));
            }
            let ends = matches!(edge.op, Op::Return(_) | Op::FallOff);
            if ends != (edge.to == self.exit) {
                wrong.push(format!("edge {} and the exit do not fit", id.index()));
            }
        }
        if !self.leaving(self.exit).is_empty() {
            wrong.push("something leaves the exit".into());
        }
        let mut seen = vec![false; self.locations];
        let mut todo = vec![self.entry];
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut seen[at.index()], true) {
                todo.extend(self.leaving(at).iter().map(|&edge| self.edges[edge].to));
            }
        }
        let lost = (0..self.locations).find(|&at| !seen[at] && at != self.exit.index());
        wrong.extend(lost.map(|at| format!("location {at} cannot be reached")));
    }

    fn verify_choices(&self, wrong: &mut Vec<String>) {
        for at in (0..self.locations).map(LocId::from_index) {
            let ops: Vec<Op> = self.leaving(at).iter().map(|&edge| self.edges[edge].op).collect();
            let is_asm = ops.iter().any(|op| matches!(op, Op::Asm(_)));
            if ops.len() > 1 && !is_asm && !ops.iter().all(|op| op.is_assumption()) {
                wrong.push(format!("location {} chooses without conditions", at.index()));
            }
            if let [Op::Assume(a, x), Op::Assume(b, y)] = ops[..]
                && (a != b || x == y)
            {
                wrong.push(format!("location {} has conditions that do not exclude each other", at.index()));
            }
        }
    }

    fn verify_exits(&self, wrong: &mut Vec<String>) {
        let ends = self.edges.iter().filter(|edge| matches!(edge.op, Op::Return(_) | Op::FallOff)).count();
        let mut listed = 0;
        for exit in &self.exits {
            let edge = &self.edges[exit.edge];
            let fits = match exit.kind {
                ExitKind::Return(stmt) => edge.op == Op::Return(stmt),
                ExitKind::FallOff => edge.op == Op::FallOff,
                ExitKind::Exit(call)
                | ExitKind::QuickExit(call)
                | ExitKind::Abort(call)
                | ExitKind::NoReturn(call) => edge.op == Op::Call(call) && self.leaving(edge.to).is_empty(),
            };
            listed += usize::from(edge.to == self.exit);
            if !fits {
                wrong.push(format!("edge {} is no exit of its kind", exit.edge.index()));
            }
        }
        if listed != ends {
            wrong.push(format!("{ends} edges return, {listed} exits say so"));
        }
    }

    /// Without its heads the automaton has no cycle: locations can be taken away one after the other.
    fn verify_cycles(&self, wrong: &mut Vec<String>) {
        let mut is_head = vec![false; self.locations];
        self.heads.iter().for_each(|head| is_head[head.at.index()] = true);
        let mut entering = vec![0usize; self.locations];
        let inner = |edge: &&super::Edge| !is_head[edge.to.index()];
        self.edges.iter().filter(inner).for_each(|edge| entering[edge.to.index()] += 1);
        let mut todo: Vec<usize> = (0..self.locations).filter(|&at| entering[at] == 0).collect();
        let mut taken = 0;
        while let Some(at) = todo.pop() {
            taken += 1;
            for &edge in self.leaving(LocId::from_index(at)) {
                let to = self.edges[edge].to.index();
                if is_head[to] {
                    continue;
                }
                entering[to] -= 1;
                if entering[to] == 0 {
                    todo.push(to);
                }
            }
        }
        if taken != self.locations {
            wrong.push("a cycle without a head".into());
        }
    }
}
