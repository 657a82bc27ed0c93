//! Random statements.

use super::super::syntax::{Draw, Kind, Op, Sort, Stmt, Term, Var, app};
use super::{Generator, Place};

impl Generator {
    pub(super) fn stmts(&mut self, place: &mut Place, list: &mut Vec<Stmt>, depth: usize) {
        for _ in 0..self.rng.between(1, 4 - depth.min(2)) {
            if place.left == 0 {
                break;
            }
            place.left -= 1;
            self.stmt(place, list, depth);
        }
    }

    fn block(&mut self, place: &mut Place, depth: usize) -> Stmt {
        let mut list = Vec::new();
        self.stmts(place, &mut list, depth + 1);
        match list.len() {
            1 => list.remove(0),
            _ => Stmt::of(Kind::Sequence(list)),
        }
    }

    /// Adds one statement, or a few that belong together.
    fn stmt(&mut self, place: &mut Place, list: &mut Vec<Stmt>, depth: usize) {
        let deep = depth >= 3;
        let before = list.len();
        match self.rng.below(20) {
            0..=3 => list.push(self.assign(place)),
            4 => list.extend(self.draw(place)),
            5 | 6 if !deep => {
                let condition = self.term(place, Sort::Bool, 2);
                let then = self.block(place, depth);
                let otherwise = self.rng.bool().then(|| Box::new(self.block(place, depth)));
                list.push(Stmt::of(Kind::If(condition, Box::new(then), otherwise)));
            }
            7 if !deep => {
                let count = self.rng.between(1, 3);
                let alternatives = (0..count).map(|_| self.block(place, depth)).collect();
                list.push(Stmt::of(Kind::Choice(alternatives)));
            }
            8..=10 if !deep => self.counting(place, list, depth),
            11 if !deep => {
                let condition =
                    if self.rng.one_in(4) { Term::Bool(true) } else { self.term(place, Sort::Bool, 2) };
                let stmt = self.repeat(place, condition, depth, None);
                list.push(stmt);
            }
            12 => list.extend(self.call(place)),
            13 if place.placed < place.labels && (place.loops == 0 || self.wishes.wild_labels) => {
                let label = self.label(place);
                list.push(label);
            }
            14 if place.labels > 0 => {
                let goto = Kind::Goto(self.rng.below(place.labels));
                list.push(self.sometimes(place, goto));
            }
            15 => {
                let kind = match (place.loops, self.rng.below(5)) {
                    (1.., 0 | 1) => Kind::Break,
                    (1.., 2 | 3) => Kind::Continue,
                    _ => Kind::Return,
                };
                list.push(self.sometimes(place, kind));
            }
            16 => list.push(Stmt::of(Kind::Assume(self.term(place, Sort::Bool, 1)))),
            17 | 18 => list.push(self.check(place)),
            _ => list.extend(self.call(place)),
        }
        // Only the last one: the others belong to it.
        if list.len() > before
            && let Some(stmt) = list.pop()
        {
            let stmt = self.of_any(place, stmt);
            list.push(stmt);
        }
    }

    /// A jump under a condition.
    fn sometimes(&mut self, place: &Place, jump: Kind) -> Stmt {
        let condition = self.term(place, Sort::Bool, 1);
        Stmt::of(Kind::If(condition, Box::new(Stmt::of(jump)), None))
    }

    pub(super) fn label(&mut self, place: &mut Place) -> Stmt {
        let label = place.placed;
        place.placed += 1;
        let mut stmt = self.tagged(Stmt::of(Kind::Label(label)));
        self.of_head(place, &mut stmt);
        stmt
    }

    fn assign(&mut self, place: &Place) -> Stmt {
        let mut targets: Vec<(Var, Sort)> = place.vars.iter().filter(|v| v.2).map(|v| (v.0, v.1)).collect();
        let mut pairs = Vec::new();
        for _ in 0..if self.rng.one_in(4) { 2 } else { 1 } {
            if targets.is_empty() {
                break;
            }
            let (var, sort) = targets.remove(self.rng.below(targets.len()));
            pairs.push((var, self.term(place, sort, 2)));
        }
        if pairs.is_empty() { Stmt::of(Kind::Sequence(Vec::new())) } else { Stmt::of(Kind::Assign(pairs)) }
    }

