//! A `trans` without alternatives has the same pairs of states, compared one by one on small random systems, and what was put
//! in place gets values again with which the system takes the same steps.

use dashu_int::UBig;
use smt::eval::{Assignment, Evaluator};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use std::collections::BTreeSet;
use testkit::Rng;
use ts::System;
use ts::passes::alternatives::{Alternatives, alternatives};
use ts::passes::functional::{Initial, functional};

/// Random formulas as programs have them: cases of equations and conditions.
struct Random<'a> {
    terms: &'a mut Terms,
    rng: &'a mut Rng,
    /// What equations are about, and what else is spoken of.
    left: Vec<FunId>,
    right: Vec<FunId>,
}

impl Random<'_> {
    fn app(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.terms.app(op, args).expect("well-sorted")
    }

    fn symbol(&mut self, from_left: bool, sort: SortId) -> Option<TermId> {
        let from = if from_left { &self.left } else { &self.right };
        let fitting: Vec<FunId> =
            from.iter().copied().filter(|&fun| self.terms.fun(fun).result == sort).collect();
        if fitting.is_empty() {
            return None;
        }
        let fun = fitting[self.rng.below(fitting.len())];
        Some(self.terms.constant_term(fun))
    }

    fn word(&mut self, depth: usize) -> TermId {
        let sort = self.terms.sorts.bit_vec(2);
        if depth > 0 && self.rng.below(3) == 0 {
            let op = [Op::BvAdd, Op::BvAnd, Op::BvXor][self.rng.below(3)];
            let args = [self.word(depth - 1), self.word(depth - 1)];
            return self.app(op, &args);
        }
        let from_left = self.rng.below(5) == 0;
        match self.symbol(from_left, sort).filter(|_| self.rng.below(3) > 0) {
            Some(symbol) => symbol,
            None => self.terms.bits(2, UBig::from(self.rng.below(4))),
        }
    }

    fn atom(&mut self) -> TermId {
        let from_left = self.rng.below(6) == 0;
        match self.symbol(from_left, SortId::BOOL).filter(|_| self.rng.below(2) == 0) {
            Some(symbol) => symbol,
            None => {
                let op = [Op::Eq, Op::BvUlt][self.rng.below(2)];
                let args = [self.word(1), self.word(1)];
                self.app(op, &args)
            }
        }
    }

    fn condition(&mut self) -> TermId {
        let atom = self.atom();
        if self.rng.below(2) == 0 { atom } else { self.terms.not(atom) }
    }

    fn equation(&mut self) -> TermId {
        let fun = self.left[self.rng.below(self.left.len())];
        let symbol = self.terms.constant_term(fun);
        let sides = match self.terms.fun(fun).result {
            SortId::BOOL if self.rng.below(2) == 0 => {
                return if self.rng.below(2) == 0 { symbol } else { self.terms.not(symbol) };
            }
            SortId::BOOL => [symbol, self.condition()],
            _ => [symbol, self.word(1)],
        };
        if self.rng.below(2) == 0 {
            self.app(Op::Eq, &sides)
        } else {
            self.app(Op::Eq, &[sides[1], sides[0]])
        }
    }

    fn formula(&mut self, depth: usize) -> TermId {
        if depth == 0 {
            return if self.rng.below(3) == 0 { self.condition() } else { self.equation() };
        }
        let mut below =
            |count: usize| -> Vec<TermId> { (0..count).map(|_| self.formula(depth - 1)).collect() };
        let args = below(3);
        match self.rng.below(6) {
            0 | 1 => self.app(Op::And, &args),
            2 | 3 => self.app(Op::Or, &args[..2]),
            4 => {
                let guard = self.condition();
                self.app(Op::Implies, &[guard, args[0]])
            }
            _ if self.rng.below(2) == 0 => {
                let both = self.app(Op::And, &args);
                self.terms.not(both)
            }
            _ => {
                let guard = self.condition();
                self.app(Op::Ite, &[guard, args[0], args[1]])
            }
        }
    }
}

fn random_system(terms: &mut Terms, rng: &mut Rng) -> System {
    let mut system = System::default();
    let two = terms.sorts.bit_vec(2);
    for (name, sort) in [("x", two), ("p", SortId::BOOL), ("q", SortId::BOOL)] {
        system.add_state(terms, name, sort);
    }
    let word = rng.below(2) == 0;
    system.add_input(terms, "i", if word { two } else { SortId::BOOL });
    system.add_input(terms, "j", SortId::BOOL);
    let mut left: Vec<FunId> = system.states.iter().map(|state| state.next).collect();
    left.extend(&system.inputs);
    let right = system.states.iter().map(|state| state.now).chain(system.inputs.clone()).collect();
    let mut random = Random { terms, rng, left, right };
    for _ in 0..1 + random.rng.below(3) {
        let depth = 1 + random.rng.below(3);
        system.trans.push(random.formula(depth));
    }
    if random.rng.below(4) == 0 {
        // What is said of an input elsewhere keeps it from being put in place.
        let input = random.terms.constant_term(system.inputs[1]);
        system.invar.push(input);
    }
    system
}

