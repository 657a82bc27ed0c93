//! Arrays by their cells: clauses about arrays become clauses about some cell of each, any one, so that a solution of them says
//! something about all cells.
//!
//! A predicate `P(x, a)` becomes `P'(x, k, v)`, which stands for `P(x, a)` where `v` is the value of `a` at `k`. A clause that reads
//! cells of `a` has an atom for each of them, and its head is about a cell that is arbitrary. A solution of the new clauses is one
//! of the old ones with `forall k. P'(x, k, (select a k))`; that the new ones have none says nothing. Where one cell is not
//! enough, as for arrays that are sorted, two are taken. Cells of arrays of arrays have as many indices as it takes.
//!
//! Most is about cells of several arrays at the same place, so at first there is one `k` for all of them; then each has its own.

mod body;
mod read;

use crate::{EngineInfo, spacer, ways};
use base::budget::Budget;
use body::Body;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::horn::HornProblem;
use smt::op::Op;
use smt::simplify::simplify;
use smt::sort::{Sort, SortId};
use smt::subst::{free_vars, replace};
use smt::term::{Fun, FunId, Role, TermId, Terms};
use solver::{HornResult, Solution};
use std::time::Duration;
use ts::passes::horn::{Clause, Meaning};

pub(crate) const INFO: EngineInfo = EngineInfo {
    name: "cells",
    shows: "correct",
    summary: "Horn clauses about single cells of arrays, solved by Spacer: invariants about all cells",
    rank: 9,
    run: |terms, problem| {
        spacer::search(terms, problem, |terms, encoding, budget| {
            let found = solve(terms, &encoding.problem, budget)?;
            let solution = |m: Meaning| Solution { predicate: m.predicate, params: m.params, body: m.body };
            Ok(found.into_iter().map(solution).collect())
        })
    },
};

/// A part of the time for one kind of cells where there is no limit.
const UNLIMITED: Duration = Duration::from_secs(300);

/// Which cells a predicate is about.
#[derive(Clone, Copy)]
struct Mode {
    /// All arrays with the same sorts of indices are looked at in the same place.
    shared: bool,
    /// So many cells of each.
    count: usize,
    /// Such a part of the time that is left: all, a half, …
    share: u32,
}

const MODES: [Mode; 3] = [
    Mode { shared: true, count: 1, share: 3 },
    Mode { shared: false, count: 1, share: 2 },
    Mode { shared: true, count: 2, share: 1 },
];

/// The time of each kind of cells in a first round: many clauses are easy about one of them.
const GLANCE: Duration = Duration::from_secs(4);

/// A solution of clauses about arrays, or why there is none.
pub(crate) fn solve(
    terms: &mut Terms,
    problem: &HornProblem,
    budget: &Budget,
) -> Result<Vec<Meaning>, String> {
    let mut kinds = Vec::new();
    for mode in MODES {
        let cells = Cells::of(terms, problem, mode)?;
        if mode.shared || cells.shapes.iter().any(|shape| shape.groups.len() > 1) {
            kinds.push((mode, cells));
        }
    }
    let mut said = "single cells of arrays do not show it".to_owned();
    for round in 0..2 {
        let mut open = Vec::new();
        for (mode, cells) in kinds {
            let left = budget.remaining().unwrap_or(UNLIMITED);
            let time = if round == 0 { GLANCE.min(left / 3) } else { left / mode.share };
            match ways::solve_cells(terms, &cells.problem, &budget.part(time)) {
                Err(error) => return Err(error.to_string()),
                Ok(HornResult::Sat(solutions)) => {
                    let meaning = |s: Solution| cells.meaning(terms, s.predicate, &s.params, s.body);
                    return Ok(solutions.into_iter().filter_map(meaning).collect());
                }
                Ok(HornResult::Unsat(_)) => {}
                Ok(HornResult::Unknown(reason)) => {
                    said = format!("no solution was found ({reason})");
                    open.push((mode, cells));
                }
            }
        }
        kinds = open;
    }
    Err(said)
}

/// Arrays that are looked at in the same places.
struct Group {
    /// The sorts of the indices of a cell.
    path: Vec<SortId>,
    /// The positions of the arrays among the parameters, and the sorts of what is in a cell.
    members: Vec<(usize, SortId)>,
}

/// A predicate and the one about cells: what is no array, and then for each group, as often as there are cells, the indices of a
/// cell and what is in it.
struct Shape {
    old: FunId,
    new: FunId,
    /// The positions of what is no array.
    plain: Vec<usize>,
    groups: Vec<Group>,
    count: usize,
}

