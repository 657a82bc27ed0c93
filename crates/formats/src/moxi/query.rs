//! Queries as properties.
//!
//! Queries one after the other with equal assumptions and an equal starting condition are properties of one system.

use super::flatten::Flat;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sexpr::NodeIdx;
use smt::sort::SortId;
use smt::subst::{constants, functions, replace};
use smt::term::{FunId, TermId, Terms};
use ts::{Property, PropertyKind, State, System, always_continues};

/// What a condition is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// It holds in every step.
    Assumption,
    /// It holds again and again.
    Fairness,
    /// It holds once.
    Reachable,
    /// It holds at first, in the place of the system's own conditions.
    Current,
}

/// A condition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    pub(super) part: Part,
    pub(super) formula: TermId,
}

/// A query.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) name: String,
    pub(super) parts: Vec<usize>,
    /// The list that it stands in, unless it is the first one there.
    pub(super) group: Option<NodeIdx>,
}

/// All that a command asks.
#[derive(Default)]
pub(super) struct Check {
    pub(super) conditions: Vec<Condition>,
    pub(super) queries: Vec<Query>,
}

impl Check {
    /// A list with several queries when symbols would have one meaning for all of them.
    pub(super) fn shared_meaning(&self, rigid: &[FunId]) -> Option<(NodeIdx, FunId)> {
        let list = self.queries.iter().find_map(|query| query.group)?;
        rigid.first().map(|&fun| (list, fun))
    }

    /// The systems that the queries are about, with the name that the command says.
    pub(super) fn systems(&self, terms: &mut Terms, name: &str, flat: &Flat, rigid: &[FunId]) -> Vec<System> {
        let formulas: Vec<TermId> =
            self.conditions.iter().map(|condition| replace(terms, condition.formula, &flat.top)).collect();
        let mut groups: Vec<(Vec<usize>, Vec<&Query>)> = Vec::new();
        for query in &self.queries {
            let frame = |&&at: &&usize| matches!(self.conditions[at].part, Part::Assumption | Part::Current);
            let mut key: Vec<usize> = query.parts.iter().filter(frame).copied().collect();
            key.sort_unstable();
            key.dedup();
            // Only neighbours: the properties of all systems together are in the order of the file.
            match groups.last_mut() {
                Some(group) if group.0 == key => group.1.push(query),
                _ => groups.push((key, vec![query])),
            }
        }
        if groups.is_empty() {
            groups.push((Vec::new(), Vec::new()));
        }
        groups
            .into_iter()
            .map(|(key, queries)| {
                let made = self.system(terms, flat, rigid, &formulas, &key, &queries);
                System { name: Some(name.to_owned()), ..made }
            })
            .collect()
    }

    fn system(
        &self,
        terms: &mut Terms,
        flat: &Flat,
        rigid: &[FunId],
        formulas: &[TermId],
        key: &[usize],
        queries: &[&Query],
    ) -> System {
        let of = |part: Part| {
            key.iter().filter(move |&&at| self.conditions[at].part == part).map(|&at| formulas[at])
        };
        let assumptions: Vec<TermId> = of(Part::Assumption).collect();
        let mut system = System {
            states: flat.states.clone(),
            init: flat.init.clone(),
            trans: flat.trans.clone(),
            invar: flat.inv.clone(),
            ..System::default()
        };
        let next: FxHashSet<TermId> =
            flat.states.iter().map(|state| terms.constant_term(state.next)).collect();
        let is_plain =
            |terms: &Terms, formula: TermId| !constants(terms, formula).iter().any(|c| next.contains(c));
        // An assumption is about the steps that are left; where all steps go on, about all.
        let mut stays = false;
        if assumptions.iter().all(|&formula| is_plain(terms, formula)) && of(Part::Current).next().is_none() {
            let mut candidate = system.clone();
            candidate.invar.extend(&assumptions);
            stays = always_continues(terms, &candidate);
        }
        if stays { &mut system.invar } else { &mut system.trans }.extend(&assumptions);
        if let Some(current) = of(Part::Current).next() {
            start_at(terms, &mut system, current);
        }
        let mut monitors = Monitors { system: &mut system, seen: FxHashMap::default() };
        for (index, query) in queries.iter().enumerate() {
            let parts = |part: Part| query.parts.iter().filter(move |&&at| self.conditions[at].part == part);
            let fair: Vec<TermId> = parts(Part::Fairness).map(|&at| formulas[at]).collect();
            let mut reach: Vec<TermId> = parts(Part::Reachable).map(|&at| formulas[at]).collect();
            let kind = if fair.is_empty() {
                if reach.is_empty() {
                    reach.push(TermId::TRUE);
                }
                let mut once = Vec::new();
                let alone = reach.len() == 1;
                for formula in reach {
                    let now = stays && is_plain(terms, formula);
                    once.push(if now && alone { formula } else { monitors.once(terms, formula, now) });
                }
                let all = terms.and(&once);
                PropertyKind::Invariant(terms.not(all))
            } else {
                let mut again = Vec::new();
                for formula in fair {
                    again.push(if is_plain(terms, formula) {
                        formula
                    } else {
                        monitors.last(terms, formula)
                    });
                }
                for formula in reach {
                    again.push(monitors.once(terms, formula, false));
                }
                PropertyKind::Live(again.into_iter().map(|formula| terms.not(formula)).collect())
            };
            let name = Some(query.name.clone());
            monitors.system.properties.push(Property { index: index as u64, name, kind });
        }
        settle(terms, &mut system, rigid);
        system
    }
}

