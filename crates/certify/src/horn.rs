//! Evidence about Horn clauses: a meaning of the predicates that satisfies every clause, or a derivation of `false` from them.
//!
//! A solution is judged by one question for each clause, a derivation by evaluation: each deduction names a clause, values of
//! its variables, and the earlier deductions that give the facts of its body.

use crate::replay::{Judged, Rejection};
use base::budget::Budget;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::eval::{Assignment, Evaluator};
use smt::horn::HornProblem;
use smt::print::term_text;
use smt::subst::{free_vars, replace};
use smt::term::{FunId, Role, TermId, Terms};
use smt::value::Value;
use solver::{CheckResult, FullSolver, Limits, SolverError};
use std::time::Duration;
use ts::passes::horn::{Clause, Deduction, Ground, Meaning, has_uninterpreted};

fn rejected(reason: impl Into<String>) -> Judged {
    Judged::Rejected(Rejection::Condition(reason.into()))
}

/// The clauses in parts.
fn split(terms: &mut Terms, problem: &HornProblem) -> Result<Vec<Clause>, Judged> {
    let predicates: FxHashSet<FunId> = problem.predicates.iter().copied().collect();
    let mut clauses = Vec::new();
    for (at, &clause) in problem.clauses.iter().enumerate() {
        let Some(clause) = Clause::of(terms, &predicates, clause) else {
            return Err(Judged::Open(format!("clause {at} is not understood")));
        };
        clauses.push(clause);
    }
    Ok(clauses)
}

/// Judges a solution: every clause holds with it, whatever its variables are.
pub fn check_model(
    terms: &mut Terms,
    problem: &HornProblem,
    solution: &[Meaning],
    solver: &mut dyn FullSolver,
    budget: &Budget,
) -> Judged {
    let mut meanings: FxHashMap<FunId, &Meaning> = FxHashMap::default();
    for meaning in solution {
        if let Err(reason) = is_meaning(terms, problem, meaning) {
            return rejected(reason);
        }
        meanings.insert(meaning.predicate, meaning);
    }
    if let Some(&predicate) = problem.predicates.iter().find(|predicate| !meanings.contains_key(predicate)) {
        return rejected(format!("the predicate {} has no meaning", terms.fun_name(predicate)));
    }
    let clauses = match split(terms, problem) {
        Ok(clauses) => clauses,
        Err(judged) => return judged,
    };
    for (at, clause) in clauses.iter().enumerate() {
        let clause = Ground::of(terms, clause);
        let mut formulas = clause.constraints;
        for &atom in &clause.atoms {
            formulas.push(instance(terms, &meanings, atom));
        }
        if let Some(head) = clause.head {
            let head = instance(terms, &meanings, head);
            formulas.push(terms.not(head));
        }
        match ask(terms, solver, budget, &formulas) {
            Ok(CheckResult::Unsat) => {}
            Ok(CheckResult::Sat) => {
                let text: String = term_text(terms, problem.clauses[at]).chars().take(200).collect();
                return rejected(format!("clause {at} does not hold: {text}"));
            }
            Ok(CheckResult::Unknown(reason)) => {
                return Judged::Open(format!("whether clause {at} holds is unknown ({reason})"));
            }
            Err(error) => return Judged::Open(error.to_string()),
        }
    }
    Judged::Confirmed
}

/// A meaning speaks of its parameters and of nothing that is not fixed.
fn is_meaning(terms: &Terms, problem: &HornProblem, meaning: &Meaning) -> Result<(), String> {
    let name = terms.fun_name(meaning.predicate);
    if !problem.predicates.contains(&meaning.predicate) {
        return Err(format!("{name} is no predicate of the clauses"));
    }
    let sorts = meaning.params.iter().map(|&param| terms.sort(param));
    if !sorts.eq(terms.fun(meaning.predicate).params.iter().copied()) {
        return Err(format!("the meaning of {name} has other parameters"));
    }
    if let Some(&other) = free_vars(terms, meaning.body).iter().find(|var| !meaning.params.contains(var)) {
        return Err(format!("the meaning of {name} speaks of {}", term_text(terms, other)));
    }
    let used = smt::subst::functions(terms, meaning.body);
    let open = |fun: &&FunId| matches!(terms.fun(**fun).role, Role::Free | Role::Variable(..) | Role::At(..));
    match used.iter().find(open) {
        Some(&other) => Err(format!("the meaning of {name} speaks of {}", terms.fun_name(other))),
        None => Ok(()),
    }
}

/// What an atom means.
fn instance(terms: &mut Terms, meanings: &FxHashMap<FunId, &Meaning>, atom: TermId) -> TermId {
    let Some(meaning) = terms.applied(atom).and_then(|fun| meanings.get(&fun)) else { return atom };
    let map = meaning.params.iter().copied().zip(terms.args(atom).iter().copied()).collect();
    replace(terms, meaning.body, &map)
}

