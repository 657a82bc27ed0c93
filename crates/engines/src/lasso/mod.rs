//! Lassos: violations of `:not-recurring` and `:recurring` by executions that never end.
//!
//! Random executions are observed at the statements where a lasso could begin and end ([`wander`]). A state that comes
//! again is one. Otherwise an execution that goes round many times may be in a set of states that is never left. Such a
//! set is looked for among the conjunctions of simple formulas that hold in one of its states ([`atoms`]), with the
//! questions that the checker will ask ([`closed`]). The way back may lead through other loops, calls, or to a deeper
//! call of a recursive procedure.

mod atoms;
mod closed;
mod wander;

use crate::{EngineInfo, Found, Problem, annotation};
use atoms::atoms;
use base::intern::SymbolId;
use closed::Asker;
use program::Program;
use smt::op::Op;
use smt::term::{FunId, TermId, Terms};
use solver::SolverError;
use svlib::interp::Task;
use svlib::syntax::{
    At, CommandKind, Property, PropertyKind, StmtId, StmtKind, TagAnnotation, TagProperty, Trace, Violation,
};
use wander::{Fate, Sample, wander};

pub(crate) const INFO: EngineInfo = EngineInfo {
    name: "lasso",
    shows: "incorrect",
    summary: "executions without end, for :recurring and :not-recurring",
    rank: 2,
    run: search,
};

/// Executions at most.
const MANY_RUNS: u64 = 2_000;
/// Samples of executions that were cut off, and of others, that are looked at for one target.
const MANY_ENDLESS: u32 = 60;
const MANY_ENDING: u32 = 8;
/// Executions that came to an end are looked at after so many runs.
const LATER: u64 = 40;

/// A kind of lasso that would violate a property.
struct Target {
    /// Where the lasso begins and ends.
    head: StmtId,
    /// What must not be visited on the way.
    avoid: Vec<StmtId>,
    /// What is violated.
    tag: SymbolId,
    kind: PropertyKind,
}

fn search(terms: &mut Terms, problem: &Problem<'_>) -> Found {
    let mut program = match Program::new(problem.script, problem.command, &[], false) {
        Ok(program) => program,
        Err(error) => return Found::Nothing(error.to_string()),
    };
    let targets = targets(&program);
    if targets.is_empty() {
        return Found::Nothing("no tagged statement could be the head of a lasso".into());
    }
    program.forget_task();
    let task = match Task::new(terms, problem.script, problem.command) {
        Ok(task) => task,
        Err(error) => return Found::Nothing(error.to_string()),
    };
    let solver = match solver::open(problem.solver) {
        Ok(solver) => solver,
        Err(error) => return Found::Nothing(error.to_string()),
    };
    let asker = Asker { program: &program, solver, budget: problem.budget.clone() };
    let mut hunt = Hunt { terms, program: &program, targets, asker, changing: Vec::new() };
    match hunt.run(problem, &task) {
        Ok(Some(trace)) => Found::Violation(Box::new(trace)),
        Ok(None) => Found::Nothing("no lasso in the executions that were tried".into()),
        Err(error) => Found::Nothing(error.to_string()),
    }
}

/// Everywhere a lasso could begin: at what must not recur, and for what has to recur at loops and recursive procedures
/// elsewhere.
fn targets(program: &Program<'_>) -> Vec<Target> {
    let (script, mut found) = (program.script, Vec::new());
    for stmt in program.annotated() {
        let notes = program.notes(stmt);
        if let (true, Some(tag)) = (notes.has(PropertyKind::NotRecurring), program.own_tag(stmt)) {
            found.push(Target { head: stmt, avoid: Vec::new(), tag, kind: PropertyKind::NotRecurring });
        }
        if !notes.has(PropertyKind::Recurring) {
            continue;
        }
        for &(tag, _) in &script.stmts[stmt].tags {
            let demanded = program.tagged(tag).iter();
            let demanded = demanded.filter(|&&stmt| program.notes(stmt).has(PropertyKind::Recurring));
            let tags = demanded.flat_map(|&stmt| &script.stmts[stmt].tags).map(|t| t.0);
            let avoid: Vec<StmtId> = tags.flat_map(|tag| program.tagged(tag).to_vec()).collect();
            for head in heads(program).into_iter().filter(|head| !avoid.contains(head)) {
                found.push(Target { head, avoid: avoid.clone(), tag, kind: PropertyKind::Recurring });
            }
        }
    }
    found
}

