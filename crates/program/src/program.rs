//! A query with everything that it reaches.

use crate::notes::{Note, Notes, Origin};
use base::id::Id;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::parse::Command as Smt;
use smt::term::{FunId, TermId};
use std::collections::BTreeSet;
use std::fmt;
use svlib::code::{Code, Op, Pc, compile};
use svlib::flow::{Loops, head_stmt, loops};
use svlib::interp::calls;
use svlib::syntax::{CommandKind, ProcId, PropertyKind, Script, StmtId, StmtKind};

/// How the entry is called.
#[derive(Clone, Debug)]
pub struct EntryCall {
    /// The procedure.
    pub proc: ProcId,
    /// Its arguments.
    pub args: Vec<TermId>,
    /// True when the `:requires` that the task gives the entry is assumed of the arguments, not checked.
    pub assumed: bool,
    /// True when nothing else calls the entry, so that its inputs are the arguments.
    pub only: bool,
}

/// A procedure that the query reaches.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// The procedure.
    pub id: ProcId,
    /// Its body.
    pub body: StmtId,
    /// Its code.
    pub code: Code,
    /// Its loops, by the shape of the code alone.
    pub natural: Loops,
    /// The globals that a call of it can modify.
    pub modifies: BTreeSet<FunId>,
    /// Procedures with one number call each other.
    pub component: u32,
    /// True when a call of it may lead to another one.
    pub recursive: bool,
}

/// A query with everything that it reaches.
#[derive(Clone, Debug)]
pub struct Program<'s> {
    /// The script.
    pub script: &'s Script,
    /// The number of the query among its commands.
    pub command: usize,
    /// The call.
    pub entry: EntryCall,
    /// What is asserted about constants and functions.
    pub axioms: Vec<TermId>,
    /// The global variables.
    pub globals: Vec<FunId>,
    /// The procedures that can be reached, in order of definition.
    pub procs: Vec<Procedure>,
    by_id: FxHashMap<ProcId, usize>,
    notes: FxHashMap<StmtId, Notes>,
}

/// Why there is no program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramError {
    /// The command is no call.
    NoCall,
    /// A procedure has no body.
    NoBody(ProcId),
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProgramError::NoCall => "the command is no call of a procedure",
            ProgramError::NoBody(_) => "a procedure has no body",
        })
    }
}

impl std::error::Error for ProgramError {}

impl<'s> Program<'s> {
    /// The query that is command number `command` of the script. The commands whose numbers are in `added` come from a
    /// witness. `assumed` says that the entry's `:requires` is assumed.
    ///
    /// # Errors
    /// When the command is no call, or a procedure is not complete.
    pub fn new(
        script: &'s Script,
        command: usize,
        added: &[usize],
        assumed: bool,
    ) -> Result<Self, ProgramError> {
        let Some(CommandKind::Call(_, entry, args)) = script.commands.get(command).map(|c| &c.kind) else {
            return Err(ProgramError::NoCall);
        };
        let reached = calls::reachable(script, &[*entry]);
        let components = calls::components(script, &reached);
        let mut procs = Vec::new();
        for &id in &reached {
            let missing = ProgramError::NoBody(id);
            let body = script.procs[id].body.ok_or(missing)?;
            let code = compile(script, id).ok_or(missing)?;
            let natural = loops(&code, &|pc| head_stmt(script, &code, pc).is_some());
            let component = components.get(&id).copied().unwrap_or_default();
            procs.push(Procedure {
                id,
                body,
                code,
                natural,
                modifies: BTreeSet::new(),
                component,
                recursive: false,
            });
        }
        let by_id = procs.iter().enumerate().map(|(i, p)| (p.id, i)).collect();
        let entry = EntryCall { proc: *entry, args: args.clone(), assumed, only: false };
        let mut program = Program {
            script,
            command,
            entry,
            axioms: Vec::new(),
            globals: Vec::new(),
            procs,
            by_id,
            notes: FxHashMap::default(),
        };
        program.collect(added);
        program.close_calls();
        Ok(program)
    }

