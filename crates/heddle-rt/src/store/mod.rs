//! An append-only table that many threads read and extend without locks.
//!
//! Address space for all rows is reserved at the start and backed by memory as rows are written, so
//! rows never move and reading one is a plain load.

use crate::sync::{AtomicBool, AtomicU32, Mutex, Ordering, PoisonError};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Store<T> {
    rows: Reserved<T>,
    len: Apart<AtomicU32>,
    /// First rows of blocks that may be taken again.
    spare: Mutex<Vec<u32>>,
    has_spare: AtomicBool,
    /// Blocks taken since unused ones were last looked for.
    taken: AtomicU32,
}

/// What many threads change, in a cache line of its own: what lies beside it is only read.
#[derive(Debug)]
#[repr(align(128))]
struct Apart<T>(T);

/// Bytes that are given memory at a time once a table has as many.
const STEP: usize = 1 << 17;

impl<T: Copy> Store<T> {
    /// A table of at most `capacity` rows; none if that much address space cannot be had.
    pub(crate) fn new(capacity: u32) -> Option<Self> {
        Some(Self {
            rows: Reserved::new(capacity as usize)?,
            len: Apart(AtomicU32::new(0)),
            spare: Mutex::default(),
            has_spare: AtomicBool::new(false),
            taken: AtomicU32::new(0),
        })
    }

    /// Adds a row; none when the table is full.
    pub(crate) fn push(&self, row: T) -> Option<u32> {
        let index = self.len.0.fetch_add(1, Ordering::Relaxed);
        if index as usize >= self.rows.capacity {
            self.len.0.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        self.rows.give_memory(index, 1);
        // SAFETY: `index` is below the capacity, and `fetch_add` gave it to this call alone.
        unsafe { self.rows.base.as_ptr().add(index as usize).write(row) };
        Some(index)
    }

    /// Adds a row in a block of rows that the calling thread has taken for itself, so that threads
    /// need not agree on every one; none when the table is full.
    #[inline]
    pub(crate) fn push_in(&self, block: &mut Block, row: T) -> Option<u32> {
        if block.next == block.end {
            self.take(block)?;
        }
        Some(self.write_next(block, row))
    }

    /// The next `len` rows, for the caller alone; an empty block when the table is full.
    #[cold]
    pub(crate) fn take_next(&self, len: u32) -> Block {
        let start = self.len.0.fetch_add(len, Ordering::Relaxed);
        match start.checked_add(len) {
            Some(end) if end as usize <= self.rows.capacity => {
                self.rows.give_memory(start, len);
                Block { next: start, end }
            }
            _ => {
                self.len.0.fetch_sub(len, Ordering::Relaxed);
                Block::default()
            }
        }
    }

    /// Adds a row in a block, if there is one left in it.
    #[inline]
    pub(crate) fn push_in_taken(&self, block: &mut Block, row: T) -> Option<u32> {
        (block.next < block.end).then(|| self.write_next(block, row))
    }

    #[inline]
    fn write_next(&self, block: &mut Block, row: T) -> u32 {
        let index = block.next;
        block.next += 1;
        // SAFETY: the block's rows are below the capacity, and were given to whoever has the block alone.
        unsafe { self.rows.base.as_ptr().add(index as usize).write(row) };
        index
    }

    #[cold]
    fn take(&self, block: &mut Block) -> Option<()> {
        self.taken.fetch_add(1, Ordering::Relaxed);
        if self.has_spare.load(Ordering::Relaxed)
            && let Some(start) = self.take_spare()
        {
            let end = start + Block::LEN;
            *block = Block { next: start, end };
            return Some(());
        }
        *block = self.take_next(Block::LEN);
        (block.next < block.end).then_some(())
    }

    fn take_spare(&self) -> Option<u32> {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let start = spare.pop();
        self.has_spare.store(!spare.is_empty(), Ordering::Relaxed);
        start
    }

    /// Bytes of the blocks taken since unused ones were last looked for.
    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn taken_bytes(&self) -> usize {
        let rows = self.taken.load(Ordering::Relaxed) as usize * Block::LEN as usize;
        rows * size_of::<T>()
    }

    /// The row `index`, which a `push` that happened before this call returned.
    #[inline(always)]
    pub(crate) fn get(&self, index: u32) -> T {
        debug_assert!((index as usize) < self.rows.capacity);
        // SAFETY: indices come from `push` only, which wrote the row; they travel between threads
        // through acquire and release operations, so the write is visible.
        unsafe { *self.rows.base.as_ptr().add(index as usize) }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> u32 {
        self.len.0.load(Ordering::Acquire)
    }

    /// All rows. To be called when no other thread adds any.
    pub(crate) fn rows(&self) -> impl Iterator<Item = T> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }
}

/// Rows that one thread has taken and not filled yet.
#[derive(Debug, Default)]
pub(crate) struct Block {
    next: u32,
    end: u32,
}

impl Block {
    /// Whether it has a row left, and that comes after `row`.
    #[inline]
    pub(crate) fn starts_after(&self, row: u32) -> bool {
        self.next < self.end && self.next > row
    }

