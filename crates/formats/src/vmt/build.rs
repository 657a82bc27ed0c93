//! From what a file says to a system.
//!
//! First the symbols: which are state variables and next versions, which have one meaning throughout, and which are inputs.
//! Then the formulas, each checked for what it may speak of, with the place of its annotation in the report.

use super::collect::{Found, Mark};
use super::dialect::{Arrays, relation};
use super::kinds::{INPUT, Kinds, Mask, NEXT, NOW, TEMPORAL, constant, function};
use super::names;
use base::intern::SymbolId;
use diag::{Code, Diagnostic, Span, codes};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::print::symbol_text;
use smt::sort::SortId;
use smt::subst::{Unfolding, is_closed, postorder, replace};
use smt::term::{FunId, TermId, Terms};
use ts::{Property, PropertyKind, State, System};

pub(super) fn build(terms: &mut Terms, found: Found, errors: &mut Vec<Diagnostic>) -> Option<System> {
    let before = errors.len();
    let mut builder = Builder {
        terms,
        errors,
        system: System { logic: found.logic.clone(), ..System::default() },
        arrays: Arrays::default(),
        kinds: Kinds::default(),
        unfolding: Unfolding::default(),
        nexts: FxHashMap::default(),
        owners: FxHashMap::default(),
        indices: FxHashMap::default(),
        taken: FxHashSet::default(),
    };
    builder.states(&found);
    builder.symbols(&found);
    let formulas = builder.formulas(&found);
    if builder.errors[before..].iter().any(Diagnostic::is_error) {
        return None;
    }
    builder.assemble(&formulas);
    let system = builder.system;
    let failed = errors[before..].iter().any(Diagnostic::is_error);
    // Whatever the checks above have missed must not reach anybody.
    let flaws = if failed { Vec::new() } else { ts::verify(terms, &system) };
    for flaw in flaws.iter().take(smt::script::MANY) {
        errors.push(Diagnostic::new(codes::VMT009, Span::default(), flaw.message(terms)));
    }
    (!failed && flaws.is_empty()).then_some(system)
}

/// An annotated formula in the form in which it is part of the system.
struct Formula {
    mark: Mark,
    term: TermId,
    span: Span,
    /// The definition whose body it is.
    carrier: Option<FunId>,
}

struct Builder<'a> {
    terms: &'a mut Terms,
    errors: &'a mut Vec<Diagnostic>,
    system: System,
    arrays: Arrays,
    kinds: Kinds,
    unfolding: Unfolding,
    /// Next versions by variable, and where that was said.
    nexts: FxHashMap<FunId, (FunId, Span)>,
    /// Variables by next version.
    owners: FxHashMap<FunId, (FunId, Span)>,
    /// Positions of properties by their numbers, and where the numbers were given.
    indices: FxHashMap<u64, (usize, Span)>,
    /// The names of all symbols.
    taken: FxHashSet<SymbolId>,
}

