//! Mutual exclusion: which locks protect an access, and in which section of each.
//!
//! A *section* is one acquisition of one lock, up to its release. A *hold* is the list of sections a task is in, one per
//! lock held; it travels with its task. Two accesses exclude each other if their holds have a lock in common that one of
//! them holds alone; a value was handed over if it was written in one section of a lock and read in a later one that
//! excludes it.

use crate::cells::Cells;
use crate::store::Store;
use crate::sync::{Arc, AtomicU32, Ordering, PoisonError, RwLock};
pub use heddle_core::LockMode;

use heddle_core::LockId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What a task holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Hold(u32);

impl Hold {
    /// No lock.
    pub const NOTHING: Self = Self(0);

    pub(crate) fn raw(self) -> u32 {
        self.0
    }
}

/// The lock that stands for atomic accesses: two of them never race. It has one section only, so that
/// nothing is handed over by it.
pub const ATOMIC: LockId = LockId::new(u32::MAX);

/// The lock that stands for a thread's accesses to storage of its own: two of them never race, whatever
/// tasks they belong to. Like [`ATOMIC`], it hands nothing over.
const OWNER: LockId = LockId::new(u32::MAX - 1);

/// A set of locks, each with its mode, whatever the sections; 0 is empty.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct LockSet(u32);

impl LockSet {
    pub(crate) const EMPTY: Self = Self(0);
}

/// One lock of a set.
pub(crate) type Member = (LockId, LockMode);

/// The locks of a set, in sequence: hardly ever more than a few.
type Members = SmallVec<[Member; 4]>;

/// A section of a lock.
#[derive(Clone, Copy, Debug)]
struct Section {
    /// 0 if it is over at once.
    number: u32,
    hands_over: bool,
    /// Its first strand; 0 if it does not matter.
    first: u32,
}

impl Section {
    const NONE: Self = Self {
        number: 0,
        hands_over: false,
        first: 0,
    };
}

/// One section a task is in, and those it was already in.
#[derive(Clone, Copy, Debug)]
struct Row {
    lock: LockId,
    mode: LockMode,
    section: Section,
    rest: Hold,
    set: LockSet,
    /// Whether the task has read something in these sections that a later one may overwrite.
    follows_look: bool,
}

/// The sections and lock sets of a run.
#[derive(Debug)]
pub(crate) struct Exclusion {
    rows: Store<Row>,
    sections: AtomicU32,
    /// The strand at whose end each section was left; 0 while it is not.
    released: Cells,
    sets: RwLock<Sets>,
}

#[derive(Debug, Default)]
struct Sets {
    members: Vec<Arc<[Member]>>,
    ids: FxHashMap<Arc<[Member]>, LockSet>,
}

impl Exclusion {
    pub(crate) fn new(capacity: u32) -> Option<Self> {
        let rows = Store::new(capacity)?;
        let nothing = Row {
            lock: LockId::ISOLATED,
            mode: LockMode::Exclusive,
            section: Section::NONE,
            rest: Hold::NOTHING,
            set: LockSet::EMPTY,
            follows_look: false,
        };
        rows.push(nothing)?;
        let mut sets = Sets::default();
        sets.intern(&[]);
        let released = Cells::new(capacity as usize)?;
        Some(Self {
            rows,
            sections: AtomicU32::new(1),
            released,
            sets: RwLock::new(sets),
        })
    }

    /// What is held after taking `lock` on top of `hold`.
    pub(crate) fn acquire(&self, hold: Hold, member: Member, first: u32) -> Option<Hold> {
        let section = Section {
            number: self.next_section(),
            hands_over: true,
            first,
        };
        self.add(hold, member, section)
    }

    fn next_section(&self) -> u32 {
        self.sections.fetch_add(1, Ordering::Relaxed)
    }

    /// The first strand of the section of `lock` that a task is in, and how it holds the lock.
    pub(crate) fn entered(&self, hold: Hold, lock: LockId) -> Option<(u32, LockMode)> {
        let row = self.sections(hold).find(|row| row.lock == lock)?;
        Some((row.section.first, row.mode))
    }

    /// The same, for a lock that hands nothing over.
    pub(crate) fn exclude(&self, hold: Hold, lock: LockId) -> Option<Hold> {
        let section = Section {
            number: self.next_section(),
            ..Section::NONE
        };
        self.add(hold, (lock, LockMode::Exclusive), section)
    }

    /// What an atomic access holds, made while `hold` is held.
    pub(crate) fn atomically(&self, hold: Hold) -> Option<Hold> {
        self.add(hold, (ATOMIC, LockMode::Exclusive), Section::NONE)
    }

    /// What a thread's access to its own storage holds, made while `hold` is held.
    pub(crate) fn privately(&self, hold: Hold) -> Option<Hold> {
        self.add(hold, (OWNER, LockMode::Exclusive), Section::NONE)
    }

