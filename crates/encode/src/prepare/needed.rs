//! What the properties depend on.
//!
//! A property needs its statement and its variables. A statement needs what it is inside of, with the conditions there, and
//! the jumps that may lead past it. A variable needs everything that gives it a value, and the assumptions about it; a loop
//! whose condition is about such variables only is one, for nothing in it can change the condition. A
//! procedure of which something is needed needs its calls. Jumps are judged by the statements that they leave or go
//! round, so a `goto` is needed as soon as anything around both of its ends is.

use super::{properties, terms_of, variables_of};
use base::id::Id;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::subst::functions;
use smt::term::{FunId, Role, TermId, Terms};
use svlib::code::{Code, Op, compile};
use svlib::interp::calls;
use svlib::syntax::{CommandKind, ProcId, Property, PropertyKind, Script, StmtId, StmtKind};

/// What stays.
pub(super) struct Needed {
    stmts: Vec<bool>,
    /// The variables.
    pub(super) variables: FxHashSet<FunId>,
}

impl Needed {
    /// True when a statement stays.
    pub(super) fn has(&self, stmt: StmtId) -> bool {
        self.stmts[stmt.index()]
    }
}

/// What the properties of the statements of these procedures need.
pub(super) fn needed(terms: &Terms, script: &Script, procs: &[ProcId]) -> Needed {
    let properties = properties(script, procs);
    let mut search = Search::new(terms, script, procs, &properties);
    if properties.iter().any(|(_, property)| property.kind == PropertyKind::Recurring) {
        search.cycles(procs);
    }
    for (stmt, property) in &properties {
        if !search.dead[stmt.index()] {
            search.stmt(*stmt);
            property.terms.iter().for_each(|&term| search.property(term));
        }
    }
    search.shared_tags(procs);
    if let Some(body) = procs.iter().find_map(|&proc| search.table.entry(script, proc)) {
        search.stmt(body);
    }
    search.close();
    Needed { stmts: search.stmts, variables: search.variables }
}

/// Who needs whom.
#[derive(Default)]
struct Table {
    parent: FxHashMap<StmtId, StmtId>,
    /// Statements that give a variable a value.
    writers: FxHashMap<FunId, Vec<StmtId>>,
    /// Assumptions about a variable.
    assumes: FxHashMap<FunId, Vec<StmtId>>,
    /// Loops with a condition about a variable, and how many variables of each are not needed so far.
    loops: FxHashMap<FunId, Vec<StmtId>>,
    unneeded: FxHashMap<StmtId, usize>,
    calls: FxHashMap<ProcId, Vec<StmtId>>,
    /// The jumps that matter when a statement does.
    jumps: FxHashMap<StmtId, Vec<StmtId>>,
    /// Whose input or output a variable is, and which.
    inputs: FxHashMap<FunId, (ProcId, usize)>,
    outputs: FxHashMap<FunId, (ProcId, usize)>,
}

impl Table {
    /// The body of the procedure that is called by the query.
    fn entry(&self, script: &Script, proc: ProcId) -> Option<StmtId> {
        let called = script
            .commands
            .last()
            .is_some_and(|command| matches!(&command.kind, CommandKind::Call(_, entry, _) if *entry == proc));
        script.procs[proc].body.filter(|_| called)
    }

    fn ancestors(&self, stmt: StmtId) -> impl Iterator<Item = StmtId> + '_ {
        std::iter::successors(Some(stmt), |stmt| self.parent.get(stmt).copied())
    }
}

struct Search<'a> {
    terms: &'a Terms,
    script: &'a Script,
    table: Table,
    /// The kinds of properties that statements have.
    kinds: FxHashMap<StmtId, Vec<PropertyKind>>,
    dead: Vec<bool>,
    stmts: Vec<bool>,
    variables: FxHashSet<FunId>,
    todo_stmts: Vec<StmtId>,
    todo_variables: Vec<FunId>,
}

