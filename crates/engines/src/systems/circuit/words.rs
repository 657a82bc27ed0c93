//! The words of circuits, and the values of words that a system speaks of.

use super::Circuit;
use dashu_int::ops::BitTest;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::subst::postorder_of;
use smt::term::{Const, TermId, Terms};
use ts::aig::{Lit, Node};

/// A word that comes from outside, and what it is compared with.
pub(super) struct Quoted {
    /// The positions of its bits among the inputs, the lowest first.
    pub bits: Vec<usize>,
    /// For each value beside 0 and 1 which bits are set.
    pub values: Vec<Vec<bool>>,
}

/// A word has more bits than this; what has fewer is rather a code, whose values all matter.
pub(super) const WORD: usize = 7;
/// So many values of one length are remembered.
const VALUES: usize = 8;

/// The words of inputs, each with the values that words of that length are compared with.
pub(super) fn quoted(terms: &Terms, circuit: &Circuit) -> Vec<Quoted> {
    let compared = compared(terms, circuit);
    let position = |bit: &Lit| match circuit.blasted.aig.nodes()[bit.node() as usize] {
        Node::Input(position) => Some(position as usize),
        Node::Latch(_) | Node::False | Node::And(..) => None,
    };
    let inputs = |word: Vec<Lit>| word.iter().map(position).collect::<Option<Vec<usize>>>();
    let words = words(terms, circuit).into_iter().filter(|word| word.len() > WORD).filter_map(inputs);
    let quote =
        |bits: Vec<usize>| Quoted { values: compared.get(&bits.len()).cloned().unwrap_or_default(), bits };
    words.map(quote).collect()
}

/// What words are compared with, beside 0 and 1, by the number of bits.
fn compared(terms: &Terms, circuit: &Circuit) -> FxHashMap<usize, Vec<Vec<bool>>> {
    let mut found: FxHashMap<usize, Vec<Vec<bool>>> = FxHashMap::default();
    let mut seen = FxHashSet::default();
    let comparisons = [Op::Eq, Op::Distinct, Op::BvUlt, Op::BvUle, Op::BvUgt, Op::BvUge];
    let all = postorder_of(terms, circuit.functional.formulas());
    let sides = all
        .into_iter()
        .filter(|&term| comparisons.contains(&terms.op(term)))
        .flat_map(|term| terms.args(term));
    for &side in sides {
        let Some(bits) = constant(terms, side).filter(|bits| bits[1..].contains(&true)) else { continue };
        let values = found.entry(bits.len()).or_default();
        if seen.insert(side) && values.len() < VALUES {
            values.push(bits);
        }
    }
    found
}

/// The bits of a constant word, the lowest first.
fn constant(terms: &Terms, term: TermId) -> Option<Vec<bool>> {
    match terms.literal(term)? {
        Const::Bits(width, value) => Some((0..*width as usize).map(|at| value.bit(at)).collect()),
        _ => None,
    }
}

/// The bits of each word, the lowest first: of a variable, or of truth values with names like `data[3]`.
pub(super) fn words(terms: &Terms, circuit: &Circuit) -> Vec<Vec<Lit>> {
    let mut found = Vec::new();
    let mut named: FxHashMap<&str, Vec<(u32, Lit)>> = FxHashMap::default();
    for variable in &circuit.blasted.variables {
        match variable.bits[..] {
            [bit] => {
                if let Some((name, index)) = indexed(terms.fun_name(variable.fun)) {
                    named.entry(name).or_default().push((index, bit));
                }
            }
            _ if terms.sorts.width(variable.sort).is_some() => found.push(variable.bits.clone()),
            // Not the memory of an array: its places are words, which have other values soon enough.
            _ => {}
        }
    }
    let mut named: Vec<_> = named.into_iter().collect();
    named.sort_unstable();
    for (_, mut bits) in named {
        bits.sort_unstable_by_key(|&(index, _)| index);
        found.push(bits.into_iter().map(|(_, bit)| bit).collect());
    }
    found
}

/// The name and the index of `name[index]`.
fn indexed(name: &str) -> Option<(&str, u32)> {
    let (name, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((name, index.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_of_a_bit_is_the_last_number_in_brackets() {
        assert_eq!(indexed("data[3]"), Some(("data", 3)));
        assert_eq!(indexed("regs[7].q[12]"), Some(("regs[7].q", 12)));
        assert_eq!(indexed("regs[7].q"), None);
        assert_eq!(indexed("q[]"), None);
    }
}
