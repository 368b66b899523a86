//! Sections that read what a later section of the same lock overwrote.
//!
//! Had the two come the other way round, the reader would have seen something else, and what it did between that
//! read and its release might not have happened. So none of it is *certain* to race with what the writer does
//! from that write on, nor with what comes after. This is no edge: the read itself is not excused, nor what the
//! reader did before it or after the release, nor what came before the reader.
//!
//! So that it can be told what came after a read, such a read is the last access of its strand.
//!
//! # Coarser than the rule
//! 1. Of the sections that read a location since it was last written, the latest are kept apart ([`crate::states`]);
//!    earlier ones of one task under the same locks become one, that reaches from the first to the last of them. Of one
//!    section the first [`LOOKS`] reads end their strands; what follows them counts as read after the last of these.
//!    So a race may be called possible there that is certain.
//! 2. Where a task made many accesses to a location that may depend on such reads, later ones stand for earlier ones,
//!    although those may not be excused: a race is then called possible.
//! 3. Of one pair of tasks with more than [`APART`] such sections, what the reader did between two of them
//!    counts as well, and is called possible.
//! 4. Where very many sections, of many tasks, read a location before it is overwritten, it is not kept who they were:
//!    whatever was done in a section that excludes the writer's, after any such read, counts.

use crate::cache::ThreadCache;
use crate::engine::{Cursor, Engine, NO_STRAND};
use crate::exclusion::{Hold, LockSet};
use crate::states::{LastId, Mark, Mask, Reader, StateId};
use crate::sync::{AtomicBool, Mutex, Ordering, PoisonError};
use heddle_core::TaskId;
use heddle_core::order::tree::Nodes;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Reads of a section that end their strands.
const LOOKS: u16 = 256;

/// Sections of one task that are kept apart.
const APART: usize = 64;

/// What a reader did after the strand that ended with the read, up to its release, and the strand of the writer
/// that began with the write.
#[derive(Clone, Copy, Debug)]
struct Overtaken {
    read: u32,
    last: u32,
    by: u32,
}

/// The first and the last strand with which a task overtook many under the same locks.
#[derive(Clone, Copy, Debug)]
struct Crowd {
    first: u32,
    last: u32,
}

/// Where a task stands in its sections.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Looks {
    count: u16,
    /// Whether its running strand ends with the access that is being made.
    was_last: bool,
    /// The last strand that ended so.
    last: u32,
    /// The first strand that ended so since the task's last operation; 0 if none did.
    run: u32,
}

/// Parts of one task that were overtaken, by the task that did so.
type Parts = FxHashMap<TaskId, Vec<Overtaken>>;

/// All of a run, by the reader's task.
#[derive(Debug, Default)]
pub(crate) struct Overtakings {
    any: AtomicBool,
    of_task: Mutex<FxHashMap<TaskId, Parts>>,
    any_crowd: AtomicBool,
    /// By the locks that exclude those who belong to a crowd, and by the task that overtook one.
    crowds: Mutex<FxHashMap<(LockSet, TaskId), Crowd>>,
}

impl Overtakings {
    fn of(&self, task: TaskId, strand: u32) -> SmallVec<[u32; 4]> {
        if !self.any.load(Ordering::Acquire) {
            return SmallVec::new();
        }
        let of_task = self.of_task.lock().unwrap_or_else(PoisonError::into_inner);
        let overtaken = of_task.get(&task).into_iter().flat_map(FxHashMap::values);
        overtaken
            .flatten()
            .filter(|part| part.read < strand && strand <= part.last)
            .map(|part| part.by)
            .collect()
    }

    /// Those that were overtaken under locks that count.
    fn of_crowds(&self, counts: impl Fn(LockSet) -> bool) -> SmallVec<[Crowd; 4]> {
        if !self.any_crowd.load(Ordering::Acquire) {
            return SmallVec::new();
        }
        let crowds = self.crowds.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = crowds.iter().filter(|((locks, _), _)| counts(*locks));
        counted.map(|(_, &crowd)| crowd).collect()
    }

