//! What loops and calls may write, and which conditions have to stay for that.
//!
//! That a loop or a call leaves a variable alone is something that a proof need not say, and it is read off the text. So
//! a loop of the smaller program must not leave alone what the loop of the program writes: its proof would lack what the
//! proof of the program has to say. Where only dead code writes a variable that matters, the condition that makes the
//! code dead stays as it is.

use super::constants::{terms_in, variables_in};
use super::{properties, terms_of};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::term::{FunId, TermId, Terms};
use svlib::code::{Code, Pc};
use svlib::flow::loops;
use svlib::interp::{calls, inside};
use svlib::syntax::{CommandKind, ProcId, Script, StmtId, StmtKind};

/// A loop, or the body of a procedure.
#[derive(Debug, Default)]
pub(super) struct Frame {
    stmts: FxHashSet<StmtId>,
    /// The variables that it writes, and the arrays that these are cells of.
    pub(super) written: FxHashSet<FunId>,
}

pub(super) struct Frames<'a> {
    script: &'a Script,
    cells: &'a FxHashMap<FunId, (FunId, TermId)>,
    /// The globals that a call of a procedure may write, and the arrays that these are cells of.
    called: FxHashMap<ProcId, FxHashSet<FunId>>,
    /// The variables of the properties, and the globals that are used somewhere.
    used: FxHashSet<FunId>,
    /// Nobody calls it but the query, so that nobody asks what it leaves alone.
    entry: Option<ProcId>,
}

impl<'a> Frames<'a> {
    pub(super) fn new(
        terms: &Terms,
        script: &'a Script,
        procs: &[ProcId],
        cells: &'a FxHashMap<FunId, (FunId, TermId)>,
    ) -> Self {
        let global = |kind: &CommandKind| match kind {
            CommandKind::DeclareVar(variable) => Some(*variable),
            _ => None,
        };
        let globals: FxHashSet<FunId> = script.commands.iter().filter_map(|c| global(&c.kind)).collect();
        let checked = properties(script, procs).into_iter().flat_map(|(_, property)| property.terms);
        let mut used = variables_in(terms, &checked.collect::<Vec<_>>());
        for stmt in script.stmts.iter() {
            let about = variables_in(terms, &terms_of(&stmt.kind));
            used.extend(about.intersection(&globals));
        }
        let entry = match script.commands.last().map(|command| &command.kind) {
            Some(CommandKind::Call(_, entry, _)) if !calls::is_recursive(script, *entry) => Some(*entry),
            _ => None,
        };
        let mut called = called(script, procs, &globals);
        for written in called.values_mut() {
            let arrays: Vec<FunId> = written.iter().map(|&variable| whole(cells, variable)).collect();
            written.extend(arrays);
        }
        Frames { script, cells, called, used, entry }
    }

    /// The globals that a call of a procedure may write.
    pub(super) fn of_call(&self, callee: ProcId) -> &FxHashSet<FunId> {
        // All procedures that can be called are known.
        &self.called[&callee]
    }

    /// The loops by their heads.
    pub(super) fn loops(&self, code: &Code) -> FxHashMap<Pc, Frame> {
        let frame = |nodes: &[Pc], head: StmtId| {
            let mut stmts: FxHashSet<StmtId> = nodes.iter().map(|&pc| code.instrs[pc].stmt).collect();
            // A way out of the loop is a part of its text.
            if matches!(self.script.stmts[head].kind, StmtKind::While(..)) {
                stmts.extend(inside(self.script, head));
            }
            self.frame(stmts)
        };
        let found = loops(code, &|_| false).loops;
        found.into_iter().map(|l| (l.head, frame(&l.nodes, code.instrs[l.head].stmt))).collect()
    }

    fn frame(&self, stmts: FxHashSet<StmtId>) -> Frame {
        let mut written = FxHashSet::default();
        for &stmt in &stmts {
            self.writes(stmt, &mut |variable| written.extend([variable, whole(self.cells, variable)]));
        }
        Frame { stmts, written }
    }

    /// True when nothing is known of the variable after something that writes these.
    pub(super) fn forgets(&self, written: &FxHashSet<FunId>, variable: FunId) -> bool {
        written.contains(&whole(self.cells, variable))
    }

    /// What a statement itself writes.
    fn writes(&self, stmt: StmtId, found: &mut dyn FnMut(FunId)) {
        match &self.script.stmts[stmt].kind {
            StmtKind::Assign(pairs) => pairs.iter().for_each(|pair| found(pair.0)),
            StmtKind::Havoc(variables) => variables.iter().for_each(|&variable| found(variable)),
            StmtKind::Call(callee, _, results) => {
                results.iter().chain(self.of_call(*callee)).for_each(|&variable| found(variable));
            }
            _ => {}
        }
    }

