//! States that executions really reach, at each site. What is false in one of them is no candidate, and what is true in all
//! of them may be true always.

use super::narrow::Narrow;
use super::sites::Site;
use super::text::Text;
use base::budget::Budget;
use rustc_hash::FxHashMap;
use smt::eval::Assignment;
use smt::term::{FunId, Terms};
use smt::value::Value;
use svlib::interp::{End, Event, Happening, Options, Task, run_observed};
use svlib::syntax::{ProcId, PropertyKind, Script, StmtId, StmtKind};

/// Executions at most.
const MANY_RUNS: u64 = 300;
/// Steps of one execution.
const MANY_STEPS: u64 = 1_500;
/// States that are kept at a site, of all executions and of one.
const MANY_STATES: usize = 480;
const MANY_OF_RUN: usize = 18;
/// The budget of one evaluation in an execution.
const FUEL: u64 = 100_000;

/// The states at each site.
pub(crate) fn samples(
    terms: &Terms,
    task: &Task<'_>,
    sites: &[Site],
    text: &Text,
    seed: u64,
    options: Options,
    budget: &Budget,
) -> Vec<Vec<Assignment>> {
    let mut found: Vec<Vec<Assignment>> = vec![Vec::new(); sites.len()];
    let numbers: Vec<i64> = text.numbers.iter().filter_map(|number| i64::try_from(number).ok()).collect();
    for run in 0..MANY_RUNS {
        if budget.is_over() {
            break;
        }
        // Some executions are long, so that later rounds are seen too.
        let steps = if run % 8 == 7 { MANY_STEPS * 8 } else { MANY_STEPS };
        let options = Options { steps: steps.min(options.steps), fuel: FUEL, ..options };
        let mut events = Vec::new();
        let mut oracle = Narrow::new(seed.wrapping_add(run), run).with(&numbers);
        let mut observe = |event: &Event| events.push(event.clone());
        let outcome = run_observed(task, terms, &mut oracle, &options, &mut observe);
        if matches!(outcome.end, End::NoModel(_)) {
            continue;
        }
        let mut replay = Replay::new(task.script, sites, outcome.execution.globals, run as usize);
        for event in &events {
            replay.step(event);
        }
        for (all, of_run) in found.iter_mut().zip(replay.found) {
            all.extend(of_run.into_iter().take(MANY_STATES.saturating_sub(all.len())));
        }
        if !found.is_empty() && found.iter().all(|states| states.len() >= MANY_STATES) {
            break;
        }
    }
    found
}

/// The variables of a call that is not over.
struct Frame {
    values: FxHashMap<FunId, Value>,
    /// The variables in the caller that get the results.
    results: Vec<FunId>,
    /// What globals and own variables were at its beginning.
    before: FxHashMap<FunId, Value>,
}

/// Follows an execution by its events.
struct Replay<'a> {
    script: &'a Script,
    sites: &'a [Site],
    /// The sites at a statement.
    at: FxHashMap<StmtId, Vec<usize>>,
    globals: FxHashMap<FunId, Value>,
    frames: Vec<Frame>,
    visits: Vec<usize>,
    /// Which of the later visits are looked at differs from execution to execution.
    shift: usize,
    found: Vec<Vec<Assignment>>,
}

impl<'a> Replay<'a> {
    fn new(script: &'a Script, sites: &'a [Site], globals: Vec<(FunId, Value)>, shift: usize) -> Replay<'a> {
        let mut at: FxHashMap<StmtId, Vec<usize>> = FxHashMap::default();
        for (number, site) in sites.iter().enumerate() {
            at.entry(site.stmt).or_default().push(number);
        }
        Replay {
            script,
            sites,
            at,
            globals: globals.into_iter().collect(),
            frames: Vec::new(),
            visits: vec![0; sites.len()],
            shift,
            found: vec![Vec::new(); sites.len()],
        }
    }

    fn step(&mut self, event: &Event) {
        match &event.what {
            Happening::Call(proc, values) => {
                if event.depth == 0 {
                    // The entry; it is called again when its arguments were repaired.
                    self.frames.clear();
                }
                self.call(event.stmt, *proc, values);
            }
            Happening::Return(proc, values) => self.leave(*proc, values),
            Happening::Assign(values) | Happening::Havoc(values) => self.set(values),
            Happening::Visit => self.visit(event.stmt, PropertyKind::Invariant),
            _ => {}
        }
    }

    fn call(&mut self, stmt: StmtId, proc: ProcId, values: &[(FunId, Option<Value>)]) {
        let results = match &self.script.stmts[stmt].kind {
            StmtKind::Call(_, _, results) if !self.frames.is_empty() => results.clone(),
            _ => Vec::new(),
        };
        let given = |(fun, value): &(FunId, Option<Value>)| value.clone().map(|value| (*fun, value));
        let values: FxHashMap<FunId, Value> = values.iter().filter_map(given).collect();
        let mut before = self.globals.clone();
        before.extend(values.clone());
        self.frames.push(Frame { values, results, before });
        if let Some(body) = self.script.procs[proc].body {
            self.visit(body, PropertyKind::Requires);
        }
    }

    fn leave(&mut self, proc: ProcId, outputs: &[(FunId, Option<Value>)]) {
        if let Some(body) = self.script.procs[proc].body {
            self.visit(body, PropertyKind::Ensures);
        }
        let Some(frame) = self.frames.pop() else { return };
        let values: Vec<(FunId, Option<Value>)> =
            frame.results.iter().zip(outputs).map(|(&result, output)| (result, output.1.clone())).collect();
        self.set(&values);
    }

    fn set(&mut self, values: &[(FunId, Option<Value>)]) {
        for (variable, value) in values {
            let own = self.frames.last_mut().map(|frame| &mut frame.values);
            let place = match own {
                Some(own) if !self.globals.contains_key(variable) => own,
                _ => &mut self.globals,
            };
            match value {
                Some(value) => drop(place.insert(*variable, value.clone())),
                None => drop(place.remove(variable)),
            }
        }
    }

    fn visit(&mut self, stmt: StmtId, kind: PropertyKind) {
        let Some(numbers) = self.at.get(&stmt) else { return };
        for &number in numbers {
            if self.sites[number].kind != kind {
                continue;
            }
            self.visits[number] += 1;
            // All of the first visits, then fewer and fewer.
            let visit = self.visits[number];
            let wanted = visit <= 8 || (visit + self.shift).is_multiple_of(visit.ilog2() as usize * 2);
            if wanted && self.found[number].len() < MANY_OF_RUN {
                let state = self.state(&self.sites[number]);
                self.found[number].push(state);
            }
        }
    }

    fn state(&self, site: &Site) -> Assignment {
        let mut state = Assignment::new();
        let Some(frame) = self.frames.last() else { return state };
        for &variable in &site.variables {
            if let Some(value) = frame.values.get(&variable).or_else(|| self.globals.get(&variable)) {
                state.set(variable, value.clone());
            }
        }
        for (symbol, variable) in &site.before {
            if let Some(value) = frame.before.get(variable) {
                state.set(*symbol, value.clone());
            }
        }
        state
    }
}
