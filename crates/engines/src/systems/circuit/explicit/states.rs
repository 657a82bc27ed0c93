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
    fn new(bits: usize) -> States {
        let width = bits.div_ceil(64).max(1);
        States { bits, width, words: Vec::new(), origins: Vec::new(), table: vec![FREE; 1 << 10] }
    }

    /// All states with these bits, of which not more than so many may be open.
    pub(super) fn of(bits: &[Option<bool>], most: usize) -> Option<States> {
        let open: Vec<usize> = (0..bits.len()).filter(|&bit| bits[bit].is_none()).collect();
        if open.len() > most {
            return None;
        }
        let mut states = States::new(bits.len());
        let first = Origin { state: FREE, rule: 0 };
        for values in 0..1_usize << open.len() {
            let mut state = vec![0; states.width];
            let mut set = |bit: usize, value: bool| state[bit / 64] |= u64::from(value) << (bit % 64);
            (0..bits.len()).for_each(|bit| set(bit, bits[bit] == Some(true)));
            open.iter().enumerate().for_each(|(at, &bit)| set(bit, values >> at & 1 == 1));
            states.insert_all(&state, &[first]);
        }
        Some(states)
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

    /// None for a state that the search began with.
    pub(super) fn origin(&self, number: usize) -> Option<Origin> {
        Some(self.origins[number]).filter(|origin| origin.state != FREE)
    }

    /// Keeps states, word after word, with their origins, unless they are there already.
    pub(super) fn insert_all(&mut self, states: &[u64], origins: &[Origin]) {
        while (self.len() + origins.len()) * 2 > self.table.len() {
            self.grow();
        }
        // In a large table every look takes long, but looks that do not wait for each other take long together only once.
        let mask = self.table.len() - 1;
        let places: Vec<usize> = states.chunks(self.width).map(|state| hash(state) & mask).collect();
        let met: Vec<u32> = places.iter().map(|&place| self.table[place]).collect();
        let words = met.iter().filter(|&&number| number != FREE);
        std::hint::black_box(words.fold(0, |all, &number| all ^ self.words[number as usize * self.width]));
        for ((state, &origin), place) in states.chunks(self.width).zip(origins).zip(places) {
            self.insert(state, origin, place);
        }
    }

    /// Keeps a state unless it is at this place of the table already, or behind it.
    fn insert(&mut self, state: &[u64], origin: Origin, mut place: usize) {
        let mask = self.table.len() - 1;
        while self.table[place] != FREE {
            if self.state(self.table[place] as usize) == state {
                return;
            }
            place = (place + 1) & mask;
        }
        self.table[place] = self.len() as u32;
        self.words.extend_from_slice(state);
        self.origins.push(origin);
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
        for rule in 0..2 {
            for number in 0..1500_u64 {
                let both = [2 * number, 2 * number + 1];
                let words = both.map(|number| [number * number % 1000, number / 1000]);
                let origins = both.map(|number| Origin { state: number as u32, rule });
                states.insert_all(words.as_flattened(), &origins);
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
