//! Finds blocks of rows that nobody refers to, and memory that only they are in. No thread may use the table
//! meanwhile, and rows that stay must be referred to in a way that `is_used` and `is_dead` can tell.

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

    /// Blocks that were unused last time and are now may be taken again.
    pub(crate) fn reuse(&self, idle: &mut Idle, is_used: impl Fn(usize) -> bool) {
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
            if was_idle && *is_idle {
                *is_idle = false;
                spare.push(start(block));
            }
        }
        self.has_spare.store(!spare.is_empty(), Ordering::Relaxed);
        self.taken.store(0, Ordering::Relaxed);
    }

    /// The same, where it is known which rows are used.
    pub(crate) fn reuse_rows(&self, idle: &mut Idle, used: &Bits) {
        self.reuse(idle, |block| {
            let start = block as u32 * Block::LEN + 1;
            used.has_any(start..start + Block::LEN)
        });
    }

    /// The same for pages, which are given back to the system.
    pub(crate) fn release(&self, pages: &mut Pages, is_dead: impl Fn(usize) -> bool) {
        self.rows.release(pages, self.len() as usize, is_dead);
    }
}

impl<T> Reserved<T> {
    /// Gives pages of dead rows back, among the first `rows`.
    pub(crate) fn release(&self, pages: &mut Pages, rows: usize, is_dead: impl Fn(usize) -> bool) {
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
                (true, Page::Dead) => {
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
