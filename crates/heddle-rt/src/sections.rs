//! Sections of a lock that come in the same sequence in every schedule.
//!
//! Locks do not order strands. But where the start of one section precedes the start of another whatever
//! the schedule (the one was entered before a barrier, the other after it), the other can start only when the
//! one is over, for they exclude each other. So its *end* precedes, too, and that is an edge like any
//! other. Barriers built from locks stand on this.
//!
//! Only a section matters in which its task did something that others can follow (a spawn, a barrier,
//! giving back another lock): whatever comes after the start of any other comes after its end as well. A
//! section made of one strand did nothing of the kind.
//!
//! The same goes for hand-offs. If the second section ends after something that was handed over by the first (or by
//! another that began inside of it: a list whose nodes are locked hand over hand), the two cannot come the other way
//! round either, and the end of the first is handed over as well, up to its last access.
//!
//! # Known loss
//! Of each lock the latest [`KEPT`] such sections are remembered. What followed from earlier ones alone is
//! not known as order, and may be reported as a race.

use crate::engine::{Cursor, Engine, Through};
use crate::exclusion::LockMode;
use crate::sync::{AtomicBool, Mutex, Ordering, PoisonError};
use heddle_core::LockId;
use heddle_core::order::tree::Nodes;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// How many sections of a lock are remembered.
const KEPT: usize = 4;

/// A section that is over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    mode: LockMode,
    /// Its first strand, and its last.
    first: u32,
    last: u32,
    /// Whether something may have been handed over from within it.
    departs: bool,
}

/// The sections of a run that may have to come before others.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    wanted: AtomicBool,
    any: AtomicBool,
    latest: Mutex<FxHashMap<LockId, VecDeque<Section>>>,
}

impl Sections {
    fn add(&self, lock: LockId, section: Section) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let of_lock = latest.entry(lock).or_default();
        if of_lock.len() == KEPT {
            of_lock.pop_front();
        }
        of_lock.push_back(section);
        self.any.store(true, Ordering::Release);
    }

    /// The strands with which the remembered ones began and ended.
    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn strands(&self, mut named: impl FnMut(u32)) {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        for section in latest.values().flatten() {
            named(section.first);
            named(section.last);
        }
    }

    /// Those of `lock` that exclude one of the given mode.
    pub(crate) fn excluding(&self, lock: LockId, mode: LockMode) -> Vec<Section> {
        if !self.any.load(Ordering::Acquire) {
            return Vec::new();
        }
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let of_lock = latest.get(&lock).into_iter().flatten().copied();
        of_lock
            .filter(|section| section.mode.excludes(mode))
            .collect()
    }
}

impl Engine {
    /// Counts as order what mutual exclusion forces on sections that start in one sequence.
    pub fn order_sections(&self) {
        self.sections.wanted.store(true, Ordering::Relaxed);
    }

    /// The task is about to enter a section: those of the excluded ones that must be over by now precede it.
    pub(crate) fn follow_sections(&self, cursor: &mut Cursor, sections: &[Section]) {
        if sections.is_empty() {
            return;
        }
        let now = self.strand(cursor);
        let over = sections
            .iter()
            .filter(|section| self.is_ordered(section.first, now))
            .map(|section| section.last)
            .filter(|&last| !self.is_ordered(last, now));
        let over: Vec<u32> = over.collect();
        if !over.is_empty() {
            self.record(|book| book.wait(cursor.task, &over));
            self.follow(cursor, &over);
        }
    }

    /// The task enters or leaves a section: what it knows of from within one of the excluded ones comes after all of
    /// that one.
    pub(crate) fn receive_sections(&self, cursor: &mut Cursor, sections: &[Section]) {
        for &Section {
            first,
            last,
            departs,
            ..
        } in sections
        {
            if !departs || self.forest.node(last).task == cursor.task {
                continue;
            }
            let is_known = self.has_followed(cursor, last);
            if !is_known
                && (self.handed_over(cursor, first)
                    || self.is_overtaken(cursor, first)
                    || self.has_followed_crowd(cursor, first, |_| true))
            {
                self.record(|book| book.hand_over(cursor.task, last));
                self.receive_from(cursor, last, Through::Location);
            }
        }
    }

    /// The first strand of a section that the task enters; 0 if it does not matter.
    pub(crate) fn first_of_section(&self, cursor: &mut Cursor) -> u32 {
        if self.sections.wanted.load(Ordering::Relaxed) {
            self.strand(cursor)
        } else {
            0
        }
    }

    /// The task leaves its section of `lock` at the end of `last`.
    pub(crate) fn leave_section(&self, cursor: &Cursor, lock: LockId, last: u32) {
        let Some((first, mode)) = self.exclusion.entered(cursor.hold, lock) else {
            return;
        };
        if first != 0 && first != last {
            self.record(|book| book.signal(cursor.task, last));
            let section = Section {
                mode,
                first,
                last,
                departs: cursor.departed >= first,
            };
            self.sections.add(lock, section);
        }
    }
}
