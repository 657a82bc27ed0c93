//! Who may call whom.

use crate::program::Program;
use base::graph::components;
use base::id::Id;
use cfront::ast::FunctionId;
use cfront::cfa::{Edge, Op};

/// For each function, the indices of the functions that it may call, sorted. The last one, behind those of the program, stands
/// for what nothing is known of: calls through pointers and functions that the program does not define. It may call any
/// function whose name is used for more than calls.
pub(crate) fn graph(program: &Program<'_>) -> Vec<Vec<usize>> {
    let unit = &program.unit;
    let is_addressed = |id: &FunctionId| program.addressed.contains(&unit.functions[*id].entity);
    let mut out: Vec<Vec<usize>> =
        program.cfas.iter().map(|cfa| callees(program, cfa.edges.iter())).collect();
    out.push(unit.functions.ids().filter(is_addressed).map(Id::index).collect());
    out
}

/// The functions that some edges may call.
pub(crate) fn callees<'e>(program: &Program<'_>, edges: impl Iterator<Item = &'e Edge>) -> Vec<usize> {
    let index = |definition: Option<FunctionId>| definition.map_or(program.cfas.len(), Id::index);
    let call = |edge: &Edge| match edge.op {
        Op::Call(call) => Some(index(program.definition(call))),
        // What runs when a variable ends is called wherever there is one.
        Op::Declare(entity) => program.cleanup(entity).map(index),
        _ => None,
    };
    let mut out: Vec<usize> = edges.filter_map(call).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// For each function, whether it may be called while it is active.
pub(crate) fn recursive(graph: &[Vec<usize>]) -> Vec<bool> {
    let mut out = vec![false; graph.len()];
    for component in components(graph) {
        let is_cycle = component.len() > 1 || component.iter().any(|&one| graph[one].contains(&one));
        for one in component {
            out[one] = is_cycle;
        }
    }
    out
}
