//! Which heap block an address belongs to, and where that block comes from.
//!
//! Written at every allocation and read only for reports, so writing is two stores without a lock and
//! reading does the work. A block's entry stands at the place of its first byte in a sparse table
//! parallel to memory; the block of an address is the nearest entry below that reaches over it.
//! Blocks start at least 32 bytes apart in glibc's heap, so one entry per 32 bytes suffices.
//!
//! # Invariants
//! 1. An entry is written between the allocation and its use, and by `free` before the memory can be
//!    handed out again: no two threads write one entry at the same time.
//! 2. The entry of a freed block stays, marked, until its place is used again: so a report of a use
//!    after free can still say what it was. A live block that covers an address wins over it.
//! 3. Entries lie in 256-megabyte regions, mapped when first needed. If a region cannot be mapped, its
//!    blocks are unknown, and nothing else is lost.

use heddle_core::{SiteId, TaskId};
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

/// Bytes of memory per entry.
const GRANULE: usize = 32;
/// Bytes of memory per region.
const REGION: usize = 1 << 28;
/// Entries per region.
const ENTRIES: usize = REGION / GRANULE;
/// Regions in the 47 bits of address space.
const REGIONS: usize = 1 << 19;
/// A block that reaches over a multiple of this is noted there, to bound the search.
const STRIDE: usize = 1 << 20;

/// One more than the size, so that a block of no bytes has an entry too.
const SIZE: u64 = (1 << 46) - 1;
/// Set if the block starts in the upper half of its 32 bytes.
const UPPER: u64 = 1 << 46;
/// Set when the block is freed.
const FREED: u64 = 1 << 47;
/// The thread's number is in the bits from here on.
const THREAD_SHIFT: u32 = 48;
const MAX_THREAD: u32 = 0xffff;

/// Whether a block may still be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Life {
    /// It may.
    Live,
    /// It was freed.
    Freed,
}

/// Who allocated a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Where in the program.
    pub site: SiteId,
    /// The task.
    pub task: TaskId,
    /// The number of its thread; 65535 stands for all from there on.
    pub thread: u32,
}

/// A heap block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its address.
    pub start: usize,
    /// Its size as asked for.
    pub size: usize,
    /// Who allocated it.
    pub origin: Origin,
    /// Whether it is still allocated.
    pub life: Life,
}

impl Block {
    fn covers(&self, address: usize) -> bool {
        address.wrapping_sub(self.start) < self.size.max(1)
    }
}

#[repr(C)]
struct Entry {
    /// Site below, task above.
    place: AtomicU64,
    /// Size, whether freed, thread; 0 if there never was a block.
    extent: AtomicU64,
}

impl Entry {
    fn put(&self, start: usize, size: usize, origin: Origin) {
        let place = u64::from(origin.site.raw()) | u64::from(origin.task.raw()) << 32;
        let size = (size as u64).saturating_add(1).min(SIZE);
        let half = if start.is_multiple_of(GRANULE) {
            0
        } else {
            UPPER
        };
        let thread = u64::from(origin.thread.min(MAX_THREAD)) << THREAD_SHIFT;
        self.place.store(place, Ordering::Relaxed);
        self.extent.store(size | half | thread, Ordering::Release);
    }

    /// The block noted here, if this is the entry at `place`.
    fn get(&self, place: usize) -> Option<Block> {
        let extent = self.extent.load(Ordering::Acquire);
        let size = (extent & SIZE).checked_sub(1)? as usize;
        let (granule, half) = (place / GRANULE * GRANULE, extent & UPPER != 0);
        let place = self.place.load(Ordering::Relaxed);
        Some(Block {
            start: granule + if half { GRANULE / 2 } else { 0 },
            size,
            origin: Origin {
                site: SiteId::new(place as u32),
                task: TaskId::new((place >> 32) as u32),
                thread: (extent >> THREAD_SHIFT) as u32,
            },
            life: if extent & FREED == 0 {
                Life::Live
            } else {
                Life::Freed
            },
        })
    }
}

#[repr(C)]
struct Region {
    entries: [Entry; ENTRIES],
    /// Which entries were ever written, a bit each: most are not.
    used: [AtomicU64; ENTRIES / 64],
    /// The start of the block that reaches over each stride's first byte.
    over: [AtomicUsize; REGION / STRIDE],
}

static DIRECTORY: [AtomicPtr<Region>; REGIONS] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; REGIONS];

/// Notes a block just allocated.
pub(crate) fn put(start: usize, size: usize, origin: Origin) {
    let Some(region) = region_for(start) else {
        return;
    };
    let index = start % REGION / GRANULE;
    region.entries[index].put(start, size, origin);
    let (word, bit) = (&region.used[index / 64], 1 << (index % 64));
    if word.load(Ordering::Relaxed) & bit == 0 {
        word.fetch_or(bit, Ordering::Release);
    }
    if start / STRIDE != start.saturating_add(size) / STRIDE {
        note_strides(start, size);
    }
}

#[cold]
fn note_strides(start: usize, size: usize) {
    let first = (start / STRIDE + 1) * STRIDE;
    for address in (first..start.saturating_add(size)).step_by(STRIDE) {
        if let Some(region) = region_for(address) {
            region.over[address % REGION / STRIDE].store(start, Ordering::Relaxed);
        }
    }
}

/// Changes where a live block is said to be allocated.
pub(crate) fn attribute(start: usize, site: SiteId) {
    if let (Some(block), Some(entry)) = (at(start), entry(start)) {
        entry.put(
            start,
            block.size,
            Origin {
                site,
                ..block.origin
            },
        );
    }
}

