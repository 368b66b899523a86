//! Histories: what is remembered of past accesses to each unit, and which triples are found by it.
//!
//! | history | remembers per unit | exact for |
//! |---|---|---|
//! | [`Basic`] | everything | everything: the reference |
//! | [`Printed`] | the twelve entries of the paper | nothing: kept to measure what it misses |
//! | [`Fixed`] | two accesses per kind, two pairs per pattern | structured programs without mutual exclusion |
//! | [`Spilled`] | every access and pair no later one stands for | everything, certainty included |
//!
//! *Complete* is [`Fixed`] where that suffices and [`Spilled`] elsewhere. "Exact" means: a unit can be
//! torn iff a triple is passed on for it.
//!
//! # The pairs of a region
//! Of one region and pattern, one pair is enough: its *first* access of the one kind and its *latest* of
//! the other. The locks held without a break from the first access on only get fewer, whichever end moves
//! away from the other, so what tears a closer pair tears this one too.

mod basic;
mod fixed;
mod local;
mod printed;
mod spilled;

pub use basic::Basic;
pub use fixed::{Apart, Fixed, Room};
pub use printed::Printed;
pub use spilled::Spilled;

use super::pattern::Pattern;
use super::region::Regions;
use super::unit::UnitId;
use crate::finding::Certainty;
use crate::history::Mark;
use crate::hold::{Holds, LockSetId};
use crate::id::{Location, StrandId};
use crate::order::Order;

/// One access to a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// When, where in the source, protected by what, read or write.
    pub mark: Mark,
    /// Which member of the unit.
    pub at: Location,
}

/// Two accesses of one region, the last one later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The one.
    pub first: Touch,
    /// The other.
    pub last: Touch,
    /// The locks held without a break from one to the other.
    pub kept: LockSetId,
}

impl Pair {
    /// What the two do.
    pub fn pattern(&self) -> Pattern {
        Pattern::of(self.first.mark.kind, self.last.mark.kind)
    }

    /// Whether `middle` tears the pair if it can come between.
    pub fn is_torn_by(&self, middle: Touch, holds: &Holds) -> bool {
        self.pattern().is_torn_by(middle.mark.kind)
            && holds.disjoint(self.kept, holds.lock_set(middle.mark.hold))
    }
}

/// Receives the triples a history finds: parallel, unserializable, no lock that keeps them apart.
pub trait Tears {
    /// `middle` can come between the accesses of `pair`.
    fn found(&mut self, unit: UnitId, pair: Pair, middle: Touch, certainty: Certainty);
}

/// What touched each unit, and the rule what to remember of it.
pub trait History<O: Order> {
    /// The running task accesses `unit`.
    fn access<T: Tears>(&mut self, unit: UnitId, now: Touch, run: Running<'_, O>, to: &mut T);
}

/// The state of the run that histories consult.
#[derive(Debug)]
pub struct Running<'a, O> {
    /// Who is parallel.
    pub order: &'a mut O,
    /// Who holds what.
    pub holds: &'a mut Holds,
    /// Who is in which region.
    pub regions: &'a mut Regions,
}

impl<O: Order> Running<'_, O> {
    /// The pair that ends now.
    fn pair(&mut self, first: Touch, last: Touch) -> Pair {
        let kept = self.holds.kept(first.mark.hold, last.mark.hold);
        Pair { first, last, kept }
    }

    /// Whether what an earlier strand did can also come after what is running now, and how surely.
    fn parallel(&mut self, earlier: StrandId) -> Option<Certainty> {
        if self.order.precedes(earlier) {
            return None;
        }
        match self.order.handed_over(earlier) {
            true => Some(Certainty::Possible),
            false => Some(Certainty::Certain),
        }
    }

    /// Passes the triple on if the pair, which ends now, can be torn by the earlier `middle`.
    fn try_middle<T: Tears>(&mut self, unit: UnitId, pair: Pair, middle: Touch, to: &mut T) {
        if pair.is_torn_by(middle, self.holds)
            && let Some(certainty) = self.parallel(middle.mark.strand)
        {
            to.found(unit, pair, middle, certainty);
        }
    }

    /// Passes the triple on if the earlier `pair` can be torn by `middle`, which is now.
    fn try_pair<T: Tears>(&mut self, unit: UnitId, pair: Pair, middle: Touch, to: &mut T) {
        if pair.is_torn_by(middle, self.holds)
            && let Some(certainty) = self.parallel(pair.last.mark.strand)
        {
            to.found(unit, pair, middle, certainty);
        }
    }
}

/// The row of `unit`, made if it is new.
fn row<C: Default>(cells: &mut Vec<C>, unit: UnitId) -> &mut C {
    if cells.len() <= unit.index() {
        cells.resize_with(unit.index() + 1, C::default);
    }
    &mut cells[unit.index()]
}
