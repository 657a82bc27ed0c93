//! Invariants and contracts that support ranking functions: guessed from the program's text and from what other engines
//! publish, and kept if they hold together.

use super::{Asker, Failure, annotate};
use crate::Fact;
use program::{Program, Roots, conditions};
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::{functions, is_closed, postorder};
use smt::term::{FunId, Role, TermId, Terms};
use solver::CheckResult;
use std::collections::BTreeSet;
use std::time::Duration;
use svlib::code::Op as Code;
use svlib::flow::head_stmt;
use svlib::syntax::{ProcId, PropertyKind, StmtId};

/// So many guesses for one place.
const MOST: usize = 60;

/// The time for leaving out what is not needed.
const TIDYING: Duration = Duration::from_secs(3);

/// A formula that may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Guess {
    pub(crate) stmt: StmtId,
    pub(crate) kind: PropertyKind,
    pub(crate) formula: TermId,
}

/// A place for guesses, and the variables that they may speak of.
struct Site {
    stmt: StmtId,
    kind: PropertyKind,
    proc: ProcId,
    /// Those that matter there.
    variables: Vec<FunId>,
}

/// Guesses for all places that the task says nothing about.
pub(crate) fn guesses(terms: &mut Terms, program: &Program<'_>, facts: &[Fact]) -> Vec<Guess> {
    let mut found = Vec::new();
    for site in sites(program) {
        let visible: BTreeSet<FunId> =
            program.globals.iter().copied().chain(program.own_variables(site.proc)).collect();
        let in_scope = |terms: &Terms, term: TermId| {
            let fits = |fun: FunId| match terms.fun(fun).role {
                Role::Variable(..) if site.kind == PropertyKind::Invariant => visible.contains(&fun),
                Role::Variable(..) => site.variables.contains(&fun),
                Role::At(..) => false,
                _ => true,
            };
            functions(terms, term).into_iter().all(fits)
        };
        let mut formulas = Vec::new();
        let here = facts.iter().filter(|fact| fact.stmt == site.stmt && fact.kind == site.kind);
        formulas.extend(here.flat_map(|fact| fact.terms.clone()));
        formulas.extend(of_text(terms, program, site.proc).into_iter().filter(|&f| in_scope(terms, f)));
        formulas.extend(of_numbers(terms, &site));
        let mut seen = BTreeSet::new();
        formulas.retain(|&formula| seen.insert(formula));
        formulas.truncate(MOST);
        let (stmt, kind) = (site.stmt, site.kind);
        found.extend(formulas.into_iter().map(|formula| Guess { stmt, kind, formula }));
    }
    found
}

/// Heads of loops without invariant, procedures without contract.
fn sites(program: &Program<'_>) -> Vec<Site> {
    let script = program.script;
    let mut found = Vec::new();
    for proc in &program.procs {
        let own: Vec<FunId> = program.own_variables(proc.id).collect();
        for inside in &proc.natural.loops {
            let Some(stmt) = head_stmt(script, &proc.code, inside.head) else { continue };
            let tagged = !script.stmts[stmt].tags.is_empty();
            if tagged && !program.notes(stmt).task_has(PropertyKind::Invariant) {
                let mut variables = own.clone();
                variables.extend(program.modified(proc, stmt));
                variables.sort_unstable();
                variables.dedup();
                found.push(Site { stmt, kind: PropertyKind::Invariant, proc: proc.id, variables });
            }
        }
        let (notes, stmt) = (program.notes(proc.body), proc.body);
        let is_entry = program.entry.proc == proc.id && program.entry.only;
        if is_entry || notes.has_contract() || script.stmts[stmt].tags.is_empty() {
            continue;
        }
        let interface = &script.procs[proc.id];
        let inputs = interface.inputs.clone();
        let outputs = inputs.iter().chain(&interface.outputs).copied().collect();
        found.push(Site { stmt, kind: PropertyKind::Requires, proc: proc.id, variables: inputs });
        found.push(Site { stmt, kind: PropertyKind::Ensures, proc: proc.id, variables: outputs });
    }
    found
}

