//! What a function may change, itself and through the functions that it calls.
//!
//! A variable is changed by its name or through pointers. Whatever pointers lead to is one thing here: if a function writes
//! through any pointer, every variable whose address is taken may have changed, and memory that has no name too.

use crate::calls::{callees, graph};
use crate::library::{ELSEWHERE, HARMLESS, READING, REMEMBERING};
use crate::program::Program;
use base::graph::components;
use base::id::Id;
use cfront::ast::{EntityId, EntityKind, ExprId, ExprKind, FunctionId, Storage, UnaryOp, Unit};
use cfront::cfa::{Cfa, Edge, EdgeId, LocId, Op};
use cfront::types::{CONST, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What a function may change.
#[derive(Clone, Default, Debug)]
pub(crate) struct Effects {
    /// Variables, by name. Automatic variables are the function's own.
    pub(crate) written: FxHashSet<EntityId>,
    /// True when something is written through a pointer.
    pub(crate) writes_memory: bool,
    /// True when assembly is executed.
    pub(crate) has_asm: bool,
    /// True when a block of memory may be freed.
    pub(crate) frees: bool,
    /// A function of a library that is called and remembers something from call to call.
    pub(crate) remembers: Option<&'static str>,
}

impl Effects {
    /// Adds what a called function changes, with what it calls.
    fn add(&mut self, called: &Effects) {
        self.writes_memory |= called.writes_memory;
        self.has_asm |= called.has_asm;
        self.frees |= called.frees;
        self.remembers = self.remembers.or(called.remembers);
        self.written.extend(&called.written);
    }

    /// True when nothing is added by what a called function changes.
    fn covers(&self, called: &Effects) -> bool {
        (self.writes_memory || !called.writes_memory)
            && (self.has_asm || !called.has_asm)
            && (self.frees || !called.frees)
            && (self.remembers.is_some() || called.remembers.is_none())
            && called.written.is_subset(&self.written)
    }
}

/// What all functions may change.
pub(crate) struct AllEffects {
    /// By function, what others see of it when they call it: with what it calls, without its automatic variables. Functions
    /// that change the same share it.
    closed: Vec<Rc<Effects>>,
    /// Who calls whom.
    graph: Vec<Vec<usize>>,
    /// Variables whose address is taken.
    pub(crate) addressed: FxHashSet<EntityId>,
    /// True when there is memory without a name besides blocks: arguments of the program, literals, addresses that are numbers.
    pub(crate) has_unnamed: bool,
    /// True when single bytes of records may be read.
    pub(crate) reads_bytes: bool,
    /// Why nothing is known of when the state of the program changes.
    pub(crate) elsewhere: Option<&'static str>,
    /// By function, whether one that may be active below it has variables with an address.
    pub(crate) below: Vec<bool>,
    /// For each function, whether it may be called while it is active.
    pub(crate) is_recursive: Vec<bool>,
}

impl AllEffects {
    pub(crate) fn new(program: &Program<'_>) -> AllEffects {
        let graph = graph(program);
        let closed = closed(program, &graph);
        let (mut addressed, has_literals) = addressed(program.unit);
        // What runs when a variable ends gets its address.
        let ids = program.unit.entities.iter_enumerated();
        addressed.extend(ids.filter(|(_, entity)| entity.flags.cleanup.is_some()).map(|(id, _)| id));
        let has_unnamed = has_literals || has_unnamed(program);
        let below = below(program, &graph, &addressed);
        let is_recursive = crate::calls::recursive(&graph);
        let elsewhere = ELSEWHERE.iter().find(|(names, _)| program.external_use(names).is_some());
        let elsewhere = elsewhere.map(|(_, why)| *why);
        let reads_bytes = reads_bytes(program);
        AllEffects { closed, graph, addressed, has_unnamed, reads_bytes, elsewhere, below, is_recursive }
    }

    /// True when a function, or what it calls, may free a block of memory.
    pub(crate) fn frees(&self, function: usize) -> bool {
        self.closed[function].frees
    }

    /// What a function may change, with what it calls.
    pub(crate) fn function(&self, program: &Program<'_>, function: usize) -> Effects {
        let own = direct(program, program.cfas[function].edges.iter());
        self.with_callees(own, &self.graph[function])
    }

    /// What may change between two visits of a location without the function being left. All edges between them are on
    /// cycles through it, so they are in its strongly connected component, and what others change is as it was.
    pub(crate) fn around(
        &self,
        program: &Program<'_>,
        cfa: &Cfa,
        cycles: &mut Cycles,
        at: LocId,
    ) -> Rc<Effects> {
        let component = cycles.component[at.index()];
        if let Some(known) = cycles.effects.get(&component) {
            return Rc::clone(known);
        }
        let inside = cycles.edges.get(&component).map_or(&[][..], Vec::as_slice);
        let edges = || inside.iter().map(|edge| &cfa.edges[*edge]);
        let effects = Rc::new(self.with_callees(direct(program, edges()), &callees(program, edges())));
        cycles.effects.insert(component, Rc::clone(&effects));
        effects
    }

    fn with_callees(&self, mut out: Effects, callees: &[usize]) -> Effects {
        for &callee in callees {
            out.add(&self.closed[callee]);
        }
        out
    }
}

/// What each function changes with what it calls, callees first.
fn closed(program: &Program<'_>, graph: &[Vec<usize>]) -> Vec<Rc<Effects>> {
    let unit: &Unit = program.unit;
    let nothing = Rc::new(Effects::default());
    let mut out = vec![nothing; graph.len()];
    for component in components(graph) {
        let mut own = Effects::default();
        for cfa in component.iter().filter_map(|&one| program.cfas.get(one)) {
            let mut direct = direct(program, cfa.edges.iter());
            // A function inside another one may write that one's variables.
            let is_own = |entity: EntityId| unit.entities[entity].scope == Some(cfa.function);
            direct.written.retain(|&entity| !is_automatic(unit, entity) || !is_own(entity));
            own.add(&direct);
        }
        // Within the component nothing is known yet, and all its members have the same callees.
        let mut called: Vec<&Rc<Effects>> = Vec::new();
        for &one in &component {
            called.extend(graph[one].iter().map(|&callee| &out[callee]));
        }
        let largest = called.iter().copied().max_by_key(|effects| effects.written.len());
        let shared = largest.filter(|largest| {
            largest.covers(&own) && called.iter().all(|one| Rc::ptr_eq(one, largest) || largest.covers(one))
        });
        let effects = match shared {
            Some(shared) => Rc::clone(shared),
            None => {
                called.iter().for_each(|one| own.add(one));
                Rc::new(own)
            }
        };
        for one in component {
            out[one] = Rc::clone(&effects);
        }
    }
    out
}

/// The strongly connected components of a function's control flow.
pub(crate) struct Cycles {
    /// By location.
    component: Vec<usize>,
    /// The edges inside of components.
    edges: FxHashMap<usize, Vec<EdgeId>>,
    /// What changes in components, as far as somebody has asked: loops within a loop are in the same.
    effects: FxHashMap<usize, Rc<Effects>>,
}

impl Cycles {
    pub(crate) fn new(cfa: &Cfa) -> Cycles {
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); cfa.locations];
        for edge in &cfa.edges {
            next[edge.from.index()].push(edge.to.index());
        }
        let mut component = vec![0; cfa.locations];
        for (number, members) in components(&next).into_iter().enumerate() {
            members.into_iter().for_each(|at| component[at] = number);
        }
        let mut edges: FxHashMap<usize, Vec<EdgeId>> = FxHashMap::default();
        for (id, edge) in cfa.edges.iter_enumerated() {
            let number = component[edge.from.index()];
            if number == component[edge.to.index()] {
                edges.entry(number).or_default().push(id);
            }
        }
        Cycles { component, edges, effects: FxHashMap::default() }
    }
}

