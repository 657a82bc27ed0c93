//! States from which further executions begin, and what is seldom among them.
//!
//! A counter that has a value for the first time is a way that was gone so far; whoever begins there goes further more often than
//! who begins at the start. So a state is a camp when a word in it has a new value, and expeditions begin where a value is seldom. Data
//! has new values all the time, but none that is seldom compared with others.

use super::super::chance::Chance;
use super::super::lanes::transpose;
use ts::aig::{Aig, Lit, Node};

/// There are at most so many camps, and the ways to them have at most so many inputs in all.
const CAMPS: usize = 1 << 14;
const INPUTS: usize = 1 << 28;
/// No execution is longer, so that it can be looked at by others.
const LONGEST: usize = 20_000;
/// The most seldom of so many values is chosen.
const CHOICE: usize = 6;
/// All values of words with so many bits are told apart; of larger ones it is the number of their bits up to the highest that is on.
const SMALL: usize = 8;

/// Where an execution begins.
#[derive(Clone)]
pub(super) enum Origin {
    /// In an initial state: the values of latches by their positions.
    Start(Vec<bool>),
    /// In a camp.
    Camp(usize),
}

impl Origin {
    fn camp(&self) -> Option<usize> {
        match self {
            Origin::Start(_) => None,
            Origin::Camp(camp) => Some(*camp),
        }
    }
}

/// Where some bits of a state are: no word crosses a border of 64 bits.
struct Word {
    at: usize,
    shift: usize,
    width: usize,
    /// What is known about each value.
    values: Vec<Value>,
    /// Those that were met.
    met: Vec<usize>,
    /// How often any was met.
    total: u32,
}

/// How often a value was met, and a camp with it.
#[derive(Clone, Copy, Default)]
struct Value {
    count: u32,
    camp: Option<usize>,
}

impl Word {
    /// The value in a state, given the 64 bits of it with the word.
    fn value(&self, bits: u64) -> usize {
        let bits = bits >> self.shift & (u64::MAX >> (64 - self.width));
        match self.width {
            ..=SMALL => bits as usize,
            _ => 64 - bits.leading_zeros() as usize,
        }
    }
}

/// One of the values of a word, by their numbers.
pub(super) struct Place {
    word: usize,
    value: usize,
}

/// A state, as its bits in words of 64, and the way to it.
struct Camp {
    state: Vec<u64>,
    /// Where the way begins, and the inputs on it.
    from: Origin,
    way: Vec<Vec<bool>>,
    /// The steps from the start.
    length: usize,
}

/// The camps of a circuit.
pub(super) struct Camps {
    /// The position of the latch of each bit of a state.
    bits: Vec<Option<u32>>,
    words: Vec<Word>,
    camps: Vec<Camp>,
    /// The number of inputs on the ways to all camps.
    inputs: usize,
}

impl Camps {
    /// No camps. Words are those given, as far as their bits are latches that matter; others are words of one bit.
    pub(super) fn new(aig: &Aig, latches: &[usize], words: &[Vec<Lit>]) -> Camps {
        let mut is_open = vec![false; aig.latches().len()];
        latches.iter().for_each(|&at| is_open[at] = true);
        let mut camps = Camps { bits: Vec::new(), words: Vec::new(), camps: Vec::new(), inputs: 0 };
        for word in words {
            let mut positions = Vec::with_capacity(word.len());
            for lit in word {
                if let Node::Latch(at) = aig.nodes()[lit.node() as usize]
                    && std::mem::take(&mut is_open[at as usize])
                {
                    positions.push(at);
                }
            }
            positions.chunks(64).for_each(|chunk| camps.add_word(chunk));
        }
        let rest: Vec<u32> = latches.iter().filter(|&&at| is_open[at]).map(|&at| at as u32).collect();
        rest.chunks(1).for_each(|chunk| camps.add_word(chunk));
        camps.bits.resize(camps.bits.len().next_multiple_of(64), None);
        camps
    }

    /// The number of words.
    pub(super) fn words(&self) -> usize {
        self.words.len()
    }

