//! Asks a solver whether a suspected violation is possible, and makes an execution of its model.
//!
//! The way back: from the violation to the beginning, at each meeting of ways along one whose condition the model makes
//! true. The decisions on it, with their values, are an execution; the interpreter runs it and says what it violates.

use super::explore::{Explored, Suspect};
use super::fold::junction;
use super::state::{Decision, Entry, Given, LogId};
use crate::Problem;
use program::Program;
use rustc_hash::FxHashSet;
use smt::eval::Interpretation;
use smt::op::Op;
use smt::parse::Command as Smt;
use smt::subst::postorder;
use smt::term::{FunId, Role, TermId, Terms};
use smt::value::Value;
use solver::{CheckResult, FullSolver, Limits, SolverError};
use std::time::Duration;
use svlib::interp::{End, Execution, Replay, Taken, Task, run};
use svlib::syntax::{CommandKind, Trace};

/// What the solver and the interpreter say.
pub(super) enum Answer {
    /// A violation, as a trace.
    Violation(Box<Trace>),
    /// None of the suspects is possible.
    Clean(Rest),
    /// Some may be possible, and why it is not known.
    Open(String),
    /// A violation at a statement that no trace can name.
    Untagged,
}

/// What was not looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rest {
    /// Nothing.
    Nothing,
    /// Executions with more rounds or nested calls.
    Rounds,
    /// Executions with more steps.
    Steps,
}

/// So many models that the interpreter does not confirm are looked at.
const MOST_MODELS: usize = 4;
/// The least time for a check, and the most.
const LEAST_TIME: Duration = Duration::from_secs(2);
const NO_DEADLINE: Duration = Duration::from_secs(30);

/// Looks for a suspect that is guilty.
pub(super) fn solve(
    terms: &mut Terms,
    problem: &Problem<'_>,
    program: &Program<'_>,
    task: &Task<'_>,
    mut explored: Explored,
) -> Answer {
    if explored.suspects.is_empty() && (explored.cuts.is_empty() || explored.unfinished) {
        return Answer::Clean(rest(&explored));
    }
    match attempt(terms, problem, program, task, &mut explored) {
        Ok(answer) => answer,
        Err(error) => Answer::Open(error.to_string()),
    }
}

fn attempt(
    terms: &mut Terms,
    problem: &Problem<'_>,
    program: &Program<'_>,
    task: &Task<'_>,
    explored: &mut Explored,
) -> Result<Answer, SolverError> {
    let mut solver = solver::open(problem.solver)?;
    for &axiom in &program.axioms {
        solver.assert(terms, axiom)?;
    }
    for definition in cone(terms, explored) {
        solver.assert(terms, definition)?;
    }
    let (mut open, mut untagged) = (None, false);
    for _ in 0..MOST_MODELS {
        let any: Vec<TermId> = explored.suspects.iter().map(|suspect| suspect.condition).collect();
        let any = junction(terms, Op::Or, &any);
        let time = problem.budget.remaining().map_or(NO_DEADLINE, |left| left.min(LEAST_TIME.max(left / 3)));
        solver.limits(Limits::time(time))?;
        solver.push()?;
        solver.assert(terms, any)?;
        match solver.check(terms, &[])? {
            CheckResult::Unsat | CheckResult::Unknown(_) if untagged => return Ok(Answer::Untagged),
            CheckResult::Unsat => {
                solver.pop()?;
                return match open {
                    Some(open) => Ok(Answer::Open(open)),
                    None => Ok(Answer::Clean(remaining(terms, &mut *solver, explored)?)),
                };
            }
            CheckResult::Unknown(reason) => {
                return Ok(Answer::Open(open.unwrap_or_else(|| format!("the solver: {reason}"))));
            }
            CheckResult::Sat => {}
        }
        let Some(guilty) = guilty(terms, &mut *solver, &explored.suspects)? else {
            return Ok(Answer::Open("the solver's model has no value for a violation".into()));
        };
        let log = explored.suspects[guilty].log;
        let execution = execution(terms, &mut *solver, program, explored, log)?;
        let outcome = run(task, terms, &mut Replay::of_execution(terms, &execution), &problem.options);
        if let Some(trace) = outcome.trace(terms, task) {
            return Ok(Answer::Violation(Box::new(trace)));
        }
        if let End::Violated(_) = outcome.end {
            untagged = true;
        }
        // The model may use what SMT-LIB leaves open, or values that cannot be written down.
        open = Some(format!("a model was not confirmed: {}", outcome.end.message(terms, task)));
        explored.suspects.remove(guilty);
        solver.pop()?;
    }
    Ok(if untagged { Answer::Untagged } else { Answer::Open(open.unwrap_or_default()) })
}

fn rest(explored: &Explored) -> Rest {
    match explored {
        Explored { unfinished: true, .. } => Rest::Steps,
        Explored { cuts, .. } if cuts.is_empty() => Rest::Nothing,
        _ => Rest::Rounds,
    }
}