    /// Forgets parts that no history names a strand of. Tells the strands that overtook the others.
    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn prune(
        &self,
        is_named: impl Fn(std::ops::Range<u32>) -> bool,
        mut named: impl FnMut(u32),
    ) {
        let mut of_task = self.of_task.lock().unwrap_or_else(PoisonError::into_inner);
        of_task.retain(|_, parts| {
            parts.retain(|_, parts| {
                parts.retain(|part| is_named(part.read + 1..part.last + 1));
                !parts.is_empty()
            });
            !parts.is_empty()
        });
        for part in of_task.values().flat_map(FxHashMap::values).flatten() {
            named(part.by);
        }
        let crowds = self.crowds.lock().unwrap_or_else(PoisonError::into_inner);
        for crowd in crowds.values() {
            named(crowd.first);
            named(crowd.last);
        }
    }
}

impl Cursor {
    /// An operation: its next access is another strand's.
    pub(crate) fn end_strand(&mut self) {
        self.strand = NO_STRAND;
        self.looks.run = 0;
    }

    /// It takes a lock.
    pub(crate) fn enter_section(&mut self) {
        if self.holds_nothing() {
            self.looks = Looks::default();
        } else {
            // Locks may be taken hand over hand, and there is always one that is held.
            self.looks.count = self.looks.count.min(1);
        }
    }

    /// Its running strand reads, in a section, what a later one may overwrite. Says behind which strand lies what may
    /// depend on that.
    pub(crate) fn looks(&mut self, strand: u32) -> u32 {
        if self.looks.count < LOOKS {
            self.looks.count += 1;
            self.looks.was_last = true;
            self.looks.last = strand;
        }
        self.looks.last
    }
}

impl Engine {
    /// An access begins, to any number of granules: it counts once for each group they belong to.
    #[inline]
    pub fn begin_access(&self, cache: &mut ThreadCache, cursor: &mut Cursor) {
        cache.torn.begin_access();
        if cursor.looks.was_last {
            cursor.looks.was_last = false;
            if cursor.looks.run == 0 {
                cursor.looks.run = cursor.strand;
            }
            cursor.strand = NO_STRAND;
            self.go_on_after_look(cursor);
        }
    }

    /// What the task does in the sections that it is in may depend on what it has read in them.
    pub(crate) fn go_on_after_look(&self, cursor: &mut Cursor) {
        if cursor.looks.count > 0 {
            let hold = self.exclusion.look(cursor.hold);
            cursor.hold = self.or_give_up(hold).unwrap_or(Hold::NOTHING);
        }
    }

    /// The task is about to overwrite, in a section, what others have read in sections of the same lock. The strand
    /// that does so begins here.
    pub(crate) fn overtake(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        state: StateId,
        mask: Mask,
    ) {
        let mut overtaken: SmallVec<[(u32, u32); 4]> = SmallVec::new();
        let mut has_crowd = false;
        let last = self.states.last(state);
        let wrote: SmallVec<[Hold; 4]> = self.states.held_at(last, mask).collect();
        for reader in self.states.read_at(last, mask) {
            let Reader::Strand(reader, read_in) = reader else {
                has_crowd = true;
                continue;
            };
            if self.forest.node(reader).task == cursor.task {
                continue;
            }
            for ended in self.exclusion.overtaken(read_in, cursor.hold, &wrote) {
                if !self.precedes(cache, cursor, ended) {
                    overtaken.push((reader, ended));
                }
            }
        }
        if overtaken.is_empty() && !has_crowd {
            return;
        }
        cursor.strand = NO_STRAND;
        let by = self.strand(cursor);
        for (read, last) in overtaken {
            self.note_overtaken(Overtaken { read, last, by });
        }
        if has_crowd {
            self.note_crowd(self.exclusion.set(cursor.hold), cursor.task, by);
        }
    }

