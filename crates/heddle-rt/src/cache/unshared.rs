//! Granules that the thread alone can know of, and the task it executes: while they have no history, they need none.

use super::ThreadCache;
use std::ops::Range;

impl ThreadCache {
    /// These granules are known to nobody but the thread and the task it executes, until it says otherwise. Of which
    /// kind they are, of two, is the caller's business.
    #[inline]
    pub fn set_unshared(&mut self, kind: usize, granules: Range<u64>) {
        let len = granules.end.saturating_sub(granules.start);
        self.known_mut().unshared[kind] = [granules.start, len];
    }

    /// How many granules from this one on are known to nobody else.
    #[cfg(not(feature = "shuttle"))]
    #[inline(always)]
    pub(super) fn unshared_from(&self, granule: u64) -> u64 {
        let left = |[first, len]: [u64; 2]| len.saturating_sub(granule.wrapping_sub(first));
        self.known()
            .unshared
            .map(left)
            .into_iter()
            .fold(0, u64::max)
    }
}
