//! What holds under a condition of the text: loops have phases, and flags say which.

use super::bounds::constants;
use super::equalities::equalities;
use super::{Collector, Columns, Context, variables};
use crate::houdini::build::{Sum, compare, either, implies};
use dashu_int::IBig;
use dashu_int::ops::DivRemEuclid;
use smt::eval::Evaluator;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};
use std::collections::BTreeSet;

/// Conditions at most, each also negated.
const MANY_CONDITIONS: usize = 12;
/// Variables at most.
const MANY_VARIABLES: usize = 8;
/// Constants for phases that no sample is in, at most.
const MANY_CONSTANTS: usize = 5;
/// Formulas about a phase that no sample is in, at most.
const MANY_UNSEEN: usize = 120;

/// Equalities and remainders that hold in a phase, and alternatives of two conditions.
pub(crate) fn phases(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    let (conditions, table) = parts(terms, context, out);
    for &condition in &conditions {
        let phase = Phase::new(terms, condition, &table, out);
        // What holds in all samples holds without a condition.
        if !phase.rows.is_empty() && phase.rows.len() < table.rows.len() {
            phase.equalities(terms, &table, out);
            phase.remainders(terms, &table, 2..=5, out);
        }
    }
    for (i, &a) in conditions.iter().enumerate() {
        for &b in &conditions[i + 1..] {
            if !out.is_proved(a) && !out.is_proved(b) {
                let formula = either(terms, a, b);
                out.maybe(terms, formula);
            }
        }
    }
}

/// Bounds that hold in a phase.
pub(crate) fn bounds_of_phases(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    let (conditions, table) = parts(terms, context, out);
    let (mut sums, constants) = (sums(&table.features), constants(context.text));
    sums.retain(|sum| sum.iter().any(|part| out.changes(terms, part.1)));
    for &condition in &conditions {
        let phase = Phase::new(terms, condition, &table, out);
        if phase.rows.is_empty() {
            let never = terms.not(condition);
            if !out.is_proved(never) {
                unseen(terms, context, condition, &sums, out);
            }
        } else if phase.rows.len() < table.rows.len() {
            phase.bounds(terms, &table, &sums, &constants, out);
        }
    }
}

pub(super) fn parts(terms: &mut Terms, context: &Context<'_>, out: &Collector<'_>) -> (Vec<TermId>, Columns) {
    let conditions = conditions(terms, context, out);
    let mut features = variables(terms, out.site, SortId::INT);
    features.truncate(MANY_VARIABLES);
    (conditions, Columns::new(terms, features, out.states))
}

