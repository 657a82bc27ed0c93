//! Why a changed violation witness is evidence all the same: both traces are executed, step by step, and compared.

use smt::term::{FunId, Terms};
use svlib::interp::{
    Context, End, Event, Happening, Judgement, Leap, Model, Options, Oracle, Outcome, Random, Refusal,
    Replay, Task, Values, Violation, run, run_observed,
};
use svlib::syntax::{self, ProcId, PropertyKind, Script, Step, StmtId, Trace};

/// So many steps of an execution are looked at.
const STEPS: u64 = 3_000_000;
/// So often a lasso has to go round, in one of so many tries.
const ROUNDS: usize = 64;
const TRIES: u64 = 24;

/// Where an execution was, and what was decided there.
type Way = Vec<(StmtId, Option<bool>, Option<usize>)>;

/// Why a trace shows what it claims, compared with the one that it was made from.
pub(super) fn reason(
    terms: &mut Terms,
    script: &Script,
    command: usize,
    old: &Trace,
    new: &Trace,
) -> Result<&'static str, String> {
    let task = Task::new(terms, script, command).map_err(|error| error.to_string())?;
    let (_, before) = follow(terms, &task, old);
    let ((judged, outcome), after) = follow(terms, &task, new);
    match judged {
        Judgement::Stem => return goes_round(terms, &task, new, &outcome),
        Judgement::Confirmed => {}
        // Without being watched it is much faster.
        _ if matches!(outcome.end, End::StepLimit) => return is_violated(terms, &task, new),
        _ => return Err(format!("step by step: {}", outcome.end.message(terms, &task))),
    }
    // A value that is not given is noticed when it is read.
    let ((judged, without), _) = follow(terms, &task, &common(old, new));
    let is_unread = old.model == new.model && judged == Judgement::Confirmed && without.arbitrary.is_none();
    Ok(if before != after {
        "another execution violates it, too"
    } else if is_unread {
        "what was changed is not read"
    } else {
        "the same way with other values violates it, too"
    })
}

/// An execution that is too long to be compared.
fn is_violated(terms: &Terms, task: &Task<'_>, trace: &Trace) -> Result<&'static str, String> {
    let mut replay = Replay::of_trace(terms, trace);
    let options = Options { steps: u64::MAX, ..Options::default() };
    let outcome = run(task, terms, &mut replay, &options);
    match replay.judge(&outcome) {
        Judgement::Confirmed => Ok("its long execution violates it"),
        _ => Err(outcome.end.message(terms, task)),
    }
}

/// A trace without the values that two traces do not have in common.
fn common(old: &Trace, new: &Trace) -> Trace {
    let mut common = new.clone();
    common.globals.retain(|value| old.globals.contains(value));
    for (step, other) in common.steps.iter_mut().zip(&old.steps) {
        match (step, other) {
            (Step::InitProcVars(_, values), Step::InitProcVars(_, others))
            | (Step::Havoc(values), Step::Havoc(others)) => values.retain(|value| others.contains(value)),
            _ => {}
        }
    }
    common
}

fn see(way: &mut Way, event: &Event) {
    way.push(match event.what {
        Happening::Test(holds) | Happening::Assume(holds) => (event.stmt, Some(holds), None),
        Happening::Choice(number) => (event.stmt, None, Some(number)),
        _ => (event.stmt, None, None),
    });
}

fn follow(terms: &Terms, task: &Task<'_>, trace: &Trace) -> ((Judgement, Outcome), Way) {
    let (mut replay, mut way) = (Replay::of_trace(terms, trace), Way::default());
    let options = Options { steps: STEPS, ..Options::default() };
    let outcome = run_observed(task, terms, &mut replay, &options, &mut |event| see(&mut way, event));
    ((replay.judge(&outcome), outcome), way)
}

/// A lasso goes round: after its stem the head is visited again and again, and what has to be avoided is not.
fn goes_round(
    terms: &Terms,
    task: &Task<'_>,
    trace: &Trace,
    outcome: &Outcome,
) -> Result<&'static str, String> {
    let End::LassoStem(head, true) = outcome.end else { return Err("the stem leads nowhere".into()) };
    let avoided: Vec<StmtId> = match &trace.violation {
        syntax::Violation::Annotation(claim)
            if claim.properties.iter().any(|p| p.kind == PropertyKind::Recurring) =>
        {
            task.script.tagged(claim.tag).collect()
        }
        _ => Vec::new(),
    };
    for seed in 0..TRIES {
        let mut onward = Onward { replay: Replay::of_trace(terms, trace), random: Random::new(seed) };
        let (mut rounds, mut broken) = (0, false);
        let options = Options { steps: outcome.steps + STEPS / TRIES, ..Options::default() };
        let end = run_observed(task, terms, &mut onward, &options, &mut |event| {
            if event.step >= outcome.steps && event.what == Happening::Visit {
                rounds += usize::from(event.stmt == head);
                broken |= rounds < ROUNDS && avoided.contains(&event.stmt);
            }
        });
        let deep = matches!(end.end, End::DepthLimit);
        if !broken && (rounds >= ROUNDS || deep) {
            return Ok("its execution goes round and round");
        }
    }
    Err("its execution does not go round".into())
}

/// Follows a trace, then goes on at random.
struct Onward {
    replay: Replay,
    random: Random,
}

impl Onward {
    fn is_over(&self) -> bool {
        let (taken, all) = self.replay.progress();
        taken >= all
    }
}

impl Oracle for Onward {
    fn model(&mut self, ctx: Context<'_>) -> Result<Model, Refusal> {
        self.replay.model(ctx)
    }

    fn globals(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        self.replay.globals(ctx, variables)
    }

    fn call(&mut self, ctx: Context<'_>, proc: ProcId, variables: &[FunId]) -> Result<Values, Refusal> {
        if self.is_over() {
            self.random.call(ctx, proc, variables)
        } else {
            self.replay.call(ctx, proc, variables)
        }
    }

    fn havoc(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        if self.is_over() { self.random.havoc(ctx, variables) } else { self.replay.havoc(ctx, variables) }
    }

    fn choice(&mut self, ctx: Context<'_>, alternatives: usize) -> Result<usize, Refusal> {
        if self.is_over() {
            self.random.choice(ctx, alternatives)
        } else {
            self.replay.choice(ctx, alternatives)
        }
    }

    fn leap(&mut self, ctx: Context<'_>, stmt: StmtId) -> Result<Option<Leap>, Refusal> {
        self.replay.leap(ctx, stmt)
    }

    fn stops(&mut self, _: Context<'_>, _: &Violation) -> bool {
        false
    }
}