    /// What is held after giving `lock` back at the end of `strand`.
    pub(crate) fn release(&self, hold: Hold, lock: LockId, strand: u32) -> Option<Hold> {
        let sections: SmallVec<[Row; 4]> = self.sections(hold).collect();
        let at = sections.iter().position(|row| row.lock == lock)?;
        if let Some(cell) = self.released.get(u64::from(sections[at].section.number)) {
            cell.store(strand, Ordering::Release);
        }
        let below = sections[at].rest;
        sections[..at].iter().rev().try_fold(below, |hold, row| {
            self.add(hold, (row.lock, row.mode), row.section)
        })
    }

    fn add(&self, rest: Hold, (lock, mode): Member, section: Section) -> Option<Hold> {
        let held = self.sections(rest).map(|row| (row.lock, row.mode));
        let mut members: Members = held.chain([(lock, mode)]).collect();
        members.sort_unstable();
        members.dedup();
        let set = self.intern(&members);
        let row = Row {
            lock,
            mode,
            section,
            rest,
            set,
            follows_look: self.follows_look(rest),
        };
        self.rows.push(row).map(Hold)
    }

    /// What is held after a read that a later section may overtake: the same.
    pub(crate) fn look(&self, hold: Hold) -> Option<Hold> {
        if hold == Hold::NOTHING || self.follows_look(hold) {
            return Some(hold);
        }
        let row = Row {
            follows_look: true,
            ..self.rows.get(hold.0)
        };
        self.rows.push(row).map(Hold)
    }

    /// Whether such a read came before, in these sections: what is done now may depend on it.
    pub(crate) fn follows_look(&self, hold: Hold) -> bool {
        hold != Hold::NOTHING && self.rows.get(hold.0).follows_look
    }

    /// The number of a set, which is hardly ever a new one.
    fn intern(&self, members: &[Member]) -> LockSet {
        self.known(members).unwrap_or_else(|| {
            let mut sets = self.sets.write().unwrap_or_else(PoisonError::into_inner);
            sets.intern(members)
        })
    }

    fn sections(&self, hold: Hold) -> impl Iterator<Item = Row> + '_ {
        let mut at = hold;
        std::iter::from_fn(move || {
            let row = (at != Hold::NOTHING).then(|| self.rows.get(at.0))?;
            at = row.rest;
            Some(row)
        })
    }

    /// The locks held, ascending. That a thread's storage is its own is no lock to anyone else.
    pub(crate) fn locks(&self, hold: Hold) -> Vec<LockId> {
        let held = self.sections(hold).map(|row| row.lock);
        let mut locks: Vec<LockId> = held.filter(|&lock| lock != OWNER).collect();
        locks.sort_unstable();
        locks
    }

    pub(crate) fn set(&self, hold: Hold) -> LockSet {
        match hold {
            Hold::NOTHING => LockSet::EMPTY,
            _ => self.rows.get(hold.0).set,
        }
    }

    /// Whether a later section of one of the locks may depend on what is done under them.
    pub(crate) fn hands_over(&self, hold: Hold) -> bool {
        self.sections(hold).any(|row| row.section.hands_over)
    }

    /// Whether `hold` is in no section that `earlier` was not in.
    pub(crate) fn stays_in(&self, hold: Hold, earlier: Hold) -> bool {
        let mut sections = self.sections(hold).filter(|row| row.section.hands_over);
        sections.all(|row| self.is_in(earlier, row.section.number))
    }

    fn is_in(&self, hold: Hold, section: u32) -> bool {
        self.sections(hold).any(|row| row.section.number == section)
    }

    /// Whether the two do not exclude each other: no lock in common that one of them holds alone.
    pub(crate) fn disjoint(&self, a: LockSet, b: LockSet) -> bool {
        if a == LockSet::EMPTY || b == LockSet::EMPTY {
            return true;
        }
        let (a, b) = (self.members(a), self.members(b));
        let excludes = |&(lock, mode): &Member| {
            b.iter()
                .any(|&(other, how)| other == lock && mode.excludes(how))
        };
        !a.iter().any(excludes)
    }

    /// Whether `b` excludes whatever `a` excludes.
    pub(crate) fn within(&self, a: LockSet, b: LockSet) -> bool {
        if a == LockSet::EMPTY || a == b {
            return true;
        }
        let (a, b) = (self.members(a), self.members(b));
        a.iter()
            .all(|&(lock, mode)| b.iter().any(|&(other, how)| other == lock && how >= mode))
    }

    /// The locks held without a break from one hold to a later one of the same task: those of which both
    /// are in the same section.
    pub(crate) fn kept(&self, from: Hold, to: Hold) -> LockSet {
        if from == Hold::NOTHING || to == Hold::NOTHING {
            return LockSet::EMPTY;
        }
        let is_kept = |row: &Row| {
            let section = row.section.number;
            let same = |other: Row| other.lock == row.lock && other.section.number == section;
            section != 0 && self.sections(to).any(same)
        };
        let kept = self.sections(from).filter(is_kept);
        let mut kept: Members = kept.map(|row| (row.lock, row.mode)).collect();
        if kept.is_empty() {
            return LockSet::EMPTY;
        }
        kept.sort_unstable();
        kept.dedup();
        self.intern(&kept)
    }

    fn known(&self, members: &[Member]) -> Option<LockSet> {
        let sets = self.sets.read().unwrap_or_else(PoisonError::into_inner);
        sets.ids.get(members).copied()
    }

    fn members(&self, set: LockSet) -> Arc<[Member]> {
        let sets = self.sets.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&sets.members[set.0 as usize])
    }

    /// The strands that ended sections of `wrote` on locks of which `now` is in a later section.
    pub(crate) fn handed_from(&self, wrote: Hold, now: Hold) -> SmallVec<[u32; 4]> {
        self.ended_before(wrote, now, |_| true)
    }

    /// The strands that ended sections of `read` on locks of which `now` is in a later section, unless the value read was
    /// written in that section.
    pub(crate) fn overtaken(&self, read: Hold, now: Hold, wrote: &[Hold]) -> SmallVec<[u32; 4]> {
        self.ended_before(read, now, |row| {
            let section = row.section.number;
            !wrote.iter().any(|&wrote| self.is_in(wrote, section))
        })
    }

    fn ended_before(
        &self,
        earlier: Hold,
        now: Hold,
        counts: impl Fn(&Row) -> bool,
    ) -> SmallVec<[u32; 4]> {
        let later = |row: &Row| {
            self.sections(now).any(|held| {
                held.lock == row.lock
                    && held.section.number != row.section.number
                    && held.mode.excludes(row.mode)
            })
        };
        let earlier = self.sections(earlier).filter(|row| row.section.hands_over);
        let earlier = earlier.filter(|row| counts(row) && later(row));
        let ended = |row: Row| {
            let cell = self.released.get(u64::from(row.section.number))?;
            Some(cell.load(Ordering::Acquire)).filter(|&strand| strand != 0)
        };
        earlier.filter_map(ended).collect()
    }
}

