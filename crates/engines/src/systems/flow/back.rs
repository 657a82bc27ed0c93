//! From annotations of the program to an inductive invariant of the system.
//!
//! The annotations say what holds at the heads of loops. Two things have to be added. At every other location holds what all
//! ways from it to the heads demand. And the annotation of a loop need not say what the loop does not change, since a program
//! remembers that; so what is demanded at a head and does not follow from its annotation is demanded of what the loop leaves
//! alone, whatever the values of the rest.

use super::super::session::{Session, Stopped};
use super::edges::Edge;
use super::eliminate::for_all;
use super::script::Flow;
use program::Program;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::simplify::{Simplifier, simplify};
use smt::subst::{replace, unfold};
use smt::term::{TermId, Terms};
use std::time::Duration;
use svlib::syntax::{CommandKind, PropertyKind};

/// More formulas at one location than this are too many.
const MOST: usize = 400;
/// So long it is asked whether a demand follows from what is known; otherwise it is made once more.
const SHORT: Duration = Duration::from_millis(500);
/// So often demands go around: each loop inside a loop may add to those of the loop around it.
const ROUNDS: usize = 6;

/// What holds at the locations that annotations speak of.
pub(super) fn annotated(
    terms: &mut Terms,
    flow: &Flow,
    commands: &[CommandKind],
) -> Result<Vec<Option<Vec<TermId>>>, Stopped> {
    let mut found: Vec<Option<Vec<TermId>>> = vec![None; flow.labels.len()];
    for command in commands {
        let CommandKind::AnnotateTag(annotation) = command else { continue };
        for property in &annotation.properties {
            for (stmt, meaning) in &property.meanings {
                let location = flow.labels.iter().position(|label| label == stmt);
                let (Some(location), PropertyKind::Invariant) = (location, meaning.kind) else {
                    return Err(Stopped("an annotation says nothing about a location".into()));
                };
                let formulas = meaning.terms.iter().map(|&term| unfold(terms, term));
                found[location].get_or_insert_default().extend(formulas);
            }
        }
    }
    Ok(found)
}

/// An invariant of the system, given what holds at some locations.
pub(super) fn invariant(
    terms: &mut Terms,
    session: &mut Session<'_>,
    flow: &Flow,
    known: Vec<Option<Vec<TermId>>>,
) -> Result<TermId, Stopped> {
    let known = Back::new(terms, session, flow, known)?.run(terms)?;
    let now: Vec<TermId> = flow.control.place.iter().map(|state| terms.constant_term(state.now)).collect();
    let mut places = Vec::new();
    for values in &flow.control.locations {
        let here = super::control::equations(terms, &now, values)?;
        places.push(terms.and(&here));
    }
    let mut parts = Vec::new();
    for (location, formulas) in known.iter().enumerate() {
        // Elsewhere it need not hold, and not at a location that cannot be told from this one if what holds there does.
        let mut otherwise = vec![terms.not(places[location])];
        for other in
            (0..places.len()).filter(|&other| other != location && flow.control.meet(location, other))
        {
            let there: Vec<TermId> =
                [places[other]].into_iter().chain(known[other].iter().copied()).collect();
            otherwise.push(terms.and(&there));
        }
        for &formula in formulas.iter().filter(|&&formula| formula != TermId::TRUE) {
            let cases = [&otherwise[..], &[formula]].concat();
            let held = terms.or(&cases);
            parts.push(replace(terms, held, &flow.variables.back));
        }
    }
    if !now.is_empty() {
        parts.push(terms.or(&places));
    }
    let all = terms.and(&parts);
    Ok(simplify(terms, all))
}

struct Back<'f, 's, 'a> {
    session: &'s mut Session<'a>,
    flow: &'f Flow,
    /// The locations, each after those that follow it, but for heads.
    order: Vec<usize>,
    /// For each head what its loop changes.
    heads: FxHashMap<usize, FxHashSet<TermId>>,
    /// What holds at each location.
    known: Vec<Vec<TermId>>,
    /// The inputs and what is chosen on edges: no state.
    open: FxHashSet<TermId>,
}

impl<'f, 's, 'a> Back<'f, 's, 'a> {
    fn new(
        terms: &mut Terms,
        session: &'s mut Session<'a>,
        flow: &'f Flow,
        known: Vec<Option<Vec<TermId>>>,
    ) -> Result<Self, Stopped> {
        let (order, is_head) = backwards(flow, &known);
        let program = Program::new(&flow.script, flow.script.commands.len() - 1, &[], false);
        let program = program.map_err(|error| Stopped(error.to_string()))?;
        let mut heads = FxHashMap::default();
        for (location, &label) in flow.labels.iter().enumerate().filter(|&(location, _)| is_head[location]) {
            let proc = program.proc(flow.script.stmts[label].proc);
            let proc = proc.ok_or_else(|| Stopped("the program has no procedure".into()))?;
            let changed = program.modified(proc, label);
            heads.insert(location, changed.into_iter().map(|v| terms.constant_term(v)).collect());
        }
        let known = known.into_iter().map(Option::unwrap_or_default).collect();
        let variables = &flow.variables;
        let open = variables.inputs.iter().chain(&variables.later).map(|&v| terms.constant_term(v)).collect();
        Ok(Back { session, flow, order, heads, known, open })
    }

