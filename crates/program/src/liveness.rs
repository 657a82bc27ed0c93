//! Which loops and recursions need a ranking function so that `:not-recurring` and `:recurring` hold.
//!
//! A place is visited for ever only if a loop around it goes round for ever, or it is called for ever: from a loop, or by
//! a recursion without end. A ranking function that decreases on every way from the head of a loop to its next visit
//! (which [`crate::conditions`] demands of it) rules the first out for that loop, one that decreases at every
//! recursive call rules out a recursion without end. Loops of [`svlib::flow`] are left and come back to only through
//! the head of a loop around them, so it is enough that every loop around the place, and around every call that may
//! lead to it, is ranked.
//!
//! Nothing has to be ranked for a place that is never visited at all, which `:check-true false` says there, of the task or of a
//! witness: it is a condition like others.
//!
//! `:recurring` is violated by an execution that from some point on does not visit the tag: so every cycle that avoids
//! the tag has to be in a ranked loop.

use crate::program::{Procedure, Program};
use rustc_hash::FxHashSet;
use svlib::code::{Code, Instr, Op, Pc};
use svlib::flow::{Loops, head_stmt, loops_among, reachable_within};
use svlib::syntax::{CommandKind, ProcId, Property, PropertyKind, StmtId};

/// A ranking function that is missing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Need {
    /// The procedure.
    pub proc: ProcId,
    /// The statement that needs it: the head of a loop, or the body of a recursive procedure.
    pub stmt: StmtId,
    /// Why.
    pub why: Why,
}

/// Why a ranking function is needed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Why {
    /// The loop with that head has to end.
    Loop,
    /// The recursion of the procedure has to end.
    Recursion,
    /// There is a cycle for which no ranking function can be given: its head is no `while` or label, or the loops are
    /// cut elsewhere.
    Unfit,
}

/// The ranking functions that are missing for the liveness properties of a program, each once.
#[must_use]
pub fn unranked(program: &Program<'_>) -> Vec<Need> {
    let mut search = Search { program, found: Vec::new() };
    for stmt in program.annotated() {
        let notes = program.notes(stmt);
        if notes.has(PropertyKind::NotRecurring) && !notes.exclude_visits() {
            search.finite(stmt);
        }
    }
    for stmts in recurring_groups(program) {
        search.recurring(&stmts);
    }
    search.found.sort_unstable();
    search.found.dedup();
    search.found
}

struct Search<'a, 's> {
    program: &'a Program<'s>,
    found: Vec<Need>,
}

impl Search<'_, '_> {
    /// A loop that has no ranking function, or one that does not say enough.
    fn miss(&mut self, proc: &Procedure, head: Pc, fits: bool) {
        let is_head = head_stmt(self.program.script, &proc.code, head).is_some();
        let why = if fits && is_head { Why::Loop } else { Why::Unfit };
        self.found.push(Need { proc: proc.id, stmt: proc.code.instrs[head].stmt, why });
    }

    /// The loops as the conditions see them: the ranking functions are at the heads that were cut.
    fn loops(&self, proc: &Procedure) -> Loops {
        self.program.loops(proc, &|_| false)
    }

    fn is_ranked(&self, proc: &Procedure, head: Pc) -> bool {
        head_stmt(self.program.script, &proc.code, head)
            .is_some_and(|stmt| self.program.notes(stmt).ranks().next().is_some())
    }

    /// All loops around these instructions are ranked.
    fn ranked_around(&mut self, proc: &Procedure, places: &[Pc]) {
        let loops = self.loops(proc);
        for &pc in places {
            for number in loops.around(pc) {
                let head = loops.loops[number].head;
                if !self.is_ranked(proc, head) {
                    self.miss(proc, head, true);
                }
            }
        }
    }