/// The sorts of the indices of a cell, and of what is in it.
fn cell_sorts(terms: &Terms, sort: SortId) -> (Vec<SortId>, SortId) {
    let (mut path, mut value) = (Vec::new(), sort);
    while let Sort::Array(index, element) = *terms.sorts.get(value) {
        path.push(index);
        value = element;
    }
    (path, value)
}

impl Shape {
    fn of(terms: &mut Terms, old: FunId, mode: Mode) -> Shape {
        let (mut plain, mut groups) = (Vec::new(), Vec::<Group>::new());
        let mut sorts = Vec::new();
        for (at, &sort) in terms.fun(old).params.iter().enumerate() {
            let (path, value) = cell_sorts(terms, sort);
            if path.is_empty() {
                plain.push(at);
                sorts.push(sort);
            } else if let Some(group) = groups.iter_mut().find(|group| mode.shared && group.path == path) {
                group.members.push((at, value));
            } else {
                groups.push(Group { path, members: vec![(at, value)] });
            }
        }
        for group in groups.iter().flat_map(|group| std::iter::repeat_n(group, mode.count)) {
            sorts.extend(&group.path);
            sorts.extend(group.members.iter().map(|member| member.1));
        }
        let name = format!("{}!cells{}{}", terms.fun_name(old), mode.count, u8::from(mode.shared));
        let name = terms.names.intern(&name);
        let new = terms.declare(Fun { name, params: sorts.into(), result: SortId::BOOL, role: Role::Free });
        Shape { old, new, plain, groups, count: mode.count }
    }

    /// What a solution of the new clauses says about the old predicate: each part of it about all cells that it speaks of.
    fn meaning(&self, terms: &mut Terms, params: &[TermId], body: TermId) -> Option<Meaning> {
        let mut given = params.iter().copied();
        let mut olds = vec![TermId::TRUE; terms.fun(self.old).params.len()];
        for &at in &self.plain {
            olds[at] = given.next()?;
        }
        let (mut map, mut indices) = (FxHashMap::default(), Vec::new());
        for group in &self.groups {
            for &(at, _) in &group.members {
                let name = terms.names.intern(&format!("array!{at}"));
                let sort = terms.fun(self.old).params[at];
                olds[at] = terms.var(name, sort);
            }
            for _ in 0..self.count {
                let path: Vec<TermId> = given.by_ref().take(group.path.len()).collect();
                for &(at, _) in &group.members {
                    let mut cell = olds[at];
                    for &index in &path {
                        cell = terms.app(Op::Select, &[cell, index]).ok()?;
                    }
                    map.insert(given.next()?, cell);
                }
                indices.extend(path);
            }
        }
        let body = simplify(terms, body);
        let body = replace(terms, body, &map);
        let parts = match terms.op(body) {
            Op::And => terms.args(body).to_vec(),
            _ => vec![body],
        };
        let mut all = Vec::new();
        for part in parts {
            let free: FxHashSet<TermId> = free_vars(terms, part).into_iter().collect();
            let bound: Vec<TermId> = indices.iter().copied().filter(|index| free.contains(index)).collect();
            all.push(if bound.is_empty() { part } else { terms.bind(Op::Forall, &bound, part).ok()? });
        }
        Some(Meaning { predicate: self.old, params: olds, body: terms.and(&all) })
    }
}

/// Clauses about cells.
struct Cells {
    problem: HornProblem,
    shapes: Vec<Shape>,
}

impl Cells {
    fn of(terms: &mut Terms, problem: &HornProblem, mode: Mode) -> Result<Cells, String> {
        let shapes: Vec<Shape> = problem.predicates.iter().map(|&old| Shape::of(terms, old, mode)).collect();
        if shapes.iter().all(|shape| shape.groups.is_empty()) {
            return Err("there are no arrays".into());
        }
        let by_name: FxHashMap<FunId, &Shape> = shapes.iter().map(|shape| (shape.old, shape)).collect();
        let predicates: FxHashSet<FunId> = problem.predicates.iter().copied().collect();
        let mut clauses = Vec::new();
        for &clause in &problem.clauses {
            let clause = Clause::of(terms, &predicates, clause).ok_or("a clause is not understood")?;
            clauses.push(Body::translate(terms, &by_name, &clause)?);
        }
        let predicates = shapes.iter().map(|shape| shape.new).collect();
        Ok(Cells { problem: HornProblem { predicates, clauses }, shapes })
    }

    fn meaning(&self, terms: &mut Terms, new: FunId, params: &[TermId], body: TermId) -> Option<Meaning> {
        self.shapes.iter().find(|shape| shape.new == new)?.meaning(terms, params, body)
    }
}