/// True for variables that end with the activation of their function.
pub(crate) fn is_automatic(unit: &Unit, entity: EntityId) -> bool {
    matches!(unit.entities[entity].kind, EntityKind::Variable(Storage::Automatic) | EntityKind::Parameter)
}

/// The variable that a place is in; none if a pointer leads to it.
pub(crate) fn variable_of(unit: &Unit, mut place: ExprId) -> Option<EntityId> {
    loop {
        place = unit.peeled(place);
        let is_array = |expr: ExprId| {
            matches!(unit.types.kind(unit.exprs[expr].ty), TypeKind::Array(..) | TypeKind::Vector(..))
        };
        place = match unit.exprs[place].kind {
            ExprKind::Name(entity) => {
                return matches!(unit.entities[entity].kind, EntityKind::Variable(_) | EntityKind::Parameter)
                    .then_some(entity);
            }
            ExprKind::Member(base, _) => base,
            ExprKind::Index(base, _) if is_array(base) => base,
            ExprKind::Index(_, base) if is_array(base) => base,
            ExprKind::Unary(UnaryOp::Deref, base) if is_array(base) => base,
            ExprKind::Unary(UnaryOp::Real | UnaryOp::Imag, base) => base,
            _ => return None,
        };
    }
}

fn direct<'e>(program: &Program<'_>, edges: impl Iterator<Item = &'e Edge>) -> Effects {
    let unit: &Unit = program.unit;
    let mut out = Effects::default();
    for edge in edges {
        match edge.op {
            Op::Eval(expr) => {
                let target = match unit.exprs[expr].kind {
                    ExprKind::Assign(target, _) | ExprKind::CompoundAssign(_, target, _) => target,
                    ExprKind::VaArg(list) => list,
                    ExprKind::Unary(
                        UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec,
                        target,
                    ) => target,
                    _ => continue,
                };
                match variable_of(unit, target) {
                    Some(entity) => drop(out.written.insert(entity)),
                    None => out.writes_memory = true,
                }
            }
            Op::Declare(entity) => {
                out.written.insert(entity);
                if program.cleanup(entity) == Some(None) {
                    (out.writes_memory, out.frees) = (true, true);
                }
            }
            Op::Zero(decl) | Op::Init(decl, _) => out.written.extend(unit.decls[decl].entity),
            Op::Asm(_) => out.has_asm = true,
            Op::Call(call) if program.definition(call).is_none() => external(program, call, &mut out),
            _ => {}
        }
    }
    out
}

