//! Correctness witnesses: the task with the annotations of the witness is correct if every condition of
//! [`program::conditions`] holds, and every place that must not be visited for ever lies in loops and recursions that
//! have ranking functions ([`program::unranked`]).

use crate::admit::{Admitted, admit};
use crate::replay::{Judged, Rejection};
use base::budget::Budget;
use program::{Conditions, Need, Obligation, Program, Roots, Why, conditions, unranked};
use smt::op::Op;
use smt::print::{symbol_text, term_text};
use smt::subst::constants;
use smt::term::{TermId, Terms};
use solver::{CheckResult, FullSolver, Limits, SolverError};
use svlib::interp::{EntryRequires, Options};
use svlib::syntax::{PropertyKind, Script};

/// Judges the annotations of a correctness witness for the call that is command number `command` of the script. The
/// commands whose numbers are in `added` are the witness, all others the task.
pub fn check_proof(
    terms: &mut Terms,
    script: &Script,
    command: usize,
    added: &[usize],
    options: &Options,
    solver: &mut dyn FullSolver,
    budget: &Budget,
) -> Judged {
    match admit(script, added) {
        Admitted::Proof => {}
        Admitted::Refused(reason) => return Judged::Rejected(Rejection::Condition(reason)),
        Admitted::Open(reason) => return Judged::Open(reason),
        Admitted::Violation(_) => return Judged::Open("a trace is no proof".into()),
    }
    let assumed = options.entry_requires == EntryRequires::Assume;
    match Program::new(script, command, added, assumed) {
        Ok(program) => prove(terms, &program, solver, budget),
        Err(error) => Judged::Open(error.to_string()),
    }
}

/// Proves that a program is correct with the annotations that it has.
pub fn prove(
    terms: &mut Terms,
    program: &Program<'_>,
    solver: &mut dyn FullSolver,
    budget: &Budget,
) -> Judged {
    if let Some(need) = unranked(program).first() {
        return Judged::Open(missing(terms, program, need));
    }
    let found = conditions(terms, program, &Roots::default());
    if let Some(reason) = found.open.first() {
        return Judged::Open(reason.clone());
    }
    let mut open = None;
    for obligation in &found.obligations {
        if budget.is_over() {
            return Judged::Open("the time is over".into());
        }
        match holds(terms, &found, obligation, solver, budget) {
            Ok(CheckResult::Unsat) => {}
            Ok(CheckResult::Sat) => {
                let reason = describe(terms, program, obligation, solver);
                return Judged::Rejected(Rejection::Condition(reason));
            }
            Ok(CheckResult::Unknown(reason)) => {
                let what = name(terms, program, obligation);
                open = open.or(Some(format!("{what}: the solver does not know ({reason})")));
            }
            Err(error) => return Judged::Open(error.to_string()),
        }
    }
    open.map_or(Judged::Confirmed, Judged::Open)
}

/// Which ranking function is missing, in words.
fn missing(terms: &Terms, program: &Program<'_>, need: &Need) -> String {
    let tag = program.script.stmts[need.stmt].tags.first();
    let tag = tag.map_or_else(
        || "a statement without a tag".into(),
        |tag| format!("`{}`", symbol_text(terms.names.text(tag.0))),
    );
    let what = if need.why == Why::Recursion { "recursive procedure" } else { "loop" };
    format!("the {what} {tag} has no ranking function")
}

/// Asks for a state in which the hypotheses hold and the goal does not. A model stays until the next question.
fn holds(
    terms: &mut Terms,
    found: &Conditions,
    obligation: &Obligation,
    solver: &mut dyn FullSolver,
    budget: &Budget,
) -> Result<CheckResult, SolverError> {
    let hypotheses = found.hypotheses(terms, obligation);
    let mut answer = CheckResult::Unsat;
    // One conjunct at a time: each is an easier question, and the answer names what fails.
    for goal in conjuncts(terms, obligation.goal) {
        if let Some(time) = budget.remaining() {
            solver.limits(Limits::time(time))?;
        }
        let negated = terms.not(goal);
        let all = found.axioms.iter().chain(&hypotheses).chain([&negated]);
        let assumptions: Vec<TermId> = all.copied().filter(|&t| t != TermId::TRUE).collect();
        match ask(terms, solver, &assumptions)? {
            CheckResult::Unsat => {}
            CheckResult::Sat => return Ok(CheckResult::Sat),
            unknown => answer = unknown,
        }
    }
    Ok(answer)
}

fn ask(terms: &Terms, solver: &mut dyn FullSolver, formulas: &[TermId]) -> Result<CheckResult, SolverError> {
    // The level of the question before stays open while its model may be asked for.
    solver.push()?;
    for &formula in formulas {
        solver.assert(terms, formula)?;
    }
    let answer = solver.check(terms, &[])?;
    if !answer.is_sat() {
        solver.pop()?;
    }
    Ok(answer)
}

/// The conjuncts of a formula.
fn conjuncts(terms: &Terms, formula: TermId) -> Vec<TermId> {
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

/// Which condition, in words.
fn name(terms: &Terms, program: &Program<'_>, obligation: &Obligation) -> String {
    let kind = obligation.note.as_ref().map_or(PropertyKind::Invariant, |note| note.kind);
    let tag = program.script.stmts[obligation.place.stmt].tags.first();
    let tag =
        tag.map_or_else(|| "a statement".into(), |t| format!("`{}`", symbol_text(terms.names.text(t.0))));
    let when = match kind {
        PropertyKind::Invariant if obligation.place.back => "is not kept by a round of the loop",
        PropertyKind::Invariant => "does not hold when control comes to it",
        PropertyKind::Requires => "does not hold where the statement begins",
        PropertyKind::Ensures => "does not hold where the statement ends",
        PropertyKind::Decreases | PropertyKind::DecreasesLex => "does not decrease",
        _ => "does not hold",
    };
    format!("the {} of {tag} {when}", kind.keyword())
}

/// The condition that fails, and values with which it does.
fn describe(
    terms: &mut Terms,
    program: &Program<'_>,
    obligation: &Obligation,
    solver: &mut dyn FullSolver,
) -> String {
    let mut text = name(terms, program, obligation);
    let mut values = Vec::new();
    for constant in constants(terms, obligation.goal).into_iter().take(8) {
        if let Ok(Some(value)) = solver.value(terms, constant) {
            let value = value.to_term(terms);
            let shown = term_text(terms, constant);
            values.push(format!("{} = {}", plain(&shown), term_text(terms, value)));
        }
    }
    // The question's level was left open for its model.
    let _ = solver.pop();
    if !values.is_empty() {
        text.push_str(&format!(", for example with {}", values.join(", ")));
    }
    text
}

/// The name of a variable whose state is numbered.
fn plain(text: &str) -> &str {
    let inner = text.trim_matches('|').trim_start_matches('#');
    inner.rsplit_once('.').map_or(inner, |(name, _)| name)
}
