//! Remainders that are the same in all samples.

use super::{Collector, Columns, Context, variables};
use dashu_int::IBig;
use dashu_int::ops::{DivRemEuclid, Gcd};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};

/// Moduli that are always tried.
const USUAL: [u32; 5] = [2, 3, 4, 5, 8];
/// Values that differ, at least: fewer are no evidence.
const FEW_VALUES: usize = 3;
/// Moduli are smaller.
const LARGE: u32 = 1 << 24;
/// Variables that are paired, at most.
const MANY: usize = 8;

/// The greatest number that divides the differences of values, if it is no chance.
fn common(values: &[IBig]) -> Option<IBig> {
    let differences = values.iter().map(|value| value - &values[0]).filter(|value| *value != IBig::ZERO);
    let common = differences.reduce(|common, difference| common.gcd(difference).into())?;
    (common > IBig::ONE && common < IBig::from(LARGE)).then_some(common)
}

/// Remainders of variables, sums and differences.
pub(crate) fn remainders(terms: &mut Terms, context: &Context<'_>, out: &mut Collector<'_>) {
    let features = variables(terms, out.site, SortId::INT);
    let mut sums: Vec<TermId> = features.clone();
    for (i, &a) in features.iter().take(MANY).enumerate() {
        for &b in features.iter().take(MANY).skip(i + 1) {
            for op in [Op::Add, Op::Sub] {
                sums.extend(terms.app(op, &[a, b]));
            }
        }
    }
    let mut moduli: Vec<IBig> = USUAL.map(IBig::from).to_vec();
    moduli.extend(context.text.steps.iter().filter(|s| **s > IBig::ONE && **s < IBig::from(1000)).cloned());
    moduli.sort();
    moduli.dedup();
    for sum in sums {
        let table = Columns::new(terms, vec![sum], out.states);
        let mut values = table.values[0].clone();
        values.sort();
        values.dedup();
        if values.len() < FEW_VALUES {
            continue;
        }
        let common = common(&values).filter(|common| !moduli.contains(common));
        for modulus in moduli.iter().chain(&common) {
            let rest = |value: &IBig| value.clone().div_rem_euclid(modulus.clone()).1;
            let first = rest(&values[0]);
            if values.iter().all(|value| rest(value) == first) {
                let (modulus, first) = (terms.int(modulus.clone()), terms.int(first));
                let remainder = terms.app(Op::Mod, &[sum, modulus]).unwrap_or(TermId::ERROR);
                out.sure(terms.app(Op::Eq, &[remainder, first]).unwrap_or(TermId::TRUE));
            }
        }
    }
}