impl Builder<'_> {
    fn error(&mut self, code: Code, span: Span, message: String) {
        self.errors.push(Diagnostic::new(code, span, message));
    }

    fn name(&self, fun: FunId) -> String {
        format!("`{}`", symbol_text(self.terms.fun_name(fun)))
    }

    /// The state variables, from all `:next`.
    fn states(&mut self, found: &Found) {
        for note in &found.notes {
            let Mark::Next(next) = note.mark else { continue };
            let term = self.unfolding.apply(self.terms, note.term);
            let Some(now) = constant(self.terms, term).or_else(|| function(self.terms, term)) else {
                let message = "`:next` belongs to a declared symbol, and this is another term".to_owned();
                self.error(codes::VMT004, note.span, message);
                continue;
            };
            self.state(now, next, note.span);
        }
        for note in &found.notes {
            let Mark::Next(next) = note.mark else { continue };
            if let Some(&(_, other)) = self.nexts.get(&next) {
                let message = format!("{} is a next version and has one itself", self.name(next));
                let error = Diagnostic::new(codes::VMT005, note.span, message);
                self.errors.push(error.note_at(other, "its own next version is given here"));
            }
        }
    }

    fn state(&mut self, now: FunId, next: FunId, span: Span) {
        if let Some(&(old, place)) = self.nexts.get(&now) {
            if old != next {
                let message = format!(
                    "{} has two next versions, {} and {}",
                    self.name(now),
                    self.name(old),
                    self.name(next)
                );
                let error = Diagnostic::new(codes::VMT005, span, message);
                self.errors.push(error.note_at(place, "the first is given here"));
            }
            return;
        }
        if let Some(&(old, place)) = self.owners.get(&next) {
            let message = format!(
                "{} is the next version of both {} and {}",
                self.name(next),
                self.name(old),
                self.name(now)
            );
            let error = Diagnostic::new(codes::VMT005, span, message);
            self.errors.push(error.note_at(place, "the first of them is here"));
            return;
        }
        let (a, b) = (self.terms.fun(now), self.terms.fun(next));
        if (&a.params, a.result, &a.role) != (&b.params, b.result, &b.role) {
            let message = format!(
                "{} cannot be the next version of {}: their sorts differ",
                self.name(next),
                self.name(now)
            );
            return self.error(codes::VMT004, span, message);
        }
        self.nexts.insert(now, (next, span));
        self.owners.insert(next, (now, span));
        let mut symbol = |fun| match self.terms.fun(fun).params.is_empty() {
            true => fun,
            false => self.arrays.constant(self.terms, fun),
        };
        let state = State { now: symbol(now), next: symbol(next) };
        self.kinds.of.set(state.now, NOW);
        self.kinds.of.set(state.next, NEXT);
        self.system.states.push(state);
    }

    /// Rigid symbols and inputs: all that is declared and no variable.
    fn symbols(&mut self, found: &Found) {
        let mut global = FxHashSet::default();
        for note in found.notes.iter().filter(|note| note.mark == Mark::Global) {
            let term = self.unfolding.apply(self.terms, note.term);
            match constant(self.terms, term).or_else(|| function(self.terms, term)) {
                Some(fun) if self.nexts.contains_key(&fun) || self.owners.contains_key(&fun) => {
                    let message = format!("{} is global and changes from step to step", self.name(fun));
                    self.error(codes::VMT005, note.span, message);
                }
                Some(fun) => {
                    global.insert(fun);
                }
                None => {
                    let message =
                        "`:global` belongs to a declared symbol, and this is another term".to_owned();
                    self.error(codes::VMT004, note.span, message);
                }
            }
        }
        // What is asserted holds once and for all, so what it speaks of has one meaning.
        let asserted: Vec<TermId> = found.asserted.iter().map(|&(term, _)| term).collect();
        for term in asserted {
            let term = self.unfolding.apply(self.terms, term);
            global.extend(
                postorder(self.terms, term).into_iter().filter_map(|term| constant(self.terms, term)),
            );
        }
        for &(fun, _) in &found.declared {
            if self.nexts.contains_key(&fun) || self.owners.contains_key(&fun) {
                continue;
            }
            if global.contains(&fun) || !self.terms.fun(fun).params.is_empty() {
                self.system.rigid.push(fun);
            } else {
                self.kinds.of.set(fun, INPUT);
                self.system.inputs.push(fun);
            }
        }
    }

    /// All annotated formulas as they are in the system, checked one by one.
    fn formulas(&mut self, found: &Found) -> Vec<Formula> {
        let mut formulas = Vec::new();
        for note in &found.notes {
            let what = match note.mark {
                Mark::Next(_) | Mark::Global => continue,
                Mark::Action if constant(self.terms, note.term).is_some_and(|fun| self.is_input(fun)) => {
                    continue;
                }
                // Whatever a hint is, it is no error.
                Mark::Predicate => {
                    self.hint(note.term);
                    continue;
                }
                mark => mark,
            };
            if self.terms.sort(note.term) != SortId::BOOL {
                self.error(codes::VMT004, note.span, "the annotated term is not Boolean".into());
                continue;
            }
            let term = self.unfolding.apply(self.terms, note.term);
            if !is_closed(self.terms, term) {
                let message = "the annotated formula speaks of parameters or bound variables".to_owned();
                self.error(codes::VMT004, note.span, message);
                continue;
            }
            let term = self.arrays.rewrite(self.terms, term);
            let (place, forbidden) = match what {
                Mark::Init => ("an initial condition", NEXT | TEMPORAL),
                Mark::Trans | Mark::Action | Mark::Definition(_) => ("a transition relation", TEMPORAL),
                Mark::Invar => ("an invariant constraint", NEXT | TEMPORAL),
                Mark::Invariant(_) => ("an invariant property", NEXT | TEMPORAL),
                Mark::Live(_) => ("a live property", TEMPORAL),
                Mark::Axiom => ("an axiom", NOW | NEXT | INPUT | TEMPORAL),
                _ => ("a temporal property", 0),
            };
            if self.allows(term, note.span, place, forbidden) {
                formulas.push(Formula { mark: what, term, span: note.span, carrier: note.carrier });
            }
        }
        for &(term, span) in &found.asserted {
            let term = self.unfolding.apply(self.terms, term);
            let term = self.arrays.rewrite(self.terms, term);
            if self.allows(term, span, "an assertion", NOW | NEXT | INPUT | TEMPORAL) {
                formulas.push(Formula { mark: Mark::Axiom, term, span, carrier: None });
            }
        }
        formulas
    }

    /// A formula about one step is a hint; anything else is left alone.
    fn hint(&mut self, term: TermId) {
        if self.terms.sort(term) != SortId::BOOL {
            return;
        }
        let term = self.unfolding.apply(self.terms, term);
        let term = self.arrays.rewrite(self.terms, term);
        let forbidden = self.kinds.find(self.terms, term, NEXT | TEMPORAL);
        if is_closed(self.terms, term) && forbidden.is_none() {
            self.system.hints.push(term);
        }
    }

    fn is_input(&self, fun: FunId) -> bool {
        self.kinds.of[fun] == INPUT
    }

    /// Reports what a formula must not speak of; false if there is something.
    fn allows(&mut self, term: TermId, span: Span, place: &str, forbidden: Mask) -> bool {
        let Some(bad) = self.kinds.find(self.terms, term, forbidden) else { return true };
        let message = match self.terms.applied(bad) {
            Some(fun) => {
                let kind = match self.kinds.of[fun] {
                    NEXT => "the next version",
                    INPUT => "the input",
                    _ => "the state variable",
                };
                format!("{kind} {} must not occur in {place}", self.name(fun))
            }
            None => {
                format!("the temporal operator `{}` must not occur in {place}", self.terms.op(bad).name())
            }
        };
        self.error(codes::VMT009, span, message);
        false
    }

    fn assemble(&mut self, formulas: &[Formula]) {
        let inputs =
            formulas.iter().any(|f| f.mark == Mark::Init && self.kinds.mask(self.terms, f.term) & INPUT != 0);
        let infinite = |f: &&Formula| matches!(f.mark, Mark::Live(_) | Mark::Ltl(_));
        let nexts = formulas.iter().filter(infinite).any(|f| self.kinds.mask(self.terms, f.term) & NEXT != 0);
        if inputs || nexts {
            // Only then are there new symbols.
            self.taken = names::taken(self.terms, &self.system, formulas.iter().map(|formula| formula.term));
        }
        self.promote(formulas);
        let actions: Vec<&Formula> = formulas.iter().filter(|formula| formula.mark == Mark::Action).collect();
        for formula in formulas {
            let term = formula.term;
            match formula.mark {
                Mark::Init | Mark::Trans | Mark::Invar | Mark::Axiom if term == TermId::TRUE => {}
                Mark::Init => self.system.init.push(term),
                Mark::Trans if !actions.is_empty() => {
                    let message = "the file gives both a transition relation and actions".to_owned();
                    let error = Diagnostic::new(codes::VMT010, formula.span, message);
                    self.errors.push(error.note_at(actions[0].span, "an action is here"));
                }
                Mark::Trans => self.system.trans.push(term),
                Mark::Invar => self.system.invar.push(term),
                Mark::Axiom => self.system.axioms.push(term),
                Mark::Definition(_) => {
                    let mask = self.kinds.mask(self.terms, term);
                    match mask {
                        0 => &mut self.system.axioms,
                        mask if mask & NEXT == 0 => &mut self.system.invar,
                        _ => &mut self.system.trans,
                    }
                    .push(term);
                }
                Mark::Invariant(index) => self.property(formula, index, PropertyKind::Invariant(term)),
                Mark::Live(index) => {
                    let term = self.in_one_step(term, formula.span);
                    self.property(formula, index, PropertyKind::Live(vec![term]));
                }
                Mark::Ltl(index) => {
                    let term = self.in_one_step(term, formula.span);
                    self.property(formula, index, PropertyKind::Ltl(term));
                }
                Mark::Action | Mark::Next(_) | Mark::Global | Mark::Predicate => {}
            }
        }
        if !actions.is_empty() {
            let defined = formulas.iter().filter_map(|formula| match formula.mark {
                Mark::Definition(fun) => Some(self.arrays.symbol(fun)),
                _ => None,
            });
            let defined: FxHashSet<FunId> = defined.collect();
            let actions: Vec<TermId> = actions.iter().map(|action| action.term).collect();
            let steps = relation(self.terms, &actions, &self.system.states, &defined);
            self.system.trans.push(steps);
        }
    }

    /// Makes state variables of the inputs that initial conditions speak of.
    fn promote(&mut self, formulas: &[Formula]) {
        let init = formulas.iter().filter(|formula| formula.mark == Mark::Init);
        let (mut promoted, mut seen) = (Vec::new(), FxHashSet::default());
        for formula in init {
            if self.kinds.mask(self.terms, formula.term) & INPUT == 0 {
                continue;
            }
            for fun in
                postorder(self.terms, formula.term).into_iter().filter_map(|term| constant(self.terms, term))
            {
                if self.is_input(fun) && seen.insert(fun) {
                    promoted.push(fun);
                }
            }
        }
        for &now in &promoted {
            let (name, sort) = (format!("{}.next", self.terms.fun_name(now)), self.terms.fun(now).result);
            let next = names::constant(self.terms, &name, sort, &mut self.taken);
            self.kinds.of.set(next, NEXT);
            self.system.states.push(State { now, next });
        }
        self.system.inputs.retain(|input| !seen.contains(input));
        self.kinds.promote(&promoted);
    }

    /// A property about infinite executions without next versions: a condition on a step and the one after it becomes
    /// an input that is equal to it in every step that has a next one.
    fn in_one_step(&mut self, term: TermId, span: Span) -> TermId {
        let (mut map, mut todo) = (FxHashMap::default(), vec![term]);
        let mut seen = FxHashSet::default();
        while let Some(part) = todo.pop() {
            let mask = self.kinds.mask(self.terms, part);
            if mask & NEXT == 0 || !seen.insert(part) {
                continue;
            }
            if mask & TEMPORAL != 0 {
                todo.extend_from_slice(self.terms.args(part));
            } else if self.terms.sort(part) != SortId::BOOL || !is_closed(self.terms, part) {
                self.error(
                    codes::VMT009,
                    span,
                    "a next version occurs beside a temporal operator in a term that is no formula".into(),
                );
                return term;
            } else {
                let input = names::constant(self.terms, ".step", SortId::BOOL, &mut self.taken);
                self.system.inputs.push(input);
                let input = self.terms.constant_term(input);
                let equal = self.terms.app(Op::Eq, &[input, part]).unwrap_or(TermId::ERROR);
                self.system.trans.push(equal);
                map.insert(part, input);
            }
        }
        if map.is_empty() { term } else { replace(self.terms, term, &map) }
    }

    fn property(&mut self, formula: &Formula, index: u64, kind: PropertyKind) {
        let Some(&(position, place)) = self.indices.get(&index) else {
            let name = formula.carrier.map(|fun| self.terms.fun_name(fun).to_owned());
            // Names with a dot are made by generators and say nothing.
            let name = name.filter(|name| !name.starts_with('.'));
            self.indices.insert(index, (self.system.properties.len(), formula.span));
            return self.system.properties.push(Property { index, name, kind });
        };
        match (&mut self.system.properties[position].kind, kind) {
            (PropertyKind::Live(old), PropertyKind::Live(new)) => old.extend(new),
            (old, new) if *old == new => {}
            _ => {
                let message = format!("another property has the number {index}");
                let error = Diagnostic::new(codes::VMT006, formula.span, message);
                self.errors.push(error.note_at(place, "it is here"));
            }
        }
    }
}