    /// Whether `strand` is the running one, or parted from it by reads in sections alone: no edge leaves in between.
    #[inline]
    pub(crate) fn is_running(&self, cursor: &Cursor, strand: u32) -> bool {
        let run = cursor.looks.run;
        strand == cursor.strand
            || run != 0 && run <= strand && self.forest.node(strand).task == cursor.task
    }

    /// What the last writes of a granule held and who has read it since, after a read that a later section may overtake.
    pub(crate) fn look(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        before: LastId,
        now: Mark,
    ) -> Option<LastId> {
        let strand = cursor.looks(now.strand);
        let of = |reader, hold| (self.forest.node(reader).task, self.exclusion.set(hold));
        let read = Mark { strand, ..now };
        self.states.look(&mut cache.blocks, before, read, of)
    }

    /// Whether a read sees what it does only because of the sequence of sections, and is the first to do so: not if it
    /// was written or read in all the same sections before.
    pub(crate) fn may_be_overtaken(&self, last: LastId, now: Mark) -> bool {
        let is_own = |hold| self.exclusion.stays_in(now.hold, hold);
        let mut read = self.states.read_at(last, now.mask);
        self.exclusion.hands_over(now.hold)
            && !self.states.held_at(last, now.mask).any(is_own)
            && !read.any(|read| matches!(read, Reader::Strand(_, hold) if is_own(hold)))
    }

    fn note_overtaken(&self, part: Overtaken) {
        let task = |strand| self.forest.node(strand).task;
        let overtakings = &self.overtakings;
        let mut of_task = overtakings
            .of_task
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let parts = of_task.entry(task(part.read)).or_default();
        let parts = parts.entry(task(part.by)).or_default();
        parts.push(part);
        if parts.len() > APART {
            // The two oldest become one.
            let later = parts.remove(1);
            let first = &mut parts[0];
            first.read = first.read.min(later.read);
            first.last = first.last.max(later.last);
            first.by = first.by.min(later.by);
        }
        overtakings.any.store(true, Ordering::Release);
    }

    fn note_crowd(&self, locks: LockSet, task: TaskId, by: u32) {
        let overtakings = &self.overtakings;
        let mut crowds = overtakings
            .crowds
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let new = Crowd {
            first: by,
            last: by,
        };
        crowds.entry((locks, task)).or_insert(new).last = by;
        overtakings.any_crowd.store(true, Ordering::Release);
    }

    /// Whether what `earlier` did may not have happened if what the task does now had come first.
    pub(crate) fn is_overtaken(&self, cursor: &mut Cursor, earlier: u32) -> bool {
        let by = self.overtakings.of(self.forest.node(earlier).task, earlier);
        by.into_iter().any(|by| self.has_followed(cursor, by))
    }

    /// The same, of one of many who read what was overwritten, and held this.
    pub(crate) fn is_of_overtaken_crowd(&self, cursor: &mut Cursor, earlier: Mark) -> bool {
        if !self.exclusion.follows_look(earlier.hold) {
            return false;
        }
        let held = self.exclusion.set(earlier.hold);
        let excludes = |locks| !self.exclusion.disjoint(held, locks);
        self.has_followed_crowd(cursor, earlier.strand, excludes)
    }

    /// Whether many were overtaken, under locks that count, who may have done what `earlier` did.
    pub(crate) fn has_followed_crowd(
        &self,
        cursor: &mut Cursor,
        earlier: u32,
        counts: impl Fn(LockSet) -> bool,
    ) -> bool {
        let crowds = self.overtakings.of_crowds(counts);
        crowds.into_iter().any(|Crowd { first, last }| {
            !self.is_ordered(last, earlier) && self.has_followed(cursor, first)
        })
    }

    /// Whether the task is in this strand or after it, hand-offs counted.
    pub(crate) fn has_followed(&self, cursor: &mut Cursor, strand: u32) -> bool {
        let now = self.strand(cursor);
        strand == now || self.is_ordered(strand, now) || self.handed_over(cursor, strand)
    }
}
