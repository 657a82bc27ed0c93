//! Random terms.

use super::super::syntax::{Op, Sort, Term, Var, app};
use super::{Generator, Place, within};

impl Generator {
    /// A term of the sort over the variables of the place. Numbers stay small, mostly.
    pub(super) fn term(&mut self, place: &Place, sort: Sort, depth: usize) -> Term {
        match sort {
            Sort::Bool => self.formula(place, depth),
            Sort::Int => self.number(place, depth),
            Sort::Bits(width) => self.bits(place, width, depth),
            Sort::Ints | Sort::Table(..) => self.array(place, sort, depth),
        }
    }

    fn variable(&mut self, place: &Place, sort: Sort) -> Option<Term> {
        let vars = place.of_sort(sort, false);
        if vars.is_empty() { None } else { Some(Term::Var(*self.rng.choose(&vars))) }
    }

    fn formula(&mut self, place: &Place, depth: usize) -> Term {
        if depth == 0 || self.rng.one_in(4) {
            if let Some(term) = self.variable(place, Sort::Bool)
                && self.rng.bool()
            {
                return term;
            }
            return self.comparison(place, 0);
        }
        let depth = depth - 1;
        match self.rng.below(9) {
            0 => app(Op::Not, [self.formula(place, depth)]),
            1 => app(Op::And, [self.formula(place, depth), self.formula(place, depth)]),
            2 => app(Op::Or, [self.formula(place, depth), self.formula(place, depth)]),
            3 => {
                let op = *self.rng.choose(&[Op::Implies, Op::Xor, Op::Eq]);
                app(op, [self.formula(place, depth), self.formula(place, depth)])
            }
            _ => self.comparison(place, depth),
        }
    }

    fn comparison(&mut self, place: &Place, depth: usize) -> Term {
        let sorts: Vec<Sort> = place.vars.iter().map(|v| v.1).collect();
        let sort = if sorts.is_empty() { Sort::Int } else { *self.rng.choose(&sorts) };
        let ops: &[Op] = match sort {
            Sort::Int => &[Op::Le, Op::Lt, Op::Eq, Op::Distinct],
            Sort::Bits(_) => &[Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Eq, Op::Distinct],
            _ => &[Op::Eq, Op::Distinct],
        };
        let op = *self.rng.choose(ops);
        let first = self.variable(place, sort).unwrap_or(Term::Int(0));
        let second = self.term(place, sort, depth);
        if self.rng.bool() { app(op, [first, second]) } else { app(op, [second, first]) }
    }

    fn number(&mut self, place: &Place, depth: usize) -> Term {
        if depth == 0 || self.rng.one_in(3) {
            let literal = Term::Int(self.rng.below(self.domain as usize) as i64);
            return match self.variable(place, Sort::Int) {
                Some(term) if !self.rng.one_in(3) => term,
                _ => literal,
            };
        }
        let depth = depth - 1;
        let pair = [self.number(place, depth), self.number(place, depth)];
        match self.rng.below(12) {
            0 => {
                let [a, b] = pair;
                app(Op::Ite, [self.formula(place, depth), a, b])
            }
            1 | 2 => match self.variable(place, Sort::Ints) {
                Some(array) => app(Op::Select, [array, pair[0].clone()]),
                None => pair[0].clone(),
            },
            3 => app(*self.rng.choose(&[Op::Add, Op::Sub]), [pair[0].clone(), Term::Int(1)]),
            number => {
                let op = *self.rng.choose(&[Op::Add, Op::Add, Op::Sub, Op::Mul]);
                let domain = if number == 4 { self.domain + 1 } else { self.domain };
                app(Op::Mod, [app(op, pair), Term::Int(domain)])
            }
        }
    }

    fn bits(&mut self, place: &Place, width: u32, depth: usize) -> Term {
        if depth == 0 || self.rng.one_in(3) {
            let literal = Term::Bits(width, self.rng.below(1 << width) as u64);
            return match self.variable(place, Sort::Bits(width)) {
                Some(term) if !self.rng.one_in(3) => term,
                _ => literal,
            };
        }
        let depth = depth - 1;
        const BINARY: &[Op] = &[
            Op::BvAnd,
            Op::BvOr,
            Op::BvXor,
            Op::BvAdd,
            Op::BvSub,
            Op::BvMul,
            Op::BvUdiv,
            Op::BvUrem,
            Op::BvShl,
            Op::BvLshr,
        ];
        let first = self.bits(place, width, depth);
        match self.rng.below(10) {
            0 => app(Op::BvNot, [first]),
            1 => app(Op::BvNeg, [first]),
            2 => app(Op::Ite, [self.formula(place, depth), first, self.bits(place, width, depth)]),
            3 | 4 if width == self.width => match self.variable(place, Sort::Table(2, width)) {
                Some(table) => app(Op::Select, [table, self.bits(place, 2, depth)]),
                None => first,
            },
            _ => app(*self.rng.choose(BINARY), [first, self.bits(place, width, depth)]),
        }
    }

    fn array(&mut self, place: &Place, sort: Sort, depth: usize) -> Term {
        let (index, element) = match sort {
            Sort::Table(index, element) => (Sort::Bits(index), Sort::Bits(element)),
            _ => (Sort::Int, Sort::Int),
        };
        let array = match self.variable(place, sort) {
            Some(array) if !self.rng.one_in(6) => array,
            _ => app(Op::Const(sort), [self.term(place, element, 0)]),
        };
        if depth == 0 || self.rng.one_in(4) {
            return array;
        }
        let index = match index {
            // Numbers are kept small here even when the variables are not.
            Sort::Int => app(Op::Mod, [self.number(place, depth - 1), Term::Int(self.domain)]),
            sort => self.term(place, sort, depth - 1),
        };
        let element = match element {
            Sort::Int => app(Op::Mod, [self.number(place, depth - 1), Term::Int(self.domain)]),
            sort => self.term(place, sort, depth - 1),
        };
        app(Op::Store, [array, index, element])
    }

    /// A formula that holds rather often: bounds of numbers, or a random formula or something else.
    pub(super) fn likely(&mut self, place: &Place) -> Term {
        let numbers = place.of_sort(Sort::Int, false);
        match self.rng.below(6) {
            0 | 1 if !numbers.is_empty() => {
                let var = *self.rng.choose(&numbers);
                self.bounds(var)
            }
            2 => app(Op::Or, [self.formula(place, 2), self.formula(place, 1)]),
            3 => app(Op::Implies, [self.formula(place, 1), self.formula(place, 2)]),
            4 if !numbers.is_empty() => {
                let var = *self.rng.choose(&numbers);
                app(Op::Or, [self.bounds(var), self.formula(place, 1)])
            }
            _ => self.formula(place, 2),
        }
    }

    fn bounds(&mut self, var: Var) -> Term {
        let high = self.domain + *self.rng.choose(&[-1, 0, 0, 1, 1]);
        match self.rng.below(4) {
            0 => app(Op::Le, [Term::Int(0), Term::Var(var)]),
            1 => app(Op::Lt, [Term::Var(var), Term::Int(high)]),
            _ => within(var, 0, high),
        }
    }
}
