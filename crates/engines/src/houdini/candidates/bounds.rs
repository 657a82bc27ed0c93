//! Bounds of variables, of their sums and differences, and of what the text compares. The constants are those of the text,
//! their neighbours, and the extremes of the samples.

use super::limits::limits;
use super::textual::sides;
use super::{Collector, Columns, Context, entry_values, variables};
use crate::houdini::build::{Sum, compare};
use crate::houdini::text::Text;
use dashu_int::IBig;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};
use std::collections::BTreeSet;

/// Constants above the greatest sample that are tried as a bound.
const MANY_BOUNDS: usize = 5;
/// With more terms than this, only variables are paired.
const MANY_TERMS: usize = 14;
/// Multiples of variables are paired when there are at most so many.
const FEW_TERMS: usize = 7;
/// Constants of the text at most, with their neighbours.
const MANY_CONSTANTS: usize = 200;

/// Extremes of samples beyond this are no candidates.
const FAR: i32 = 1_000_000;

/// Bounds at the site.
pub(crate) fn bounds(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    let constants = constants(context.text);
    let mut sums = templates(terms, context, out);
    sums.retain(|sum| sum.iter().any(|part| out.changes(terms, part.1)));
    for sum in sums {
        let Some(values) = values(terms, &sum, out) else { continue };
        bound(terms, &sum, &values, &constants, out);
    }
}

/// The numbers of the text with their neighbours, zero, and where a loop may overshoot.
pub(crate) fn constants(text: &Text) -> BTreeSet<IBig> {
    let mut found: BTreeSet<IBig> = [-1, 0, 1].map(IBig::from).into_iter().collect();
    for number in &text.numbers {
        for near in [-1, 0, 1] {
            found.insert(number + IBig::from(near));
            found.insert(-number + IBig::from(near));
        }
        for step in &text.steps {
            found.insert(number + step - IBig::ONE);
            found.insert(number - step + IBig::ONE);
        }
        if found.len() > MANY_CONSTANTS {
            break;
        }
    }
    found
}

/// Sums whose bounds are tried.
fn templates(terms: &mut Terms, context: &Context<'_>, out: &Collector<'_>) -> Vec<Sum> {
    let one = IBig::ONE;
    let mut features = variables(terms, out.site, SortId::INT);
    let own = features.len();
    features.extend(super::compounds(terms, context, out.site));
    if features.len() < MANY_TERMS {
        features.extend(entry_values(terms, out.site, out.states));
        features.truncate(MANY_TERMS.max(own));
    }
    let mut found: Vec<Sum> = features.iter().map(|&term| vec![(one.clone(), term)]).collect();
    for &atom in &context.text.atoms {
        if let Some((left, right)) = sides(terms, atom)
            && out.site.can_say(terms, atom)
        {
            found.push(vec![(one.clone(), left), (-one.clone(), right)]);
        }
    }
    for limit in limits(terms, context, out.number) {
        found.extend(features.iter().map(|&term| vec![(one.clone(), term), (-one.clone(), limit)]));
    }
    let factors: Vec<IBig> = match features.len() <= FEW_TERMS {
        true => context
            .text
            .steps
            .iter()
            .filter(|s| **s > one && **s <= IBig::from(1000))
            .take(3)
            .cloned()
            .collect(),
        false => Vec::new(),
    };
    for (i, &a) in features.iter().enumerate() {
        for &b in &features[i + 1..] {
            found.push(vec![(one.clone(), a), (-one.clone(), b)]);
            found.push(vec![(one.clone(), a), (one.clone(), b)]);
            for factor in &factors {
                found.push(vec![(factor.clone(), a), (-one.clone(), b)]);
                found.push(vec![(one.clone(), a), (-factor.clone(), b)]);
            }
        }
    }
    if features.len() <= FEW_TERMS {
        found.extend(triples(&features));
    }
    found
}

/// `a - b - c`, `a + b - c` and `a + b + c` of different terms.
fn triples(features: &[TermId]) -> Vec<Sum> {
    let (one, mut found) = (IBig::ONE, Vec::new());
    for (i, &a) in features.iter().enumerate() {
        for (j, &b) in features.iter().enumerate().skip(i + 1) {
            for &c in &features[j + 1..] {
                for signs in [[1, 1, -1], [1, -1, 1], [-1, 1, 1], [1, 1, 1]] {
                    let term = |k: usize, t: TermId| (one.clone() * IBig::from(signs[k]), t);
                    found.push(vec![term(0, a), term(1, b), term(2, c)]);
                }
            }
        }
    }
    found
}

fn values(terms: &Terms, sum: &Sum, out: &Collector<'_>) -> Option<Vec<IBig>> {
    let features = sum.iter().map(|part| part.1).collect();
    let table = Columns::new(terms, features, out.states);
    let rows = table.rows.len();
    let total = |row: usize| {
        sum.iter()
            .zip(&table.values)
            .map(|(part, column)| &part.0 * &column[row])
            .fold(IBig::ZERO, |a, b| a + b)
    };
    (rows > 0).then(|| (0..rows).map(total).collect())
}

fn bound(terms: &mut Terms, sum: &Sum, values: &[IBig], constants: &BTreeSet<IBig>, out: &mut Collector<'_>) {
    let (Some(least), Some(most)) = (values.iter().min(), values.iter().max()) else { return };
    let mut above: Vec<IBig> = constants.range(most.clone()..).take(MANY_BOUNDS).cloned().collect();
    let mut below: Vec<IBig> = constants.range(..=least.clone()).rev().take(MANY_BOUNDS).cloned().collect();
    // Extremes of samples far from all numbers of the text are chance.
    let plausible = |value: &&IBig| **value < IBig::from(FAR) && **value > IBig::from(-FAR);
    above.extend([most].into_iter().filter(plausible).cloned());
    below.extend([least].into_iter().filter(plausible).cloned());
    if sum.len() == 1 {
        above.extend(constants.last().filter(|c| *c > most).cloned());
        below.extend(constants.first().filter(|c| *c < least).cloned());
    }
    for constant in above {
        let formula = compare(terms, Op::Le, sum, &constant);
        out.sure(formula);
    }
    for constant in below {
        let formula = compare(terms, Op::Ge, sum, &constant);
        out.sure(formula);
    }
}
