//! Floating-point arithmetic against two judges: a reference that knows nothing but the list of all numbers
//! of a small format, and the processor for the formats it has.

#[path = "ieee/extremes.rs"]
mod extremes;
#[path = "ieee/hardware.rs"]
mod hardware;
#[path = "ieee/reference.rs"]
mod reference;
#[path = "ieee/small.rs"]
mod small;

/// A splitmix64 generator: the failing case of a fixed seed is the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// The bits of a float with `eb` exponent and `sb - 1` stored bits, with a taste for the unusual: extreme
    /// exponents, significands with long runs, and exponents near that of `near`, where sums cancel.
    fn float(&mut self, eb: u32, sb: u32, near: u64) -> u64 {
        let (exponents, fractions) = ((1 << eb) - 1, (1 << (sb - 1)) - 1);
        let exponent = match self.below(10) {
            0 => 0,
            1 => exponents,
            2 => self.below(3),
            3 => exponents - self.below(4),
            4 => (exponents / 2).wrapping_add(self.below(2 * u64::from(sb))).wrapping_sub(u64::from(sb)),
            5 | 6 => (near >> (sb - 1)).wrapping_add(self.below(5)).wrapping_sub(2),
            7 => (near >> (sb - 1))
                .wrapping_add(self.below(2 * u64::from(sb) + 8))
                .wrapping_sub(u64::from(sb) + 4),
            _ => self.next(),
        } & exponents;
        let fraction = match self.below(8) {
            0 => 0,
            1 => fractions,
            2 => 1 << self.below(u64::from(sb)),
            3 => fractions << self.below(u64::from(sb)),
            4 => near ^ self.below(4),
            _ => self.next(),
        } & fractions;
        ((self.below(2) << eb | exponent) << (sb - 1)) | fraction
    }
}
