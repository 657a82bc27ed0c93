//! An abstract way is an execution, or it is not and predicates are missing. Those are taken from formulas that say, for
//! each step, enough of what is reached to exclude the way: a solution of Horn clauses without a loop.

use super::super::ic3::Cube;
use super::super::session::{Execution, Stopped};
use super::super::{SystemFound, SystemProblem};
use super::abstraction::Abstraction;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::{constants, replace};
use smt::term::{Fun, FunId, Role, TermId, Terms};
use solver::{Horn, HornProblem, HornResult, Limits};
use std::time::Duration;
use ts::System;

/// An execution along the abstract states, or nothing after predicates were added that exclude them.
pub(super) fn refine(
    terms: &mut Terms,
    problem: &SystemProblem<'_>,
    property: TermId,
    abstraction: &mut Abstraction<'_>,
    way: &[Cube],
) -> Result<Option<SystemFound>, Stopped> {
    let mut execution = Execution::begin(terms, problem.system, true, problem.solver, &problem.budget)?;
    let mut assumed = Vec::new();
    for (step, cube) in way.iter().enumerate() {
        if step > 0 {
            execution.extend(terms)?;
        }
        for formula in abstraction.formulas(terms, cube) {
            assumed.push((step, formula, execution.at(terms, formula, step)));
        }
    }
    let holds = execution.at(terms, property, way.len() - 1);
    let mut assumptions: Vec<TermId> = assumed.iter().map(|entry| entry.2).collect();
    assumptions.push(terms.not(holds));
    if execution.session.is_sat(terms, &assumptions)? {
        return execution.violation(terms).map(Some);
    }
    let core: FxHashSet<TermId> = execution.session.core()?.into_iter().collect();
    let mut needed = vec![Vec::new(); way.len()];
    for (step, formula, _) in assumed.into_iter().filter(|entry| core.contains(&entry.2)) {
        needed[step].push(formula);
    }
    let formulas = interpolants(terms, problem, property, &needed);
    let mut found = false;
    for &formula in formulas.as_deref().unwrap_or_default() {
        found |= abstraction.add_atoms(terms, formula)?;
    }
    // What the steps themselves ask is the next best guess, whether or not it excludes just this way.
    if !found {
        found = abstraction.add_guards(terms, problem.system)?;
    }
    match (found, formulas) {
        (true, _) => Ok(None),
        (false, Err(stopped)) => Err(stopped),
        (false, Ok(_)) => Err(Stopped("no predicate excludes a spurious counterexample".into())),
    }
}

/// For each step, a formula that holds of what is reached by it, given what is needed of the steps, and that leaves no way
/// to the violation.
fn interpolants(
    terms: &mut Terms,
    problem: &SystemProblem<'_>,
    property: TermId,
    needed: &[Vec<TermId>],
) -> Result<Vec<TermId>, Stopped> {
    let system = problem.system;
    let chain = Chain::new(terms, system, needed.len());
    let clauses = chain.clauses(terms, system, property, needed)?;
    let horn = HornProblem { predicates: chain.predicates.clone(), clauses };
    let limits = problem
        .budget
        .remaining()
        .map_or_else(Limits::default, |time| Limits::time((time / 2).max(Duration::from_millis(1))));
    let result = solver::z3::Spacer::new().solve(terms, &horn, limits)?;
    let HornResult::Sat(solutions) = result else {
        return Err(Stopped("no formulas exclude a spurious counterexample".into()));
    };
    let mut found = Vec::new();
    for solution in solutions {
        let map: FxHashMap<TermId, TermId> =
            solution.params.iter().copied().zip(chain.arguments.iter().copied()).collect();
        found.push(replace(terms, solution.body, &map));
    }
    Ok(found)
}

/// Predicates for what is reached in each step.
struct Chain {
    predicates: Vec<FunId>,
    /// State variables and rigid constants now, and after a step.
    arguments: Vec<TermId>,
    later: Vec<TermId>,
    next: FxHashMap<TermId, TermId>,
}

