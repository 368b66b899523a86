//! One writer and one reader: enough for a serial depth-first run of a structured program.
//!
//! Feng and Leiserson, *Efficient Detection of Determinacy Races in Cilk Programs* (1997). The paper
//! of Raman et al. shows the rule as its Fig. 4 (missing from some printings):
//!
//! - read by `t`: race if the writer is parallel; if the reader precedes `t`, reader := `t`;
//! - write by `t`: race if the reader or the writer is parallel; writer := `t`.
//!
//! A parallel reader is kept rather than replaced: in depth-first sequence, what is parallel with
//! a later reader that is itself parallel with the kept one is parallel with the kept one too.
//! Deviation: detection goes on after the first race. A racy writer is replaced like any other, so
//! one location may be reported again, and no other location is missed.

use super::shadow::Shadow;
use super::{Conflicts, History, Running, Slot};
use crate::event::AccessKind::{Read, Write};
use crate::finding::Certainty::Certain;
use crate::hold::HoldId;
use crate::id::{Extent, Location, SiteId};
use crate::order::Order;

#[derive(Clone, Copy, Default, Debug)]
struct Cell {
    writer: Slot,
    reader: Slot,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct OneReader {
    cells: Shadow<Cell>,
}

impl OneReader {
    /// Nothing accessed yet.
    pub fn new() -> Self {
        Self {
            cells: Shadow::new(),
        }
    }
}

impl Default for OneReader {
    fn default() -> Self {
        Self::new()
    }
}

impl<O: Order> History<O> for OneReader {
    #[inline]
    fn read<C: Conflicts>(
        &mut self,
        extent: Extent,
        site: SiteId,
        run: Running<'_, O>,
        to: &mut C,
    ) {
        let now = Slot::new(run.order.strand(), site);
        for location in extent.locations() {
            let cell = self.cells.cell(location);
            if !cell.reader.is_by(now.strand()) && !cell.writer.is_by(now.strand()) {
                first_read(cell, location, now, run.order, to);
            }
        }
    }

    #[inline]
    fn write<C: Conflicts>(
        &mut self,
        extent: Extent,
        site: SiteId,
        run: Running<'_, O>,
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

fn first_read<O: Order, C: Conflicts>(
    cell: &mut Cell,
    location: Location,
    now: Slot,
    order: &mut O,
    to: &mut C,
) {
    let mark = now.mark(Read, HoldId::NOTHING);
    if cell.writer.is_parallel(order) {
        to.found(
            location,
            cell.writer.mark(Write, HoldId::NOTHING),
            mark,
            Certain,
        );
    }
    if !cell.reader.is_parallel(order) {
        cell.reader = now;
    }
}

fn first_write<O: Order, C: Conflicts>(
    cell: &mut Cell,
    location: Location,
    now: Slot,
    order: &mut O,
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
    if !cell.reader.is_by(now.strand()) && cell.reader.is_parallel(order) {
        to.found(
            location,
            cell.reader.mark(Read, HoldId::NOTHING),
            mark,
            Certain,
        );
    }
    cell.writer = now;
}