    /// What holds at each location.
    fn run(mut self, terms: &mut Terms) -> Result<Vec<Vec<TermId>>, Stopped> {
        for _ in 0..ROUNDS {
            let mut changed = false;
            for i in 0..self.order.len() {
                changed |= self.visit(terms, self.order[i])?;
            }
            if !changed {
                self.begin(terms)?;
                return Ok(self.known);
            }
        }
        Err(Stopped("what is demanded at loops does not come to an end".into()))
    }

    /// Executions begin with what is known.
    fn begin(&mut self, terms: &mut Terms) -> Result<(), Stopped> {
        for entry in 0..self.flow.control.entries {
            for known in self.known[entry].clone() {
                let missed = terms.not(known);
                let asked = [&self.flow.begin[entry][..], &self.flow.invar[entry], &[missed]].concat();
                if !self.session.refutes(terms, &asked, SHORT)? {
                    return Err(Stopped("what is demanded at loops does not hold at first".into()));
                }
            }
        }
        Ok(())
    }

    /// Adds what is demanded of a location; true if that is new.
    fn visit(&mut self, terms: &mut Terms, location: usize) -> Result<bool, Stopped> {
        let flow = self.flow;
        let before = self.known[location].len();
        let invar = terms.and(&flow.invar[location]);
        self.demand(terms, location, invar, flow.claims[location])?;
        for edge in &flow.edges[location] {
            let guard = [&[invar][..], &edge.guard].concat();
            let guard = terms.and(&guard);
            let mut simplifier = Simplifier::with(self.step(terms, edge));
            for goal in self.known[edge.to].clone() {
                let goal = simplifier.apply(terms, goal);
                self.demand(terms, location, guard, goal)?;
            }
        }
        Ok(self.known[location].len() > before)
    }

    /// What variables are after an edge.
    fn step(&self, terms: &mut Terms, edge: &Edge) -> FxHashMap<TermId, TermId> {
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        for &(variable, value) in &edge.assigned {
            map.insert(terms.constant_term(variable), value);
        }
        for (i, &variable) in self.flow.variables.data.iter().enumerate() {
            if edge.lost.contains(&variable) {
                let later = terms.constant_term(self.flow.variables.later[i]);
                map.insert(terms.constant_term(variable), later);
            }
        }
        map
    }

    /// Takes care that a goal follows from the guard and from what is known at a location.
    fn demand(
        &mut self,
        terms: &mut Terms,
        location: usize,
        guard: TermId,
        goal: TermId,
    ) -> Result<(), Stopped> {
        if goal == TermId::TRUE || guard == TermId::FALSE {
            return Ok(());
        }
        let missed = terms.not(goal);
        let mut known = self.known[location].clone();
        known.extend([guard, missed]);
        if self.session.refutes(terms, &known, SHORT)? {
            return Ok(());
        }
        let mut parts: Vec<TermId> = Vec::new();
        let mut chosen = self.open.clone();
        if let Some(changed) = self.heads.get(&location) {
            chosen.extend(changed);
            parts.extend(self.known[location].iter().map(|&formula| terms.not(formula)));
        }
        parts.extend([terms.not(guard), goal]);
        let demand = for_all(terms, &chosen, &parts);
        if self.known[location].contains(&demand) {
            return Ok(());
        }
        self.known[location].push(demand);
        if self.known[location].len() > MOST {
            return Err(Stopped("too many ways lead from one loop to another".into()));
        }
        Ok(())
    }
}

/// The locations, each after all that follow it, and which are the heads of loops: those of which something is known, and some
/// location on each loop without such a one.
fn backwards(flow: &Flow, known: &[Option<Vec<TermId>>]) -> (Vec<usize>, Vec<bool>) {
    let count = known.len();
    let mut heads: Vec<bool> = known.iter().map(Option::is_some).collect();
    let (mut entered, mut left, mut order) = (vec![false; count], vec![false; count], Vec::new());
    for start in 0..count {
        let mut todo = vec![(start, 0)];
        while let Some((location, next)) = todo.pop() {
            if left[location] {
                continue;
            }
            if next == 0 && std::mem::replace(&mut entered[location], true) {
                heads[location] = true;
                continue;
            }
            match flow.edges[location].get(next) {
                Some(edge) => todo.extend([(location, next + 1), (edge.to, 0)]),
                None => {
                    left[location] = true;
                    order.push(location);
                }
            }
        }
    }
    (order, heads)
}
