//! From the facts that a solver derives to clauses with values: which clause gives a fact is found out by asking for values of
//! its variables with which it does.

use super::HornTask;
use rustc_hash::FxHashSet;
use smt::op::Op;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use solver::{CheckResult, Fact, FullSolver, Limits};
use ts::passes::horn::{Application, Clause, Deduction, Ground};

/// The derivation that facts are, up to the contradiction.
pub(super) fn derive(
    terms: &mut Terms,
    task: &HornTask<'_>,
    facts: &[Fact],
) -> Result<Vec<Deduction>, String> {
    if facts.is_empty() {
        return Err("no derivation is told".into());
    }
    let predicates: FxHashSet<FunId> = task.problem.predicates.iter().copied().collect();
    let mut clauses = Vec::new();
    for &clause in &task.problem.clauses {
        let clause = Clause::of(terms, &predicates, clause).ok_or("a clause is not understood")?;
        clauses.push(Ground::of(terms, &clause));
    }
    let mut solver = solver::open(task.solver).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    for fact in facts {
        if task.budget.is_over() {
            return Err("the time is over".into());
        }
        let limits = task.budget.remaining().map_or_else(Limits::default, Limits::time);
        solver.limits(limits).map_err(|error| error.to_string())?;
        found.push(deduction(terms, &mut *solver, &clauses, facts, fact)?);
        // What a solver says behind the contradiction is about its own question.
        if fact.predicate.is_none() {
            return Ok(found);
        }
    }
    Err("the facts of the derivation lead to no contradiction".into())
}

/// A clause that gives the fact from its premises, in some order.
fn deduction(
    terms: &mut Terms,
    solver: &mut dyn FullSolver,
    clauses: &[Ground],
    facts: &[Fact],
    fact: &Fact,
) -> Result<Deduction, String> {
    for (number, clause) in clauses.iter().enumerate() {
        if clause.head.and_then(|head| terms.applied(head)) != fact.predicate {
            continue;
        }
        for premises in assignments(terms, clause, facts, fact) {
            let mut formulas = clause.constraints.clone();
            let given = clause.atoms.iter().zip(&premises).map(|(&atom, &premise)| (atom, &facts[premise]));
            for (atom, fact) in given.chain(clause.head.map(|head| (head, fact))) {
                equations(terms, atom, fact, &mut formulas);
            }
            if let Some(values) = values(terms, solver, clause, &formulas)? {
                return Ok(Deduction { applied: Application { clause: number, values }, premises });
            }
        }
    }
    Err("no clause gives one of the facts of the derivation".into())
}

/// So many ways to give premises to atoms are tried.
const WAYS: usize = 200;

/// The ways to give each atom a premise of its predicate such that each premise is used; one may serve several atoms.
fn assignments(terms: &Terms, clause: &Ground, facts: &[Fact], fact: &Fact) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for &atom in &clause.atoms {
        let fits = |&at: &usize| facts[at].predicate.is_some() && facts[at].predicate == terms.applied(atom);
        let choices: Vec<usize> = fact.premises.iter().copied().filter(fits).collect();
        let longer = |known: &Vec<usize>| -> Vec<Vec<usize>> {
            choices.iter().map(|&choice| known.iter().copied().chain([choice]).collect()).collect()
        };
        found = found.iter().flat_map(longer).take(WAYS * WAYS).collect();
    }
    found.retain(|way| fact.premises.iter().all(|premise| way.contains(premise)));
    found.truncate(WAYS);
    found
}

/// The arguments of an atom are those of a fact, as far as these can be written.
fn equations(terms: &mut Terms, atom: TermId, fact: &Fact, formulas: &mut Vec<TermId>) {
    let args = terms.args(atom).to_vec();
    for (arg, value) in args.into_iter().zip(&fact.args) {
        if let Some(value) = value {
            let value = value.to_term(terms);
            formulas.extend(terms.app(Op::Eq, &[arg, value]));
        }
    }
}

/// Values of the variables of a clause with which formulas hold.
fn values(
    terms: &mut Terms,
    solver: &mut dyn FullSolver,
    clause: &Ground,
    formulas: &[TermId],
) -> Result<Option<Vec<Value>>, String> {
    let words = |error: solver::SolverError| error.to_string();
    solver.push().map_err(words)?;
    for &formula in formulas {
        solver.assert(terms, formula).map_err(words)?;
    }
    let mut found = None;
    if let CheckResult::Sat = solver.check(terms, &[]).map_err(words)? {
        let mut values = Vec::new();
        for &var in &clause.vars {
            let constant = terms.constant_term(var);
            let value = solver.value(terms, constant).map_err(words)?;
            let value = value.or_else(|| Value::default_of(terms, terms.fun(var).result));
            values.push(value.ok_or("a value cannot be written")?);
        }
        found = Some(values);
    }
    solver.pop().map_err(words)?;
    Ok(found)
}
