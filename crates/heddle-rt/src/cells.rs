//! A table of 32-bit numbers that all threads read and change in place, zero at the start.

use crate::sync::AtomicU32;

#[cfg(not(feature = "shuttle"))]
pub(crate) use mapped::Cells;
#[cfg(feature = "shuttle")]
pub(crate) use simulated::Cells;

#[cfg(not(feature = "shuttle"))]
mod mapped {
    use super::AtomicU32;
    use crate::store::Reserved;

    /// See the module's documentation.
    #[derive(Debug)]
    pub(crate) struct Cells(Reserved<AtomicU32>);

    impl Cells {
        pub(crate) fn new(capacity: usize) -> Option<Self> {
            Reserved::new(capacity).map(Self)
        }

        /// The memory of the cells.
        pub(crate) fn reserved(&self) -> &Reserved<AtomicU32> {
            &self.0
        }

        /// The cell at `index`; none past the capacity.
        #[inline(always)]
        pub(crate) fn get(&self, index: u64) -> Option<&AtomicU32> {
            if index as usize >= self.0.capacity() {
                return None;
            }
            // SAFETY: the index is below the capacity; the mapping is zeroed, aligned, and accessed
            // as atomics only.
            Some(unsafe { &*self.0.base().add(index as usize) })
        }
    }
}

/// Simulated cells are not plain memory, so there is a small table of them.
#[cfg(feature = "shuttle")]
mod simulated {
    use super::AtomicU32;

    #[derive(Debug)]
    pub(crate) struct Cells(Vec<AtomicU32>);

    impl Cells {
        pub(crate) fn new(capacity: usize) -> Option<Self> {
            Some(Self(
                (0..capacity.min(64)).map(|_| AtomicU32::new(0)).collect(),
            ))
        }

        pub(crate) fn get(&self, index: u64) -> Option<&AtomicU32> {
            self.0.get(usize::try_from(index).ok()?)
        }
    }
}
