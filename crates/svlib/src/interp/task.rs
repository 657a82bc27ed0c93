//! A `verify-call` prepared for running: what can be looked up before the first step, so that a step is cheap.
//!
//! Variables become positions in vectors, properties are collected for each statement, and whatever needs the store
//! of terms to grow (default values, candidates for random ones) is made here; running only reads the store.

use super::calls;
use super::fast::Fast;
use super::modified::inside;
use super::properties::{self, Point, Rank};
use super::values::Pool;
use crate::code::{Code, compile};
use crate::syntax::{At, Command, CommandKind, ProcId, Property, Script, StmtId};
use base::id::Id;
use base::intern::SymbolId;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::parse::Command as Smt;
use smt::sort::SortId;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use smt::value::Value;
use std::fmt;

/// Where the value of a symbol is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    /// In the model, if anywhere: symbols that are not the script's, such as helpers of a trace's model.
    Unknown,
    /// In the model: a declared constant or function.
    Symbol,
    /// Among the global variables.
    Global(u32),
    /// In the frame of the procedure that runs.
    Local(u32),
    /// What a variable was at a tag: its number in [`Task::looks_back`].
    At(u32),
}

/// What is known about a procedure.
pub(super) struct Layout {
    pub(super) code: Code,
    /// How many values a frame holds: variables, then what they were at tags, then values of ranking functions.
    pub(super) size: usize,
    /// Outputs and locals, which a call leaves open.
    pub(super) fresh: Vec<FunId>,
    /// For each number of [`Task::looks_back`] its place in a frame, if the procedure has the tag.
    pub(super) at: Vec<Option<u32>>,
    /// The ranking functions of the procedure; their places hold the values at the entry.
    pub(super) measures: Vec<Rank>,
    /// Procedures with one number call each other.
    pub(super) component: u32,
}

/// A property that holds at the time of the call, and where it is from.
pub(super) struct Known<'s> {
    pub(super) stmt: StmtId,
    pub(super) property: &'s Property,
    pub(super) source: Source,
}

/// Where a property is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// At its statement.
    Statement,
    /// In an `annotate-tag`: the number of the command and of the property in it.
    Tag(usize, usize),
}

/// An assertion about the model.
pub(super) struct Assert {
    pub(super) command: usize,
    pub(super) term: TermId,
    /// The declared symbols it speaks of.
    pub(super) symbols: Vec<FunId>,
}

/// A call prepared for running.
pub struct Task<'s> {
    /// The script.
    pub script: &'s Script,
    /// The number of the call among the commands.
    pub command: usize,
    /// The procedure that is called.
    pub entry: ProcId,
    /// The arguments of the call.
    pub args: &'s [TermId],
    pub(super) asserts: Vec<Assert>,
    /// Declared constants and functions.
    pub(super) symbols: Vec<FunId>,
    pub(super) globals: Vec<FunId>,
    /// Where the value of each symbol is, by number of the symbol.
    slots: Vec<Slot>,
    /// By number of the procedure; those that the call can reach.
    procs: Vec<Option<Layout>>,
    /// By number of the statement; annotated ones.
    points: Vec<Option<Box<Point>>>,
    pub(super) known: Vec<Known<'s>>,
    /// The variables and tags of `at` terms.
    pub(super) looks_back: Vec<(FunId, SymbolId)>,
    defaults: FxHashMap<SortId, Value>,
    pub(super) pool: Pool,
    /// Procedures prepared for long loops, by number.
    fast: Vec<Option<Fast>>,
}

/// Why a command cannot be run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TaskError {
    /// The command is no call.
    NoCall,
    /// The call can reach a procedure without a body; the script was not read to its end or has errors.
    NoBody(ProcId),
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskError::NoCall => f.write_str("the command is no call of a procedure"),
            TaskError::NoBody(_) => f.write_str("a procedure has no body"),
        }
    }
}

impl std::error::Error for TaskError {}