impl<'a> Search<'a> {
    fn new(
        terms: &'a Terms,
        script: &'a Script,
        procs: &[ProcId],
        properties: &[(StmtId, Property)],
    ) -> Self {
        let count = script.stmts.len();
        let mut kinds: FxHashMap<StmtId, Vec<PropertyKind>> = FxHashMap::default();
        for (stmt, property) in properties {
            kinds.entry(*stmt).or_default().push(property.kind);
        }
        let mut search = Search {
            terms,
            script,
            table: Table::default(),
            kinds,
            dead: vec![false; count],
            stmts: vec![false; count],
            variables: FxHashSet::default(),
            todo_stmts: Vec::new(),
            todo_variables: Vec::new(),
        };
        for &proc in procs {
            search.read(proc);
        }
        search
    }

    /// Enters a procedure into the table.
    fn read(&mut self, proc: ProcId) {
        let (script, text) = (self.script, &self.script.procs[proc]);
        let table = &mut self.table;
        table.inputs.extend(text.inputs.iter().enumerate().map(|(i, &variable)| (variable, (proc, i))));
        table.outputs.extend(text.outputs.iter().enumerate().map(|(i, &variable)| (variable, (proc, i))));
        let Some(body) = text.body else { return };
        let inside = svlib::interp::inside(script, body);
        let mut labels = FxHashMap::default();
        for &stmt in &inside {
            table.parent.extend(script.children(stmt).into_iter().map(|child| (child, stmt)));
            let kind = &script.stmts[stmt].kind;
            match kind {
                StmtKind::Assign(pairs) => {
                    pairs.iter().for_each(|pair| table.writers.entry(pair.0).or_default().push(stmt));
                }
                StmtKind::Havoc(list) => {
                    list.iter().for_each(|&variable| table.writers.entry(variable).or_default().push(stmt));
                }
                StmtKind::Call(callee, _, results) => {
                    table.calls.entry(*callee).or_default().push(stmt);
                    results.iter().for_each(|&result| table.writers.entry(result).or_default().push(stmt));
                }
                StmtKind::Assume(term) => {
                    let about = variables_of(self.terms, *term);
                    about.into_iter().for_each(|v| table.assumes.entry(v).or_default().push(stmt));
                }
                StmtKind::While(term, _) => {
                    let about = variables_of(self.terms, *term);
                    table.unneeded.insert(stmt, about.len());
                    about.into_iter().for_each(|v| table.loops.entry(v).or_default().push(stmt));
                }
                StmtKind::Label(label) => drop(labels.insert(*label, stmt)),
                _ => {}
            }
        }
        if let Some(code) = compile(script, proc) {
            self.unreached(&code, &inside);
        }
        self.jumps(body, &inside, &labels);
        for &stmt in &inside {
            // An assumption that says nothing about variables may be false, and such a loop without end.
            let is_plain = |term: TermId| variables_of(self.terms, term).is_empty();
            match script.stmts[stmt].kind {
                StmtKind::Assume(TermId::TRUE) | StmtKind::While(TermId::FALSE, _) => {}
                StmtKind::Assume(term) | StmtKind::While(term, _) if is_plain(term) => self.stmt(stmt),
                _ => {}
            }
        }
    }

    /// Statements that control never comes to, whatever the values are.
    fn unreached(&mut self, code: &Code, inside: &[StmtId]) {
        let (mut reached, mut todo) = (vec![false; code.instrs.len()], vec![0]);
        while let Some(pc) = todo.pop() {
            if std::mem::replace(&mut reached[pc], true) {
                continue;
            }
            match code.instrs[pc].op {
                Op::Branch(TermId::TRUE, _) => todo.push(pc + 1),
                Op::Branch(TermId::FALSE, target) => todo.push(target),
                Op::Assume(TermId::FALSE) => {}
                _ => todo.extend(code.successors(pc)),
            }
        }
        let recurs = |stmt: StmtId| {
            self.kinds.get(&stmt).is_some_and(|kinds| kinds.contains(&PropertyKind::Recurring))
        };
        let is_label = |stmt: StmtId| matches!(self.script.stmts[stmt].kind, StmtKind::Label(_));
        let mut alive: Vec<StmtId> = inside.iter().copied().filter(|&stmt| is_label(stmt)).collect();
        // The end of the procedure belongs to no statement.
        for (instr, reached) in code.instrs.iter().zip(reached).filter(|(i, _)| i.op != Op::Return) {
            self.dead[instr.stmt.index()] = true;
            if reached || recurs(instr.stmt) {
                alive.push(instr.stmt);
            }
        }
        // Control may come from outside to what is inside.
        let mut seen = FxHashSet::default();
        for stmt in alive {
            for around in self.table.ancestors(stmt).take_while(|&around| seen.insert(around)) {
                self.dead[around.index()] = false;
            }
        }
    }

