//! What of a run's past its future races depend on, as a key that does not depend on the way
//! here.
//!
//! Claim: it is enough to compare an access with those that do not precede any choice taken so
//! far. Proof: let `a` and `b` race in some schedule. Leave out every choice that precedes neither
//! `a` nor `b`: what is left is a schedule, in which `a` and `b` still race. A choice that `a`
//! precedes is not left, for it would precede `b`, and `a` would precede `b`; and likewise the
//! other way round. So when the later of the two is executed, the other one precedes no choice.
//!
//! Of two accesses of which one lies in a closed section, that section can come last, since
//! nothing leaves it before its end. So an access in a closed section need not be
//! remembered at all, unless one in another closed section can race with it: one under other
//! locks. Locations that are touched in closed sections under different locks are *mixed*; the
//! search begins anew when it finds one (see [`Mixed`]).
//!
//! So the key has, for each access that precedes no choice and is not in a closed section (or is
//! to a mixed location): what it is, and who knows of it (live tasks, open finishes, tokens,
//! locks, ended tasks that can be joined).

use std::sync::Mutex;

use heddle_core::{LockMode, TaskId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::history::Mark;
use super::{Past, Watch};
use crate::fingerprint::{Fingerprint, State, pair};

/// The locations that closed sections touch, and under which locks.
#[derive(Debug, Default)]
pub struct Mixed {
    /// By the name of the location: the locks held exclusively at every access in a closed section so far.
    held: FxHashMap<u64, SmallVec<[u32; 2]>>,
    /// Where no lock was held at all of them.
    mixed: FxHashSet<u64>,
    /// Whether `mixed` grew since the search began.
    grew: bool,
    /// Whether all locations are taken for mixed.
    everything: bool,
}

impl Mixed {
    /// Takes all locations for mixed.
    pub fn everything() -> Self {
        Self {
            everything: true,
            ..Self::default()
        }
    }

    fn has(&self, location: u64) -> bool {
        self.everything || self.mixed.contains(&location)
    }

    /// Whether the search must begin anew. If so, the next one knows.
    pub fn begin_again(&mut self) -> bool {
        std::mem::take(&mut self.grew)
    }

    fn note(&mut self, location: u64, mark: &Mark) {
        if self.has(location) {
            return;
        }
        let alone = mark
            .locks
            .iter()
            .filter(|(_, mode)| *mode == LockMode::Exclusive);
        let locks = alone.map(|&(lock, _)| lock);
        match self.held.get_mut(&location) {
            None => {
                self.held.insert(location, locks.collect());
            }
            Some(common) => {
                let locks: SmallVec<[u32; 2]> = locks.collect();
                common.retain(|lock| locks.contains(lock));
                if common.is_empty() {
                    self.mixed.insert(location);
                    self.grew = true;
                }
            }
        }
    }
}

impl Watch {
    /// The key of the run's state, of which the program's part was added up in `state`.
    pub fn key(&self, state: State, mixed: &Mutex<Mixed>) -> Fingerprint {
        let (mut key, joinable) = state.parts();
        let mut mixed = mixed
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut rows: SmallVec<[u64; 16]> = SmallVec::new();
        for (location, mark) in self.histories.marks() {
            let name = self.names.location(location);
            if mark.is_closed {
                mixed.note(name, mark);
                if !mixed.has(name) {
                    continue;
                }
            }
            if !self.settled.has(mark.strand) {
                rows.push(self.row(name, mark, &joinable));
            }
        }
        rows.sort_unstable();
        rows.dedup();
        for row in rows {
            key.add(row);
        }
        key
    }

    /// An access and who knows of it, as one word.
    fn row(&self, location: u64, mark: &Mark, joinable: &[TaskId]) -> u64 {
        let mut row = pair(location, u64::from(mark.site.raw()) << 1 | mark.kind as u64);
        for &(lock, mode) in &mark.locks {
            row = pair(row, u64::from(lock) << 1 | mode as u64);
        }
        let mut knowers = 0u64;
        let mut note = |name: u64, past: &Past| {
            if past.has(mark.strand) {
                // A sum does not depend on the sequence.
                knowers = knowers.wrapping_add(pair(row, name));
            }
        };
        for (number, task) in (0..).zip(&self.tasks) {
            let id = TaskId::new(number);
            if !task.has_ended || joinable.contains(&id) {
                note(self.names.task(id), &task.past);
            }
        }
        let mut nested: FxHashMap<u32, u64> = FxHashMap::default();
        for finish in self.finishes.iter().filter(|finish| finish.is_open) {
            let place = nested.entry(finish.owner).or_default();
            *place += 1;
            let owner = self.names.task(TaskId::new(finish.owner));
            note(pair(owner, *place), &finish.past);
        }
        for (number, past) in (0u64..).zip(&self.tokens) {
            note(pair(u64::MAX, number), past);
        }
        for (number, lock) in (0u64..).zip(&self.locks) {
            note(pair(u64::MAX - 1, number), &lock.all);
            note(pair(u64::MAX - 2, number), &lock.open);
            for (&touched, passed) in lock.touched.iter() {
                let place = pair(number, self.names.location(touched));
                note(pair(u64::MAX - 3, place), &passed.reads);
                note(pair(u64::MAX - 4, place), &passed.writes);
            }
        }
        pair(row, knowers)
    }
}
