//! The predicates that are to be found: one for each loop, and a precondition and a postcondition for each procedure that
//! is called, as far as the task says nothing there.

use super::live::Live;
use super::{Meaning, Unknown};
use program::{Layout, Note, Origin, Procedure, Program, Root, Roots};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::parse::Command as Smt;
use smt::sort::SortId;
use smt::subst::{Unfolding, functions};
use smt::term::{Fun, FunId, Role, TermId, Terms};
use std::collections::BTreeSet;
use svlib::code::{Op, Pc};
use svlib::flow::head_stmt;
use svlib::syntax::{CommandKind, ProcId, PropertyKind, StmtId};

/// A program with unknown predicates in the place of the annotations that it lacks.
pub(super) struct Unknowns<'s> {
    pub(super) program: Program<'s>,
    pub(super) roots: Roots,
    pub(super) found: Vec<Unknown>,
    /// Where an abstraction is coarser than the program, so that clauses without a solution mean nothing.
    pub(super) coarse: Vec<String>,
    /// Names that predicates must not have.
    names: FxHashSet<String>,
    /// Constants that the program speaks of: they have one value throughout an execution.
    rigid: Vec<FunId>,
}

impl<'s> Unknowns<'s> {
    pub(super) fn of(terms: &mut Terms, program: &Program<'s>) -> Unknowns<'s> {
        let mut unknowns = Unknowns {
            program: program.clone(),
            roots: Roots::default(),
            found: Vec::new(),
            coarse: Vec::new(),
            names: names(terms, program),
            rigid: rigid(terms, program),
        };
        let called = called(program);
        let mentioned = mentioned(terms, program);
        let mut asked: FxHashSet<ProcId> = FxHashSet::default();
        for proc in program.procs.iter().filter(|proc| called.contains(&proc.id)) {
            if unknowns.contract(terms, proc, &mentioned[&proc.id]) {
                asked.insert(proc.id);
            }
        }
        for proc in &program.procs {
            unknowns.places(terms, proc, &asked);
        }
        unknowns
    }

    // ---- procedures

    /// Gives a procedure the unknown parts of its contract; true when there are any.
    fn contract(&mut self, terms: &mut Terms, proc: &Procedure, mentioned: &BTreeSet<FunId>) -> bool {
        let program = &self.program;
        let name = terms.names.text(program.script.procs[proc.id].name).to_string();
        let notes = program.notes(proc.body);
        let (requires, ensures) = (notes.has(PropertyKind::Requires), notes.has(PropertyKind::Ensures));
        if program.own_tag(proc.body).is_none() {
            if !requires && !ensures {
                self.coarse
                    .push(format!("the procedure {name} has no tag of its own, so it can do anything"));
            }
            return false;
        }
        let text = &program.script.procs[proc.id];
        let globals: Vec<FunId> =
            program.globals.iter().copied().filter(|global| mentioned.contains(global)).collect();
        if !ensures {
            let mut params = [&text.inputs[..], &globals[..]].concat();
            // The layout makes the terms that say what globals were when the procedure was called.
            let mut layout = Layout::of(terms, program, proc, &[]);
            for &global in proc.modifies.iter() {
                params.push(layout.snapshot(terms, program, proc.body, global));
            }
            params.extend(&text.outputs);
            self.note(terms, &format!("post.{name}"), params, proc.body, PropertyKind::Ensures);
        }
        // Where the task has a contract, only what the procedure cannot change may be known besides.
        let mut params = [&text.inputs[..], &globals[..]].concat();
        let modular = requires || ensures;
        if modular {
            let modified = self.program.modified(proc, proc.body);
            params.retain(|variable| !modified.contains(variable));
        }
        let wanted = !modular || !params.is_empty();
        if wanted {
            self.note(terms, &format!("pre.{name}"), params, proc.body, PropertyKind::Requires);
        }
        wanted || !ensures
    }

    /// Adds an annotation that is an unknown predicate.
    fn note(&mut self, terms: &mut Terms, name: &str, params: Vec<FunId>, stmt: StmtId, kind: PropertyKind) {
        let (predicate, params) = self.unknown(terms, name, params, Meaning::Annotation(stmt, kind));
        let args: Vec<TermId> = params.iter().map(|&param| terms.constant_term(param)).collect();
        // The predicate was declared for these parameters.
        let Ok(term) = terms.call(predicate, &args) else { return };
        let (terms, origin) = (vec![term], Origin::Added);
        self.program.annotate(stmt, Note { kind, terms, origin, at: Default::default() });
    }

    /// A new predicate over variables and the rigid constants.
    fn unknown(
        &mut self,
        terms: &mut Terms,
        name: &str,
        mut params: Vec<FunId>,
        meaning: Meaning,
    ) -> (FunId, Vec<FunId>) {
        params.extend(&self.rigid);
        let mut name = name.to_string();
        while !self.names.insert(name.clone()) {
            name.push('!');
        }
        let sorts = params.iter().map(|&param| terms.fun(param).result).collect();
        let name = terms.names.intern(&name);
        let predicate = terms.declare(Fun { name, params: sorts, result: SortId::BOOL, role: Role::Free });
        self.found.push(Unknown { predicate, params: params.clone(), known: Vec::new(), meaning });
        (predicate, params)
    }

    // ---- places in code

    /// Puts predicates at the heads of loops without an invariant, and at calls of procedures with unknown contracts.
    fn places(&mut self, terms: &mut Terms, proc: &Procedure, asked: &FxHashSet<ProcId>) {
        let mut places: Vec<(Pc, String, Meaning)> = Vec::new();
        let name = terms.names.text(self.program.script.procs[proc.id].name).to_string();
        for head in self.heads(proc) {
            let stmt = head_stmt(self.program.script, &proc.code, head);
            let tag = stmt.and_then(|stmt| self.program.script.stmts[stmt].tags.first());
            places.push(match (stmt, tag) {
                (Some(stmt), Some((tag, _))) => {
                    let name = format!("inv.{}", terms.names.text(*tag));
                    (head, name, Meaning::Annotation(stmt, PropertyKind::Invariant))
                }
                _ => (head, format!("inv.{name}"), Meaning::Untold),
            });
        }
        for (pc, instr) in proc.code.instrs.iter().enumerate() {
            if let Op::Call(callee, ..) = &instr.op
                && asked.contains(callee)
                && proc.natural.reachable[pc]
                && !places.iter().any(|place| place.0 == pc)
            {
                let callee = terms.names.text(self.program.script.procs[*callee].name);
                places.push((pc, format!("at.{name}.{callee}"), Meaning::Inner));
            }
        }
        let layout = Layout::of(terms, &self.program, proc, &[]);
        let live = Live::of(terms, &self.program, proc, &layout);
        let params: Vec<Vec<FunId>> = places.iter().map(|place| live.at(place.0)).collect();
        for ((pc, name, meaning), params) in places.into_iter().zip(params) {
            let (predicate, params) = self.unknown(terms, &name, params, meaning);
            self.roots.insert((proc.id, pc), Root { predicate, params });
        }
    }

    /// The heads of the loops that no invariant describes. Heads are chosen anew when some are given, until all are.
    fn heads(&self, proc: &Procedure) -> Vec<Pc> {
        let has_invariant = |pc: Pc| {
            head_stmt(self.program.script, &proc.code, pc)
                .is_some_and(|stmt| self.program.notes(stmt).has(PropertyKind::Invariant))
        };
        let mut heads: BTreeSet<Pc> = BTreeSet::new();
        loop {
            let loops = self.program.loops(proc, &|pc| heads.contains(&pc));
            let before = heads.len();
            heads.extend(loops.loops.iter().map(|l| l.head).filter(|&head| !has_invariant(head)));
            if heads.len() == before {
                return heads.into_iter().collect();
            }
        }
    }
}

/// The procedures that are called by others or by themselves.
fn called(program: &Program<'_>) -> FxHashSet<ProcId> {
    let instrs = program.procs.iter().flat_map(|proc| &proc.code.instrs);
    instrs
        .filter_map(|instr| match instr.op {
            Op::Call(callee, ..) => Some(callee),
            _ => None,
        })
        .collect()
}

/// The terms of a procedure's code and annotations.
fn terms_of(program: &Program<'_>, proc: &Procedure) -> Vec<TermId> {
    let mut found = Vec::new();
    for instr in &proc.code.instrs {
        match &instr.op {
            Op::Assume(term) | Op::Branch(term, _) => found.push(*term),
            Op::Assign(pairs) => found.extend(pairs.iter().map(|pair| pair.1)),
            Op::Call(_, args, _) => found.extend(args),
            _ => {}
        }
        if instr.op == Op::Visit {
            found.extend(program.notes(instr.stmt).0.iter().flat_map(|note| &note.terms));
        }
    }
    found
}

/// The globals that each procedure reads or writes, those of the procedures it calls included.
fn mentioned(terms: &Terms, program: &Program<'_>) -> FxHashMap<ProcId, BTreeSet<FunId>> {
    let globals: FxHashSet<FunId> = program.globals.iter().copied().collect();
    let mut found: FxHashMap<ProcId, BTreeSet<FunId>> = FxHashMap::default();
    for proc in &program.procs {
        let mut here = proc.modifies.clone();
        for fun in terms_of(program, proc).into_iter().flat_map(|term| functions(terms, term)) {
            let variable = match terms.fun(fun).role {
                Role::At(variable, _) => variable,
                _ => fun,
            };
            if globals.contains(&variable) {
                here.insert(variable);
            }
        }
        found.insert(proc.id, here);
    }
    loop {
        let mut grown = false;
        for proc in &program.procs {
            for instr in &proc.code.instrs {
                let Op::Call(callee, ..) = &instr.op else { continue };
                let theirs = found.get(callee).cloned().unwrap_or_default();
                let mine = found.entry(proc.id).or_default();
                let before = mine.len();
                mine.extend(theirs);
                grown |= mine.len() > before;
            }
        }
        if !grown {
            return found;
        }
    }
}

/// The declared constants that code and annotations use, in order of declaration. Others occur in the arguments of the
/// query and in asserts only: what matters of them is in the inputs.
fn rigid(terms: &mut Terms, program: &Program<'_>) -> Vec<FunId> {
    let (mut found, mut unfolding) = (BTreeSet::new(), Unfolding::default());
    for proc in &program.procs {
        for term in terms_of(program, proc) {
            let term = unfolding.apply(terms, term);
            let is_rigid = |&fun: &FunId| {
                let fun = terms.fun(fun);
                fun.role == Role::Free && fun.params.is_empty()
            };
            found.extend(functions(terms, term).into_iter().filter(is_rigid));
        }
    }
    found.into_iter().collect()
}

/// The names that the script uses for functions and variables.
fn names(terms: &Terms, program: &Program<'_>) -> FxHashSet<String> {
    let script = program.script;
    let mut funs: Vec<FunId> = Vec::new();
    for command in &script.commands {
        match &command.kind {
            CommandKind::Smt(Smt::DeclareFun(fun) | Smt::DefineFun(fun)) | CommandKind::DeclareVar(fun) => {
                funs.push(*fun);
            }
            CommandKind::Smt(Smt::DefineFunsRec(list)) => funs.extend(list),
            _ => {}
        }
    }
    for proc in script.procs.iter() {
        funs.extend(proc.inputs.iter().chain(&proc.outputs).chain(&proc.locals));
    }
    funs.into_iter().map(|fun| terms.fun_name(fun).to_string()).collect()
}
