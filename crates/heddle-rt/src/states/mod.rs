//! Histories as numbers: what touched a granule, in 32 bits.
//!
//! The history of a granule is, for each set of locks, a list of writes and a list of reads, and for
//! its last writes what they held. A state never changes; an access is a step from one state to the
//! next, made by compare-and-swap. A step worked out once serves for every granule in the same state:
//! an array swept by a task moves from one state to another.
//!
//! # Form
//! The two highest bits of a number tell what the rest indexes: a plain history of few accesses without locks
//! ([`crate::plain`]), or the general form, made of lists.
//!
//! # Invariants
//! 1. Rows are written before their number is published, and never change.
//! 2. Lists are linked, newest first, and share their tails.
//! 3. Two states may stand for the same history: each thread makes its own, and only what is cached
//!    ([`ThreadCache`](crate::ThreadCache)) is shared. Nothing depends on it.

mod lasts;
#[cfg(not(feature = "shuttle"))]
mod reclaim;

use crate::exclusion::{Hold, LockSet};
use crate::plain::{FORM, Plain, PlainBlocks, Plains, SLOTS};
use crate::store::{Block, Store};

/// Which bytes of a granule an access touches. Front ends without bytes use [`WHOLE`].
pub(crate) type Mask = u8;

/// All bytes.
pub(crate) const WHOLE: Mask = 0xff;

/// A history.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct StateId(pub(crate) u32);

const GENERAL: u32 = 0;

/// Marks, in the general form, the state of a granule that must not be torn ([`crate::atomicity`]).
const TWIN: u32 = 1 << 29;

/// How many states of that kind there can be, and how many general ones of the others.
pub(crate) const TWINS: u32 = 1 << 29;

/// How many rows of a kind there can be.
pub(crate) const ROWS: u32 = 1 << 30;

impl StateId {
    /// Nothing accessed yet.
    pub(crate) const FRESH: Self = Self(0);

    /// Whether it is of the general form, or fresh.
    #[inline(always)]
    pub(crate) fn is_general(self) -> bool {
        self.0 & FORM == GENERAL
    }

    /// The row of a twin, if it is one.
    #[inline(always)]
    pub(crate) fn twin(self) -> Option<u32> {
        (self.0 & (FORM | TWIN) == TWIN).then_some(self.0 & !TWIN)
    }

    /// The state that is a twin.
    pub(crate) fn of_twin(row: u32) -> Self {
        Self(GENERAL | TWIN | row)
    }
}

/// A list of accesses; 0 is empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ListId(u32);

impl ListId {
    pub(crate) const EMPTY: Self = Self(0);
}

/// What the last writes held, and the reads in sections since, by bytes; 0: nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LastId(u32);

impl LastId {
    pub(crate) const NOTHING: Self = Self(0);
}

/// One remembered access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Mark {
    pub(crate) strand: u32,
    pub(crate) site: u32,
    pub(crate) hold: Hold,
    pub(crate) mask: Mask,
}

impl Mark {
    /// What is left of it when these bytes do not matter any more.
    #[inline]
    pub(crate) fn without(self, bytes: Mask) -> Option<Self> {
        let mask = self.mask & !bytes;
        (mask != 0).then_some(Self { mask, ..self })
    }

    /// Whether both are of one strand, at one place of the program.
    #[inline]
    pub(crate) fn is_same_place(self, other: Self) -> bool {
        self.strand == other.strand && self.site == other.site && self.hold == other.hold
    }
}

/// The accesses under one set of locks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Group {
    pub(crate) locks: LockSet,
    pub(crate) writes: ListId,
    pub(crate) reads: ListId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Link {
    strand: u32,
    site: u32,
    hold: Hold,
    rest: ListId,
    /// Length of the list that begins here, shifted left by eight, the mask, and [`LOSSY`].
    len_mask: u32,
}

/// Marks a list from which accesses were dropped that others in it stand for.
const LOSSY: u32 = 1 << 31;