/// The conditions of a procedure's text, their parts, and what is nearly them.
fn of_text(terms: &mut Terms, program: &Program<'_>, proc: ProcId) -> Vec<TermId> {
    let Some(proc) = program.proc(proc) else { return Vec::new() };
    let mut found = Vec::new();
    for instr in &proc.code.instrs {
        let condition = match &instr.op {
            Code::Branch(term, _) | Code::Assume(term) => *term,
            _ => continue,
        };
        for term in postorder(terms, condition) {
            if terms.sort(term) != SortId::BOOL || !is_closed(terms, term) {
                continue;
            }
            found.push(term);
            found.push(terms.not(term));
            // A loop is left with its bound reached: what is true before a strict comparison, and after it.
            let weaker = match terms.op(term) {
                Op::Lt => terms.args(term).to_vec(),
                Op::Gt => terms.args(term).iter().rev().copied().collect(),
                Op::Distinct => terms.args(term).to_vec(),
                Op::Not if terms.op(terms.args(term)[0]) == Op::Eq => {
                    terms.args(terms.args(term)[0]).to_vec()
                }
                _ => continue,
            };
            found.extend(terms.app(Op::Le, &weaker));
            if let [a, b] = weaker[..] {
                found.extend(terms.app(Op::Le, &[b, a]));
            }
        }
    }
    for note in program.notes(proc.body).of(PropertyKind::Requires) {
        found.extend(&note.terms);
    }
    found.retain(|&formula| formula != TermId::TRUE && formula != TermId::FALSE);
    found
}

/// Bounds of single integers, and the order of two.
fn of_numbers(terms: &mut Terms, site: &Site) -> Vec<TermId> {
    let is_int = |&&variable: &&FunId| terms.fun(variable).result == SortId::INT;
    let variables: Vec<FunId> = site.variables.iter().filter(is_int).take(8).copied().collect();
    let mut found = Vec::new();
    for &variable in &variables {
        let term = terms.constant_term(variable);
        for bound in [0, 1, -1] {
            let bound = terms.int(bound);
            found.extend(terms.app(Op::Le, &[bound, term]));
        }
    }
    for &a in &variables {
        for &b in variables.iter().filter(|&&b| b != a) {
            let (a, b) = (terms.constant_term(a), terms.constant_term(b));
            found.extend(terms.app(Op::Le, &[a, b]));
        }
    }
    found
}

/// The guesses that hold, each with the help of the others.
pub(crate) fn keep(
    terms: &mut Terms,
    program: &Program<'_>,
    mut guesses: Vec<Guess>,
    asker: &mut Asker,
) -> Result<Vec<Guess>, Failure> {
    loop {
        let mut program = program.clone();
        for guess in &guesses {
            annotate(&mut program, guess.stmt, guess.kind, vec![guess.formula]);
        }
        let found = conditions(terms, &program, &Roots::default());
        let mut dropped: Vec<Guess> = Vec::new();
        for obligation in &found.obligations {
            let Some(note) = &obligation.note else { continue };
            let [formula] = note.terms[..] else { continue };
            let guess = Guess { stmt: obligation.place.stmt, kind: note.kind, formula };
            if dropped.contains(&guess) || !guesses.contains(&guess) {
                continue;
            }
            let mut question = found.axioms.clone();
            question.extend(found.hypotheses(terms, obligation));
            question.push(terms.not(obligation.goal));
            if asker.ask(terms, &question, &[])?.0 != CheckResult::Unsat {
                dropped.push(guess);
            }
        }
        if dropped.is_empty() {
            return Ok(guesses);
        }
        guesses.retain(|guess| !dropped.contains(guess));
    }
}

/// All conditions of the program hold with the invariants, as far as the solver can tell.
pub(crate) fn prove_rest(
    terms: &mut Terms,
    program: &Program<'_>,
    invariants: &[Guess],
    asker: &mut Asker,
) -> Result<(), Failure> {
    let mut program = program.clone();
    for guess in invariants {
        annotate(&mut program, guess.stmt, guess.kind, vec![guess.formula]);
    }
    let found = conditions(terms, &program, &Roots::default());
    for obligation in &found.obligations {
        let mut question = found.axioms.clone();
        question.extend(found.hypotheses(terms, obligation));
        question.push(terms.not(obligation.goal));
        if asker.ask(terms, &question, &[])?.0 != CheckResult::Unsat {
            let kind = obligation.note.as_ref().map_or("", |note| note.kind.keyword());
            return Err(Failure::Nothing(format!(
                "there are ranking functions, but not all other conditions follow ({kind})"
            )));
        }
    }
    Ok(())
}

/// The invariants without which the conditions do not hold: a proof that says less is read faster, and checked faster.
pub(crate) fn needed(
    terms: &mut Terms,
    program: &Program<'_>,
    mut invariants: Vec<Guess>,
    asker: &mut Asker,
) -> Result<Vec<Guess>, Failure> {
    let time = asker.budget.part(TIDYING);
    // Large parts first: mostly nothing is needed.
    let mut size = invariants.len();
    while size > 0 {
        let mut at = 0;
        while at < invariants.len() {
            if time.is_over() {
                return Ok(invariants);
            }
            let mut fewer = invariants.clone();
            fewer.drain(at..(at + size).min(invariants.len()));
            match prove_rest(terms, program, &fewer, asker) {
                Ok(()) => invariants = fewer,
                Err(Failure::Nothing(_)) => at += size,
                Err(failure) => return Err(failure),
            }
        }
        size /= 2;
    }
    Ok(invariants)
}