/// What was not looked at; ways that were cut but are not possible do not count.
fn remaining(
    terms: &mut Terms,
    solver: &mut dyn FullSolver,
    explored: &Explored,
) -> Result<Rest, SolverError> {
    let rest = rest(explored);
    if rest != Rest::Rounds {
        return Ok(rest);
    }
    let any = junction(terms, Op::Or, &explored.cuts);
    if any == TermId::TRUE {
        return Ok(rest);
    }
    solver.limits(Limits::time(LEAST_TIME))?;
    solver.push()?;
    solver.assert(terms, any)?;
    let answer = solver.check(terms, &[])?;
    Ok(if answer.is_unsat() { Rest::Nothing } else { rest })
}

/// The definitions of meeting ways that the suspects depend on.
fn cone(terms: &Terms, explored: &Explored) -> Vec<TermId> {
    let mut todo: Vec<TermId> = explored.suspects.iter().map(|suspect| suspect.condition).collect();
    todo.extend(&explored.cuts);
    let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        todo.extend(terms.args(term));
        if let Some(&definition) = explored.book.definitions.get(&term) {
            found.push(definition);
            todo.push(definition);
        }
    }
    found.sort_unstable();
    found
}

fn guilty(
    terms: &mut Terms,
    solver: &mut dyn FullSolver,
    suspects: &[Suspect],
) -> Result<Option<usize>, SolverError> {
    for (i, suspect) in suspects.iter().enumerate() {
        if is_true(terms, solver, suspect.condition)? {
            return Ok(Some(i));
        }
    }
    Ok(None)
}

fn is_true(terms: &mut Terms, solver: &mut dyn FullSolver, formula: TermId) -> Result<bool, SolverError> {
    if formula == TermId::TRUE {
        return Ok(true);
    }
    Ok(solver.value(terms, formula)?.and_then(|value| value.as_bool()) == Some(true))
}

/// The execution that leads to an entry of the log.
fn execution(
    terms: &mut Terms,
    solver: &mut dyn FullSolver,
    program: &Program<'_>,
    explored: &Explored,
    end: LogId,
) -> Result<Execution, SolverError> {
    let mut execution = Execution {
        model: model(terms, solver, program)?,
        globals: Vec::new(),
        entry: program.entry.proc,
        steps: Vec::new(),
    };
    let mut at = end;
    loop {
        match &explored.book.log[at] {
            Entry::Ways(ways) => {
                let mut taken = ways[0].1;
                for &(condition, before) in ways {
                    if is_true(terms, solver, condition)? {
                        taken = before;
                        break;
                    }
                }
                at = taken;
            }
            Entry::Decision(before, decision) => {
                match decision {
                    Decision::Globals(given) => {
                        execution.globals = values(terms, solver, given)?;
                        break;
                    }
                    Decision::Call(proc, given) => {
                        execution.steps.push(Taken::InitProcVars(*proc, values(terms, solver, given)?));
                    }
                    Decision::Havoc(given) => {
                        execution.steps.push(Taken::Havoc(values(terms, solver, given)?));
                    }
                    Decision::Choice(index) => execution.steps.push(Taken::Choice(*index)),
                    Decision::Leap(tag, given) => {
                        execution.steps.push(Taken::Leap(*tag, values(terms, solver, given)?));
                    }
                }
                at = *before;
            }
        }
    }
    execution.steps.reverse();
    Ok(execution)
}

/// The values of variables; one that has none that can be written down is left open.
fn values(
    terms: &mut Terms,
    solver: &mut dyn FullSolver,
    given: &Given,
) -> Result<Vec<(FunId, Value)>, SolverError> {
    let mut found = Vec::with_capacity(given.len());
    for &(variable, term) in given {
        if let Some(value) = solver.value(terms, term)? {
            found.push((variable, value));
        }
    }
    Ok(found)
}

/// What the model says of the script's constants and functions.
fn model(
    terms: &mut Terms,
    solver: &mut dyn FullSolver,
    program: &Program<'_>,
) -> Result<Vec<(FunId, Interpretation)>, SolverError> {
    let assignment = solver.model(terms)?;
    let mut found = Vec::new();
    for command in &program.script.commands[..program.command] {
        let CommandKind::Smt(Smt::DeclareFun(fun)) = command.kind else { continue };
        if terms.fun(fun).role != Role::Free {
            continue;
        }
        if let Some(meaning) = assignment.interpretation(fun) {
            found.push((fun, meaning.clone()));
        }
    }
    found.sort_unstable_by_key(|(fun, _)| *fun);
    found.dedup_by_key(|(fun, _)| *fun);
    Ok(found)
}

/// True when all that is asserted about constants and functions can be evaluated, so that a trace can be confirmed.
pub(super) fn asserts_are_evaluable(terms: &Terms, program: &Program<'_>) -> bool {
    program.axioms.iter().all(|&axiom| {
        super::compiled::is_evaluable(terms, axiom) && postorder(terms, axiom).len() < 1_000_000
    })
}
