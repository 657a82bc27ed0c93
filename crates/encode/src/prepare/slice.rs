//! A script without what is not needed. What is left out of a procedure becomes an empty statement with the same id.

use super::is_empty;
use super::needed::Needed;
use rustc_hash::FxHashSet;
use smt::term::FunId;
use svlib::syntax::{CommandKind, ProcId, Script, StmtId, StmtKind};

/// Takes away what is not needed; true when that is something.
pub(super) fn slice(script: &mut Script, procs: &[ProcId], needed: &Needed) -> bool {
    let reached: FxHashSet<ProcId> = procs.iter().copied().collect();
    let interfaces: Vec<(Vec<bool>, Vec<bool>)> =
        script.procs.iter().map(|proc| (kept(&proc.inputs, needed), kept(&proc.outputs, needed))).collect();
    let interface = |proc: ProcId| &interfaces[base::id::Id::index(proc)];
    let mut is_less = false;
    let stmts: Vec<StmtId> =
        script.stmts.ids().filter(|&s| reached.contains(&script.stmts[s].proc)).collect();
    for id in stmts {
        let stmt = &mut script.stmts[id];
        if !needed.has(id) {
            is_less |= !is_empty(stmt) && !matches!(stmt.kind, StmtKind::Sequence(_));
            stmt.kind = StmtKind::Sequence(Vec::new());
            stmt.tags.clear();
            stmt.properties.clear();
            continue;
        }
        let count = |kind: &StmtKind| match kind {
            StmtKind::Assign(pairs) => pairs.len(),
            StmtKind::Havoc(list) => list.len(),
            StmtKind::Call(_, args, results) => args.len() + results.len(),
            _ => 0,
        };
        let before = count(&stmt.kind);
        match &mut stmt.kind {
            StmtKind::Sequence(list) => list.retain(|&part| needed.has(part)),
            StmtKind::If(_, _, otherwise) => *otherwise = otherwise.filter(|&part| needed.has(part)),
            StmtKind::Assign(pairs) => pairs.retain(|pair| needed.variables.contains(&pair.0)),
            StmtKind::Havoc(list) => list.retain(|variable| needed.variables.contains(variable)),
            StmtKind::Call(callee, args, results) => {
                let (inputs, outputs) = interface(*callee);
                retain(args, inputs);
                retain(results, outputs);
            }
            _ => {}
        }
        is_less |= count(&stmt.kind) < before;
        if before > 0 && count(&stmt.kind) == 0 && !matches!(stmt.kind, StmtKind::Call(..)) {
            stmt.kind = StmtKind::Sequence(Vec::new());
        }
    }
    is_less |= commands(script, &reached, needed, |proc| &interface(proc).0);
    for &proc in procs {
        let proc = &mut script.procs[proc];
        for list in [&mut proc.inputs, &mut proc.outputs, &mut proc.locals] {
            let before = list.len();
            list.retain(|variable| needed.variables.contains(variable));
            is_less |= list.len() < before;
        }
    }
    is_less
}

fn commands<'a>(
    script: &mut Script,
    reached: &FxHashSet<ProcId>,
    needed: &Needed,
    inputs: impl Fn(ProcId) -> &'a Vec<bool>,
) -> bool {
    let before = script.commands.len();
    script.commands.retain(|command| match command.kind {
        CommandKind::DeclareVar(variable) => needed.variables.contains(&variable),
        _ => true,
    });
    for command in &mut script.commands {
        match &mut command.kind {
            CommandKind::AnnotateTag(annotation) => {
                let stays = |stmt: StmtId| !reached.contains(&script.stmts[stmt].proc) || needed.has(stmt);
                for property in &mut annotation.properties {
                    property.meanings.retain(|(stmt, _)| stays(*stmt));
                }
            }
            CommandKind::Call(_, proc, args) => retain(args, inputs(*proc)),
            _ => {}
        }
    }
    script.commands.len() < before
}

fn kept(list: &[FunId], needed: &Needed) -> Vec<bool> {
    list.iter().map(|variable| needed.variables.contains(variable)).collect()
}

/// Keeps what has `true` at its position.
fn retain<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next().copied().unwrap_or(true));
}
