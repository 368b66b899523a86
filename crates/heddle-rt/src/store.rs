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
        let index = block.next;
        block.next += 1;
        // SAFETY: `take` gave the block's rows, which are below the capacity, to this thread alone.
        unsafe { self.rows.base.as_ptr().add(index as usize).write(row) };
        Some(index)
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
        let start = self.len.0.fetch_add(Block::LEN, Ordering::Relaxed);
        let end = start.checked_add(Block::LEN);
        let Some(end) = end.filter(|&end| end as usize <= self.rows.capacity) else {
            self.len.0.fetch_sub(Block::LEN, Ordering::Relaxed);
            return None;
        };
        self.rows.give_memory(start, Block::LEN);
        *block = Block { next: start, end };
        Some(())
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
    /// Small ones let tests use rows again often.
    const LEN: u32 = if cfg!(debug_assertions) { 2 } else { 64 };
}

/// Finds blocks of rows that nobody refers to, and memory that only they are in. No thread may use the table
/// meanwhile, and rows that stay must be referred to in a way that `is_used` and `is_dead` can tell.
#[cfg(not(feature = "shuttle"))]
mod reclaim {
    use super::{Block, Ordering, PoisonError, Reserved, STEP, Store};
    use std::ops::Range;

    /// What was unused the last time.
    #[derive(Debug, Default)]
    pub(crate) struct Idle(Vec<bool>);

    /// A set of rows.
    #[derive(Debug, Default)]
    pub(crate) struct Bits(Vec<u64>);

    impl Bits {
        /// None of so many rows.
        pub(crate) fn new(rows: u32) -> Self {
            Self(vec![0; rows as usize / 64 + 1])
        }

        /// Adds a row; whether it is new.
        #[inline]
        pub(crate) fn set(&mut self, row: u32) -> bool {
            let Some(word) = self.0.get_mut(row as usize / 64) else {
                return false;
            };
            let bit = 1 << (row % 64);
            let is_new = *word & bit == 0;
            *word |= bit;
            is_new
        }

        #[inline]
        pub(crate) fn has(&self, row: u32) -> bool {
            let word = self.0.get(row as usize / 64);
            word.is_some_and(|word| word >> (row % 64) & 1 != 0)
        }

        /// The rows of the set.
        pub(crate) fn rows(&self) -> impl Iterator<Item = u32> + '_ {
            let words = (0..).step_by(64).zip(self.0.iter().copied());
            words
                .filter(|&(_, word)| word != 0)
                .flat_map(|(first, word)| {
                    (0..64u32)
                        .filter(move |bit| word >> bit & 1 != 0)
                        .map(move |bit| first + bit)
                })
        }

