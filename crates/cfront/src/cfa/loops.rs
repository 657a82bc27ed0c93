//! The last steps of building: edges that do nothing are contracted, what cannot be reached is left out, loops get heads.

use super::build::Builder;
use super::groups::Groups;
use super::{Cfa, Edge, EdgeId, Exit, LocId, LoopHead, Op};
use crate::ast::{FunctionId, StmtId};
use base::id::{Id, IdVec};
use rustc_hash::FxHashMap;

pub(super) fn finish(builder: Builder<'_>, function: FunctionId, is_main: bool) -> Cfa {
    let Builder { edges, locations, exits, loops, labels, unsupported, .. } = builder;
    let target = contracted(&edges, locations);
    let (numbers, kept) = reachable(&edges, locations, &target);
    let mut cfa = Cfa {
        function,
        entry: LocId::from_index(0),
        exit: LocId::from_index(1),
        locations: kept,
        edges: IdVec::new(),
        heads: Vec::new(),
        exits: Vec::new(),
        labels: Vec::new(),
        is_main,
        unsupported,
        leaving: Groups::new(0, std::iter::empty()),
    };
    // Exits are in the order of their edges.
    let mut exits = exits.into_iter().peekable();
    for (id, edge) in edges.iter_enumerated() {
        let exit = exits.next_if(|exit| exit.edge == id);
        let from = numbers[edge.from.index()];
        let to = numbers[target[edge.to.index()]];
        // Contracted edges begin where nothing leads any more.
        let (Some(from), Some(to)) = (from, to) else { continue };
        if target[edge.from.index()] != edge.from.index() {
            continue;
        }
        let new = cfa.edges.push(Edge { from, to, op: edge.op });
        cfa.exits.extend(exit.map(|exit| Exit { edge: new, ..exit }));
    }
    let leaving = cfa.edges.iter().enumerate().map(|(id, edge)| (edge.from.index(), EdgeId::from_index(id)));
    cfa.leaving = Groups::new(kept, leaving);
    let statements: FxHashMap<LocId, StmtId> =
        loops.into_iter().rev().filter_map(|(at, stmt)| Some((numbers[target[at.index()]]?, stmt))).collect();
    cfa.heads = heads(&cfa, &statements);
    let placed = labels.into_iter().filter_map(|(label, at)| Some((numbers[target[at.index()]]?, label)));
    cfa.labels = placed.collect();
    cfa.labels.sort_unstable();
    cfa
}

/// For each location the one that stands for it: where its only edge leads, if that edge does nothing.
fn contracted(edges: &IdVec<EdgeId, Edge>, locations: usize) -> Vec<usize> {
    let mut next: Vec<Option<usize>> = vec![None; locations];
    let mut count = vec![0u32; locations];
    for edge in edges {
        let from = edge.from.index();
        count[from] += 1;
        next[from] = (edge.op == Op::Skip).then_some(edge.to.index());
    }
    let mut target: Vec<usize> = (0..locations).collect();
    let mut state = vec![0u8; locations];
    let mut path = Vec::new();
    for start in 0..locations {
        let mut at = start;
        // Ends at a location that stays: one with an operation, one that is known, or one on a cycle of nothing.
        while state[at] == 0 && count[at] == 1 {
            let Some(to) = next[at].filter(|_| at != 0) else { break };
            state[at] = 1;
            path.push(at);
            at = to;
        }
        let end = if state[at] == 1 { at } else { target[at] };
        for at in path.drain(..) {
            target[at] = end;
            state[at] = 2;
        }
        if target[end] == end {
            state[end] = 2;
        }
    }
    target
}

/// New numbers of the locations that the entry leads to. The exit has number 1 always.
fn reachable(edges: &IdVec<EdgeId, Edge>, locations: usize, target: &[usize]) -> (Vec<Option<LocId>>, usize) {
    let ways = edges.iter().map(|edge| (edge.from.index(), target[edge.to.index()]));
    let leaving = Groups::new(locations, ways);
    let mut numbers: Vec<Option<LocId>> = vec![None; locations];
    numbers[0] = Some(LocId::from_index(0));
    numbers[1] = Some(LocId::from_index(1));
    let mut kept = 2;
    let mut todo = vec![0];
    while let Some(at) = todo.pop() {
        for &to in leaving.get(at).iter().rev() {
            if numbers[to].is_none() {
                todo.push(to);
            }
        }
        for &to in leaving.get(at) {
            if numbers[to].is_none() {
                numbers[to] = Some(LocId::from_index(kept));
                kept += 1;
            }
        }
    }
    (numbers, kept)
}

