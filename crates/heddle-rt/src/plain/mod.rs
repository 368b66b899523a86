//! Histories of few accesses without locks: the common case, in rows of fixed size.
//!
//! A row holds the last writes and the parallel reads of a granule, at most [`SLOTS`] together: enough for one
//! writer and two readers (Mellor-Crummey 1991; Raman et al. 2012) of each half, for numbers of four bytes lie side by
//! side and are accessed at different places of the program. An access takes one such row apart, compares a bounded number of strands and makes
//! at most one row; whatever does not fit is a general history ([`super::states`]).
//!
//! # Cost
//! One cache miss for the row, none for what is compared if the thread has asked for that order before.

use crate::exclusion::Hold;
use crate::states::{Mark, Mask, StateId};
use crate::store::{Block, Store};
use heddle_core::AccessKind;

/// How many accesses a row holds.
pub(crate) const SLOTS: usize = 6;

const NO_MARK: Mark = Mark {
    strand: 0,
    site: 0,
    hold: Hold::NOTHING,
    mask: 0,
};

/// A history without locks, taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    /// Writes, newest first; then reads, newest first.
    marks: [Mark; SLOTS],
    writes: usize,
    len: usize,
    /// Whether reads were dropped that others stand for.
    pub(crate) is_lossy: bool,
}

impl Plain {
    pub(crate) const EMPTY: Self = Self {
        marks: [NO_MARK; SLOTS],
        writes: 0,
        len: 0,
        is_lossy: false,
    };

    #[inline]
    pub(crate) fn writes(&self) -> &[Mark] {
        &self.marks[..self.writes]
    }

    #[inline]
    pub(crate) fn reads(&self) -> &[Mark] {
        &self.marks[self.writes..self.len]
    }

    /// One more write, older than those before. None if it does not fit.
    #[inline]
    pub(crate) fn push_write(&mut self, mark: Mark) -> Option<()> {
        debug_assert!(self.len == self.writes);
        self.writes += 1;
        self.push_read(mark)
    }

    /// One more read, older than those before. None if it does not fit.
    #[inline]
    pub(crate) fn push_read(&mut self, mark: Mark) -> Option<()> {
        *self.marks.get_mut(self.len)? = mark;
        self.len += 1;
        Some(())
    }

    /// Whether both have the same accesses in the same sequence.
    #[inline]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.writes == other.writes
            && self.is_lossy == other.is_lossy
            && self.marks[..self.len] == other.marks[..other.len]
    }
}

/// A history of at most two accesses without locks, taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Small {
    /// Writes, newest first; then reads, newest first.
    pub(crate) marks: [Mark; 2],
    pub(crate) writes: usize,
    pub(crate) len: usize,
}

impl Small {
    pub(crate) const EMPTY: Self = Self {
        marks: [NO_MARK; 2],
        writes: 0,
        len: 0,
    };

    /// One more access, older than those of its kind before. None if it does not fit.
    #[inline(always)]
    pub(crate) fn push(&mut self, mark: Mark, is_write: bool) -> Option<()> {
        *self.marks.get_mut(self.len)? = mark;
        self.len += 1;
        self.writes += usize::from(is_write);
        Some(())
    }

    /// The history with a write that is newer than all. None if it does not fit.
    #[inline(always)]
    pub(crate) fn push_first(self, mark: Mark) -> Option<Self> {
        (self.len < 2).then_some(Self {
            marks: [mark, self.marks[0]],
            writes: self.writes + 1,
            len: self.len + 1,
        })
    }

    /// Whether an access of the same strand says all that `now` would say.
    #[inline(always)]
    pub(crate) fn stands_for(&self, kind: AccessKind, now: Mark) -> bool {
        let known = match kind {
            AccessKind::Read => self.len,
            AccessKind::Write => self.writes,
        };
        let is_it = |mark: &Mark| mark.strand == now.strand && mark.mask & now.mask == now.mask;
        self.marks[..known].iter().any(is_it)
    }
}

/// A history of one access, to bytes that are common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Single {
    /// The strand, and in the highest bits which of [`MASKS`].
    strand_mask: u32,
    site: u32,
}

/// The bytes that a [`Single`] may touch.
const MASKS: [Mask; 4] = [0xff, 0x0f, 0xf0, 0x01];
const MASK_SHIFT: u32 = 30;

impl Single {
    #[inline]
    fn new(mark: Mark) -> Option<Self> {
        let class = MASKS.iter().position(|&mask| mask == mark.mask)? as u32;
        (mark.strand < 1 << MASK_SHIFT).then_some(Self {
            strand_mask: class << MASK_SHIFT | mark.strand,
            site: mark.site,
        })
    }

    #[inline]
    fn mark(self) -> Mark {
        Mark {
            strand: self.strand_mask & !(3 << MASK_SHIFT),
            site: self.site,
            hold: Hold::NOTHING,
            mask: MASKS[(self.strand_mask >> MASK_SHIFT) as usize],
        }
    }
}

/// Any other, of at most `N` accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Row<const N: usize> {
    strands: [u32; N],
    sites: [u32; N],
    masks: [Mask; N],
    writes: u8,
    /// How many there are, and in the highest bit whether reads were dropped.
    len: u8,
}