/// The system from a condition on: what holds in every step holds after the first one.
fn start_at(terms: &mut Terms, system: &mut System, current: TermId) {
    let begun = system.add_state(terms, "begun", SortId::BOOL);
    let (now, next) = (terms.constant_term(begun.now), terms.constant_term(begun.next));
    system.init = vec![current, terms.not(now)];
    system.trans.push(next);
    let not = terms.not(now);
    for formula in &mut system.invar {
        *formula = terms.or(&[not, *formula]);
    }
}

/// State variables that remember conditions.
struct Monitors<'a> {
    system: &'a mut System,
    seen: FxHashMap<(TermId, bool), TermId>,
}

impl Monitors<'_> {
    /// What says that a condition held in a step that was left; `now` says: or holds now.
    fn once(&mut self, terms: &mut Terms, formula: TermId, now: bool) -> TermId {
        let held = match self.seen.get(&(formula, true)) {
            Some(&held) => held,
            None => {
                let state = self.system.add_state(terms, "held", SortId::BOOL);
                let held = terms.constant_term(state.now);
                let either = terms.or(&[held, formula]);
                self.follow(terms, state, either);
                self.seen.insert((formula, true), held);
                held
            }
        };
        if now { terms.or(&[held, formula]) } else { held }
    }

    /// What says that a condition held in the last step.
    fn last(&mut self, terms: &mut Terms, formula: TermId) -> TermId {
        if let Some(&held) = self.seen.get(&(formula, false)) {
            return held;
        }
        let state = self.system.add_state(terms, "was", SortId::BOOL);
        self.follow(terms, state, formula);
        let held = terms.constant_term(state.now);
        self.seen.insert((formula, false), held);
        held
    }

    /// False at first, then the value of a formula.
    fn follow(&mut self, terms: &mut Terms, state: State, formula: TermId) {
        let (now, next) = (terms.constant_term(state.now), terms.constant_term(state.next));
        self.system.init.push(terms.not(now));
        if let Ok(equal) = terms.app(Op::Eq, &[next, formula]) {
            self.system.trans.push(equal);
        }
    }
}

/// Makes variables that occur neither at first nor with a prime inputs, and declares the rigid symbols that are used.
fn settle(terms: &Terms, system: &mut System, rigid: &[FunId]) {
    let used = |formulas: &[TermId]| -> FxHashSet<FunId> {
        formulas.iter().flat_map(|&formula| functions(terms, formula)).collect()
    };
    let (init, trans) = (used(&system.init), used(&system.trans));
    let all: Vec<TermId> = system.formulas().collect();
    let all = used(&all);
    system.rigid = rigid.iter().copied().filter(|fun| all.contains(fun)).collect();
    let stays = |state: &State| init.contains(&state.now) || trans.contains(&state.next);
    system.inputs = system.states.iter().filter(|state| !stays(state)).map(|state| state.now).collect();
    system.states.retain(stays);
}