    fn collect(&mut self, added: &[usize]) {
        let script = self.script;
        for (stmt, text) in script.stmts.iter_enumerated() {
            for property in &text.properties {
                self.note(stmt, property, Origin::Task);
            }
        }
        for (number, command) in script.commands[..self.command].iter().enumerate() {
            let origin = if added.contains(&number) { Origin::Added } else { Origin::Task };
            match &command.kind {
                CommandKind::Smt(Smt::Assert(term)) => self.axioms.push(*term),
                CommandKind::DeclareVar(variable) => self.globals.push(*variable),
                CommandKind::AnnotateTag(annotation) => {
                    for (stmt, property) in annotation.properties.iter().flat_map(|p| &p.meanings) {
                        self.note(*stmt, property, origin);
                    }
                }
                _ => {}
            }
        }
    }

    /// Keeps a property of what can be reached. Where control never comes everything holds, except that infinite
    /// executions do not visit it.
    fn note(&mut self, stmt: StmtId, property: &svlib::syntax::Property, origin: Origin) {
        let reached = self.by_id.contains_key(&self.script.stmts[stmt].proc);
        if !reached && property.kind != PropertyKind::Recurring {
            return;
        }
        let (kind, terms, at) = (property.kind, property.terms.clone(), property.at.0);
        self.annotate(stmt, Note { kind, terms, origin, at });
    }

