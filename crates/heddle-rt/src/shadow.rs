//! Shadow memory: one 32-bit state per granule, at an address that follows from the granule's number by
//! arithmetic alone.
//!
//! A granule is whatever the front end numbers: eight bytes of a native program, one element of a
//! Rust value. Address space for all states is reserved at the start; memory backs it page by page as
//! granules are touched.

use crate::sync::AtomicU32;

#[cfg(not(feature = "shuttle"))]
pub(crate) use mapped::Shadow;
#[cfg(not(feature = "shuttle"))]
pub use mapped::View;
#[cfg(feature = "shuttle")]
pub(crate) use simulated::Shadow;

#[cfg(not(feature = "shuttle"))]
mod mapped {
    use super::AtomicU32;
    use crate::store::{Reserved, Store};
    use std::sync::atomic::{AtomicU8, Ordering};

    /// From this many states on, clearing gives pages back instead of writing zeros.
    const PAGES_FROM: u64 = 1 << 14;
    const PAGE: usize = 4096;

    /// Granules whose states are first given memory together, four pages: a program that uses a page here and there
    /// has at most five times its memory. Known to `has_memory` in heddle-native's `hooks.s`.
    const BLOCK: u64 = 1 << 12;

    /// Granules whose states are given memory once two of their blocks are used. Fewer, larger requests take a third
    /// less of the system's time.
    const AREA: u64 = 1 << 14;

    /// So many states of a block are set before the others are given memory. A program that touches a word here
    /// and there gets a page for each, not a block.
    const FEW: u8 = 8;

    /// See the module's documentation.
    #[derive(Debug)]
    pub(crate) struct Shadow {
        states: Reserved<AtomicU32>,
        /// Whether the states of a block have memory.
        settled: Reserved<AtomicU8>,
        /// How many were set before it had.
        touched: Reserved<AtomicU8>,
        /// Blocks of which some state was set; one may be named twice.
        blocks: Store<u32>,
    }

    /// How many blocks can be touched, if each is named twice.
    const BLOCKS: u32 = 1 << 28;

    impl Shadow {
        /// Room for granules below `granules`, a multiple of an area's.
        pub(crate) fn new(granules: u64) -> Option<Self> {
            let states = Reserved::new(usize::try_from(granules).ok()?)?;
            states.keep_out_of_core_dumps();
            Some(Self {
                states,
                settled: Reserved::new((granules / BLOCK) as usize)?,
                blocks: Store::new(BLOCKS)?,
                touched: Reserved::new((granules / BLOCK) as usize)?,
            })
        }

        /// The granule's state is about to be set for the first time. A state is looked at before it is
        /// set, so its page would be mapped twice: first to zeros that all share, then to its own, with
        /// an interruption of every other thread. Giving memory to a block at once spares that, once it is
        /// seen to be used.
        #[inline]
        pub(crate) fn settle(&self, granule: u64) {
            let block = (granule / BLOCK) as usize;
            if let Some(settled) = self.settled_at(block)
                && settled.load(Ordering::Relaxed) == 0
                && self.touch_block(block) >= FEW
            {
                settled.store(1, Ordering::Relaxed);
                self.give_memory(granule);
            }
        }

        #[inline]
        fn settled_at(&self, block: usize) -> Option<&AtomicU8> {
            // SAFETY: the index is below the capacity; zero is a valid value.
            (block < self.settled.capacity()).then(|| unsafe { &*self.settled.base().add(block) })
        }

        /// Some state of a block below the capacity is about to be set: how many were before.
        fn touch_block(&self, block: usize) -> u8 {
            // SAFETY: there is a byte for every block; zero is a valid value.
            let touched = unsafe { &*self.touched.base().add(block) };
            let before = touched.fetch_add(1, Ordering::Relaxed);
            if before == 0 {
                self.blocks.push(block as u32);
            }
            before
        }

        #[cold]
        fn give_memory(&self, granule: u64) {
            let first = (granule / AREA * AREA / BLOCK) as usize;
            let blocks = first..first + (AREA / BLOCK) as usize;
            let is_settled = |block: usize| {
                let settled = self.settled_at(block);
                settled.is_some_and(|settled| settled.load(Ordering::Relaxed) != 0)
            };
            if blocks.clone().filter(|&block| is_settled(block)).count() < 2 {
                return self.populate(granule / BLOCK * BLOCK, BLOCK);
            }
            for block in blocks {
                if let Some(settled) = self.settled_at(block)
                    && settled.load(Ordering::Relaxed) == 0
                {
                    self.touch_block(block);
                    settled.store(1, Ordering::Relaxed);
                }
            }
            self.populate(granule / AREA * AREA, AREA);
        }

        fn populate(&self, first: u64, granules: u64) {
            if let Some(first) = self.cell(first) {
                let start = std::ptr::from_ref(first).cast_mut().cast();
                // SAFETY: the states lie inside the reserved space, whose size is a multiple of an area's. That
                // the pages get memory changes nothing in them; if it fails, they get it one by one when
                // they are written.
                unsafe { libc::madvise(start, granules as usize * 4, libc::MADV_POPULATE_WRITE) };
            }
        }

        /// The state of a granule; none if there is no room for it.
        #[inline(always)]
        pub(crate) fn cell(&self, granule: u64) -> Option<&AtomicU32> {
            let index = granule as usize;
            // SAFETY: the index is below the capacity; states are zeroed, aligned, and accessed as
            // atomics only.
            (index < self.states.capacity()).then(|| unsafe { &*self.states.base().add(index) })
        }

