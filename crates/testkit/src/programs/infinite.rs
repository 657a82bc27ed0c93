//! Infinite executions: cycles of the graph.
//!
//! An infinite execution either stays in one call from some time on, except for calls that return, or goes down into
//! calls for ever. In a finite graph both are cycles of steps, of edges over calls that return, and of edges into
//! calls. An edge over a call can often be taken both with and without a visit of the tag inside; which is
//! computed first.

use super::explore::{Edge, Graph};
use super::syntax::Tag;

/// The node can be reached from the entry of its context without a visit of the tag, or with one.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Ways {
    without: bool,
    with: bool,
}

impl Ways {
    fn then(self, next: Ways) -> Ways {
        Ways {
            without: self.without && next.without,
            with: (self.with && (next.with || next.without)) || (self.without && next.with),
        }
    }

    fn or(self, other: Ways) -> Ways {
        Ways { without: self.without || other.without, with: self.with || other.with }
    }
}

/// True when some infinite execution visits the tag infinitely often.
pub(super) fn recurs(graph: &Graph, tag: Tag) -> bool {
    let edges = edges(graph, tag);
    let component = components(graph.nodes.len(), edges.iter().map(|(from, to, _)| (*from, *to)));
    edges.iter().any(|(from, to, ways)| ways.with && component[*from] == component[*to])
}

/// True when some infinite execution visits the tag finitely often only.
pub(super) fn stops_recurring(graph: &Graph, tag: Tag) -> bool {
    let edges: Vec<(usize, usize)> =
        edges(graph, tag).into_iter().filter(|edge| edge.2.without).map(|edge| (edge.0, edge.1)).collect();
    let component = components(graph.nodes.len(), edges.iter().copied());
    edges.iter().any(|(from, to)| component[*from] == component[*to])
}

/// All edges, and whether going along them can avoid the tag and can visit it; the visit at its end counts.
fn edges(graph: &Graph, tag: Tag) -> Vec<(usize, usize, Ways)> {
    let at = |node: usize| {
        let visits = graph.visits(node, tag);
        Ways { without: !visits, with: visits }
    };
    let mut ways = vec![Ways::default(); graph.nodes.len()];
    for context in &graph.contexts {
        ways[context.entry] = at(context.entry);
    }
    loop {
        let mut changed = false;
        for edge in &graph.edges {
            let (to, new) = match *edge {
                Edge::Step(from, to) => (to, ways[from].then(at(to))),
                Edge::Over(call, exit, to) => (to, ways[call].then(ways[exit]).then(at(to))),
                Edge::Call(..) => continue,
            };
            let new = ways[to].or(new);
            changed |= ways[to] != new;
            ways[to] = new;
        }
        if !changed {
            break;
        }
    }
    let along = |edge: &Edge| match *edge {
        Edge::Step(from, to) | Edge::Call(from, to) => (from, to, at(to)),
        Edge::Over(call, exit, to) => (call, to, ways[exit].then(at(to))),
    };
    graph.edges.iter().map(along).collect()
}

/// The number of the strongly connected part of each node (Tarjan). A part of one node without an edge to itself gets
/// a number too; what counts are edges with both ends in one part.
fn components(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let mut next = vec![Vec::new(); count];
    for (from, to) in edges {
        next[from].push(to);
    }
    let (mut order, mut least, mut part) = (vec![NEW; count], vec![0; count], vec![NEW; count]);
    let (mut open, mut found) = (Vec::new(), 0);
    for root in 0..count {
        if order[root] != NEW {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((node, child)) = path.pop() {
            if child == 0 {
                (order[node], least[node]) = (found, found);
                found += 1;
                open.push(node);
            }
            if let Some(&to) = next[node].get(child) {
                path.push((node, child + 1));
                if order[to] == NEW {
                    path.push((to, 0));
                } else if part[to] == NEW {
                    least[node] = least[node].min(order[to]);
                }
                continue;
            }
            if let Some((parent, _)) = path.last() {
                least[*parent] = least[*parent].min(least[node]);
            }
            if least[node] == order[node] {
                while let Some(member) = open.pop() {
                    part[member] = node;
                    if member == node {
                        break;
                    }
                }
            }
        }
    }
    part
}
