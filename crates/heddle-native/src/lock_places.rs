//! Where the program's locks are: a block of memory that is freed takes its locks with it.

use heddle_core::LockId;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes that have one bit in common.
const LINE: usize = 64;
const WORDS: usize = 256;
/// Blocks of more lines are looked up in any case.
const MOST_LINES: usize = 64;

/// The places of locks, by address.
#[derive(Debug)]
pub struct Places {
    /// Lines that have, or had, a lock, by a hash of theirs.
    lines: [AtomicU64; WORDS],
    locks: Mutex<BTreeMap<usize, Vec<LockId>>>,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            lines: [const { AtomicU64::new(0) }; WORDS],
            locks: Mutex::default(),
        }
    }
}

impl Places {
    /// There is a lock at `address`.
    pub fn add(&self, address: usize, lock: LockId) {
        let (word, bit) = place(address / LINE);
        self.lines[word].fetch_or(bit, Ordering::Relaxed);
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        locks.entry(address).or_default().push(lock);
    }

    /// Whether there may be a lock among these bytes. Takes no lock itself.
    #[inline]
    pub fn may_be_in(&self, start: usize, size: usize) -> bool {
        let (first, last) = (start / LINE, (start + size) / LINE);
        let has_bit = |line| {
            let (word, bit) = place(line);
            self.lines[word].load(Ordering::Relaxed) & bit != 0
        };
        last - first > MOST_LINES || (first..=last).any(has_bit)
    }

    /// The locks among these bytes.
    pub fn within(&self, start: usize, size: usize) -> Vec<LockId> {
        let locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        let within = locks.range(start..start + size);
        within.flat_map(|(_, locks)| locks).copied().collect()
    }
}

/// The word and the bit of a line.
fn place(line: usize) -> (usize, u64) {
    let mixed = line.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    (mixed / 64 % WORDS, 1 << (mixed % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_found_by_the_block_they_are_in() {
        let places = Places::default();
        places.add(0x1008, LockId::new(1));
        places.add(0x1030, LockId::new(2));
        places.add(0x2000, LockId::new(3));
        assert!(places.may_be_in(0x1000, 56) && places.may_be_in(0x0, 0x10_0000));
        assert_eq!(places.within(0x1000, 56), [LockId::new(1), LockId::new(2)]);
        assert_eq!(places.within(0x1009, 8), []);
        assert!(!places.may_be_in(0x1100, 64));
    }
}
