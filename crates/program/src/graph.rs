//! The order in which code without its back edges is walked.

use crate::program::{Procedure, Program};
use svlib::code::{Op, Pc};
use svlib::flow::Loops;
use svlib::syntax::PropertyKind;

/// What is known about the code of a procedure before it is walked.
pub(crate) struct Graph {
    /// The loops, each with the head that is cut.
    pub(crate) loops: Loops,
    /// All reachable instructions, each after those from which control comes to it.
    pub(crate) order: Vec<Pc>,
    /// For the `begin` of a statement (not a body) whose contract replaces it for what comes after: its `end`.
    pub(crate) replaced: Vec<Option<Pc>>,
    /// Marks the `end`s that are not passed, because the contract stands for the statement.
    pub(crate) stops: Vec<bool>,
}

impl Graph {
    pub(crate) fn of(program: &Program<'_>, proc: &Procedure, is_root: &dyn Fn(Pc) -> bool) -> Graph {
        let loops = program.loops(proc, is_root);
        let replaced = replaced(program, proc, &loops);
        let mut stops = vec![false; proc.code.instrs.len()];
        for &end in replaced.iter().flatten() {
            stops[end] = true;
        }
        let mut graph = Graph { loops, order: Vec::new(), replaced, stops };
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
        let count = proc.code.instrs.len();
        let mut graph =
            Graph { loops, order: Vec::new(), replaced: vec![None; count], stops: vec![false; count] };
        graph.order = graph.sorted(proc);
        graph
    }

    /// Where a walk goes on from an instruction: the successors, and behind a statement with a contract.
    fn next(&self, proc: &Procedure, pc: Pc) -> Vec<Pc> {
        if self.stops[pc] {
            return Vec::new();
        }
        let mut next = proc.code.successors(pc);
        next.extend(self.replaced[pc].map(|end| end + 1));
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

/// The statements that are replaced by their contracts, from `begin` to `end`. They promise something, control can come
/// to their end and comes into them only by their beginning, and no loop around them is cut inside: so the step over
/// them is the shortcut of a way that is there, and closes no cycle that has no head. (What is not replaced is passed
/// through, and what its annotations say holds afterwards.)
fn replaced(program: &Program<'_>, proc: &Procedure, loops: &Loops) -> Vec<Option<Pc>> {
    let code = &proc.code;
    let mut found: Vec<Option<Pc>> = vec![None; code.instrs.len()];
    // For each instruction the innermost statement with a promise that it is inside of, by its `begin`.
    let mut around: Vec<Option<Pc>> = vec![None; code.instrs.len()];
    let mut open: Vec<Pc> = Vec::new();
    for (pc, instr) in code.instrs.iter().enumerate() {
        around[pc] = open.last().copied();
        let promises = instr.stmt != proc.body && program.notes(instr.stmt).has(PropertyKind::Ensures);
        match instr.op {
            Op::Begin if promises => {
                found[pc] = proc.span_of(instr.stmt).map(|span| span.1);
                open.push(pc);
            }
            Op::End if promises => drop(open.pop()),
            _ => {}
        }
    }
    let contains = |begin: Pc, end: Option<Pc>, pc: Pc| begin <= pc && end.is_some_and(|end| pc <= end);
    let ends: Vec<Option<Pc>> = found.clone();
    for from in 0..code.instrs.len() {
        for to in code.successors(from) {
            let mut inside = around[to];
            while let Some(begin) = inside.filter(|&begin| !contains(begin, ends[begin], from)) {
                found[begin] = None;
                inside = around[begin];
            }
        }
    }
    for l in &loops.loops {
        let mut inside = around[l.head];
        while let Some(begin) = inside {
            found[begin] = found[begin].filter(|_| !l.contains(begin));
            inside = around[begin];
        }
    }
    for end in &mut found {
        *end = end.filter(|&end| loops.reachable[end]);
    }
    found
}
