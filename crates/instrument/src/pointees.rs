//! Blocks of memory that can be copied although they have no name: those that one variable holds from their allocation on.
//!
//! A block counts if it is allocated once in an activation, with a constant size, if its address is the only thing that a
//! variable ever holds, and if every way to the place in question goes through that. All other blocks make a state that is
//! not copied whole.

use crate::effects::{AllEffects, is_automatic};
use crate::program::{Place, Program};
use base::id::Id;
use cfront::ast::{EntityId, ExprId, ExprKind, InitKind, UnaryOp, Unit};
use cfront::cfa::{Cfa, Edge, EdgeId, LocId, Op};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// How long a block lasts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Life {
    /// As long as the activation.
    Activation,
    /// Until it is freed.
    Freed,
    /// Nobody knows whether it is a block.
    Unknown,
}

/// A call that returns a pointer and that the program does not define.
#[derive(Debug)]
struct Site {
    function: usize,
    edge: EdgeId,
    life: Life,
    /// The variable that holds the address and nothing else, the edge on which it gets it, and how many bytes there are.
    holder: Option<(EntityId, EdgeId, u64)>,
    /// The locations behind the call, and those that ways lead to on which the holder does not get the address.
    behind: OnceCell<Vec<bool>>,
    beside: OnceCell<Vec<bool>>,
}

/// The blocks of a program.
pub(crate) struct Blocks {
    sites: Vec<Site>,
    graph: Vec<Vec<usize>>,
    /// By function, the functions that it leads to, and its locations that something may have been freed before.
    led: Vec<OnceCell<Vec<bool>>>,
    freed: Vec<OnceCell<Vec<bool>>>,
}

/// A block that can be copied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointee {
    /// The variable that leads to it.
    pub(crate) holder: EntityId,
    pub(crate) bytes: u64,
    /// True when there may be none.
    pub(crate) may_be_null: bool,
}

impl Blocks {
    pub(crate) fn new(program: &Program<'_>, all: &AllEffects) -> Blocks {
        let graph = crate::calls::graph(program);
        let sites = program.cfas.iter().enumerate().flat_map(|(index, cfa)| sites(program, all, index, cfa));
        let cells = || vec![OnceCell::new(); graph.len()];
        Blocks { sites: sites.collect(), led: cells(), freed: cells(), graph }
    }

    /// The blocks that may have changed at a place, if all of them can be copied.
    pub(crate) fn at(
        &self,
        program: &Program<'_>,
        all: &AllEffects,
        place: Place,
    ) -> Result<Vec<Pointee>, String> {
        let refused = || Err("memory that only pointers lead to may change".to_owned());
        let cfa = &program.cfas[place.function];
        let mut out = Vec::new();
        for site in &self.sites {
            if site.function != place.function {
                // Blocks of functions that have returned are gone.
                let is_gone = site.life == Life::Activation && !self.leads(site.function, place.function);
                if is_gone {
                    continue;
                }
                return refused();
            }
            let data = cfa.edges[site.edge];
            let behind = site.behind.get_or_init(|| reached(cfa, [data.to], None));
            if !behind[place.at.index()] {
                // A block of another activation may be there all the same: of an outer one, or of one that has ended
                // before the block has.
                let is_alone = match site.life {
                    Life::Activation => !all.is_recursive[place.function],
                    Life::Freed | Life::Unknown => cfa.is_main && !all.is_recursive[place.function],
                };
                if is_alone {
                    continue;
                }
                return refused();
            }
            let Some((holder, edge, bytes)) = site.holder else { return refused() };
            let is_once = !all.is_recursive[place.function] && !behind[data.from.index()];
            let beside = site.beside.get_or_init(|| reached(cfa, [cfa.entry], Some(edge)));
            let is_always = !beside[place.at.index()];
            let is_alive = match site.life {
                Life::Activation => true,
                Life::Freed => cfa.is_main && !self.frees_before(program, all, place),
                Life::Unknown => false,
            };
            if !is_once || !is_always || !is_alive {
                return refused();
            }
            out.push(Pointee { holder, bytes, may_be_null: site.life == Life::Freed });
        }
        Ok(out)
    }

    /// True when a function may, directly or not, call another.
    fn leads(&self, from: usize, to: usize) -> bool {
        let led = self.led[from].get_or_init(|| {
            let mut seen = vec![false; self.graph.len()];
            let mut todo = self.graph[from].clone();
            while let Some(function) = todo.pop() {
                if !std::mem::replace(&mut seen[function], true) {
                    todo.extend(&self.graph[function]);
                }
            }
            seen
        });
        led[to]
    }

    /// True when something may have been freed on a way to a location.
    fn frees_before(&self, program: &Program<'_>, all: &AllEffects, place: Place) -> bool {
        let freed = self.freed[place.function].get_or_init(|| {
            let cfa = &program.cfas[place.function];
            let may_free = |edge: &&Edge| match edge.op {
                Op::Call(call) => match program.definition(call) {
                    Some(callee) => all.frees(callee.index()),
                    None => frees(program, call),
                },
                _ => false,
            };
            reached(cfa, cfa.edges.iter().filter(may_free).map(|edge| edge.to), None)
        });
        freed[place.at.index()]
    }
}

