//! A system as Horn clauses about one predicate: the states that can be reached.
//!
//! Rigid constants are arguments that never change: the clauses must have a solution for every meaning of theirs. What holds
//! in every step is asked where a step is left or judged, with that step's inputs; so a state that no inputs fit is reached
//! but leads nowhere, which is what a system says as well. Axioms are part of every clause: a solution need not repeat them.

use super::{Application, Clause, Meaning};
use crate::passes::rewrite::Rewrite;
use crate::system::{PropertyKind, System};
use crate::trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::check::RankError;
use smt::eval::Assignment;
use smt::horn::HornProblem;
use smt::sort::SortId;
use smt::subst::{postorder_of, replace};
use smt::term::{Fun, FunId, Role, TermId, Terms};

type Map = FxHashMap<TermId, TermId>;

/// What Horn clauses cannot say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inexpressible {
    /// The property with this number is about infinite executions.
    Property(u64),
    /// A rigid function with parameters: a solution of clauses chooses it, a system means any.
    Rigid(FunId),
    /// A formula that is not well-sorted.
    Rank(RankError),
}

impl From<RankError> for Inexpressible {
    fn from(error: RankError) -> Inexpressible {
        Inexpressible::Rank(error)
    }
}

/// Clauses made of a system, and the way back.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// The clauses: the initial states, the steps, and a goal for each property.
    pub problem: HornProblem,
    /// The predicate's arguments: states, then rigid constants.
    arguments: Vec<FunId>,
    states: usize,
    inputs: Vec<FunId>,
}

/// The clauses that have a solution exactly if the invariant properties with these positions hold.
///
/// # Errors
/// What cannot be said.
pub fn encode(terms: &mut Terms, system: &System, properties: &[usize]) -> Result<Encoded, Inexpressible> {
    let all: FxHashSet<FunId> = match system.rigid.is_empty() {
        true => FxHashSet::default(),
        false => {
            postorder_of(terms, system.formulas()).iter().filter_map(|&term| terms.applied(term)).collect()
        }
    };
    let used: Vec<FunId> = system.rigid.iter().copied().filter(|fun| all.contains(fun)).collect();
    if let Some(&fun) = used.iter().find(|&&fun| !terms.fun(fun).params.is_empty()) {
        return Err(Inexpressible::Rigid(fun));
    }
    let mut arguments: Vec<FunId> = system.states.iter().map(|state| state.now).collect();
    arguments.extend(used);
    let mut writer = Writer::new(terms, system, &arguments);
    let mut clauses = Vec::new();
    let first = writer.clause(terms, &[&system.axioms, &system.init], false, true)?;
    clauses.push(first);
    clauses.push(writer.clause(terms, &[&system.axioms, &system.invar, &system.trans], true, true)?);
    for property in properties.iter().filter_map(|&at| system.properties.get(at)) {
        let PropertyKind::Invariant(formula) = property.kind else {
            return Err(Inexpressible::Property(property.index));
        };
        let bad = [terms.not(formula)];
        clauses.push(writer.clause(terms, &[&system.axioms, &system.invar, &bad], true, false)?);
    }
    let problem = HornProblem { predicates: vec![writer.predicate], clauses };
    Ok(Encoded { problem, arguments, states: system.states.len(), inputs: system.inputs.clone() })
}

struct Writer {
    predicate: FunId,
    rewrite: Rewrite,
    /// Arguments before and after a step, and inputs, as bound variables.
    now: Vec<TermId>,
    next: Vec<TermId>,
    inputs: Vec<TermId>,
}

impl Writer {
    fn new(terms: &mut Terms, system: &System, arguments: &[FunId]) -> Writer {
        let mut map = Map::default();
        let mut var = |terms: &mut Terms, fun: FunId| {
            let (name, sort) = (terms.fun(fun).name, terms.fun(fun).result);
            let (constant, var) = (terms.constant_term(fun), terms.var(name, sort));
            map.insert(constant, var);
            var
        };
        let now: Vec<TermId> = arguments.iter().map(|&fun| var(terms, fun)).collect();
        let mut next: Vec<TermId> = system.states.iter().map(|state| var(terms, state.next)).collect();
        next.extend(&now[next.len()..]);
        let inputs = system.inputs.iter().map(|&fun| var(terms, fun)).collect();
        let name = predicate_name(terms);
        let params: Box<[SortId]> = now.iter().map(|&var| terms.sort(var)).collect();
        let predicate = terms.declare(Fun { name, params, result: SortId::BOOL, role: Role::Free });
        Writer { predicate, rewrite: Rewrite::new(map), now, next, inputs }
    }

    /// Formulas, with the predicate before and after them if that is wanted.
    fn clause(
        &mut self,
        terms: &mut Terms,
        formulas: &[&[TermId]],
        from: bool,
        to: bool,
    ) -> Result<TermId, RankError> {
        let constraints = formulas.iter().copied().flatten();
        let constraints = constraints.map(|&formula| self.rewrite.apply(terms, formula)).collect();
        let mut vars = self.now.clone();
        if from {
            vars.extend(&self.inputs);
        }
        if from && to {
            let states = self.next.iter().zip(&self.now).filter(|(next, now)| next != now);
            vars.extend(states.map(|(next, _)| next));
        }
        let atoms = if from { vec![terms.call(self.predicate, &self.now)?] } else { Vec::new() };
        let head = match (to, from) {
            (false, _) => None,
            (true, true) => Some(terms.call(self.predicate, &self.next)?),
            (true, false) => Some(terms.call(self.predicate, &self.now)?),
        };
        Clause { vars, atoms, constraints, head }.term(terms)
    }
}

/// A name that nothing has.
fn predicate_name(terms: &mut Terms) -> base::intern::SymbolId {
    let text = terms.unused_name("inv");
    terms.names.intern(&text)
}

impl Encoded {
    /// The inductive invariant that a solution is.
    #[must_use]
    pub fn invariant(&self, terms: &mut Terms, solution: &Meaning) -> TermId {
        let arguments: Vec<TermId> = self.arguments.iter().map(|&fun| terms.constant_term(fun)).collect();
        let map: Map = solution.params.iter().copied().zip(arguments).collect();
        replace(terms, solution.body, &map)
    }

    /// The counterexample that a derivation of `false` is: the first clause, steps, a goal.
    #[must_use]
    pub fn trace(&self, derivation: &[Application]) -> Trace {
        let mut trace = Trace::default();
        // All clauses but the first are about a state that is left or judged, and its inputs.
        for application in derivation.iter().skip(1) {
            let mut step = Assignment::new();
            let now = self.arguments.iter().chain(&self.inputs).zip(&application.values);
            for (at, (&fun, value)) in now.enumerate() {
                if at < self.states || at >= self.arguments.len() {
                    step.set(fun, value.clone());
                } else {
                    trace.rigid.set(fun, value.clone());
                }
            }
            trace.steps.push(step);
        }
        trace
    }
}
