//! Procedures as flat code for the judge, on its own and not that of the product.
//!
//! `:requires` is judged when control comes to a statement from before it, `:check-true`, `:invariant` and
//! `:decreases` whenever the tag is visited, `:ensures` when control goes on behind the statement; a `return`
//! goes on behind the body (decisions 2, 4, 5).

use super::syntax::{Draw, Kind, Program, Property, Stmt, Tag, Term, Var};
use std::collections::BTreeMap;

pub(super) type Pc = usize;

pub(super) enum Instr {
    /// Has to hold; the tag and a word tell what.
    Check(Tag, &'static str, Term),
    Visit(Visit),
    /// Forgets the values in these places: a loop begins anew, or is over.
    Forget(std::ops::Range<usize>),
    Assume(Term),
    Assign(Vec<(Var, Term)>),
    Draw(Draw),
    Call(usize, Vec<Term>, Vec<Var>),
    /// Goes on behind it if the term holds, else at the place.
    Branch(Term, Pc),
    Jump(Pc),
    Choice(Vec<Pc>),
    Exit,
}

/// A tag is visited.
pub(super) struct Visit {
    pub(super) tag: Tag,
    pub(super) checks: Vec<(&'static str, Term)>,
    /// The variable's value is kept in the place.
    pub(super) saves: Vec<(Var, usize)>,
    /// The values are compared with those in the places from there on, and kept there.
    pub(super) ranks: Vec<(Vec<Term>, usize)>,
}

/// A procedure.
pub(super) struct Code {
    pub(super) instrs: Vec<Instr>,
    /// Where `at` terms find their values.
    pub(super) at: BTreeMap<(Var, Tag), usize>,
    /// How many places a frame has; globals come behind them.
    pub(super) size: usize,
    /// The ranking functions of the procedure, and where the values at the entry are.
    pub(super) measures: Vec<(Vec<Term>, usize)>,
}

struct Builder {
    code: Code,
    labels: BTreeMap<usize, Pc>,
    gotos: Vec<(Pc, usize)>,
    returns: Vec<Pc>,
    /// Heads of the open loops and jumps out of them.
    loops: Vec<(Pc, Vec<Pc>)>,
}

pub(super) fn compile(program: &Program, proc: usize) -> Code {
    let body = &program.procs[proc].body;
    let size = program.procs[proc].variables().count();
    let code = Code { instrs: Vec::new(), at: BTreeMap::new(), size, measures: Vec::new() };
    let mut builder =
        Builder { code, labels: BTreeMap::new(), gotos: Vec::new(), returns: Vec::new(), loops: Vec::new() };
    body.walk(&mut |stmt| {
        for property in &stmt.properties {
            for term in terms(property) {
                term.look_back(&mut |var, tag| builder.look_back(var, tag));
            }
        }
    });
    builder.stmt(body, true);
    builder.emit(Instr::Exit);
    for (pc, label) in std::mem::take(&mut builder.gotos) {
        let target = builder.labels[&label];
        builder.patch(pc, target);
    }
    let is_rank = |instr: &Instr| match instr {
        Instr::Visit(visit) if Some(visit.tag) == body.tag => Some(visit.ranks.clone()),
        _ => None,
    };
    builder.code.measures = builder.code.instrs.iter().find_map(is_rank).unwrap_or_default();
    builder.code
}

/// The terms of a property.
pub(super) fn terms(property: &Property) -> &[Term] {
    match property {
        Property::CheckTrue(term)
        | Property::Requires(term)
        | Property::Ensures(term)
        | Property::Invariant(term) => std::slice::from_ref(term),
        Property::Decreases(terms) => terms,
        Property::Recurring | Property::NotRecurring => &[],
    }
}

impl Builder {
    fn look_back(&mut self, var: Var, tag: Tag) {
        if !self.code.at.contains_key(&(var, tag)) {
            self.code.at.insert((var, tag), self.code.size);
            self.code.size += 1;
        }
    }

    fn emit(&mut self, instr: Instr) -> Pc {
        self.code.instrs.push(instr);
        self.code.instrs.len() - 1
    }

    fn here(&self) -> Pc {
        self.code.instrs.len()
    }

    fn patch(&mut self, pc: Pc, to: Pc) {
        if let Instr::Jump(target) | Instr::Branch(_, target) = &mut self.code.instrs[pc] {
            *target = to;
        }
    }

