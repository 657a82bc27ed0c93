//! Linear Horn clauses as one system.
//!
//! A state is a fact `P(a, …)`: bits that say which predicate, and variables for the arguments, shared by all predicates as far
//! as sorts allow. A clause `P(s) ∧ φ ⇒ Q(t)` is a step. A fact `φ ⇒ P(t)` describes initial states if its variables can be
//! put away, because initial states have no inputs; otherwise it is a step from a place before all predicates. The property
//! says that no goal `P(s) ∧ φ ⇒ false` applies. There is one, as a file asks one question.
//!
//! The place is told by Boolean state variables, not by a number: they belong to no theory, so clauses about integers stay
//! clauses about integers and those about bit-vectors stay finite. With one predicate and nothing before it there are none.
//! Variables that a predicate does not use have a fixed value there. That makes the way back easy: the invariant with this
//! value in their place is the predicate's meaning. Arguments that do not matter ([`Live`]) have no variable; what they are in a derivation
//! is computed from clause to clause.

use super::Clause;
use super::choice::{choice, has_uninterpreted};
use super::images::{Definitions, Images};
use super::live::Live;
use super::solve::solved;
use crate::system::{Property, PropertyKind, State, System};
use crate::total::conjuncts;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::check::RankError;
use smt::horn::HornProblem;
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::functions;
use smt::term::{FunId, Role, TermId, Terms};
use smt::value::Value;

/// Why clauses are no system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotLinear {
    /// This clause has several atoms in its body.
    Atoms(usize),
    /// Predicates of this clause stand where they are not understood.
    Shape(usize),
    /// A function without a meaning, which the solution may choose: a system's symbols mean anything.
    Symbol(FunId),
    /// Something else that the solution may choose ([`choice`]).
    Choice(TermId),
    /// A clause that is not well-sorted.
    Rank(RankError),
}

impl From<RankError> for NotLinear {
    fn from(error: RankError) -> NotLinear {
        NotLinear::Rank(error)
    }
}

/// A predicate in a system.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) predicate: FunId,
    pub(super) code: usize,
    /// The positions of its arguments among the variables; none for one that does not matter.
    pub(super) slots: Vec<Option<usize>>,
}

/// What a clause became.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) kind: Kind,
    /// The formula under which it applies.
    pub(super) guard: TermId,
    /// Its variables as terms of the system.
    pub(super) values: Vec<TermId>,
    /// Of its atom the arguments that do not matter, each with the position of the variable that it is.
    pub(super) taken: Vec<(usize, usize)>,
    /// Of its head the arguments that do not matter.
    pub(super) given: Vec<(usize, TermId)>,
    /// Its variables.
    pub(super) vars: Vec<TermId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Init,
    Step,
    Goal,
}

/// A system made of clauses, and the way back.
#[derive(Clone, Debug)]
pub struct Linear {
    /// The system.
    pub system: System,
    pub(super) places: Vec<Place>,
    pub(super) rules: Vec<Rule>,
    pub(super) bits: Vec<State>,
    pub(super) slots: Vec<State>,
    /// What a variable is where nobody uses it; nothing for a sort without a value that can be written.
    pub(super) idle: Vec<Option<TermId>>,
}

/// The system that linear clauses are.
///
/// # Errors
/// When they are not linear.
pub fn linear(terms: &mut Terms, problem: &HornProblem) -> Result<Linear, NotLinear> {
    let clauses = split(terms, problem)?;
    let live = Live::of(terms, &clauses);
    let mut builder = Builder::new(terms, problem, &clauses, live);
    let facts: Vec<usize> = (0..clauses.len()).filter(|&at| clauses[at].atoms.is_empty()).collect();
    let closed = |terms: &mut Terms, builder: &Builder, at: usize| builder.is_initial(terms, &clauses[at]);
    let start = facts.iter().any(|&at| !closed(terms, &builder, at));
    builder.add_places(terms, start);
    let mut rules = Vec::new();
    for clause in &clauses {
        rules.push(builder.rule(terms, clause)?);
    }
    builder.finish(terms, rules)
}

