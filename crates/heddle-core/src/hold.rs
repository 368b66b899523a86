//! What is held: which locks protect an access, and in which section of each.
//!
//! A *section* is one acquisition of one lock, up to its release. A *hold* is the set of sections a
//! task is in; every acquire and release makes the next one. Two accesses exclude each other if
//! their holds have a lock in common that one of them holds alone; a value was handed over if it was
//! written in one section of a lock and read in a later one that excludes it.

use crate::event::LockMode;
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

/// A set of locks, each with its mode, whatever the sections; 0 is the empty one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LockSetId(u32);

impl LockSetId {
    /// No lock.
    pub const EMPTY: Self = Self(0);
}

/// One lock of a set.
type Member = (LockId, LockMode);

type LockSet = SmallVec<[Member; 2]>;

/// One lock that is held, and in which section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Held {
    lock: LockId,
    mode: LockMode,
    section: SectionId,
}

impl Held {
    fn member(&self) -> Member {
        (self.lock, self.mode)
    }

    /// Whether it excludes `other`, a section of the same lock.
    fn excludes(&self, other: &Self) -> bool {
        self.section != other.section && excludes(self.member(), other.member())
    }
}

/// Whether the two cannot be held at the same time.
fn excludes((lock, mode): Member, (other, how): Member) -> bool {
    lock == other && mode.excludes(how)
}

#[derive(Clone, Debug)]
struct Hold {
    /// Ascending by lock.
    sections: SmallVec<[Held; 2]>,
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
    pub fn acquire(&mut self, lock: LockId, mode: LockMode) {
        let section = SectionId(self.released.len() as u32);
        self.released.push(None);
        let mut sections = self.hold(self.current).sections.clone();
        sections.push(Held {
            lock,
            mode,
            section,
        });
        sections.sort_unstable_by_key(|held| held.lock);
        self.set(sections);
    }

    /// The running task leaves its section of `lock` at the end of `strand`.
    pub fn release(&mut self, lock: LockId, strand: StrandId) {
        let mut sections = self.hold(self.current).sections.clone();
        if let Some(at) = sections.iter().position(|held| held.lock == lock) {
            let left = sections.remove(at);
            self.released[left.section.0 as usize] = Some(strand);
        }
        self.set(sections);
    }

    fn set(&mut self, sections: SmallVec<[Held; 2]>) {
        if sections.is_empty() {
            self.current = HoldId::NOTHING;
            return;
        }
        let locks = self.intern(sections.iter().map(Held::member).collect());
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

    /// Whether the two do not exclude each other: no lock in common that one of them holds alone.
    #[inline]
    pub fn disjoint(&self, a: LockSetId, b: LockSetId) -> bool {
        a == LockSetId::EMPTY || b == LockSetId::EMPTY || self.disjoint_slow(a, b)
    }

    fn disjoint_slow(&self, a: LockSetId, b: LockSetId) -> bool {
        let b = &self.lock_sets[b.0 as usize];
        !self.lock_sets[a.0 as usize]
            .iter()
            .any(|&member| b.iter().any(|&other| excludes(member, other)))
    }

    /// Whether `b` excludes whatever `a` excludes.
    #[inline]
    pub fn within(&self, a: LockSetId, b: LockSetId) -> bool {
        a == LockSetId::EMPTY || a == b || self.within_slow(a, b)
    }

    fn within_slow(&self, a: LockSetId, b: LockSetId) -> bool {
        let b = &self.lock_sets[b.0 as usize];
        self.lock_sets[a.0 as usize]
            .iter()
            .all(|&(lock, mode)| b.iter().any(|&(held, how)| held == lock && how >= mode))
    }

    /// The strands that ended sections of `wrote` on locks of which the running task is now in a
    /// later section that excludes them.
    pub fn handed_from(&self, wrote: HoldId) -> SmallVec<[StrandId; 2]> {
        let now = &self.hold(self.current).sections;
        let is_over = |earlier: &&Held| now.iter().any(|held| held.excludes(earlier));
        let wrote = self.hold(wrote).sections.iter().filter(is_over);
        wrote
            .filter_map(|held| self.released[held.section.0 as usize])
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
            .map(Held::member)
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
            .map(|held| held.lock)
            .collect()
    }
}

impl Default for Holds {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use LockMode::{Exclusive, Shared};

    const L: LockId = LockId::new(1);
    const END: StrandId = StrandId::new(7);

    /// What is held in a new section of a lock, by itself.
    fn section(holds: &mut Holds, mode: LockMode) -> HoldId {
        holds.acquire(L, mode);
        let hold = holds.current();
        holds.release(L, END);
        hold
    }

    #[test]
    fn only_two_shared_holds_of_a_lock_do_not_exclude_each_other() {
        let mut holds = Holds::new();
        let [shared, alone] = [Shared, Exclusive].map(|mode| {
            let hold = section(&mut holds, mode);
            holds.lock_set(hold)
        });
        assert!(holds.disjoint(shared, shared));
        assert!(!holds.disjoint(shared, alone));
        assert!(!holds.disjoint(alone, shared));
        assert!(!holds.disjoint(alone, alone));
    }

    #[test]
    fn a_shared_hold_is_within_an_exclusive_one_and_not_the_other_way_round() {
        let mut holds = Holds::new();
        let [shared, alone] = [Shared, Exclusive].map(|mode| {
            let hold = section(&mut holds, mode);
            holds.lock_set(hold)
        });
        assert!(holds.within(shared, alone));
        assert!(!holds.within(alone, shared));
    }

    #[test]
    fn readers_hand_nothing_over_to_readers() {
        let mut holds = Holds::new();
        let [shared, alone] = [Shared, Exclusive].map(|mode| section(&mut holds, mode));
        holds.acquire(L, Shared);
        assert!(holds.handed_from(shared).is_empty());
        assert_eq!(holds.handed_from(alone)[..], [END]);
        holds.release(L, END);
        holds.acquire(L, Exclusive);
        assert_eq!(holds.handed_from(shared)[..], [END]);
    }

    #[test]
    fn a_section_is_kept_with_its_mode() {
        let mut holds = Holds::new();
        let other = section(&mut holds, Shared);
        holds.acquire(L, Shared);
        let first = holds.current();
        holds.acquire(LockId::new(2), Exclusive);
        let last = holds.current();
        let (kept, alone) = (holds.kept(first, last), section(&mut holds, Exclusive));
        let (other, alone) = (holds.lock_set(other), holds.lock_set(alone));
        assert!(holds.disjoint(kept, other));
        assert!(!holds.disjoint(kept, alone));
    }
}