/// Conditions of the text with their negations; for what never changes also its sign.
pub(super) fn conditions(terms: &mut Terms, context: &Context<'_>, out: &Collector<'_>) -> Vec<TermId> {
    let atoms = context.text.atoms.iter().copied();
    let mut known: Vec<TermId> = atoms.filter(|&atom| out.site.can_say(terms, atom)).collect();
    let zero = terms.int(0);
    for &variable in out.site.variables.iter().filter(|variable| !out.site.changing.contains(variable)) {
        if terms.fun(variable).result == SortId::INT {
            let variable = terms.constant_term(variable);
            known.extend(terms.app(Op::Le, &[zero, variable]));
        }
    }
    known.truncate(MANY_CONDITIONS);
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

/// The samples in which a condition holds.
pub(super) struct Phase {
    condition: TermId,
    /// Positions in the table.
    pub(super) rows: Vec<usize>,
}

impl Phase {
    pub(super) fn new(terms: &Terms, condition: TermId, table: &Columns, out: &Collector<'_>) -> Phase {
        let mut evaluator = Evaluator::new(terms).with_fuel(10_000);
        let mut holds = |&row: &usize| {
            let mut state = out.states[table.rows[row]].clone();
            matches!(evaluator.holds(condition, &mut state), Ok(true))
        };
        let rows = (0..table.rows.len()).filter(&mut holds).collect();
        Phase { condition, rows }
    }

    pub(super) fn conclude(&self, terms: &mut Terms, conclusion: TermId, out: &mut Collector<'_>) {
        if !out.is_proved(conclusion) {
            let formula = implies(terms, self.condition, conclusion);
            out.sure(formula);
        }
    }

    /// The samples in which two conditions hold.
    pub(super) fn and(&self, terms: &mut Terms, other: &Phase) -> Phase {
        let condition = terms.and(&[self.condition, other.condition]);
        let rows = self.rows.iter().filter(|row| other.rows.binary_search(row).is_ok()).copied().collect();
        Phase { condition, rows }
    }

    /// The equalities of the samples.
    pub(super) fn equal(&self, terms: &mut Terms, table: &Columns) -> Vec<TermId> {
        let select = |column: &Vec<IBig>| self.rows.iter().map(|&row| column[row].clone()).collect();
        equalities(terms, table.features.clone(), table.values.iter().map(select).collect())
    }

    pub(super) fn equalities(&self, terms: &mut Terms, table: &Columns, out: &mut Collector<'_>) {
        for equality in self.equal(terms, table) {
            self.conclude(terms, equality, out);
        }
    }

    /// Bounds that are better than those of all samples.
    fn bounds(
        &self,
        terms: &mut Terms,
        table: &Columns,
        sums: &[Sum],
        constants: &BTreeSet<IBig>,
        out: &mut Collector<'_>,
    ) {
        for sum in sums {
            let all: Vec<IBig> = (0..table.rows.len()).map(|row| value(table, sum, row)).collect();
            let here: Vec<&IBig> = self.rows.iter().map(|&row| &all[row]).collect();
            let (Some(&least), Some(&most)) = (here.iter().min(), here.iter().max()) else { continue };
            if least == most {
                let conclusion = compare(terms, Op::Eq, sum, least);
                self.conclude(terms, conclusion, out);
                continue;
            }
            if all.iter().any(|value| value > most)
                && let Some(constant) = constants.range(most.clone()..).next()
            {
                let conclusion = compare(terms, Op::Le, sum, constant);
                self.conclude(terms, conclusion, out);
            }
            if all.iter().any(|value| value < least)
                && let Some(constant) = constants.range(..=least.clone()).next_back()
            {
                let conclusion = compare(terms, Op::Ge, sum, constant);
                self.conclude(terms, conclusion, out);
            }
        }
    }

    pub(super) fn remainders(
        &self,
        terms: &mut Terms,
        table: &Columns,
        moduli: std::ops::RangeInclusive<u32>,
        out: &mut Collector<'_>,
    ) {
        for (&term, all) in table.features.iter().zip(&table.values) {
            let here: Vec<&IBig> = self.rows.iter().map(|&row| &all[row]).collect();
            for modulus in moduli.clone() {
                let rest = |value: &IBig| value.clone().div_rem_euclid(IBig::from(modulus)).1;
                let first = rest(here[0]);
                let only_here = all.iter().any(|value| rest(value) != first);
                if here.len() > 2 && only_here && here.iter().all(|value| rest(value) == first) {
                    let (modulus, first) = (terms.int(modulus), terms.int(first));
                    let remainder = terms.app(Op::Mod, &[term, modulus]).unwrap_or(TermId::ERROR);
                    let conclusion = terms.app(Op::Eq, &[remainder, first]).unwrap_or(TermId::TRUE);
                    self.conclude(terms, conclusion, out);
                }
            }
        }
    }
}

fn value(table: &Columns, sum: &Sum, row: usize) -> IBig {
    let column = |term: TermId| table.features.iter().position(|&feature| feature == term);
    let part = |(factor, term): &(IBig, TermId)| column(*term).map(|c| factor * &table.values[c][row]);
    sum.iter().filter_map(part).fold(IBig::ZERO, |a, b| a + b)
}

/// A phase that no sample is in: anything may hold there, with the numbers of the text.
fn unseen(
    terms: &mut Terms,
    context: &Context<'_>,
    condition: TermId,
    sums: &[Sum],
    out: &mut Collector<'_>,
) {
    let mut numbers = vec![IBig::ZERO];
    numbers.extend(context.text.numbers.iter().rev().take(MANY_CONSTANTS).cloned());
    let most = out.found.len() + MANY_UNSEEN;
    for number in &numbers {
        for sum in sums {
            for op in [Op::Eq, Op::Le, Op::Ge] {
                if out.found.len() < most {
                    let conclusion = compare(terms, op, sum, number);
                    let formula = implies(terms, condition, conclusion);
                    out.sure(formula);
                }
            }
        }
    }
}
