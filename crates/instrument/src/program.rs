//! A program as automata observe it: its functions' control flow, who calls whom, what ends it.

use base::intern::SymbolId;
use cfront::ast::{
    BinaryOp, Entity, EntityId, EntityKind, ExprId, ExprKind, FunctionId, StmtKind, UnaryOp, Unit,
};
use cfront::cfa::{Cfa, EdgeId, ExitKind, LocId, Op};
use cfront::types::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

/// A location of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The index of the function.
    pub function: usize,
    /// The location.
    pub at: LocId,
}

/// The edge on which the condition of a loop is decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decision {
    pub(crate) edge: EdgeId,
    pub(crate) truth: bool,
}

/// A program and what is known about it.
pub struct Program<'a> {
    /// Syntax and types.
    pub unit: &'a mut Unit,
    /// The control flow of its functions, by [`FunctionId`].
    pub cfas: &'a [Cfa],
    /// Functions whose names are used for more than calls.
    pub(crate) addressed: FxHashSet<EntityId>,
    /// Functions that the program defines, by name.
    functions: FxHashMap<SymbolId, FunctionId>,
    /// Names of types, outside of functions.
    pub(crate) typedefs: FxHashMap<String, Ty>,
    /// Elements that are only operands of `&`.
    pub(crate) not_accessed: FxHashSet<ExprId>,
    /// For each function, the decisions of the loop with this head.
    decisions: Vec<FxHashMap<LocId, Vec<Decision>>>,
    /// For each function, all decisions.
    decided: Vec<FxHashMap<EdgeId, bool>>,
}

