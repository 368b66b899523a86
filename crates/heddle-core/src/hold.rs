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

type Hold = SmallVec<[(LockId, SectionId); 2]>;

/// The holds and sections of one run, and what each task holds.
#[derive(Debug)]
pub struct Holds {
    holds: Vec<Hold>,
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
            holds: vec![Hold::new()],
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
        let mut hold = self.holds[self.current.0 as usize].clone();
        hold.push((lock, section));
        hold.sort_unstable_by_key(|&(lock, _)| lock);
        self.set(hold);
    }

    /// The running task leaves its section of `lock` at the end of `strand`.
    pub fn release(&mut self, lock: LockId, strand: StrandId) {
        let mut hold = self.holds[self.current.0 as usize].clone();
        if let Some(at) = hold.iter().position(|&(held, _)| held == lock) {
            let (_, section) = hold.remove(at);
            self.released[section.0 as usize] = Some(strand);
        }
        self.set(hold);
    }

    fn set(&mut self, hold: Hold) {
        self.current = if hold.is_empty() {
            HoldId::NOTHING
        } else {
            self.holds.push(hold);
            HoldId((self.holds.len() - 1) as u32)
        };
    }

    /// Whether the two have no lock in common.
    #[inline]
    pub fn disjoint(&self, a: HoldId, b: HoldId) -> bool {
        a == HoldId::NOTHING || b == HoldId::NOTHING || self.disjoint_slow(a, b)
    }

    fn disjoint_slow(&self, a: HoldId, b: HoldId) -> bool {
        let b = &self.holds[b.0 as usize];
        !self.holds[a.0 as usize]
            .iter()
            .any(|(lock, _)| b.iter().any(|(other, _)| other == lock))
    }

    /// Whether every lock of `a` is one of `b`.
    #[inline]
    pub fn within(&self, a: HoldId, b: HoldId) -> bool {
        a == HoldId::NOTHING || a == b || self.within_slow(a, b)
    }

    fn within_slow(&self, a: HoldId, b: HoldId) -> bool {
        let b = &self.holds[b.0 as usize];
        self.holds[a.0 as usize]
            .iter()
            .all(|(lock, _)| b.iter().any(|(other, _)| other == lock))
    }

    /// The strands that ended sections of `wrote` on locks of which the running task is now in a
    /// later section.
    pub fn handed_from(&self, wrote: HoldId) -> SmallVec<[StrandId; 2]> {
        let now = &self.holds[self.current.0 as usize];
        let later = |&&(lock, section): &&(LockId, SectionId)| {
            now.iter()
                .any(|&(held, other)| held == lock && other != section)
        };
        let wrote = self.holds[wrote.0 as usize].iter().filter(later);
        wrote
            .filter_map(|&(_, section)| self.released[section.0 as usize])
            .collect()
    }

    /// The locks of a hold, ascending.
    pub fn locks(&self, hold: HoldId) -> Vec<LockId> {
        self.holds[hold.0 as usize]
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