const LOSSY: u8 = 1 << 7;

impl<const N: usize> Row<N> {
    const EMPTY: Self = Self {
        strands: [0; N],
        sites: [0; N],
        masks: [0; N],
        writes: 0,
        len: 0,
    };

    #[inline]
    fn new(plain: &Plain) -> Self {
        let lossy = if plain.is_lossy { LOSSY } else { 0 };
        let mut row = Self {
            writes: plain.writes as u8,
            len: plain.len as u8 | lossy,
            ..Self::EMPTY
        };
        for (at, mark) in plain.marks[..plain.len].iter().enumerate() {
            (row.strands[at], row.sites[at], row.masks[at]) = (mark.strand, mark.site, mark.mask);
        }
        row
    }

    #[inline]
    fn plain(&self) -> Plain {
        let mut plain = Plain {
            writes: usize::from(self.writes),
            len: usize::from(self.len & !LOSSY),
            is_lossy: self.len & LOSSY != 0,
            ..Plain::EMPTY
        };
        for at in 0..N {
            plain.marks[at] = self.mark(at);
        }
        plain
    }

    #[inline(always)]
    fn mark(&self, at: usize) -> Mark {
        Mark {
            strand: self.strands[at],
            site: self.sites[at],
            hold: Hold::NOTHING,
            mask: self.masks[at],
        }
    }

    /// Where among the recent rows it is looked for.
    #[inline]
    fn slot(&self) -> usize {
        let (strands, sites) = (&self.strands, &self.sites);
        let ends = words([strands[N - 1], sites[N - 1]]) ^ u64::from(self.masks[0]);
        slot(
            words([strands[0], strands[1]]),
            ends ^ words([sites[0], sites[1]]),
        )
    }
}

/// The two highest bits of a state tell its form: 0 is the general one.
pub(crate) const FORM: u32 = 3 << 30;
const WRITE: u32 = 1 << 30;
const READ: u32 = 2 << 30;
const ROW: u32 = 3 << 30;
/// Beside [`ROW`]: one of two accesses.
const TWO: u32 = 1 << 29;

/// How many rows of a kind there can be.
const CAPACITY: u32 = 1 << 29;

/// All plain histories of a run.
#[derive(Debug)]
pub(crate) struct Plains {
    singles: Store<Single>,
    twos: Store<Row<2>>,
    rows: Store<Row<SLOTS>>,
}

/// Rows one thread has taken to fill, and those it made last: what is the same gets the same number, so
/// that an array whose parts have different pasts is in one state again after a sweep.
#[derive(Debug)]
pub(crate) struct PlainBlocks {
    singles: Block,
    twos: Block,
    rows: Block,
    recent_singles: Box<[u32]>,
    recent_twos: Box<[u32]>,
    recent_rows: Box<[u32]>,
}

const RECENT: usize = 1 << 8;

impl Default for PlainBlocks {
    fn default() -> Self {
        Self {
            singles: Block::default(),
            twos: Block::default(),
            rows: Block::default(),
            recent_singles: vec![0; RECENT].into(),
            recent_twos: vec![0; RECENT].into(),
            recent_rows: vec![0; RECENT].into(),
        }
    }
}

#[inline]
fn slot(a: u64, b: u64) -> usize {
    let mix = (a.rotate_left(5) ^ b).wrapping_mul(0x517C_C1B7_2722_0A95);
    (mix >> 40) as usize % RECENT
}

fn words(of: [u32; 2]) -> u64 {
    u64::from(of[0]) << 32 | u64::from(of[1])
}

impl Plains {
    pub(crate) fn new() -> Option<Self> {
        let plains = Self {
            singles: Store::new(CAPACITY)?,
            twos: Store::new(CAPACITY)?,
            rows: Store::new(CAPACITY)?,
        };
        // What the tables of recent rows start with.
        plains.singles.push(Single {
            strand_mask: 0,
            site: 0,
        })?;
        plains.twos.push(Row::EMPTY)?;
        plains.rows.push(Row::EMPTY)?;
        Some(plains)
    }

    /// Takes a state apart; none if it is general.
    #[inline]
    pub(crate) fn get(&self, state: StateId) -> Option<Plain> {
        let row = state.0 & !FORM;
        let mut plain = Plain::EMPTY;
        match state.0 & FORM {
            ROW if row & TWO != 0 => return Some(self.twos.get(row & !TWO).plain()),
            ROW => return Some(self.rows.get(row).plain()),
            WRITE => plain.push_write(self.singles.get(row).mark())?,
            READ => plain.push_read(self.singles.get(row).mark())?,
            _ => return (state == StateId::FRESH).then_some(plain),
        }
        Some(plain)
    }

