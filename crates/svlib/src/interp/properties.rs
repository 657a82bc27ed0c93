//! The properties of a task, sorted by statement and by the moment when they are judged.

use super::task::{Known, Source, Task};
use crate::code::{Code, Instr, Op, Pc};
use crate::syntax::{Command, CommandKind, ProcId, PropertyKind, Script, StmtId, StmtKind};
use base::id::Id;
use base::intern::SymbolId;
use rustc_hash::FxHashSet;
use smt::term::{FunId, Role, TermId, Terms};

/// What happens at an annotated statement. Numbers are those of [`Task::known`].
#[derive(Default)]
pub(super) struct Point {
    /// Judged before the statement.
    pub(super) requires: Vec<usize>,
    /// Judged when its tags are visited.
    pub(super) visit: Vec<usize>,
    /// Judged after the statement.
    pub(super) ensures: Vec<usize>,
    /// Ranking functions of a loop.
    pub(super) ranks: Vec<Rank>,
    /// Values that `at` terms want to know, by number in [`Task::looks_back`].
    pub(super) saves: Vec<u32>,
    /// The statement is the body of its procedure.
    pub(super) is_body: bool,
}

impl Point {
    /// True when nothing is judged or remembered at the statement.
    pub(super) fn is_quiet(&self) -> bool {
        let Point { requires, visit, ensures, ranks, saves, is_body: _ } = self;
        requires.is_empty() && visit.is_empty() && ensures.is_empty() && ranks.is_empty() && saves.is_empty()
    }
}

/// A ranking function and where a frame remembers its last value.
pub(super) struct Rank {
    pub(super) property: usize,
    pub(super) offset: u32,
    pub(super) back: Back,
}

/// From where control comes back to a loop head.
pub(super) enum Back {
    /// From these instructions.
    From(std::ops::Range<Pc>),
    /// From instructions that can only be reached by way of the head: those that are not marked.
    Dominated(Vec<bool>),
}

impl Back {
    pub(super) fn contains(&self, pc: Pc) -> bool {
        match self {
            Back::From(range) => range.contains(&pc),
            Back::Dominated(reached) => reached.get(pc) == Some(&false),
        }
    }
}

/// The properties of all statements of these procedures, those at the statements first.
pub(super) fn collect<'s>(script: &'s Script, commands: &'s [Command], procs: &[ProcId]) -> Vec<Known<'s>> {
    let mut reached = vec![false; script.procs.len()];
    for proc in procs {
        reached[proc.index()] = true;
    }
    let mut known = Vec::new();
    for (stmt, text) in script.stmts.iter_enumerated().filter(|(_, s)| reached[s.proc.index()]) {
        let source = Source::Statement;
        known.extend(text.properties.iter().map(|property| Known { stmt, property, source }));
    }
    for (number, command) in commands.iter().enumerate() {
        let CommandKind::AnnotateTag(annotation) = &command.kind else { continue };
        for (index, tagged) in annotation.properties.iter().enumerate() {
            for (stmt, property) in &tagged.meanings {
                if reached[script.stmts[*stmt].proc.index()] {
                    known.push(Known { stmt: *stmt, property, source: Source::Tag(number, index) });
                }
            }
        }
    }
    known
}

