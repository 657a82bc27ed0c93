//! What holds under a condition of the text: loops have phases, and flags say which.

use super::bounds::constants;
use super::equalities::equalities;
use super::{Collector, Columns, Context, variables};
use crate::houdini::build::{Sum, compare, either, implies};
use dashu_int::IBig;
use smt::eval::{Assignment, Evaluator};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};

/// Conditions at most, each also negated.
const MANY_CONDITIONS: usize = 10;
/// Variables at most.
const MANY_VARIABLES: usize = 8;
/// Constants at most.
const MANY_CONSTANTS: usize = 24;

/// Implications at the site.
pub(crate) fn guarded(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    let conditions = conditions(terms, context, out);
    let mut features = variables(terms, out.site, SortId::INT);
    features.truncate(MANY_VARIABLES);
    let table = Columns::new(terms, features.clone(), out.states);
    for &condition in &conditions {
        phase_equalities(terms, condition, &table, out);
    }
    for (i, &a) in conditions.iter().enumerate() {
        for &b in &conditions[i + 1..] {
            let formula = either(terms, a, b);
            out.maybe(terms, formula);
        }
    }
    let sums = sums(&features);
    let constants: Vec<IBig> = constants(context.text).into_iter().collect();
    let constants = nearest_zero(constants);
    for &condition in &conditions {
        for sum in &sums {
            for constant in &constants {
                for op in [Op::Eq, Op::Le, Op::Ge] {
                    let conclusion = compare(terms, op, sum, constant);
                    let formula = implies(terms, condition, conclusion);
                    out.maybe(terms, formula);
                }
            }
        }
    }
}

/// All numbers when they are few, else those that are near zero and the extremes.
fn nearest_zero(mut constants: Vec<IBig>) -> Vec<IBig> {
    let size = |value: &IBig| if *value < IBig::ZERO { -value.clone() } else { value.clone() };
    constants.sort_by_key(size);
    constants.truncate(MANY_CONSTANTS);
    constants
}

/// Conditions of the text, and their negations.
pub(crate) fn conditions(terms: &mut Terms, context: &Context<'_>, out: &Collector<'_>) -> Vec<TermId> {
    let atoms = context.text.atoms.iter().copied();
    let known: Vec<TermId> =
        atoms.filter(|&atom| out.site.can_say(terms, atom)).take(MANY_CONDITIONS).collect();
    let mut found = Vec::new();
    for atom in known {
        found.extend([atom, terms.not(atom)]);
    }
    found
}

/// Variables, sums and differences.
fn sums(features: &[TermId]) -> Vec<Sum> {
    let one = IBig::ONE;
    let mut found: Vec<Sum> = features.iter().map(|&term| vec![(one.clone(), term)]).collect();
    for (i, &a) in features.iter().enumerate() {
        for &b in &features[i + 1..] {
            found.push(vec![(one.clone(), a), (-one.clone(), b)]);
            found.push(vec![(one.clone(), a), (one.clone(), b)]);
        }
    }
    found
}

/// Equalities that hold in the samples in which a condition does.
fn phase_equalities(terms: &mut Terms, condition: TermId, table: &Columns, out: &mut Collector<'_>) {
    let states: Vec<&Assignment> = table.rows.iter().map(|&row| &out.states[row]).collect();
    let mut evaluator = Evaluator::new(terms).with_fuel(10_000);
    let holds = |state: &Assignment| matches!(evaluator.holds(condition, &mut state.clone()), Ok(true));
    let in_phase: Vec<bool> = states.into_iter().map(holds).collect();
    if in_phase.iter().all(|&holds| holds) {
        return;
    }
    let select = |column: &Vec<IBig>| {
        column.iter().zip(&in_phase).filter(|(_, holds)| **holds).map(|(value, _)| value.clone()).collect()
    };
    let values: Vec<Vec<IBig>> = table.values.iter().map(select).collect();
    for equality in equalities(terms, table.features.clone(), values) {
        let formula = implies(terms, condition, equality);
        out.sure(formula);
    }
}
