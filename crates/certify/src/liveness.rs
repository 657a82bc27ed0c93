//! Which loops and recursions need a ranking function so that `:not-recurring` and `:recurring` hold.
//!
//! A place is visited for ever only if a loop around it goes round for ever, or it is called for ever: from a loop, or by
//! a recursion without end. A ranking function that decreases on every way from the head of a loop to its next visit
//! (which [`program::conditions`] demands of it) rules the first out for that loop, one that decreases at every
//! recursive call rules out a recursion without end. Loops of [`svlib::flow`] are left and come back to only through
//! the head of a loop around them, so it is enough that every loop around the place, and around every call that may
//! lead to it, is ranked.
//!
//! `:recurring` is violated by an execution that from some point on does not visit the tag: so every cycle that avoids
//! the tag has to be in a ranked loop.

use program::{Procedure, Program};
use rustc_hash::FxHashSet;
use smt::print::symbol_text;
use smt::term::Terms;
use svlib::code::{Code, Instr, Op, Pc};
use svlib::flow::{Loops, head_stmt, loops};
use svlib::syntax::{ProcId, PropertyKind, StmtId};

/// What is missing for the liveness properties of a program, each in words.
pub(crate) fn missing(terms: &Terms, program: &Program<'_>) -> Vec<String> {
    let mut search = Search { terms, program, found: Vec::new() };
    for stmt in program.annotated() {
        let notes = program.notes(stmt);
        if notes.has(PropertyKind::NotRecurring) {
            search.finite(stmt);
        }
        if notes.has(PropertyKind::Recurring) {
            search.recurring(stmt);
        }
    }
    search.found.dedup();
    search.found
}

struct Search<'a, 's> {
    terms: &'a Terms,
    program: &'a Program<'s>,
    found: Vec<String>,
}

impl Search<'_, '_> {
    fn tag(&self, stmt: StmtId) -> String {
        let tag = self.program.script.stmts[stmt].tags.first();
        tag.map_or_else(
            || "a statement without a tag".into(),
            |t| format!("`{}`", symbol_text(self.terms.names.text(t.0))),
        )
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
                    let tag = self.tag(proc.code.instrs[head].stmt);
                    self.found.push(format!("the loop {tag} has no ranking function"));
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
            let tag = self.tag(proc.body);
            self.found.push(format!("the recursive procedure {tag} has no ranking function"));
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

    /// Every infinite execution visits the statement (or another one with its tags) for ever: what avoids it ends.
    fn recurring(&mut self, stmt: StmtId) {
        let script = self.program.script;
        let tags: Vec<_> = script.stmts[stmt].tags.iter().map(|t| t.0).collect();
        // The property is about the tag: any statement that has one of the statement's tags and the property counts.
        let counts = |other: StmtId| {
            other == stmt
                || self.program.notes(other).has(PropertyKind::Recurring)
                    && script.stmts[other].tags.iter().any(|t| tags.contains(&t.0))
        };
        let program = self.program;
        for proc in &program.procs {
            let avoided = |pc: Pc| proc.code.instrs[pc].op == Op::Visit && counts(proc.code.instrs[pc].stmt);
            let without = without(&proc.code, &avoided);
            let cut = self.loops(proc);
            for inner in loops(&after(&proc.code, &without, &avoided), &|pc| cut.headed(pc).is_some()).loops {
                // The ranking function of a head is about the ways that stay in its loop.
                let of_head = cut.headed(inner.head).map(|number| &cut.loops[number]);
                let stays = of_head.is_some_and(|whole| inner.nodes.iter().all(|&pc| whole.contains(pc)));
                if !stays || !self.is_ranked(proc, inner.head) {
                    let tag = self.tag(proc.code.instrs[inner.head].stmt);
                    self.found.push(format!("the loop {tag} has no ranking function"));
                }
            }
            let reached = loops(&without, &|_| false).reachable;
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

fn positions(code: &Code, wanted: impl Fn(&Instr) -> bool) -> Vec<Pc> {
    (0..code.instrs.len()).filter(|&pc| wanted(&code.instrs[pc])).collect()
}

/// The code without the avoided instructions, entered at its beginning and behind each of them: an execution may have
/// visited the tag before it stops doing so.
fn after(code: &Code, without: &Code, avoided: &dyn Fn(Pc) -> bool) -> Code {
    let mut entries = without.successors(0);
    for pc in (0..code.instrs.len()).filter(|&pc| avoided(pc)) {
        entries.extend(code.successors(pc));
    }
    let mut code = without.clone();
    if let Some(first) = code.instrs.first_mut() {
        first.op = Op::Choice(entries);
    }
    code
}

/// The code with some instructions as dead ends.
fn without(code: &Code, avoided: &dyn Fn(Pc) -> bool) -> Code {
    let mut code = code.clone();
    for pc in 0..code.instrs.len() {
        if avoided(pc) {
            code.instrs[pc].op = Op::Return;
        }
    }
    code
}
