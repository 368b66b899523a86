//! What a transition did, as far as it matters whether another comes before or after it.

use heddle_core::{AccessKind, Location};
use smallvec::SmallVec;

/// What one transition did, as far as others can depend on it.
#[derive(Clone, Debug, Default)]
pub(super) struct Footprint {
    pub(super) reads: SmallVec<[Location; 4]>,
    pub(super) writes: SmallVec<[Location; 4]>,
    /// Locks taken: in a closed section or not.
    pub(super) locks: SmallVec<[(u32, Closed); 2]>,
    /// It depends on everything: it took one of several tasks while others had not ended.
    pub(super) depends_on_all: bool,
}

/// Whether a section was closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Closed {
    Yes,
    No,
}

impl Footprint {
    /// Whether the two can be executed in either order, with the same result.
    pub fn is_independent_of(&self, other: &Self) -> bool {
        let clash = |a: &[Location], b: &[Location]| a.iter().any(|place| b.contains(place));
        let locks = self.locks.iter().any(|&(lock, closed)| {
            let mut others = other.locks.iter();
            others.any(|&(same, how)| same == lock && (closed, how) != (Closed::Yes, Closed::Yes))
        });
        !(self.depends_on_all
            || other.depends_on_all
            || locks
            || clash(&self.writes, &other.writes)
            || clash(&self.writes, &other.reads)
            || clash(&self.reads, &other.writes))
    }

    /// It accessed a location.
    pub(super) fn access(&mut self, location: Location, kind: AccessKind) {
        let list = match kind {
            AccessKind::Read => &mut self.reads,
            AccessKind::Write => &mut self.writes,
        };
        if !list.contains(&location) {
            list.push(location);
        }
    }
}