impl<'s> Task<'s> {
    /// Prepares the call that is command number `command` of the script.
    ///
    /// # Errors
    /// When that command is no call, or a procedure is not complete.
    pub fn new(terms: &mut Terms, script: &'s Script, command: usize) -> Result<Self, TaskError> {
        let Some(CommandKind::Call(_, entry, args)) = script.commands.get(command).map(|c| &c.kind) else {
            return Err(TaskError::NoCall);
        };
        let before = &script.commands[..command];
        let reached = calls::reachable(script, &[*entry]);
        let known = properties::collect(script, before, &reached);
        let looks_back = properties::looks_back(terms, before, &known);
        let mut task = Task {
            script,
            command,
            entry: *entry,
            args,
            asserts: asserts(terms, before),
            symbols: symbols(terms, before),
            globals: globals(before),
            slots: Vec::new(),
            procs: (0..script.procs.len()).map(|_| None).collect(),
            points: (0..script.stmts.len()).map(|_| None).collect(),
            known,
            looks_back,
            defaults: FxHashMap::default(),
            pool: Pool::default(),
            fast: Vec::new(),
        };
        let components = calls::components(script, &reached);
        let mut of_proc: FxHashMap<ProcId, Vec<usize>> = FxHashMap::default();
        for (number, known) in task.known.iter().enumerate() {
            of_proc.entry(script.stmts[known.stmt].proc).or_default().push(number);
        }
        for &proc in &reached {
            let numbers = of_proc.remove(&proc).unwrap_or_default();
            task.lay_out(proc, components[&proc], &numbers)?;
        }
        task.place_symbols(terms, &reached);
        task.prepare_values(terms, &reached);
        let fast = |layout: &Option<Layout>| Fast::prepare(terms, &task, &layout.as_ref()?.code);
        task.fast = task.procs.iter().map(fast).collect();
        Ok(task)
    }

    /// The property with that number.
    pub(super) fn property(&self, number: usize) -> &Known<'s> {
        &self.known[number]
    }

    pub(super) fn slot(&self, fun: FunId) -> Slot {
        // Symbols that are newer than the task belong to traces read later.
        self.slots.get(fun.index()).copied().unwrap_or(Slot::Unknown)
    }

    pub(super) fn layout(&self, proc: ProcId) -> Option<&Layout> {
        self.procs.get(proc.index())?.as_ref()
    }

    pub(super) fn fast(&self, proc: ProcId) -> Option<&Fast> {
        self.fast.get(proc.index())?.as_ref()
    }

    pub(super) fn point(&self, stmt: StmtId) -> Option<&Point> {
        self.points.get(stmt.index())?.as_deref()
    }

    /// The value of a variable of that sort when nothing gave it one.
    pub(super) fn default(&self, sort: SortId) -> Option<&Value> {
        self.defaults.get(&sort)
    }

    /// The variable that a name means in a procedure.
    pub(super) fn variable(&self, terms: &Terms, proc: ProcId, name: SymbolId) -> Option<FunId> {
        let proc = &self.script.procs[proc];
        let own = proc.inputs.iter().chain(&proc.outputs).chain(&proc.locals);
        own.chain(&self.globals).copied().find(|&variable| terms.fun(variable).name == name)
    }

    fn lay_out(&mut self, proc: ProcId, component: u32, numbers: &[usize]) -> Result<(), TaskError> {
        let missing = TaskError::NoBody(proc);
        let body = self.script.procs[proc].body.ok_or(missing)?;
        let code = compile(self.script, proc).ok_or(missing)?;
        let Proc { inputs, outputs, locals } = variables(self.script, proc);
        let mut size = inputs.len() + outputs.len() + locals.len();
        let mut at = vec![None; self.looks_back.len()];
        let stmts = inside(self.script, body);
        for &stmt in stmts.iter().filter(|&&stmt| !self.script.stmts[stmt].tags.is_empty()) {
            for (number, (variable, tag)) in self.looks_back.iter().enumerate() {
                let here = self.script.stmts[stmt].tags.iter().any(|t| t.0 == *tag);
                let exists =
                    |v: &FunId| [inputs, outputs, locals, &self.globals].iter().any(|list| list.contains(v));
                if at[number].is_none() && here && exists(variable) {
                    at[number] = Some(size as u32);
                    size += 1;
                }
            }
        }
        let mut builder = properties::Points { task: self, code: &code, numbers, at: &at, size };
        let mut points = builder.build(&stmts);
        let measures = builder.measures(body);
        let size = builder.size;
        for (stmt, point) in points.drain(..) {
            self.points[stmt.index()] = Some(Box::new(point));
        }
        let fresh = outputs.iter().chain(locals).copied().collect();
        self.procs[proc.index()] = Some(Layout { code, size, fresh, at, measures, component });
        Ok(())
    }

    fn place_symbols(&mut self, terms: &Terms, reached: &[ProcId]) {
        self.slots = vec![Slot::Unknown; terms.funs().count()];
        for fun in &self.symbols {
            self.slots[fun.index()] = Slot::Symbol;
        }
        for (i, fun) in self.globals.iter().enumerate() {
            self.slots[fun.index()] = Slot::Global(i as u32);
        }
        for &proc in reached {
            let Proc { inputs, outputs, locals } = variables(self.script, proc);
            for (i, fun) in inputs.iter().chain(outputs).chain(locals).enumerate() {
                self.slots[fun.index()] = Slot::Local(i as u32);
            }
        }
        for fun in terms.funs() {
            if let Role::At(variable, tag) = terms.fun(fun).role
                && let Some(number) = self.looks_back.iter().position(|&pair| pair == (variable, tag))
            {
                self.slots[fun.index()] = Slot::At(number as u32);
            }
        }
    }

    fn prepare_values(&mut self, terms: &mut Terms, reached: &[ProcId]) {
        let mut sorts: Vec<SortId> = Vec::new();
        let mut texts: Vec<TermId> = self.asserts.iter().map(|a| a.term).collect();
        texts.extend(self.args);
        texts.extend(self.known.iter().flat_map(|k| &k.property.terms));
        for &proc in reached {
            let Proc { inputs, outputs, locals } = variables(self.script, proc);
            sorts.extend(inputs.iter().chain(outputs).chain(locals).map(|&v| terms.fun(v).result));
            if let Some(layout) = self.layout(proc) {
                texts.extend(layout.code.instrs.iter().flat_map(properties::terms_of));
            }
        }
        for &symbol in self.globals.iter().chain(&self.symbols) {
            sorts.push(terms.fun(symbol).result);
            sorts.extend(&terms.fun(symbol).params);
        }
        sorts.sort_unstable();
        sorts.dedup();
        for &sort in &sorts {
            if let Some(value) = Value::default_of(terms, sort) {
                self.defaults.insert(sort, value);
            }
        }
        self.pool = Pool::new(terms, &sorts, &texts);
    }
}