/// True when a call that the program does not define may free a block.
pub(crate) fn frees(program: &Program<'_>, call: ExprId) -> bool {
    let ExprKind::Call(callee, _) = program.unit.exprs[call].kind else { return false };
    match program.called_name(callee) {
        Some(name) => matches!(name, "free" | "cfree" | "realloc" | "reallocarray"),
        None => true,
    }
}

/// The locations that some lead to without an edge.
fn reached(cfa: &Cfa, from: impl IntoIterator<Item = LocId>, without: Option<EdgeId>) -> Vec<bool> {
    let mut seen = vec![false; cfa.locations];
    let mut todo: Vec<LocId> = from.into_iter().collect();
    while let Some(at) = todo.pop() {
        if !std::mem::replace(&mut seen[at.index()], true) {
            let edges = cfa.leaving(at).iter().filter(|edge| Some(**edge) != without);
            todo.extend(edges.map(|edge| cfa.edges[*edge].to));
        }
    }
    seen
}

fn sites(program: &Program<'_>, all: &AllEffects, function: usize, cfa: &Cfa) -> Vec<Site> {
    let unit: &Unit = program.unit;
    let mut out = Vec::new();
    let mut holders: Option<FxHashMap<ExprId, (EntityId, EdgeId)>> = None;
    for (edge, data) in cfa.edges.iter_enumerated() {
        let Op::Call(call) = data.op else { continue };
        let is_pointer = unit.types.pointee(unit.exprs[call].ty).is_some();
        if program.definition(call).is_some() || !is_pointer {
            continue;
        }
        let ExprKind::Call(callee, list) = unit.exprs[call].kind else { continue };
        let numbers: Option<Vec<u64>> = unit
            .args(list)
            .iter()
            .map(|&argument| unit.int_value(argument).and_then(|value| u64::try_from(value).ok()))
            .collect();
        let (life, bytes) = match (program.called_name(callee), numbers.as_deref()) {
            (Some("alloca"), Some([bytes])) => (Life::Activation, Some(*bytes)),
            (Some("alloca"), _) => (Life::Activation, None),
            (Some("malloc"), Some([bytes])) => (Life::Freed, Some(*bytes)),
            (Some("calloc"), Some([count, each])) => (Life::Freed, count.checked_mul(*each)),
            (Some("malloc" | "calloc"), _) => (Life::Freed, None),
            _ => (Life::Unknown, None),
        };
        let holders = holders.get_or_insert_with(|| holders_in(program, all, cfa));
        let holder = holders.get(&call).zip(bytes).map(|(&(entity, edge), bytes)| (entity, edge, bytes));
        let (behind, beside) = (OnceCell::new(), OnceCell::new());
        out.push(Site { function, edge, life, holder, behind, beside });
    }
    out
}

/// Calls whose value a variable gets, if it gets nothing else and nobody has its address.
fn holders_in(program: &Program<'_>, all: &AllEffects, cfa: &Cfa) -> FxHashMap<ExprId, (EntityId, EdgeId)> {
    let unit: &Unit = program.unit;
    let mut writes: FxHashMap<EntityId, usize> = FxHashMap::default();
    let mut found = Vec::new();
    for (edge, data) in cfa.edges.iter_enumerated() {
        let (entity, value) = match data.op {
            Op::Init(decl, init) => match unit.inits[init].kind {
                InitKind::Expr(expr) => (unit.decls[decl].entity, Some(expr)),
                InitKind::Braces(_) => (unit.decls[decl].entity, None),
            },
            Op::Eval(expr) => match unit.exprs[expr].kind {
                ExprKind::Assign(target, value) => (crate::effects::variable_of(unit, target), Some(value)),
                ExprKind::CompoundAssign(_, target, _)
                | ExprKind::Unary(
                    UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec,
                    target,
                ) => (crate::effects::variable_of(unit, target), None),
                _ => continue,
            },
            _ => continue,
        };
        let Some(entity) = entity else { continue };
        *writes.entry(entity).or_default() += 1;
        if let Some(value) = value {
            let mut value = unit.peeled(value);
            while let ExprKind::Cast(inner) = unit.exprs[value].kind {
                value = unit.peeled(inner);
            }
            found.push((value, entity, edge));
        }
    }
    found
        .into_iter()
        .filter(|(_, entity, _)| {
            let is_pointer = unit.types.pointee(unit.entities[*entity].ty).is_some();
            is_pointer
                && is_automatic(unit, *entity)
                && !all.addressed.contains(entity)
                && writes[entity] == 1
        })
        .map(|(value, entity, edge)| (value, (entity, edge)))
        .collect()
}
