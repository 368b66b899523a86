//! Histories: what is remembered of past accesses to each location.
//!
//! A history compares each access with what it remembers, passes every conflict to a [`Conflicts`]
//! and then decides what to keep. What must be kept depends on the order:
//!
//! | history | remembers per location | exact for |
//! |---|---|---|
//! | [`OneReader`] | a writer, a reader | structured programs, serial depth first |
//! | [`FourField`] | the same twice: outside and inside isolated | with isolated, serial depth first |
//! | [`TwoReaders`] | a writer, two readers | structured programs, any run |
//! | [`Full`] | every access no later one stands for | everything, certainty included |
//!
//! "Exact" means: a location has a race iff a conflict is passed on for it.

mod four_field;
mod full;
mod one_reader;
mod shadow;
mod two_readers;
mod unchecked;

pub use four_field::FourField;
pub use full::Full;
pub use one_reader::OneReader;
pub use two_readers::TwoReaders;
pub use unchecked::Unchecked;

use crate::event::AccessKind;
use crate::finding::Certainty;
use crate::hold::{HoldId, Holds};
use crate::id::{Extent, Location, SiteId, StrandId};
use crate::order::{NO_STRAND, Order};

/// One access as histories remember it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// When: the position in the order.
    pub strand: StrandId,
    /// Where in the source.
    pub site: SiteId,
    /// Protected by what.
    pub hold: HoldId,
    /// Read or write.
    pub kind: AccessKind,
}

/// Receives the conflicts a history finds: parallel, at least one write, no common lock.
pub trait Conflicts {
    /// `earlier` and `now` race on `location`.
    fn found(&mut self, location: Location, earlier: Mark, now: Mark, certainty: Certainty);
}

/// What touched each location, and the rule what to remember of it.
pub trait History<O: Order> {
    /// The running task reads.
    fn read<C: Conflicts>(&mut self, extent: Extent, site: SiteId, run: Running<'_, O>, to: &mut C);
    /// The running task writes.
    fn write<C: Conflicts>(
        &mut self,
        extent: Extent,
        site: SiteId,
        run: Running<'_, O>,
        to: &mut C,
    );
    /// Forgets what touched these locations.
    fn forget(&mut self, extent: Extent);
    /// How many hand-offs were seen.
    fn hand_offs(&self) -> u64 {
        0
    }
}

/// The state of the run that histories consult.
#[derive(Debug)]
pub struct Running<'a, O> {
    /// Who is parallel.
    pub order: &'a mut O,
    /// Who holds what.
    pub holds: &'a Holds,
}

/// A strand and a site as stored in cells; all zero is "nothing yet", so that fresh cells are
/// zeroed memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Slot {
    strand: u32,
    site: u32,
}

impl Slot {
    fn new(strand: StrandId, site: SiteId) -> Self {
        Self {
            strand: strand.raw(),
            site: site.raw(),
        }
    }

    fn strand(self) -> StrandId {
        StrandId::new(self.strand)
    }

    #[inline(always)]
    fn is_by(self, strand: StrandId) -> bool {
        self.strand == strand.raw()
    }

    /// Whether this is an access parallel with the running strand.
    #[inline]
    fn is_parallel<O: Order>(self, order: &mut O) -> bool {
        self.strand() != NO_STRAND && !order.precedes(self.strand())
    }

    fn mark(self, kind: AccessKind, hold: HoldId) -> Mark {
        Mark {
            strand: self.strand(),
            site: SiteId::new(self.site),
            hold,
            kind,
        }
    }
}
