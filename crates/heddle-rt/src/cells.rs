//! A table of 32-bit numbers that all threads read and change in place, zero at the start.

use crate::store::Reserved;
use std::sync::atomic::AtomicU32;

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Cells(Reserved<AtomicU32>);

impl Cells {
    pub(crate) fn new(capacity: usize) -> Option<Self> {
        Reserved::new(capacity).map(Self)
    }

    /// The cell at `index`; none past the capacity.
    #[inline(always)]
    pub(crate) fn get(&self, index: u64) -> Option<&AtomicU32> {
        if index as usize >= self.0.capacity() {
            return None;
        }
        // SAFETY: the index is below the capacity; the mapping is zeroed, aligned, and accessed as
        // atomics only.
        Some(unsafe { &*self.0.base().add(index as usize) })
    }
}
