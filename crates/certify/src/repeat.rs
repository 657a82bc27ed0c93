//! An execution that comes back to a state, with the same call open, can go on like that for ever.
//!
//! The execution is that of the stem, followed further where the program leaves nothing open but initial values. If the
//! state at the end of the stem was there before, at an earlier visit of the same statement, or is there again later,
//! the part in between can be repeated. Leaps are no steps of the program, so there is none in it.

use crate::lasso::Stem;
use smt::term::{FunId, TermId, Terms};
use std::cell::Cell;
use svlib::interp::{
    Context, Event, Happening, Leap, Mirror, Model, Options, Oracle, Refusal, Replay, Still, Values,
    Violation, run_observed,
};
use svlib::syntax::{ProcId, StmtId};

/// The execution is followed for so many steps.
const STEPS: u64 = 1_000_000;
/// So many visits before the end of the stem are remembered.
const VISITS: usize = 1_000;

/// A visit of the head.
struct Visit {
    state: Still,
    /// Visits of what has to be avoided, and leaps, so far.
    broken: u64,
}

/// True when the execution of the stem comes back to the state at its end without visiting what has to be avoided.
pub(crate) fn repeats(terms: &Terms, stem: &Stem<'_>, avoid: &[StmtId]) -> bool {
    // The first time for counting: the stem ends at the last visit that it sees.
    let mut ends_at = 0;
    let mut count = |event: &Event| ends_at += u64::from(is_visit(event, stem.head));
    let mut replay = Replay::of_trace(terms, stem.trace);
    let _ = run_observed(stem.task, terms, &mut replay, stem.options, &mut count);
    let closed = Cell::new(false);
    let mut onward = Onward { replay: Replay::of_trace(terms, stem.trace), closed: &closed };
    let mut mirror = Mirror::new(stem.task.script);
    let (mut visits, mut seen, mut broken): (Vec<Visit>, u64, u64) = (Vec::new(), 0, 0);
    let mut end: Option<Visit> = None;
    let mut observe = |event: &Event| {
        mirror.follow(event);
        let bad = match event.what {
            Happening::Visit => avoid.contains(&event.stmt),
            Happening::Leap(..) => true,
            _ => false,
        };
        broken += u64::from(bad);
        if !is_visit(event, stem.head) {
            return;
        }
        seen += 1;
        let visit = Visit { state: mirror.still(), broken };
        let same = |other: &Visit| other.state == visit.state && other.broken == broken;
        match &end {
            Some(end) => closed.set(closed.get() || same(end)),
            None if seen == ends_at => {
                closed.set(visits.iter().any(same));
                end = Some(visit);
            }
            None => {
                if visits.len() == VISITS {
                    visits.remove(0);
                }
                visits.push(visit);
            }
        }
    };
    let options = Options { steps: stem.options.steps.min(STEPS), ..*stem.options };
    let _ = run_observed(stem.task, terms, &mut onward, &options, &mut observe);
    closed.get()
}

fn is_visit(event: &Event, head: StmtId) -> bool {
    event.stmt == head && matches!(event.what, Happening::Visit | Happening::Leap(..))
}

/// Follows a trace, and goes on after its last step until the lasso closes.
struct Onward<'c> {
    replay: Replay,
    closed: &'c Cell<bool>,
}

impl Oracle for Onward<'_> {
    fn model(&mut self, ctx: Context<'_>) -> Result<Model, Refusal> {
        self.replay.model(ctx)
    }

    fn globals(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        self.replay.globals(ctx, variables)
    }

    fn call(&mut self, ctx: Context<'_>, proc: ProcId, variables: &[FunId]) -> Result<Values, Refusal> {
        self.replay.call(ctx, proc, variables)
    }

    fn havoc(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        self.replay.havoc(ctx, variables)
    }

    fn choice(&mut self, ctx: Context<'_>, alternatives: usize) -> Result<usize, Refusal> {
        self.replay.choice(ctx, alternatives)
    }

    fn leap(&mut self, ctx: Context<'_>, stmt: StmtId) -> Result<Option<Leap>, Refusal> {
        self.replay.leap(ctx, stmt)
    }

    fn stops(&mut self, _: Context<'_>, _: &Violation) -> bool {
        false
    }

    fn stem(&mut self, _: Context<'_>, _: StmtId) -> Option<Vec<TermId>> {
        self.closed.get().then(Vec::new)
    }
}
