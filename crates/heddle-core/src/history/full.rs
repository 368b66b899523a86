//! Every access that no later one stands for: exact with extra edges, locks and hand-offs.
//!
//! After Cheng, Feng, Leiserson, Randall, Stark: *Detecting Data Races in Cilk Programs That Use
//! Locks* (All-Sets, 1998), with the order made exchangeable.
//!
//! # Rule
//! An earlier access is forgotten when a new one *stands for* it: the new one comes after it in
//! every schedule, holds no lock that the earlier did not hold, and writes if the earlier wrote.
//! Whatever later races with the forgotten access then also races with the new one: it cannot come
//! after the new one without coming after the old. The same holds with hand-offs counted as order,
//! so certainty is exact as well.
//!
//! # Hand-offs
//! A read under a lock, of a value last written in an earlier section of that lock, is a
//! hand-off: the strand that ended that section is counted as handed over to the reader. The edge
//! arrives *at the read*: what the section did before it cannot depend on the value.
//!
//! # Cost
//! Two accesses inline per location, more on the heap. A read is compared with the writes only, and
//! the list is thinned when it has doubled since it was last thinned, so that reads by many
//! parallel strands cost amortised constant time each.

use super::shadow::Shadow;
use super::{Conflicts, History, Mark, Running};
use crate::event::AccessKind::{self, Read, Write};
use crate::finding::Certainty;
use crate::hold::{HoldId, Holds};
use crate::id::{Extent, Location, SiteId};
use crate::order::Order;
use smallvec::SmallVec;

/// Lists up to this length are thinned at every access.
const SHORT: usize = 8;

#[derive(Clone, Default, Debug)]
struct Cell {
    /// What the last write held; meaningful once there was one.
    last_write: Option<HoldId>,
    /// Length at which the list is thinned next.
    limit: u32,
    writes: SmallVec<[Mark; 1]>,
    reads: SmallVec<[Mark; 1]>,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Full {
    cells: Shadow<Cell>,
    hand_offs: u64,
}

impl Full {
    /// Nothing accessed yet.
    pub fn new() -> Self {
        Self {
            cells: Shadow::new(),
            hand_offs: 0,
        }
    }

    /// Notes the hand-offs a read of `location` receives.
    #[inline]
    fn receive<O: Order>(&mut self, location: Location, run: &mut Running<'_, O>) {
        if run.holds.current() == HoldId::NOTHING {
            return;
        }
        let Some(wrote) = self.cells.cell(location).last_write else {
            return;
        };
        for from in run.holds.handed_from(wrote) {
            if !run.order.precedes(from) && !run.order.handed_over(from) {
                run.order.hand_over(from);
                self.hand_offs += 1;
            }
        }
    }

    fn access<O: Order, C: Conflicts>(
        &mut self,
        location: Location,
        site: SiteId,
        kind: AccessKind,
        run: &mut Running<'_, O>,
        to: &mut C,
    ) {
        let now = Mark {
            strand: run.order.strand(),
            site,
            hold: run.holds.current(),
            kind,
        };
        let cell = self.cells.cell(location);
        if kind == Write {
            cell.last_write = Some(now.hold);
        }
        if cell.has(now) {
            return;
        }
        cell.compare(location, now, run, to);
        cell.remember(now, run);
    }
}

impl Default for Full {
    fn default() -> Self {
        Self::new()
    }
}

impl<O: Order> History<O> for Full {
    fn read<C: Conflicts>(
        &mut self,
        extent: Extent,
        site: SiteId,
        mut run: Running<'_, O>,
        to: &mut C,
    ) {
        for location in extent.locations() {
            self.receive(location, &mut run);
            self.access(location, site, Read, &mut run, to);
        }
    }

    fn write<C: Conflicts>(
        &mut self,
        extent: Extent,
        site: SiteId,
        mut run: Running<'_, O>,
        to: &mut C,
    ) {
        for location in extent.locations() {
            self.access(location, site, Write, &mut run, to);
        }
    }

    fn forget(&mut self, extent: Extent) {
        self.cells.clear(extent);
    }

    fn hand_offs(&self) -> u64 {
        self.hand_offs
    }
}

impl Cell {
    /// Whether an access of the same strand with the same protection already stands for `now`.
    fn has(&self, now: Mark) -> bool {
        let same = |mark: &Mark| mark.strand == now.strand && mark.hold == now.hold;
        let written = self.writes.iter().rev().take(SHORT).any(same);
        written || now.kind == Read && self.reads.iter().rev().take(SHORT).any(same)
    }

    fn compare<O: Order, C: Conflicts>(
        &self,
        location: Location,
        now: Mark,
        run: &mut Running<'_, O>,
        to: &mut C,
    ) {
        let reads = if now.kind == Write {
            &self.reads[..]
        } else {
            &[]
        };
        for &earlier in self.writes.iter().chain(reads) {
            if run.holds.disjoint(earlier.hold, now.hold) && !run.order.precedes(earlier.strand) {
                let certainty = match run.order.handed_over(earlier.strand) {
                    true => Certainty::Possible,
                    false => Certainty::Certain,
                };
                to.found(location, earlier, now, certainty);
            }
        }
    }

    fn remember<O: Order>(&mut self, now: Mark, run: &mut Running<'_, O>) {
        let length = self.writes.len() + self.reads.len();
        if length <= SHORT || length as u32 >= self.limit {
            thin(&mut self.reads, now, run.order, run.holds);
            if now.kind == Write {
                thin(&mut self.writes, now, run.order, run.holds);
            }
            self.limit = 2 * (self.writes.len() + self.reads.len()) as u32;
        }
        match now.kind {
            Read => self.reads.push(now),
            Write => self.writes.push(now),
        }
    }
}

/// Forgets the accesses that `now` stands for.
fn thin<O: Order>(list: &mut SmallVec<[Mark; 1]>, now: Mark, order: &mut O, holds: &Holds) {
    list.retain(|mark| !(holds.within(now.hold, mark.hold) && order.precedes(mark.strand)));
}
