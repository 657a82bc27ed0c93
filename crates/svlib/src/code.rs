//! Procedures as flat code: structured statements become jumps, and every place where a tag is visited, a property
//! checked or a choice made is one instruction. The interpreter runs on it and lints look at its paths.
//!
//! For a statement with tags or properties the code is
//! `begin` (once, before it: `:requires`), `visit` (the tag is visited: `:check-true`, `:invariant`, `:decreases`),
//! its own code, `end` (after it: `:ensures`). For `while` and `label` the visit happens each time control is there,
//! by jump too; `begin` only when control comes from before. `return` jumps to the `end` of the body, so the
//! body's `:ensures` is checked at every return. Leaving a statement by `goto`, `return`, or a `break` of a loop
//! around it skips its `end`.

use crate::syntax::{ProcId, Script, StmtId, StmtKind};
use base::intern::SymbolId;
use rustc_hash::FxHashMap;
use smt::term::{FunId, TermId};

/// Position of an instruction.
pub type Pc = usize;

/// What an instruction does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// Control comes to the statement from before it.
    Begin,
    /// Control is at the statement: its tags are visited.
    Visit,
    /// The statement is over.
    End,
    /// Goes on only if the term holds.
    Assume(TermId),
    /// Assigns in parallel.
    Assign(Vec<(FunId, TermId)>),
    /// Gives the variables arbitrary values.
    Havoc(Vec<FunId>),
    /// Calls a procedure: arguments, and variables for the results.
    Call(ProcId, Vec<TermId>, Vec<FunId>),
    /// Goes on at the next instruction if the term holds, else at the target.
    Branch(TermId, Pc),
    /// Goes on at the target.
    Jump(Pc),
    /// Goes on at one of the targets.
    Choice(Vec<Pc>),
    /// The procedure is over; always the last instruction.
    Return,
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instr {
    /// What it does.
    pub op: Op,
    /// The statement it comes from.
    pub stmt: StmtId,
}

/// The code of a procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// The instructions; the first is the entry.
    pub instrs: Vec<Instr>,
    /// Where each label is visited.
    pub labels: FxHashMap<SymbolId, Pc>,
}

impl Code {
    /// The instructions that may come after the one at `pc`.
    #[must_use]
    pub fn successors(&self, pc: Pc) -> Vec<Pc> {
        match &self.instrs[pc].op {
            Op::Branch(_, target) => vec![pc + 1, *target],
            Op::Jump(target) => vec![*target],
            Op::Choice(targets) => targets.clone(),
            Op::Return => Vec::new(),
            _ => vec![pc + 1],
        }
    }
}

/// What is left to emit.
enum Task {
    Stmt(StmtId),
    Emit(Op, StmtId),
    /// The jump at the position leads to where the code is now.
    Patch(Pc),
    /// The alternative number so much of the choice at the position begins where the code is now.
    Alternative(Pc, usize),
    /// A jump to the end of a choice or of the `then` part; patched by the last task of the statement.
    JumpOut(StmtId),
    /// All jumps out collected for the statement lead here.
    Join(StmtId),
    /// The loop is over: jump to its head, and here is its exit.
    LoopEnd(StmtId, Pc),
}

struct Builder<'a> {
    script: &'a Script,
    code: Code,
    /// Open loops: head and jumps to the exit.
    loops: Vec<(Pc, Vec<Pc>)>,
    outs: FxHashMap<StmtId, Vec<Pc>>,
    gotos: Vec<(Pc, SymbolId)>,
    returns: Vec<Pc>,
}

/// The code of a procedure; none while its body is missing.
#[must_use]
pub fn compile(script: &Script, proc: ProcId) -> Option<Code> {
    let body = script.procs[proc].body?;
    let code = Code { instrs: Vec::new(), labels: FxHashMap::default() };
    let mut builder = Builder {
        script,
        code,
        loops: Vec::new(),
        outs: FxHashMap::default(),
        gotos: Vec::new(),
        returns: Vec::new(),
    };
    let mut todo = vec![Task::Stmt(body)];
    while let Some(task) = todo.pop() {
        builder.run(task, &mut todo);
    }
    // `return` leads to the body's `end`, which was emitted last if there is one.
    let annotated = is_annotated(script, body);
    let end = if annotated { builder.code.instrs.len() - 1 } else { builder.code.instrs.len() };
    builder.emit(Op::Return, body);
    for pc in std::mem::take(&mut builder.returns) {
        builder.patch(pc, end);
    }
    for (pc, label) in std::mem::take(&mut builder.gotos) {
        // Rule 8.1 (h) was checked by the reader; a script with an error is not compiled.
        let target = builder.code.labels.get(&label).copied().unwrap_or(end);
        builder.patch(pc, target);
    }
    Some(builder.code)
}

