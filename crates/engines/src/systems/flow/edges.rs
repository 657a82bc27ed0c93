//! What happens on an edge, in words of a program: choose, ask, assign.

use super::control::Control;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::linear::solutions;
use smt::op::Op;
use smt::simplify::Simplifier;
use smt::subst::constants;
use smt::term::{Fun, FunId, Role, TermId, Terms, VarKind};
use ts::System;

/// The procedure that the variables belong to.
pub(super) const MAIN: &str = "main";
/// There are no more ways than this from a location to another.
const MOST_WAYS: usize = 32;
/// So often what is known is put into what is left.
const ROUNDS: usize = 20;

/// The variables of the program.
#[derive(Debug, Default)]
pub(super) struct Variables {
    /// Those of the data, of the data after a step, of the inputs and of the rigid constants, in their order.
    pub(super) data: Vec<FunId>,
    pub(super) later: Vec<FunId>,
    pub(super) inputs: Vec<FunId>,
    pub(super) rigid: Vec<FunId>,
    /// What they are in the place of.
    into: FxHashMap<TermId, TermId>,
    /// And back.
    pub(super) back: FxHashMap<TermId, TermId>,
}

impl Variables {
    pub(super) fn new(terms: &mut Terms, system: &System, control: &Control) -> Variables {
        let mut made = Variables::default();
        let main = terms.names.intern(MAIN);
        let mut add = |terms: &mut Terms, of: FunId| {
            let (wish, sort) = (terms.fun_name(of).to_owned(), terms.fun(of).result);
            let name = terms.fresh(&wish, sort);
            let name = terms.fun(name).name;
            let role = Role::Variable(VarKind::Local, Some(main));
            let fun = Fun { name, params: Box::new([]), result: sort, role };
            let variable = terms.declare(fun);
            let (old, new) = (terms.constant_term(of), terms.constant_term(variable));
            made.into.insert(old, new);
            made.back.insert(new, old);
            variable
        };
        let data: Vec<FunId> = control.data.iter().map(|state| add(terms, state.now)).collect();
        let later = control.data.iter().map(|state| add(terms, state.next)).collect();
        let inputs = system.inputs.iter().map(|&input| add(terms, input)).collect();
        let rigid = system.rigid.iter().map(|&rigid| add(terms, rigid)).collect();
        Variables { data, later, inputs, rigid, ..made }
    }

    /// A replacement of everything but the place by variables, and of the place by values.
    fn replacement(
        &self,
        terms: &mut Terms,
        control: &Control,
        from: usize,
        to: Option<usize>,
    ) -> FxHashMap<TermId, TermId> {
        let mut map = self.into.clone();
        for (i, state) in control.place.iter().enumerate() {
            if let Some(value) = control.locations[from][i] {
                map.insert(terms.constant_term(state.now), value);
            }
            if let Some(value) = to.and_then(|to| control.locations[to][i]) {
                map.insert(terms.constant_term(state.next), value);
            }
        }
        map
    }

    /// What formulas say at a location.
    pub(super) fn at(
        &self,
        terms: &mut Terms,
        control: &Control,
        location: usize,
        formulas: &[TermId],
    ) -> Vec<TermId> {
        let mut simplifier = Simplifier::with(self.replacement(terms, control, location, None));
        formulas.iter().map(|&formula| simplifier.apply(terms, formula)).collect()
    }
}

/// What happens on an edge.
#[derive(Debug, Default)]
pub(super) struct Edge {
    pub(super) to: usize,
    /// The variables that get any value before.
    pub(super) chosen: Vec<FunId>,
    /// What has to hold.
    pub(super) guard: Vec<TermId>,
    /// The new values, all at once.
    pub(super) assigned: Vec<(FunId, TermId)>,
    /// The variables that get any value afterwards.
    pub(super) lost: Vec<FunId>,
}

