//! The way from a witness to the checker: what kind of witness it is, and whether it claims what it shows.

use base::budget::Budget;
use certify::{Admitted, Judged, admit, check_proof, replay_trace};
use smt::term::Terms;
use svlib::interp::Options;
use svlib::syntax::CommandKind;
use svlib::witness::{Claim, Part, ValidationTask};

use crate::validate::Validation;

/// Judges what the witness says about one query. `claim` is what it is said to show, beside what it says itself.
pub(crate) fn judge(
    terms: &mut Terms,
    task: &ValidationTask,
    part: &Part,
    claim: Option<Claim>,
    options: &Options,
    solver: &str,
    budget: &Budget,
) -> Validation {
    let script = &task.builder.state.script;
    let Some(added) = part.added.clone() else {
        return Validation::Unknown("the witness says nothing about this query".into());
    };
    let added: Vec<usize> = added.collect();
    let (shows, traces) = match admit(script, &added) {
        Admitted::Violation(traces) => (Claim::Incorrect, traces),
        Admitted::Proof => (Claim::Correct, Vec::new()),
        Admitted::Refused(reason) => return Validation::Rejected(reason),
        Admitted::Open(reason) => return Validation::Unknown(reason),
    };
    if let Some(claim) = claim.into_iter().chain(part.claim).find(|&claim| claim != shows) {
        let kind = if shows == Claim::Correct { "has no trace" } else { "has a trace" };
        return Validation::Rejected(format!("the witness is one for `{}`, but it {kind}", claim.word()));
    }
    let mut solver = match solver::open(solver) {
        Ok(solver) => solver,
        Err(error) => return Validation::Unknown(format!("the solver cannot be used: {error}")),
    };
    if shows == Claim::Incorrect {
        let mut result = Validation::Confirmed;
        for number in traces {
            let CommandKind::SelectTrace(trace) = &script.commands[number].kind else { continue };
            let judged = replay_trace(terms, script, part.command, trace, options, &mut *solver, budget);
            result = said(judged);
            if result != Validation::Confirmed {
                break;
            }
        }
        return result;
    }
    said(check_proof(terms, script, part.command, &added, options, &mut *solver, budget))
}

fn said(judged: Judged) -> Validation {
    match judged {
        Judged::Confirmed => Validation::Confirmed,
        Judged::Rejected(reason) => Validation::Rejected(reason.to_string()),
        Judged::Open(reason) => Validation::Unknown(reason),
    }
}
