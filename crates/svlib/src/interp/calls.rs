//! Who calls whom, and which procedures are recursive.

use super::modified::inside;
use crate::syntax::{ProcId, Script, StmtKind};
use base::id::Id;
use rustc_hash::FxHashMap;

/// The procedures that the body of a procedure calls.
fn callees(script: &Script, proc: ProcId) -> Vec<ProcId> {
    let Some(body) = script.procs[proc].body else { return Vec::new() };
    let called = |stmt| match script.stmts[stmt].kind {
        StmtKind::Call(proc, ..) => Some(proc),
        _ => None,
    };
    let mut found: Vec<ProcId> = inside(script, body).into_iter().filter_map(called).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The procedures that calls of `roots` may lead to, the roots included, in order of definition.
#[must_use]
pub fn reachable(script: &Script, roots: &[ProcId]) -> Vec<ProcId> {
    let (mut seen, mut todo) = (vec![false; script.procs.len()], roots.to_vec());
    while let Some(proc) = todo.pop() {
        if !std::mem::replace(&mut seen[proc.index()], true) {
            todo.extend(callees(script, proc));
        }
    }
    script.procs.ids().filter(|proc| seen[proc.index()]).collect()
}

/// True when a call of the procedure may lead to another call of it.
#[must_use]
pub fn is_recursive(script: &Script, proc: ProcId) -> bool {
    reachable(script, &callees(script, proc)).contains(&proc)
}

/// A number for each procedure; procedures with one number call each other, perhaps by way of others.
#[must_use]
pub fn components(script: &Script, procs: &[ProcId]) -> FxHashMap<ProcId, u32> {
    let mut search = Search::default();
    for &root in procs {
        search.from(script, root);
    }
    search.component
}

/// Tarjan's search for strongly connected components, with a list in place of the call stack.
#[derive(Default)]
struct Search {
    /// Number in order of discovery, and the least number reached.
    found: FxHashMap<ProcId, (u32, u32)>,
    open: Vec<ProcId>,
    component: FxHashMap<ProcId, u32>,
    count: u32,
}

impl Search {
    fn from(&mut self, script: &Script, root: ProcId) {
        if self.found.contains_key(&root) {
            return;
        }
        let mut path = vec![self.discover(script, root)];
        while let Some((proc, mut rest)) = path.pop() {
            match rest.pop() {
                Some(next) => {
                    path.push((proc, rest));
                    if !self.found.contains_key(&next) {
                        path.push(self.discover(script, next));
                    } else if !self.component.contains_key(&next) {
                        self.reach(proc, self.found[&next].0);
                    }
                }
                None => {
                    let (number, least) = self.found[&proc];
                    if let Some((parent, _)) = path.last() {
                        self.reach(*parent, least);
                    }
                    if number == least {
                        self.close(proc);
                    }
                }
            }
        }
    }

    fn discover(&mut self, script: &Script, proc: ProcId) -> (ProcId, Vec<ProcId>) {
        let number = self.found.len() as u32;
        self.found.insert(proc, (number, number));
        self.open.push(proc);
        (proc, callees(script, proc))
    }

    fn reach(&mut self, proc: ProcId, number: u32) {
        if let Some((_, least)) = self.found.get_mut(&proc) {
            *least = (*least).min(number);
        }
    }

    fn close(&mut self, root: ProcId) {
        while let Some(proc) = self.open.pop() {
            self.component.insert(proc, self.count);
            if proc == root {
                break;
            }
        }
        self.count += 1;
    }
}
