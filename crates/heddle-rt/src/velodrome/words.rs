//! A word of shadow memory for every granule: found by arithmetic, zero until written.
//!
//! Two levels: a directory of chunks, which are mapped when first used. A chunk lies in reserved address space, so that
//! only pages that are written cost memory. Beside them is a table of spare words, for what does not fit
//! into one: the bytes of a granule, or a group.

use crate::store::Reserved;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// Granules of one chunk: a gibibyte of a native program.
const CHUNK: u64 = 1 << 27;
/// Chunks in all: 47 bits of address space.
const CHUNKS: usize = 1 << 17;
/// Spare words in all.
const SPARES: usize = 1 << 32;

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Words {
    directory: Reserved<AtomicPtr<AtomicU64>>,
    spares: Reserved<AtomicU64>,
    next_spare: AtomicU32,
}

impl Words {
    pub(super) fn new() -> Option<Self> {
        Some(Self {
            directory: Reserved::new(CHUNKS)?,
            spares: Reserved::new(SPARES)?,
            next_spare: AtomicU32::new(0),
        })
    }

    /// The same words, to look at.
    #[inline(always)]
    pub(super) fn view(&self) -> View {
        View {
            directory: self.directory.base(),
            spares: self.spares.base(),
        }
    }

    /// The word of a granule; none if it was never set, or lies beyond all.
    #[inline(always)]
    pub(super) fn find(&self, granule: u64) -> Option<&AtomicU64> {
        self.view().find(granule)
    }

    /// The word of a granule, made if it is new; none if its memory cannot be had.
    pub(super) fn word(&self, granule: u64) -> Option<&AtomicU64> {
        let slot = self.slot(granule)?;
        if slot.load(Ordering::Acquire).is_null() {
            Self::map(slot)?;
        }
        self.find(granule)
    }

    #[inline(always)]
    fn slot(&self, granule: u64) -> Option<&AtomicPtr<AtomicU64>> {
        let index = (granule / CHUNK) as usize;
        // SAFETY: the index is below the number of chunks; the directory is zeroed, and a null
        // pointer is a valid value.
        (index < CHUNKS).then(|| unsafe { &*self.directory.base().add(index) })
    }

    #[cold]
    fn map(slot: &AtomicPtr<AtomicU64>) -> Option<()> {
        let fresh = Reserved::<AtomicU64>::new(CHUNK as usize)?;
        let base = fresh.base();
        let null = std::ptr::null_mut();
        if slot
            .compare_exchange(null, base, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
        {
            std::mem::forget(fresh);
        }
        Some(())
    }

    /// Sets the words of `len` granules from `start` back to nothing.
    pub(super) fn clear(&self, start: u64, len: u64) {
        let end = start.saturating_add(len);
        let mut at = start;
        while at < end {
            let stop = end.min((at / CHUNK + 1).saturating_mul(CHUNK));
            if self.find(at).is_some() {
                let words = (at..stop).filter_map(|granule| self.find(granule));
                // A word that is only looked at needs no memory.
                words
                    .filter(|word| word.load(Ordering::Relaxed) != 0)
                    .for_each(|word| word.store(0, Ordering::Release));
            }
            at = stop;
        }
    }

    /// The number of eight spare words in a row, all set to `value`; none if there are no more.
    pub(super) fn take_spares(&self, value: u64) -> Option<u32> {
        let number = self.next_spare.fetch_add(1, Ordering::Relaxed);
        if number as usize >= SPARES / 8 {
            self.next_spare.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let spares = (0..8).map(|n| self.spare(number, n));
        spares.for_each(|spare| spare.store(value, Ordering::Release));
        Some(number)
    }

    /// One of eight spare words that [`take_spares`](Self::take_spares) gave.
    #[inline]
    pub(super) fn spare(&self, number: u32, n: u32) -> &AtomicU64 {
        self.view().spare(number, n)
    }
}

/// Looks at the words of a [`Words`] that is still there.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    directory: *const AtomicPtr<AtomicU64>,
    spares: *const AtomicU64,
}

// SAFETY: looks at atomics only.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

impl View {
    #[inline(always)]
    pub(super) fn find<'w>(self, granule: u64) -> Option<&'w AtomicU64> {
        let index = (granule / CHUNK) as usize;
        if index >= CHUNKS {
            return None;
        }
        // SAFETY: the directory has CHUNKS slots, zeroed: each null or a chunk of CHUNK words, which are accessed as
        // atomics only. Both live as long as their owner, which is the promise of who uses a view.
        unsafe {
            let chunk = (*self.directory.add(index)).load(Ordering::Acquire);
            (!chunk.is_null()).then(|| &*chunk.add((granule % CHUNK) as usize))
        }
    }

    #[inline(always)]
    pub(super) fn spare<'w>(self, number: u32, n: u32) -> &'w AtomicU64 {
        let index = number as usize * 8 + (n % 8) as usize;
        // SAFETY: numbers come from `take_spares` and are below an eighth of the table; it is zeroed, aligned, and
        // accessed as atomics only.
        unsafe { &*self.spares.add(index) }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        for index in 0..CHUNKS as u64 {
            let slot = self.slot(index * CHUNK);
            let chunk = slot.map_or(std::ptr::null_mut(), |slot| slot.load(Ordering::Acquire));
            if !chunk.is_null() {
                // SAFETY: `map` made it with this size and forgot it; nothing refers to it any more.
                unsafe { libc::munmap(chunk.cast(), CHUNK as usize * size_of::<AtomicU64>()) };
            }
        }
    }
}