/// The clauses in parts, if they are linear and everything in them is known.
fn split(terms: &mut Terms, problem: &HornProblem) -> Result<Vec<Clause>, NotLinear> {
    let predicates: FxHashSet<FunId> = problem.predicates.iter().copied().collect();
    let mut clauses = Vec::new();
    for (at, &term) in problem.clauses.iter().enumerate() {
        let clause = Clause::of(terms, &predicates, term).ok_or(NotLinear::Shape(at))?;
        if clause.atoms.len() > 1 {
            return Err(NotLinear::Atoms(at));
        }
        for fun in functions(terms, term) {
            if terms.fun(fun).role == Role::Free && !predicates.contains(&fun) {
                return Err(NotLinear::Symbol(fun));
            }
        }
        if let Some(part) = choice(terms, term) {
            return Err(NotLinear::Choice(part));
        }
        clauses.push(clause);
    }
    Ok(clauses)
}

struct Builder {
    system: System,
    live: Live,
    places: Vec<Place>,
    by_fun: FxHashMap<FunId, usize>,
    bits: Vec<State>,
    /// The code of the place before all predicates, if there is one.
    start: Option<usize>,
    slots: Vec<State>,
    idle: Vec<Option<TermId>>,
    /// Inputs by sort; a clause uses the first ones.
    inputs: FxHashMap<SortId, Vec<FunId>>,
}

impl Builder {
    fn new(terms: &mut Terms, problem: &HornProblem, clauses: &[Clause], live: Live) -> Builder {
        let mut builder = Builder {
            system: System { logic: None, ..System::default() },
            live,
            places: Vec::new(),
            by_fun: FxHashMap::default(),
            bits: Vec::new(),
            start: None,
            slots: Vec::new(),
            idle: Vec::new(),
            inputs: FxHashMap::default(),
        };
        let names = argument_names(terms, clauses);
        let mut by_sort: FxHashMap<SortId, Vec<usize>> = FxHashMap::default();
        for &predicate in &problem.predicates {
            let mut used: FxHashMap<SortId, usize> = FxHashMap::default();
            let mut slots = Vec::new();
            for (i, sort) in terms.fun(predicate).params.clone().iter().copied().enumerate() {
                if !builder.live.matters(predicate, i) {
                    slots.push(None);
                    continue;
                }
                let count = used.entry(sort).or_default();
                let known = by_sort.entry(sort).or_default();
                if known.len() == *count {
                    known.push(builder.slots.len());
                    let wish = names.get(&(predicate, i)).cloned();
                    let wish = wish.unwrap_or_else(|| format!("{}.{i}", terms.fun_name(predicate)));
                    builder.add_slot(terms, &wish, sort);
                }
                slots.push(Some(known[*count]));
                *count += 1;
            }
            builder.by_fun.insert(predicate, builder.places.len());
            builder.places.push(Place { predicate, code: 0, slots });
        }
        builder
    }

    fn add_slot(&mut self, terms: &mut Terms, wish: &str, sort: SortId) {
        let state = self.system.add_state(terms, wish, sort);
        self.slots.push(state);
        let value = Value::default_of(terms, sort);
        // A value of an uninterpreted sort has a name that no file could declare.
        let value = value.filter(|_| !has_uninterpreted(terms, sort)).map(|value| value.to_term(terms));
        self.idle.push(value);
    }

    /// Gives every predicate its code.
    fn add_places(&mut self, terms: &mut Terms, start: bool) {
        let first = usize::from(start);
        self.start = start.then_some(0);
        for (i, place) in self.places.iter_mut().enumerate() {
            place.code = first + i;
        }
        let count = first + self.places.len();
        let width = count.next_power_of_two().trailing_zeros();
        for bit in 0..width {
            let state = self.system.add_state(terms, &format!("place.{bit}"), SortId::BOOL);
            self.bits.push(state);
        }
    }

    /// True when a fact needs no inputs.
    fn is_initial(&self, terms: &mut Terms, clause: &Clause) -> bool {
        let Some(head) = clause.head else { return false };
        let mut images = Images::default();
        let place = &self.places[self.by_fun[&applied(terms, head)]];
        for (arg, &slot) in terms.args(head).to_vec().into_iter().zip(&place.slots) {
            let Some(slot) = slot else { continue };
            if terms.variable(arg).is_some() && images.get(arg).is_none() {
                let now = terms.constant_term(self.slots[slot].now);
                images.set(arg, now);
            }
        }
        let used = self.live.variables(terms, clause);
        let mut open: FxHashSet<TermId> = clause.vars.iter().copied().collect();
        open.retain(|var| used.contains(var) && images.get(*var).is_none());
        let mut definitions = Definitions::find(terms, &conjuncts(terms, &clause.constraints), &open);
        while let Some((var, _)) = definitions.next(&images) {
            images.set(var, var);
            definitions.resolved(var);
            open.remove(&var);
        }
        open.is_empty()
    }