        /// The states that may have been set, block by block; some may come twice.
        pub(crate) fn present(&self) -> impl Iterator<Item = &[AtomicU32]> {
            self.blocks.rows().filter_map(|block| {
                let first = self.cell(u64::from(block) * BLOCK)?;
                let room = self.states.capacity() - block as usize * BLOCK as usize;
                // SAFETY: the block lies inside the reserved space; states are accessed as atomics only.
                Some(unsafe { std::slice::from_raw_parts(first, room.min(BLOCK as usize)) })
            })
        }

        /// How many bytes that is.
        pub(crate) fn present_bytes(&self) -> usize {
            self.blocks.len() as usize * BLOCK as usize * size_of::<u32>()
        }

        /// The same memory for the common path.
        pub(crate) fn view(&self) -> View {
            View {
                states: self.states.base(),
                settled: self.settled.base(),
                granules: self.states.capacity() as u64,
            }
        }

        /// Sets the states of `len` granules from `start` back to nothing.
        pub(crate) fn clear(&self, start: u64, len: u64) {
            let room = self.states.capacity() as u64;
            let end = start.saturating_add(len).min(room);
            let start = start.min(end);
            // SAFETY: both ends lie inside the reserved space.
            let states = unsafe {
                let first = self.states.base().add(start as usize).cast_const();
                std::slice::from_raw_parts(first, (end - start) as usize)
            };
            if end - start < PAGES_FROM {
                return states
                    .iter()
                    .for_each(|state| state.store(0, Ordering::Release));
            }
            let (begin, end) = (states.as_ptr() as usize, states.as_ptr_range().end as usize);
            let (first, last) = (begin.next_multiple_of(PAGE), end / PAGE * PAGE);
            let (before, after) = ((first - begin) / 4, (last - begin) / 4);
            let edges = states[..before].iter().chain(&states[after..]);
            edges.for_each(|state| state.store(0, Ordering::Release));
            // SAFETY: the pages lie inside the mapping, which is private and anonymous: they read as zero
            // afterwards, which is what clearing means.
            unsafe { libc::madvise(first as *mut _, last - first, libc::MADV_DONTNEED) };
        }
    }

    /// A shadow memory that outlives whoever looks.
    #[derive(Clone, Copy, Debug)]
    pub struct View {
        states: *const AtomicU32,
        settled: *const AtomicU8,
        granules: u64,
    }

    // SAFETY: looks at atomics only.
    unsafe impl Send for View {}
    // SAFETY: as above.
    unsafe impl Sync for View {}

    impl View {
        /// The state of the first granule, for a common path in assembly; the others follow.
        pub fn states(self) -> *const () {
            self.states.cast()
        }

        /// A byte per block of 2^12 granules, not 0 if its states have memory.
        pub fn settled(self) -> *const () {
            self.settled.cast()
        }

        /// Whether the granule's state has memory.
        ///
        /// # Safety
        /// As for [`cell`](Self::cell), and there is a cell for the granule.
        #[inline(always)]
        pub(crate) unsafe fn is_settled(self, granule: u64) -> bool {
            // SAFETY: there is a byte for every block of granules.
            let settled = unsafe { &*self.settled.add((granule / BLOCK) as usize) };
            settled.load(Ordering::Relaxed) != 0
        }

        /// The cells of granules of one block, from the first on, if they have memory.
        ///
        /// # Safety
        /// As for [`cell`](Self::cell).
        #[inline(always)]
        pub(crate) unsafe fn cells<'a>(
            self,
            granules: std::ops::Range<u64>,
        ) -> Option<&'a [AtomicU32]> {
            let end = granules.end.min((granules.start / BLOCK + 1) * BLOCK);
            let is_there = end <= self.granules && granules.start < end;
            // SAFETY: there is room for them; states are accessed as atomics only.
            (is_there && unsafe { self.is_settled(granules.start) }).then(|| unsafe {
                let first = self.states.add(granules.start as usize);
                std::slice::from_raw_parts(first, (end - granules.start) as usize)
            })
        }

        /// The cell of a granule, if there is room for it.
        ///
        /// # Safety
        /// The engine this view was made from is still there.
        #[inline(always)]
        pub(crate) unsafe fn cell<'a>(self, granule: u64) -> Option<&'a AtomicU32> {
            // SAFETY: the index is below the capacity; the states live as long as the engine.
            (granule < self.granules).then(|| unsafe { &*self.states.add(granule as usize) })
        }
    }
}

/// Simulated cells are not plain memory, so there is a small table of them.
#[cfg(feature = "shuttle")]
mod simulated {
    use super::AtomicU32;
    use crate::sync::Ordering;

    #[derive(Debug)]
    pub(crate) struct Shadow(Vec<AtomicU32>);

    impl Shadow {
        pub(crate) fn new(_granules: u64) -> Option<Self> {
            Some(Self((0..64).map(|_| AtomicU32::new(0)).collect()))
        }

        pub(crate) fn cell(&self, granule: u64) -> Option<&AtomicU32> {
            self.0.get(usize::try_from(granule).ok()?)
        }

        pub(crate) fn settle(&self, _granule: u64) {}

        pub(crate) fn clear(&self, start: u64, len: u64) {
            let cells = (start..start.saturating_add(len)).map_while(|granule| self.cell(granule));
            cells.for_each(|cell| cell.store(0, Ordering::Release));
        }
    }
}