fn bits(terms: &Terms, funs: &[FunId]) -> u32 {
    funs.iter().map(|&fun| terms.sorts.width(terms.fun(fun).result).unwrap_or(1)).sum()
}

/// Values of symbols, by a number.
fn assignment(terms: &Terms, funs: &[FunId], mut number: u32) -> Assignment {
    let mut values = Assignment::new();
    for &fun in funs {
        let value = match terms.fun(fun).result {
            SortId::BOOL => Value::Bool(number & 1 == 1),
            _ => Value::bits(2, u8::try_from(number & 3).expect("two bits")),
        };
        number >>= bits(terms, &[fun]);
        values.set(fun, value);
    }
    values
}

/// The pairs of states in numbers, with the numbers of the inputs with which they are steps.
fn pairs(
    terms: &Terms,
    trans: &[TermId],
    states: &[FunId],
    inputs: &[FunId],
) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let all: Vec<FunId> = states.iter().chain(inputs).copied().collect();
    let mut evaluator = Evaluator::new(terms);
    let (mut found, mut steps) = (BTreeSet::new(), BTreeSet::new());
    for number in 0..1 << bits(terms, &all) {
        let mut values = assignment(terms, &all, number);
        if trans.iter().all(|&formula| evaluator.holds(formula, &mut values).expect("a truth")) {
            found.insert(number & ((1 << bits(terms, states)) - 1));
            steps.insert(number);
        }
    }
    (found, steps)
}

fn both(system: &System) -> Vec<FunId> {
    system.states.iter().flat_map(|state| [state.now, state.next]).collect()
}

/// A step of the new system is one of the old system when what was put in place has its values.
fn goes_back(terms: &Terms, system: &System, made: &Alternatives, all: &[FunId], number: u32) -> bool {
    let mut evaluator = Evaluator::new(terms);
    let mut values = assignment(terms, all, number);
    let given: Vec<Value> =
        made.given.iter().map(|given| evaluator.eval(given.1, &mut values).expect("a value")).collect();
    for (&(input, _), value) in made.given.iter().zip(given) {
        values.set(input, value);
    }
    system.trans.iter().all(|&formula| evaluator.holds(formula, &mut values).expect("a truth"))
}

#[test]
fn pairs_of_states_are_the_same() {
    let mut rng = Rng::new(3);
    let [mut chosen, mut given, mut large] = [0; 3];
    for _ in 0..250 {
        let mut terms = Terms::new();
        let system = random_system(&mut terms, &mut rng);
        assert!(ts::verify(&terms, &system).is_empty());
        let Some(made) = alternatives(&mut terms, &system) else { continue };
        let inputs: Vec<FunId> = system.inputs.iter().chain(&made.inputs).copied().collect();
        if bits(&terms, &inputs) > 6 {
            large += 1;
            continue;
        }
        let new = System { trans: made.trans.clone(), inputs: inputs.clone(), ..system.clone() };
        assert!(ts::verify(&terms, &new).is_empty());
        let states = both(&system);
        let (before, _) = pairs(&terms, &system.trans, &states, &system.inputs);
        let (after, steps) = pairs(&terms, &made.trans, &states, &inputs);
        assert!(before == after, "{system:?}\n{made:?}");
        let all: Vec<FunId> = states.iter().chain(&inputs).copied().collect();
        for number in steps {
            assert!(goes_back(&terms, &system, &made, &all, number), "{system:?}\n{made:?}");
        }
        chosen += usize::from(!made.inputs.is_empty());
        given += usize::from(!made.given.is_empty());
    }
    assert!(chosen > 30 && given > 30 && large < 150, "{chosen} {given} {large}");
}

/// A program with two places: it becomes functions without a rest, and the places tell the cases apart.
#[test]
fn a_program_becomes_functions() {
    let mut terms = Terms::new();
    let mut system = System::default();
    let two = terms.sorts.bit_vec(2);
    let (place, x) =
        (system.add_state(&mut terms, "place", SortId::BOOL), system.add_state(&mut terms, "x", two));
    let name = system.add_input(&mut terms, "name", two);
    let [here, there, now, next, name] =
        [place.now, place.next, x.now, x.next, name].map(|fun| terms.constant_term(fun));
    let mut app = |op, args: &[TermId]| terms.app(op, args).expect("well-sorted");
    let (not_here, not_there) = (app(Op::Not, &[here]), app(Op::Not, &[there]));
    let (sum, same) = (app(Op::BvAdd, &[now, now]), app(Op::Eq, &[next, now]));
    let named = [app(Op::Eq, &[name, sum]), app(Op::Eq, &[next, name])];
    let first = app(Op::And, &[not_here, there, named[0], named[1]]);
    let second = app(Op::And, &[here, not_there, same]);
    system.trans.push(app(Op::Or, &[first, second]));
    let made = functional(&mut terms, &system, Initial::Literals);
    assert_eq!((made.registers.len(), made.inputs.len(), made.constraints.len()), (2, 1, 0));
}
