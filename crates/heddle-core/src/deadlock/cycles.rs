//! Cycles among sorts of waits: what might be a deadlock, before any order is asked for.

use super::waits::{Sort, Wish};

/// How many cycles of sorts are followed; a program with more has some of them reported long before.
pub const MOST_CYCLES: usize = 4096;

/// How many steps the search for cycles through one new sort may take.
const MOST_STEPS: usize = 1 << 20;

/// A row of the sorts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct SortId(u32);

impl SortId {
    pub(super) fn new(index: usize) -> Self {
        Self(index as u32)
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Sorts each of which may wait for the next, and the last for the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cycle(pub(super) Vec<SortId>);

/// The cycles that the latest sort closes.
pub(super) fn cycles_through(start: SortId, sorts: &[Sort]) -> Vec<Cycle> {
    let mut search = Search {
        sorts,
        start,
        path: vec![start],
        found: Vec::new(),
        steps: 0,
    };
    search.extend();
    search.found
}

struct Search<'a> {
    sorts: &'a [Sort],
    start: SortId,
    path: Vec<SortId>,
    found: Vec<Cycle>,
    steps: usize,
}

impl Search<'_> {
    fn extend(&mut self) {
        let last = self.path[self.path.len() - 1];
        if self.path.len() > 1 && self.may_wait_for(last, self.start) {
            self.found.push(Cycle(self.path.clone()));
            // A longer cycle would have this one inside. Who waits for tasks may wait for others as well.
            if self.sorts[last.index()].wanted != Wish::Tasks {
                return;
            }
        }
        for next in (0..self.sorts.len()).map(SortId::new) {
            self.steps += 1;
            if self.steps > MOST_STEPS || self.found.len() >= MOST_CYCLES {
                return;
            }
            if next != self.start && self.may_wait_for(last, next) && self.fits(next) {
                self.path.push(next);
                self.extend();
                self.path.pop();
            }
        }
    }

    /// Whether waits of the first sort may be for what those of the second do not give up.
    fn may_wait_for(&self, one: SortId, other: SortId) -> bool {
        let (one, other) = (&self.sorts[one.index()], &self.sorts[other.index()]);
        match one.wanted {
            Wish::Lock(lock, mode) => {
                let mut held = other.held.iter();
                held.any(|&(held, how)| held == lock && how.excludes(mode))
            }
            // A wait for a wait for tasks is a wait for those tasks.
            Wish::Tasks => matches!(other.wanted, Wish::Lock(..)),
        }
    }

    /// Whether no lock keeps it apart from what is on the path.
    fn fits(&self, next: SortId) -> bool {
        let held = &self.sorts[next.index()].held;
        self.path.iter().all(|&other| {
            let others = &self.sorts[other.index()].held;
            let excludes = |&(lock, mode): &(_, crate::event::LockMode)| {
                others
                    .iter()
                    .any(|&(o, how)| o == lock && how.excludes(mode))
            };
            other != next && !held.iter().any(excludes)
        })
    }
}
