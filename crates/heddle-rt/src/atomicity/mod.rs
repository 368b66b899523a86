//! Atomicity while the program runs: can an access of a parallel region come between two accesses that
//! belong together?
//!
//! Yoga and Nagarakatte: *Atomicity Violation Checker for Task Parallel Programs* (2016). Locks make a program
//! race-free and can still leave it wrong: one section reads, a second one writes what follows from it, and
//! in between another task writes. From the accesses of one run this finds every such triple that some schedule of the
//! same accesses shows.
//!
//! # What is found
//! A *unit* (a location, or a group of locations) is torn if a region accesses it twice, first A1
//! and later A3, and an access A2 of another task is parallel with A3, such that
//! 1. A1, A2, A3 is one of the five unserializable triples of the paper's Fig. 4, and
//! 2. no lock that is held without a break from A1 to A3 is held at A2.
//!
//! The finding is *certain* if A2 and A3 are also parallel with hand-offs counted as order. A hand-off through a
//! declared unit itself does not count: that its sections can be swapped is the very defect. Where all locations are
//! checked, those through a location that can be torn do not count either.
//!
//! # Deviations from the paper
//! 1. A lock protects a pair only against those who take it too. As printed, a pair in one critical section is dropped.
//! 2. The paper tries a new pair only where it replaces the kept one, and keeps one pair per pattern. Both lose
//!    violations (`heddle-oracle` has the printed history, to measure how many). Here every access is tried as the last
//!    and as the middle one of a triple before anything is forgotten ([`rule`]).
//! 3. Regions: the paper's step, or a block that the program marks.
//! 4. An access from before the declaration can come between a pair, if it is parallel with it.
//!
//! # Known limits
//! 1. A block that contains task operations can also be torn by what its task joins before A3; only what is parallel
//!    with A3 is found.
//! 2. Condition 2 looks at A1, A2 and A3 alone. A task that takes the next lock before it gives back the last (hand over
//!    hand) keeps out an access under both locks, yet is reported.
//!
//! # Guarantee
//! A unit has a tear iff one is collected for it, whatever the interleaving, and certainty is exact. A step of a granule,
//! or of a group, is one compare-and-swap.
//!
//! # Form
//! 1. A watched granule's state is a twin ([`twins`]). Its race history serves twice: what is parallel and conflicts is
//!    a race, and it is what may come between the accesses of a pair. So a granule that is not watched costs
//!    nothing, and one that is costs what differs: first accesses and pairs.
//! 2. A repeated access is *known* ([`ThreadCache`](crate::ThreadCache)) once the region has a first access of its
//!    kind and the pair that the two make: from then on it finds nothing new.
//! 3. A region's read after its own write is no first access: whatever tears a pair that begins with it tears the
//!    pair that begins with the write.
//! 4. Bytes of a granule are units of their own: marks and pairs carry masks.
//! 5. Of a value behind a lock only looks and changes are known, and what counts as a pair differs ([`value`]).
//! 6. A group has a state of its own, in which all its members' accesses are whole ones. They are never known.

mod region;
mod rule;
mod step;
mod tears;
mod twins;
mod units;
mod value;

pub(crate) use region::NO_REGION;
pub(crate) use step::Scratch;
pub use value::{HANDED, Pairs, VALUE};

use crate::cells::Cells;
use crate::engine::Engine;
use crate::states::{ROWS, StateId, WHOLE};
use crate::sync::{AtomicBool, Mutex, Ordering};
use std::ops::Range;
use tears::Tears;
use twins::{Twin, Twins, Watch};
use units::Groups;

/// How many groups there can be.
const GROUPS: usize = 1 << 24;

/// What an engine looks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Analysis {
    /// Races, and torn regions where something is watched.
    #[default]
    All,
    /// Races only.
    Races,
    /// Torn regions only.
    Atomicity,
}

/// What an engine knows of atomicity.
#[derive(Debug)]
pub(crate) struct Atomicity {
    pub(crate) twins: Twins,
    /// Regions that are over, by number.
    pub(crate) closed: Cells,
    /// By group.
    pub(crate) group_states: Cells,
    pub(crate) groups: Mutex<Groups>,
    pub(crate) has_groups: AtomicBool,
    /// Whether any granule is watched for what the program says.
    pub(crate) has_units: AtomicBool,
    pub(crate) tears: Mutex<Tears>,
    pub(crate) is_wanted: bool,
    /// Whether all granules are watched.
    pub(crate) is_all: bool,
    /// The watch of granules that are watched only because all are.
    undeclared: u32,
}

impl Atomicity {
    pub(crate) fn new() -> Option<Self> {
        let twins = Twins::new()?;
        let undeclared = twins.add_watch(Watch {
            alone: WHOLE,
            ..Watch::NOTHING
        })?;
        Some(Self {
            twins,
            closed: Cells::new(ROWS as usize)?,
            group_states: Cells::new(GROUPS)?,
            groups: Mutex::default(),
            has_groups: AtomicBool::new(false),
            has_units: AtomicBool::new(false),
            tears: Mutex::default(),
            is_wanted: true,
            is_all: false,
            undeclared,
        })
    }

    /// The watch of a granule that the program says nothing of.
    pub(crate) fn unwatched(&self) -> Watch {
        match self.is_all {
            true => self.twins.watch(self.undeclared),
            false => Watch::NOTHING,
        }
    }

    /// The twin of a state, if its granule is watched.
    fn twin(&self, state: StateId) -> Option<Twin> {
        let undeclared = || Twin::fresh(state, self.undeclared);
        let twin = self.twins.get(state);
        twin.or_else(|| self.is_all.then(undeclared))
    }
}

impl Engine {
    /// What to look for. To be said before the run.
    pub fn analyse(&mut self, analysis: Analysis) {
        self.atomicity.is_wanted = analysis != Analysis::Races;
        self.reports_races = analysis != Analysis::Atomicity;
    }

    /// Watches every granule, declared or not. To be said before the run.
    pub fn watch_all(&mut self) {
        self.atomicity.is_wanted = true;
        self.atomicity.is_all = true;
        self.part_hand_offs();
    }

    /// Whether a granule is watched.
    #[inline]
    pub fn watches(&self, granule: u64) -> bool {
        let cell = self.shadow.cell(granule);
        cell.is_some_and(|cell| self.is_watched(StateId(cell.load(Ordering::Acquire))))
    }

    /// Whether no granule is watched, nor was.
    pub fn watches_nothing(&self) -> bool {
        !self.atomicity.is_all && !self.atomicity.has_units.load(Ordering::Acquire)
    }

    /// Whether one of these granules is watched.
    pub fn watches_any(&self, mut granules: Range<u64>) -> bool {
        !self.watches_nothing() && granules.any(|granule| self.watches(granule))
    }

    /// Whether the program declares some of the granule atomic.
    pub(crate) fn is_unit(&self, granule: u64) -> bool {
        let cell = self.shadow.cell(granule);
        let state = cell.map(|cell| StateId(cell.load(Ordering::Acquire)));
        let twin = state.and_then(|state| self.atomicity.twins.get(state));
        twin.is_some_and(|twin| self.atomicity.twins.watch(twin.watch).declared != 0)
    }

    /// The race history of a granule in this state.
    #[inline]
    pub(crate) fn race_of(&self, state: StateId) -> StateId {
        let twin = self.atomicity.twins.get(state);
        twin.map_or(state, |twin| twin.race)
    }

    /// Whether a granule in this state is watched.
    #[inline]
    pub(crate) fn is_watched(&self, state: StateId) -> bool {
        state.twin().is_some() || self.atomicity.is_all
    }
}
