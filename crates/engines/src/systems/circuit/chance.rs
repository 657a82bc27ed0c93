//! Random words.

/// A sequence of words without a pattern; equal seeds give equal sequences.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Chance {
        // Zero would be followed by zeros.
        Chance((seed ^ 0x9e37_79b9_7f4a_7c15).max(1))
    }

    /// The next word.
    pub(super) fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A word in which one bit of `1 << rarity` is set, on average.
    pub(super) fn rare(&mut self, rarity: u32) -> u64 {
        (0..rarity).fold(u64::MAX, |word, _| word & self.word())
    }

    /// A number below another one, which is not zero.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }
}
