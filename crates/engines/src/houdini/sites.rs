//! The places where an annotation may be missing: heads of loops, and procedures that are called.

use super::live::Live;
use base::intern::SymbolId;
use program::{Procedure, Program};
use rustc_hash::FxHashSet;
use smt::subst::functions;
use smt::term::{Fun, FunId, Role, TermId, Terms, VarKind};
use std::collections::BTreeSet;
use svlib::code::{Op, Pc};
use svlib::flow::head_stmt;
use svlib::syntax::{ProcId, PropertyKind, StmtId};

/// A place for candidates.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The statement that is annotated.
    pub(crate) stmt: StmtId,
    /// With what: an invariant, a precondition or a postcondition.
    pub(crate) kind: PropertyKind,
    /// The variables that the annotation may speak of, as far as the program uses them.
    pub(crate) variables: Vec<FunId>,
    /// Those of them that change while control comes back again and again.
    pub(crate) changing: BTreeSet<FunId>,
    /// What variables were when the procedure was entered, as symbols, each with its variable.
    pub(crate) before: Vec<(FunId, FunId)>,
}

impl Site {
    /// A place for formulas that are known: nothing says what others may speak of.
    pub(crate) fn bare(stmt: StmtId, kind: PropertyKind) -> Site {
        let (variables, changing, before) = (Vec::new(), BTreeSet::new(), Vec::new());
        Site { stmt, kind, variables, changing, before }
    }

    /// True when everything that a term names is known here.
    pub(crate) fn can_say(&self, terms: &Terms, term: TermId) -> bool {
        functions(terms, term).into_iter().all(|fun| match terms.fun(fun).role {
            Role::Variable(..) => self.variables.contains(&fun),
            Role::At(..) => self.before.iter().any(|b| b.0 == fun),
            _ => true,
        })
    }
}

/// All sites of a program: the task says nothing of the kind there, and a tag names the statement.
pub(crate) fn sites(terms: &mut Terms, program: &Program<'_>) -> Vec<Site> {
    let used = used(terms, program);
    let mut found = Vec::new();
    for proc in &program.procs {
        let called = calls(program, proc.id);
        if called && proc.id != program.entry.proc {
            contracts(terms, program, proc, &used, &mut found);
        }
        let loops = program.loops(proc, &|_| false).loops;
        let heads =
            loops.iter().filter_map(|l| Some((head_stmt(program.script, &proc.code, l.head)?, l.head)));
        let mut heads: Vec<(StmtId, Pc)> = heads.collect();
        heads.sort_unstable();
        heads.dedup_by_key(|head| head.0);
        let live = Live::of(terms, program, proc);
        for (stmt, head) in heads {
            let kind = PropertyKind::Invariant;
            if !program.notes(stmt).task_has(kind) && program.own_tag(stmt).is_some() {
                let all = program.globals.iter().copied().chain(program.own_variables(proc.id));
                let all = all.filter(|&variable| live.matters(variable, head));
                let variables: Vec<FunId> = all.filter(|v| used.contains(v)).collect();
                let before = before(terms, program, proc, &variables);
                let changing = program.modified(proc, stmt);
                found.push(Site { stmt, kind, variables, changing, before });
            }
        }
    }
    found
}

fn contracts(
    terms: &mut Terms,
    program: &Program<'_>,
    proc: &Procedure,
    used: &FxHashSet<FunId>,
    found: &mut Vec<Site>,
) {
    let (stmt, notes) = (proc.body, program.notes(proc.body));
    let spoken = notes.task_has(PropertyKind::Requires) || notes.task_has(PropertyKind::Ensures);
    if spoken || program.own_tag(stmt).is_none() {
        return;
    }
    let signature = &program.script.procs[proc.id];
    let globals = program.globals.iter().copied().filter(|v| used.contains(v));
    let inputs: Vec<FunId> = globals.chain(signature.inputs.iter().copied()).collect();
    let outputs: Vec<FunId> = inputs.iter().chain(&signature.outputs).copied().collect();
    let (kind, changing) = (PropertyKind::Requires, BTreeSet::new());
    found.push(Site { stmt, kind, variables: inputs.clone(), changing, before: Vec::new() });
    let modified: Vec<FunId> = inputs.into_iter().filter(|v| proc.modifies.contains(v)).collect();
    let before = before(terms, program, proc, &modified);
    let (kind, changing) = (PropertyKind::Ensures, program.modified(proc, proc.body));
    found.push(Site { stmt, kind, variables: outputs, changing, before });
}

/// What variables were at the entry of the procedure. Inputs do not change, and what locals and outputs are there is
/// arbitrary, so globals are left.
fn before(
    terms: &mut Terms,
    program: &Program<'_>,
    proc: &Procedure,
    variables: &[FunId],
) -> Vec<(FunId, FunId)> {
    let Some(tag) = program.own_tag(proc.body) else { return Vec::new() };
    let changes = |&&v: &&FunId| matches!(terms.fun(v).role, Role::Variable(VarKind::Global, _));
    let changing: Vec<FunId> = variables.iter().filter(changes).copied().collect();
    changing.into_iter().map(|variable| (at(terms, variable, tag), variable)).collect()
}

fn at(terms: &mut Terms, variable: FunId, tag: SymbolId) -> FunId {
    let Fun { name, result, .. } = *terms.fun(variable);
    terms.declare(Fun { name, params: Box::new([]), result, role: Role::At(variable, tag) })
}

/// True when a procedure is called by code, not only by the query.
fn calls(program: &Program<'_>, id: ProcId) -> bool {
    let is_call = |op: &Op| matches!(op, Op::Call(callee, ..) if *callee == id);
    program.procs.iter().any(|p| p.code.instrs.iter().any(|i| is_call(&i.op)))
}

/// The variables that decide something: read by code or by an annotation.
fn used(terms: &Terms, program: &Program<'_>) -> FxHashSet<FunId> {
    let mut found = FxHashSet::default();
    let mut read = |term: TermId| found.extend(functions(terms, term));
    for proc in &program.procs {
        for instr in &proc.code.instrs {
            match &instr.op {
                Op::Assume(term) | Op::Branch(term, _) => read(*term),
                Op::Assign(pairs) => pairs.iter().for_each(|pair| read(pair.1)),
                Op::Call(_, args, _) => args.iter().for_each(|&arg| read(arg)),
                _ => {}
            }
        }
    }
    for stmt in program.annotated() {
        program.notes(stmt).0.iter().flat_map(|note| &note.terms).for_each(|&term| read(term));
    }
    found
}
