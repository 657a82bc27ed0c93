//! Executions that may go on for ever: what they were when they visited the head of a lasso.
//!
//! A state that comes again in the same call is a lasso already. From an execution that is still going round when it
//! is cut off, the states of some rounds are kept as samples of a set that may never be left.

use super::Target;
use crate::houdini::narrow::Narrow;
use rustc_hash::FxHashMap;
use smt::term::{FunId, Terms};
use smt::value::Value;
use std::collections::{BTreeMap, VecDeque};
use svlib::interp::{
    Context, End, Event, Execution, Happening, Mirror, Model, Options, Oracle, Refusal, Still, Task, Values,
    Violation, run_observed,
};
use svlib::syntax::{ProcId, StmtId};

/// Steps of one execution, and of some.
const STEPS: u64 = 3_000;
const MANY_STEPS: u64 = 40_000;
/// Open calls of one execution.
const DEPTH: usize = 400;
/// The budget of one evaluation.
const FUEL: u64 = 100_000;
/// So many visits are compared with the next ones.
const REMEMBERED: usize = 24;
/// An execution with fewer visits does not look like one without end.
const MANY_VISITS: u64 = 6;

/// A visit of the head of a target.
pub(super) struct Sample {
    /// The number of the target.
    pub(super) target: usize,
    /// The execution up to the visit.
    pub(super) execution: Execution,
    /// The variables that have a value there.
    pub(super) state: BTreeMap<FunId, Value>,
    /// How it went on.
    pub(super) fate: Fate,
}

/// How an execution went on after a visit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fate {
    /// The state was there before, so it can be there again.
    Repeats,
    /// It was cut off.
    Endless,
    /// It came back at least once; other decisions may have let it go on.
    Ends,
}

struct Visit {
    state: Still,
    /// The decisions so far.
    decisions: usize,
    /// Visits of what has to be avoided so far.
    broken: u64,
}

/// What is known of a target in one execution.
#[derive(Default)]
struct Track {
    visits: u64,
    broken: u64,
    recent: VecDeque<Visit>,
    /// The visits with a number that is a power of two; the last one is compared with all later ones, so that a cycle of
    /// any length is found.
    marks: Vec<Visit>,
    repeated: Option<Visit>,
}

impl Track {
    fn visit(&mut self, state: Still, decisions: usize) {
        self.visits += 1;
        if self.repeated.is_some() {
            return;
        }
        let visit = Visit { state, decisions, broken: self.broken };
        let same = |old: &Visit| old.broken == visit.broken && old.state == visit.state;
        if self.marks.last().is_some_and(same) || self.recent.iter().any(same) {
            self.repeated = Some(visit);
            return;
        }
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        if self.visits.is_power_of_two() {
            let Visit { ref state, decisions, broken } = visit;
            self.marks.push(Visit { state: state.clone(), decisions, broken });
        }
        self.recent.push_back(visit);
    }

    /// The visits that are worth a closer look.
    fn samples(self, endless: bool) -> Vec<(Fate, Visit)> {
        if let Some(visit) = self.repeated {
            return vec![(Fate::Repeats, visit)];
        }
        let Track { visits, broken, mut marks, .. } = self;
        let intact = |mark: &Visit| mark.broken == broken;
        let fate = match endless && visits >= MANY_VISITS && marks.iter().any(intact) {
            true => Fate::Endless,
            false if visits >= 2 => Fate::Ends,
            false => return Vec::new(),
        };
        let mut found = Vec::new();
        if fate == Fate::Endless {
            marks.retain(intact);
        }
        if fate == Fate::Endless && marks.len() > 2 {
            // Later rounds are in the set more often, earlier ones are easier to describe.
            let last = marks.pop();
            found.extend(last.map(|visit| (fate, visit)));
            let middle = marks.len() / 2;
            if middle > 0 {
                found.push((fate, marks.swap_remove(middle)));
            }
        }
        if let Some(first) = marks.into_iter().next() {
            found.insert(0, (fate, first));
        }
        found
    }
}

/// One execution, and the samples that it gives.
pub(super) fn wander(
    terms: &Terms,
    task: &Task<'_>,
    targets: &[Target],
    options: &Options,
    seed: u64,
    run: u64,
) -> Vec<Sample> {
    let mut heads: FxHashMap<StmtId, Vec<usize>> = FxHashMap::default();
    let mut avoided: FxHashMap<StmtId, Vec<usize>> = FxHashMap::default();
    for (number, target) in targets.iter().enumerate() {
        heads.entry(target.head).or_default().push(number);
        for &stmt in &target.avoid {
            avoided.entry(stmt).or_default().push(number);
        }
    }
    let mut tracks: Vec<Track> = targets.iter().map(|_| Track::default()).collect();
    let (mut mirror, mut decisions) = (Mirror::new(task.script), 0);
    let mut observe = |event: &Event| {
        mirror.follow(event);
        match event.what {
            Happening::Call(..) | Happening::Havoc(_) | Happening::Choice(_) => decisions += 1,
            Happening::Visit => {
                for &number in avoided.get(&event.stmt).into_iter().flatten() {
                    tracks[number].broken += 1;
                }
                for &number in heads.get(&event.stmt).into_iter().flatten() {
                    tracks[number].visit(mirror.still(), decisions);
                }
            }
            _ => {}
        }
    };
    let steps = if run % 16 == 15 { MANY_STEPS } else { STEPS };
    let depth = DEPTH.min(options.depth);
    let options = Options { steps: steps.min(options.steps), depth, fuel: FUEL, ..*options };
    let mut oracle = Past(Narrow::new(seed.wrapping_add(run), run));
    let outcome = run_observed(task, terms, &mut oracle, &options, &mut observe);
    let endless = matches!(outcome.end, End::StepLimit | End::DepthLimit);
    let mut found = Vec::new();
    for (target, track) in tracks.into_iter().enumerate() {
        for (fate, visit) in track.samples(endless) {
            let mut execution = outcome.execution.clone();
            execution.steps.truncate(visit.decisions);
            let mut state: BTreeMap<FunId, Value> = execution.globals.iter().cloned().collect();
            let now = visit.state.globals.into_iter().chain(visit.state.own);
            state.extend(now.filter_map(|(variable, value)| Some((variable, value?))));
            found.push(Sample { target, execution, state, fate });
        }
    }
    found
}

/// Goes on past violations: a lasso violates something else.
struct Past(Narrow);

impl Oracle for Past {
    fn model(&mut self, ctx: Context<'_>) -> Result<Model, Refusal> {
        self.0.model(ctx)
    }

    fn repair(&mut self, ctx: Context<'_>, model: &mut Model, symbols: &[FunId]) -> bool {
        self.0.repair(ctx, model, symbols)
    }

    fn application(&mut self, ctx: Context<'_>, fun: FunId) -> Option<Value> {
        self.0.application(ctx, fun)
    }

    fn globals(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        self.0.globals(ctx, variables)
    }

    fn call(&mut self, ctx: Context<'_>, proc: ProcId, variables: &[FunId]) -> Result<Values, Refusal> {
        self.0.call(ctx, proc, variables)
    }

    fn havoc(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        self.0.havoc(ctx, variables)
    }

    fn choice(&mut self, ctx: Context<'_>, alternatives: usize) -> Result<usize, Refusal> {
        self.0.choice(ctx, alternatives)
    }

    fn stops(&mut self, _: Context<'_>, _: &Violation) -> bool {
        false
    }
}
