//! Shadow memory: one 32-bit state per granule, found from the granule's number by arithmetic.
//!
//! A granule is whatever the front end numbers: eight bytes of a native program, one element of a
//! Rust value. The space of numbers is divided into chunks; a chunk's states are mapped when its first
//! granule is touched and backed by memory page by page, so that any address costs two loads.

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
    use crate::store::Reserved;
    use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

    /// Granules of one chunk: a gibibyte of a native program.
    const CHUNK: u64 = 1 << 27;
    /// Chunks in all: 47 bits of address space.
    const CHUNKS: usize = 1 << 17;
    /// From this many states on, clearing gives pages back instead of writing zeros.
    const PAGES_FROM: u64 = 1 << 14;
    const PAGE: usize = 4096;

    /// Granules whose states are given memory at a time.
    const BLOCK: u64 = 1 << 14;

    /// See the module's documentation.
    #[derive(Debug)]
    pub(crate) struct Shadow {
        directory: Reserved<AtomicPtr<AtomicU32>>,
        /// Whether the states of a block have memory.
        settled: Reserved<AtomicU8>,
    }

    impl Shadow {
        pub(crate) fn new() -> Option<Self> {
            Some(Self {
                directory: Reserved::new(CHUNKS)?,
                settled: Reserved::new(CHUNKS * (CHUNK / BLOCK) as usize)?,
            })
        }

        /// The granule's state is about to be set for the first time. A state is looked at before it is
        /// set, so its page would be mapped twice: first to zeros that all share, then to its own, with
        /// an interruption of every other thread. Giving memory to a block at once spares that.
        #[inline]
        pub(crate) fn settle(&self, granule: u64) {
            let block = (granule / BLOCK) as usize;
            if block >= self.settled.capacity() {
                return;
            }
            // SAFETY: the index is below the capacity; zero is a valid value.
            let settled = unsafe { &*self.settled.base().add(block) };
            if settled.load(Ordering::Relaxed) == 0 {
                settled.store(1, Ordering::Relaxed);
                self.give_memory(granule);
            }
        }

        #[cold]
        fn give_memory(&self, granule: u64) {
            if let Some(first) = self.cell(granule / BLOCK * BLOCK) {
                let start = std::ptr::from_ref(first).cast_mut().cast();
                // SAFETY: the block lies inside one chunk. That the pages get memory changes nothing in
                // them; if it fails, they get it one by one when they are written.
                unsafe { libc::madvise(start, BLOCK as usize * 4, libc::MADV_POPULATE_WRITE) };
            }
        }

        /// The state of a granule; none if its memory cannot be had.
        #[inline(always)]
        pub(crate) fn cell(&self, granule: u64) -> Option<&AtomicU32> {
            let chunk = self.chunk(granule)?;
            // SAFETY: a chunk has CHUNK states; they are zeroed, aligned, and accessed as atomics only.
            Some(unsafe { &*chunk.add((granule % CHUNK) as usize) })
        }

        /// The same table for the common path.
        pub(crate) fn view(&self) -> View {
            View(self.directory.base())
        }

        #[inline(always)]
        fn chunk(&self, granule: u64) -> Option<*mut AtomicU32> {
            let slot = self.slot(granule)?;
            match slot.load(Ordering::Acquire) {
                chunk if !chunk.is_null() => Some(chunk),
                _ => Self::map(slot),
            }
        }

        #[inline(always)]
        fn slot(&self, granule: u64) -> Option<&AtomicPtr<AtomicU32>> {
            let index = (granule / CHUNK) as usize;
            // SAFETY: the index is below the number of chunks; the directory is zeroed, and a null
            // pointer is a valid value.
            (index < CHUNKS).then(|| unsafe { &*self.directory.base().add(index) })
        }

        #[cold]
        fn map(slot: &AtomicPtr<AtomicU32>) -> Option<*mut AtomicU32> {
            let fresh = Reserved::<AtomicU32>::new(CHUNK as usize)?;
            let taken = slot.compare_exchange(
                std::ptr::null_mut(),
                fresh.base(),
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            match taken {
                Ok(_) => {
                    let base = fresh.base();
                    std::mem::forget(fresh);
                    Some(base)
                }
                Err(earlier) => Some(earlier),
            }
        }

        /// Sets the states of `len` granules from `start` back to nothing.
        pub(crate) fn clear(&self, start: u64, len: u64) {
            let end = start.saturating_add(len);
            let mut at = start;
            while at < end {
                let stop = end.min((at / CHUNK + 1) * CHUNK);
                let mapped = self.slot(at).map(|slot| slot.load(Ordering::Acquire));
                if let Some(chunk) = mapped.filter(|chunk| !chunk.is_null()) {
                    Self::clear_chunk(chunk, at % CHUNK, stop - at);
                }
                at = stop;
            }
        }

        fn clear_chunk(chunk: *mut AtomicU32, start: u64, len: u64) {
            // SAFETY: the caller stays inside the chunk.
            let states = unsafe {
                std::slice::from_raw_parts(chunk.add(start as usize).cast_const(), len as usize)
            };
            if len < PAGES_FROM {
                return states
                    .iter()
                    .for_each(|state| state.store(0, Ordering::Release));
            }
            let (begin, end) = (states.as_ptr() as usize, states.as_ptr_range().end as usize);
            let (first, last) = (begin.next_multiple_of(PAGE), end / PAGE * PAGE);
            let (before, after) = ((first - begin) / 4, (last - begin) / 4);
            let edges = states[..before].iter().chain(&states[after..]);
            edges.for_each(|state| state.store(0, Ordering::Release));
            // SAFETY: the pages lie inside the chunk, which is private and anonymous: they read as zero
            // afterwards, which is what clearing means.
            unsafe { libc::madvise(first as *mut _, last - first, libc::MADV_DONTNEED) };
        }
    }

    /// A shadow memory that outlives whoever looks: nothing is mapped, only looked up.
    #[derive(Clone, Copy, Debug)]
    pub struct View(*const AtomicPtr<AtomicU32>);

    // SAFETY: looks at atomics only.
    unsafe impl Send for View {}
    // SAFETY: as above.
    unsafe impl Sync for View {}

    impl View {
        /// The state of the granule that holds `address`; 0 if none was ever set.
        ///
        /// # Safety
        /// The engine this view was made from is still there.
        #[inline(always)]
        pub(crate) unsafe fn state(self, granule: u64) -> u32 {
            // SAFETY: the caller's promise.
            let cell = unsafe { self.cell(granule) };
            cell.map_or(0, |cell| cell.load(Ordering::Acquire))
        }

        /// The cell of a granule, if its chunk is mapped.
        ///
        /// # Safety
        /// As for [`state`](Self::state).
        #[inline(always)]
        pub(crate) unsafe fn cell<'a>(self, granule: u64) -> Option<&'a AtomicU32> {
            // SAFETY: the directory has CHUNKS slots, each null or a chunk of CHUNK states; both live as
            // long as the engine.
            unsafe {
                let slot = &*self.0.add((granule / CHUNK) as usize % CHUNKS);
                let chunk = slot.load(Ordering::Acquire);
                (!chunk.is_null()).then(|| &*chunk.add((granule % CHUNK) as usize))
            }
        }
    }

    impl Drop for Shadow {
        fn drop(&mut self) {
            for index in 0..CHUNKS as u64 {
                let slot = self.slot(index * CHUNK);
                let chunk = slot.map_or(std::ptr::null_mut(), |slot| slot.load(Ordering::Acquire));
                if !chunk.is_null() {
                    // SAFETY: `map` made it with this size and forgot it; nothing refers to it any more.
                    unsafe { libc::munmap(chunk.cast(), CHUNK as usize * size_of::<AtomicU32>()) };
                }
            }
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
        pub(crate) fn new() -> Option<Self> {
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