    /// Takes a state of at most two accesses apart, none of which stands for others.
    #[inline(always)]
    pub(crate) fn small(&self, state: StateId) -> Option<Small> {
        let row = state.0 & !FORM;
        let mut small = Small::EMPTY;
        match state.0 & FORM {
            WRITE | READ => {
                small.marks[0] = self.singles.get(row).mark();
                small.writes = usize::from(state.0 & FORM == WRITE);
                small.len = 1;
            }
            ROW if row & TWO != 0 => {
                let row = self.twos.get(row & !TWO);
                if row.len & LOSSY != 0 {
                    return None;
                }
                small.marks = [row.mark(0), row.mark(1)];
                small.writes = usize::from(row.writes);
                small.len = usize::from(row.len);
            }
            _ if state == StateId::FRESH => {}
            _ => return None,
        }
        Some(small)
    }

    /// The state of such a history.
    #[inline(always)]
    pub(crate) fn number_small(&self, blocks: &mut PlainBlocks, small: &Small) -> Option<StateId> {
        let single = match small.len {
            1 => Single::new(small.marks[0]),
            _ => None,
        };
        if let Some(single) = single {
            let form = if small.writes == 1 { WRITE } else { READ };
            return Some(StateId(form | self.number_single(blocks, single)?));
        }
        let [one, other] = small.marks;
        let other = if small.len == 2 { other } else { NO_MARK };
        let row = Row {
            strands: [one.strand, other.strand],
            sites: [one.site, other.site],
            masks: [one.mask, other.mask],
            writes: small.writes as u8,
            len: small.len as u8,
        };
        self.number_two(blocks, row)
    }

    /// The state of a history of one access, if it has the smallest form.
    #[inline(always)]
    pub(crate) fn number_only(
        &self,
        blocks: &mut PlainBlocks,
        kind: AccessKind,
        mark: Mark,
    ) -> Option<StateId> {
        let form = match kind {
            AccessKind::Write => WRITE,
            AccessKind::Read => READ,
        };
        let row = self.number_single(blocks, Single::new(mark)?)?;
        Some(StateId(form | row))
    }

    /// The write and the read of a history that has at most one of each.
    #[inline(always)]
    pub(crate) fn at_most_two(&self, state: StateId) -> Option<(Option<Mark>, Option<Mark>)> {
        let row = state.0 & !FORM;
        match state.0 & FORM {
            WRITE => Some((Some(self.singles.get(row).mark()), None)),
            READ => Some((None, Some(self.singles.get(row).mark()))),
            ROW if row & TWO != 0 => {
                let row = self.twos.get(row & !TWO);
                let is_one_of_each = row.writes == 1 && row.len == 2;
                is_one_of_each.then(|| (Some(row.mark(0)), Some(row.mark(1))))
            }
            _ => (state == StateId::FRESH).then_some((None, None)),
        }
    }

    /// The state of a write and a read.
    #[inline(always)]
    pub(crate) fn number_write_and_read(
        &self,
        blocks: &mut PlainBlocks,
        write: Mark,
        read: Mark,
    ) -> Option<StateId> {
        let row = Row {
            strands: [write.strand, read.strand],
            sites: [write.site, read.site],
            masks: [write.mask, read.mask],
            writes: 1,
            len: 2,
        };
        self.number_two(blocks, row)
    }

    /// The state of a history; none when a table is full.
    #[inline]
    pub(crate) fn number(&self, blocks: &mut PlainBlocks, plain: &Plain) -> Option<StateId> {
        let single = match plain.marks[..plain.len] {
            [] => return Some(StateId::FRESH),
            [only] if !plain.is_lossy => Single::new(only),
            _ => None,
        };
        match single {
            Some(single) => {
                let form = if plain.writes == 1 { WRITE } else { READ };
                let row = self.number_single(blocks, single)?;
                Some(StateId(form | row))
            }
            None if plain.len <= 2 => self.number_two(blocks, Row::new(plain)),
            None => {
                let row = Row::<SLOTS>::new(plain);
                let recent = &mut blocks.recent_rows[row.slot()];
                let row = recently(&self.rows, &mut blocks.rows, recent, row)?;
                Some(StateId(ROW | row))
            }
        }
    }

    #[inline(always)]
    fn number_two(&self, blocks: &mut PlainBlocks, row: Row<2>) -> Option<StateId> {
        let recent = &mut blocks.recent_twos[row.slot()];
        let row = recently(&self.twos, &mut blocks.twos, recent, row)?;
        Some(StateId(ROW | TWO | row))
    }

    #[inline]
    fn number_single(&self, blocks: &mut PlainBlocks, single: Single) -> Option<u32> {
        let key = slot(u64::from(single.strand_mask), u64::from(single.site));
        let recent = &mut blocks.recent_singles[key];
        recently(&self.singles, &mut blocks.singles, recent, single)
    }
}

#[cfg(not(feature = "shuttle"))]
mod reclaim;

#[cfg(not(feature = "shuttle"))]
pub(crate) use reclaim::{IdleRows, UsedRows};

/// The number of a row: the recent one if that is the same, else a new one.
#[inline]
fn recently<T: Copy + PartialEq>(
    store: &Store<T>,
    block: &mut Block,
    recent: &mut u32,
    row: T,
) -> Option<u32> {
    if *recent == 0 || store.get(*recent) != row {
        *recent = store.push_in(block, row)?;
    }
    Some(*recent)
}
