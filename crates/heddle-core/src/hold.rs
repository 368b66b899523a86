//! What is held: which locks protect an access, and in which section of each.
//!
//! A *section* is one acquisition of one lock, up to its release. A *hold* is the set of sections a
//! task is in; every acquire and release makes the next one. Two accesses exclude each other if
//! their holds have a lock in common; a value was handed over if it was written in one section of
//! a lock and read in a later one.

use crate::id::{LockId, StrandId, TaskId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A row of [`Holds`]; 0 is "nothing held".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HoldId(u32);

impl HoldId {
    /// No lock is held.
    pub const NOTHING: Self = Self(0);
}

/// A row of the sections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SectionId(u32);

/// A set of locks, whatever the sections; 0 is the empty one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LockSetId(u32);

impl LockSetId {
    /// No lock.
    pub const EMPTY: Self = Self(0);
}

type LockSet = SmallVec<[LockId; 2]>;

#[derive(Clone, Debug)]
struct Hold {
    /// Ascending by lock.
    sections: SmallVec<[(LockId, SectionId); 2]>,
    locks: LockSetId,
}

/// The holds and sections of one run, and what each task holds.
#[derive(Debug)]
pub struct Holds {
    holds: Vec<Hold>,
    lock_sets: Vec<LockSet>,
    ids: FxHashMap<LockSet, LockSetId>,
    /// The strand at whose end each section was released.
    released: Vec<Option<StrandId>>,
    /// What suspended tasks hold; tasks that hold nothing are absent.
    of_task: FxHashMap<TaskId, HoldId>,
    running: TaskId,
    current: HoldId,
}

impl Holds {
    /// Nothing held, the main task running.
    pub fn new() -> Self {
        Self {
            holds: vec![Hold {
                sections: SmallVec::new(),
                locks: LockSetId::EMPTY,
            }],
            lock_sets: vec![LockSet::new()],
            ids: FxHashMap::default(),
            released: Vec::new(),
            of_task: FxHashMap::default(),
            running: TaskId::MAIN,
            current: HoldId::NOTHING,
        }
    }

    /// What the running task holds.
    #[inline(always)]
    pub fn current(&self) -> HoldId {
        self.current
    }

    /// `task` becomes the running task.
    #[inline]
    pub fn switch(&mut self, task: TaskId) {
        if self.current != HoldId::NOTHING || !self.of_task.is_empty() {
            self.switch_slow(task);
        }
        self.running = task;
    }

    #[cold]
    fn switch_slow(&mut self, task: TaskId) {
        match self.current {
            HoldId::NOTHING => self.of_task.remove(&self.running),
            held => self.of_task.insert(self.running, held),
        };
        self.current = self.of_task.get(&task).copied().unwrap_or(HoldId::NOTHING);
    }

    /// The running task enters a new section of `lock`.
    pub fn acquire(&mut self, lock: LockId) {
        let section = SectionId(self.released.len() as u32);
        self.released.push(None);
        let mut sections = self.hold(self.current).sections.clone();
        sections.push((lock, section));
        sections.sort_unstable_by_key(|&(lock, _)| lock);
        self.set(sections);
    }

    /// The running task leaves its section of `lock` at the end of `strand`.
    pub fn release(&mut self, lock: LockId, strand: StrandId) {
        let mut sections = self.hold(self.current).sections.clone();
        if let Some(at) = sections.iter().position(|&(held, _)| held == lock) {
            let (_, section) = sections.remove(at);
            self.released[section.0 as usize] = Some(strand);
        }
        self.set(sections);
    }

    fn set(&mut self, sections: SmallVec<[(LockId, SectionId); 2]>) {
        if sections.is_empty() {
            self.current = HoldId::NOTHING;
            return;
        }
        let locks = self.intern(sections.iter().map(|&(lock, _)| lock).collect());
        self.current = HoldId(self.holds.len() as u32);
        self.holds.push(Hold { sections, locks });
    }

    fn intern(&mut self, locks: LockSet) -> LockSetId {
        let next = LockSetId(self.lock_sets.len() as u32);
        let id = *self.ids.entry(locks.clone()).or_insert(next);
        if id == next {
            self.lock_sets.push(locks);
        }
        id
    }

    fn hold(&self, hold: HoldId) -> &Hold {
        &self.holds[hold.0 as usize]
    }

    /// The locks of a hold.
    #[inline]
    pub fn lock_set(&self, hold: HoldId) -> LockSetId {
        match hold {
            HoldId::NOTHING => LockSetId::EMPTY,
            _ => self.hold(hold).locks,
        }
    }

    /// Whether the two have no lock in common.
    #[inline]
    pub fn disjoint(&self, a: LockSetId, b: LockSetId) -> bool {
        a == LockSetId::EMPTY || b == LockSetId::EMPTY || self.disjoint_slow(a, b)
    }

    fn disjoint_slow(&self, a: LockSetId, b: LockSetId) -> bool {
        let b = &self.lock_sets[b.0 as usize];
        !self.lock_sets[a.0 as usize]
            .iter()
            .any(|lock| b.contains(lock))
    }

    /// Whether every lock of `a` is one of `b`.
    #[inline]
    pub fn within(&self, a: LockSetId, b: LockSetId) -> bool {
        a == LockSetId::EMPTY || a == b || self.within_slow(a, b)
    }

    fn within_slow(&self, a: LockSetId, b: LockSetId) -> bool {
        let b = &self.lock_sets[b.0 as usize];
        self.lock_sets[a.0 as usize]
            .iter()
            .all(|lock| b.contains(lock))
    }

    /// The strands that ended sections of `wrote` on locks of which the running task is now in a
    /// later section.
    pub fn handed_from(&self, wrote: HoldId) -> SmallVec<[StrandId; 2]> {
        let now = &self.hold(self.current).sections;
        let later = |&&(lock, section): &&(LockId, SectionId)| {
            now.iter()
                .any(|&(held, other)| held == lock && other != section)
        };
        let wrote = self.hold(wrote).sections.iter().filter(later);
        wrote
            .filter_map(|&(_, section)| self.released[section.0 as usize])
            .collect()
    }

    /// The locks held without a break from one hold to a later one of the same task: those of
    /// which both are in the same section.
    pub fn kept(&mut self, from: HoldId, to: HoldId) -> LockSetId {
        if from == HoldId::NOTHING || to == HoldId::NOTHING {
            return LockSetId::EMPTY;
        }
        if from == to {
            return self.lock_set(from);
        }
        let later = &self.hold(to).sections;
        let kept = self.hold(from).sections.iter();
        let kept: LockSet = kept
            .filter(|section| later.contains(section))
            .map(|&(lock, _)| lock)
            .collect();
        match kept.is_empty() {
            true => LockSetId::EMPTY,
            false => self.intern(kept),
        }
    }

    /// The locks of a hold, ascending.
    pub fn locks(&self, hold: HoldId) -> Vec<LockId> {
        self.hold(hold)
            .sections
            .iter()
            .map(|&(lock, _)| lock)
            .collect()
    }
}

impl Default for Holds {
    fn default() -> Self {
        Self::new()
    }
}
