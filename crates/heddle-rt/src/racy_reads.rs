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
use crate::states::{Mark as Access, StateId};
use crate::sync::{AtomicBool, Mutex, MutexGuard, Ordering, PoisonError};
use heddle_core::order::layer::Mark;
use heddle_core::order::tree::{Departures, Nodes};
use heddle_core::{AccessKind, TaskId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// What all that follows a racy read of a strand's write has in common, by where the write was made: its place of the
/// program, and that with the granule.
#[derive(Debug, Default)]
struct Seen {
    /// By the writer's strand.
    of_site: FxHashMap<u32, SmallVec<[(u32, Mark); 2]>>,
    of_granule: FxHashMap<(u32, u32, u64), Mark>,
    /// Who has read what a strand wrote at a place.
    readers: FxHashSet<(u32, u32, TaskId)>,
    /// How many marks there are.
    marks: u32,
}

/// All racy reads of a run.
#[derive(Debug, Default)]
pub(crate) struct RacyReads {
    any: AtomicBool,
    /// Whether a write of a thread has raced: others may read the location again.
    is_awaited: AtomicBool,
    seen: Mutex<Seen>,
}

impl RacyReads {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What follows a read of what the strand wrote, at any place or at this one.
    fn of(
        &self,
        strand: u32,
        site: u32,
        granule: u64,
    ) -> (SmallVec<[(u32, Mark); 2]>, Option<Mark>) {
        if !self.any.load(Ordering::Acquire) {
            return (SmallVec::new(), None);
        }
        let seen = self.seen();
        let of_site = seen.of_site.get(&strand).cloned().unwrap_or_default();
        let of_granule = seen.of_granule.get(&(strand, site, granule)).copied();
        (of_site, of_granule)
    }

    fn is_known(&self, strand: u32, site: u32, reader: TaskId) -> bool {
        self.any.load(Ordering::Acquire) && self.seen().readers.contains(&(strand, site, reader))
    }

    /// The writers' strands.
    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn strands(&self, of: impl FnMut(u32)) {
        self.seen().of_site.keys().copied().for_each(of);
    }

    /// The task has read what the strand wrote: what all that follows has in common.
    fn note(&self, strand: u32, site: u32, granule: u64, reader: TaskId) -> [Mark; 2] {
        let mut seen = self.seen();
        seen.readers.insert((strand, site, reader));
        let marks = seen.marks;
        let places = seen.of_site.entry(strand).or_default();
        let of_site = match places.iter().find(|(place, _)| *place == site) {
            Some(&(_, mark)) => mark,
            None => {
                places.push((site, Mark::new(marks)));
                Mark::new(marks)
            }
        };
        let of_granule = seen.of_granule.entry((strand, site, granule));
        let of_granule = *of_granule.or_insert(Mark::new(marks + 1));
        seen.marks += 2;
        self.any.store(true, Ordering::Release);
        [of_site, of_granule]
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
        now: Access,
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
        let now = Access {
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
        let new: SmallVec<[Access; 4]> = writes
            .map(|met| met.mark)
            .filter(|&write| self.hands_over_news(cursor, write))
            .collect();
        if new.is_empty() {
            return false;
        }
        for write in new {
            let (strand, site) = (write.strand, write.site);
            let marks = self.racy_reads.note(strand, site, granule, cursor.task);
            self.receive_from_before(cursor, strand, marks);
        }
        true
    }

    /// Whether the task has not read before what the strand wrote at that place of the program.
    fn hands_over_news(&self, cursor: &mut Cursor, write: Access) -> bool {
        let is_known = |reader| self.racy_reads.is_known(write.strand, write.site, reader);
        self.forest.node(write.strand).departures() != Departures::None
            && !is_known(cursor.task)
            && !self.handed_over(cursor, write.strand)
    }

    /// Whether what the task does now may depend on a value that was read in a race and written by or after this access
    /// to the granule.
    pub(crate) fn has_seen_write_after(
        &self,
        cursor: &mut Cursor,
        granule: u64,
        earlier: Access,
    ) -> bool {
        let (places, itself) = self.racy_reads.of(earlier.strand, earlier.site, granule);
        let may_be_seen =
            |&(site, mark): &(u32, Mark)| (!(self.is_below)(earlier.site, site)).then_some(mark);
        let mut marks = itself
            .into_iter()
            .chain(places.iter().filter_map(may_be_seen));
        marks.any(|mark| self.has_mark(cursor, mark))
    }
}