    fn add_word(&mut self, positions: &[u32]) {
        let used = self.bits.len() % 64;
        if used + positions.len() > 64 {
            self.bits.resize(self.bits.len() + 64 - used, None);
        }
        let (at, shift, width) = (self.bits.len() / 64, self.bits.len() % 64, positions.len());
        let values = vec![Value::default(); if width <= SMALL { 1 << width } else { width + 1 }];
        self.words.push(Word { at, shift, width, values, met: Vec::new(), total: 0 });
        self.bits.extend(positions.iter().map(|&at| Some(at)));
    }

    /// The states of 64 executions, given the words of latches by their positions.
    pub(super) fn states(&self, latch: impl Fn(u32) -> u64) -> Vec<[u64; 64]> {
        let rows = self.bits.chunks(64).map(|chunk| {
            let mut block = [0; 64];
            for (row, bit) in block.iter_mut().zip(chunk) {
                *row = bit.map_or(0, &latch);
            }
            transpose(&mut block);
            block
        });
        rows.collect()
    }

    /// Counts the values of a state, and says for which of them it is to be a camp: for new ones, and seldom again, because there
    /// may be better ways to the same value.
    pub(super) fn count(&mut self, blocks: &[[u64; 64]], lane: usize) -> Vec<Place> {
        let mut places = Vec::new();
        for (number, word) in self.words.iter_mut().enumerate() {
            let value = word.value(blocks[word.at][lane]);
            let count = &mut word.values[value].count;
            *count = count.saturating_add(1);
            word.total = word.total.saturating_add(1);
            if count.is_power_of_two() {
                places.push(Place { word: number, value });
            }
        }
        places
    }

    /// Makes a camp of a state, which the inputs lead to from where they begin.
    pub(super) fn pitch(&mut self, places: &[Place], state: Vec<u64>, from: &Origin, way: Vec<Vec<bool>>) {
        let length = way.len() + from.camp().map_or(0, |camp| self.camps[camp].length);
        let inputs = way.iter().map(Vec::len).sum::<usize>();
        if self.camps.len() == CAMPS || self.inputs + inputs > INPUTS || length > LONGEST {
            return;
        }
        self.inputs += inputs;
        for place in places {
            let word = &mut self.words[place.word];
            if word.values[place.value].camp.replace(self.camps.len()).is_none() {
                word.met.push(place.value);
            }
        }
        self.camps.push(Camp { state, from: from.clone(), way, length });
    }

    /// A camp with a value that is seldom, compared with others of its word.
    pub(super) fn choose(&self, chance: &mut Chance) -> Option<usize> {
        if self.words.is_empty() {
            return None;
        }
        let draw = |_| {
            let word = &self.words[chance.below(self.words.len())];
            let value = word.values[*word.met.get(chance.below(word.met.len().max(1)))?];
            let share = f64::from(value.count) * word.met.len() as f64 / f64::from(word.total);
            Some((share, value.camp?))
        };
        let drawn = (0..CHOICE).filter_map(draw);
        drawn.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, camp)| camp)
    }

    /// The value of each latch in the state of a camp.
    pub(super) fn latches(&self, camp: usize) -> impl Iterator<Item = (u32, bool)> {
        let state = &self.camps[camp].state;
        let bits = self.bits.iter().enumerate();
        bits.filter_map(|(at, latch)| Some(((*latch)?, state[at / 64] >> (at % 64) & 1 == 1)))
    }

    /// The first state of the execution that leads to where an execution began, and its inputs.
    pub(super) fn way(&self, origin: &Origin) -> (Vec<bool>, Vec<Vec<bool>>) {
        let mut ways = Vec::new();
        let mut origin = origin;
        loop {
            match origin {
                Origin::Start(first) => {
                    let inputs = ways.into_iter().rev().flatten().cloned().collect();
                    return (first.clone(), inputs);
                }
                Origin::Camp(camp) => {
                    ways.push(&self.camps[*camp].way);
                    origin = &self.camps[*camp].from;
                }
            }
        }
    }
}