/// Loops and recursive procedures that a witness can name.
fn heads(program: &Program<'_>) -> Vec<StmtId> {
    let mut found = Vec::new();
    for proc in &program.procs {
        let is_head = |stmt: &StmtId| {
            let kind = &program.script.stmts[*stmt].kind;
            let is_loop = matches!(kind, StmtKind::While(..) | StmtKind::Label(_));
            is_loop || (proc.recursive && *stmt == proc.body)
        };
        found.extend(proc.visited().filter(is_head).filter(|&stmt| program.own_tag(stmt).is_some()));
    }
    found
}

struct Hunt<'h, 's> {
    terms: &'h mut Terms,
    program: &'h Program<'s>,
    targets: Vec<Target>,
    asker: Asker<'h, 's>,
    /// What a round of each target can change; none for those that no way comes back to.
    changing: Vec<Option<Vec<FunId>>>,
}

impl Hunt<'_, '_> {
    fn run(&mut self, problem: &Problem<'_>, task: &Task<'_>) -> Result<Option<Trace>, SolverError> {
        for target in &self.targets {
            self.changing.push(self.asker.changing(self.terms, target));
        }
        let mut tried = vec![(0, 0); self.targets.len()];
        let mut later: Vec<Sample> = Vec::new();
        for run in 0..MANY_RUNS {
            if problem.budget.is_over() {
                break;
            }
            let (seed, options) = (problem.seed, &problem.options);
            let mut samples = wander(self.terms, task, &self.targets, options, seed, run);
            if run == LATER {
                samples.append(&mut later);
            }
            samples.sort_by_key(|sample| sample.fate);
            for sample in samples {
                let (endless, ending) = &mut tried[sample.target];
                let allowed = match sample.fate {
                    Fate::Repeats => true,
                    Fate::Endless => *endless < MANY_ENDLESS,
                    Fate::Ends => *ending < MANY_ENDING,
                };
                if !allowed || self.changing[sample.target].is_none() {
                    continue;
                }
                if sample.fate == Fate::Ends && run < LATER {
                    if later.len() < self.targets.len() * MANY_ENDING as usize {
                        later.push(sample);
                    }
                    continue;
                }
                *endless += u32::from(sample.fate == Fate::Endless);
                *ending += u32::from(sample.fate == Fate::Ends);
                if let Some(set) = self.set(&sample)? {
                    return Ok(self.trace(&sample, &set));
                }
            }
            let spent = |(target, (endless, ending)): (usize, &(u32, u32))| {
                self.changing[target].is_none() || (*endless >= MANY_ENDLESS && *ending >= MANY_ENDING)
            };
            if tried.iter().enumerate().all(spent) {
                break;
            }
        }
        Ok(None)
    }

    /// A set of states with that of the sample that need not be left.
    fn set(&mut self, sample: &Sample) -> Result<Option<Vec<TermId>>, SolverError> {
        let target = &self.targets[sample.target];
        let Some(changing) = &self.changing[sample.target] else { return Ok(None) };
        let Some(proc) = self.program.proc(self.program.script.stmts[target.head].proc) else {
            return Ok(None);
        };
        let (formulas, conditions) = atoms(self.terms, self.program, proc, &sample.state, changing);
        if let found @ Some(_) = self.asker.all_come_back(self.terms, target, sample, &formulas)? {
            return Ok(found);
        }
        if sample.fate == Fate::Repeats {
            return Ok(single(self.terms, sample, changing));
        }
        // Whoever decides may be able to stay.
        for some in [&formulas[..conditions], &formulas, &[]] {
            if let found @ Some(_) = self.asker.some_comes_back(self.terms, target, sample, some)? {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn trace(&mut self, sample: &Sample, set: &[TermId]) -> Option<Trace> {
        let script = self.program.script;
        let target = &self.targets[sample.target];
        let property = Property { kind: target.kind, terms: Vec::new(), at: At::default() };
        let meanings = script.tagged(target.tag).map(|stmt| (stmt, property.clone())).collect();
        let properties = vec![TagProperty { kind: target.kind, text: String::new(), meanings }];
        let claim = TagAnnotation { tag: target.tag, properties, attributes: Vec::new() };
        let mut trace = sample.execution.to_trace(self.terms, Violation::Annotation(claim));
        let states = self.terms.and(set);
        match annotation(script, target.head, PropertyKind::Invariant, vec![states])? {
            CommandKind::AnnotateTag(used) => trace.using.push(used),
            _ => return None,
        }
        Some(trace)
    }
}

/// Only the state of the sample, as far as it can change.
fn single(terms: &mut Terms, sample: &Sample, changing: &[FunId]) -> Option<Vec<TermId>> {
    let mut found = Vec::new();
    for &variable in changing {
        let value = sample.state.get(&variable)?.to_term(terms);
        let variable = terms.constant_term(variable);
        found.push(terms.app(Op::Eq, &[variable, value]).ok()?);
    }
    Some(found)
}