impl Sets {
    fn intern(&mut self, members: &[Member]) -> LockSet {
        if let Some(&set) = self.ids.get(members) {
            return set;
        }
        let members: Arc<[Member]> = members.into();
        let set = LockSet(self.members.len() as u32);
        self.members.push(Arc::clone(&members));
        self.ids.insert(members, set);
        set
    }
}

/// Finds sections that nothing refers to.
#[cfg(not(feature = "shuttle"))]
mod reclaim {
    use super::{Exclusion, Hold, Ordering, Row};
    use crate::store::{Bits, Pages};
    use crate::sync::AtomicU32;

    /// What is referred to.
    #[derive(Debug)]
    pub(crate) struct UsedSections {
        rows: Bits,
        sections: Bits,
    }

    /// What was given back.
    #[derive(Debug, Default)]
    pub(crate) struct GoneSections {
        rows: Pages,
        released: Pages,
    }

    impl Exclusion {
        /// Nothing is referred to yet.
        pub(crate) fn unused(&self) -> UsedSections {
            UsedSections {
                rows: Bits::new(self.rows.len()),
                sections: Bits::new(self.sections.load(Ordering::Relaxed)),
            }
        }

        /// What was done under `hold` is of interest. Tells the strands with which its sections began and ended.
        pub(crate) fn note(&self, used: &mut UsedSections, hold: Hold, mut named: impl FnMut(u32)) {
            let mut at = hold;
            while at != Hold::NOTHING && used.rows.set(at.0) {
                let Row { section, rest, .. } = self.rows.get(at.0);
                if section.number != 0 && used.sections.set(section.number) {
                    named(section.first);
                    named(self.last_of(section.number));
                }
                at = rest;
            }
        }

        /// The same for all sections that are not over.
        pub(crate) fn note_open(
            &self,
            used: &mut UsedSections,
            gone: &GoneSections,
            mut named: impl FnMut(u32),
        ) {
            for row in gone.rows.present::<Row>(self.rows.len() as usize) {
                let section = self.rows.get(row as u32).section.number;
                let is_gone = gone.released.has_released::<AtomicU32>(section as usize);
                if section != 0 && !is_gone && self.last_of(section) == 0 {
                    self.note(used, Hold(row as u32), &mut named);
                }
            }
        }

        /// The strand that ended a section; 0 if none has.
        fn last_of(&self, section: u32) -> u32 {
            let cell = self.released.get(u64::from(section));
            cell.map_or(0, |cell| cell.load(Ordering::Acquire))
        }

        /// How many rows are still there.
        #[cfg(test)]
        pub(crate) fn there(&self, gone: &GoneSections) -> usize {
            gone.rows.present::<Row>(self.rows.len() as usize).count()
        }

        /// Gives back the memory of what is unused for the second time.
        pub(crate) fn release_unused(&self, gone: &mut GoneSections, used: &UsedSections) {
            let is_dead = |row: usize| row != 0 && !used.rows.has(row as u32);
            self.rows.release(&mut gone.rows, is_dead);
            let sections = self.sections.load(Ordering::Relaxed) as usize;
            let is_dead = |section: usize| !used.sections.has(section as u32);
            let released = self.released.reserved();
            released.release(&mut gone.released, sections, is_dead);
        }
    }
}

#[cfg(not(feature = "shuttle"))]
pub(crate) use reclaim::{GoneSections, UsedSections};
