//! Which variables a statement can modify, read off the text (decision 3): targets of assignments and havocs,
//! variables that receive results of calls, and the globals that called procedures can modify.

use super::calls::{self, reachable};
use crate::code::compile;
use crate::flow::{loops, visit_of};
use crate::syntax::{ProcId, Script, StmtId, StmtKind};
use rustc_hash::FxHashSet;
use smt::term::FunId;
use std::collections::BTreeSet;

/// The variables that a statement can modify. For a loop head, `while` or label, this includes what is modified on
/// any way from the head back to it without leaving the loop. The body of a recursive procedure includes the procedure's inputs, because
/// every recursive call gives them new values.
#[must_use]
pub fn modified(script: &Script, stmt: StmtId) -> BTreeSet<FunId> {
    let (mut found, mut called) = (BTreeSet::new(), Vec::new());
    for inner in inside(script, stmt) {
        targets(script, inner, &mut found, &mut called);
    }
    let proc = script.stmts[stmt].proc;
    if let StmtKind::While(..) | StmtKind::Label(_) = script.stmts[stmt].kind {
        for inner in on_cycles(script, stmt) {
            targets(script, inner, &mut found, &mut called);
        }
    }
    for callee in reachable(script, &called) {
        globals(script, callee, &mut found);
    }
    if script.procs[proc].body == Some(stmt) && calls::is_recursive(script, proc) {
        found.extend(&script.procs[proc].inputs);
    }
    found
}

/// A statement and all statements inside it.
#[must_use]
pub fn inside(script: &Script, stmt: StmtId) -> Vec<StmtId> {
    let (mut found, mut next) = (vec![stmt], 0);
    while next < found.len() {
        found.extend(script.children(found[next]));
        next += 1;
    }
    found
}

/// What one statement modifies itself, and whom it calls.
fn targets(script: &Script, stmt: StmtId, found: &mut BTreeSet<FunId>, called: &mut Vec<ProcId>) {
    match &script.stmts[stmt].kind {
        StmtKind::Assign(pairs) => found.extend(pairs.iter().map(|pair| pair.0)),
        StmtKind::Havoc(variables) => found.extend(variables),
        StmtKind::Call(proc, _, results) => {
            found.extend(results);
            called.push(*proc);
        }
        _ => {}
    }
}

/// The globals among what the body of a procedure modifies itself.
fn globals(script: &Script, proc: ProcId, found: &mut BTreeSet<FunId>) {
    let Some(body) = script.procs[proc].body else { return };
    let own: FxHashSet<FunId> =
        script.procs[proc].outputs.iter().chain(&script.procs[proc].locals).copied().collect();
    let (mut all, mut called) = (BTreeSet::new(), Vec::new());
    for stmt in inside(script, body) {
        targets(script, stmt, &mut all, &mut called);
    }
    found.extend(all.into_iter().filter(|variable| !own.contains(variable)));
}

/// The statements of the loop whose head a statement is, or that it is part of.
fn on_cycles(script: &Script, stmt: StmtId) -> Vec<StmtId> {
    let Some(code) = compile(script, script.stmts[stmt].proc) else { return Vec::new() };
    let Some(visit) = visit_of(&code, stmt) else { return Vec::new() };
    let found = loops(&code, &|_| false);
    let Some(number) = found.innermost[visit] else { return Vec::new() };
    found.loops[number].nodes.iter().map(|&pc| code.instrs[pc].stmt).collect()
}