impl<'a> Program<'a> {
    /// Looks at a program once.
    #[must_use]
    pub fn new(unit: &'a mut Unit, cfas: &'a [Cfa]) -> Program<'a> {
        let (addressed, not_accessed) = uses(unit);
        let decisions: Vec<_> = cfas.iter().map(|cfa| decisions(unit, cfa)).collect();
        let flat = |all: &FxHashMap<LocId, Vec<Decision>>| {
            all.values().flatten().map(|decision| (decision.edge, decision.truth)).collect()
        };
        let decided = decisions.iter().map(flat).collect();
        let is_typedef = |entity: &&Entity| entity.kind == EntityKind::Typedef && entity.scope.is_none();
        let typedefs = unit.entities.iter().filter(is_typedef);
        let typedefs = typedefs.map(|entity| (unit.name(entity.name).to_owned(), entity.ty)).collect();
        let functions = unit.functions.iter_enumerated();
        let functions = functions.map(|(id, function)| (unit.entities[function.entity].name, id)).collect();
        Program { unit, cfas, addressed, functions, typedefs, not_accessed, decisions, decided }
    }

    /// The function called by its name.
    pub(crate) fn called(&self, callee: ExprId) -> Option<EntityId> {
        called(self.unit, callee)
    }

    /// The definition that a call goes to, if that is known.
    pub(crate) fn definition(&self, call: ExprId) -> Option<FunctionId> {
        let ExprKind::Call(callee, _) = self.unit.exprs[call].kind else { return None };
        self.unit.entities[self.called(callee)?].definition
    }

    /// The definition of the function that runs when a variable ends, if there is such a function, and if it is defined.
    #[expect(
        clippy::option_option,
        reason = "a function without a definition is not the same as no function"
    )]
    pub(crate) fn cleanup(&self, variable: EntityId) -> Option<Option<FunctionId>> {
        let name = self.unit.entities[variable].flags.cleanup?;
        Some(self.functions.get(&name).copied())
    }

    /// True for a function that the program only declares.
    pub(crate) fn is_undefined(&self, function: EntityId) -> bool {
        self.unit.entities[function].definition.is_none()
    }

    /// The name of a function that is called directly, without the prefix of the compiler's own.
    pub(crate) fn called_name(&self, callee: ExprId) -> Option<&str> {
        let entity = &self.unit.entities[self.called(callee)?];
        let name = self.unit.name(entity.name);
        Some(name.strip_prefix("__builtin_").unwrap_or(name))
    }

    /// The decisions of the loop with this head.
    pub(crate) fn decisions(&self, place: Place) -> &[Decision] {
        self.decisions[place.function].get(&place.at).map_or(&[], Vec::as_slice)
    }

    /// Whether an edge decides the condition of a loop, and how.
    pub(crate) fn decided(&self, function: usize, edge: EdgeId) -> Option<bool> {
        self.decided[function].get(&edge).copied()
    }

    /// How the function or program ends with an edge.
    pub(crate) fn exit(&self, function: usize, edge: EdgeId) -> Option<ExitKind> {
        let exits = &self.cfas[function].exits;
        exits.binary_search_by_key(&edge, |exit| exit.edge).ok().map(|index| exits[index].kind)
    }

    /// True when the program ends with an edge, or nothing is known of where it goes.
    pub(crate) fn is_end(&self, function: usize, edge: EdgeId) -> bool {
        match self.exit(function, edge) {
            Some(ExitKind::Return(_) | ExitKind::FallOff) => self.cfas[function].is_main,
            // The end of a thread is none of the program.
            Some(ExitKind::Exit(call)) => !self.is_call_of(call, &["pthread_exit", "thrd_exit"]),
            Some(ExitKind::QuickExit(_) | ExitKind::Abort(_)) => true,
            // A function of the program that does not return ends the program inside of it.
            Some(ExitKind::NoReturn(call)) => self.definition(call).is_none(),
            None => false,
        }
    }

    /// True when the location is the head of a loop.
    pub(crate) fn is_loop_head(&self, place: Place) -> bool {
        self.cfas[place.function].head(place.at).is_some()
    }

    /// Where an execution begins: `main` and what runs before it, or any function if there is no `main`.
    pub(crate) fn starts(&self) -> Vec<Place> {
        let has_main = self.cfas.iter().any(|cfa| cfa.is_main);
        let is_start = |cfa: &Cfa| {
            let entity = &self.unit.entities[self.unit.functions[cfa.function].entity];
            !has_main || cfa.is_main || entity.flags.is_constructor
        };
        let place = |(function, cfa): (usize, &Cfa)| Place { function, at: cfa.entry };
        self.cfas.iter().enumerate().filter(|(_, cfa)| is_start(cfa)).map(place).collect()
    }

    /// True when a call is one of a function of these names that the program does not define.
    fn is_call_of(&self, call: ExprId, names: &[&str]) -> bool {
        let ExprKind::Call(callee, _) = self.unit.exprs[call].kind else { return false };
        self.definition(call).is_none() && self.called_name(callee).is_some_and(|name| names.contains(&name))
    }

    /// The first call of a function of these names that the program does not define.
    pub(crate) fn external_call(&self, names: &[&str]) -> Option<ExprId> {
        self.calls().find(|&call| self.is_call_of(call, names))
    }

    /// The first use of a function of these names that the program does not define. Libraries put `_` before some names.
    pub(crate) fn external_use(&self, names: &[&str]) -> Option<ExprId> {
        let unit: &Unit = self.unit;
        let is_one = |entity: &Entity| {
            let name = unit.name(entity.name);
            let name = name.strip_prefix("__builtin_").unwrap_or(name).trim_start_matches('_');
            matches!(entity.kind, EntityKind::Function(_))
                && entity.definition.is_none()
                && names.contains(&name)
        };
        let entities: FxHashSet<EntityId> =
            unit.entities.iter_enumerated().filter(|(_, entity)| is_one(entity)).map(|(id, _)| id).collect();
        if entities.is_empty() {
            return None;
        }
        let is_use = |expr: ExprId| matches!(unit.exprs[expr].kind, ExprKind::Name(entity) if entities.contains(&entity));
        unit.exprs.ids().find(|&expr| is_use(expr))
    }

    /// All calls.
    pub(crate) fn calls(&self) -> impl Iterator<Item = ExprId> {
        let call = |edge: &cfront::cfa::Edge| match edge.op {
            Op::Call(call) => Some(call),
            _ => None,
        };
        self.cfas.iter().flat_map(move |cfa| cfa.edges.iter().filter_map(call))
    }
}