    /// What calls modify, and who is recursive.
    fn close_calls(&mut self) {
        let globals: FxHashSet<FunId> = self.globals.iter().copied().collect();
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); self.procs.len()];
        let mut entry_is_called = false;
        for (i, proc) in self.procs.iter_mut().enumerate() {
            for instr in &proc.code.instrs {
                match &instr.op {
                    Op::Assign(pairs) => proc.modifies.extend(pairs.iter().map(|p| p.0)),
                    Op::Havoc(variables) => proc.modifies.extend(variables),
                    Op::Call(callee, _, results) => {
                        proc.modifies.extend(results);
                        entry_is_called |= *callee == self.entry.proc;
                        if let Some(&callee) = self.by_id.get(callee) {
                            callers[callee].push(i);
                        }
                    }
                    _ => {}
                }
            }
            proc.modifies.retain(|variable| globals.contains(variable));
        }
        let mut todo: Vec<usize> = (0..self.procs.len()).collect();
        while let Some(callee) = todo.pop() {
            for &caller in &callers[callee] {
                let missing: Vec<FunId> =
                    self.procs[callee].modifies.difference(&self.procs[caller].modifies).copied().collect();
                if !missing.is_empty() {
                    self.procs[caller].modifies.extend(missing);
                    todo.push(caller);
                }
            }
        }
        self.entry.only = !entry_is_called;
        for proc in &mut self.procs {
            proc.recursive = calls::is_recursive(self.script, proc.id);
        }
    }

    /// Adds an annotation to a statement.
    pub fn annotate(&mut self, stmt: StmtId, note: Note) {
        self.notes.entry(stmt).or_default().0.push(note);
    }

    /// Takes away all annotations that are not the task's.
    pub fn forget_added(&mut self) {
        for notes in self.notes.values_mut() {
            notes.0.retain(|note| note.origin == Origin::Task);
        }
    }

    /// Takes away all annotations that are the task's: what is left describes a lasso, say.
    pub fn forget_task(&mut self) {
        for notes in self.notes.values_mut() {
            notes.0.retain(|note| note.origin == Origin::Added);
        }
    }

    /// The annotations of a statement.
    #[must_use]
    pub fn notes(&self, stmt: StmtId) -> &Notes {
        static NONE: Notes = Notes(Vec::new());
        self.notes.get(&stmt).unwrap_or(&NONE)
    }

    /// The statements with annotations, in order of definition.
    #[must_use]
    pub fn annotated(&self) -> Vec<StmtId> {
        let mut stmts: Vec<StmtId> =
            self.notes.iter().filter(|(_, notes)| !notes.0.is_empty()).map(|(&stmt, _)| stmt).collect();
        stmts.sort_unstable();
        stmts
    }

    /// The procedure with that id, if it is reached.
    #[must_use]
    pub fn proc(&self, id: ProcId) -> Option<&Procedure> {
        self.by_id.get(&id).map(|&i| &self.procs[i])
    }

    /// The variables of a procedure that it owns: inputs, outputs, locals.
    pub fn own_variables(&self, id: ProcId) -> impl Iterator<Item = FunId> + use<'s> {
        let proc = &self.script.procs[id];
        proc.inputs.iter().chain(&proc.outputs).chain(&proc.locals).copied()
    }

    /// What the instructions of a procedure modify.
    #[must_use]
    pub fn targets(&self, proc: &Procedure, nodes: &[Pc]) -> BTreeSet<FunId> {
        let mut found = BTreeSet::new();
        for &pc in nodes {
            match &proc.code.instrs[pc].op {
                Op::Assign(pairs) => found.extend(pairs.iter().map(|p| p.0)),
                Op::Havoc(variables) => found.extend(variables),
                Op::Call(callee, _, results) => {
                    found.extend(results);
                    found.extend(self.proc(*callee).map(|p| &p.modifies).into_iter().flatten());
                }
                _ => {}
            }
        }
        found
    }

    /// The instructions of a statement: from its first to its last.
    #[must_use]
    pub fn extent(&self, proc: &Procedure, stmt: StmtId) -> Vec<Pc> {
        let inside: FxHashSet<StmtId> = svlib::interp::inside(self.script, stmt).into_iter().collect();
        (0..proc.code.instrs.len()).filter(|&pc| inside.contains(&proc.code.instrs[pc].stmt)).collect()
    }

    /// The instructions whose effects an abstraction of the statement covers: those inside it, and for a `while` or a
    /// label those of its loop.
    #[must_use]
    pub fn covered(&self, proc: &Procedure, stmt: StmtId) -> Vec<Pc> {
        let mut nodes = self.extent(proc, stmt);
        if let StmtKind::While(..) | StmtKind::Label(_) = self.script.stmts[stmt].kind
            && let Some(visit) = svlib::flow::visit_of(&proc.code, stmt)
            && let Some(number) = proc.natural.innermost[visit]
        {
            nodes.extend(&proc.natural.loops[number].nodes);
            nodes.sort_unstable();
            nodes.dedup();
        }
        nodes
    }

    /// What an abstraction of a statement lets change. Recursive calls give the inputs of a procedure new values.
    #[must_use]
    pub fn modified(&self, proc: &Procedure, stmt: StmtId) -> BTreeSet<FunId> {
        let mut found = self.targets(proc, &self.covered(proc, stmt));
        if stmt == proc.body && proc.recursive {
            found.extend(&self.script.procs[proc.id].inputs);
        }
        found
    }

    /// The loops of a procedure, with heads where there are invariants or where `more` says.
    #[must_use]
    pub fn loops(&self, proc: &Procedure, more: &dyn Fn(Pc) -> bool) -> Loops {
        let wanted = |pc| {
            more(pc)
                || head_stmt(self.script, &proc.code, pc)
                    .is_some_and(|stmt| self.notes(stmt).has(PropertyKind::Invariant))
        };
        let agree =
            proc.natural.loops.iter().all(|l| wanted(l.head) || !l.nodes.iter().any(|&pc| wanted(pc)));
        if agree { proc.natural.clone() } else { loops(&proc.code, &wanted) }
    }

    /// A tag that only this statement has, so that `at` terms and annotations can speak of it.
    #[must_use]
    pub fn own_tag(&self, stmt: StmtId) -> Option<base::intern::SymbolId> {
        let tags = &self.script.stmts[stmt].tags;
        tags.iter().map(|t| t.0).find(|&tag| self.script.tagged(tag).count() == 1)
    }

    /// The position of a procedure in [`Program::procs`].
    #[must_use]
    pub fn index_of(&self, id: ProcId) -> usize {
        self.by_id.get(&id).copied().unwrap_or_else(|| id.index())
    }
}
