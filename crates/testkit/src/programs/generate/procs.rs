//! Random procedures.

use super::super::syntax::{Decl, Draw, Kind, Proc, Sort, Stmt, Term, Var};
use super::{Generator, Place};

impl Generator {
    /// Makes so many procedures; the last one is called by the query and by nobody else.
    pub(super) fn procedures(&mut self, count: usize) {
        // Headers first, so that calls know them.
        let mutual = count == 3 && self.rng.one_in(3);
        for number in 0..count {
            let is_main = number + 1 == count;
            let inputs = self.decls("a", usize::from(!is_main), 2, !is_main);
            let outputs = self.decls("r", 0, 2, true);
            let locals = self.decls("x", 1, 3, true);
            let recursive = !is_main && (mutual || self.rng.bool());
            let group = recursive.then_some(if mutual { 0 } else { number });
            let name = if is_main { "main".to_owned() } else { format!("p{number}") };
            let body = Stmt::of(Kind::Sequence(Vec::new()));
            self.program.procs.push(Proc { name, inputs, outputs, locals, body, group });
        }
        for number in 0..count {
            let body = self.body(number, number + 1 == count);
            self.program.procs[number].body = body;
        }
    }

    fn body(&mut self, number: usize, is_main: bool) -> Stmt {
        let proc = self.program.procs[number].clone();
        let in_group = |other: &usize| {
            *other < number || (proc.group.is_some() && self.program.procs[*other].group == proc.group)
        };
        let callees = (0..self.program.procs.len()).filter(in_group).collect();
        let body_tag = self.tag();
        let mut place = Place {
            proc: number,
            vars: Vec::new(),
            callees,
            body_tag,
            is_main,
            labels: if self.rng.one_in(3) { self.rng.between(1, 3) } else { 0 },
            placed: 0,
            loops: 0,
            left: if is_main { 14 } else { 8 },
            around: None,
        };
        place.vars.extend((0..proc.inputs.len()).map(|i| (Var::Local(i), proc.inputs[i].sort, false)));
        if !is_main {
            let globals = self.program.globals.iter().enumerate();
            place.vars.extend(globals.map(|(i, decl)| (Var::Global(i), decl.sort, true)));
        }
        let mut list = Vec::new();
        let properties = self.requires(&place);
        if is_main {
            self.prologue(&mut place, &mut list, (0..self.program.globals.len()).map(Var::Global).collect());
        }
        let first = proc.inputs.len();
        let fresh = first..first + proc.outputs.len() + proc.locals.len();
        self.prologue(&mut place, &mut list, fresh.map(Var::Local).collect());
        self.stmts(&mut place, &mut list, 0);
        while place.placed < place.labels {
            let label = self.label(&mut place);
            list.push(label);
            self.stmts(&mut place, &mut list, 2);
        }
        let mut body = Stmt { kind: Kind::Sequence(list), tag: Some(body_tag), properties };
        self.ensures(&place, &mut body);
        self.checked_at_end(&place, &mut body);
        body
    }

    /// Gives variables their first values, in one of several ways.
    fn prologue(&mut self, place: &mut Place, list: &mut Vec<Stmt>, fresh: Vec<Var>) {
        for var in fresh {
            let Decl { sort, .. } = *self.program.decl(place.proc, var);
            let is_array = matches!(sort, Sort::Ints | Sort::Table(..));
            let kind = match self.rng.below(4) {
                0 | 1 if !is_array => Kind::Draw(Draw {
                    vars: vec![var],
                    low: if self.rng.one_in(6) { -1 } else { 0 },
                    high: self.domain - i64::from(self.rng.one_in(4)),
                    fresh: self.rng.bool(),
                }),
                _ => {
                    let term = match sort {
                        Sort::Int if self.rng.bool() => {
                            Term::Int(self.rng.below(self.domain as usize) as i64)
                        }
                        _ => self.term(place, sort, 1),
                    };
                    Kind::Assign(vec![(var, term)])
                }
            };
            list.push(Stmt::of(kind));
            place.vars.push((var, sort, true));
        }
    }
}