/// What happens between two locations, an edge for each way; none if nothing can happen.
pub(super) fn edges(
    terms: &mut Terms,
    system: &System,
    control: &Control,
    variables: &Variables,
    from: usize,
    to: usize,
) -> Vec<Edge> {
    let map = variables.replacement(terms, control, from, Some(to));
    let mut simplifier = Simplifier::with(map);
    let formulas = system.trans.iter().map(|&formula| simplifier.apply(terms, formula)).collect();
    let later: FxHashSet<TermId> = variables.later.iter().map(|&v| terms.constant_term(v)).collect();
    let ways = ways(terms, formulas, &later);
    ways.into_iter().map(|way| edge(terms, variables, to, way)).collect()
}

/// What has to hold, and what some variables are then.
pub(super) struct Way {
    pub(super) guard: Vec<TermId>,
    pub(super) set: FxHashMap<TermId, TermId>,
}

/// The cases of some formulas that say what variables are. What one of them is, is said by others, and not by itself.
pub(super) fn ways(terms: &mut Terms, formulas: Vec<TermId>, wanted: &FxHashSet<TermId>) -> Vec<Way> {
    let (mut todo, mut found) = (vec![formulas], Vec::new());
    while let Some(formulas) = todo.pop() {
        let units = Units { wanted, known: FxHashMap::default(), set: Vec::new() };
        let Some((guard, set)) = units.of(terms, formulas.clone()) else { continue };
        let open = |term: &TermId| wanted.contains(term) && !set.contains_key(term);
        match cases(terms, &guard, open) {
            Some(cases) if found.len() + todo.len() + cases.len() <= MOST_WAYS => {
                todo.extend(cases.into_iter().rev().map(|case| [&formulas[..], &case].concat()));
            }
            _ => found.push(Way { guard, set }),
        }
    }
    found
}

/// An edge on which a way is gone.
fn edge(terms: &mut Terms, variables: &Variables, to: usize, Way { guard, set }: Way) -> Edge {
    let mut edge = Edge { to, guard, ..Edge::default() };
    for (i, &variable) in variables.data.iter().enumerate() {
        let (now, later) = (terms.constant_term(variable), terms.constant_term(variables.later[i]));
        match set.get(&later) {
            Some(&value) if value == now => {}
            Some(&value) => edge.assigned.push((variable, value)),
            None => edge.lost.push(variable),
        }
    }
    // What is chosen and asked about, or used by others, has to be known before.
    let used: FxHashSet<TermId> =
        edge.guard.iter().chain(set.values()).flat_map(|&formula| constants(terms, formula)).collect();
    for (i, &variable) in variables.data.iter().enumerate() {
        let later = terms.constant_term(variables.later[i]);
        if used.contains(&later) {
            edge.lost.retain(|&lost| lost != variable);
            edge.chosen.push(variables.later[i]);
            edge.assigned.push((variable, later));
        }
    }
    edge
}

/// The cases of a formula that tells in some of them what an open variable is: without them it would be chosen, and hardly
/// ever be what an execution needs.
fn cases(terms: &mut Terms, guard: &[TermId], open: impl Fn(&TermId) -> bool) -> Option<Vec<Vec<TermId>>> {
    let formula = guard.iter().copied().find(|&formula| tells(terms, formula, &open))?;
    let args = terms.args(formula).to_vec();
    Some(match (terms.op(formula), &args[..]) {
        (Op::Or, _) => args.into_iter().map(|arg| vec![arg]).collect(),
        (Op::Ite, &[condition, yes, no]) => {
            vec![vec![condition, yes], vec![terms.not(condition), no]]
        }
        (Op::Implies, &[condition, then]) => vec![vec![terms.not(condition)], vec![then]],
        _ => return None,
    })
}

