//! Clauses in the grammar of CHC-COMP: atoms over variables, distinct ones in a head, one goal, which is the last.

use super::clausify::Clausifier;
use crate::WriteError;
use crate::declare::{write_declarations, write_params};
use crate::names::new_var;
use rustc_hash::FxHashSet;
use smt::horn::HornProblem;
use smt::op::Op;
use smt::print::{symbol_text, write_sort, write_term};
use smt::sort::SortId;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use ts::passes::horn::Clause;

/// Writes clauses. Several goals become rules for a predicate of which the one goal speaks.
///
/// # Errors
/// When the formulas are no Horn clauses.
pub fn write_clauses(terms: &mut Terms, problem: &HornProblem) -> Result<Vec<u8>, WriteError> {
    let known: FxHashSet<FunId> = problem.predicates.iter().copied().collect();
    let mut clausifier = Clausifier::new(&known);
    let (mut rules, mut goals) = (Vec::new(), Vec::new());
    for (at, &formula) in problem.clauses.iter().enumerate() {
        let clauses = clausifier.clauses(terms, formula);
        let clauses =
            clauses.map_err(|_| WriteError::new(format!("formula {at} of the problem is no Horn clause")))?;
        for clause in clauses {
            let clause = over_variables(terms, clause).map_err(|error| {
                WriteError::new(format!("formula {at}: {}", error.message(terms, "an atom", &[])))
            })?;
            if clause.head.is_some() { &mut rules } else { &mut goals }.push(clause);
        }
    }
    let mut predicates = problem.predicates.clone();
    let goal = one_goal(terms, &mut predicates, &mut rules, goals);
    rules.push(goal);
    let mut out = String::from("(set-logic HORN)\n");
    let parts = |clause: &Clause| [&clause.constraints[..], &clause.vars[..]].concat();
    let roots: Vec<TermId> = rules.iter().flat_map(parts).collect();
    write_declarations(&mut out, terms, &roots, &predicates);
    for &predicate in &predicates {
        out.push_str(&format!("(declare-fun {} (", symbol_text(terms.fun_name(predicate))));
        for (i, &param) in terms.fun(predicate).params.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { " " });
            write_sort(&mut out, terms, param);
        }
        out.push_str(") Bool)\n");
    }
    for clause in rules {
        write_clause(&mut out, terms, clause);
    }
    out.push_str("(check-sat)\n");
    Ok(out.into_bytes())
}

/// The goal; with several, or none, of a predicate that they are rules for.
fn one_goal(
    terms: &mut Terms,
    predicates: &mut Vec<FunId>,
    rules: &mut Vec<Clause>,
    mut goals: Vec<Clause>,
) -> Clause {
    if goals.len() == 1
        && let Some(goal) = goals.pop()
    {
        return goal;
    }
    if goals.is_empty() {
        return Clause { constraints: vec![TermId::FALSE], ..Clause::default() };
    }
    let name = terms.unused_name("fail");
    let name = terms.names.intern(&name);
    let fail = Fun { name, params: Box::new([]), result: SortId::BOOL, role: Role::Free };
    let fail = terms.declare(fail);
    predicates.push(fail);
    let fail = terms.constant_term(fail);
    rules.extend(goals.into_iter().map(|goal| Clause { head: Some(fail), ..goal }));
    Clause { atoms: vec![fail], ..Clause::default() }
}

/// A clause whose atoms are over variables, and those of the head are distinct.
fn over_variables(terms: &mut Terms, clause: Clause) -> Result<Clause, smt::check::RankError> {
    let Clause { mut vars, atoms, mut constraints, head } = clause;
    let mut put = |terms: &mut Terms, atom: TermId, seen: &mut FxHashSet<TermId>| {
        let Some(fun) = terms.applied(atom) else { return Ok(atom) };
        let mut args = Vec::new();
        for arg in terms.args(atom).to_vec() {
            if terms.variable(arg).is_some() && seen.insert(arg) {
                args.push(arg);
                continue;
            }
            let var = new_var(terms, "v", terms.sort(arg));
            vars.push(var);
            constraints.push(terms.app(Op::Eq, &[var, arg])?);
            args.push(var);
        }
        terms.call(fun, &args)
    };
    let mut made = Vec::new();
    for atom in atoms {
        // Only in heads variables must be distinct, but it does no harm here.
        made.push(put(terms, atom, &mut FxHashSet::default())?);
    }
    let head = match head {
        Some(head) => Some(put(terms, head, &mut FxHashSet::default())?),
        None => None,
    };
    Ok(Clause { vars, atoms: made, constraints, head })
}

fn write_clause(out: &mut String, terms: &mut Terms, mut clause: Clause) {
    let fact = clause.atoms.is_empty() && clause.constraints.is_empty();
    if fact
        && clause.vars.is_empty()
        && let Some(head) = clause.head
    {
        out.push_str("(assert ");
        write_term(out, terms, head);
        out.push_str(")\n");
        return;
    }
    if clause.vars.is_empty() {
        // The grammar wants a variable.
        clause.vars.push(new_var(terms, "none", SortId::BOOL));
    }
    out.push_str("(assert (forall ");
    write_params(out, terms, &clause.vars);
    let head = clause.head.unwrap_or(TermId::FALSE);
    let body: Vec<TermId> = clause.atoms.iter().chain(&clause.constraints).copied().collect();
    let body = terms.and(&body);
    out.push(' ');
    match terms.app(Op::Implies, &[body, head]) {
        Ok(formula) if !fact => write_term(out, terms, formula),
        _ => write_term(out, terms, head),
    }
    out.push_str("))\n");
}
