//! Questions about steps between states of which only the truth of predicates is known.

use super::super::SystemProblem;
use super::super::ic3::{Cube, Literal};
use super::super::session::{Session, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::{constants, postorder, replace};
use smt::term::{FunId, TermId, Terms};
use ts::System;

struct Predicate {
    /// A formula over states and rigid symbols.
    formula: TermId,
    /// True when it holds now, and after the step.
    now: TermId,
    next: TermId,
}

pub(super) struct Abstraction<'a> {
    session: Session<'a>,
    predicates: Vec<Predicate>,
    known: FxHashSet<TermId>,
    /// Current versions and inputs to those of the next step.
    next: FxHashMap<TermId, TermId>,
    states: FxHashSet<FunId>,
    /// Each switches on what is known of the states that are reached in so many steps.
    levels: Vec<TermId>,
    /// Switch on the step, and that the state is bad.
    step: TermId,
    bad: TermId,
}

impl<'a> Abstraction<'a> {
    pub(super) fn new(
        terms: &mut Terms,
        problem: &'a SystemProblem<'_>,
        property: TermId,
    ) -> Result<Abstraction<'a>, Stopped> {
        let system = problem.system;
        let session = Session::open(problem.solver, &problem.budget)?;
        let mut next = FxHashMap::default();
        for state in &system.states {
            next.insert(terms.constant_term(state.now), terms.constant_term(state.next));
        }
        for &input in &system.inputs {
            let (name, sort) = (format!("{}.next", terms.fun_name(input)), terms.fun(input).result);
            let copy = terms.fresh(&name, sort);
            next.insert(terms.constant_term(input), terms.constant_term(copy));
        }
        let states =
            system.states.iter().map(|state| state.now).chain(system.rigid.iter().copied()).collect();
        let [step, bad] = ["step", "bad"].map(|name| flag(terms, name));
        let mut made = Abstraction {
            session,
            predicates: Vec::new(),
            known: FxHashSet::default(),
            next,
            states,
            levels: Vec::new(),
            step,
            bad,
        };
        made.begin(terms, system, property)?;
        Ok(made)
    }

    fn begin(&mut self, terms: &mut Terms, system: &System, property: TermId) -> Result<(), Stopped> {
        self.session.assert_all(terms, &system.axioms)?;
        self.session.assert_all(terms, &system.invar)?;
        let (step, bad) = (self.step, self.bad);
        for &formula in &system.trans {
            self.when(terms, step, formula)?;
        }
        for &formula in &system.invar {
            let formula = replace(terms, formula, &self.next);
            self.when(terms, step, formula)?;
        }
        let violated = terms.not(property);
        self.when(terms, bad, violated)?;
        self.reach(terms, 0);
        let first = self.levels[0];
        for &formula in &system.init {
            self.when(terms, first, formula)?;
        }
        for state in &system.states {
            if terms.fun(state.now).result == SortId::BOOL {
                let formula = terms.constant_term(state.now);
                self.add(terms, formula)?;
            }
        }
        for &formula in system.init.iter().chain([&property]) {
            self.add_atoms(terms, formula)?;
        }
        Ok(())
    }

    fn when(&mut self, terms: &mut Terms, switch: TermId, formula: TermId) -> Result<(), Stopped> {
        let off = terms.not(switch);
        let guarded = terms.or(&[off, formula]);
        self.session.assert(terms, guarded)
    }

    /// Makes the switches up to a level.
    pub(super) fn reach(&mut self, terms: &mut Terms, level: usize) {
        while self.levels.len() <= level {
            let switch = flag(terms, "level");
            self.levels.push(switch);
        }
    }

    /// Adds the predicates that a formula is made of; true if one is new.
    pub(super) fn add_atoms(&mut self, terms: &mut Terms, formula: TermId) -> Result<bool, Stopped> {
        let mut found = false;
        for atom in atoms(terms, formula) {
            found |= self.add(terms, atom)?;
            // Half of an equation is often what is needed.
            if terms.op(atom) == Op::Eq
                && let [left, right] = *terms.args(atom)
                && terms.sorts.is_arith(terms.sort(left))
                && let (Ok(below), Ok(above)) =
                    (terms.app(Op::Le, &[left, right]), terms.app(Op::Le, &[right, left]))
            {
                found |= self.add(terms, below)?;
                found |= self.add(terms, above)?;
            }
        }
        Ok(found)
    }

    /// Adds what steps ask of a state, before them or after them; true if a predicate is new.
    pub(super) fn add_guards(&mut self, terms: &mut Terms, system: &System) -> Result<bool, Stopped> {
        let back: FxHashMap<TermId, TermId> = self.next.iter().map(|(&now, &next)| (next, now)).collect();
        let mut found = false;
        for &formula in &system.trans {
            for atom in atoms(terms, formula) {
                // An atom about both states, or about inputs, is refused.
                found |= self.add(terms, atom)?;
                let mentioned = constants(terms, atom);
                if mentioned.iter().all(|constant| back.contains_key(constant)) {
                    let earlier = replace(terms, atom, &back);
                    found |= self.add(terms, earlier)?;
                }
            }
        }
        Ok(found)
    }

    fn add(&mut self, terms: &mut Terms, formula: TermId) -> Result<bool, Stopped> {
        let speaks_of_states =
            |term: &TermId| terms.applied(*term).is_none_or(|fun| self.states.contains(&fun));
        let order = postorder(terms, formula);
        if matches!(terms.op(formula), Op::True | Op::False)
            || terms.has_vars(formula)
            || !order.iter().filter(|&&term| is_free(terms, term)).all(speaks_of_states)
            || !self.known.insert(formula)
        {
            return Ok(false);
        }
        let later = replace(terms, formula, &self.next);
        let (now, next) = (flag(terms, "now"), flag(terms, "then"));
        for (label, formula) in [(now, formula), (next, later)] {
            let Ok(definition) = terms.app(Op::Eq, &[label, formula]) else { return Ok(false) };
            self.session.assert(terms, definition)?;
        }
        self.predicates.push(Predicate { formula, now, next });
        Ok(true)
    }

    /// What is known of the states that are reached in so many steps.
    fn frame(&self, level: usize) -> Vec<TermId> {
        if level == 0 { vec![self.levels[0]] } else { self.levels[level..].to_vec() }
    }

    fn literal(&self, terms: &mut Terms, (predicate, holds): Literal, later: bool) -> TermId {
        let predicate = &self.predicates[predicate as usize];
        let label = if later { predicate.next } else { predicate.now };
        if holds { label } else { terms.not(label) }
    }

    /// The states of the last answer, which was yes.
    fn cube(&mut self, terms: &mut Terms) -> Result<Cube, Stopped> {
        let mut cube = Cube::new();
        for (at, predicate) in self.predicates.iter().enumerate() {
            if let Some(holds) = self.session.holds(terms, predicate.now)? {
                cube.push((at as u32, holds));
            }
        }
        Ok(cube)
    }

    /// A bad state that is not known to be unreachable in so many steps.
    pub(super) fn bad(&mut self, terms: &mut Terms, level: usize) -> Result<Option<Cube>, Stopped> {
        let mut assumptions = self.frame(level);
        assumptions.push(self.bad);
        let sat = self.session.is_sat(terms, &assumptions)?;
        if sat { self.cube(terms).map(Some) } else { Ok(None) }
    }

    /// Nothing when the cube has an initial state, otherwise literals for which it has none.
    pub(super) fn apart(&mut self, terms: &mut Terms, cube: &Cube) -> Result<Option<Cube>, Stopped> {
        let mut assumptions = self.frame(0);
        let literals: Vec<TermId> = cube.iter().map(|&l| self.literal(terms, l, false)).collect();
        assumptions.extend(&literals);
        if self.session.is_sat(terms, &assumptions)? {
            return Ok(None);
        }
        self.needed(cube, &literals).map(Some)
    }

    /// A cube from which a step leads to `cube`, that is reached in one step less and is another one; or the literals for
    /// which there is none.
    pub(super) fn before(
        &mut self,
        terms: &mut Terms,
        cube: &Cube,
        level: usize,
    ) -> Result<Result<Cube, Cube>, Stopped> {
        let mut assumptions = self.frame(level - 1);
        assumptions.push(self.step);
        assumptions.push(self.clause(terms, cube));
        let literals: Vec<TermId> = cube.iter().map(|&l| self.literal(terms, l, true)).collect();
        assumptions.extend(&literals);
        if self.session.is_sat(terms, &assumptions)? {
            return self.cube(terms).map(Err);
        }
        self.needed(cube, &literals).map(Ok)
    }

    /// True when no step leads from the states of a level into the cube.
    pub(super) fn keeps(&mut self, terms: &mut Terms, cube: &Cube, level: usize) -> Result<bool, Stopped> {
        let mut assumptions = self.frame(level);
        assumptions.push(self.step);
        assumptions.extend(cube.iter().map(|&literal| self.literal(terms, literal, true)));
        Ok(!self.session.is_sat(terms, &assumptions)?)
    }

    /// The part of a cube in the core of the last answer, which was no.
    fn needed(&mut self, cube: &Cube, literals: &[TermId]) -> Result<Cube, Stopped> {
        let core: FxHashSet<TermId> = self.session.core()?.into_iter().collect();
        let pairs = cube.iter().zip(literals);
        Ok(pairs.filter(|(_, term)| core.contains(term)).map(|(literal, _)| *literal).collect())
    }

    fn clause(&self, terms: &mut Terms, cube: &Cube) -> TermId {
        let literals: Vec<TermId> =
            cube.iter().map(|&(predicate, holds)| self.literal(terms, (predicate, !holds), false)).collect();
        terms.or(&literals)
    }

    /// The states of a cube are not reached in so many steps.
    pub(super) fn exclude(&mut self, terms: &mut Terms, cube: &Cube, level: usize) -> Result<(), Stopped> {
        let (clause, switch) = (self.clause(terms, cube), self.levels[level]);
        self.when(terms, switch, clause)
    }

    /// The formulas of a cube.
    pub(super) fn formulas(&self, terms: &mut Terms, cube: &Cube) -> Vec<TermId> {
        let formula = |terms: &mut Terms, (predicate, holds): Literal| {
            let formula = self.predicates[predicate as usize].formula;
            if holds { formula } else { terms.not(formula) }
        };
        cube.iter().map(|&literal| formula(terms, literal)).collect()
    }

    /// The states that are in none of the cubes.
    pub(super) fn invariant(&self, terms: &mut Terms, cubes: &[Cube]) -> TermId {
        let mut clauses = Vec::with_capacity(cubes.len());
        for cube in cubes {
            let literals: Vec<TermId> = self.formulas(terms, cube);
            let literals: Vec<TermId> = literals.into_iter().map(|literal| terms.not(literal)).collect();
            clauses.push(terms.or(&literals));
        }
        terms.and(&clauses)
    }
}

fn flag(terms: &mut Terms, name: &str) -> TermId {
    let fun = terms.fresh(&format!("{name}!"), SortId::BOOL);
    terms.constant_term(fun)
}

/// True for a constant or function without a definition.
fn is_free(terms: &Terms, term: TermId) -> bool {
    terms.applied(term).is_some_and(|fun| terms.fun(fun).role == smt::term::Role::Free)
}

/// The Boolean parts of a formula that are not made of other ones.
fn atoms(terms: &Terms, formula: TermId) -> Vec<TermId> {
    let (mut found, mut seen, mut todo) = (Vec::new(), FxHashSet::default(), vec![formula]);
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        let args = terms.args(term);
        let connects = match terms.op(term) {
            Op::And | Op::Or | Op::Not | Op::Implies | Op::Xor => true,
            Op::Eq | Op::Distinct | Op::Ite => args.iter().all(|&arg| terms.sort(arg) == SortId::BOOL),
            _ => false,
        };
        if connects {
            todo.extend(args.iter().rev());
        } else {
            found.push(term);
        }
    }
    found
}
