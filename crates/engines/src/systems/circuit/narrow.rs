//! Small values: which bits of words that come from outside are left at zero when only some executions are looked at.

use super::super::session::Stopped;
use super::Circuit;
use rustc_hash::FxHashMap;
use smt::term::Terms;
use ts::aig::{Aig, Lit, Node};

/// The bits that are zero, by the positions of inputs, and of latches in the first step.
pub(super) struct Narrow {
    pub inputs: Vec<bool>,
    pub latches: Vec<bool>,
}

/// A word has more bits than this; what has fewer is rather a code, whose values all matter.
const WORD: usize = 7;

impl Narrow {
    /// All values are allowed.
    pub(super) fn none(aig: &Aig) -> Narrow {
        Narrow { inputs: vec![false; aig.inputs().len()], latches: vec![false; aig.latches().len()] }
    }

    /// Words are 0 or 1.
    pub(super) fn of(terms: &Terms, circuit: &Circuit) -> Result<Narrow, Stopped> {
        let mut narrow = Narrow::none(&circuit.blasted.aig);
        for word in words(terms, circuit).iter().filter(|word| word.len() > WORD) {
            for &bit in &word[1..] {
                narrow.fix(circuit, bit);
            }
        }
        match narrow.inputs.contains(&true) {
            true => Ok(narrow),
            false => Err(Stopped("no input is a word".into())),
        }
    }

    fn fix(&mut self, circuit: &Circuit, bit: Lit) {
        match circuit.blasted.aig.nodes()[bit.node() as usize] {
            Node::Input(position) => self.inputs[position as usize] = true,
            Node::Latch(position) => self.latches[position as usize] = true,
            Node::False | Node::And(..) => {}
        }
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