/// The variables of a procedure.
struct Proc<'s> {
    inputs: &'s [FunId],
    outputs: &'s [FunId],
    locals: &'s [FunId],
}

fn variables(script: &Script, proc: ProcId) -> Proc<'_> {
    let proc = &script.procs[proc];
    Proc { inputs: &proc.inputs, outputs: &proc.outputs, locals: &proc.locals }
}

fn asserts(terms: &Terms, commands: &[Command]) -> Vec<Assert> {
    let asserted = |(command, c): (usize, &Command)| match c.kind {
        CommandKind::Smt(Smt::Assert(term)) => {
            Some(Assert { command, term, symbols: symbols_of(terms, term) })
        }
        _ => None,
    };
    commands.iter().enumerate().filter_map(asserted).collect()
}

/// The declared symbols that a term speaks of, by definitions too.
fn symbols_of(terms: &Terms, term: TermId) -> Vec<FunId> {
    let (mut found, mut seen, mut todo) = (Vec::new(), FxHashSet::default(), vec![term]);
    while let Some(term) = todo.pop() {
        for fun in smt::subst::functions(terms, term) {
            if seen.insert(fun) {
                todo.extend(terms.definition(fun).map(|(_, body)| body));
                if terms.fun(fun).role == Role::Free {
                    found.push(fun);
                }
            }
        }
    }
    found.sort_unstable();
    found
}

fn symbols(terms: &Terms, commands: &[Command]) -> Vec<FunId> {
    let declared = |c: &Command| match c.kind {
        CommandKind::Smt(Smt::DeclareFun(fun)) if terms.fun(fun).role == Role::Free => Some(fun),
        _ => None,
    };
    commands.iter().filter_map(declared).collect()
}

fn globals(commands: &[Command]) -> Vec<FunId> {
    let declared = |c: &Command| match c.kind {
        CommandKind::DeclareVar(fun) => Some(fun),
        _ => None,
    };
    commands.iter().filter_map(declared).collect()
}

/// Adds a `verify-call` of a procedure with arbitrary arguments to a script, declared as new constants named like the
/// inputs. Returns the number of the call.
pub fn arbitrary_call(terms: &mut Terms, script: &mut Script, proc: ProcId) -> usize {
    let mut args = Vec::new();
    for input in script.procs[proc].inputs.clone() {
        let Fun { name, result, .. } = *terms.fun(input);
        let text = terms.names.text(name).to_string();
        let fun = fresh_constant(terms, &text, result);
        let kind = CommandKind::Smt(Smt::DeclareFun(fun));
        script.commands.push(Command { kind, at: At::default() });
        args.push(terms.constant_term(fun));
    }
    script
        .commands
        .push(Command { kind: CommandKind::Call("verify-call".into(), proc, args), at: At::default() });
    script.commands.len() - 1
}

/// A constant with that name, or one close to it if there is such a symbol already.
fn fresh_constant(terms: &mut Terms, name: &str, result: SortId) -> FunId {
    let taken: FxHashSet<SymbolId> = terms
        .funs()
        .filter(|&f| !matches!(terms.fun(f).role, Role::Variable(..)))
        .map(|f| terms.fun(f).name)
        .collect();
    for i in 0.. {
        let text = if i == 0 { name.to_string() } else { format!("{name}.{i}") };
        let name = terms.names.intern(&text);
        if !taken.contains(&name) {
            return terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free });
        }
    }
    unreachable!("there are more names than symbols")
}