    fn patch_all(&mut self, pcs: Vec<Pc>) {
        let here = self.here();
        pcs.into_iter().for_each(|pc| self.patch(pc, here));
    }

    fn stmt(&mut self, stmt: &Stmt, is_body: bool) {
        let Some(tag) = stmt.tag else { return self.kind(&stmt.kind, self.here()) };
        for property in &stmt.properties {
            if let Property::Requires(term) = property {
                self.emit(Instr::Check(tag, ":requires", term.clone()));
            }
        }
        let first = self.code.size;
        let visit = self.visit(tag, stmt);
        let places = first..self.code.size;
        if !places.is_empty() {
            self.emit(Instr::Forget(places.clone()));
        }
        let head = self.emit(Instr::Visit(visit));
        self.kind(&stmt.kind, head);
        if is_body {
            let returns = std::mem::take(&mut self.returns);
            self.patch_all(returns);
        }
        if !places.is_empty() {
            self.emit(Instr::Forget(places));
        }
        for property in &stmt.properties {
            if let Property::Ensures(term) = property {
                self.emit(Instr::Check(tag, ":ensures", term.clone()));
            }
        }
    }

    fn visit(&mut self, tag: Tag, stmt: &Stmt) -> Visit {
        let mut visit = Visit { tag, checks: Vec::new(), saves: Vec::new(), ranks: Vec::new() };
        visit.saves =
            self.code.at.iter().filter(|(at, _)| at.1 == tag).map(|(at, place)| (at.0, *place)).collect();
        for property in &stmt.properties {
            match property {
                Property::CheckTrue(term) => visit.checks.push((":check-true", term.clone())),
                Property::Invariant(term) => visit.checks.push((":invariant", term.clone())),
                Property::Decreases(terms) => {
                    visit.ranks.push((terms.clone(), self.code.size));
                    self.code.size += terms.len();
                }
                _ => {}
            }
        }
        visit
    }

    fn kind(&mut self, kind: &Kind, head: Pc) {
        match kind {
            Kind::Assume(term) => drop(self.emit(Instr::Assume(term.clone()))),
            Kind::Assign(pairs) => drop(self.emit(Instr::Assign(pairs.clone()))),
            Kind::Draw(draw) => drop(self.emit(Instr::Draw(draw.clone()))),
            Kind::Sequence(list) => list.iter().for_each(|stmt| self.stmt(stmt, false)),
            Kind::Call(callee, args, results) => {
                self.emit(Instr::Call(*callee, args.clone(), results.clone()));
            }
            Kind::Return => {
                let pc = self.emit(Instr::Jump(0));
                self.returns.push(pc);
            }
            Kind::Label(label) => drop(self.labels.insert(*label, head)),
            Kind::Goto(label) => {
                let pc = self.emit(Instr::Jump(0));
                self.gotos.push((pc, *label));
            }
            Kind::If(condition, then, otherwise) => {
                let branch = self.emit(Instr::Branch(condition.clone(), 0));
                self.stmt(then, false);
                let out = self.emit(Instr::Jump(0));
                self.patch_all(vec![branch]);
                if let Some(otherwise) = otherwise {
                    self.stmt(otherwise, false);
                }
                self.patch_all(vec![out]);
            }
            Kind::While(condition, body) => {
                let branch = self.emit(Instr::Branch(condition.clone(), 0));
                self.loops.push((head, vec![branch]));
                self.stmt(body, false);
                self.emit(Instr::Jump(head));
                let (_, outs) = self.loops.pop().expect("this loop is open");
                self.patch_all(outs);
            }
            Kind::Break => {
                let pc = self.emit(Instr::Jump(0));
                self.loops.last_mut().expect("a break is in a loop").1.push(pc);
            }
            Kind::Continue => {
                let head = self.loops.last().expect("a continue is in a loop").0;
                self.emit(Instr::Jump(head));
            }
            Kind::Choice(list) => {
                let choice = self.emit(Instr::Choice(Vec::new()));
                let mut outs = Vec::new();
                for stmt in list {
                    let here = self.here();
                    if let Instr::Choice(targets) = &mut self.code.instrs[choice] {
                        targets.push(here);
                    }
                    self.stmt(stmt, false);
                    outs.push(self.emit(Instr::Jump(0)));
                }
                self.patch_all(outs);
            }
        }
    }
}
