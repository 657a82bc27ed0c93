//! What is known about each procedure before it is unrolled: positions of variables, the order of its code, and what
//! is judged where.

use super::compiled::{Compiled, Place, is_evaluable};
use base::intern::SymbolId;
use program::{Notes, Procedure, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::subst::functions;
use smt::term::{FunId, Role, TermId, Terms};
use std::collections::BTreeSet;
use svlib::code::{Code, Instr, Op, Pc};
use svlib::flow::Loops;
use svlib::interp::{Abstraction, Task};
use svlib::syntax::{PropertyKind, StmtId, StmtKind};

/// A ranking function: its terms, the position of its last values, and from where a visit is compared with them.
pub(super) struct Rank {
    pub(super) terms: Vec<Compiled>,
    pub(super) slot: usize,
    pub(super) back: Vec<bool>,
}

/// A leap that the task's annotations allow.
pub(super) struct LeapPlan {
    pub(super) kind: Abstraction,
    pub(super) tag: SymbolId,
    /// What it may set: variable and position.
    pub(super) variables: Vec<(FunId, usize)>,
}

/// What a visit remembers for `at` terms: the position of a variable, and where its value goes.
type Saves = Vec<(usize, Vec<usize>)>;

/// Where `at` terms are remembered in a call, and where the last visit anywhere is.
type LooksBack = Vec<(usize, Option<usize>)>;

/// What happens at an annotated statement.
#[derive(Default)]
pub(super) struct Point {
    pub(super) requires: Vec<Compiled>,
    pub(super) invariants: Vec<Compiled>,
    pub(super) checks: Vec<Compiled>,
    pub(super) ensures: Vec<Compiled>,
    pub(super) ranks: Vec<Rank>,
    pub(super) saves: Saves,
    pub(super) is_body: bool,
    pub(super) leap: Option<LeapPlan>,
}

/// A procedure.
pub(super) struct Shape<'p> {
    pub(super) proc: &'p Procedure,
    pub(super) loops: Loops,
    /// The loops around each instruction, outermost first.
    pub(super) around: Vec<Vec<usize>>,
    /// For each instruction its position in the order of each loop around it and of the procedure, outermost first.
    pub(super) order: Vec<Vec<u32>>,
    pub(super) instrs: Vec<Step>,
    /// How many positions a state of the procedure has.
    pub(super) size: usize,
    pub(super) inputs: Vec<usize>,
    pub(super) outputs: Vec<usize>,
    /// Outputs and locals.
    pub(super) fresh: Vec<(FunId, usize)>,
    /// The `at` terms whose tag the procedure has.
    pub(super) looks_back: LooksBack,
    pub(super) measures: Vec<Rank>,
    points: FxHashMap<StmtId, Point>,
}

/// The prepared terms of an instruction, and the positions of its variables.
#[derive(Default)]
pub(super) struct Step {
    pub(super) terms: Vec<Compiled>,
    pub(super) targets: Vec<usize>,
}

impl Shape<'_> {
    pub(super) fn code(&self) -> &Code {
        &self.proc.code
    }

    pub(super) fn point(&self, stmt: StmtId) -> Option<&Point> {
        self.points.get(&stmt)
    }
}

/// All procedures, and what they share.
pub(super) struct Shapes<'p> {
    pub(super) procs: Vec<Shape<'p>>,
    /// Positions of the globals are the first ones of every state; then come `at` terms at their last visit anywhere.
    pub(super) globals: usize,
    pub(super) shared: usize,
    /// True when the task has annotations that can be leapt at.
    pub(super) leaps: bool,
    /// True when leaps at a loop do not lead to all states of its rounds, because those need not satisfy its `:requires`.
    pub(super) partial_leaps: bool,
    /// True when properties were left out because nobody could confirm their violation.
    pub(super) left_out: bool,
}

impl<'p> Shapes<'p> {
    pub(super) fn of(terms: &mut Terms, program: &'p Program<'_>, task: &Task<'_>) -> Shapes<'p> {
        let looks_back = looks_back(terms, program);
        let mut global_slots: FxHashMap<FunId, usize> =
            program.globals.iter().enumerate().map(|(i, &g)| (g, i)).collect();
        let globals = global_slots.len();
        let mut shared = globals;
        for &(at, variable, _) in &looks_back {
            if global_slots.contains_key(&variable) {
                global_slots.insert(at, shared);
                shared += 1;
            }
        }
        let mut left_out = false;
        let mut procs = Vec::new();
        for proc in &program.procs {
            let mut maker = Maker {
                terms,
                program,
                task,
                proc,
                slots: global_slots.clone(),
                size: shared,
                left_out: &mut left_out,
            };
            procs.push(maker.shape(&looks_back));
        }
        let leaps = procs.iter().any(|shape| shape.points.values().any(|point| point.leap.is_some()));
        let is_partial = |point: &Point| {
            let kind = point.leap.as_ref().map(|plan| plan.kind);
            kind == Some(Abstraction::Invariant) && !point.requires.is_empty()
        };
        let partial_leaps = procs.iter().any(|shape| shape.points.values().any(is_partial));
        Shapes { procs, globals, shared, leaps, partial_leaps, left_out }
    }
}

/// The `at` terms of all annotations: symbol, variable, tag.
fn looks_back(terms: &Terms, program: &Program<'_>) -> Vec<(FunId, FunId, SymbolId)> {
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    for stmt in program.annotated() {
        for &term in program.notes(stmt).0.iter().flat_map(|note| &note.terms) {
            for fun in functions(terms, term) {
                if let Role::At(variable, tag) = terms.fun(fun).role
                    && seen.insert(fun)
                {
                    found.push((fun, variable, tag));
                }
            }
        }
    }
    found
}

struct Maker<'m, 'p, 's> {
    terms: &'m mut Terms,
    program: &'p Program<'s>,
    task: &'m Task<'m>,
    proc: &'p Procedure,
    slots: FxHashMap<FunId, usize>,
    size: usize,
    left_out: &'m mut bool,
}