/// A function that the program does not define changes what pointers given to it lead to, and nothing else.
fn external(program: &Program<'_>, call: ExprId, out: &mut Effects) {
    out.frees |= crate::pointees::frees(program, call);
    let unit: &Unit = program.unit;
    let ExprKind::Call(callee, list) = unit.exprs[call].kind else { return };
    let name = program.called_name(callee);
    let known = REMEMBERING.iter().copied().find(|known| name == Some(known));
    out.remembers = out.remembers.or(known);
    let params = unit.types.callee(unit.exprs[callee].ty).map(|signature| &signature.params);
    if name.is_some_and(|name| HARMLESS.contains(&name)) {
        return;
    }
    for (index, &argument) in unit.args(list).iter().enumerate() {
        let ty = params.and_then(|params| params.get(index).copied()).unwrap_or(unit.exprs[argument].ty);
        match unit.types.kind(ty) {
            TypeKind::Pointer(to) | TypeKind::Array(to, _) => {
                out.writes_memory |= unit.types.element_quals(to) & CONST == 0;
            }
            TypeKind::VaList => out.written.extend(variable_of(unit, argument)),
            TypeKind::Record(_) => out.writes_memory = true,
            _ => {}
        }
    }
}

/// Variables whose address is taken, and whether that of a literal is.
fn addressed(unit: &Unit) -> (FxHashSet<EntityId>, bool) {
    let is_array = |expr: ExprId| matches!(unit.types.kind(unit.exprs[expr].ty), TypeKind::Array(..));
    let mut out = FxHashSet::default();
    let mut has_literals = false;
    // Arrays whose elements are used at once; anywhere else an array is an address.
    let mut plain: FxHashSet<ExprId> = FxHashSet::default();
    for expr in &unit.exprs {
        match expr.kind {
            ExprKind::Unary(UnaryOp::AddressOf, inner) => out.extend(variable_of(unit, inner)),
            ExprKind::Index(a, b) => plain.extend([unit.peeled(a), unit.peeled(b)]),
            ExprKind::Unary(UnaryOp::Deref, inner) | ExprKind::SizeofExpr(inner) => {
                plain.insert(unit.peeled(inner));
            }
            ExprKind::CompoundLiteral(_) => has_literals = true,
            _ => {}
        }
    }
    for (id, expr) in unit.exprs.iter_enumerated() {
        let is_name = !matches!(
            expr.kind,
            ExprKind::Paren(_) | ExprKind::Chosen(_) | ExprKind::Unary(UnaryOp::Extension, _)
        );
        if is_name && is_array(id) && !plain.contains(&id) {
            out.extend(variable_of(unit, id));
        }
    }
    (out, has_literals)
}