        /// Whether one of these rows is in the set.
        pub(crate) fn has_any(&self, rows: Range<u32>) -> bool {
            let mut at = rows.start;
            while at < rows.end {
                let Some(&word) = self.0.get(at as usize / 64) else {
                    return false;
                };
                let end = rows.end.min((at / 64 + 1) * 64);
                let (skipped, len) = (at % 64, end - at);
                let these = u64::MAX >> (64 - len) << skipped;
                if word & these != 0 {
                    return true;
                }
                at = end;
            }
            false
        }
    }

    /// Which pages of a table only dead rows are in.
    #[derive(Debug, Default)]
    pub(crate) struct Pages(Vec<Page>);

    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    enum Page {
        #[default]
        Used,
        /// Of dead rows only, the last time.
        Dead,
        /// Given back to the system.
        Released,
    }

    const PAGE: usize = 4096;

    /// What is given back at a time, and what is kept at the end because it got memory ahead. Tests give back as much
    /// as they can.
    const PIECE: usize = if cfg!(debug_assertions) { 48 } else { PAGE };
    const AHEAD: usize = if cfg!(debug_assertions) { 0 } else { STEP };

    impl<T: Copy> Store<T> {
        /// How many blocks there are; the table's first row is in none.
        pub(crate) fn blocks(&self) -> usize {
            (self.len() as usize).saturating_sub(1) / Block::LEN as usize
        }

        /// The block of a row, but of the first.
        pub(crate) fn block_of(row: u32) -> Option<usize> {
            Some(row.checked_sub(1)? as usize / Block::LEN as usize)
        }

        /// Blocks that were unused last time, are now, and so are for certain may be taken again.
        pub(crate) fn reuse(
            &self,
            idle: &mut Idle,
            is_certain: bool,
            is_used: impl Fn(usize) -> bool,
        ) {
            let blocks = self.blocks();
            idle.0.resize(blocks, false);
            let start = |block: usize| block as u32 * Block::LEN + 1;
            let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            let mut is_spare = vec![false; blocks];
            for &start in spare.iter() {
                if let Some(block) = Self::block_of(start) {
                    is_spare[block] = true;
                }
            }
            let known = idle.0.iter_mut().zip(is_spare).enumerate();
            for (block, (is_idle, _)) in known.filter(|(_, (_, is_spare))| !is_spare) {
                let was_idle = std::mem::replace(is_idle, !is_used(block));
                if was_idle && *is_idle && is_certain {
                    *is_idle = false;
                    spare.push(start(block));
                }
            }
            self.has_spare.store(!spare.is_empty(), Ordering::Relaxed);
            self.taken.store(0, Ordering::Relaxed);
        }

        /// The same, where it is known which rows are used.
        pub(crate) fn reuse_rows(&self, idle: &mut Idle, is_certain: bool, used: &Bits) {
            self.reuse(idle, is_certain, |block| {
                let start = block as u32 * Block::LEN + 1;
                used.has_any(start..start + Block::LEN)
            });
        }

        /// The same for pages, which are given back to the system.
        pub(crate) fn release(
            &self,
            pages: &mut Pages,
            is_certain: bool,
            is_dead: impl Fn(usize) -> bool,
        ) {
            self.rows
                .release(pages, self.len() as usize, is_certain, is_dead);
        }
    }

    impl<T> Reserved<T> {
        /// Gives pages of dead rows back, among the first `rows`.
        pub(crate) fn release(
            &self,
            pages: &mut Pages,
            rows: usize,
            is_certain: bool,
            is_dead: impl Fn(usize) -> bool,
        ) {
            let row = size_of::<T>();
            // What was given memory ahead is still to be used.
            let whole = (rows * row).saturating_sub(AHEAD) / PIECE;
            pages.0.resize(whole.max(pages.0.len()), Page::Used);
            let mut released = whole..0;
            for (number, page) in pages.0.iter_mut().enumerate().take(whole) {
                if *page == Page::Released {
                    continue;
                }
                let (start, end) = (number * PIECE, (number + 1) * PIECE);
                let is_dead = (start / row..end.div_ceil(row)).all(&is_dead);
                *page = match (is_dead, *page) {
                    (true, Page::Dead) if is_certain => {
                        released = released.start.min(number)..number + 1;
                        self.give_back(start);
                        Page::Released
                    }
                    (true, _) => Page::Dead,
                    (false, _) => Page::Used,
                };
            }
            self.give_back_pages(pages, released);
        }
    }

    impl<T> Reserved<T> {
        fn give_back(&self, start: usize) {
            // SAFETY: a piece of the mapping, which nobody reads or writes any more.
            unsafe {
                let start = self.base().byte_add(start);
                match PIECE == PAGE {
                    true => drop(libc::madvise(start.cast(), PAGE, libc::MADV_DONTNEED)),
                    false => start.cast::<u8>().write_bytes(0, PIECE),
                }
            }
        }

        /// Of pieces that are smaller than pages, gives back those that make up whole pages, too: memory must not grow
        /// where tests run.
        fn give_back_pages(&self, pages: &Pages, released: Range<usize>) {
            let numbers = released.start * PIECE / PAGE..(released.end * PIECE).div_ceil(PAGE);
            for start in numbers.filter(|_| PIECE < PAGE).map(|number| number * PAGE) {
                let pieces = pages.0.get(start / PIECE..(start + PAGE).div_ceil(PIECE));
                if pieces.is_some_and(|pieces| pieces.iter().all(|page| *page == Page::Released)) {
                    // SAFETY: a page of the mapping, which nobody reads or writes any more.
                    unsafe {
                        let start = self.base().byte_add(start);
                        libc::madvise(start.cast(), PAGE, libc::MADV_DONTNEED);
                    }
                }
            }
        }
    }

    impl Pages {
        /// Rows that are still there, of a table of `rows` rows of this type.
        pub(crate) fn present<T>(&self, rows: usize) -> impl Iterator<Item = usize> + '_ {
            let row = size_of::<T>();
            let pages = 0..(rows * row).div_ceil(PIECE);
            let there = pages.filter(|&page| self.0.get(page) != Some(&Page::Released));
            let rows = there.flat_map(move |page| {
                let first = |page: usize| (page * PIECE).div_ceil(row).min(rows);
                first(page)..first(page + 1)
            });
            rows.filter(|&index| !self.has_released::<T>(index))
        }

        /// Whether a row of this type is gone, or a part of it.
        pub(crate) fn has_released<T>(&self, index: usize) -> bool {
            let row = size_of::<T>();
            let ends = [index * row, (index + 1) * row - 1];
            ends.iter()
                .any(|end| self.0.get(end / PIECE) == Some(&Page::Released))
        }
    }
}

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