impl<'p> Maker<'_, 'p, '_> {
    fn shape(&mut self, looks_back: &[(FunId, FunId, SymbolId)]) -> Shape<'p> {
        let (program, proc) = (self.program, self.proc);
        let text = &program.script.procs[proc.id];
        let inputs: Vec<usize> = text.inputs.iter().map(|&v| self.place(v)).collect();
        let outputs: Vec<usize> = text.outputs.iter().map(|&v| self.place(v)).collect();
        let locals: Vec<usize> = text.locals.iter().map(|&v| self.place(v)).collect();
        let names = text.outputs.iter().chain(&text.locals).copied();
        let fresh = names.zip(outputs.iter().chain(&locals).copied()).collect();
        let stmts = svlib::interp::inside(program.script, proc.body);
        let (own, saves) = self.place_snapshots(looks_back, &stmts);
        let mut points = FxHashMap::default();
        for &stmt in &stmts {
            let is_annotated = !program.script.stmts[stmt].tags.is_empty()
                || !program.script.stmts[stmt].properties.is_empty();
            if is_annotated {
                let saves = saves.get(&stmt).cloned().unwrap_or_default();
                points.insert(stmt, self.point(stmt, saves));
            }
        }
        let measures = self.ranks(program.notes(proc.body), vec![false; proc.code.instrs.len()]);
        let instrs = proc.code.instrs.iter().map(|instr| self.step(instr)).collect();
        let loops = program.loops(proc, &|_| false);
        let around: Vec<Vec<usize>> = (0..proc.code.instrs.len())
            .map(|pc| {
                let mut list: Vec<usize> = loops.around(pc).collect();
                list.reverse();
                list
            })
            .collect();
        let order = order(&proc.code, &loops, &around);
        let (size, looks_back) = (self.size, own);
        Shape {
            proc,
            loops,
            around,
            order,
            instrs,
            size,
            inputs,
            outputs,
            fresh,
            looks_back,
            measures,
            points,
        }
    }

    fn place(&mut self, variable: FunId) -> usize {
        self.slots.insert(variable, self.size);
        self.size += 1;
        self.size - 1
    }

    /// Positions for `at` terms whose tag the procedure has, and what each statement saves.
    fn place_snapshots(
        &mut self,
        looks_back: &[(FunId, FunId, SymbolId)],
        stmts: &[StmtId],
    ) -> (LooksBack, FxHashMap<StmtId, Saves>) {
        let script = self.program.script;
        let (mut own, mut saves) = (Vec::new(), FxHashMap::<StmtId, Saves>::default());
        for &(at, variable, tag) in looks_back {
            let Some(&source) = self.slots.get(&variable) else { continue };
            let has_tag = |stmt: &&StmtId| script.stmts[**stmt].tags.iter().any(|t| t.0 == tag);
            let here: Vec<StmtId> = stmts.iter().filter(has_tag).copied().collect();
            if here.is_empty() {
                continue;
            }
            let anywhere = self.slots.get(&at).copied();
            let slot = self.place(at);
            own.push((slot, anywhere));
            for stmt in here {
                let targets = std::iter::once(slot).chain(anywhere).collect();
                saves.entry(stmt).or_default().push((source, targets));
            }
        }
        (own, saves)
    }

    fn compile(&mut self, term: TermId) -> Compiled {
        let slots = &self.slots;
        Compiled::new(self.terms, term, &|terms, fun| match slots.get(&fun) {
            Some(&slot) => Place::At(slot),
            None if matches!(terms.fun(fun).role, Role::Variable(..) | Role::At(..)) => Place::Nowhere,
            None => Place::NoVariable,
        })
    }

    /// The properties of a kind that can be judged, and whether those are all.
    fn properties(&mut self, notes: &Notes, kind: PropertyKind) -> (Vec<Compiled>, bool) {
        let all: Vec<TermId> = notes.of(kind).flat_map(|note| note.terms.clone()).collect();
        let judged: Vec<TermId> =
            all.iter().copied().filter(|&term| is_evaluable(self.terms, term)).collect();
        let whole = judged.len() == all.len();
        *self.left_out |= !whole;
        (judged.into_iter().map(|term| self.compile(term)).collect(), whole)
    }

    fn point(&mut self, stmt: StmtId, saves: Saves) -> Point {
        let program = self.program;
        let notes = program.notes(stmt);
        let (requires, all_requires) = self.properties(notes, PropertyKind::Requires);
        let (invariants, all_invariants) = self.properties(notes, PropertyKind::Invariant);
        let (checks, _) = self.properties(notes, PropertyKind::CheckTrue);
        let (ensures, _) = self.properties(notes, PropertyKind::Ensures);
        let back = self.back(stmt);
        let ranks = self.ranks(notes, back);
        let is_body = stmt == self.proc.body;
        // Nobody could confirm that a state after a leap is one that an annotation allows which cannot be evaluated.
        let leap = if all_requires && all_invariants { self.leap(stmt) } else { None };
        Point { requires, invariants, checks, ensures, ranks, saves, is_body, leap }
    }

    fn leap(&mut self, stmt: StmtId) -> Option<LeapPlan> {
        let kind = self.task.abstraction(stmt)?;
        let tags = &self.program.script.stmts[stmt].tags;
        let tag = self.program.own_tag(stmt).or(tags.first().map(|t| t.0))?;
        let variables =
            self.task.leap_variables(stmt).into_iter().filter_map(|v| Some((v, *self.slots.get(&v)?)));
        Some(LeapPlan { kind, tag, variables: variables.collect() })
    }

    fn ranks(&mut self, notes: &Notes, back: Vec<bool>) -> Vec<Rank> {
        let mut found = Vec::new();
        for note in notes.ranks() {
            let terms: Vec<Compiled> = note.terms.iter().map(|&term| self.compile(term)).collect();
            let slot = self.size;
            self.size += terms.len();
            found.push(Rank { terms, slot, back: back.clone() });
        }
        found
    }

    /// From where control comes back to a statement: for `while` from its body, else from where it cannot be avoided.
    fn back(&self, stmt: StmtId) -> Vec<bool> {
        let code = &self.proc.code;
        let mut back = vec![false; code.instrs.len()];
        let Some(head) = svlib::flow::visit_of(code, stmt) else { return back };
        if let StmtKind::While(..) = self.program.script.stmts[stmt].kind
            && let Some(Instr { op: Op::Branch(_, exit), .. }) = code.instrs.get(head + 1)
        {
            back[head..*exit].fill(true);
            return back;
        }
        back.fill(true);
        let mut todo = vec![0];
        while let Some(pc) = todo.pop() {
            if pc != head && std::mem::replace(&mut back[pc], false) {
                todo.extend(code.successors(pc));
            }
        }
        back
    }

    fn step(&mut self, instr: &Instr) -> Step {
        let mut step = Step::default();
        match &instr.op {
            Op::Assume(term) | Op::Branch(term, _) => step.terms.push(self.compile(*term)),
            Op::Assign(pairs) => {
                for (variable, term) in pairs {
                    step.terms.push(self.compile(*term));
                    step.targets.extend(self.slots.get(variable));
                }
            }
            Op::Havoc(variables) => step.targets.extend(variables.iter().filter_map(|v| self.slots.get(v))),
            Op::Call(_, args, results) => {
                step.terms.extend(args.iter().map(|&arg| self.compile(arg)).collect::<Vec<_>>());
                step.targets.extend(results.iter().filter_map(|v| self.slots.get(v)));
            }
            _ => {}
        }
        step
    }
}