/// True for a formula of several cases, in one of which an equation is about an open variable.
fn tells(terms: &Terms, formula: TermId, open: &impl Fn(&TermId) -> bool) -> bool {
    if !matches!(terms.op(formula), Op::Or | Op::Ite | Op::Implies) {
        return false;
    }
    let (mut todo, mut seen) = (vec![formula], FxHashSet::default());
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.op(term) {
            Op::Or | Op::Ite | Op::Implies | Op::And => todo.extend(terms.args(term)),
            Op::Eq if constants(terms, term).iter().any(open) => return true,
            _ if open(&term) => return true,
            Op::Not if open(&terms.args(term)[0]) => return true,
            _ => {}
        }
    }
    false
}

/// Formulas taken apart into what they say of variables, and the rest.
struct Units<'a> {
    wanted: &'a FxHashSet<TermId>,
    /// What is known to be true or false, or to be another term.
    known: FxHashMap<TermId, TermId>,
    /// What variables are, in the order in which it was found.
    set: Vec<(TermId, TermId)>,
}

impl Units<'_> {
    fn of(
        mut self,
        terms: &mut Terms,
        mut left: Vec<TermId>,
    ) -> Option<(Vec<TermId>, FxHashMap<TermId, TermId>)> {
        let mut guard = Vec::new();
        for _ in 0..ROUNDS {
            let (before, mut rest) = (self.known.len(), Vec::new());
            let mut simplifier = Simplifier::with(self.known.clone());
            let mut todo: Vec<TermId> = left.iter().rev().map(|&f| simplifier.apply(terms, f)).collect();
            while let Some(formula) = todo.pop() {
                match terms.op(formula) {
                    Op::False => return None,
                    Op::True => {}
                    Op::And => todo.extend(terms.args(formula).iter().rev()),
                    Op::Or | Op::Ite => rest.push(formula),
                    _ => self.learn(terms, formula, &mut guard),
                }
            }
            left = rest;
            if self.known.len() == before {
                break;
            }
        }
        guard.extend(left);
        let mut last = FxHashMap::default();
        for (variable, value) in self.set.into_iter().rev() {
            let value = Simplifier::with(last.clone()).apply(terms, value);
            last.insert(variable, value);
        }
        let mut simplifier = Simplifier::with(last.clone());
        for formula in &mut guard {
            *formula = simplifier.apply(terms, *formula);
        }
        guard.retain(|&formula| formula != TermId::TRUE);
        (!guard.contains(&TermId::FALSE)).then_some((guard, last))
    }

    /// A formula that holds and is not made of others.
    fn learn(&mut self, terms: &mut Terms, formula: TermId, guard: &mut Vec<TermId>) {
        if self.known.contains_key(&formula) {
            return;
        }
        let (atom, truth) = match terms.op(formula) {
            Op::Not => (terms.args(formula)[0], TermId::FALSE),
            _ => (formula, TermId::TRUE),
        };
        if self.wanted.contains(&atom) && !self.known.contains_key(&atom) {
            self.known.insert(atom, truth);
            self.set.push((atom, truth));
            return;
        }
        if truth == TermId::TRUE && self.define(terms, formula) {
            self.known.insert(formula, TermId::TRUE);
            return;
        }
        self.known.insert(atom, truth);
        guard.push(formula);
    }

    /// Takes an equation as what a variable is.
    fn define(&mut self, terms: &mut Terms, formula: TermId) -> bool {
        let wanted = |term: &TermId| self.wanted.contains(term) && !self.known.contains_key(term);
        for (variable, value) in solutions(terms, formula, wanted) {
            let value = self.resolved(terms, value);
            if constants(terms, value).contains(&variable) {
                continue;
            }
            self.known.insert(variable, value);
            self.set.push((variable, value));
            return true;
        }
        false
    }

    /// A term with what is known of variables put in.
    fn resolved(&self, terms: &mut Terms, term: TermId) -> TermId {
        let mut value = term;
        loop {
            let next = Simplifier::with(self.known.clone()).apply(terms, value);
            if next == value || terms.sort(next) != terms.sort(value) {
                return value;
            }
            value = next;
        }
    }
}
