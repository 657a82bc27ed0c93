//! Conditions that have their hypotheses in common.

use super::ground;
use program::{Conditions, Obligation, Origin};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::constants;
use smt::term::{TermId, Terms};
use svlib::code::Pc;
use svlib::syntax::{ProcId, PropertyKind, StmtId};

/// Something that has to follow from the hypotheses of its group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Goal {
    /// The candidate that it is about; none for what the task demands.
    pub(crate) candidate: Option<usize>,
    /// The formula.
    pub(crate) formula: TermId,
}

/// Conditions with the same hypotheses.
pub(crate) struct Group {
    /// What may be used; the candidates in it are guarded by their selectors.
    pub(crate) hypotheses: Vec<TermId>,
    /// The same before quantifiers were replaced by instances, if there were any.
    pub(crate) quantified: Option<Vec<TermId>>,
    /// The candidates in the hypotheses, sorted.
    pub(crate) used: Vec<usize>,
    /// What has to follow.
    pub(crate) goals: Vec<Goal>,
    /// True when control comes back to the head of a loop.
    pub(crate) back: bool,
    /// True when nothing changed since the candidates of this group were last found to hold.
    pub(crate) settled: bool,
}

/// The conditions in groups. `numbers` are the candidates by selector.
pub(crate) fn groups(terms: &Terms, found: &Conditions, numbers: &FxHashMap<TermId, usize>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut by_hypotheses: FxHashMap<(Vec<TermId>, TermId), usize> = FxHashMap::default();
    let mut calls: FxHashMap<(ProcId, Pc, StmtId), TermId> = FxHashMap::default();
    for obligation in &found.obligations {
        // What a call requires is assumed formula by formula; here all of it has to follow from what is known before.
        let (place, note) = (obligation.place, obligation.note.as_ref());
        let guard = match place.pc {
            Some(pc) if note.is_some_and(|note| note.kind == PropertyKind::Requires) => {
                *calls.entry((place.proc, pc, place.stmt)).or_insert(obligation.guard)
            }
            _ => obligation.guard,
        };
        let key = (obligation.assumed.to_vec(), guard);
        let index = *by_hypotheses.entry(key).or_insert_with(|| {
            let bare = Obligation { goal: TermId::TRUE, guard, ..obligation.clone() };
            let (hypotheses, back) = (found.hypotheses(terms, &bare), obligation.place.back);
            let (used, goals) = (Vec::new(), Vec::new());
            groups.push(Group { hypotheses, quantified: None, used, goals, back, settled: false });
            groups.len() - 1
        });
        let group = &mut groups[index];
        group.back |= obligation.place.back;
        // Constants of the goal may bring definitions of their own.
        let brings = |&c: &TermId| terms.sort(c) == SortId::BOOL && found.definitions.contains_key(&c);
        if constants(terms, obligation.goal).iter().any(brings) {
            let whole = Obligation { guard, ..obligation.clone() };
            for hypothesis in found.hypotheses(terms, &whole) {
                if !group.hypotheses.contains(&hypothesis) {
                    group.hypotheses.push(hypothesis);
                }
            }
        }
        let is_task = obligation.note.as_ref().is_none_or(|note| note.origin == Origin::Task);
        group.goals.extend(goals(terms, obligation.goal, is_task, numbers));
    }
    for group in &mut groups {
        let mut used = FxHashSet::default();
        for &hypothesis in &group.hypotheses {
            used.extend(constants(terms, hypothesis).iter().filter_map(|constant| numbers.get(constant)));
        }
        group.used = used.into_iter().collect();
        group.used.sort_unstable();
    }
    groups
}

impl Group {
    /// Replaces quantifiers by instances at what the group speaks of.
    pub(crate) fn without_quantifiers(&mut self, terms: &mut Terms) {
        for goal in &mut self.goals {
            goal.formula = ground::goal(terms, goal.formula);
        }
        let about: Vec<TermId> = self.goals.iter().map(|goal| goal.formula).collect();
        let instances = ground::instances(terms, &self.hypotheses, &about);
        if instances != self.hypotheses {
            self.quantified = Some(std::mem::replace(&mut self.hypotheses, instances));
        }
    }
}

fn goals(terms: &Terms, goal: TermId, is_task: bool, numbers: &FxHashMap<TermId, usize>) -> Vec<Goal> {
    if !is_task
        && terms.op(goal) == Op::Implies
        && let [selector, formula] = *terms.args(goal)
        && let Some(&number) = numbers.get(&selector)
    {
        return vec![Goal { candidate: Some(number), formula }];
    }
    conjuncts(terms, goal).into_iter().map(|formula| Goal { candidate: None, formula }).collect()
}

/// The conjuncts of a formula.
pub(crate) fn conjuncts(terms: &Terms, formula: TermId) -> Vec<TermId> {
    let (mut found, mut todo) = (Vec::new(), vec![formula]);
    while let Some(term) = todo.pop() {
        match terms.op(term) {
            Op::And => todo.extend(terms.args(term).iter().rev()),
            Op::True => {}
            _ => found.push(term),
        }
    }
    found
}