/// The `at` terms of all properties, and of the annotations that traces use.
pub(super) fn looks_back(terms: &Terms, commands: &[Command], known: &[Known<'_>]) -> Vec<(FunId, SymbolId)> {
    let mut texts: Vec<TermId> = known.iter().flat_map(|k| k.property.terms.iter().copied()).collect();
    for command in commands {
        if let CommandKind::SelectTrace(trace) = &command.kind {
            let used = trace.using.iter().flat_map(|annotation| &annotation.properties);
            texts.extend(used.flat_map(|p| &p.meanings).flat_map(|(_, property)| &property.terms));
        }
    }
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    for term in texts {
        if !seen.insert(term) {
            continue;
        }
        for fun in smt::subst::functions(terms, term) {
            if let Role::At(variable, tag) = terms.fun(fun).role
                && !found.contains(&(variable, tag))
            {
                found.push((variable, tag));
            }
        }
    }
    found
}

/// The terms of an instruction.
pub(super) fn terms_of(instr: &Instr) -> Vec<TermId> {
    match &instr.op {
        Op::Assume(term) | Op::Branch(term, _) => vec![*term],
        Op::Assign(pairs) => pairs.iter().map(|pair| pair.1).collect(),
        Op::Call(_, args, _) => args.clone(),
        _ => Vec::new(),
    }
}

/// Makes the points of one procedure.
pub(super) struct Points<'b, 's> {
    pub(super) task: &'b Task<'s>,
    pub(super) code: &'b Code,
    /// The properties of its statements.
    pub(super) numbers: &'b [usize],
    /// Where its frames remember what variables were at tags.
    pub(super) at: &'b [Option<u32>],
    /// The size of a frame so far.
    pub(super) size: usize,
}

impl Points<'_, '_> {
    /// The points of those statements among `stmts` that are annotated.
    pub(super) fn build(&mut self, stmts: &[StmtId]) -> Vec<(StmtId, Point)> {
        let script = self.task.script;
        let mut points: Vec<(StmtId, Point)> = Vec::new();
        let mut sorted = stmts.to_vec();
        sorted.sort_unstable();
        for stmt in sorted {
            let text = &script.stmts[stmt];
            if !text.tags.is_empty() || !text.properties.is_empty() {
                let is_body = script.procs[text.proc].body == Some(stmt);
                let here = |number: &usize| {
                    let tag = self.task.looks_back[*number].1;
                    self.at[*number].is_some() && text.tags.iter().any(|t| t.0 == tag)
                };
                let saves = (0..self.at.len()).filter(here).map(|number| number as u32).collect();
                points.push((stmt, Point { is_body, saves, ..Point::default() }));
            }
        }
        for &number in self.numbers {
            let known = self.task.property(number);
            let Ok(position) = points.binary_search_by_key(&known.stmt, |p| p.0) else { continue };
            let point = &mut points[position].1;
            match known.property.kind {
                PropertyKind::Requires => point.requires.push(number),
                PropertyKind::Ensures => point.ensures.push(number),
                PropertyKind::CheckTrue | PropertyKind::Invariant => point.visit.push(number),
                PropertyKind::Decreases | PropertyKind::DecreasesLex => {
                    let back = self.back(known.stmt);
                    point.ranks.push(self.rank(number, back));
                }
                PropertyKind::Recurring | PropertyKind::NotRecurring => {}
            }
        }
        points
    }

    /// The ranking functions of the procedure: those of its body.
    pub(super) fn measures(&mut self, body: StmtId) -> Vec<Rank> {
        let is_rank = |kind| matches!(kind, PropertyKind::Decreases | PropertyKind::DecreasesLex);
        let of_body = |&&number: &&usize| {
            let known = self.task.property(number);
            known.stmt == body && is_rank(known.property.kind)
        };
        let numbers: Vec<usize> = self.numbers.iter().filter(of_body).copied().collect();
        numbers.into_iter().map(|number| self.rank(number, Back::From(0..0))).collect()
    }

    fn rank(&mut self, property: usize, back: Back) -> Rank {
        let offset = self.size as u32;
        self.size += self.task.known[property].property.terms.len();
        Rank { property, offset, back }
    }

    fn back(&self, stmt: StmtId) -> Back {
        let is_visit = |i: &Instr| i.stmt == stmt && i.op == Op::Visit;
        let Some(head) = self.code.instrs.iter().position(is_visit) else { return Back::From(0..0) };
        if let StmtKind::While(..) = self.task.script.stmts[stmt].kind
            && let Some(Instr { op: Op::Branch(_, exit), .. }) = self.code.instrs.get(head + 1)
        {
            return Back::From(head..*exit);
        }
        let (mut reached, mut todo) = (vec![false; self.code.instrs.len()], vec![0]);
        while let Some(pc) = todo.pop() {
            if pc != head && !std::mem::replace(&mut reached[pc], true) {
                todo.extend(self.code.successors(pc));
            }
        }
        Back::Dominated(reached)
    }
}
