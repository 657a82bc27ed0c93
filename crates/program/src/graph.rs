//! The order in which code without its back edges is walked.

use crate::program::{Procedure, Program};
use svlib::code::{Op, Pc};
use svlib::flow::Loops;
use svlib::syntax::{PropertyKind, StmtId};

/// A statement (not a body) whose contract replaces it for what comes after.
#[derive(Clone, Debug)]
pub(crate) struct Replaced {
    /// Its statement.
    pub(crate) stmt: StmtId,
    /// The instruction that ends it.
    pub(crate) end: Pc,
}

/// What is known about the code of a procedure before it is walked.
pub(crate) struct Graph {
    /// The loops, each with the head that is cut.
    pub(crate) loops: Loops,
    /// All reachable instructions, each after those from which control comes to it.
    pub(crate) order: Vec<Pc>,
    /// For each `begin` of a statement with a contract what it means.
    pub(crate) replaced: Vec<Option<Replaced>>,
}

impl Graph {
    pub(crate) fn of(program: &Program<'_>, proc: &Procedure, is_root: &dyn Fn(Pc) -> bool) -> Graph {
        let loops = program.loops(proc, is_root);
        let replaced = replaced(program, proc, &loops);
        let mut graph = Graph { loops, order: Vec::new(), replaced };
        graph.order = graph.sorted(proc);
        graph
    }

    /// True when every reachable instruction is walked. The cut code has no cycles, so it always is; if not, conditions
    /// would be missing.
    pub(crate) fn is_complete(&self) -> bool {
        self.order.len() == self.loops.reachable.iter().filter(|&&reached| reached).count()
    }

    /// The same for given loops, with every statement passed through.
    pub(crate) fn plain(proc: &Procedure, loops: Loops) -> Graph {
        let replaced = vec![None; proc.code.instrs.len()];
        let mut graph = Graph { loops, order: Vec::new(), replaced };
        graph.order = graph.sorted(proc);
        graph
    }

    /// True when the `end` at `pc` is not passed, because the contract stands for the statement.
    pub(crate) fn stops_at(&self, pc: Pc) -> bool {
        self.replaced.iter().flatten().any(|replaced| replaced.end == pc)
    }

    /// Where a walk goes on from an instruction: the successors, and behind a statement with a contract.
    fn next(&self, proc: &Procedure, pc: Pc) -> Vec<Pc> {
        if self.stops_at(pc) {
            return Vec::new();
        }
        let mut next = proc.code.successors(pc);
        next.extend(self.replaced[pc].as_ref().map(|replaced| replaced.end + 1));
        next
    }

    /// The instructions that are walked after `from` because of a step to `to`.
    fn edges(&self, from: Pc, to: Pc) -> Vec<Pc> {
        let loops = &self.loops;
        let entered = loops.around(to).filter(|&number| !loops.loops[number].contains(from));
        let mut targets: Vec<Pc> = entered.map(|number| loops.loops[number].head).collect();
        if loops.headed(to).is_none() {
            targets.push(to);
        }
        targets
    }

    fn sorted(&self, proc: &Procedure) -> Vec<Pc> {
        let count = proc.code.instrs.len();
        let mut waiting = vec![0usize; count];
        let mut targets: Vec<Vec<Pc>> = vec![Vec::new(); count];
        for pc in (0..count).filter(|&pc| self.loops.reachable[pc]) {
            for to in self.next(proc, pc) {
                for target in self.edges(pc, to) {
                    targets[pc].push(target);
                    waiting[target] += 1;
                }
            }
        }
        let reachable = |pc: &Pc| self.loops.reachable[*pc];
        let mut ready: Vec<Pc> = (0..count).rev().filter(reachable).filter(|&pc| waiting[pc] == 0).collect();
        let mut order = Vec::new();
        while let Some(pc) = ready.pop() {
            order.push(pc);
            for &target in &targets[pc] {
                waiting[target] -= 1;
                if waiting[target] == 0 {
                    ready.push(target);
                }
            }
        }
        order
    }
}

/// The statements that are replaced by their contracts: they promise something, and control comes into them only by
/// their beginning. (What is entered from the side is passed through, with what its annotations say added.)
fn replaced(program: &Program<'_>, proc: &Procedure, loops: &Loops) -> Vec<Option<Replaced>> {
    let code = &proc.code;
    let mut found: Vec<Option<Replaced>> = vec![None; code.instrs.len()];
    for (begin, instr) in code.instrs.iter().enumerate() {
        if instr.op != Op::Begin || instr.stmt == proc.body {
            continue;
        }
        if !program.notes(instr.stmt).has(PropertyKind::Ensures) {
            continue;
        }
        let ends = |pc: &Pc| code.instrs[*pc].stmt == instr.stmt && code.instrs[*pc].op == Op::End;
        let Some(end) = (begin..code.instrs.len()).find(ends) else { continue };
        // From a statement that never ends nothing comes after it.
        if !loops.reachable[end] {
            continue;
        }
        let inside = begin + 1..=end;
        let from_outside = (0..code.instrs.len()).filter(|pc| *pc != begin && !inside.contains(pc));
        let jumps_in = |pc: Pc| code.successors(pc).iter().any(|to| inside.contains(to));
        if !from_outside.into_iter().any(jumps_in) {
            found[begin] = Some(Replaced { stmt: instr.stmt, end });
        }
    }
    found
}
