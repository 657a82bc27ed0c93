//! The model.
//!
//! An execution is a sequence of steps. Each step gives every state variable and every input a value; rigid symbols have
//! one meaning throughout. The first step satisfies `init`, every step `invar`, and every two neighbouring steps `trans`,
//! in which the next version of a state variable is its value in the later step and inputs are those of the earlier one.
//! The last step of a finite execution has inputs too: properties and `invar` may speak of them.

use smt::sort::SortId;
use smt::subst::{Unfolding, postorder_of};
use smt::term::{FunId, Role, TermId, Terms};

/// A state variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// Its value in this step.
    pub now: FunId,
    /// Its value in the next step.
    pub next: FunId,
}

/// What is claimed about the executions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// The formula holds in every step of every execution.
    Invariant(TermId),
    /// In every infinite execution one of the formulas holds from some step on. A counterexample violates each of them
    /// again and again. Finite executions satisfy it.
    Live(Vec<TermId>),
    /// Every infinite execution satisfies the formula, whose temporal operators are those of the theory of LTL.
    Ltl(TermId),
}

/// A property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// The number that the file gives it, or its position.
    pub index: u64,
    /// Its name, if it has one besides the number.
    pub name: Option<String>,
    /// The claim.
    pub kind: PropertyKind,
}

impl Property {
    /// The formulas of the property.
    #[must_use]
    pub fn formulas(&self) -> &[TermId] {
        match &self.kind {
            PropertyKind::Invariant(formula) | PropertyKind::Ltl(formula) => std::slice::from_ref(formula),
            PropertyKind::Live(formulas) => formulas,
        }
    }
}

/// A named value that a file shows; it means nothing for executions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its value in a step.
    pub term: TermId,
}

/// A symbolic transition system. Conjunctions are lists.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct System {
    /// What a file calls it, in languages where answers name the system.
    pub name: Option<String>,
    /// The logic that a file names.
    pub logic: Option<String>,
    /// The state variables.
    pub states: Vec<State>,
    /// Constants with a new value at each step.
    pub inputs: Vec<FunId>,
    /// Constants and functions with one meaning for all steps.
    pub rigid: Vec<FunId>,
    /// What holds of the rigid symbols alone.
    pub axioms: Vec<TermId>,
    /// What holds in the first step: over states and rigid symbols.
    pub init: Vec<TermId>,
    /// What holds between two steps: over states, their next versions, inputs and rigid symbols.
    pub trans: Vec<TermId>,
    /// What holds in every step, the first and the last too: over states, inputs and rigid symbols.
    pub invar: Vec<TermId>,
    /// The properties, in the order of the file: over states, inputs and rigid symbols.
    pub properties: Vec<Property>,
    /// What the file shows.
    pub outputs: Vec<Output>,
    /// Formulas over states, inputs and rigid symbols that may be worth looking at. They mean nothing: whoever uses one has to
    /// find out whether it, or its negation, holds.
    pub hints: Vec<TermId>,
}

impl System {
    /// A new state variable and its next version, with names close to `name`.
    pub fn add_state(&mut self, terms: &mut Terms, name: &str, sort: SortId) -> State {
        let now = terms.fresh(name, sort);
        let next = terms.fresh(&format!("{}.next", terms.fun_name(now).to_owned()), sort);
        let state = State { now, next };
        self.states.push(state);
        state
    }

    /// A new input with a name close to `name`.
    pub fn add_input(&mut self, terms: &mut Terms, name: &str, sort: SortId) -> FunId {
        let input = terms.fresh(name, sort);
        self.inputs.push(input);
        input
    }

    /// A new rigid constant with a name close to `name`.
    pub fn add_rigid(&mut self, terms: &mut Terms, name: &str, sort: SortId) -> FunId {
        let rigid = terms.fresh(name, sort);
        self.rigid.push(rigid);
        rigid
    }

    /// All formulas, shown terms and hints, to read or to change.
    pub fn formulas_mut(&mut self) -> impl Iterator<Item = &mut TermId> {
        let conjuncts = [&mut self.axioms, &mut self.init, &mut self.trans, &mut self.invar];
        let properties = self.properties.iter_mut().flat_map(|property| match &mut property.kind {
            PropertyKind::Invariant(formula) | PropertyKind::Ltl(formula) => std::slice::from_mut(formula),
            PropertyKind::Live(formulas) => formulas.as_mut_slice(),
        });
        let outputs = self.outputs.iter_mut().map(|output| &mut output.term);
        conjuncts.into_iter().flatten().chain(properties).chain(outputs).chain(&mut self.hints)
    }

    /// All formulas and shown terms. Hints are not among them: no meaning and no language depends on what they use.
    pub fn formulas(&self) -> impl Iterator<Item = TermId> {
        let conjuncts = [&self.axioms, &self.init, &self.trans, &self.invar];
        let properties = self.properties.iter().flat_map(Property::formulas);
        let outputs = self.outputs.iter().map(|output| &output.term);
        conjuncts.into_iter().flatten().chain(properties).chain(outputs).copied()
    }

    /// Puts bodies in the place of functions that are only abbreviations. What is shared stays shared.
    pub fn unfold(&mut self, terms: &mut Terms) {
        let mut unfolding = Unfolding::default();
        for formula in self.formulas_mut() {
            *formula = unfolding.apply(terms, *formula);
        }
    }

    /// Makes every undefined symbol that is used and unknown a rigid one (a function) or an input (a constant), which is
    /// what most formats mean by a symbol of which nothing else is said.
    pub fn adopt(&mut self, terms: &Terms) {
        let mut known: rustc_hash::FxHashSet<FunId> =
            self.states.iter().flat_map(|state| [state.now, state.next]).collect();
        known.extend(self.inputs.iter().chain(&self.rigid));
        for fun in postorder_of(terms, self.formulas()).into_iter().filter_map(|term| terms.applied(term)) {
            if terms.fun(fun).role == Role::Free && known.insert(fun) {
                let constant = terms.fun(fun).params.is_empty();
                if constant { &mut self.inputs } else { &mut self.rigid }.push(fun);
            }
        }
    }

    /// The property with that number.
    #[must_use]
    pub fn property(&self, index: u64) -> Option<&Property> {
        self.properties.iter().find(|property| property.index == index)
    }
}
