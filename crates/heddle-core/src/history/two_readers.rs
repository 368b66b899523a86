//! One writer and two readers: enough for any run of a structured program.
//!
//! Raman, Zhao, Sarkar, Vechev, Yahav: *Scalable and Precise Dynamic Datarace Detection for
//! Structured Parallelism* (2012). When accesses come in any sequence, one reader is not enough. Two
//! parallel readers whose lowest common ancestor is highest in the tree are: whatever is parallel
//! with some reader is parallel with one of these.

use super::shadow::Shadow;
use super::{Conflicts, History, Running, Slot};
use crate::event::AccessKind::{Read, Write};
use crate::finding::Certainty::Certain;
use crate::hold::HoldId;
use crate::id::{Extent, Location, SiteId};
use crate::order::Graph;
use crate::order::Order;

#[derive(Clone, Copy, Default, Debug)]
struct Cell {
    writer: Slot,
    /// The second is set only beside a first that is parallel with it.
    readers: [Slot; 2],
}

/// See the module's documentation.
#[derive(Debug)]
pub struct TwoReaders {
    cells: Shadow<Cell>,
}

impl TwoReaders {
    /// Nothing accessed yet.
    pub fn new() -> Self {
        Self {
            cells: Shadow::new(),
        }
    }
}

impl Default for TwoReaders {
    fn default() -> Self {
        Self::new()
    }
}

impl History<Graph> for TwoReaders {
    #[inline]
    fn read<C: Conflicts>(
        &mut self,
        extent: Extent,
        site: SiteId,
        run: Running<'_, Graph>,
        to: &mut C,
    ) {
        let now = Slot::new(run.order.strand(), site);
        for location in extent.locations() {
            let cell = self.cells.cell(location);
            let known = cell.readers[0].is_by(now.strand())
                || cell.readers[1].is_by(now.strand())
                || cell.writer.is_by(now.strand());
            if !known {
                first_read(cell, location, now, run.order, to);
            }
        }
    }

    #[inline]
    fn write<C: Conflicts>(
        &mut self,
        extent: Extent,
        site: SiteId,
        run: Running<'_, Graph>,
        to: &mut C,
    ) {
        let now = Slot::new(run.order.strand(), site);
        for location in extent.locations() {
            let cell = self.cells.cell(location);
            if !cell.writer.is_by(now.strand()) {
                first_write(cell, location, now, run.order, to);
            }
        }
    }

    fn forget(&mut self, extent: Extent) {
        self.cells.clear(extent);
    }
}

fn first_read<C: Conflicts>(
    cell: &mut Cell,
    location: Location,
    now: Slot,
    order: &mut Graph,
    to: &mut C,
) {
    if cell.writer.is_parallel(order) {
        let (writer, reader) = (
            cell.writer.mark(Write, HoldId::NOTHING),
            now.mark(Read, HoldId::NOTHING),
        );
        to.found(location, writer, reader, Certain);
    }
    let parallel = cell.readers.map(|reader| reader.is_parallel(order));
    match parallel {
        [false, false] => cell.readers = [now, Slot::default()],
        [true, true] if is_further(cell.readers, now, order) => cell.readers[0] = now,
        [true, false] if cell.readers[1] == Slot::default() => cell.readers[1] = now,
        // A reader that precedes this one leaves with the same finish as the parallel one.
        _ => {}
    }
}

/// Whether `now` stands outside the subtree in which both readers are.
fn is_further([first, second]: [Slot; 2], now: Slot, order: &Graph) -> bool {
    let together = order.common_depth(first.strand(), second.strand());
    order.common_depth(first.strand(), now.strand()) < together
}

fn first_write<C: Conflicts>(
    cell: &mut Cell,
    location: Location,
    now: Slot,
    order: &mut Graph,
    to: &mut C,
) {
    let mark = now.mark(Write, HoldId::NOTHING);
    if cell.writer.is_parallel(order) {
        to.found(
            location,
            cell.writer.mark(Write, HoldId::NOTHING),
            mark,
            Certain,
        );
    }
    for reader in cell.readers {
        if !reader.is_by(now.strand()) && reader.is_parallel(order) {
            to.found(location, reader.mark(Read, HoldId::NOTHING), mark, Certain);
        }
    }
    cell.writer = now;
}
