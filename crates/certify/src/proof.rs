//! Correctness witnesses: the task with the annotations of the witness is correct if every condition of
//! [`program::conditions`] holds, and every place that must not be visited for ever lies in loops and recursions that
//! have ranking functions ([`program::unranked`]).

use crate::admit::{Admitted, admit};
use crate::question::Questions;
use crate::replay::{Judged, Rejection};
use base::budget::Budget;
use program::{Need, Obligation, Program, Roots, Why, conditions, unranked};
use smt::print::{symbol_text, term_text};
use smt::subst::constants;
use smt::term::Terms;
use solver::{CheckResult, FullSolver};
use std::ops::Range;
use svlib::interp::{EntryRequires, Options};
use svlib::syntax::{PropertyKind, Script};

/// So many conditions are asked at once at most.
const MANY: usize = 64;

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
    let mut questions = Questions { found: &found, solver, budget };
    let mut todo = groups(&found.obligations);
    while let Some(group) = todo.pop() {
        if budget.is_over() {
            return Judged::Open("the time is over".into());
        }
        let obligations = &found.obligations[group.clone()];
        let answer = match obligations {
            [one] => questions.one(terms, one),
            _ => questions.all(terms, obligations),
        };
        match (answer, obligations) {
            (Ok(CheckResult::Unsat), _) => {}
            (Ok(CheckResult::Sat), [one]) => {
                let reason = describe(terms, program, one, questions.solver);
                return Judged::Rejected(Rejection::Condition(reason));
            }
            (Ok(CheckResult::Unknown(reason)), [one]) => {
                let what = name(terms, program, one);
                open = open.or(Some(format!("{what}: the solver does not know ({reason})")));
            }
            // One of them is false or hard: which?
            (Ok(_), _) => {
                let middle = group.start + group.len() / 2;
                todo.extend([middle..group.end, group.start..middle]);
            }
            (Err(error), _) => return Judged::Open(error.to_string()),
        }
    }
    open.map_or(Judged::Confirmed, Judged::Open)
}

/// The obligations of each procedure in groups, the last one first.
fn groups(obligations: &[Obligation]) -> Vec<Range<usize>> {
    let (mut found, mut start) = (Vec::new(), 0);
    for procedure in obligations.chunk_by(|a, b| a.place.proc == b.place.proc) {
        for part in procedure.chunks(MANY) {
            found.push(start..start + part.len());
            start += part.len();
        }
    }
    found.reverse();
    found
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
