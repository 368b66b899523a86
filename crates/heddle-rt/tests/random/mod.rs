//! Numbers for made-up programs, the same in every run.

/// A generator of numbers (Marsaglia, *Xorshift RNGs*, 2003). Its seed must not be 0.
pub struct Random(pub u64);

impl Random {
    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}
