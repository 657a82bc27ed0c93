//! Which local variables can be named at the loops and labels of a function.

use cfront::ast::{EntityId, FunctionId, LabelId, StmtId, StmtKind, Unit};
use rustc_hash::FxHashMap;

/// Where a variable of a function can be named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Spot {
    /// At the head of a loop statement.
    Loop(StmtId),
    /// Behind a label.
    Label(LabelId),
}

/// The local variables that are in scope at loops and labels, outer ones first; parameters are the first.
pub(crate) fn scopes(unit: &Unit, function: FunctionId) -> FxHashMap<Spot, Vec<EntityId>> {
    enum Step {
        Stmt(StmtId),
        Leave(usize),
    }
    let mut out = FxHashMap::default();
    let mut scope: Vec<EntityId> = unit.functions[function].params.clone();
    let mut todo = vec![Step::Stmt(unit.functions[function].body)];
    while let Some(step) = todo.pop() {
        let stmt = match step {
            Step::Leave(depth) => {
                scope.truncate(depth);
                continue;
            }
            Step::Stmt(stmt) => stmt,
        };
        match unit.stmts[stmt].kind {
            StmtKind::Block(list) => {
                todo.push(Step::Leave(scope.len()));
                todo.extend(unit.block(list).iter().rev().map(|&inner| Step::Stmt(inner)));
            }
            StmtKind::Decl(list) => {
                let entities = unit.decl_list(list).iter().filter_map(|decl| unit.decls[*decl].entity);
                scope.extend(entities);
            }
            StmtKind::While(_, body) | StmtKind::Do(body, _) => {
                out.insert(Spot::Loop(stmt), scope.clone());
                todo.push(Step::Stmt(body));
            }
            StmtKind::For(index) => {
                let parts = unit.fors[index as usize];
                todo.push(Step::Leave(scope.len()));
                if let Some(init) = parts.init
                    && let StmtKind::Decl(list) = unit.stmts[init].kind
                {
                    let entities = unit.decl_list(list).iter().filter_map(|decl| unit.decls[*decl].entity);
                    scope.extend(entities);
                }
                out.insert(Spot::Loop(stmt), scope.clone());
                todo.push(Step::Stmt(parts.body));
            }
            StmtKind::Label(label, inner) => {
                out.insert(Spot::Label(label), scope.clone());
                todo.push(Step::Stmt(inner));
            }
            StmtKind::If(_, then, other) => {
                todo.extend(other.map(Step::Stmt));
                todo.push(Step::Stmt(then));
            }
            StmtKind::Switch(_, inner) | StmtKind::Case(_, _, inner) | StmtKind::Default(inner) => {
                todo.push(Step::Stmt(inner));
            }
            _ => {}
        }
    }
    out
}