    /// The instructions that stay as they are, for what they make dead writes something that would be left alone.
    pub(super) fn kept(
        &self,
        terms: &Terms,
        code: &Code,
        proc: ProcId,
        loops: &FxHashMap<Pc, Frame>,
        reached: &[bool],
        new: &[Option<Vec<TermId>>],
    ) -> FxHashSet<Pc> {
        if reached.iter().all(|&reached| reached) {
            return FxHashSet::default();
        }
        let mut live = FxHashSet::default();
        let mut matters = self.used.clone();
        matters.extend(&self.script.procs[proc].outputs);
        for (pc, instr) in code.instrs.iter().enumerate().filter(|(pc, _)| reached[*pc]) {
            live.insert(instr.stmt);
            let terms_now = new[pc].clone().unwrap_or_else(|| terms_in(&instr.op));
            matters.extend(variables_in(terms, &terms_now));
        }
        let mut lost = FxHashSet::default();
        for (_, frame) in loops.iter().filter(|(head, _)| reached[**head]) {
            self.lost(frame, &live, &matters, &mut lost);
        }
        if let Some(body) = self.script.procs[proc].body.filter(|_| self.entry != Some(proc)) {
            let whole = self.frame(inside(self.script, body).into_iter().collect());
            // What is its own it leaves alone in any case, or gives new values.
            let own = &self.script.procs[proc];
            for variable in own.inputs.iter().chain(&own.outputs).chain(&own.locals) {
                matters.remove(variable);
            }
            self.lost(&whole, &live, &matters, &mut lost);
        }
        closing(code, reached, &lost)
    }

    /// The dead statements that alone write something in a loop.
    fn lost(
        &self,
        frame: &Frame,
        live: &FxHashSet<StmtId>,
        matters: &FxHashSet<FunId>,
        lost: &mut FxHashSet<StmtId>,
    ) {
        let mut written = FxHashSet::default();
        for &stmt in frame.stmts.intersection(live) {
            self.writes(stmt, &mut |variable| written.extend([variable]));
        }
        for &stmt in frame.stmts.difference(live) {
            self.writes(stmt, &mut |variable| {
                if matters.contains(&variable) && !written.contains(&variable) {
                    lost.insert(stmt);
                }
            });
        }
    }
}

/// Where control could go on to these statements and does not.
fn closing(code: &Code, reached: &[bool], stmts: &FxHashSet<StmtId>) -> FxHashSet<Pc> {
    let count = code.instrs.len();
    let mut before: Vec<Vec<Pc>> = vec![Vec::new(); count];
    for pc in 0..count {
        code.successors(pc).into_iter().for_each(|next| before[next].push(pc));
    }
    let mut todo: Vec<Pc> = (0..count).filter(|&pc| stmts.contains(&code.instrs[pc].stmt)).collect();
    let (mut seen, mut found) = (FxHashSet::default(), FxHashSet::default());
    while let Some(pc) = todo.pop() {
        if reached[pc] {
            found.insert(pc);
        } else if seen.insert(pc) {
            todo.append(&mut before[pc]);
        }
    }
    found
}

/// The variable of the program that a variable is, or is a part of.
fn whole(cells: &FxHashMap<FunId, (FunId, TermId)>, mut variable: FunId) -> FunId {
    while let Some(&(array, _)) = cells.get(&variable) {
        variable = array;
    }
    variable
}

/// The globals that a call of each procedure may write.
fn called(
    script: &Script,
    procs: &[ProcId],
    globals: &FxHashSet<FunId>,
) -> FxHashMap<ProcId, FxHashSet<FunId>> {
    let mut found: FxHashMap<ProcId, FxHashSet<FunId>> =
        procs.iter().map(|&proc| (proc, FxHashSet::default())).collect();
    let mut callers: FxHashMap<ProcId, FxHashSet<ProcId>> = FxHashMap::default();
    for stmt in script.stmts.iter() {
        let Some(own) = found.get_mut(&stmt.proc) else { continue };
        let mut write = |variable: &FunId| {
            if globals.contains(variable) {
                own.insert(*variable);
            }
        };
        match &stmt.kind {
            StmtKind::Assign(pairs) => pairs.iter().for_each(|pair| write(&pair.0)),
            StmtKind::Havoc(variables) => variables.iter().for_each(write),
            StmtKind::Call(callee, _, results) => {
                results.iter().for_each(write);
                callers.entry(*callee).or_default().insert(stmt.proc);
            }
            _ => {}
        }
    }
    let mut todo = procs.to_vec();
    while let Some(callee) = todo.pop() {
        let writes: Vec<FunId> = found.get(&callee).into_iter().flatten().copied().collect();
        for caller in callers.get(&callee).into_iter().flatten() {
            let Some(own) = found.get_mut(caller) else { continue };
            let before = own.len();
            own.extend(&writes);
            if own.len() > before {
                todo.push(*caller);
            }
        }
    }
    found
}