/// The targets of edges that go back in a depth-first search: every cycle has such an edge, whatever its shape.
fn heads(cfa: &Cfa, statements: &FxHashMap<LocId, StmtId>) -> Vec<LoopHead> {
    let search = Search::new(cfa);
    let irreducible = search.irreducible(cfa);
    irreducible
        .into_iter()
        .enumerate()
        .filter(|(at, _)| !search.back.get(*at).is_empty())
        .map(|(at, is_irreducible)| {
            let at = LocId::from_index(at);
            LoopHead { at, stmt: statements.get(&at).copied(), is_irreducible }
        })
        .collect()
}

const NONE: usize = usize::MAX;

/// A depth-first search from the entry.
struct Search {
    /// Locations in the order in which they were found.
    order: Vec<usize>,
    /// The place of each location in that order.
    number: Vec<usize>,
    /// The number of the last location that was found below each.
    last: Vec<usize>,
    /// For each location where edges that go back to it begin.
    back: Groups<usize>,
}

impl Search {
    fn new(cfa: &Cfa) -> Search {
        let count = cfa.locations;
        let mut search = Search {
            order: vec![0],
            number: vec![NONE; count],
            last: vec![NONE; count],
            back: Groups::new(0, std::iter::empty()),
        };
        let mut back: Vec<(usize, usize)> = Vec::new();
        search.number[0] = 0;
        let mut stack = vec![(0usize, 0usize)];
        while let Some((at, next)) = stack.last_mut() {
            let at = *at;
            let Some(&edge) = cfa.leaving.get(at).get(*next) else {
                search.last[at] = search.order.len() - 1;
                stack.pop();
                continue;
            };
            *next += 1;
            let to = cfa.edges[edge].to.index();
            if search.number[to] == NONE {
                search.number[to] = search.order.len();
                search.order.push(to);
                stack.push((to, 0));
            } else if search.last[to] == NONE {
                // What is found but not finished is above.
                back.push((to, at));
            }
        }
        search.back = Groups::new(count, back.iter().copied());
        search
    }

    fn is_below(&self, at: usize, top: usize) -> bool {
        self.number[top] <= self.number[at] && self.number[at] <= self.last[top]
    }

    /// For each head whether its loop can be entered beside it. The loops are collected from the inside out, as Havlak does
    /// it, and become one location each, so that every edge is looked at a few times only.
    fn irreducible(&self, cfa: &Cfa) -> Vec<bool> {
        let ways = cfa.edges.iter().map(|edge| (edge.to.index(), edge.from.index()));
        let ways = ways.filter(|&(to, from)| self.number[from] != NONE && !self.is_below(from, to));
        let entering = Groups::new(cfa.locations, ways);
        // Who enters inner loops, by their heads; and locations that are done.
        let mut further: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let mut is_done = vec![false; cfa.locations];
        let mut result = vec![false; cfa.locations];
        let mut stands_for: Vec<usize> = (0..cfa.locations).collect();
        let mut body_of = vec![NONE; cfa.locations];
        for &head in self.order.iter().rev().filter(|&&at| !self.back.get(at).is_empty()) {
            let mut body = Vec::new();
            for &from in self.back.get(head) {
                let from = find(&mut stands_for, from);
                if from != head && std::mem::replace(&mut body_of[from], head) != head {
                    body.push(from);
                }
            }
            let mut next = 0;
            let mut outside = Vec::new();
            while next < body.len() {
                let at = body[next];
                next += 1;
                let own = if std::mem::replace(&mut is_done[at], true) { &[] } else { entering.get(at) };
                let more = further.remove(&at).unwrap_or_default();
                for from in own.iter().copied().chain(more) {
                    let from = find(&mut stands_for, from);
                    if !self.is_below(from, head) {
                        result[head] = true;
                        outside.push(from);
                    } else if from != head && std::mem::replace(&mut body_of[from], head) != head {
                        body.push(from);
                    }
                }
            }
            // Who enters the loop enters what stands for it.
            if !outside.is_empty() {
                further.entry(head).or_default().extend(outside);
            }
            body.into_iter().for_each(|at| stands_for[at] = head);
        }
        result
    }
}

/// The location that stands for another one, with shorter ways for the next time.
fn find(stands_for: &mut [usize], at: usize) -> usize {
    let mut root = at;
    while stands_for[root] != root {
        root = stands_for[root];
    }
    let mut at = at;
    while stands_for[at] != root {
        at = std::mem::replace(&mut stands_for[at], root);
    }
    root
}