    /// Which jumps matter when a statement around them does.
    fn jumps(&mut self, body: StmtId, inside: &[StmtId], labels: &FxHashMap<base::intern::SymbolId, StmtId>) {
        let script = self.script;
        let tails = self.tails(body);
        for &stmt in inside {
            let table = &mut self.table;
            match &script.stmts[stmt].kind {
                StmtKind::Return if !tails.contains(&stmt) => {
                    table.jumps.entry(body).or_default().push(stmt);
                }
                StmtKind::Break | StmtKind::Continue => {
                    let is_loop = |stmt: &StmtId| matches!(script.stmts[*stmt].kind, StmtKind::While(..));
                    let around = table.ancestors(stmt).find(is_loop);
                    table.jumps.entry(around.unwrap_or(body)).or_default().push(stmt);
                }
                StmtKind::Goto(label) => {
                    let Some(&label) = labels.get(label) else { continue };
                    let of_label: FxHashSet<StmtId> = table.ancestors(label).collect();
                    let both = table.ancestors(stmt).find(|stmt| of_label.contains(stmt)).unwrap_or(body);
                    table.jumps.entry(both).or_default().extend([stmt, label]);
                }
                _ => {}
            }
        }
    }

    /// Everything that executions without end could go round in.
    fn cycles(&mut self, procs: &[ProcId]) {
        let components = calls::components(self.script, procs);
        for (stmt, text) in self.script.stmts.iter_enumerated() {
            let Some(own) = components.get(&text.proc) else { continue };
            let goes_round = match &text.kind {
                StmtKind::While(..) | StmtKind::Label(_) | StmtKind::Goto(_) => true,
                StmtKind::Call(callee, ..) => components.get(callee) == Some(own),
                _ => false,
            };
            if goes_round {
                self.stmt(stmt);
            }
        }
    }

    /// What is said of a tag is said of all statements that have it.
    fn shared_tags(&mut self, procs: &[ProcId]) {
        let reached: FxHashSet<ProcId> = procs.iter().copied().collect();
        let mut having: FxHashMap<base::intern::SymbolId, Vec<StmtId>> = FxHashMap::default();
        for (stmt, text) in self.script.stmts.iter_enumerated().filter(|(_, s)| reached.contains(&s.proc)) {
            text.tags.iter().for_each(|tag| having.entry(tag.0).or_default().push(stmt));
        }
        for stmts in having.into_values().filter(|stmts| stmts.len() > 1) {
            stmts.into_iter().for_each(|stmt| self.stmt(stmt));
        }
    }

    fn property(&mut self, term: TermId) {
        for fun in functions(self.terms, term) {
            match self.terms.fun(fun).role {
                Role::Variable(..) => self.variable(fun),
                Role::At(variable, tag) => {
                    self.variable(variable);
                    let tagged: Vec<StmtId> = self.script.tagged(tag).collect();
                    tagged.into_iter().for_each(|stmt| self.stmt(stmt));
                }
                _ => {}
            }
        }
    }

    fn term(&mut self, term: TermId) {
        variables_of(self.terms, term).into_iter().for_each(|variable| self.variable(variable));
    }

    fn stmt(&mut self, stmt: StmtId) {
        if !self.dead[stmt.index()] && !std::mem::replace(&mut self.stmts[stmt.index()], true) {
            self.todo_stmts.push(stmt);
        }
    }

