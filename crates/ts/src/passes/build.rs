//! What passes add to systems.
//!
//! Names of new symbols depend on the system alone, not on what else was ever named: whoever applies a pass to the same
//! system gets the same symbols. Evidence about the new system can therefore be read by somebody who makes it again.

use crate::system::{State, System};
use base::intern::SymbolId;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::each_below;
use smt::term::{Fun, FunId, Role, TermId, Terms};

/// A system that grows.
pub(super) struct Build<'t> {
    pub(super) terms: &'t mut Terms,
    pub(super) system: System,
    taken: FxHashSet<SymbolId>,
    /// The last number that was put behind a name. All smaller ones are taken.
    numbers: FxHashMap<SymbolId, u32>,
}

impl<'t> Build<'t> {
    /// A system without properties and outputs to begin with.
    pub(super) fn new(terms: &'t mut Terms, original: &System) -> Build<'t> {
        let mut taken: FxHashSet<SymbolId> = FxHashSet::default();
        let symbols = original.states.iter().flat_map(|state| [state.now, state.next]);
        let symbols = symbols.chain(original.inputs.iter().chain(&original.rigid).copied());
        taken.extend(symbols.map(|fun| terms.fun(fun).name));
        each_below(terms, original.formulas(), |term| {
            taken.extend(terms.applied(term).map(|fun| terms.fun(fun).name));
        });
        let system = System { properties: Vec::new(), outputs: Vec::new(), ..original.clone() };
        Build { terms, system, taken, numbers: FxHashMap::default() }
    }

    fn constant(&mut self, wish: &str, result: SortId) -> FunId {
        let wish = self.terms.names.intern(wish);
        let mut name = wish;
        while !self.taken.insert(name) {
            let number = self.numbers.entry(wish).or_default();
            *number += 1;
            let text = format!("{}.{number}", self.terms.names.text(wish));
            name = self.terms.names.intern(&text);
        }
        self.terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free })
    }

    /// A new state variable.
    pub(super) fn state(&mut self, name: &str, sort: SortId) -> State {
        let now = self.constant(name, sort);
        let next = self.constant(&format!("{}.next", self.terms.fun_name(now).to_owned()), sort);
        let state = State { now, next };
        self.system.states.push(state);
        state
    }

    /// A new input.
    pub(super) fn input(&mut self, name: &str, sort: SortId) -> FunId {
        let input = self.constant(name, sort);
        self.system.inputs.push(input);
        input
    }

    /// A flag that is down at first: the variable, and that it is up.
    pub(super) fn flag(&mut self, name: &str) -> (State, TermId) {
        let flag = self.state(name, SortId::BOOL);
        let up = self.terms.constant_term(flag.now);
        let down = self.terms.not(up);
        self.system.init.push(down);
        (flag, up)
    }

    /// A state variable has the value of the term in the next step.
    pub(super) fn follows(&mut self, state: State, value: TermId) {
        let next = self.terms.constant_term(state.next);
        let equation = self.equal(next, value);
        self.system.trans.push(equation);
    }

    pub(super) fn equal(&mut self, left: TermId, right: TermId) -> TermId {
        // Both have one sort: the one is a version of the other.
        self.terms.app(Op::Eq, &[left, right]).unwrap_or(TermId::FALSE)
    }
}
