//! Random properties. Only variables that have values at the place are spoken of, so that what is judged never
//! depends on values outside of the domains.

use super::super::syntax::{Kind, Op, Property, Sort, Stmt, Term, Var, app};
use super::{Generator, Place};

impl Generator {
    /// The preconditions of a procedure, and its ranking function.
    pub(super) fn requires(&mut self, place: &Place) -> Vec<Property> {
        let mut found = Vec::new();
        if self.wishes.contracts && !place.vars.is_empty() && self.rng.bool() {
            found.push(Property::Requires(self.likely(place)));
        }
        let recursive = self.program.procs[place.proc].group.is_some();
        let alone = place.callees.iter().filter(|callee| **callee >= place.proc).count() == 1;
        let lower = place
            .callees
            .iter()
            .any(|c| *c < place.proc && self.program.procs[*c].group == self.program.procs[place.proc].group);
        let numbers = place.of_sort(Sort::Int, false);
        if self.wishes.decreases && recursive && alone && !lower && !numbers.is_empty() && self.rng.bool() {
            found.push(self.decreases(place));
        }
        found
    }

    fn decreases(&mut self, place: &Place) -> Property {
        let mut terms = Vec::new();
        for _ in 0..if self.rng.one_in(3) { 2 } else { 1 } {
            let var = Term::Var(*self.rng.choose(&place.of_sort(Sort::Int, false)));
            let high = Term::Int(self.domain + 1);
            terms.push(if self.rng.bool() { var } else { app(Op::Sub, [high, var]) });
        }
        Property::Decreases(terms)
    }

    /// The postconditions of a procedure.
    pub(super) fn ensures(&mut self, place: &Place, body: &mut Stmt) {
        if self.wishes.contracts && !place.vars.is_empty() && self.rng.bool() {
            let mut term = self.likely(place);
            if !place.is_main && self.rng.bool() {
                term = self.look_back(place, place.body_tag, &term, true);
            }
            body.properties.push(Property::Ensures(term));
            self.checks += 1;
        }
        if self.wishes.liveness && self.rng.one_in(4) {
            body.properties.push(self.liveness());
        }
    }

    /// Every program has something to judge.
    pub(super) fn checked_at_end(&mut self, place: &Place, body: &mut Stmt) {
        let Kind::Sequence(list) = &mut body.kind else { return };
        if self.rng.bool() || (place.is_main && self.checks == 0) {
            let check = self.check(place);
            list.push(check);
        }
    }

    /// An empty statement with a check.
    pub(super) fn check(&mut self, place: &Place) -> Stmt {
        let stmt = self.tagged(Stmt::of(Kind::Sequence(Vec::new())));
        let properties = vec![Property::CheckTrue(self.checked(place))];
        Stmt { properties, ..stmt }
    }

    fn checked(&mut self, place: &Place) -> Term {
        self.checks += 1;
        let term = self.likely(place);
        match place.around {
            Some(tag) if self.rng.one_in(4) => self.look_back(place, tag, &term, false),
            _ if !place.is_main && self.rng.one_in(5) => self.look_back(place, place.body_tag, &term, true),
            _ => term,
        }
    }

    /// Some variables of the term become their values at the tag. At the tag of a body only inputs and globals have
    /// values.
    fn look_back(&mut self, place: &Place, tag: usize, term: &Term, at_body: bool) -> Term {
        let inputs = self.program.procs[place.proc].inputs.len();
        match term {
            Term::Var(Var::Local(number)) if at_body && *number >= inputs => term.clone(),
            Term::Var(var) if self.rng.bool() => Term::At(*var, tag),
            Term::App(op, args) => {
                let args: Vec<Term> =
                    args.iter().map(|arg| self.look_back(place, tag, arg, at_body)).collect();
                app(*op, args)
            }
            _ => term.clone(),
        }
    }

    fn liveness(&mut self) -> Property {
        self.checks += 1;
        if self.rng.one_in(3) { Property::Recurring } else { Property::NotRecurring }
    }

    /// Properties of a loop or label.
    pub(super) fn of_head(&mut self, place: &Place, stmt: &mut Stmt) {
        if self.rng.one_in(4) {
            stmt.properties.push(Property::CheckTrue(self.checked(place)));
        }
        if self.wishes.invariants && self.rng.bool() {
            let term = if self.rng.one_in(6) { Term::Bool(true) } else { self.likely(place) };
            stmt.properties.push(Property::Invariant(term));
        }
        if self.wishes.liveness && self.rng.bool() {
            let property = self.liveness();
            stmt.properties.push(property);
        }
        let is_while = matches!(stmt.kind, Kind::While(..));
        if self.wishes.decreases && is_while && !place.of_sort(Sort::Int, false).is_empty() && self.rng.bool()
        {
            stmt.properties.push(self.decreases(place));
            self.checks += 1;
        }
    }

    /// Properties of any other statement, rarely.
    pub(super) fn of_any(&mut self, place: &Place, stmt: Stmt) -> Stmt {
        if stmt.tag.is_some() || matches!(stmt.kind, Kind::While(..) | Kind::Label(_)) || !self.rng.one_in(6)
        {
            return stmt;
        }
        let mut stmt = self.tagged(stmt);
        if self.rng.bool() {
            stmt.properties.push(Property::CheckTrue(self.checked(place)));
        }
        if self.wishes.liveness && self.rng.one_in(3) {
            let property = self.liveness();
            stmt.properties.push(property);
        }
        if self.wishes.contracts
            && matches!(stmt.kind, Kind::Assign(_) | Kind::Call(..))
            && self.rng.one_in(3)
        {
            stmt.properties.push(Property::Ensures(self.likely(place)));
        }
        stmt
    }
}
