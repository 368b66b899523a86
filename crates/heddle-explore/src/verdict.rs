//! What can be found in a schedule, told so that it means the same in all of them.

use heddle_core::{FaultKind, SiteId};

/// Something that was found. Equal in two schedules if it is the same defect.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// Two unordered accesses.
    Race(Race),
    /// A failed assertion.
    Assertion {
        /// Where.
        site: SiteId,
    },
    /// Nothing can go on.
    Deadlock {
        /// Where tasks wait.
        sites: Vec<SiteId>,
    },
    /// A task did something undefined.
    Fault {
        /// Where.
        site: SiteId,
        /// What.
        message: FaultKind,
    },
}

/// A race by location and positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Race {
    /// The name of the location; see [`Names::location`](crate::Names::location).
    pub location: u64,
    /// The two positions, the smaller id first.
    pub sites: [SiteId; 2],
}
