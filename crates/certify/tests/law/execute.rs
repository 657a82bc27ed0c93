//! Executions of a task that look for a contradiction to `correct`.

use rustc_hash::FxHashMap;
use smt::term::{FunId, Terms};
use smt::value::Value;
use svlib::interp::{
    Context, End, Event, Happening, Leap, Model, Options, Oracle, Refusal, Task, Values, run_observed,
};
use svlib::parse::{Builder, read_file};
use svlib::syntax::{ProcId, PropertyKind, Script, StmtId, StmtKind};
use testkit::Rng;

const STEPS: u64 = 4_000;
/// More visits than any ranking function over small numbers allows.
const FOR_EVER: u64 = 400;

/// Small random values, and leaps.
struct Small {
    rng: Rng,
    leaps: bool,
    /// What a leap at each statement may set; nothing where none is possible.
    allowed: FxHashMap<StmtId, Option<Vec<FunId>>>,
}

impl Small {
    fn value(&mut self) -> Value {
        Value::int(self.rng.below(5) as i64 - 1)
    }

    fn values(&mut self, variables: &[FunId]) -> Values {
        variables.iter().map(|_| Some(self.value())).collect()
    }
}

/// True when annotations of the task stand for the statement.
fn is_abstracted(script: &Script, stmt: StmtId, command: usize) -> bool {
    let is_head = matches!(script.stmts[stmt].kind, StmtKind::While(..) | StmtKind::Label(_));
    script.properties_at(stmt, command).any(|property| match property.kind {
        PropertyKind::Invariant => is_head,
        PropertyKind::Requires | PropertyKind::Ensures => true,
        _ => false,
    })
}

impl Oracle for Small {
    fn model(&mut self, _: Context<'_>) -> Result<Model, Refusal> {
        Ok(Model::default())
    }

    fn repair(&mut self, _: Context<'_>, model: &mut Model, _: &[FunId]) -> bool {
        model.clear();
        !self.rng.one_in(50)
    }

    fn application(&mut self, _: Context<'_>, _: FunId) -> Option<Value> {
        Some(self.value())
    }

    fn globals(&mut self, _: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        Ok(self.values(variables))
    }

    fn call(&mut self, _: Context<'_>, _: ProcId, variables: &[FunId]) -> Result<Values, Refusal> {
        Ok(self.values(variables))
    }

    fn havoc(&mut self, _: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        Ok(self.values(variables))
    }

    fn choice(&mut self, _: Context<'_>, alternatives: usize) -> Result<usize, Refusal> {
        Ok(self.rng.below(alternatives))
    }

    fn leap(&mut self, ctx: Context<'_>, stmt: StmtId) -> Result<Option<Leap>, Refusal> {
        if !self.leaps || !self.rng.one_in(3) {
            return Ok(None);
        }
        let task = ctx.task;
        let allowed = self.allowed.entry(stmt).or_insert_with(|| {
            let possible = is_abstracted(task.script, stmt, task.command);
            possible.then(|| task.leap_variables(stmt).into_iter().collect())
        });
        let (Some(variables), Some(tag)) = (allowed.clone(), task.script.stmts[stmt].tags.first()) else {
            return Ok(None);
        };
        let some: Vec<FunId> = variables.into_iter().filter(|_| !self.rng.one_in(3)).collect();
        let values = some.into_iter().map(|variable| (variable, self.value())).collect();
        Ok(Some(Leap { index: 0, tag: tag.0, values }))
    }
}

/// How an execution of a task with a witness contradicts that it is correct.
pub(crate) fn contradiction(task: &str, witness: &str, seed: u64, leaps: bool) -> Option<String> {
    let text = match task.rsplit_once("(verify-call") {
        Some((before, call)) => format!("{before}{witness}(verify-call{call}"),
        None => return None,
    };
    let mut terms = Terms::new();
    let (mut builder, mut findings) = (Builder::new(&mut terms), Vec::new());
    read_file(&mut builder, &mut terms, smt::sexpr::Text::new(&text, 0), &mut findings);
    let script = &builder.state.script;
    let command = script.commands.len() - 1;
    let task = Task::new(&mut terms, script, command).ok()?;
    let mut oracle = Small { rng: Rng::new(seed), leaps, allowed: FxHashMap::default() };
    let options = Options { steps: STEPS, depth: 300, ..Options::default() };
    let mut visits: FxHashMap<StmtId, Vec<u64>> = FxHashMap::default();
    let mut observer = |event: &Event| {
        if event.what == Happening::Visit {
            visits.entry(event.stmt).or_default().push(event.step);
        }
    };
    let outcome = run_observed(&task, &terms, &mut oracle, &options, &mut observer);
    if let End::Violated(_) = outcome.end {
        return Some(outcome.end.message(&terms, &task));
    }
    let is_over = !matches!(outcome.end, End::StepLimit | End::DepthLimit);
    (!leaps && !is_over).then(|| for_ever(script, command, &visits, outcome.steps)).flatten()
}

/// An execution that does not end visits what it must not, or does not visit what it must.
fn for_ever(
    script: &Script,
    command: usize,
    visits: &FxHashMap<StmtId, Vec<u64>>,
    steps: u64,
) -> Option<String> {
    let none = Vec::new();
    for (stmt, text) in script.stmts.iter_enumerated() {
        let visits = |stmt: StmtId| visits.get(&stmt).unwrap_or(&none);
        let has = |kind| script.properties_at(stmt, command).any(|property| property.kind == kind);
        if has(PropertyKind::NotRecurring) && visits(stmt).len() as u64 > FOR_EVER {
            return Some(format!("{:?} is visited for ever", text.tags.len()));
        }
        let namesake = |other: &StmtId| {
            let tags = &script.stmts[*other].tags;
            text.tags.iter().any(|tag| tags.iter().any(|other| other.0 == tag.0))
        };
        let last = script.stmts.ids().filter(namesake).filter_map(|s| visits(s).last()).max().copied();
        if has(PropertyKind::Recurring) && last.unwrap_or(0) + STEPS / 2 < steps {
            return Some("a recurring tag is not visited any more".to_string());
        }
    }
    None
}
