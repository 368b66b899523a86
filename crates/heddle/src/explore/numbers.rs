//! Numbers that mean the same in every run of an explored program.
//!
//! Shared values are numbered by who makes them: the name of the task, and how many it made before.
//! A lock is known only when it is first used, by where it was made; of several made
//! at one place, the one that is used first in a run is the first. So one number may be another lock in
//! another schedule. That does no harm: as long as two schedules are the same they agree, and of two
//! ways to go on that both use a lock of that place for the first time, both use the same number,
//! and count as dependent.

use crate::locations::{Label, Labelled};
use crate::locks::LockLabel;
use crate::sites::{Caller, Sites};
use heddle_core::{LockId, SiteId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locations of explored values begin here: no number that a check hands out is as large.
pub(crate) const FIRST_LOCATION: u64 = 1 << 37;

/// Positions of panics are numbered from here on, apart from those of calls.
const FIRST_PANIC: u32 = 1 << 30;

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) sites: Sites,
    tables: Mutex<Tables>,
}

#[derive(Debug, Default)]
struct Tables {
    values: FxHashMap<(u64, u32), u64>,
    labels: BTreeMap<u64, (u64, Label)>,
    next: u64,
    locks: FxHashMap<(usize, u32), LockId>,
    lock_names: Vec<String>,
    panics: Vec<Panic>,
}

/// Where a panic came from, and what it said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Panic {
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) message: String,
}

impl Numbers {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first location of the value that this task makes as its `count`th.
    pub(super) fn value(&self, task: u64, count: u32, len: u64, label: Label) -> u64 {
        let mut tables = self.tables();
        let next = FIRST_LOCATION + tables.next;
        let start = *tables.values.entry((task, count)).or_insert(next);
        if start == next {
            tables.next += len.max(1);
        }
        tables.labels.insert(start, (len, label));
        start
    }

    /// The value at `start` is called so.
    pub(super) fn rename(&self, start: u64, name: &'static str) {
        if let Some((_, label)) = self.tables().labels.get_mut(&start) {
            label.name = Some(name);
        }
    }

    /// What to call a location.
    pub(super) fn label(&self, location: u64) -> Option<Labelled> {
        let tables = self.tables();
        let (&start, &(len, label)) = tables.labels.range(..=location).next_back()?;
        let index = location - start;
        (index < len).then_some(Labelled {
            label,
            index: (len > 1).then_some(index),
        })
    }

    /// The lock that is the `count`th of those made at its place, from 0 on. The next number stands for
    /// whether it is held.
    pub(super) fn lock(&self, place: usize, count: u32, label: &LockLabel) -> LockId {
        let mut tables = self.tables();
        let next = LockId::new(tables.lock_names.len() as u32 + 1);
        let lock = *tables.locks.entry((place, count)).or_insert(next);
        if lock == next {
            let name = match count {
                0 => label.to_string(),
                _ => format!("{label}#{}", count + 1),
            };
            let state = format!("whether {name} is held");
            tables.lock_names.extend([name, state]);
        }
        lock
    }

    /// Names of all locks; row `n` is lock `n + 1`.
    pub(super) fn lock_names(&self) -> Vec<String> {
        self.tables().lock_names.clone()
    }

    pub(super) fn site(&self, caller: Caller) -> SiteId {
        self.sites.id(caller)
    }

    /// The position of a panic.
    pub(super) fn panic(&self, panic: Panic) -> SiteId {
        let mut tables = self.tables();
        let same = |other: &Panic| {
            (&other.file, other.line, other.column) == (&panic.file, panic.line, panic.column)
        };
        let known = tables.panics.iter().position(same);
        let row = known.unwrap_or_else(|| {
            tables.panics.push(panic);
            tables.panics.len() - 1
        });
        SiteId::new(FIRST_PANIC + row as u32)
    }

    /// The panic at this position, if it is one's.
    pub(super) fn panic_at(&self, site: SiteId) -> Option<Panic> {
        let row = site.raw().checked_sub(FIRST_PANIC)?;
        self.tables().panics.get(row as usize).cloned()
    }
}