impl Link {
    #[inline]
    fn mark(self) -> Mark {
        Mark {
            strand: self.strand,
            site: self.site,
            hold: self.hold,
            mask: self.len_mask as u8,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct GroupLink {
    group: Group,
    rest: u32,
}

#[derive(Clone, Copy, Debug)]
struct LastLink {
    hold: Hold,
    mask: Mask,
    /// The strand that has read these bytes since, or the one it came after; 0 if this is the write, [`MANY`] if it is a
    /// crowd.
    reader: u32,
    rest: LastId,
}

/// Reads in sections that are kept apart, at least.
const LOOKS: usize = 16;

/// From so many on, the others are a crowd: it is not known any more who they were, nor in which sections.
const CROWD: usize = 5 * LOOKS;

/// The strands of a crowd.
const MANY: u32 = u32::MAX;

/// Who has read something in a section since it was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reader {
    /// It ended this strand, or came after it, and held this.
    Strand(u32, Hold),
    Crowd,
}

#[derive(Clone, Copy, Debug)]
struct General {
    groups: u32,
    last: LastId,
}

/// All states of a run.
#[derive(Debug)]
pub(crate) struct States {
    pub(crate) plains: Plains,
    links: Store<Link>,
    groups: Store<GroupLink>,
    lasts: Store<LastLink>,
    generals: Store<General>,
}

/// Rows one thread has taken to fill, and those it made last: what is the same gets the same number, so
/// that an array whose parts have different pasts is in one state again after a sweep.
#[derive(Debug)]
pub(crate) struct Blocks {
    pub(crate) plain: PlainBlocks,
    links: Block,
    groups: Block,
    lasts: Block,
    generals: Block,
    recent_links: Box<[u32]>,
}

const RECENT: usize = 1 << 8;

impl Default for Blocks {
    fn default() -> Self {
        Self {
            plain: PlainBlocks::default(),
            links: Block::default(),
            groups: Block::default(),
            lasts: Block::default(),
            generals: Block::default(),
            recent_links: vec![0; RECENT].into(),
        }
    }
}

fn slot(parts: [u32; 4]) -> usize {
    let mix = parts.iter().fold(0u64, |mix, &part| {
        (mix.rotate_left(5) ^ u64::from(part)).wrapping_mul(0x517C_C1B7_2722_0A95)
    });
    (mix >> 40) as usize % RECENT
}

impl States {
    pub(crate) fn new() -> Option<Self> {
        let states = Self {
            plains: Plains::new()?,
            links: Store::new(ROWS)?,
            groups: Store::new(ROWS)?,
            lasts: Store::new(ROWS)?,
            generals: Store::new(TWINS)?,
        };
        let nothing = Hold::NOTHING;
        let group = Group {
            locks: LockSet::EMPTY,
            writes: ListId::EMPTY,
            reads: ListId::EMPTY,
        };
        states.links.push(Link {
            strand: 0,
            site: 0,
            hold: nothing,
            rest: ListId::EMPTY,
            len_mask: 0,
        })?;
        states.groups.push(GroupLink { group, rest: 0 })?;
        states.lasts.push(LastLink {
            hold: nothing,
            mask: 0,
            reader: 0,
            rest: LastId::NOTHING,
        })?;
        // Row 0 is the fresh state.
        states.generals.push(General {
            groups: 0,
            last: LastId::NOTHING,
        })?;
        Some(states)
    }

    /// Takes a state apart: its groups, sorted by lock set, go into `groups`. None when a table is full.
    pub(crate) fn open(
        &self,
        blocks: &mut Blocks,
        state: StateId,
        groups: &mut Vec<Group>,
    ) -> Option<LastId> {
        groups.clear();
        match self.plains.get(state) {
            None => Some(self.open_general(state.0 & !FORM, groups)),
            Some(plain) => {
                groups.extend(self.open_plain(blocks, &plain)?);
                Some(LastId::NOTHING)
            }
        }
    }

    /// The one group of a plain history, if it is not empty.
    fn open_plain(&self, blocks: &mut Blocks, plain: &Plain) -> Option<Option<Group>> {
        let mut list = |marks: &[Mark]| {
            let mut marks = marks.iter().rev();
            marks.try_fold(ListId::EMPTY, |rest, &mark| self.push(blocks, rest, mark))
        };
        let (writes, reads) = (list(plain.writes())?, list(plain.reads())?);
        let reads = match plain.is_lossy {
            true => self.mark_lossy(blocks, reads)?,
            false => reads,
        };
        let group = Group {
            locks: LockSet::EMPTY,
            writes,
            reads,
        };
        let is_empty = writes == ListId::EMPTY && reads == ListId::EMPTY;
        Some((!is_empty).then_some(group))
    }

    fn open_general(&self, row: u32, groups: &mut Vec<Group>) -> LastId {
        let General {
            groups: mut at,
            last,
        } = self.generals.get(row);
        while at != 0 {
            let link = self.groups.get(at);
            groups.push(link.group);
            at = link.rest;
        }
        last
    }

    /// What the last writes of a state held.
    pub(crate) fn last(&self, state: StateId) -> LastId {
        match state.0 & FORM {
            GENERAL => self.generals.get(state.0).last,
            _ => LastId::NOTHING,
        }
    }

    /// The state of these groups; none when a table is full.
    pub(crate) fn close(
        &self,
        blocks: &mut Blocks,
        groups: &[Group],
        last: LastId,
    ) -> Option<StateId> {
        match *groups {
            [] if last == LastId::NOTHING => Some(StateId::FRESH),
            [group] if last == LastId::NOTHING && group.locks == LockSet::EMPTY => {
                match self.plain_of(group) {
                    Some(plain) => self.plains.number(&mut blocks.plain, &plain),
                    None => self.close_general(blocks, groups, last),
                }
            }
            _ => self.close_general(blocks, groups, last),
        }
    }

    /// The same accesses as a plain history, if they fit into one.
    fn plain_of(&self, group: Group) -> Option<Plain> {
        if self.len(group.writes) + self.len(group.reads) > SLOTS as u32
            || self.is_lossy(group.writes)
        {
            return None;
        }
        let mut plain = Plain::EMPTY;
        self.iter(group.writes)
            .try_for_each(|mark| plain.push_write(mark))?;
        self.iter(group.reads)
            .try_for_each(|mark| plain.push_read(mark))?;
        plain.is_lossy = self.is_lossy(group.reads);
        Some(plain)
    }

    fn close_general(
        &self,
        blocks: &mut Blocks,
        groups: &[Group],
        last: LastId,
    ) -> Option<StateId> {
        let groups = groups.iter().rev().try_fold(0, |rest, &group| {
            let link = GroupLink { group, rest };
            self.groups.push_in(&mut blocks.groups, link)
        })?;
        let general = General { groups, last };
        let row = self.generals.push_in(&mut blocks.generals, general);
        row.map(StateId)
    }

    /// The list with `mark` in front.
    pub(crate) fn push(&self, blocks: &mut Blocks, rest: ListId, mark: Mark) -> Option<ListId> {
        let lossy = self.link(rest).len_mask & LOSSY;
        self.push_link_as(blocks, rest, mark, lossy)
    }

    /// The same list, from which an access was dropped.
    pub(crate) fn mark_lossy(&self, blocks: &mut Blocks, list: ListId) -> Option<ListId> {
        if self.is_lossy(list) || list == ListId::EMPTY {
            return Some(list);
        }
        let link = self.link(list);
        self.push_link_as(blocks, link.rest, link.mark(), LOSSY)
    }

    /// Whether accesses were dropped that others in the list stand for.
    #[inline]
    pub(crate) fn is_lossy(&self, list: ListId) -> bool {
        self.link(list).len_mask & LOSSY != 0
    }

    fn push_link_as(
        &self,
        blocks: &mut Blocks,
        rest: ListId,
        mark: Mark,
        lossy: u32,
    ) -> Option<ListId> {
        let len = (self.len(rest) + 1).min((LOSSY - 1) >> 8);
        let link = Link {
            strand: mark.strand,
            site: mark.site,
            hold: mark.hold,
            rest,
            len_mask: lossy | len << 8 | u32::from(mark.mask),
        };
        let recent =
            &mut blocks.recent_links[slot([mark.strand, mark.site, mark.hold.raw(), rest.0])];
        if self.links.get(*recent) != link {
            *recent = self.links.push_in(&mut blocks.links, link)?;
        }
        Some(ListId(*recent))
    }

    /// The list with one more access. One by the same strand at the same place of the program, to
    /// other bytes, becomes one with it.
    pub(crate) fn add(&self, blocks: &mut Blocks, list: ListId, mark: Mark) -> Option<ListId> {
        let newest = self.iter(list).next();
        let same = |newest: &Mark| {
            Mark {
                mask: mark.mask,
                ..*newest
            } == mark
        };
        match newest.filter(same) {
            None => self.push(blocks, list, mark),
            Some(newest) => {
                let mask = mark.mask | newest.mask;
                self.push(blocks, self.link(list).rest, Mark { mask, ..mark })
            }
        }
    }

    pub(crate) fn len(&self, list: ListId) -> u32 {
        (self.link(list).len_mask & !LOSSY) >> 8
    }

    #[inline]
    fn link(&self, list: ListId) -> Link {
        self.links.get(list.0)
    }

    /// The list's accesses, newest first.
    pub(crate) fn iter(&self, list: ListId) -> impl Iterator<Item = Mark> + '_ {
        let mut at = list;
        std::iter::from_fn(move || {
            let link = (at != ListId::EMPTY).then(|| self.link(at))?;
            at = link.rest;
            Some(link.mark())
        })
    }
}

#[cfg(not(feature = "shuttle"))]
pub(crate) use reclaim::{IdleStates, UsedStates};