fn called(unit: &Unit, callee: ExprId) -> Option<EntityId> {
    let mut callee = unit.peeled(callee);
    while let ExprKind::Unary(UnaryOp::Deref | UnaryOp::AddressOf, inner) = unit.exprs[callee].kind {
        callee = unit.peeled(inner);
    }
    match unit.exprs[callee].kind {
        ExprKind::Name(entity) => {
            matches!(unit.entities[entity].kind, EntityKind::Function(_)).then_some(entity)
        }
        _ => None,
    }
}

/// Functions that are not only called, and elements whose address is taken.
fn uses(unit: &Unit) -> (FxHashSet<EntityId>, FxHashSet<ExprId>) {
    let mut not_accessed = FxHashSet::default();
    let mut in_calls: FxHashMap<EntityId, usize> = FxHashMap::default();
    let mut in_all: FxHashMap<EntityId, usize> = FxHashMap::default();
    for expr in unit.exprs.iter() {
        match expr.kind {
            ExprKind::Call(callee, _) => {
                if let Some(entity) = called(unit, callee) {
                    *in_calls.entry(entity).or_default() += 1;
                }
            }
            ExprKind::Name(entity) if matches!(unit.entities[entity].kind, EntityKind::Function(_)) => {
                *in_all.entry(entity).or_default() += 1;
            }
            ExprKind::Unary(UnaryOp::AddressOf, inner) => {
                not_accessed.insert(unit.peeled(inner));
            }
            _ => {}
        }
    }
    let is_more =
        |(entity, count): &(&EntityId, &usize)| in_calls.get(*entity).copied().unwrap_or(0) < **count;
    (in_all.iter().filter(is_more).map(|(entity, _)| *entity).collect(), not_accessed)
}

/// The edges on which the conditions of loops are decided. `a && b` is decided on three edges, and `a` on none alone.
fn decisions(unit: &Unit, cfa: &Cfa) -> FxHashMap<LocId, Vec<Decision>> {
    let mut leaves: FxHashMap<(ExprId, bool), (LocId, bool)> = FxHashMap::default();
    let mut out: FxHashMap<LocId, Vec<Decision>> = FxHashMap::default();
    for head in &cfa.heads {
        let cond = match head.stmt.map(|stmt| unit.stmts[stmt].kind) {
            Some(StmtKind::While(cond, _) | StmtKind::Do(_, cond)) => Some(cond),
            Some(StmtKind::For(index)) => unit.fors[index as usize].cond,
            Some(_) => None,
            // A loop made of jumps: what is decided at its head.
            None => {
                for &edge in cfa.leaving(head.at) {
                    if let Op::Assume(_, truth) = cfa.edges[edge].op {
                        out.entry(head.at).or_default().push(Decision { edge, truth });
                    }
                }
                None
            }
        };
        let mut todo: Vec<(ExprId, Option<bool>, Option<bool>)> =
            cond.map(|cond| (cond, Some(true), Some(false))).into_iter().collect();
        while let Some((expr, yes, no)) = todo.pop() {
            let expr = unit.peeled(expr);
            match unit.exprs[expr].kind {
                ExprKind::Unary(UnaryOp::Not, inner) => todo.push((inner, no, yes)),
                ExprKind::Binary(BinaryOp::And, left, right) => {
                    todo.extend([(left, None, no), (right, yes, no)]);
                }
                ExprKind::Binary(BinaryOp::Or, left, right) => {
                    todo.extend([(left, yes, None), (right, yes, no)]);
                }
                ExprKind::Binary(BinaryOp::Comma, _, right) => todo.push((right, yes, no)),
                _ => {
                    for (truth, decides) in [(true, yes), (false, no)] {
                        leaves.extend(decides.map(|decides| ((expr, truth), (head.at, decides))));
                    }
                }
            }
        }
    }
    for (edge, data) in cfa.edges.iter_enumerated() {
        if let Op::Assume(expr, truth) = data.op
            && let Some(&(head, truth)) = leaves.get(&(expr, truth))
        {
            out.entry(head).or_default().push(Decision { edge, truth });
        }
    }
    out
}
