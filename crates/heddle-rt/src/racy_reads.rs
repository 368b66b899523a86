//! Values that were read in a race.
//!
//! A read that races with an earlier write may have seen what that wrote, and what the reader does from then on may
//! happen only because of it. So none of that is *certain* to race with what the writer's task did, or what preceded
//! it, before the write. This is a hand-off like those of critical sections, but it starts in the middle of a strand,
//! and what a strand did is not kept in sequence:
//!
//! 1. What precedes the writer's strand is handed over.
//! 2. Of what the writer's strand did itself, all is handed over that does not stand below the write in the program. The
//!    front end knows what does ([`Engine::sequenced_by`]); without one, what has the higher site, or the same: sites are
//!    numbered as they are first executed. No compiler has to keep the sequence of plain accesses between two
//!    operations that synchronise, so nobody can rely on more.
//! 3. The write itself is handed over; of many that the reader has read of one strand and one place of the program, the
//!    first.
//!
//! The read itself is not excused.
//!
//! A thread that waits for a value in a loop has read the location before it was written. Its later reads are no new accesses
//! of its strand, but they are looked at again once a thread's write has raced.
//!
//! # Known coarseness
//! 1. Of several parallel writes that a read races with, all count, not only the last.
//! 2. A race that was met time and again is only counted ([`crate::cache`]), and hands nothing over. Nor does a write
//!    by a task that no hand-off can leave: one that has neither locks nor extra edges, nor, in some cases, a location that
//!    is watched for atomicity.
//! 3. A thread that waits in a loop without pause may see a value before the write is noted here, because a read is
//!    checked before it is made: what follows is then called certain. Of volatile reads the front end says when the next
//!    operation begins ([`Engine::look_back`]), or it checks them behind the read.
//! 4. In a loop, what stands below the write may have been done before it, by an earlier iteration.

use crate::cache::ThreadCache;
use crate::engine::{Cursor, Engine};
use crate::history::{Conflict, Touch};
use crate::states::{Mark, StateId};
use crate::sync::{AtomicBool, Mutex, Ordering, PoisonError};
use heddle_core::AccessKind;
use heddle_core::order::tree::{Departures, Nodes};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A write that was read in a race.
#[derive(Clone, Copy, Debug)]
struct Seen {
    granule: u64,
    /// Where it was made.
    site: u32,
    /// The strand of the reader that began with the value.
    by: u32,
}

/// All of a run, by the writer's strand.
#[derive(Debug, Default)]
pub(crate) struct RacyReads {
    any: AtomicBool,
    /// Whether a write of a thread has raced: others may read the location again.
    is_awaited: AtomicBool,
    of_strand: Mutex<FxHashMap<u32, SmallVec<[Seen; 2]>>>,
}

impl RacyReads {
    fn of(&self, strand: u32) -> SmallVec<[Seen; 2]> {
        if !self.any.load(Ordering::Acquire) {
            return SmallVec::new();
        }
        let of_strand = self.of_strand.lock();
        let of_strand = of_strand.unwrap_or_else(PoisonError::into_inner);
        of_strand.get(&strand).cloned().unwrap_or_default()
    }

    /// The strands that it names.
    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn strands(&self, mut of: impl FnMut(u32)) {
        let of_strand = self.of_strand.lock();
        let of_strand = of_strand.unwrap_or_else(PoisonError::into_inner);
        for (&writer, seen) in of_strand.iter() {
            of(writer);
            seen.iter().for_each(|seen| of(seen.by));
        }
    }

    fn note(&self, strand: u32, seen: Seen) {
        let of_strand = self.of_strand.lock();
        let mut of_strand = of_strand.unwrap_or_else(PoisonError::into_inner);
        of_strand.entry(strand).or_default().push(seen);
        self.any.store(true, Ordering::Release);
    }
}

impl Engine {
    /// An access of the strand races with these.
    pub(crate) fn note_racing(&self, strand: u32, conflicts: &[Conflict]) {
        let is_awaited = &self.racy_reads.is_awaited;
        if is_awaited.load(Ordering::Relaxed) {
            return;
        }
        let mut strands = conflicts.iter().map(|met| met.mark.strand).chain([strand]);
        if strands.any(|strand| self.forest.node(strand).departures() == Departures::Edges) {
            is_awaited.store(true, Ordering::Release);
        }
    }

