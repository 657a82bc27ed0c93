//! What holds in one case of several: a variable that does not change and has few values, and two conditions at once.

use super::guarded::{Phase, conditions, parts};
use super::{Collector, Columns, Context, variables};
use dashu_int::IBig;
use rustc_hash::FxHashSet;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};
use std::collections::BTreeSet;

/// A variable with more values is not split into cases.
const MANY_VALUES: usize = 12;
/// States from which it is clear that a variable has few values.
const ENOUGH_STATES: usize = 25;
/// Moduli of remainders in a case.
const MODULI: std::ops::RangeInclusive<u32> = 2..=12;
/// Conditions that are paired, at most, each also negated.
const MANY_PAIRED: usize = 10;
/// States of a pair of conditions, at least.
const FEW_STATES: usize = 4;

/// Equalities and remainders that hold in a case, and equalities under two conditions.
pub(crate) fn cases(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    let (_, table) = parts(terms, context, out);
    for condition in values(terms, out) {
        let phase = Phase::new(terms, condition, &table, out);
        if !phase.rows.is_empty() {
            phase.equalities(terms, &table, out);
            phase.remainders(terms, &table, MODULI, out);
        }
    }
    pairs(terms, context, &table, out);
}

/// `variable = value` for what does not change and has few values.
fn values(terms: &mut Terms, out: &Collector<'_>) -> Vec<TermId> {
    let mut found = Vec::new();
    for variable in still(terms, out) {
        let table = Columns::new(terms, vec![variable], out.states);
        let values: BTreeSet<&IBig> = table.values[0].iter().collect();
        if table.rows.len() < ENOUGH_STATES || values.len() < 2 || values.len() > MANY_VALUES {
            continue;
        }
        for value in values {
            let value = terms.int(value.clone());
            found.extend(terms.app(Op::Eq, &[variable, value]));
        }
    }
    found
}

/// The integer variables that do not change.
fn still(terms: &mut Terms, out: &Collector<'_>) -> Vec<TermId> {
    let mut found = variables(terms, out.site, SortId::INT);
    found.retain(|&variable| terms.applied(variable).is_some_and(|v| !out.site.changing.contains(&v)));
    found
}

/// Equalities that need two conditions.
fn pairs(terms: &mut Terms, context: &Context<'_>, table: &Columns, out: &mut Collector<'_>) {
    let mut known = remainders(terms, context, out);
    let of_text = known.len();
    known.extend(conditions(terms, context, out));
    let mut phases: Vec<(Phase, FxHashSet<TermId>)> = Vec::new();
    for (number, condition) in known.into_iter().enumerate() {
        let phase = Phase::new(terms, condition, table, out);
        if phase.rows.len() >= FEW_STATES && phase.rows.len() < table.rows.len() {
            let alone: FxHashSet<TermId> = phase.equal(terms, table).into_iter().collect();
            if number < of_text {
                phase.equalities(terms, table, out);
            }
            phases.push((phase, alone));
        }
        if phases.len() >= 2 * MANY_PAIRED {
            break;
        }
    }
    for (i, (a, of_a)) in phases.iter().enumerate() {
        for (b, of_b) in &phases[i + 1..] {
            let both = a.and(terms, b);
            let fewer = both.rows.len() < a.rows.len() && both.rows.len() < b.rows.len();
            if !fewer || both.rows.len() < FEW_STATES {
                continue;
            }
            for equality in both.equal(terms, table) {
                if !of_a.contains(&equality) && !of_b.contains(&equality) {
                    both.conclude(terms, equality, out);
                }
            }
        }
    }
}

/// Conditions about remainders by the steps of the text, of what does not change.
fn remainders(terms: &mut Terms, context: &Context<'_>, out: &Collector<'_>) -> Vec<TermId> {
    let steps = context.text.steps.iter().filter(|step| **step > IBig::ONE && **step <= IBig::from(10));
    let steps: Vec<IBig> = steps.take(2).cloned().collect();
    let (mut found, zero) = (Vec::new(), terms.int(0));
    for variable in still(terms, out).into_iter().take(3) {
        for step in &steps {
            let step = terms.int(step.clone());
            let Ok(rest) = terms.app(Op::Mod, &[variable, step]) else { continue };
            let Ok(none) = terms.app(Op::Eq, &[rest, zero]) else { continue };
            found.extend([none, terms.not(none)]);
        }
    }
    found
}