    /// The visits of a statement are finite in number.
    fn finite(&mut self, stmt: StmtId) {
        let Some(proc) = self.program.proc(self.program.script.stmts[stmt].proc) else { return };
        let visits: Vec<Pc> = positions(&proc.code, |i| i.stmt == stmt && i.op == Op::Visit);
        self.ranked_around(proc, &visits);
        let leading = self.leading_to(proc.id);
        for proc in self.program.procs.iter().filter(|p| leading.contains(&p.id)) {
            let calls =
                positions(&proc.code, |i| matches!(i.op, Op::Call(callee, ..) if leading.contains(&callee)));
            self.ranked_around(proc, &calls);
            self.ranked_recursion(proc);
        }
    }

    fn ranked_recursion(&mut self, proc: &Procedure) {
        if proc.recursive && self.program.notes(proc.body).ranks().next().is_none() {
            self.found.push(Need { proc: proc.id, stmt: proc.body, why: Why::Recursion });
        }
    }

    /// The procedures from which calls may lead to this one, itself included.
    fn leading_to(&self, target: ProcId) -> FxHashSet<ProcId> {
        let mut found: FxHashSet<ProcId> = [target].into_iter().collect();
        loop {
            let before = found.len();
            for proc in &self.program.procs {
                let calls = |i: &Instr| matches!(i.op, Op::Call(callee, ..) if found.contains(&callee));
                if proc.code.instrs.iter().any(calls) {
                    found.insert(proc.id);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// Every infinite execution visits one of the statements for ever: what avoids them ends.
    fn recurring(&mut self, stmts: &FxHashSet<StmtId>) {
        let program = self.program;
        for proc in &program.procs {
            let visits =
                |pc: Pc| proc.code.instrs[pc].op == Op::Visit && stmts.contains(&proc.code.instrs[pc].stmt);
            let cut = self.loops(proc);
            // An execution may visit the tag before it enters a cycle that avoids it.
            let cycles = loops_among(&proc.code, 0, &|pc| !visits(pc), &|pc| cut.headed(pc).is_some());
            for inner in cycles.loops {
                // The ranking function of a head is about the ways that stay in its loop.
                let of_head = cut.headed(inner.head).map(|number| &cut.loops[number]);
                let stays = of_head.is_some_and(|whole| inner.nodes.iter().all(|&pc| whole.contains(pc)));
                if !stays || !self.is_ranked(proc, inner.head) {
                    self.miss(proc, inner.head, stays);
                }
            }
            // A recursion without end that avoids them begins new calls that avoid them from the beginning.
            let reached = reachable_within(&proc.code, &|pc| !visits(pc));
            let calls_avoiding = |pc: &Pc| {
                let Op::Call(callee, ..) = proc.code.instrs[*pc].op else { return false };
                reached[*pc] && program.proc(callee).is_some_and(|c| c.component == proc.component)
            };
            if (0..proc.code.instrs.len()).any(|pc| calls_avoiding(&pc)) {
                self.ranked_recursion(proc);
            }
        }
    }
}

/// The statements of each `:recurring`. One that is written at a statement is about that statement, one of a tag about
/// all statements with the tag, whether they can be reached or not; they are told apart by their places.
#[must_use]
pub fn recurring_groups(program: &Program<'_>) -> Vec<FxHashSet<StmtId>> {
    let script = program.script;
    let is_recurring = |property: &&Property| property.kind == PropertyKind::Recurring;
    let mut found = Vec::new();
    for (stmt, text) in script.stmts.iter_enumerated() {
        found.extend(text.properties.iter().filter(is_recurring).map(|_| [stmt].into_iter().collect()));
    }
    for command in &script.commands[..program.command] {
        let CommandKind::AnnotateTag(annotation) = &command.kind else { continue };
        for property in annotation.properties.iter().filter(|p| p.kind == PropertyKind::Recurring) {
            found.push(property.meanings.iter().map(|(stmt, _)| *stmt).collect());
        }
    }
    found.retain(|stmts: &FxHashSet<StmtId>| !stmts.is_empty());
    found
}

fn positions(code: &Code, wanted: impl Fn(&Instr) -> bool) -> Vec<Pc> {
    (0..code.instrs.len()).filter(|&pc| wanted(&code.instrs[pc])).collect()
}
