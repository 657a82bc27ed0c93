//! Who may call whom.

use crate::program::Program;
use base::id::Id;
use cfront::ast::FunctionId;
use cfront::cfa::Op;

/// For each function, the indices of the functions that it may call, sorted. A call of which nothing is known may be one of
/// any function whose name is used for more than calls.
pub(crate) fn graph(program: &Program<'_>) -> Vec<Vec<usize>> {
    let unit = &program.unit;
    let is_addressed = |id: &FunctionId| program.addressed.contains(&unit.functions[*id].entity);
    let addressed: Vec<usize> = unit.functions.ids().filter(is_addressed).map(Id::index).collect();
    let callees = |cfa: &cfront::cfa::Cfa| {
        let mut out = Vec::new();
        let mut is_open = false;
        for edge in cfa.edges.iter() {
            if let Op::Call(call) = edge.op {
                match program.definition(call) {
                    Some(callee) => out.push(callee.index()),
                    None => is_open = true,
                }
            }
        }
        if is_open {
            out.extend(&addressed);
        }
        out.sort_unstable();
        out.dedup();
        out
    };
    program.cfas.iter().map(callees).collect()
}

/// For each function, whether it may be called while it is active.
pub(crate) fn recursive(program: &Program<'_>) -> Vec<bool> {
    let graph = graph(program);
    let mut out = vec![false; graph.len()];
    for component in components(&graph) {
        let is_cycle = component.len() > 1 || component.iter().any(|&one| graph[one].contains(&one));
        for one in component {
            out[one] = is_cycle;
        }
    }
    out
}

/// The strongly connected components, callees first: Tarjan's algorithm with a stack of its own.
pub(crate) fn components(graph: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let mut order = vec![NEW; graph.len()];
    let mut low = vec![0; graph.len()];
    let mut is_open = vec![false; graph.len()];
    let (mut open, mut out, mut count) = (Vec::new(), Vec::new(), 0);
    for root in 0..graph.len() {
        let mut path: Vec<(usize, usize)> = Vec::new();
        if order[root] == NEW {
            path.push((root, 0));
        }
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if *next == 0 {
                (order[node], low[node]) = (count, count);
                count += 1;
                open.push(node);
                is_open[node] = true;
            }
            if let Some(&child) = graph[node].get(*next) {
                *next += 1;
                if order[child] == NEW {
                    path.push((child, 0));
                } else if is_open[child] {
                    low[node] = low[node].min(order[child]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == order[node] {
                let start = open.iter().rposition(|&other| other == node).unwrap_or(0);
                let component = open.split_off(start);
                component.iter().for_each(|&member| is_open[member] = false);
                out.push(component);
            }
        }
    }
    out
}
