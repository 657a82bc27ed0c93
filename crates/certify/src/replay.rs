//! Violation witnesses: a trace is confirmed when the concrete execution that it describes violates what it claims
//! (SV-LIB 1.0, sect. 7.2, 7.3), or cannot take the step that it calls invalid (7.6).
//!
//! The interpreter decides; what is added here is caution. An execution counts only if everything it rests on was
//! evaluated: an assertion about the model that could not be (a quantifier over integers, say) leaves the question
//! open. A lasso (7.4) has a stem, which is replayed as well; whether it closes is decided in [`crate::lasso`].

use crate::lasso::{self, Stem};
use base::budget::Budget;
use smt::term::Terms;
use solver::FullSolver;
use std::fmt;
use svlib::interp::{End, Judged as What, Judgement, Options, Outcome, Replay, Task, run};
use svlib::syntax::{Script, Trace, Violation};

/// What the checker says about evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judged {
    /// It is right.
    Confirmed,
    /// It is wrong, and why.
    Rejected(Rejection),
    /// It cannot be judged, and why.
    Open(String),
}

/// Why evidence is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// The step with this number (from 0) cannot be taken: why.
    InvalidStep(usize, String),
    /// The execution ends otherwise than claimed: how.
    OtherEnd(String),
    /// A condition of a correctness witness or of a lasso does not hold: which.
    Condition(String),
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::InvalidStep(_, reason)
            | Rejection::OtherEnd(reason)
            | Rejection::Condition(reason) => f.write_str(reason),
        }
    }
}

/// Replays a trace for the call that is command number `command` of the script. The solver is asked about lassos only.
#[must_use]
pub fn replay_trace(
    terms: &mut Terms,
    script: &Script,
    command: usize,
    trace: &Trace,
    options: &Options,
    solver: &mut dyn FullSolver,
    budget: &Budget,
) -> Judged {
    let task = match Task::new(terms, script, command) {
        Ok(task) => task,
        Err(error) => return Judged::Open(error.to_string()),
    };
    let mut replay = Replay::of_trace(terms, trace);
    let outcome = run(&task, terms, &mut replay, options);
    let claims_invalid_step = matches!(trace.violation, Violation::InvalidStep(_));
    match replay.judge(&outcome) {
        Judgement::Confirmed => match doubt(terms, &outcome) {
            Some(reason) => Judged::Open(reason),
            None => Judged::Confirmed,
        },
        Judgement::Stem => match (&outcome.end, doubt(terms, &outcome)) {
            (_, Some(reason)) => Judged::Open(reason),
            (End::LassoStem(head, _), None) => {
                let stem = Stem { task: &task, trace, outcome: &outcome, options, head: *head };
                lasso::judge(terms, &stem, solver, budget)
            }
            _ => Judged::Open("the stem of the lasso has no end".into()),
        },
        Judgement::InvalidStep(index) if !claims_invalid_step => {
            Judged::Rejected(Rejection::InvalidStep(index, outcome.end.message(terms, &task)))
        }
        _ => match &outcome.end {
            End::StepLimit | End::DepthLimit | End::Error(..) => {
                Judged::Open(outcome.end.message(terms, &task))
            }
            _ => Judged::Rejected(Rejection::OtherEnd(outcome.end.message(terms, &task))),
        },
    }
}

/// True when a trace is confirmed and gives every value that its execution reads: nothing rests on a choice that the
/// trace leaves to its reader.
#[must_use]
pub fn is_self_contained(
    terms: &mut Terms,
    script: &Script,
    command: usize,
    trace: &Trace,
    options: &Options,
) -> bool {
    let Ok(task) = Task::new(terms, script, command) else { return false };
    let mut replay = Replay::of_trace(terms, trace);
    let outcome = run(&task, terms, &mut replay, options);
    let confirmed = replay.judge(&outcome) == Judgement::Confirmed && doubt(terms, &outcome).is_none();
    confirmed && outcome.arbitrary.is_none()
}

/// What the execution rests on and nobody evaluated: an assertion about its model, or an annotation that the state
/// after a leap has to satisfy.
fn doubt(terms: &Terms, outcome: &Outcome) -> Option<String> {
    let open = outcome.unchecked.iter().find(|u| !matches!(u.what, What::Property(..)))?;
    Some(open.message(terms))
}