    /// What a clause becomes.
    fn rule(&mut self, terms: &mut Terms, clause: &Clause) -> Result<Rule, NotLinear> {
        let kind = match (clause.head, clause.atoms.first(), self.start) {
            (None, ..) => Kind::Goal,
            (Some(_), None, None) => Kind::Init,
            _ => Kind::Step,
        };
        let (mut images, mut equal) = (Images::default(), Vec::new());
        let mut guard = Vec::new();
        match clause.atoms.first() {
            Some(&atom) => self.atom(terms, atom, false, (&mut images, &mut equal, &mut guard)),
            None if kind == Kind::Init => {}
            None => guard.extend(self.at(terms, self.start.unwrap_or(0), false)),
        }
        if let Some(head) = clause.head {
            self.atom(terms, head, kind == Kind::Step, (&mut images, &mut equal, &mut guard));
        }
        let constraints = conjuncts(terms, &clause.constraints);
        self.leave_out(terms, clause, &mut images);
        let used = self.resolve(terms, &clause.vars, &constraints, &mut images);
        for (slot, arg) in equal {
            let image = images.of(terms, arg);
            guard.push(terms.app(Op::Eq, &[slot, image])?);
        }
        for (at, &constraint) in constraints.iter().enumerate() {
            if !used.contains(&at) {
                guard.push(images.of(terms, constraint));
            }
        }
        if kind == Kind::Step {
            let becomes: Vec<TermId> = self.slots.iter().map(|slot| terms.constant_term(slot.next)).collect();
            guard = solved(terms, guard, &becomes);
        }
        if let Some(head) = clause.head {
            guard.extend(self.idle(terms, applied(terms, head), kind == Kind::Step));
        }
        let values = clause.vars.iter().map(|&var| images.of(terms, var)).collect();
        let position = |arg: TermId| clause.vars.iter().position(|&var| var == arg);
        let of_atom = clause.atoms.first().map(|&atom| self.left_out(terms, atom)).unwrap_or_default();
        let taken = of_atom.into_iter().filter_map(|(i, arg)| Some((i, position(arg)?))).collect();
        let given = clause.head.map(|head| self.left_out(terms, head)).unwrap_or_default();
        Ok(Rule { kind, guard: terms.and(&guard), values, taken, given, vars: clause.vars.clone() })
    }

    /// The arguments of an atom that do not matter, with their places.
    fn left_out(&self, terms: &Terms, atom: TermId) -> Vec<(usize, TermId)> {
        let slots = &self.places[self.by_fun[&applied(terms, atom)]].slots;
        let args = terms.args(atom).iter().copied().enumerate().zip(slots);
        args.filter(|(_, slot)| slot.is_none()).map(|(arg, _)| arg).collect()
    }

    /// Variables that only stand where nothing matters have any value.
    fn leave_out(&self, terms: &mut Terms, clause: &Clause, images: &mut Images) {
        let used = self.live.variables(terms, clause);
        for &var in clause.vars.iter().filter(|var| !used.contains(var)) {
            let sort = terms.sort(var);
            let value = Value::default_of(terms, sort).filter(|_| !has_uninterpreted(terms, sort));
            if let Some(value) = value {
                let value = value.to_term(terms);
                images.set(var, value);
            }
        }
    }

    /// Arguments that are variables become state variables; what the others must equal is collected.
    fn atom(
        &self,
        terms: &mut Terms,
        atom: TermId,
        next: bool,
        (images, equal, guard): (&mut Images, &mut Vec<(TermId, TermId)>, &mut Vec<TermId>),
    ) {
        let place = &self.places[self.by_fun[&applied(terms, atom)]];
        guard.extend(self.at(terms, place.code, next));
        for (arg, &slot) in terms.args(atom).to_vec().into_iter().zip(&place.slots) {
            let Some(slot) = slot else { continue };
            let state = self.slots[slot];
            let slot = terms.constant_term(if next { state.next } else { state.now });
            if terms.variable(arg).is_some() && images.get(arg).is_none() {
                images.set(arg, slot);
            } else {
                equal.push((slot, arg));
            }
        }
    }

    /// The literals that say: at this place.
    fn at(&self, terms: &mut Terms, code: usize, next: bool) -> Vec<TermId> {
        let mut found = Vec::new();
        for (i, bit) in self.bits.iter().enumerate() {
            let bit = terms.constant_term(if next { bit.next } else { bit.now });
            found.push(if code >> i & 1 == 1 { bit } else { terms.not(bit) });
        }
        found
    }

