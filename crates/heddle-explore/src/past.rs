//! Sets of strands: what precedes something.
//!
//! Strands are numbered as they begin, so a set is a short row of bits. Programs that can be
//! explored have few; a set of up to 128 strands needs no memory of its own.

use smallvec::SmallVec;

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Past(SmallVec<[u64; 2]>);

impl Past {
    /// Adds a number.
    #[inline]
    pub fn insert(&mut self, number: u32) {
        let word = (number / 64) as usize;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    /// Whether the number is in it.
    #[inline]
    pub fn has(&self, number: u32) -> bool {
        let word = self.0.get((number / 64) as usize).copied().unwrap_or(0);
        word >> (number % 64) & 1 != 0
    }

    /// Adds all of another set.
    #[inline]
    pub fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_added_and_nothing_else() {
        let mut set = Past::default();
        set.insert(3);
        set.insert(200);
        let mut other = Past::default();
        other.insert(64);
        other.join(&set);
        for number in 0..300 {
            assert_eq!(set.has(number), [3, 200].contains(&number));
            assert_eq!(other.has(number), [3, 64, 200].contains(&number));
        }
    }
}