    fn variable(&mut self, variable: FunId) {
        if self.variables.insert(variable) {
            self.todo_variables.push(variable);
        }
    }

    fn close(&mut self) {
        loop {
            if let Some(stmt) = self.todo_stmts.pop() {
                self.close_stmt(stmt);
            } else if let Some(variable) = self.todo_variables.pop() {
                self.close_variable(variable);
            } else {
                return;
            }
        }
    }

    fn close_stmt(&mut self, stmt: StmtId) {
        let script = self.script;
        match &script.stmts[stmt].kind {
            kind @ (StmtKind::Assume(_) | StmtKind::If(..) | StmtKind::While(..)) => {
                terms_of(kind).into_iter().for_each(|term| self.term(term));
            }
            StmtKind::Call(callee, ..) => {
                script.procs[*callee].body.into_iter().for_each(|body| self.stmt(body));
            }
            _ => {}
        }
        match self.table.parent.get(&stmt) {
            Some(&parent) => self.stmt(parent),
            None => {
                let calls = self.table.calls.get(&script.stmts[stmt].proc).cloned().unwrap_or_default();
                calls.into_iter().for_each(|call| self.stmt(call));
            }
        }
        let jumps = self.table.jumps.get(&stmt).cloned().unwrap_or_default();
        jumps.into_iter().for_each(|jump| self.stmt(jump));
    }

    fn close_variable(&mut self, variable: FunId) {
        let script = self.script;
        for stmt in self.table.writers.get(&variable).cloned().unwrap_or_default() {
            self.stmt(stmt);
            match &script.stmts[stmt].kind {
                StmtKind::Assign(pairs) => {
                    let own = pairs.iter().filter(|pair| pair.0 == variable);
                    own.for_each(|pair| self.term(pair.1));
                }
                StmtKind::Call(callee, _, results) => {
                    let outputs = results.iter().zip(&script.procs[*callee].outputs);
                    outputs.filter(|(result, _)| **result == variable).for_each(|(_, &o)| self.variable(o));
                }
                _ => {}
            }
        }
        for stmt in self.table.assumes.get(&variable).cloned().unwrap_or_default() {
            self.stmt(stmt);
        }
        for stmt in self.table.loops.get(&variable).cloned().unwrap_or_default() {
            let left = self.table.unneeded.get_mut(&stmt).map(|left| {
                *left -= 1;
                *left
            });
            if left == Some(0) {
                self.stmt(stmt);
            }
        }
        let (input, output) = (self.table.inputs.get(&variable), self.table.outputs.get(&variable));
        let (input, output) = (input.copied(), output.copied());
        if let Some((proc, position)) = input
            && let Some(CommandKind::Call(_, entry, args)) = script.commands.last().map(|c| &c.kind)
            && *entry == proc
        {
            args.get(position).into_iter().for_each(|&arg| self.term(arg));
        }
        for (proc, position) in input.into_iter().chain(output) {
            for call in self.table.calls.get(&proc).cloned().unwrap_or_default() {
                let StmtKind::Call(_, args, results) = &script.stmts[call].kind else { continue };
                if input.is_some() {
                    args.get(position).into_iter().for_each(|&arg| self.term(arg));
                } else {
                    results.get(position).into_iter().for_each(|&result| self.variable(result));
                }
            }
        }
    }

    /// The statements after which the procedure ends in any case: a `return` there does nothing.
    fn tails(&self, body: StmtId) -> FxHashSet<StmtId> {
        let (mut found, mut todo) = (FxHashSet::default(), vec![body]);
        while let Some(stmt) = todo.pop() {
            found.insert(stmt);
            // To return from inside of a statement leaves out what is judged at its end.
            if stmt != body && self.kinds.contains_key(&stmt) {
                continue;
            }
            match &self.script.stmts[stmt].kind {
                StmtKind::Sequence(list) => todo.extend(list.last()),
                StmtKind::If(..) | StmtKind::Choice(_) => todo.extend(self.script.children(stmt)),
                _ => {}
            }
        }
        found
    }
}