    /// Fixed values for what a predicate does not use.
    fn idle(&self, terms: &mut Terms, predicate: FunId, next: bool) -> Vec<TermId> {
        let used: FxHashSet<usize> =
            self.places[self.by_fun[&predicate]].slots.iter().flatten().copied().collect();
        self.fixed(terms, &used, next)
    }

    fn fixed(&self, terms: &mut Terms, used: &FxHashSet<usize>, next: bool) -> Vec<TermId> {
        let mut found = Vec::new();
        for (at, state) in self.slots.iter().enumerate().filter(|(at, _)| !used.contains(at)) {
            let slot = terms.constant_term(if next { state.next } else { state.now });
            let Some(value) = self.idle[at] else { continue };
            if let Ok(equal) = terms.app(Op::Eq, &[slot, value]) {
                found.push(equal);
            }
        }
        found
    }

    /// Gives every variable of a clause an image; the constraints that are true by that.
    fn resolve(
        &mut self,
        terms: &mut Terms,
        vars: &[TermId],
        constraints: &[TermId],
        images: &mut Images,
    ) -> FxHashSet<usize> {
        let open: FxHashSet<TermId> = vars.iter().copied().filter(|&var| images.get(var).is_none()).collect();
        let mut definitions = Definitions::find(terms, constraints, &open);
        // Those that nothing could define first: others may be defined by them.
        let (late, early): (Vec<TermId>, Vec<TermId>) =
            vars.iter().filter(|var| open.contains(var)).partition(|&&var| definitions.defines(var));
        let mut used: FxHashMap<SortId, usize> = FxHashMap::default();
        for var in early.into_iter().chain(late) {
            while let Some((var, term)) = definitions.next(images) {
                let image = images.of(terms, term);
                images.set(var, image);
                definitions.resolved(var);
            }
            if images.get(var).is_some() {
                continue;
            }
            let sort = terms.sort(var);
            let input = self.input(terms, var, sort, used.entry(sort).or_default());
            images.set(var, input);
            definitions.resolved(var);
        }
        definitions.used
    }

    fn input(&mut self, terms: &mut Terms, var: TermId, sort: SortId, used: &mut usize) -> TermId {
        let known = self.inputs.entry(sort).or_default();
        if known.len() == *used {
            let wish = terms.variable(var).map_or("in", |name| terms.names.text(name)).to_owned();
            known.push(self.system.add_input(terms, &wish, sort));
        }
        *used += 1;
        terms.constant_term(known[*used - 1])
    }

    fn finish(mut self, terms: &mut Terms, rules: Vec<Rule>) -> Result<Linear, NotLinear> {
        let of = |kind: Kind| rules.iter().filter(move |rule| rule.kind == kind).map(|rule| rule.guard);
        let mut init: Vec<TermId> = of(Kind::Init).collect();
        if let Some(start) = self.start {
            let mut before = self.at(terms, start, false);
            before.extend(self.fixed(terms, &FxHashSet::default(), false));
            init.push(terms.and(&before));
        }
        let steps: Vec<TermId> = of(Kind::Step).collect();
        let goals: Vec<TermId> = of(Kind::Goal).map(|goal| terms.not(goal)).collect();
        let (init, steps) = (terms.or(&init), terms.or(&steps));
        self.system.init = conjuncts(terms, &[init]);
        self.system.trans = conjuncts(terms, &[steps]);
        let kind = PropertyKind::Invariant(terms.and(&goals));
        self.system.properties.push(Property { index: 0, name: None, kind });
        let Builder { system, places, bits, slots, idle, .. } = self;
        Ok(Linear { system, places, rules, bits, slots, idle })
    }
}

/// A predicate that an atom applies.
fn applied(terms: &Terms, atom: TermId) -> FunId {
    // Atoms are made by `Clause::of`, which takes only applications of predicates.
    terms.applied(atom).unwrap_or_else(|| unreachable!("an atom applies a predicate"))
}

/// What variables are called in clauses, by predicate and position.
fn argument_names(terms: &Terms, clauses: &[Clause]) -> FxHashMap<(FunId, usize), String> {
    let mut names = FxHashMap::default();
    let atoms = clauses.iter().flat_map(|clause| clause.atoms.iter().chain(&clause.head));
    for &atom in atoms {
        for (i, &arg) in terms.args(atom).iter().enumerate() {
            if let Some(name) = terms.variable(arg) {
                let text = || terms.names.text(name).to_owned();
                names.entry((applied(terms, atom), i)).or_insert_with(text);
            }
        }
    }
    names
}
