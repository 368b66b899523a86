//! Sections: when a lock's edges arrive and leave.

use heddle_core::{AccessKind, Location, LockId, LockMode};
use rustc_hash::FxHashMap;
use std::rc::Rc;

use super::{Access, Watch};
use crate::past::Past;

/// One acquisition of a lock.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub lock: u32,
    pub mode: LockMode,
    /// Nothing happened in its middle so far.
    pub is_closed: bool,
    /// It began with a choice.
    is_chosen: bool,
    /// The accesses of a closed section wait for its end: what precedes them is known then.
    waiting: Vec<Access>,
}

impl Section {
    /// The row of [`Watch::locks`] that it passes on to: sections that readers share have their own.
    fn row(&self) -> usize {
        2 * self.lock as usize + usize::from(self.mode == LockMode::Shared)
    }

    /// The rows whose sections exclude it.
    fn excluding(&self) -> impl Iterator<Item = usize> + use<> {
        let alone = 2 * self.lock as usize;
        let shared = (self.mode == LockMode::Exclusive).then_some(alone + 1);
        std::iter::once(alone).chain(shared)
    }

    /// Keeps an access; one like an earlier one adds nothing.
    pub fn note(&mut self, access: Access) {
        let known = self.waiting.iter().any(|other| {
            other.location == access.location
                && other.site == access.site
                && other.kind == access.kind
        });
        if !known {
            self.waiting.push(access);
        }
    }
}

/// What the sections of one lock pass on.
#[derive(Clone, Debug, Default)]
pub(super) struct Lock {
    /// What precedes the ends of all sections.
    pub all: Past,
    /// What precedes the ends of those that were not closed.
    pub open: Past,
    /// The same for the closed ones, by what they touched.
    pub touched: Rc<FxHashMap<Location, Passed>>,
}

/// What the sections that read and wrote one location pass on.
#[derive(Clone, Debug, Default)]
pub(super) struct Passed {
    pub reads: Past,
    pub writes: Past,
}

impl Watch {
    pub(super) fn acquire(&mut self, lock: LockId, mode: LockMode) {
        let is_chosen = self.choosing.take() == Some(self.running);
        self.open_sections();
        self.close_strand();
        self.task().sections.push(Section {
            is_chosen,
            lock: lock.raw(),
            mode,
            is_closed: true,
            waiting: Vec::new(),
        });
        if self.locks.len() < 2 * lock.index() + 2 {
            self.locks.resize(2 * lock.index() + 2, Lock::default());
        }
    }

    /// Something happens in the middle of the sections the running task is in.
    pub(super) fn open_sections(&mut self) {
        for row in 0..self.task().sections.len() {
            if self.task().sections[row].is_closed {
                self.open_section(row);
            }
        }
    }

    #[cold]
    fn open_section(&mut self, row: usize) {
        let section = &mut self.task().sections[row];
        section.is_closed = false;
        let earlier = section.excluding();
        let waiting = std::mem::take(&mut section.waiting);
        let is_chosen = section.is_chosen;
        for lock in earlier {
            let all = self.locks[lock].all.clone();
            self.arrive(&all);
        }
        if is_chosen {
            self.settle();
        }
        for access in waiting {
            self.check(access);
        }
    }

    pub(super) fn release(&mut self, lock: LockId) {
        let sections = &mut self.tasks[self.running.index()].sections;
        let Some(row) = sections.iter().rposition(|held| held.lock == lock.raw()) else {
            return;
        };
        let closed = row + 1 == sections.len() && sections[row].is_closed;
        match closed {
            true => self.release_closed(row),
            false => {
                self.open_sections();
                self.strand();
                let section = self.task().sections.remove(row);
                let past = self.task().past.clone();
                let lock = &mut self.locks[section.row()];
                lock.all.join(&past);
                lock.open.join(&past);
            }
        }
        self.close_strand();
    }

    fn release_closed(&mut self, row: usize) {
        let section = &mut self.task().sections[row];
        let (number, earlier) = (section.row(), section.excluding());
        let waiting = std::mem::take(&mut section.waiting);
        let is_chosen = section.is_chosen;
        for lock in earlier {
            self.arrive_at_closed(lock, &waiting);
        }
        if is_chosen {
            self.settle();
        }
        for &access in &waiting {
            self.check(access);
        }
        self.strand();
        self.task().sections.pop();
        let past = self.task().past.clone();
        let lock = &mut self.locks[number];
        lock.all.join(&past);
        if waiting.is_empty() {
            return;
        }
        let touched = Rc::make_mut(&mut lock.touched);
        for access in waiting {
            let passed = touched.entry(access.location).or_default();
            match access.kind {
                AccessKind::Read => passed.reads.join(&past),
                AccessKind::Write => passed.writes.join(&past),
            }
        }
    }

    /// The sections that conflict with a closed one precede it.
    fn arrive_at_closed(&mut self, lock: usize, accesses: &[Access]) {
        let Self {
            tasks,
            locks,
            running,
            ..
        } = self;
        let past = &mut tasks[running.index()].past;
        let lock = &locks[lock];
        past.join(&lock.open);
        for access in accesses {
            let Some(passed) = lock.touched.get(&access.location) else {
                continue;
            };
            past.join(&passed.writes);
            if access.kind == AccessKind::Write {
                past.join(&passed.reads);
            }
        }
    }
}