/// The live block that starts here.
pub(crate) fn at(start: usize) -> Option<Block> {
    let block = entry(start)?.get(start)?;
    (block.life == Life::Live && block.start == start).then_some(block)
}

/// Marks the live block that starts here as freed.
pub(crate) fn free(start: usize) {
    if let Some(entry) = entry(start) {
        entry.extent.fetch_or(FREED, Ordering::Release);
    }
}

/// The block an address belongs to: a live one if there is, else the nearest freed one.
pub(crate) fn find(address: usize) -> Option<Block> {
    let region = region(address)?;
    let stride = address / STRIDE * STRIDE;
    let over = region.over[stride % REGION / STRIDE].load(Ordering::Relaxed);
    let far = entry(over).and_then(|entry| entry.get(over));
    let base = address / REGION * REGION;
    let near = used(
        region,
        stride % REGION / GRANULE,
        address % REGION / GRANULE,
    );
    let near = near.filter_map(|index| region.entries[index].get(base + index * GRANULE));
    let mut freed = None;
    for block in near.chain(far).filter(|block| block.covers(address)) {
        match block.life {
            Life::Live => return Some(block),
            Life::Freed => freed = freed.or(Some(block)),
        }
    }
    freed
}

/// The entries written from `first`, which begins a word of bits, to `last`, downwards.
fn used(region: &Region, first: usize, last: usize) -> impl Iterator<Item = usize> + '_ {
    (first / 64..=last / 64).rev().flat_map(move |word| {
        let mut bits = region.used[word].load(Ordering::Acquire);
        if word == last / 64 {
            bits &= u64::MAX >> (63 - last % 64);
        }
        std::iter::from_fn(move || {
            let highest = 63u32.checked_sub(bits.leading_zeros())?;
            bits ^= 1 << highest;
            Some(word * 64 + highest as usize)
        })
    })
}

fn entry(address: usize) -> Option<&'static Entry> {
    let region = region(address)?;
    Some(&region.entries[address % REGION / GRANULE])
}

fn region(address: usize) -> Option<&'static Region> {
    let region = DIRECTORY.get(address / REGION)?.load(Ordering::Acquire);
    // SAFETY: a region in the directory is mapped, zeroed and never unmapped.
    unsafe { region.as_ref() }
}

fn region_for(address: usize) -> Option<&'static Region> {
    region(address).or_else(|| map(DIRECTORY.get(address / REGION)?))
}

#[cold]
fn map(slot: &AtomicPtr<Region>) -> Option<&'static Region> {
    let protection = ::libc::PROT_READ | ::libc::PROT_WRITE;
    let flags = ::libc::MAP_PRIVATE | ::libc::MAP_ANONYMOUS | ::libc::MAP_NORESERVE;
    let size = size_of::<Region>();
    // SAFETY: a new mapping.
    let fresh = unsafe { ::libc::mmap(std::ptr::null_mut(), size, protection, flags, -1, 0) };
    if fresh == ::libc::MAP_FAILED {
        return None;
    }
    let fresh = fresh.cast::<Region>();
    let null = std::ptr::null_mut();
    match slot.compare_exchange(null, fresh, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: mapped, zeroed (which is a valid region), and kept for ever.
        Ok(_) => unsafe { fresh.as_ref() },
        Err(earlier) => {
            // SAFETY: nobody knows the mapping made above; the earlier region stays for ever.
            unsafe {
                ::libc::munmap(fresh.cast(), size);
                earlier.as_ref()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Addresses nobody uses, apart from each other: tests share the table.
    const SPACE: usize = 0x1000_0000_0000;

    fn origin(site: u32) -> Origin {
        Origin {
            site: SiteId::new(site),
            task: TaskId::new(7),
            thread: 3,
        }
    }

    #[test]
    fn every_byte_of_a_block_and_no_other_leads_to_it() {
        let start = SPACE + 0x10;
        put(start, 40, origin(1));
        assert_eq!(find(start - 1), None);
        for address in [start, start + 39] {
            let block = find(address).expect("inside");
            assert_eq!(
                (block.start, block.size, block.origin),
                (start, 40, origin(1))
            );
        }
        assert_eq!(find(start + 40), None);
    }

    #[test]
    fn a_live_block_wins_over_freed_ones_inside_it() {
        let start = SPACE + (1 << 30);
        for offset in [0, 64] {
            put(start + offset, 48, origin(2));
            free(start + offset);
        }
        let before = find(start + 70).expect("freed");
        assert_eq!((before.start, before.life), (start + 64, Life::Freed));
        put(start, 112, origin(3));
        let after = find(start + 70).expect("live");
        assert_eq!((after.start, after.life), (start, Life::Live));
    }

    #[test]
    fn a_block_larger_than_a_region_is_found_from_its_last_byte() {
        let start = SPACE + (2 << 30) + 0x10;
        let size = 3 * REGION;
        put(start, size, origin(4));
        for address in [start + STRIDE, start + size - 1] {
            assert_eq!(find(address).map(|block| block.start), Some(start));
        }
        assert_eq!(find(start + size), None);
    }

    #[test]
    fn attribution_changes_the_site_alone() {
        let start = SPACE + (4 << 30);
        put(start, 8, origin(5));
        attribute(start, SiteId::new(6));
        let block = at(start).expect("live");
        assert_eq!((block.size, block.origin), (8, origin(6)));
    }
}