impl Chain {
    fn new(terms: &mut Terms, system: &System, count: usize) -> Chain {
        let (mut arguments, mut later, mut next) = (Vec::new(), Vec::new(), FxHashMap::default());
        for state in &system.states {
            arguments.push(terms.constant_term(state.now));
            later.push(terms.constant_term(state.next));
        }
        next.extend(arguments.iter().copied().zip(later.iter().copied()));
        for &rigid in
            system.rigid.iter().filter(|&&rigid| terms.fun(rigid).params.is_empty()).collect::<Vec<_>>()
        {
            arguments.push(terms.constant_term(rigid));
            later.push(terms.constant_term(rigid));
        }
        for &input in &system.inputs {
            let (name, sort) = (format!("{}.next", terms.fun_name(input)), terms.fun(input).result);
            let copy = terms.fresh(&name, sort);
            next.insert(terms.constant_term(input), terms.constant_term(copy));
        }
        let params: Box<[SortId]> = arguments.iter().map(|&term| terms.sort(term)).collect();
        let predicates = (0..count).map(|step| {
            let name = terms.fresh(&format!("reached!{step}"), SortId::BOOL);
            let name = terms.fun(name).name;
            terms.declare(Fun { name, params: params.clone(), result: SortId::BOOL, role: Role::Free })
        });
        Chain { predicates: predicates.collect(), arguments, later, next }
    }

    fn clauses(
        &self,
        terms: &mut Terms,
        system: &System,
        property: TermId,
        needed: &[Vec<TermId>],
    ) -> Result<Vec<TermId>, Stopped> {
        let mut clauses = Vec::new();
        let mut body = [&system.axioms[..], &system.init, &system.invar, &needed[0]].concat();
        let head = self.reached(terms, 0, &self.arguments)?;
        clauses.push(close(terms, &body, head)?);
        for (step, needed) in needed.iter().enumerate().skip(1) {
            body = [&system.axioms[..], &system.invar, &system.trans].concat();
            body.push(self.reached(terms, step - 1, &self.arguments)?);
            for &formula in system.invar.iter().chain(needed) {
                body.push(replace(terms, formula, &self.next));
            }
            let head = self.reached(terms, step, &self.later)?;
            clauses.push(close(terms, &body, head)?);
        }
        body = [&system.axioms[..], &system.invar].concat();
        body.push(self.reached(terms, needed.len() - 1, &self.arguments)?);
        body.push(terms.not(property));
        clauses.push(close(terms, &body, TermId::FALSE)?);
        Ok(clauses)
    }

    fn reached(&self, terms: &mut Terms, step: usize, args: &[TermId]) -> Result<TermId, Stopped> {
        terms.call(self.predicates[step], args).map_err(|_| no_clause())
    }
}

/// `body => head` for all values of the constants.
fn close(terms: &mut Terms, body: &[TermId], head: TermId) -> Result<TermId, Stopped> {
    let failed = |_| no_clause();
    let body = terms.and(body);
    let clause = terms.app(Op::Implies, &[body, head]).map_err(failed)?;
    let mut map = FxHashMap::default();
    let mut vars = Vec::new();
    for constant in constants(terms, clause) {
        let Some(fun) = terms.applied(constant).filter(|&fun| terms.fun(fun).role == Role::Free) else {
            continue;
        };
        let (name, sort) = (terms.fun(fun).name, terms.sort(constant));
        let var = terms.var(name, sort);
        map.insert(constant, var);
        vars.push(var);
    }
    let clause = replace(terms, clause, &map);
    if vars.is_empty() { Ok(clause) } else { terms.bind(Op::Forall, &vars, clause).map_err(failed) }
}

fn no_clause() -> Stopped {
    Stopped("a spurious counterexample cannot be written as clauses".into())
}
