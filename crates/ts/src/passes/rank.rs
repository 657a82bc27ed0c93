//! Liveness by ranking functions: if something decreases in every round in which all formulas of a live property are violated,
//! and cannot do so for ever, there are finitely many rounds. That is an invariant of the system that remembers what the
//! ranking function was in the last round, whatever its sorts are; its violations mean nothing.
//!
//! A ranking function has several components, which are compared lexicographically. From one round to the next one component
//! decreases, and those before it do not increase. Integers and reals that decrease do so by one at least, and were not
//! negative before; bit-vectors are compared as numbers without sign. So the first component that decreases infinitely often
//! increases finitely often only, and would end below zero.

use super::build::Build;
use crate::system::{Property, PropertyKind, System};
use smt::op::Op;
use smt::sort::{Sort, SortId};
use smt::subst::{functions, is_closed};
use smt::term::{TermId, Terms};

/// A system with a ranking function.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The system with its one property, an invariant. Its hints are the components: equations of the variable that
    /// remembers a component with the component.
    pub system: System,
    /// That a round of violations of all formulas is complete.
    pub round: TermId,
}

/// The system with an invariant that says: the ranking function decreases from one round to the next one.
///
/// # Errors
/// When the property is not a live one, or a component is none.
pub fn rank(
    terms: &mut Terms,
    original: &System,
    property: &Property,
    components: &[TermId],
) -> Result<Ranked, &'static str> {
    let PropertyKind::Live(formulas) = &property.kind else { return Err("the property is not a live one") };
    if !components.iter().all(|&component| is_component(terms, original, component)) {
        return Err("a component of the ranking function is no number of a single step");
    }
    let mut build = Build::new(terms, original);
    build.system.hints.clear();
    let round = build.round(formulas);
    let (ranked, before) = build.flag("ranked");
    let value = build.terms.or(&[before, round]);
    build.follows(ranked, value);
    let mut kept = Vec::new();
    for &component in components {
        let sort = build.terms.sort(component);
        let state = build.state("rank", sort);
        let last = build.terms.constant_term(state.now);
        let value = build.terms.app(Op::Ite, &[round, component, last]).unwrap_or(TermId::ERROR);
        build.follows(state, value);
        let equation = build.equal(last, component);
        build.system.hints.push(equation);
        kept.push((last, component));
    }
    let decreases = decreases(build.terms, &kept);
    let fails = build.terms.not(decreases);
    let again = build.terms.and(&[before, round, fails]);
    let kind = PropertyKind::Invariant(build.terms.not(again));
    let mut system = build.system;
    system.properties.push(Property { index: property.index, name: property.name.clone(), kind });
    Ok(Ranked { system, round })
}

/// The components of a ranking function, from the hints of the system that was made with it.
#[must_use]
pub fn components(terms: &Terms, system: &System) -> Option<Vec<TermId>> {
    let component = |&hint: &TermId| match (terms.op(hint), terms.args(hint)) {
        (Op::Eq, &[_, component]) => Some(component),
        _ => None,
    };
    system.hints.iter().map(component).collect()
}

/// A number that a step has: next versions are another step's, and of symbols that the system does not have nothing is known.
fn is_component(terms: &Terms, system: &System, component: TermId) -> bool {
    let is_number = match terms.sorts.get(terms.sort(component)) {
        Sort::BitVec(_) => true,
        _ => [SortId::INT, SortId::REAL].contains(&terms.sort(component)),
    };
    let is_known = |fun| {
        let mut states = system.states.iter().map(|state| state.now);
        states.any(|state| state == fun) || system.inputs.contains(&fun) || system.rigid.contains(&fun)
    };
    is_number && is_closed(terms, component) && functions(terms, component).into_iter().all(is_known)
}

/// That of pairs of an old and a new number one decreases, and none before it increases.
fn decreases(terms: &mut Terms, pairs: &[(TermId, TermId)]) -> TermId {
    let (mut ways, mut before) = (Vec::new(), Vec::new());
    for &(old, new) in pairs {
        let (less, not_more) = compared(terms, old, new);
        let mut way = before.clone();
        way.extend(less);
        ways.push(terms.and(&way));
        before.push(not_more);
    }
    terms.or(&ways)
}

/// What makes it true that a number is less than before, and that it is not more.
fn compared(terms: &mut Terms, old: TermId, new: TermId) -> (Vec<TermId>, TermId) {
    let (zero, one) = match terms.sort(old) {
        SortId::INT => (terms.int(0), terms.int(1)),
        SortId::REAL => {
            let (zero, one) = (terms.int(0), terms.int(1));
            (terms.to_real(zero), terms.to_real(one))
        }
        _ => {
            let less = terms.app(Op::BvUgt, &[old, new]).unwrap_or(TermId::FALSE);
            return (vec![less], terms.app(Op::BvUge, &[old, new]).unwrap_or(TermId::FALSE));
        }
    };
    let mut app = |op, args: &[TermId]| terms.app(op, args).unwrap_or(TermId::FALSE);
    let next = app(Op::Add, &[new, one]);
    (vec![app(Op::Ge, &[old, next]), app(Op::Ge, &[old, zero])], app(Op::Ge, &[old, new]))
}