fn ask(
    terms: &Terms,
    solver: &mut dyn FullSolver,
    budget: &Budget,
    formulas: &[TermId],
) -> Result<CheckResult, SolverError> {
    let limits = match budget.remaining() {
        Some(time) => Limits::time((time / 2).max(Duration::from_millis(1))),
        None => Limits::default(),
    };
    solver.limits(limits)?;
    solver.push()?;
    for &formula in formulas {
        solver.assert(terms, formula)?;
    }
    let answer = solver.check(terms, &[])?;
    solver.pop()?;
    if !matches!(answer, CheckResult::Unknown(_)) {
        return Ok(answer);
    }
    let mut fresh = solver::open(solver.name())?;
    fresh.limits(limits)?;
    for &formula in formulas {
        fresh.assert(terms, formula)?;
    }
    fresh.check(terms, &[])
}

/// A fact: a predicate and its arguments; none for `false`.
type Fact = Option<(FunId, Vec<Value>)>;

/// Judges a derivation, whose last deduction has to give `false`.
pub fn check_derivation(terms: &mut Terms, problem: &HornProblem, derivation: &[Deduction]) -> Judged {
    let clauses = match split(terms, problem) {
        Ok(clauses) => clauses,
        Err(judged) => return judged,
    };
    let clauses: Vec<Ground> = clauses.iter().map(|clause| Ground::of(terms, clause)).collect();
    let mut facts: Vec<Fact> = Vec::new();
    for (at, deduction) in derivation.iter().enumerate() {
        match conclusion(terms, &clauses, &facts, deduction) {
            Ok(fact) => facts.push(fact),
            Err(Wrong::Is(reason)) => return rejected(format!("deduction {at}: {reason}")),
            Err(Wrong::Open(reason)) => return Judged::Open(format!("deduction {at}: {reason}")),
        }
    }
    match facts.last() {
        Some(None) => Judged::Confirmed,
        Some(Some(_)) => rejected("the derivation does not end with false"),
        None => rejected("the derivation is empty"),
    }
}

enum Wrong {
    Is(String),
    Open(String),
}

/// The fact that a deduction gives.
fn conclusion(
    terms: &Terms,
    clauses: &[Ground],
    facts: &[Fact],
    deduction: &Deduction,
) -> Result<Fact, Wrong> {
    let number = deduction.applied.clause;
    let clause = clauses.get(number).ok_or_else(|| Wrong::Is(format!("there is no clause {number}")))?;
    if clause.vars.len() != deduction.applied.values.len() {
        return Err(Wrong::Is(format!("clause {number} has {} variables", clause.vars.len())));
    }
    if clause.atoms.len() != deduction.premises.len() {
        return Err(Wrong::Is(format!("clause {number} has {} atoms", clause.atoms.len())));
    }
    let mut env = Assignment::new();
    for (&var, value) in clause.vars.iter().zip(&deduction.applied.values) {
        if !value.has_sort(&terms.sorts, terms.fun(var).result) {
            return Err(Wrong::Is(format!("the value of {} has another sort", terms.fun_name(var))));
        }
        // Elements of an uninterpreted sort may all be the same one: what is derived then is derived in any case.
        let value = match value {
            Value::Abstract { sort, .. } => Value::Abstract { sort: *sort, index: 0 },
            _ if has_uninterpreted(terms, terms.fun(var).result) => {
                let name = terms.fun_name(var);
                return Err(Wrong::Open(format!("{name} has elements of an uninterpreted sort inside")));
            }
            value => value.clone(),
        };
        env.set(var, value);
    }
    let mut eyes = Eyes { terms, evaluator: Evaluator::new(terms), env };
    for &constraint in &clause.constraints {
        if eyes.value(constraint)? != Value::Bool(true) {
            let text: String = term_text(terms, constraint).chars().take(200).collect();
            return Err(Wrong::Is(format!("clause {number} does not apply: {text}")));
        }
    }
    for (&atom, &premise) in clause.atoms.iter().zip(&deduction.premises) {
        let wanted = eyes.fact(atom)?;
        if facts.get(premise) != Some(&Some(wanted)) {
            let text: String = term_text(terms, atom).chars().take(200).collect();
            return Err(Wrong::Is(format!("deduction {premise} does not give {text}")));
        }
    }
    clause.head.map(|head| eyes.fact(head)).transpose()
}

/// Values of terms, where these are no matter of choice: whoever wants a solution may choose what a division by zero is, so a
/// derivation must not.
struct Eyes<'a> {
    terms: &'a Terms,
    evaluator: Evaluator<'a>,
    env: Assignment,
}

impl Eyes<'_> {
    fn value(&mut self, term: TermId) -> Result<Value, Wrong> {
        let value = self.evaluator.eval(term, &mut self.env);
        let value = value.map_err(|error| Wrong::Open(error.message(self.terms)))?;
        match self.evaluator.unspecified() {
            Some(term) => Err(Wrong::Open(format!(
                "the value of {} is a matter of choice",
                term_text(self.terms, term)
            ))),
            None => Ok(value),
        }
    }

    fn fact(&mut self, atom: TermId) -> Result<(FunId, Vec<Value>), Wrong> {
        let predicate = self.terms.applied(atom).ok_or_else(|| Wrong::Open("an atom is none".into()))?;
        let terms = self.terms;
        let values = terms.args(atom).iter().map(|&arg| self.value(arg)).collect::<Result<_, _>>()?;
        Ok((predicate, values))
    }
}
