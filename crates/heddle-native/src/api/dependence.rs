//! Which changes of a unit may depend on what was seen of it.
//!
//! The engine's rule is about sequence: a change, and the last look of its thread in an earlier section. Not every such
//! change depends on that look: a turn of a loop finds nothing to do, and the next one adds something. Two signs tell
//! changes that do not, and a finding of which all changes have one is none:
//! 1. The same calls led to the same change without a look before it.
//! 2. It overwrites a small member as a whole that neither its section nor the look has read (`stop = true`). This
//!    one is told from the other changes before it comes here.
//!
//! # Known miss
//! A change that is sometimes made without a look, and by the same calls in dependence of one.

use heddle_core::TaskId;
use rustc_hash::{FxHashMap, FxHashSet};

/// The members of a unit, a bit for each; what has none of its own shares the last.
pub(super) type Members = u64;

/// The calls that led to a change, as a number; those that are not known are all the same way.
pub(super) type Way = u64;

/// Changes at one position of which the calls are looked at; unwinding costs microseconds.
const LOOKED_AT: u32 = 1000;

/// What is not known to be a way.
pub(super) const UNKNOWN: Way = 0;

#[derive(Clone, Copy)]
struct Look {
    site: u32,
    members: Members,
}

/// A unit's value, and the positions of a look and of the change after it.
type Pair = (u64, u32, u32);

/// What the threads of a run have seen and changed.
#[derive(Default)]
pub(super) struct Dependence {
    /// The looks that no change has followed yet.
    looks: FxHashMap<(TaskId, usize), Look>,
    /// The ways on which changes came after looks.
    pairs: FxHashMap<Pair, FxHashSet<Way>>,
    /// The ways on which changes came without.
    free: FxHashSet<Way>,
    looked_at: FxHashMap<u32, u32>,
}

impl Dependence {
    /// The task has looked at these members.
    pub(super) fn looked(&mut self, task: TaskId, unit: usize, site: u32, members: Members) {
        self.looks.insert((task, unit), Look { site, members });
    }

    /// The members that the task's last look saw, if it has not changed the unit since.
    pub(super) fn seen(&self, task: TaskId, unit: usize) -> Option<Members> {
        self.looks.get(&(task, unit)).map(|look| look.members)
    }

    /// Whether the calls that led to a change here are worth their time.
    pub(super) fn wants_way(&mut self, site: u32) -> bool {
        let times = self.looked_at.entry(site).or_default();
        *times += 1;
        *times <= LOOKED_AT
    }

    /// The task makes the first change of a section, on this way.
    pub(super) fn changed(&mut self, task: TaskId, unit: usize, value: u64, site: u32, way: Way) {
        match self.looks.remove(&(task, unit)) {
            Some(look) => {
                let pair = (value, look.site, site);
                self.pairs.entry(pair).or_default().insert(way);
            }
            None if way != UNKNOWN => drop(self.free.insert(way)),
            None => {}
        }
    }

    /// The task overwrites what its look has not seen.
    pub(super) fn overwrote(&mut self, task: TaskId, unit: usize) {
        self.looks.remove(&(task, unit));
    }

    /// What the task does from here on does not depend on what it has seen.
    pub(super) fn cut(&mut self, task: TaskId) {
        self.looks.retain(|(own, _), _| *own != task);
    }

    /// Whether any change at `change` may depend on a look at `look`.
    pub(super) fn is_one(&self, value: u64, look: u32, change: u32) -> bool {
        let ways = self.pairs.get(&(value, look, change));
        ways.is_some_and(|ways| ways.iter().any(|way| !self.free.contains(way)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: TaskId = TaskId::new(1);

    #[test]
    fn a_change_without_a_look_frees_its_way_and_no_other() {
        let mut all = Dependence::default();
        for (unit, way) in [(0, 7), (1, 8)] {
            all.looked(TASK, unit, 3, 1);
            all.changed(TASK, unit, unit as u64, 4, way);
        }
        assert!(all.is_one(0, 3, 4) && all.is_one(1, 3, 4));
        all.changed(TASK, 2, 2, 4, 7);
        assert!(!all.is_one(0, 3, 4) && all.is_one(1, 3, 4));
        all.changed(TASK, 2, 2, 4, UNKNOWN);
        assert!(all.is_one(1, 3, 4));
    }

    #[test]
    fn what_comes_after_a_cut_or_an_overwriting_depends_on_nothing() {
        let mut all = Dependence::default();
        all.looked(TASK, 0, 3, 1);
        assert_eq!(all.seen(TASK, 0), Some(1));
        all.cut(TASK);
        all.changed(TASK, 0, 9, 4, 7);
        all.looked(TASK, 0, 3, 1);
        all.overwrote(TASK, 0);
        assert_eq!(all.seen(TASK, 0), None);
        assert!(!all.is_one(9, 3, 4));
    }
}
