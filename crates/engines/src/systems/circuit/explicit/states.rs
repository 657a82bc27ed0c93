//! Many states, each of them once.

/// There are so many words in all states at most.
const WORDS: usize = 1 << 27;
/// A place of the table that is free.
const FREE: u32 = u32::MAX;

/// Where a state was reached from, and by which rule.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub state: u32,
    pub rule: u32,
}

/// States by their numbers, in the order in which they were reached.
pub(super) struct States {
    bits: usize,
    width: usize,
    words: Vec<u64>,
    origins: Vec<Origin>,
    /// The numbers of states at the places that their hashes say, or behind.
    table: Vec<u32>,
}

impl States {
    /// No states, of so many bits.
    pub(super) fn new(bits: usize) -> States {
        let width = bits.div_ceil(64).max(1);
        States { bits, width, words: Vec::new(), origins: Vec::new(), table: vec![FREE; 1 << 10] }
    }

    pub(super) fn len(&self) -> usize {
        self.origins.len()
    }

    /// The number of bits of a state.
    pub(super) fn bits(&self) -> usize {
        self.bits
    }

    /// The number of words of a state.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn is_full(&self) -> bool {
        self.words.len() + self.len() >= WORDS || self.len() >= FREE as usize / 2
    }

    pub(super) fn state(&self, number: usize) -> &[u64] {
        &self.words[number * self.width..][..self.width]
    }

    pub(super) fn bit(&self, number: usize, bit: usize) -> bool {
        self.words[number * self.width + bit / 64] >> (bit % 64) & 1 == 1
    }

    /// None for an initial state.
    pub(super) fn origin(&self, number: usize) -> Option<Origin> {
        Some(self.origins[number]).filter(|origin| origin.state != FREE)
    }

    /// Keeps a state unless it is there already.
    pub(super) fn insert(&mut self, state: &[u64], origin: Option<Origin>) {
        let mask = self.table.len() - 1;
        let mut place = hash(state) & mask;
        while self.table[place] != FREE {
            if self.state(self.table[place] as usize) == state {
                return;
            }
            place = (place + 1) & mask;
        }
        self.table[place] = self.len() as u32;
        self.words.extend_from_slice(state);
        self.words.resize((self.len() + 1) * self.width, 0);
        self.origins.push(origin.unwrap_or(Origin { state: FREE, rule: 0 }));
        if self.len() * 2 > self.table.len() {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 2 - 1;
        let mut table = vec![FREE; mask + 1];
        for number in 0..self.len() {
            let mut place = hash(self.state(number)) & mask;
            while table[place] != FREE {
                place = (place + 1) & mask;
            }
            table[place] = number as u32;
        }
        self.table = table;
    }
}

/// Neighbours must not follow each other in the table, so the bits are mixed well.
fn hash(state: &[u64]) -> usize {
    let mix = |hash: u64, &word: &u64| {
        let product = u128::from(hash ^ word) * u128::from(0x9e37_79b9_7f4a_7c15_u64);
        (product as u64) ^ (product >> 64) as u64
    };
    state.iter().fold(0x2545_f491_4f6c_dd1d, mix) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_is_kept_once() {
        let mut states = States::new(70);
        for round in 0..2 {
            for number in 0..3000_u64 {
                let origin = Origin { state: number as u32, rule: round };
                states.insert(&[number * number % 1000, number / 1000], Some(origin));
            }
        }
        let mut squares: Vec<(u64, u64)> = (0..3000).map(|n: u64| (n * n % 1000, n / 1000)).collect();
        squares.sort_unstable();
        squares.dedup();
        assert_eq!(states.len(), squares.len());
        assert!((0..states.len()).all(|number| states.origin(number).is_some_and(|origin| origin.rule == 0)));
        assert!(squares.contains(&(states.state(17)[0], states.state(17)[1])));
        assert_eq!(states.bit(1, 0), states.state(1)[0] & 1 == 1);
    }
}