fn is_annotated(script: &Script, stmt: StmtId) -> bool {
    !script.stmts[stmt].tags.is_empty() || !script.stmts[stmt].properties.is_empty()
}

impl Builder<'_> {
    fn emit(&mut self, op: Op, stmt: StmtId) -> Pc {
        self.code.instrs.push(Instr { op, stmt });
        self.code.instrs.len() - 1
    }

    fn patch(&mut self, pc: Pc, to: Pc) {
        match &mut self.code.instrs[pc].op {
            Op::Jump(target) | Op::Branch(_, target) => *target = to,
            _ => {}
        }
    }

    fn run(&mut self, task: Task, todo: &mut Vec<Task>) {
        match task {
            Task::Stmt(stmt) => self.stmt(stmt, todo),
            Task::Emit(op, stmt) => {
                self.emit(op, stmt);
            }
            Task::Patch(pc) => self.patch(pc, self.code.instrs.len()),
            Task::Alternative(pc, index) => {
                let here = self.code.instrs.len();
                if let Op::Choice(targets) = &mut self.code.instrs[pc].op {
                    targets[index] = here;
                }
            }
            Task::JumpOut(stmt) => {
                let pc = self.emit(Op::Jump(0), stmt);
                self.outs.entry(stmt).or_default().push(pc);
            }
            Task::Join(stmt) => {
                for pc in self.outs.remove(&stmt).unwrap_or_default() {
                    self.patch(pc, self.code.instrs.len());
                }
            }
            Task::LoopEnd(stmt, branch) => {
                if let Some((head, breaks)) = self.loops.pop() {
                    self.emit(Op::Jump(head), stmt);
                    for pc in breaks.into_iter().chain([branch]) {
                        self.patch(pc, self.code.instrs.len());
                    }
                }
            }
        }
    }

    fn stmt(&mut self, stmt: StmtId, todo: &mut Vec<Task>) {
        let annotated = is_annotated(self.script, stmt);
        if annotated {
            self.emit(Op::Begin, stmt);
            todo.push(Task::Emit(Op::End, stmt));
        }
        let head = self.code.instrs.len();
        if annotated {
            self.emit(Op::Visit, stmt);
        }
        match &self.script.stmts[stmt].kind {
            StmtKind::Assume(term) => drop(self.emit(Op::Assume(*term), stmt)),
            StmtKind::Assign(pairs) => drop(self.emit(Op::Assign(pairs.clone()), stmt)),
            StmtKind::Havoc(variables) => drop(self.emit(Op::Havoc(variables.clone()), stmt)),
            StmtKind::Call(proc, args, results) => {
                self.emit(Op::Call(*proc, args.clone(), results.clone()), stmt);
            }
            StmtKind::Sequence(list) => todo.extend(list.iter().rev().map(|&s| Task::Stmt(s))),
            StmtKind::Return => {
                let pc = self.emit(Op::Jump(0), stmt);
                self.returns.push(pc);
            }
            StmtKind::Label(label) => {
                self.code.labels.insert(*label, head);
            }
            StmtKind::Goto(label) => {
                let pc = self.emit(Op::Jump(0), stmt);
                self.gotos.push((pc, *label));
            }
            StmtKind::Break => {
                let pc = self.emit(Op::Jump(0), stmt);
                if let Some((_, breaks)) = self.loops.last_mut() {
                    breaks.push(pc);
                }
            }
            StmtKind::Continue => {
                let target = self.loops.last().map_or(0, |l| l.0);
                self.emit(Op::Jump(target), stmt);
            }
            StmtKind::If(condition, then, otherwise) => {
                let branch = self.emit(Op::Branch(*condition, 0), stmt);
                match otherwise {
                    Some(otherwise) => todo.extend([
                        Task::Join(stmt),
                        Task::Stmt(*otherwise),
                        Task::Patch(branch),
                        Task::JumpOut(stmt),
                    ]),
                    None => todo.push(Task::Patch(branch)),
                }
                todo.push(Task::Stmt(*then));
            }
            StmtKind::While(condition, body) => {
                let branch = self.emit(Op::Branch(*condition, 0), stmt);
                self.loops.push((head, Vec::new()));
                todo.extend([Task::LoopEnd(stmt, branch), Task::Stmt(*body)]);
            }
            StmtKind::Choice(list) => {
                let choice = self.emit(Op::Choice(vec![0; list.len()]), stmt);
                todo.push(Task::Join(stmt));
                for (i, &alternative) in list.iter().enumerate().rev() {
                    todo.extend([Task::JumpOut(stmt), Task::Stmt(alternative), Task::Alternative(choice, i)]);
                }
            }
        }
    }
}