    /// Rows that are not filled yet.
    pub(crate) fn left(&self) -> u32 {
        self.end - self.next
    }

    /// Small ones let tests use rows again often.
    const LEN: u32 = if cfg!(debug_assertions) { 2 } else { 64 };
}

#[cfg(not(feature = "shuttle"))]
mod reclaim;

#[cfg(not(feature = "shuttle"))]
pub(crate) use reclaim::{Bits, Idle, Pages};

/// Reserved address space for `capacity` rows, zero until written.
#[derive(Debug)]
pub(crate) struct Reserved<T> {
    base: NonNull<T>,
    capacity: usize,
    rows: PhantomData<T>,
}

// SAFETY: the pointer is owned; what is shared through it is up to `Store` and `Shadow`, which hand
// out copies and atomics only.
unsafe impl<T: Send> Send for Reserved<T> {}
// SAFETY: as above.
unsafe impl<T: Sync + Send> Sync for Reserved<T> {}

impl<T> Reserved<T> {
    pub(crate) fn new(capacity: usize) -> Option<Self> {
        let bytes = capacity.checked_mul(size_of::<T>())?;
        // SAFETY: an anonymous private mapping at an address of the kernel's choice touches no
        // memory that is in use.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return None;
        }
        Some(Self {
            base: NonNull::new(base.cast())?,
            capacity,
            rows: PhantomData,
        })
    }

    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// What is reserved would be written out as zeros.
    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn keep_out_of_core_dumps(&self) {
        let bytes = self.capacity * size_of::<T>();
        // SAFETY: the whole mapping; its contents do not change.
        unsafe { libc::madvise(self.base.as_ptr().cast(), bytes, libc::MADV_DONTDUMP) };
    }

    /// Rows from `first` on are about to be written. Where a step begins among them, its pages get memory at
    /// once, which costs a fraction of an interruption each.
    #[inline(always)]
    fn give_memory(&self, first: u32, rows: u32) {
        let row = size_of::<T>();
        let before = first as usize * row;
        let after = before + rows as usize * row;
        if before / STEP != after / STEP {
            self.populate(after / STEP * STEP);
        }
    }

    #[cold]
    fn populate(&self, start: usize) {
        if start + STEP <= self.capacity * size_of::<T>() {
            // SAFETY: the step lies inside the mapping. That its pages get memory changes nothing in them; if
            // it fails, they get it one by one when they are written.
            unsafe {
                let start = self.base.as_ptr().byte_add(start);
                libc::madvise(start.cast(), STEP, libc::MADV_POPULATE_WRITE);
            }
        }
    }

    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn base(&self) -> *mut T {
        self.base.as_ptr()
    }
}

impl<T> Drop for Reserved<T> {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` with this size, and nothing refers to it any more.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.capacity * size_of::<T>()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_pushed_by_many_threads_are_all_there() {
        let store = Store::new(1 << 16).expect("address space");
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let store = &store;
                scope.spawn(move || {
                    (0..1000).for_each(|n| assert!(store.push(thread * 1000 + n).is_some()))
                });
            }
        });
        let mut rows: Vec<u64> = store.rows().collect();
        rows.sort_unstable();
        assert_eq!(rows, (0..4000).collect::<Vec<_>>());
    }

    #[test]
    fn a_full_table_says_so_and_keeps_what_it_has() {
        let store = Store::new(2).expect("address space");
        assert_eq!(
            (store.push('a'), store.push('b'), store.push('c')),
            (Some(0), Some(1), None)
        );
        assert_eq!(store.rows().collect::<String>(), "ab");
    }
}
