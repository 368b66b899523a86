//! Where data blocks lie: a part of the address space of their own, so that one comparison tells whether an
//! address belongs to one.
//!
//! Blocks of similar size share places. A place given back waits behind others before it is used again, so that
//! a use after the block was destroyed is seldom taken for one of the next block.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Address space for data blocks; memory is taken as it is touched.
const SIZE: usize = 1 << 42;
/// Blocks start at multiples of this.
const ALIGNMENT: usize = 64;
/// What lies in front of a block. Its last word stands for the block's life: to acquire the block is to read it, to
/// destroy the block is to write it.
pub(crate) const HEADER: usize = ALIGNMENT;
/// Bytes of that word.
pub(super) const LIFE: usize = 8;
/// Places of one size that wait.
const QUARANTINE: usize = 32;
/// From this size on the memory of a place that waits is given back.
const LARGE: usize = 1 << 20;

/// 0 before the first block.
static START: AtomicUsize = AtomicUsize::new(0);

/// Whether the address lies among the data blocks.
#[inline(always)]
pub(crate) fn is_block(address: usize) -> bool {
    let start = START.load(Ordering::Relaxed);
    start != 0 && address.wrapping_sub(start) < SIZE
}

#[derive(Debug)]
struct Arena {
    used: usize,
    spare: BTreeMap<usize, VecDeque<usize>>,
}

static ARENA: Mutex<Arena> = Mutex::new(Arena {
    used: 0,
    spare: BTreeMap::new(),
});

/// What is set aside for a block.
fn room(size: usize) -> usize {
    match size {
        0..LARGE => size.max(ALIGNMENT).next_power_of_two(),
        _ => size.next_multiple_of(LARGE / 16),
    }
}

/// Memory for a block; none if there is none left. To be called inside the runtime.
pub(super) fn allocate(size: usize) -> Option<usize> {
    let mut arena = ARENA.lock().unwrap_or_else(PoisonError::into_inner);
    let room = room(size + HEADER);
    let spare = arena.spare.get_mut(&room);
    if let Some(spare) = spare.filter(|spare| spare.len() > QUARANTINE)
        && let Some(place) = spare.pop_front()
    {
        return Some(place + HEADER);
    }
    let start = match START.load(Ordering::Relaxed) {
        0 => reserve()?,
        start => start,
    };
    let place = arena.used;
    arena.used = place.checked_add(room).filter(|&end| end <= SIZE)?;
    Some(start + place + HEADER)
}

/// What lies behind a block up to the next place: where it begins, and how long it is.
pub(super) fn slack(block: usize, size: usize) -> (usize, usize) {
    (block + size, room(size + HEADER) - HEADER - size)
}

/// The block's place can be used again. To be called inside the runtime.
pub(super) fn give_back(block: usize, size: usize) {
    let (place, room) = (block - HEADER, room(size + HEADER));
    if size >= LARGE {
        // SAFETY: nothing in this part of our own mapping is needed any more.
        unsafe { ::libc::madvise(place as *mut _, room, ::libc::MADV_DONTNEED) };
    }
    let mut arena = ARENA.lock().unwrap_or_else(PoisonError::into_inner);
    arena.spare.entry(room).or_default().push_back(place);
}

fn reserve() -> Option<usize> {
    let protection = ::libc::PROT_READ | ::libc::PROT_WRITE;
    let flags = ::libc::MAP_PRIVATE | ::libc::MAP_ANONYMOUS | ::libc::MAP_NORESERVE;
    // SAFETY: a fresh private mapping touches no memory in use. The system call itself: the function is
    // interposed.
    let start = unsafe {
        ::libc::syscall(
            ::libc::SYS_mmap,
            0usize,
            SIZE,
            protection,
            flags,
            -1isize,
            0usize,
        )
    };
    if start == -1 {
        return None;
    }
    START.store(start as usize, Ordering::Relaxed);
    Some(start as usize)
}
