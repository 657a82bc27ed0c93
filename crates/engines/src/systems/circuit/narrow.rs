//! Few values: words that come from outside are 0, 1 or what the system compares words with, when only some executions are
//! looked at.

use super::super::session::Stopped;
use super::Circuit;
use super::words::{Quoted, WORD, quoted, words};
use smt::term::Terms;
use ts::aig::{Aig, Lit, Node};

/// What may come from outside, by the positions of inputs, and of latches in the first step.
pub(super) struct Narrow {
    /// The bits of words.
    pub inputs: Vec<bool>,
    /// The words, of inputs only.
    pub words: Vec<Quoted>,
    /// The latches that are zero.
    pub latches: Vec<bool>,
}

impl Narrow {
    /// All values are allowed.
    pub(super) fn none(aig: &Aig) -> Narrow {
        let (inputs, latches) = (vec![false; aig.inputs().len()], vec![false; aig.latches().len()]);
        Narrow { inputs, words: Vec::new(), latches }
    }

    /// Words have few values.
    pub(super) fn of(terms: &Terms, circuit: &Circuit) -> Result<Narrow, Stopped> {
        let mut narrow = Narrow::none(&circuit.blasted.aig);
        for word in words(terms, circuit).iter().filter(|word| word.len() > WORD) {
            for &bit in &word[1..] {
                if let Node::Latch(position) = circuit.blasted.aig.nodes()[bit.node() as usize] {
                    narrow.latches[position as usize] = true;
                }
            }
        }
        narrow.words = quoted(terms, circuit);
        narrow.words.iter().flat_map(|word| &word.bits).for_each(|&bit| narrow.inputs[bit] = true);
        match narrow.words.is_empty() {
            true => Err(Stopped("no input is a word".into())),
            false => Ok(narrow),
        }
    }

    /// New inputs where words have all values, and words of few values made of some others.
    pub(super) fn inputs(&self, circuit: &mut Aig) -> Vec<Lit> {
        let free = |&is_narrow: &bool| if is_narrow { Lit::FALSE } else { circuit.input() };
        let mut inputs: Vec<Lit> = self.inputs.iter().map(free).collect();
        for word in &self.words {
            inputs[word.bits[0]] = circuit.input();
            for value in &word.values {
                let chosen = circuit.input();
                for (&bit, _) in word.bits.iter().zip(value).filter(|(_, is_set)| **is_set) {
                    inputs[bit] = circuit.or(inputs[bit], chosen);
                }
            }
        }
        inputs
    }
}