    fn draw(&mut self, place: &Place) -> Option<Stmt> {
        let can = |v: &&(Var, Sort, bool)| v.2 && matches!(v.1, Sort::Bool | Sort::Int | Sort::Bits(_));
        let vars: Vec<Var> = place.vars.iter().filter(can).map(|v| v.0).collect();
        if vars.is_empty() {
            return None;
        }
        let var = *self.rng.choose(&vars);
        let low = if self.rng.one_in(8) { -1 } else { 0 };
        Some(Stmt::of(Kind::Draw(Draw { vars: vec![var], low, high: self.domain, fresh: false })))
    }

    /// A loop that counts, up or down, perhaps disturbed by its body.
    fn counting(&mut self, place: &mut Place, list: &mut Vec<Stmt>, depth: usize) {
        let counters = place.of_sort(Sort::Int, true);
        if counters.is_empty() {
            return list.push(self.assign(place));
        }
        let var = *self.rng.choose(&counters);
        let limit = Term::Int(self.domain + self.rng.below(2) as i64);
        let (start, condition, step) = if self.rng.bool() {
            (Term::Int(0), app(Op::Lt, [Term::Var(var), limit]), app(Op::Add, [Term::Var(var), Term::Int(1)]))
        } else {
            (limit, app(Op::Lt, [Term::Int(0), Term::Var(var)]), app(Op::Sub, [Term::Var(var), Term::Int(1)]))
        };
        if !self.rng.one_in(4) {
            list.push(Stmt::of(Kind::Assign(vec![(var, start)])));
        }
        let step = Stmt::of(Kind::Assign(vec![(var, step)]));
        let disturbed = self.rng.one_in(4);
        let kept = place.vars.clone();
        if !disturbed {
            for entry in place.vars.iter_mut().filter(|entry| entry.0 == var) {
                entry.2 = false;
            }
        }
        let stmt = self.repeat(place, condition, depth, Some(step));
        place.vars = kept;
        list.push(stmt);
    }

    fn repeat(&mut self, place: &mut Place, condition: Term, depth: usize, step: Option<Stmt>) -> Stmt {
        let tag = self.tag();
        let around = place.around;
        if !self.wishes.wild_labels {
            place.around = Some(tag);
        }
        place.loops += 1;
        let mut body = Vec::new();
        self.stmts(place, &mut body, depth + 1);
        let at = if self.rng.one_in(4) { 0 } else { body.len() };
        body.splice(at..at, step);
        place.loops -= 1;
        place.around = around;
        let body = Box::new(Stmt::of(Kind::Sequence(body)));
        let mut stmt = Stmt { kind: Kind::While(condition, body), tag: Some(tag), properties: Vec::new() };
        self.of_head(place, &mut stmt);
        stmt
    }

    fn call(&mut self, place: &Place) -> Option<Stmt> {
        if place.callees.is_empty() {
            return None;
        }
        let callee = *self.rng.choose(&place.callees);
        let header = self.program.procs[callee].clone();
        let recursive = callee >= place.proc
            || (header.group.is_some() && header.group == self.program.procs[place.proc].group);
        let mut args: Vec<Term> = header.inputs.iter().map(|input| self.term(place, input.sort, 1)).collect();
        let mut guard = None;
        if recursive {
            // The first number among the inputs goes down, mostly.
            let own = &self.program.procs[place.proc].inputs;
            let from = own.iter().position(|input| input.sort == Sort::Int).map(Var::Local);
            let to = header.inputs.iter().position(|input| input.sort == Sort::Int);
            if let (Some(from), Some(to)) = (from, to)
                && !self.rng.one_in(5)
            {
                args[to] = app(Op::Sub, [Term::Var(from), Term::Int(1)]);
                guard = Some(app(Op::Lt, [Term::Int(0), Term::Var(from)]));
            } else if !self.rng.one_in(4) {
                guard = Some(self.term(place, Sort::Bool, 1));
            }
        }
        let mut results = Vec::new();
        for output in &header.outputs {
            let mut vars = place.of_sort(output.sort, true);
            vars.retain(|var| !results.contains(var));
            if vars.is_empty() {
                return None;
            }
            results.push(*self.rng.choose(&vars));
        }
        let call = Stmt::of(Kind::Call(callee, args, results));
        Some(match guard {
            Some(guard) => Stmt::of(Kind::If(guard, Box::new(call), None)),
            None => call,
        })
    }
}