    /// Whether a read that its strand has made before must be looked at again.
    #[inline]
    pub(crate) fn looks_again(&self, kind: AccessKind) -> bool {
        kind == AccessKind::Read && self.racy_reads.is_awaited.load(Ordering::Relaxed)
    }

    /// The task has read a location that was in this state, and no race was found that was not found before. Whether what
    /// it does next may depend on a write all the same.
    #[cold]
    pub(crate) fn look_again(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        state: StateId,
        now: Mark,
    ) -> bool {
        let mut groups = Vec::new();
        if self
            .states
            .open(&mut cache.blocks, state, &mut groups)
            .is_none()
        {
            return false;
        }
        let locks = self.exclusion.set(now.hold);
        groups.retain(|group| self.exclusion.disjoint(group.locks, locks));
        let writes = groups
            .iter()
            .flat_map(|group| self.states.iter(group.writes));
        let met: SmallVec<[Conflict; 4]> = writes
            .filter(|write| write.mask & touch.mask != 0)
            .filter(|write| self.forest.node(write.strand).departures() == Departures::Edges)
            .filter(|write| !self.is_before(cache, cursor, touch.granule, write.strand))
            .map(Conflict::with_write)
            .collect();
        self.receive_racy(cursor, touch.granule, &met)
    }

    /// The task has read the granule since its read was checked. Notes the writes that it may have seen and that were
    /// noted in between.
    pub fn look_back(&self, cache: &mut ThreadCache, cursor: &mut Cursor, granule: u64) {
        if !self.looks_again(AccessKind::Read) {
            return;
        }
        let Some(cell) = self.shadow.cell(granule) else {
            return;
        };
        let state = self.race_of(StateId(cell.load(Ordering::Acquire)));
        let touch = Touch {
            kind: AccessKind::Read,
            granule,
            mask: u8::MAX,
        };
        let now = Mark {
            strand: self.strand(cursor),
            site: 0,
            hold: cursor.hold,
            mask: touch.mask,
        };
        self.look_again(cache, cursor, touch, state, now);
    }

    /// The task has made a read that races with these: what it does next may depend on the values of the writes. Whether
    /// it has not read those before.
    #[cold]
    pub(crate) fn receive_racy(
        &self,
        cursor: &mut Cursor,
        granule: u64,
        conflicts: &[Conflict],
    ) -> bool {
        let writes = conflicts.iter().filter(|met| met.kind == AccessKind::Write);
        let new: SmallVec<[Mark; 4]> = writes
            .map(|met| met.mark)
            .filter(|&write| self.hands_over_news(cursor, write))
            .collect();
        if new.is_empty() {
            return false;
        }
        for write in &new {
            self.receive_from_before(cursor, write.strand);
        }
        let by = self.strand(cursor);
        for Mark { strand, site, .. } in new {
            let seen = Seen { granule, site, by };
            self.racy_reads.note(strand, seen);
        }
        true
    }

    /// Whether the task has not read before what the strand wrote at that place of the program.
    fn hands_over_news(&self, cursor: &mut Cursor, write: Mark) -> bool {
        let is_own = |seen: &Seen| {
            seen.site == write.site && self.forest.node(seen.by).task == cursor.task()
        };
        self.forest.node(write.strand).departures() != Departures::None
            && !self.racy_reads.of(write.strand).iter().any(is_own)
            && !self.handed_over(cursor, write.strand)
    }

    /// Whether what the task does now may depend on a value that was read in a race and written by or after this access
    /// to the granule.
    pub(crate) fn has_seen_write_after(
        &self,
        cursor: &mut Cursor,
        granule: u64,
        earlier: Mark,
    ) -> bool {
        let seen = self.racy_reads.of(earlier.strand);
        seen.into_iter().any(|seen| {
            let is_itself = (seen.granule, seen.site) == (granule, earlier.site);
            let may_be_seen = || is_itself || !(self.is_below)(earlier.site, seen.site);
            self.has_followed(cursor, seen.by) && may_be_seen()
        })
    }
}
