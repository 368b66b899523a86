//! Finds blocks of rows that nobody refers to, and memory that only they are in. No thread may use the table
//! meanwhile, and rows that stay must be referred to in a way that `is_used` and `is_dead` can tell.

use super::{Block, Ordering, PoisonError, Reserved, STEP, Store};
use std::ops::Range;

/// What was unused the last time.
#[derive(Debug, Default)]
pub(crate) struct Idle(Vec<bool>);

/// Words of a set that lie together.
const WORDS: usize = 512;

/// Rows that these stand for.
const STRETCH: u32 = 64 * WORDS as u32;

/// A set of rows. Only where rows were added does it take memory: most rows that a long run has made are gone.
#[derive(Debug, Default)]
pub(crate) struct Bits(Vec<Option<Box<[u64; WORDS]>>>);

impl Bits {
    /// None of so many rows.
    pub(crate) fn new(rows: u32) -> Self {
        let stretches = rows / STRETCH + 1;
        Self((0..stretches).map(|_| None).collect())
    }

    /// Adds a row; whether it is new.
    #[inline]
    pub(crate) fn set(&mut self, row: u32) -> bool {
        let Some(stretch) = self.0.get_mut((row / STRETCH) as usize) else {
            return false;
        };
        let words = stretch.get_or_insert_with(|| Box::new([0; WORDS]));
        let word = &mut words[row as usize / 64 % WORDS];
        let bit = 1 << (row % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    #[inline]
    pub(crate) fn has(&self, row: u32) -> bool {
        self.word(row) >> (row % 64) & 1 != 0
    }

    /// The word that a row is in.
    #[inline]
    fn word(&self, row: u32) -> u64 {
        let stretch = self.0.get((row / STRETCH) as usize);
        let words = stretch.and_then(Option::as_ref);
        words.map_or(0, |words| words[row as usize / 64 % WORDS])
    }

    /// The rows of the set.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        let stretches = (0..).step_by(STRETCH as usize).zip(&self.0);
        let words = stretches.flat_map(|(first, words)| {
            let words = words.iter().flat_map(|words| words.iter().copied());
            (first..).step_by(64).zip(words)
        });
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
            let end = rows.end.min((at / 64 + 1) * 64);
            let (skipped, len) = (at % 64, end - at);
            let these = u64::MAX >> (64 - len) << skipped;
            if self.word(at) & these != 0 {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_rows_takes_memory_only_where_rows_are() {
        let mut set = Bits::new(1 << 30);
        let rows = [0, 63, 64, STRETCH - 1, STRETCH, 7 * STRETCH + 65, 1 << 30];
        assert!(rows.iter().all(|&row| set.set(row)));
        assert!(rows.iter().all(|&row| set.has(row) && !set.set(row)));
        assert!(!set.has(1) && !set.has(3 * STRETCH));
        assert_eq!(set.rows().collect::<Vec<_>>(), rows);
        assert!(set.has_any(STRETCH + 1..7 * STRETCH + 66));
        assert!(!set.has_any(STRETCH + 1..7 * STRETCH + 65));
        assert_eq!(set.0.iter().flatten().count(), 4);
    }
}