/// Numbers such that control goes from smaller to larger ones inside each loop (and in the procedure as a whole), but
/// for the ways back to its head. Inner loops count as one.
fn order(code: &Code, loops: &Loops, around: &[Vec<usize>]) -> Vec<Vec<u32>> {
    let count = code.instrs.len();
    // An instruction is itself, a loop has the number after all instructions.
    let part = |pc: Pc, level: usize| around[pc].get(level).map_or(pc, |&number| count + number);
    let mut targets: Vec<Vec<usize>> = vec![Vec::new(); count + loops.loops.len()];
    let mut waiting = vec![0usize; targets.len()];
    for pc in (0..count).filter(|&pc| loops.reachable[pc]) {
        for to in code.successors(pc) {
            let level = around[pc].iter().zip(&around[to]).take_while(|(a, b)| a == b).count();
            let is_back = level > 0 && loops.loops[around[to][level - 1]].head == to;
            let (from, next) = (part(pc, level), part(to, level));
            if !is_back && from != next {
                targets[from].push(next);
                waiting[next] += 1;
            }
        }
    }
    let place = |part: usize| if part < count { part } else { loops.loops[part - count].head };
    let mut ready: BTreeSet<(Pc, usize)> =
        (0..targets.len()).filter(|&part| waiting[part] == 0).map(|part| (place(part), part)).collect();
    let (mut number, mut next) = (vec![u32::MAX; targets.len()], 0);
    while let Some((_, part)) = ready.pop_first() {
        number[part] = next;
        next += 1;
        for &target in &targets[part] {
            waiting[target] -= 1;
            if waiting[target] == 0 {
                ready.insert((place(target), target));
            }
        }
    }
    (0..count).map(|pc| (0..=around[pc].len()).map(|level| number[part(pc, level)]).collect()).collect()
}