/// True when a character is read through a pointer, or a function of the library reads bytes.
fn reads_bytes(program: &Program<'_>) -> bool {
    use cfront::types::IntKind as I;
    let unit: &Unit = program.unit;
    let is_char = |ty| matches!(unit.types.int_kind(ty), Some(I::Char | I::SChar | I::UChar));
    let is_pointer = |expr: ExprId| matches!(unit.types.kind(unit.exprs[expr].ty), TypeKind::Pointer(_));
    let is_read = |expr: &cfront::ast::Expr| match expr.kind {
        ExprKind::Unary(UnaryOp::Deref, inner) => is_pointer(inner) && is_char(expr.ty),
        ExprKind::Index(a, b) => (is_pointer(a) || is_pointer(b)) && is_char(expr.ty),
        _ => false,
    };
    unit.exprs.iter().any(is_read) || program.external_use(&READING).is_some()
}

/// True when pointers may lead to memory without a name.
fn has_unnamed(program: &Program<'_>) -> bool {
    let unit: &Unit = program.unit;
    let used = |expr: &cfront::ast::Expr| match expr.kind {
        ExprKind::Name(entity) => Some(entity),
        _ => None,
    };
    let used: FxHashSet<EntityId> = unit.exprs.iter().filter_map(used).collect();
    let takes_pointers = |cfa: &Cfa| {
        let params = &unit.functions[cfa.function].params;
        let is_pointer = |param: &EntityId| unit.types.pointee(unit.entities[*param].ty).is_some();
        params.iter().any(|param| is_pointer(param) && used.contains(param))
    };
    // A pointer may also have been made of a number.
    let is_made = |expr: &cfront::ast::Expr| match expr.kind {
        ExprKind::Cast(inner) => {
            unit.types.pointee(expr.ty).is_some()
                && unit.types.int_kind(unit.exprs[inner].ty).is_some()
                && unit.int_value(inner) != Some(0)
        }
        _ => false,
    };
    let starts = program.starts();
    starts.iter().any(|place| takes_pointers(&program.cfas[place.function])) || unit.exprs.iter().any(is_made)
}

/// For each function, whether one that may be active below it has variables with an address.
fn below(program: &Program<'_>, graph: &[Vec<usize>], addressed: &FxHashSet<EntityId>) -> Vec<bool> {
    let unit: &Unit = program.unit;
    let owners: FxHashSet<FunctionId> = addressed
        .iter()
        .filter(|entity| is_automatic(unit, **entity))
        .filter_map(|entity| unit.entities[*entity].scope)
        .collect();
    let mut out = vec![false; graph.len()];
    let mut todo: Vec<usize> = owners.iter().flat_map(|owner| graph[owner.index()].iter().copied()).collect();
    while let Some(function) = todo.pop() {
        if !std::mem::replace(&mut out[function], true) {
            todo.extend(&graph[function]);
        }
    }
    out
}
