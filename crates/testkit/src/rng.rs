//! A small random number generator whose sequence is a promise.
//!
//! Generators and fuzzers print a seed when they fail, and that seed must give the same input next year on
//! another machine. A crate from outside may change its algorithm with a version; these forty lines do not.
//! The generator is xoshiro256**, its state filled by splitmix64, both by Blackman and Vigna.

/// A deterministic random number generator: equal seeds give equal sequences.
#[derive(Debug, Clone)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// The generator of the given seed. Every seed is good, also zero.
    pub fn new(seed: u64) -> Rng {
        let mut seed = seed;
        Rng { state: std::array::from_fn(|_| splitmix64(&mut seed)) }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number in `0..n`.
    ///
    /// # Panics
    ///
    /// If `n` is zero: there is no such number, and a generator that asks for one is wrong.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "below(0): an empty range has no element");
        // The high half of a 128-bit product is uniform up to n / 2^64, far below what a test can notice.
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// A number in `low..=high`.
    ///
    /// # Panics
    ///
    /// If `low` is greater than `high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        assert!(low <= high, "between({low}, {high}): an empty range has no element");
        match (high - low).checked_add(1) {
            Some(width) => low + self.below(width),
            None => self.next_u64() as usize,
        }
    }

    /// One element of the slice.
    ///
    /// # Panics
    ///
    /// If the slice is empty.
    pub fn choose<'a, T>(&mut self, slice: &'a [T]) -> &'a T {
        &slice[self.below(slice.len())]
    }

    /// True half of the time.
    pub fn bool(&mut self) -> bool {
        self.next_u64() >> 63 == 1
    }

    /// True once in `n` times on average.
    ///
    /// # Panics
    ///
    /// If `n` is zero.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A vector of `len` random bytes.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len);
        while bytes.len() < len {
            let word = self.next_u64().to_le_bytes();
            bytes.extend_from_slice(&word[..word.len().min(len - bytes.len())]);
        }
        bytes
    }
}

/// One step of splitmix64, used to spread a seed over the whole state.
fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published test vectors: a change of the sequence would make printed seeds worthless.
    #[test]
    fn sequences_are_the_published_ones() {
        let mut seed = 1_234_567;
        assert_eq!(splitmix64(&mut seed), 6_457_827_717_110_365_317);
        assert_eq!(splitmix64(&mut seed), 3_203_168_211_198_807_973);

        let mut rng = Rng { state: [1, 2, 3, 4] };
        let numbers: Vec<u64> = (0..4).map(|_| rng.next_u64()).collect();
        assert_eq!(numbers, [11520, 0, 1_509_978_240, 1_215_971_899_390_074_240]);
    }

    #[test]
    fn helpers_stay_in_range_and_reach_every_value() {
        let mut rng = Rng::new(0);
        let mut seen = [false; 7];
        for _ in 0..1000 {
            seen[rng.below(7)] = true;
            assert!((3..=5).contains(&rng.between(3, 5)));
            assert!([1, 2, 3].contains(rng.choose(&[1, 2, 3])));
        }
        assert_eq!(seen, [true; 7]);
        assert_eq!(rng.between(9, 9), 9);
        rng.between(0, usize::MAX);
    }

    #[test]
    fn coin_and_odds_are_fair() {
        let mut rng = Rng::new(1);
        let heads = (0..10_000).filter(|_| rng.bool()).count();
        assert!((4_700..5_300).contains(&heads), "{heads} heads of 10000");
        let hits = (0..10_000).filter(|_| rng.one_in(10)).count();
        assert!((850..1_150).contains(&hits), "{hits} hits of 10000");
    }

    #[test]
    fn bytes_have_the_asked_length_and_depend_only_on_the_seed() {
        for len in [0, 1, 7, 8, 9, 100] {
            assert_eq!(Rng::new(5).bytes(len).len(), len);
            assert_eq!(Rng::new(5).bytes(len), Rng::new(5).bytes(len));
        }
        assert_ne!(Rng::new(5).bytes(8), Rng::new(6).bytes(8));
    }
}
