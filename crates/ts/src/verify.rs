//! The rules that every reader and every pass obeys.

use crate::system::{PropertyKind, System};
use base::id::IdMap;
use smt::op::Theory;
use smt::print::{symbol_text, term_text};
use smt::sort::SortId;
use smt::subst::{each_below, is_closed};
use smt::term::{FunId, Role, TermId, Terms};
use std::fmt;

/// What a symbol is in a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Now,
    Next,
    Input,
    Rigid,
}

/// A rule that is broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// A symbol is two things at once, or one thing twice.
    Twice(FunId),
    /// A state variable, its next version or an input is no constant, or the two versions have different sorts.
    NoVariable(FunId),
    /// A formula is not Boolean.
    NotBoolean(&'static str, TermId),
    /// A formula has free bound variables.
    Open(&'static str, TermId),
    /// A formula uses a symbol that it may not use, or that the system does not know.
    Symbol(&'static str, FunId),
    /// A temporal operator outside of an LTL property.
    Temporal(&'static str, TermId),
    /// Two properties have one number.
    Index(u64),
    /// A live property without a formula.
    Nothing(u64),
}

impl Flaw {
    /// The flaw as a sentence.
    #[must_use]
    pub fn message(&self, terms: &Terms) -> String {
        let name = |fun: &FunId| symbol_text(terms.fun_name(*fun));
        let short = |term: &TermId| term_text(terms, *term).chars().take(60).collect::<String>();
        match self {
            Flaw::Twice(fun) => format!("`{}` has two roles in the system", name(fun)),
            Flaw::NoVariable(fun) => format!("`{}` cannot be a variable of the system", name(fun)),
            Flaw::NotBoolean(place, term) => format!("a formula of {place} is not Boolean: {}", short(term)),
            Flaw::Open(place, term) => format!("a formula of {place} has free variables: {}", short(term)),
            Flaw::Symbol(place, fun) => format!("`{}` must not occur in {place}", name(fun)),
            Flaw::Temporal(place, term) => format!("a temporal operator in {place}: {}", short(term)),
            Flaw::Index(index) => format!("two properties have the number {index}"),
            Flaw::Nothing(index) => format!("the live property {index} has no formula"),
        }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Flaw::Twice(_) => "a symbol has two roles",
            Flaw::NoVariable(_) => "a symbol cannot be a variable",
            Flaw::NotBoolean(..) => "a formula is not Boolean",
            Flaw::Open(..) => "a formula has free variables",
            Flaw::Symbol(..) => "a symbol is used where it must not be",
            Flaw::Temporal(..) => "a temporal operator outside of LTL",
            Flaw::Index(_) => "two properties have one number",
            Flaw::Nothing(_) => "a live property without a formula",
        })
    }
}

impl std::error::Error for Flaw {}

/// The rules that a system breaks; none for a good one.
#[must_use]
pub fn verify(terms: &Terms, system: &System) -> Vec<Flaw> {
    use Kind::{Input, Next, Now, Rigid};
    let mut checker = Checker { terms, kinds: IdMap::new(None), flaws: Vec::new() };
    checker.symbols(system);
    checker.formulas("axioms", &system.axioms, &[Rigid], false);
    checker.formulas("init", &system.init, &[Now, Rigid], false);
    checker.formulas("trans", &system.trans, &[Now, Next, Input, Rigid], false);
    checker.formulas("invar", &system.invar, &[Now, Input, Rigid], false);
    let mut indices = rustc_hash::FxHashSet::default();
    let (mut plain, mut temporal) = (Vec::new(), Vec::new());
    for property in &system.properties {
        if !indices.insert(property.index) {
            checker.flaws.push(Flaw::Index(property.index));
        }
        let formulas = property.formulas();
        if formulas.is_empty() {
            checker.flaws.push(Flaw::Nothing(property.index));
        }
        let list = if matches!(property.kind, PropertyKind::Ltl(_)) { &mut temporal } else { &mut plain };
        list.extend_from_slice(formulas);
    }
    // All at once: thousands of properties can share one graph.
    checker.formulas("a property", &plain, &[Now, Input, Rigid], false);
    checker.formulas("a property", &temporal, &[Now, Input, Rigid], true);
    let outputs: Vec<TermId> = system.outputs.iter().map(|output| output.term).collect();
    checker.uses("an output", &outputs, &[Now, Input, Rigid], false);
    checker.formulas("a hint", &system.hints, &[Now, Input, Rigid], false);
    checker.flaws
}

struct Checker<'a> {
    terms: &'a Terms,
    kinds: IdMap<FunId, Option<Kind>>,
    flaws: Vec<Flaw>,
}

impl Checker<'_> {
    fn symbols(&mut self, system: &System) {
        for state in &system.states {
            self.symbol(state.now, Kind::Now);
            self.symbol(state.next, Kind::Next);
            if self.terms.fun(state.now).result != self.terms.fun(state.next).result {
                self.flaws.push(Flaw::NoVariable(state.next));
            }
        }
        for &input in &system.inputs {
            self.symbol(input, Kind::Input);
        }
        for &rigid in &system.rigid {
            self.symbol(rigid, Kind::Rigid);
        }
    }

    fn symbol(&mut self, fun: FunId, kind: Kind) {
        if self.kinds.set(fun, Some(kind)).is_some() {
            self.flaws.push(Flaw::Twice(fun));
        }
        let Role::Free = self.terms.fun(fun).role else { return self.flaws.push(Flaw::NoVariable(fun)) };
        if kind != Kind::Rigid && !self.terms.fun(fun).params.is_empty() {
            self.flaws.push(Flaw::NoVariable(fun));
        }
    }

    fn formulas(&mut self, place: &'static str, formulas: &[TermId], allowed: &[Kind], temporal: bool) {
        for &formula in formulas {
            if self.terms.sort(formula) != SortId::BOOL {
                self.flaws.push(Flaw::NotBoolean(place, formula));
            }
        }
        self.uses(place, formulas, allowed, temporal);
    }

    /// What formulas use; each shared term is looked at once.
    fn uses(&mut self, place: &'static str, formulas: &[TermId], allowed: &[Kind], temporal: bool) {
        for &formula in formulas {
            if !is_closed(self.terms, formula) {
                self.flaws.push(Flaw::Open(place, formula));
            }
        }
        let (terms, kinds, mut found) = (self.terms, &self.kinds, Vec::new());
        each_below(terms, formulas.iter().copied(), |term| {
            if !temporal && terms.op(term).info().theory == Theory::Ltl {
                found.push(Flaw::Temporal(place, term));
            }
            let Some(fun) = terms.applied(term) else { return };
            let fits = match terms.fun(fun).role {
                Role::Free => kinds[fun].is_some_and(|kind| allowed.contains(&kind)),
                Role::Defined(..) | Role::Variable(..) | Role::At(..) => false,
                _ => true,
            };
            if !fits {
                found.push(Flaw::Symbol(place, fun));
            }
        });
        self.flaws.extend(found.into_iter().rev());
    }
}
