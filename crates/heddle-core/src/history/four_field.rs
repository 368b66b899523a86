//! A writer and a reader outside isolated bodies, and a writer and a reader inside them.
//!
//! Raman et al., *Efficient Data Race Detection for Async-Finish Parallelism*, section 5 and Fig. 6.
//! Isolated accesses exclude each other, so each access is compared with the fields it can race
//! with only. This finds every racy location of a program whose only mutual exclusion is isolated;
//! whether a race is certain or only possible is settled in a second pass by [`Full`](super::Full).

use super::shadow::Shadow;
use super::{Conflicts, History, Running, Slot};
use crate::event::AccessKind::{self, Read, Write};
use crate::finding::Certainty::Certain;
use crate::hold::HoldId;
use crate::id::{Extent, Location, SiteId};
use crate::order::Order;

#[derive(Clone, Copy, Default, Debug)]
struct Cell {
    plain: Fields,
    isolated: Fields,
}

#[derive(Clone, Copy, Default, Debug)]
struct Fields {
    writer: Slot,
    reader: Slot,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct FourField {
    cells: Shadow<Cell>,
}

impl FourField {
    /// Nothing accessed yet.
    pub fn new() -> Self {
        Self {
            cells: Shadow::new(),
        }
    }
}

impl Default for FourField {
    fn default() -> Self {
        Self::new()
    }
}

impl<O: Order> History<O> for FourField {
    #[inline]
    fn read<C: Conflicts>(
        &mut self,
        extent: Extent,
        site: SiteId,
        run: Running<'_, O>,
        to: &mut C,
    ) {
        let mut access = Access::new(site, Read, run);
        for location in extent.locations() {
            access.read(self.cells.cell(location), location, to);
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
        let mut access = Access::new(site, Write, run);
        for location in extent.locations() {
            access.write(self.cells.cell(location), location, to);
        }
    }

    fn forget(&mut self, extent: Extent) {
        self.cells.clear(extent);
    }
}

/// The access being checked.
struct Access<'a, O> {
    now: Slot,
    kind: AccessKind,
    hold: HoldId,
    order: &'a mut O,
}

impl<'a, O: Order> Access<'a, O> {
    fn new(site: SiteId, kind: AccessKind, run: Running<'a, O>) -> Self {
        let now = Slot::new(run.order.strand(), site);
        Self {
            now,
            kind,
            hold: run.holds.current(),
            order: run.order,
        }
    }

    fn is_plain(&self) -> bool {
        self.hold == HoldId::NOTHING
    }

    fn read<C: Conflicts>(&mut self, cell: &mut Cell, at: Location, to: &mut C) {
        let plain = self.is_plain();
        let own = if plain { &cell.plain } else { &cell.isolated };
        if own.reader.is_by(self.now.strand()) {
            return;
        }
        self.compare(cell.plain.writer, Write, at, to);
        if plain {
            self.compare(cell.isolated.writer, Write, at, to);
        }
        let own = if plain {
            &mut cell.plain
        } else {
            &mut cell.isolated
        };
        self.replace_if_preceding(&mut own.reader);
    }

    fn write<C: Conflicts>(&mut self, cell: &mut Cell, at: Location, to: &mut C) {
        let plain = self.is_plain();
        let own = if plain { &cell.plain } else { &cell.isolated };
        if own.writer.is_by(self.now.strand()) {
            return;
        }
        self.compare(cell.plain.writer, Write, at, to);
        self.compare(cell.plain.reader, Read, at, to);
        if plain {
            self.compare(cell.isolated.writer, Write, at, to);
            self.compare(cell.isolated.reader, Read, at, to);
            cell.plain.writer = self.now;
        } else {
            self.replace_if_preceding(&mut cell.isolated.writer);
        }
    }

    fn compare<C: Conflicts>(&mut self, earlier: Slot, kind: AccessKind, at: Location, to: &mut C) {
        if earlier.is_parallel(self.order) {
            let earlier = earlier.mark(kind, HoldId::NOTHING);
            to.found(at, earlier, self.now.mark(self.kind, self.hold), Certain);
        }
    }

    /// A parallel earlier access stands for this one too.
    fn replace_if_preceding(&mut self, slot: &mut Slot) {
        if !slot.is_parallel(self.order) {
            *slot = self.now;
        }
    }
}
